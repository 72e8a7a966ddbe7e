// Sites of whole programs, the remark about those that nothing matches, and the edit that writes a schedule.
#include "Compile.h"
#include "schedule/ScheduleText.h"
#include "support/Codes.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilewright;

namespace {

const std::string kHead = "from tilefoundry.dsl import *\n"
                          "from tilefoundry.target import CudaTarget\n"
                          "\n"
                          "\n"
                          "@module(entry=\"run\", target=CudaTarget(\"nvidia.h200_sxm\"), topologies=(Topology(\"cta\", 1), Topology(\"thread\", 128)))\n"
                          "class Sites:\n"
                          "    @func\n"
                          "    def run(x: Tensor[(32, 128), \"f32\"]) -> Tensor[(32, 128), \"f32\"]:\n"
                          "        with Mesh((\"cta\",), layout=(1,), names=(\"i\",)) as tile:\n"
                          "            with Mesh((\"thread\",), layout=(4, 32), names=(\"w\", \"l\")) as th:\n";

std::string program(const std::vector<std::string> &lines) {
  std::string text = kHead;
  for (const std::string &line : lines)
    text += "                " + line + "\n";
  return text;
}

struct Asked {
  syntax::File file;
  std::optional<SiteReport> report;
  std::string refusal;
};

Asked ask(const std::string &text) {
  Asked out;
  out.file = syntax::parse("program.py", text);
  DiagnosticSink sink;
  out.report = compileSites(out.file, {}, sink);
  for (const Diagnostic &one : sink.all())
    out.refusal += render(one, *out.file.source);
  return out;
}

const schedule::Site &siteNamed(const SiteReport &report, const std::string &label) {
  for (const schedule::Site &site : report.sites)
    if (schedule::labelOf(*report.program, site, report.lineOf) == label)
      return site;
  FAIL("no site " << label);
  return report.sites.front();
}

std::vector<std::string> labels(const SiteReport &report) {
  std::vector<std::string> all;
  for (const schedule::Site &site : report.sites)
    all.push_back(schedule::labelOf(*report.program, site, report.lineOf) + " " + site.op + " " + site.scope);
  return all;
}

const syntax::Item &itemOf(const Asked &asked, const schedule::Site &site) { return asked.file.items[asked.report->program->functions[site.function].item]; }

/// The text after an edit whose places are relative to an item.
std::string applied(std::string text, const Fix &fix, uint32_t offset) {
  std::vector<Edit> edits = fix.edits;
  std::sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) { return b.span < a.span; });
  for (const Edit &edit : edits)
    text.replace(offset + edit.span.begin, edit.span.size(), edit.text);
  return text;
}

} // namespace

TEST_CASE("candidates: sites come in the order in which the result needs them, with the lines of the file") {
  Asked asked = ask(program({"v = tf.reshard(x, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), \"rmem\")", "w = tf.exp(v)", "u = tf.tanh(v)", "",
                             "y = (-u", "     + tf.reduce(v, axes=(1,), kind=\"sum\", keepdim=True))", "return tf.reshard(y, (32, 128), \"gmem\")"}));
  REQUIRE(asked.report);
  CHECK(labels(*asked.report) == std::vector<std::string>{"v:11 tf.reshard per thread", "<value>:15 tf.unary per thread", "<value>:16 tf.reduce per thread",
                                                          "y:15 tf.binary per thread", "<value>:17 tf.reshard per thread"});
}

TEST_CASE("candidates: a program without a site is refused with its function") {
  Asked asked = ask(program({"return tf.softmax(x, axis=1)"}));
  CHECK(!asked.report);
  CHECK(asked.refusal.find("error[no-site]") != std::string::npos);
}

TEST_CASE("candidates: arithmetic that no unit holds is no site") {
  Asked asked = ask(program({"a = th.w * 8", "y = tf.zeros(Tensor[(32, 128), \"f32\"])", "for k in range(4):", "    z = k * 8 + 1", "    y = tf.insert_slice(y, x[z - 1:z + 7, 0:128], (a, 0))", "return y"}));
  REQUIRE(asked.report);
  CHECK(labels(*asked.report) == std::vector<std::string>{"a:11 tf.binary per thread"});
}

TEST_CASE("candidates: the site at a place is the innermost op around it, or the one whose name stands there") {
  const std::string text = program({"v = tf.reshard(x, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), \"rmem\")", "y = tf.exp(v - 1.0)", "return tf.reshard(y, (32, 128), \"gmem\")"});
  Asked asked = ask(text);
  REQUIRE(asked.report);
  const ir::Program &program = *asked.report->program;
  auto at = [&](const std::string &mark, size_t by) {
    auto site = schedule::siteAt(program, 0, static_cast<uint32_t>(text.find(mark) + by - asked.file.items[program.functions[0].item].offset));
    return site ? site->name + " " + site->op : std::string();
  };
  CHECK(at("v - 1.0", 2) == "<value> tf.binary");
  CHECK(at("tf.exp", 3) == "y tf.unary");
  CHECK(at("y = ", 0) == "y tf.unary");
  CHECK(at("return", 0) == "");
}

TEST_CASE("no-candidate: one remark a function, at its name, with the first reason of each site and at most twenty places") {
  std::vector<std::string> lines{"v0 = tf.reshard(x, (32, 128), \"smem\")"};
  for (int i = 1; i < 30; ++i)
    lines.push_back("v" + std::to_string(i) + " = tf.exp(v" + std::to_string(i - 1) + ")");
  lines.push_back("return tf.reshard(v29, (32, 128), \"gmem\")");
  std::string text = program(lines);
  syntax::File file = syntax::parse("program.py", text);
  Memo memo;
  CompileResult result = compileFile(file, {}, memo);
  std::vector<Diagnostic> said;
  for (const Diagnostic &one : result.diagnostics)
    if (one.code == Code::NoCandidate)
      said.push_back(one);
  REQUIRE(said.size() == 1);
  CHECK(said[0].severity == Severity::Information);
  CHECK(text.substr(said[0].span.begin, said[0].span.size()) == "run");
  CHECK(said[0].message.find("29 of the 31") != std::string::npos);
  REQUIRE(said[0].related.size() == 20);
  CHECK(text.substr(said[0].related[0].span.begin, said[0].related[0].span.size()) == "v1");
  CHECK(said[0].related[0].message.find("src: smem does not match rmem") != std::string::npos);
}

TEST_CASE("schedule text: every accepted row of every site writes a program that names the instruction and is fine") {
  const std::string text = program({"s = tf.reshard(x, (32, 128), \"smem\")", "v = tf.reshard(s, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), \"rmem\")",
                                    "h = tf.cast(v, dtype=\"bf16\")", "m = tf.reduce(v, axes=(1,), kind=\"max\", keepdim=True)", "y = 2.0 * tf.exp(v - m) + tf.cast(h, \"f32\")",
                                    "z = tf.where(y > v, tf.clamp(y, min_val=0.0, max_val=1.0), tf.relu(v))", "return tf.reshard(", "    z,", "    (32, 128),", "    \"gmem\")"});
  Asked asked = ask(text);
  REQUIRE(asked.report);
  size_t written = 0;
  for (const schedule::Site &site : asked.report->sites)
    for (const schedule::Site::Row *row : site.accepted()) {
      auto fix = schedule::scheduleFix(*asked.report->program, site, *row, *itemOf(asked, site).tree);
      REQUIRE(fix);
      std::string after = applied(text, *fix, itemOf(asked, site).offset);
      CAPTURE(after);
      Asked again = ask(after);
      CAPTURE(again.refusal);
      REQUIRE(again.report);
      CHECK(again.report->sites.size() == asked.report->sites.size() - 1);
      ++written;
    }
  CHECK(written >= asked.report->sites.size());
}

TEST_CASE("schedule text: the statement keeps its name and indentation, the destination has a name of its own") {
  const std::string text = program({"v_dst = tf.reshard(x, (32, 128), \"smem\")", "y = x", "for k in range(2):", "    v = tf.reshard(v_dst, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), \"rmem\")",
                                      "    y = tf.reshard(v, (32, 128), \"gmem\")", "return tf.insert_slice(x, y, (0, 0))"});
  Asked asked = ask(text);
  REQUIRE(asked.report);
  const schedule::Site &site = siteNamed(*asked.report, "v:14");
  REQUIRE(!site.accepted().empty());
  auto fix = schedule::scheduleFix(*asked.report->program, site, *site.accepted().front(), *itemOf(asked, site).tree);
  REQUIRE(fix);
  std::string after = applied(text, *fix, itemOf(asked, site).offset);
  CHECK(after.find("                    v_dst_2 = tf.empty(Tensor[(32, 128), \"f32\", ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), \"rmem\"])\n"
                   "                    v = tf.schedule((v_dst, v_dst_2), op=T.copy())\n") != std::string::npos);
  CHECK(ask(after).report);
}

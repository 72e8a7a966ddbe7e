// Importing, planning and printing whole functions. The programs of golden/hir each show one rule of order, naming or index arithmetic; the
// .hir files hold the reference's print of them. TW_UPDATE=1 rewrites the files.
#include "ir/Import.h"
#include "ir/MlirText.h"
#include "support/Codes.h"
#include "syntax/Parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace tilewright;

namespace {

std::string contents(const fs::path &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Imported {
  std::shared_ptr<const ir::Program> program;
  std::string mlir;
  std::vector<Diagnostic> diagnostics;
  std::string rendered; // of the diagnostics
};

Imported import(const std::string &text) {
  Imported out;
  syntax::File file = syntax::parse("program.py", text);
  syntax::Evaluation evaluation = syntax::evaluate(file);
  REQUIRE(!evaluation.modules.empty());
  const auto &made = evaluation.modules.back();
  DiagnosticSink sink;
  ir::ModuleInfo info = ir::readModule(*made.module->as<syntax::ModuleValue>(), {}, sink);
  if (!sink.hasErrors())
    out.program = ir::importProgram(info, info.entry, {}, sink, &out.mlir);
  for (const Diagnostic &one : sink.all()) {
    out.diagnostics.push_back(shifted(one, file.items[made.item].offset));
    out.rendered += render(out.diagnostics.back(), *file.source);
  }
  return out;
}

std::string typedText(const ir::Program &program) {
  std::string text;
  for (size_t i = 0; i < program.functions.size(); ++i) {
    text += i ? "\n" : "";
    for (const ir::PrintedLine &line : ir::printFunction(program, i)) {
      text += line.text;
      if (line.value != ir::kNone)
        text += "  # " + ir::printType(program.functions[i], program.functions[i].at(line.value).type, program.functions[i].at(line.value).region);
      text += "\n";
    }
  }
  return text;
}

std::string function(const std::string &body, const std::string &around = "") {
  return "from tilefoundry.dsl import *\nfrom tilefoundry.target import CudaTarget\n" + around +
         "\n@module(entry=\"f\", target=CudaTarget(\"nvidia.h200_sxm\"), topologies=(Topology(\"cta\", 8), Topology(\"thread\", 128)))\nclass M:\n    @func\n"
         "    def f(x: Tensor[(64, 32), \"f32\"], y: Tensor[(64, 32), \"f32\"]):\n" +
         body;
}

// The one diagnostic of a refused body: its code and the text under it.
std::pair<std::string, std::string> refusal(const std::string &body) {
  std::string text = function(body);
  Imported result = import(text);
  CHECK(result.program == nullptr);
  REQUIRE_MESSAGE(result.diagnostics.size() == 1, result.rendered);
  const Diagnostic &one = result.diagnostics[0];
  return {std::string(info(one.code).spelling), text.substr(one.span.begin, one.span.size())};
}

} // namespace

TEST_CASE("functions print in demand order under the reference's names") {
  int programs = 0;
  for (const auto &entry : fs::directory_iterator(fs::path(TW_SOURCE_DIR) / "tests/golden/hir")) {
    if (entry.path().extension() != ".py")
      continue;
    ++programs;
    CAPTURE(entry.path().filename().string());
    Imported result = import(contents(entry.path()));
    REQUIRE_MESSAGE(result.program, result.rendered);
    fs::path golden = entry.path();
    golden.replace_extension(".hir");
    std::string text = typedText(*result.program);
    if (std::getenv("TW_UPDATE") && !std::getenv("CI"))
      std::ofstream(golden) << text;
    CHECK(text == contents(golden));
    // The same function through MLIR text and back.
    std::string error;
    auto again = ir::runOnMlirText(result.mlir, {"verify"}, error);
    REQUIRE_MESSAGE(again, error);
    CHECK(*again == result.mlir);
    auto dsl = ir::runOnMlirText(result.mlir, {"print-dsl"}, error);
    REQUIRE_MESSAGE(dsl, error);
    std::string plain;
    for (const ir::PrintedLine &line : ir::printFunction(*result.program, 0))
      plain += line.text + "\n";
    CHECK(dsl->find(plain) != std::string::npos);
  }
  CHECK(programs >= 20);
}

TEST_CASE("printing is deterministic") {
  std::string text = contents(fs::path(TW_SOURCE_DIR) / "examples/gemm/grouped.py");
  Imported first = import(text), second = import(text);
  REQUIRE_MESSAGE(first.program, first.rendered);
  CHECK(typedText(*first.program) == typedText(*second.program));
  CHECK(first.mlir == second.mlir);
}

TEST_CASE("a refusal stands at the part that is wrong") {
  using Row = std::pair<std::string, std::string>;
  CHECK(refusal("        return tf.cumsum(x)\n") == Row{"unknown-op", "cumsum"});
  CHECK(refusal("        return tf.matmul(x, y)\n").first == "op-type");
  CHECK(refusal("        return tf.reduce(x, axes=(0,), kind=\"prod\")\n") == Row{"bad-attribute", "\"prod\""});
  CHECK(refusal("        return tf.reduce(x, mode=1)\n") == Row{"unknown-keyword", "mode"});
  CHECK(refusal("        return tf.cast(x, \"f64\")\n") == Row{"bad-dtype", "\"f64\""});
  CHECK(refusal("        return x[0:4, 0:4, 0:4]\n").first == "bad-index");
  CHECK(refusal("        x += y\n        return x\n") == Row{"unsupported-statement", "x += y"});
  CHECK(refusal("        z = [v for v in x]\n        return z\n").first == "unsupported-expression");
  CHECK(refusal("        a, b, c = tf.split(x, axis=0, num_splits=2)\n        return a\n").first == "tuple-arity");
  CHECK(refusal("        for i in (1, 2):\n            x = x + y\n        return x\n") == Row{"bad-loop", "(1, 2)"});
  CHECK(refusal("        z = x + y\n").first == "missing-return");
  CHECK(refusal("        with Mesh((\"warp\",), layout=(8,), names=(\"w\",)) as w:\n            return x + y\n").first == "unknown-topology");
  CHECK(refusal("        with Mesh((\"cta\",), layout=(8,), names=(\"b\",)) as c:\n            o = c.q * 8\n            return x + y\n") == Row{"unknown-mesh-axis", "q"});
  CHECK(refusal("        with Mesh((\"cta\",), layout=(8,), names=(\"b\",)) as c:\n            z = x + y\n        return z + z\n").first == "outside-mesh");
  CHECK(refusal("        with Mesh((\"cta\",), layout=(8,), names=(\"b\",)) as c:\n            return x[c.b / 2:c.b / 2 + 1, :]\n") == Row{"index-division", "c.b / 2"});
  const std::string grid = "        with Mesh((\"cta\",), layout=(4, 2), names=(\"a\", \"b\")) as c:\n";
  CHECK(refusal(grid + "            with c[:, 0:1] as d:\n                return x + y\n") == Row{"bad-mesh", "c[:, 0:1]"});
  CHECK(refusal(grid + "            with c[0:2, :] as d:\n                with d[0:1, :] as e:\n                    return x + y\n") == Row{"bad-mesh", "d[0:1, :]"});
  CHECK(refusal(grid + "            with c[0:2, :] as d:\n                with c[2:4, :] as e:\n                    return x + y\n") == Row{"bad-mesh", "c[2:4, :]"});
  CHECK(refusal(grid + "            with c[0:5, :] as d:\n                return x + y\n") == Row{"bad-mesh", "c[0:5, :]"});
  CHECK(refusal(grid + "            return tf.reshard(x, (64 @ c.a, 32) | Swizzle(3, 4, 3))\n").first == "bad-layout");
  CHECK(refusal("        return print(x)\n") == Row{"unsupported-call", "print"});
  CHECK(refusal("        return f(x, y)\n").first == "recursion");
  CHECK(refusal("        return nowhere\n") == Row{"unknown-value", "nowhere"});
}

TEST_CASE("one mistake gives one diagnostic, and later statements are still read") {
  Imported result = import(function("        a = tf.cumsum(x)\n        b = a + x\n        c = b * b\n        d = tf.unknown(y)\n        return c + d\n"));
  REQUIRE_MESSAGE(result.diagnostics.size() == 2, result.rendered);
  CHECK(result.diagnostics[0].code == Code::UnknownOp);
  CHECK(result.diagnostics[1].code == Code::UnknownOp);
}

TEST_CASE("a straight line of many statements does not exhaust the stack") {
  std::string body;
  for (int i = 0; i < 20000; ++i)
    body += "        x = x + y\n";
  Imported result = import(function(body + "        return x\n"));
  REQUIRE_MESSAGE(result.program, result.rendered);
  CHECK(result.program->functions[0].regions[0].items.size() == 20000);
}

TEST_CASE("MLIR text with a broken rule is refused with its place") {
  Imported result = import(function("        return tf.exp(x)\n"));
  REQUIRE_MESSAGE(result.program, result.rendered);
  std::string text = result.mlir;
  size_t at = text.rfind("[64, 32]", text.find("hir.return"));
  REQUIRE(at != std::string::npos);
  std::string error;
  CHECK_FALSE(ir::runOnMlirText(text.replace(at, 8, "[64, 31]"), {}, error));
  CHECK(error.find(": ") != std::string::npos);
  CHECK_FALSE(ir::runOnMlirText("module {", {}, error));
  CHECK_FALSE(ir::runOnMlirText(result.mlir, {"no-such-pass"}, error));
}

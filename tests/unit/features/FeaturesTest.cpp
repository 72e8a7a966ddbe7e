// Features on results made by hand: what they show depends on plain data alone.
#include "features/Definition.h"
#include "features/Diagnostics.h"
#include "features/DocumentSymbols.h"
#include "features/FoldingRanges.h"
#include "features/Hover.h"
#include "features/InlayHints.h"
#include "support/Codes.h"

#include <doctest/doctest.h>

using namespace tilewright;

namespace {
const std::string kText = R"(from tilefoundry.dsl import *
N = 8


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", N),))
class M:
    @func
    def f(x: Tensor[(N, 4), "f32"]) -> Tensor[(N, 4), "f32"]:
        with Mesh(("cta",), layout=(N,), names=("i",)) as cta:
            y = tf.add(x, x)
            for k in tf.tile(8, 4):
                y = tf.mul(y, y)
            c = cta.i + N
            return y
)";

struct Case {
  std::shared_ptr<session::Snapshot> snapshot = std::make_shared<session::Snapshot>();
  std::shared_ptr<ir::Program> program = std::make_shared<ir::Program>();
  std::shared_ptr<analysis::Report> report = std::make_shared<analysis::Report>();
  std::shared_ptr<FunctionResult> function = std::make_shared<FunctionResult>();
  const syntax::Item *item = nullptr;

  Span find(const std::string &needle, size_t skip = 0) const {
    size_t at = item->tree->text.find(needle);
    for (; skip > 0; --skip)
      at = item->tree->text.find(needle, at + 1);
    REQUIRE(at != std::string::npos);
    return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + needle.size())};
  }
  uint32_t inFile(const std::string &needle, uint32_t plus = 0, size_t skip = 0) const { return find(needle, skip).begin + plus + item->offset; }

  Case() {
    snapshot->uri = "file:///m.py";
    snapshot->file = syntax::parse("m.py", kText);
    snapshot->schedule = true;
    REQUIRE(snapshot->file.items.size() == 3);
    item = &snapshot->file.items[2];

    ir::FunctionPlan plan;
    plan.module = "M";
    plan.name = "f";
    ir::TensorType type{{8, 4}, ir::DType::F32, {}, ir::Storage::Smem};
    auto value = [&](ir::ValueKind kind, const char *name, Span span, Span nameSpan) {
      ir::PlanValue one;
      one.kind = kind;
      one.name = name;
      one.type = type;
      one.span = span;
      one.nameSpan = nameSpan;
      plan.values.push_back(one);
    };
    value(ir::ValueKind::Parameter, "x", find("x: Tensor"), {find("x: Tensor").begin, find("x: Tensor").begin + 1});
    value(ir::ValueKind::Op, "y", find("y = tf.add(x, x)"), {find("y = tf.add").begin, find("y = tf.add").begin + 1});
    value(ir::ValueKind::Op, "y_2", find("y = tf.mul(y, y)"), {find("y = tf.mul").begin, find("y = tf.mul").begin + 1});
    plan.values[2].op = ir::Op::Mul;
    plan.parameters = {0};
    plan.returned = 2;
    auto mesh = std::make_shared<layout::Mesh>(layout::Mesh{{{"cta", 8}}, {8}, {1}, 0, false, {"i"}});
    plan.regions.resize(2);
    plan.regions[0].mesh = mesh;
    plan.regions[0].authoredName = "cta";
    plan.regions[0].span = find("with Mesh((\"cta\",), layout=(N,), names=(\"i\",)) as cta:");
    plan.regions[1].kind = ir::RegionKind::Loop;
    plan.regions[1].span = find("for k in tf.tile(8, 4):");
    plan.regions[1].stop.constant = 8;
    plan.regions[1].step.constant = 4;
    program->module = "M";
    program->target = target::find("nvidia.h200_sxm");
    program->functions.push_back(plan);

    analysis::FunctionReport records;
    records.record.hasPerformance = true;
    records.record.predictedNs = 1234;
    records.record.waves = 2;
    records.record.peaks = {{"smem", 232448, 240000, 0}};
    records.record.lifetimes = {{"y", "smem", 120000, 1, 3, false, 1, 0}, {"y_2", "smem", 120000, 2, 3, false, 2, 120064}};
    analysis::Finding over;
    over.kind = analysis::Finding::Kind::OverCapacity;
    over.level = "smem";
    over.bytes = 240000;
    over.capacity = 232448;
    analysis::Finding window;
    window.kind = analysis::Finding::Kind::ReuseWindow;
    window.level = "l2";
    window.bytes = 60000000;
    window.capacity = 50000000;
    window.region = 1;
    window.value = 0;
    window.advisory = true;
    records.record.findings = {over, window};
    analysis::CallRecord add;
    add.value = 1;
    add.interval = analysis::Interval{0, 10, 0, 1};
    add.memory.emplace();
    add.memory->traffic["gmem"].logical = {4096, 0};
    add.memory->traffic["smem"].logical = {0, 2048};
    analysis::CallRecord mul;
    mul.value = 2;
    mul.interval = analysis::Interval{10, 15, 5, 2};
    records.calls = {add, mul};
    report->program = program;
    report->functions.push_back(records);

    function->item = 2;
    function->module = "M";
    function->name = "f";
    function->nameSpan = {find("def f").begin + 4, find("def f").begin + 5};
    function->definition = {find("@func").begin, static_cast<uint32_t>(item->tree->text.size())};
    function->program = program;
    function->report = report;
    auto result = std::make_shared<CompileResult>();
    result->file = snapshot->file;
    result->isSchedule = true;
    result->functions = {function};
    snapshot->result = result;
  }
};

std::string textAt(Span span) { return kText.substr(span.begin, span.size()); }
std::string lineOf(uint32_t offset) {
  SourceText source("m.py", kText);
  return std::string(source.line(source.at(offset).line));
}
} // namespace

TEST_CASE("hints stand behind the statements, the signature and the mesh") {
  Case made;
  std::vector<features::InlayHint> hints = features::inlayHints(*made.snapshot, {0, static_cast<uint32_t>(kText.size())});
  REQUIRE(hints.size() == 4);
  CHECK(hints[0].label == "predicted-ns=1234 waves=2");
  CHECK(lineOf(hints[0].offset).find("def f") != std::string::npos);
  CHECK(hints[1].label == "peak smem 234.38KB of 227.00KB");
  CHECK(lineOf(hints[1].offset).find("with Mesh") != std::string::npos);
  CHECK(hints[2].label == "[0,10) ns · gmem r4.00KB · smem w2.00KB");
  CHECK(hints[2].offset == made.inFile("y = tf.add(x, x)", 16));
  CHECK(hints[3].label == "[5t+10,5t+15)*2 ns");
  CHECK(features::inlayHints(*made.snapshot, {0, 10}).empty());
  hints = features::inlayHints(*made.snapshot, {0, static_cast<uint32_t>(kText.size())}, {.time = false, .bytes = true, .peaks = false});
  REQUIRE(hints.size() == 1);
  CHECK(hints[0].label == "gmem r4.00KB · smem w2.00KB");
}

TEST_CASE("findings become diagnostics at the buffer and the loop") {
  Case made;
  std::vector<Diagnostic> all = features::diagnostics(*made.snapshot);
  REQUIRE(all.size() == 2);
  CHECK(all[0].code == Code::ReuseWindowOverCache);
  CHECK(all[0].severity == Severity::Information);
  CHECK(textAt(all[0].span) == "for k in tf.tile(8, 4)");
  CHECK(all[1].code == Code::SmemOverCapacity);
  CHECK(all[1].severity == Severity::Error);
  CHECK(all[1].span.begin == made.inFile("y = tf.mul"));
  CHECK(all[1].message.find("234.38KB of smem") != std::string::npos);
  CHECK(all[1].message.find("227.00KB per CTA") != std::string::npos);
  REQUIRE(all[1].related.size() == 1);
  CHECK(all[1].related[0].span.begin == made.inFile("y = tf.add"));
  made.snapshot->schedule = false;
  CHECK(features::diagnostics(*made.snapshot).empty());
}

TEST_CASE("a hover tells what a value is, an op does, the hardware gives") {
  Case made;
  auto text = [&](uint32_t at) {
    std::optional<features::Hover> found = features::hover(*made.snapshot, at);
    return found ? found->markdown : std::string();
  };
  std::string y = text(made.inFile("y = tf.add"));
  CHECK(y.find("Tensor[(8, 4), \"f32\", \"smem\"]") != std::string::npos);
  CHECK(y.find("[0,10) ns") != std::string::npos);
  CHECK(y.find("227.00KB") != std::string::npos);
  CHECK(y.find("source") != std::string::npos);
  CHECK(text(made.inFile("tf.mul(y", 3)).find("elementwise product") != std::string::npos);
  CHECK(text(made.inFile("nvidia.h200")).find("memory.l2.capacity") != std::string::npos);
  CHECK(text(made.inFile("cta.i + N", 4)).find("0 to 7") != std::string::npos);
  CHECK(text(made.inFile("return y", 8)).find("y: Tensor") != std::string::npos);
  CHECK(text(made.inFile("as cta", 4)).find("8 positions") != std::string::npos);
  CHECK(text(made.inFile("class M", 0)).empty());
  for (uint32_t at = 0; at <= kText.size() + 10; ++at)
    features::hover(*made.snapshot, at);
}

TEST_CASE("definitions follow Python's rules") {
  Case made;
  auto target = [&](uint32_t at) {
    std::optional<features::Definition> found = features::definition(*made.snapshot, at);
    return found ? found->selection.begin : ~0u;
  };
  CHECK(target(made.inFile("tf.add(x, x)", 7)) == made.inFile("x: Tensor"));
  CHECK(target(made.inFile("tf.mul(y, y)", 7)) == made.inFile("y = tf.add"));
  CHECK(target(made.inFile("return y", 7)) == made.inFile("y = tf.mul"));
  CHECK(target(made.inFile("return y", 8)) == made.inFile("y = tf.mul"));
  CHECK(target(made.inFile("(N, 4)", 1)) == kText.find("N = 8"));
  CHECK(target(made.inFile("cta.i", 0)) == made.inFile("as cta", 3));
  CHECK(target(made.inFile("cta.i", 4)) == made.inFile("\"i\""));
  CHECK(target(made.inFile("tf.add", 3)) == ~0u);
  for (uint32_t at = 0; at <= kText.size() + 10; ++at)
    features::definition(*made.snapshot, at);
}

TEST_CASE("the outline shows modules, functions, meshes, loops and values") {
  Case made;
  std::vector<features::Symbol> all = features::documentSymbols(*made.snapshot);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "N");
  CHECK(all[0].kind == features::SymbolKind::Constant);
  CHECK(all[1].name == "M");
  CHECK(all[1].kind == features::SymbolKind::Module);
  REQUIRE(all[1].children.size() == 1);
  const features::Symbol &f = all[1].children[0];
  CHECK(f.kind == features::SymbolKind::Kernel);
  REQUIRE(f.children.size() == 2);
  CHECK(f.children[0].name == "x");
  CHECK(f.children[1].name == "with cta");
  REQUIRE(f.children[1].children.size() == 3);
  CHECK(f.children[1].children[0].name == "y");
  CHECK(f.children[1].children[1].name == "for k");
  CHECK(f.children[1].children[2].name == "c");
}

TEST_CASE("blocks fold from their header to their last line") {
  Case made;
  std::vector<features::FoldingRange> all = features::foldingRanges(*made.snapshot);
  using features::FoldingRange;
  CHECK(all == std::vector<FoldingRange>{{FoldingRange::Kind::Block, 5, 13}, {FoldingRange::Kind::Block, 7, 13}, {FoldingRange::Kind::Block, 8, 13}, {FoldingRange::Kind::Block, 10, 11}});
}

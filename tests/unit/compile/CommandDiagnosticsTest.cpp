// Refusals that only a command can give: which root it names, which dimensions and level it states, what finalize cannot settle. An editor shows the
// others, so those have marked fixtures (tests/fixtures/diagnostics).
#include "Compile.h"
#include "support/Codes.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilewright;

namespace {
const std::string kImports = "from tilefoundry.dsl import *\nfrom tilefoundry.target import AmxTarget, CpuTarget, CudaTarget\n\n\n";

std::string module(const std::string &name, const std::string &decorator, const std::string &signature, const std::string &body) {
  return "@module(entry=\"f\"" + decorator + ")\nclass " + name + ":\n    @func\n    def f" + signature + ":\n" + body + "\n\n";
}
const std::string kH200 = R"(, target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))";
const std::string kX = R"((x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"])";
const std::string kExp = "        return tf.exp(x)";

struct Case {
  Code code;
  std::string text;
  std::string selector = {};
  std::map<std::string, int64_t> dims = {};
  std::string topology = {};
};
std::vector<Code> analyzed(const Case &one) {
  CompileOptions options;
  options.analysis.families = analysis::kAllFamilies;
  options.analysis.topology = one.topology;
  options.selector = one.selector;
  options.dims = one.dims;
  DiagnosticSink sink;
  const syntax::File file = syntax::parse("p.py", one.text);
  std::shared_ptr<const FunctionResult> result = compileRoot(file, options, sink);
  std::vector<Code> codes;
  for (const Diagnostic &diagnostic : sink.all())
    codes.push_back(diagnostic.code);
  if (result)
    for (const Diagnostic &diagnostic : result->diagnostics)
      codes.push_back(diagnostic.code);
  return codes;
}
bool has(const std::vector<Code> &codes, Code code) { return std::find(codes.begin(), codes.end(), code) != codes.end(); }

/// In the scope of two CTAs of one warp.
std::vector<Code> finalized(const std::string &body) {
  const std::string text = kImports + module("P", kH200, kX, R"(        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
)" + body);
  DiagnosticSink sink;
  finalizedText(syntax::parse("p.py", text), {}, sink);
  std::vector<Code> codes;
  for (const Diagnostic &diagnostic : sink.all())
    codes.push_back(diagnostic.code);
  return codes;
}
} // namespace

TEST_CASE("a command names one root, its dimensions and its level") {
  const std::string one = kImports + module("One", kH200, kX, kExp);
  const std::string open = kImports + "M = DimVar(\"M\", 1, 4096)\n\n\n" + module("Open", kH200, R"((x: Tensor[(M,), "f32"]) -> Tensor[(M,), "f32"])", kExp);
  const std::vector<Case> cases{
      {Code::NoModule, kImports},
      {Code::AmbiguousModule, one + module("Two", kH200, kX, kExp)},
      {Code::UnknownFunction, one, "One.g"},
      {Code::NoTarget, kImports + module("Bare", R"(, topologies=(Topology("cta", 2),))", kX, kExp)},
      {Code::DimensionRange, open, {}, {{"M", 5000}}},
      {Code::UnknownDimension, one, {}, {{"Q", 1}}},
      {Code::UndeclaredLevel, one, {}, {}, "gpu"},
  };
  for (const Case &each : cases) {
    CAPTURE(info(each.code).spelling);
    CHECK(has(analyzed(each), each.code));
  }
  CHECK_FALSE(has(analyzed({Code::NoModule, one}), Code::NoModule));
  CHECK_FALSE(has(analyzed({Code::DimensionRange, open, {}, {{"M", 4096}}}), Code::DimensionRange));
}

TEST_CASE("finalize refuses what has no address") {
  const std::string registers = R"(                b = tf.empty(Tensor[(16, 64), "f32", ((16, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                v = tf.schedule((x, b), op=T.copy())
)";
  CHECK(has(finalized(registers + R"(                half = v[0:8, 0:64]
                g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                o = tf.schedule((half, g), op=T.copy())
                y = tf.zeros(Tensor[(16, 64), "f32"])
                return tf.insert_slice(y, o, (0, 0)))"), Code::RegisterWindow));
}

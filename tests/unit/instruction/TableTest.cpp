#include "instruction/Table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace tilewright;
using namespace tilewright::instruction;

namespace {
Enumerator form(const char *value) { return {"T.cuda.sm90.Form", value}; }
Enumerator major(const char *value) { return {"T.cuda.sm90.Major", value}; }
Instruction wgmma(std::vector<std::pair<std::string, InstructionParameter>> parameters) { return {"T.cuda.sm90.Wgmma", std::move(parameters)}; }
std::string wrongParameter(const Instruction &instruction) {
  const CanonicalInstruction result = canonical(instruction);
  return result.error.empty() ? "none" : result.parameter;
}
std::string value(const Instruction &instruction, std::string_view name) {
  const InstructionParameter *given = find(instruction, name);
  return given ? pathText(*given) : "absent";
}
} // namespace

TEST_CASE("a matrix instruction prints with every parameter, in declared order") {
  const CanonicalInstruction both = canonical(wgmma({{"dtype", std::string("bf16")}, {"n", int64_t{128}}, {"form", form("SS")}, {"b_major", major("K")}}));
  REQUIRE(both.error.empty());
  CHECK(both.instruction.parameters[0].first == "n");
  CHECK(value(both.instruction, "a_major") == "MN");
  CHECK(value(both.instruction, "b_major") == "K");
  const CanonicalInstruction eight = canonical(wgmma({{"n", int64_t{64}}, {"dtype", std::string("fp8e4m3")}, {"form", form("SS")}}));
  CHECK(value(eight.instruction, "a_major") == "K");
  CHECK(shapeOf(eight.instruction).k == 32);
  CHECK(shapeOf(both.instruction).k == 16);
}

TEST_CASE("parameters that no matrix instruction has") {
  CHECK(wrongParameter(wgmma({})) == "n");
  CHECK(wrongParameter(wgmma({{"n", int64_t{264}}})) == "n");
  CHECK(wrongParameter(wgmma({{"n", int64_t{12}}})) == "n");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}})) == "dtype");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}, {"dtype", std::string("f32")}})) == "dtype");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}, {"dtype", std::string("bf16")}})) == "form");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}, {"dtype", std::string("bf16")}, {"form", std::string("SS")}})) == "form");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}, {"dtype", std::string("bf16")}, {"form", form("RS")}, {"a_major", major("MN")}})) == "a_major");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}, {"dtype", std::string("fp8e4m3")}, {"form", form("SS")}, {"b_major", major("MN")}})) == "b_major");
  CHECK(wrongParameter(wgmma({{"n", int64_t{64}}, {"stages", int64_t{2}}})) == "stages");
}

TEST_CASE("defaults of an instruction are left out") {
  CHECK(canonical({"T.arange", {{"start", int64_t{0}}, {"step", int64_t{2}}}}).instruction.parameters.size() == 1);
  CHECK(canonical({"T.copy", {}}).error.empty());
  CHECK(wrongParameter({"T.copy", {{"foo", int64_t{1}}}}) == "foo");
  CHECK(wrongParameter({"T.cast", {}}) == "dtype");
  CHECK(wrongParameter({"T.tiled_mma", {}}) == "atom");
  CHECK_FALSE(canonical({"T.foo", {}}).error.empty());
}

TEST_CASE("an error about a parameter says what it takes under those before it") {
  CHECK(canonical(wgmma({{"n", int64_t{12}}})).error == "T.cuda.sm90.Wgmma: n=12 is not one it takes; it takes 8 <= n <= 256 and n % 8 == 0");
  CHECK(canonical(wgmma({{"n", int64_t{64}}, {"dtype", std::string("f32")}})).error == "T.cuda.sm90.Wgmma: dtype=f32 is not one it takes; it takes bf16, f16 or fp8e4m3");
  CHECK(canonical(wgmma({{"n", int64_t{64}}, {"dtype", std::string("f16")}, {"form", form("RS")}, {"a_major", major("MN")}})).error ==
        "T.cuda.sm90.Wgmma: a_major=Major.MN is not one it takes with dtype=f16, form=RS; it takes T.cuda.sm90.Major.K");
  CHECK(canonical({"T.reduce", {{"axes", std::vector<int64_t>{0}}, {"keepdim", true}, {"kind", std::string("sum")}}}).error.starts_with("T.reduce: kind must be ReduceKind, got str"));
}

TEST_CASE("every row is complete") {
  std::set<std::string> ids;
  for (const Row &row : rows()) {
    CAPTURE(row.id);
    CHECK(ids.insert(row.id).second);
    CHECK_FALSE(row.className.empty());
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.cost.empty());
    CHECK_FALSE(row.meshes.empty());
    REQUIRE(row.destination < row.operands.size());
    CHECK(row.operands[row.destination].access != Access::Read);
    for (const Operand &operand : row.operands) {
      CHECK((!operand.cases.empty() || !operand.ofAtom.empty()));
      if (!row.iteration.empty())
        CHECK_FALSE(operand.dims.empty());
    }
    for (const Between &rule : row.between)
      for (const std::string &side : {rule.left, rule.right})
        CHECK(std::any_of(row.operands.begin(), row.operands.end(), [&](const Operand &operand) { return operand.name == side; }));
    // What hardware does under a name of its own is specified somewhere.
    if (!row.ptx.empty())
      CHECK(row.source.starts_with("https://"));
    CHECK((!row.ptx.empty() || row.capability == "cpu_tensor"));
  }
}

TEST_CASE("an atom's issue") {
  const AtomShape shape = shapeOf(wgmma({{"n", int64_t{128}}, {"dtype", std::string("fp8e4m3")}, {"form", form("SS")}}));
  CHECK(shape.m == 64);
  CHECK(shape.n == 128);
  CHECK(shape.k == 32);
  CHECK(shapeOf({"T.cuda.sm80.Mma", {}}).k == 16);
  CHECK(shapeOf({"T.copy", {}}).m == 0);
}

TEST_CASE("a target narrows what issues an instruction and what it repeats") {
  const target::Target *h200 = target::find("nvidia.h200_sxm"), *b200 = target::find("nvidia.b200_sxm"), *m2 = target::find("apple.m2_pro"), *cpu = target::find("cpu");
  const Row &tiled = *rowNamed("T.tiled_mma"), &copy = *rowNamed("T.copy");
  CHECK(atomsOf(tiled, h200).size() == 2);
  CHECK(atomsOf(tiled, b200).size() == 1);
  CHECK(meshesOn(tiled, b200).size() == 1);
  CHECK_FALSE(admits(*cpu, tiled));
  CHECK(meshesOn(copy, h200).front().mesh.level == "thread");
  CHECK(meshesOn(copy, m2).size() == 2);
  CHECK(meshesOn(copy, cpu).empty());
}

#include "instruction/Facts.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilewright;
using namespace tilewright::instruction;

namespace {
using Texts = std::vector<std::string>;

const target::Target &h200() { return *target::find("nvidia.h200_sxm"); }
Instruction wgmma(std::vector<std::pair<std::string, InstructionParameter>> parameters) { return {"T.cuda.sm90.Wgmma", std::move(parameters)}; }
Texts left(const Instruction &given, std::string_view parameter) { return remainingValues(*rowNamed(given.name), given, parameter); }
} // namespace

// Every report about every instruction on every target is compared with the reference's by the golden cases facts-01 to facts-08.
TEST_CASE("the report of an instruction without parameters or rules between its operands") {
  CHECK(render(factsOf(*rowNamed("T.binary"), h200())) ==
        "T.binary\n"
        "  target             nvidia.h200_sxm\n"
        "  execution mesh     Mesh(('thread',), ComposedLayout(None, p0, Layout((*execution_shape,), (*execution_strides,))))\n"
        "  operands\n"
        "    lhs  storage=rmem, in any arrangement\n"
        "    rhs  storage=rmem, in any arrangement\n"
        "    dst  storage=rmem, in any arrangement\n");
}

TEST_CASE("an inventory lists what the target admits, atoms only by name") {
  const Texts names = namesOn(*target::find("nvidia.b200_sxm"));
  CHECK(std::count(names.begin(), names.end(), "T.cuda.sm80.Mma") == 1);
  CHECK(std::count(names.begin(), names.end(), "T.cuda.sm90.Wgmma") == 0);
  CHECK(renderInventory(*target::find("cpu")).find("cuda") == std::string::npos);
  CHECK(renderInventory(h200()).find("  T.tiled_mma          wgmma.mma_async, mma.sync\n") != std::string::npos);
}

TEST_CASE("the values left to a parameter under the others") {
  CHECK(left(wgmma({}), "dtype") == Texts{"\"bf16\"", "\"f16\"", "\"fp8e4m3\""});
  CHECK(left(wgmma({}), "form") == Texts{"T.cuda.sm90.Form.SS", "T.cuda.sm90.Form.RS"});
  CHECK(left(wgmma({{"dtype", std::string("fp8e4m3")}}), "b_major") == Texts{"T.cuda.sm90.Major.K"});
  CHECK(left(wgmma({{"dtype", std::string("bf16")}}), "a_major") == Texts{"T.cuda.sm90.Major.MN", "T.cuda.sm90.Major.K"});
  CHECK(left(wgmma({{"dtype", std::string("bf16")}, {"form", Enumerator{"T.cuda.sm90.Form", "RS"}}}), "a_major") == Texts{"T.cuda.sm90.Major.K"});
  // A later parameter that is given narrows an earlier one.
  CHECK(left(wgmma({{"b_major", Enumerator{"T.cuda.sm90.Major", "MN"}}}), "dtype") == Texts{"\"bf16\"", "\"f16\""});
  CHECK(left(wgmma({{"dtype", std::string("bf16")}, {"a_major", Enumerator{"T.cuda.sm90.Major", "MN"}}}), "form") == Texts{"T.cuda.sm90.Form.SS"});
  const Texts n = left(wgmma({}), "n");
  CHECK(n.size() == 32);
  CHECK(n.front() == "8");
  CHECK(n.back() == "256");
  CHECK(remainingValues(*rowNamed("T.tiled_mma"), {"T.tiled_mma", {}}, "atom", target::find("nvidia.b200_sxm")) == Texts{"T.cuda.sm80.Mma"});
  CHECK(left({"T.clamp", {}}, "min_val").empty());
  CHECK(left({"T.copy", {}}, "none").empty());
}

TEST_CASE("a contract narrows with what is given") {
  const Row &row = *rowNamed("T.cuda.sm90.Wgmma");
  const auto operandLines = [&](const Instruction &given) { return describe(row, &h200(), given).operands.size(); };
  CHECK(operandLines(wgmma({})) == 10); // C, six cases of A, three of B
  CHECK(operandLines(wgmma({{"dtype", std::string("bf16")}})) == 4);
  CHECK(operandLines(wgmma({{"dtype", std::string("bf16")}, {"form", Enumerator{"T.cuda.sm90.Form", "SS"}}})) == 3);
  const Contract contract = describe(row, &h200(), wgmma({{"n", int64_t{64}}}));
  CHECK(contract.parameters[0].text == "64");
  CHECK(contract.parameters[0].details == Texts{"8 <= n <= 256", "n % 8 == 0"});
  CHECK(contract.admitted);
  CHECK_FALSE(describe(row, target::find("nvidia.b200_sxm"), wgmma({})).admitted);
  CHECK(contract.source.find("wgmma") != std::string::npos);
  CHECK(describe(*rowNamed("T.tiled_mma"), &h200(), {}).capabilities == Texts{"wgmma.mma_async", "mma.sync"});
}

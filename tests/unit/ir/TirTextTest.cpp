// TIR as text: what finalize writes reads back and prints the same bytes, directly and through the dialect; wrong text is refused at its place.
#include "ir/ImportTir.h"
#include "ir/MlirText.h"
#include "ir/TirToMlir.h"
#include "syntax/Parser.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilewright;

namespace {

struct Read {
  std::string text, mlir, fromMlir;
  std::vector<std::string> problems; // `code: marked text: message`
};
Read read(const std::string &source) {
  const syntax::File file = syntax::parse("kernel.py", source);
  const syntax::Evaluation evaluation = syntax::evaluate(file);
  DiagnosticSink sink;
  Read out;
  for (const ir::tir::Kernel &kernel : ir::tir::kernels(evaluation))
    if (auto imported = ir::tir::importKernel(file, kernel, sink)) {
      for (const ir::tir::PrintedLine &line : ir::tir::print(imported->program, imported->header))
        out.text += line.text + "\n";
      ir::tir::verify(imported->program, sink);
      out.mlir = ir::tir::printMlir(imported->program, imported->header);
      std::string error;
      out.fromMlir = ir::runOnMlirText(out.mlir, {"verify", "print-dsl"}, error).value_or(error);
    }
  for (const Diagnostic &one : sink.all())
    out.problems.push_back(std::string(info(one.code).spelling) + ": " + source.substr(one.span.begin, one.span.size()) + ": " + one.message);
  return out;
}

constexpr const char *kHead = R"(from __future__ import annotations

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@prim_func(target=CudaTarget("nvidia.h200_sxm"))
def run(x: Tensor[(64, 64), "f32"], out: Tensor[(64, 64), "f32"]):
    with Mesh((Topology("cta", 2),), layout=(2,), names=("i",)) as cta:
        with Mesh((Topology("thread", 128),), layout=(4, 32), names=("w", "l")) as scope:
)";
/// The only problem of a body that stands in the scopes of kHead.
std::string problem(const std::string &body) {
  std::string source = kHead;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);)
    source += "            " + line + "\n";
  const Read result = read(source);
  if (result.problems.empty())
    return result.text.empty() ? "nothing was read" : "fine";
  return result.problems.size() == 1 ? result.problems[0] : std::to_string(result.problems.size()) + " problems, first " + result.problems[0];
}

} // namespace

TEST_CASE("finalized kernels print as they were read, and so does what the dialect makes of them") {
  int kernels = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(std::string(TW_SOURCE_DIR) + "/tests/golden")) {
    if (entry.path().extension() != ".txt" && entry.path().extension() != ".tir")
      continue;
    std::ifstream in(entry.path());
    const std::string source((std::istreambuf_iterator<char>(in)), {});
    if (source.find("@prim_func(") == std::string::npos)
      continue;
    CAPTURE(entry.path().string());
    const Read result = read(source);
    CHECK(result.problems == std::vector<std::string>{});
    CHECK(result.text == source);
    CHECK(result.fromMlir == source);
    ++kernels;
  }
  CHECK(kernels >= 20);
}

TEST_CASE("hand-written spellings print canonically") {
  const Read result = read(std::string(kHead) + R"(            tile = T.tensor_view(0, storage="smem", dtype="f32", shape=(32, 64), layout=(32, 64))
            for k in range(2):
                part = T.tensor_view(T.ptr_of(x[k * 32:k * 32 + 32, :]), shape=(32, 64), layout=(32, 64))
                T.copy(part, tile)
)");
  CHECK(result.problems == std::vector<std::string>{});
  CHECK(result.text == std::string(kHead) + R"(            tile = T.tensor_view(
                0, dtype="f32", storage="smem", layout=(32, 64), shape=(32, 64)
            )
            for k in range(0, 2, 1):
                part = T.tensor_view(
                    T.ptr_of(x[k * 32:k * 32 + 32, 0:0 + 64]), layout=(32, 64), shape=(32, 64)
                )
                T.copy(part, tile)
)");
}

TEST_CASE("a name that is not defined, or no longer") {
  CHECK(problem("T.copy(x, ouf)") == "unknown-name: ouf: nothing is named `ouf` here; is it `out`?");
  CHECK(problem("with scope[:1] as scope_1:\n"
                "    tile = T.tensor_view(0, dtype=\"f32\", storage=\"smem\", layout=(64, 64), shape=(64, 64))\n"
                "T.copy(tile, out)") == "unknown-name: tile: `tile` belongs to a scope or loop that is closed here; define it outside");
}

TEST_CASE("an instruction is known, and has its operands and parameters") {
  CHECK(problem("T.coppy(x, out)") == "unknown-op: T.coppy: there is no instruction `T.coppy`; is it `T.copy`?");
  CHECK(problem("T.copy(x)") == "instruction-operand-count: T.copy: `T.copy` takes 2 operands, not 1: src, dst");
  CHECK(problem("T.unary(x, out, sort=UnaryKind.EXP)").starts_with("2 problems, first unknown-keyword: sort: `T.unary` has no parameter `sort`; it has kind"));
  CHECK(problem("T.unary(x, out)") == "missing-attribute: T.unary: `T.unary` needs `kind=`");
  CHECK(problem("T.copy_async(x, out)") == "instruction-operand-storage: out: `dst` of `T.copy_async` lies in smem, not in gmem");
  CHECK(problem("T.fill(1.0, out)") == "op-type: 1.0: `dst` of `T.fill` is written and cannot be a literal");
  CHECK(problem("y = T.copy(x, out)") == "unsupported-statement: T.copy: `T.copy` gives no value: its destination is an operand");
}

TEST_CASE("operands fit the contract of their instruction as the open scopes issue it") {
  const std::string tile = "a = T.alloc_tensor(tensor_type=Tensor[(64, 64), \"f32\", (4 @ scope.w, 16, 32 @ scope.l, 2), \"rmem\"])\n"
                           "b = T.alloc_tensor(tensor_type=Tensor[(64, 64), \"bf16\", (4 @ scope.w, 16, 32 @ scope.l, 2), \"rmem\"])\n"
                           "c = T.alloc_tensor(tensor_type=Tensor[(64, 32), \"f32\", (4 @ scope.w, 16, 32 @ scope.l), \"rmem\"])\n";
  CHECK(problem(tile + "T.copy(x, a)") == "fine");
  CHECK(problem(tile + "T.cast(a, b, dtype=\"bf16\")") == "fine");
  CHECK(problem(tile + "T.copy(a, c)").starts_with("instruction-operands-differ: c: `T.copy`: "));
  CHECK(problem(tile + "T.unary(x, a, kind=UnaryKind.EXP)").starts_with("instruction-operand-storage: x: `T.unary`: "));
  CHECK(problem(tile + "T.fill(out, 0.0)") == "fine"); // an output is filled where it lies
}

TEST_CASE("a view begins inside its tensor and its layout arranges it") {
  const auto view = [](const std::string &of, const std::string &rest) { return problem("v = T.tensor_view(" + of + ", " + rest + ")"); };
  const std::string whole = "layout=(64, 64), shape=(64, 64)";
  CHECK(view("T.ptr_of(x[64:64 + 1, 0:0 + 1])", whole) == "window-outside: 64:64 + 1: `64:64 + 1` begins at 64 and takes 1; axis 0 of `x` has 64");
  CHECK(view("T.ptr_of(x[cta.i * 64:cta.i * 64 + 1, 0:0 + 1])", whole) == "fine"); // the first CTA finds it inside
  CHECK(view("T.ptr_of(x[0:0 + 1])", whole) == "bad-view: x[0:0 + 1]: `x` has 2 axes, the window states 1");
  CHECK(view("T.ptr_of(x[cta.i:cta.w, 0:0 + 1])", whole).starts_with("unknown-mesh-axis: w: the mesh `cta` has no axis `w`; it has i"));
  CHECK(view("T.ptr_of(x[cta.i:64, 0:0 + 1])", whole).starts_with("bad-index: cta.i:64: "));
  CHECK(view("T.ptr_of(x)", "layout=(32, 64), shape=(64, 64)") == "bad-layout: (32, 64): the modes (32, 64) do not group into the axes (64, 64) of the view");
  CHECK(view("8", "dtype=\"f32\", storage=\"smem\", " + whole) == "bad-address: 8: the address 8 of `v` is no multiple of 16 bytes");
  CHECK(view("1048576", "dtype=\"f32\", storage=\"smem\", " + whole) == "fine"); // past any capacity: a row of the report, no rule of the form
  CHECK(view("0", "dtype=\"f32\", storage=\"gmem\", " + whole) == "bad-view: \"gmem\": addresses are of shared memory: `gmem` has none");
  CHECK(view("x", whole) == "bad-view: x: a view is over a byte address or `T.ptr_of(...)`, not `x`");
}

TEST_CASE("a ring has slots of one type side by side, and is read by slot") {
  const auto slot = [](int address, const char *shape = "(8, 64)") {
    return "    T.tensor_view(" + std::to_string(address) + ", dtype=\"f32\", storage=\"smem\", layout=" + shape + ", shape=" + shape + "),\n";
  };
  const std::string ring = "ring = (\n" + slot(0) + slot(2048) + ")\n";
  CHECK(problem(ring + "T.copy(ring[1], ring[0])") == "fine");
  CHECK(problem(ring + "T.copy(ring[2], ring[0])") == "ring-slot: 2: `ring` has slots 0 to 1; `2` is 2");
  CHECK(problem(ring + "for k in range(0, 64, 8):\n    T.copy(ring[(k // 8) % 2], ring[0])") == "fine");
  CHECK(problem(ring + "for k in range(0, 64, 8):\n    T.copy(ring[(k // 8) % 3], ring[0])") == "ring-slot: (k // 8) % 3: `ring` has slots 0 to 1; `(k // 8) % 3` is 0 to 2");
  CHECK(problem(ring + "T.copy(ring, out)") == "ring-slot: ring: `ring` is a ring of 2 slots: name one, `ring[k % 2]`");
  CHECK(problem("ring = (\n" + slot(0) + slot(1024) + ")").find("slot 1 of the ring `ring` lies over slot 0, which takes bytes 0 to 2047") != std::string::npos);
  CHECK(problem("ring = (\n" + slot(0) + slot(4096, "(8, 32)") + ")").find("slot 1 of the ring `ring` has another type than slot 0") != std::string::npos);
}

TEST_CASE("scopes and loops") {
  CHECK(problem("with scope[5:] as scope_1:\n    pass").starts_with("bad-mesh: scope[5:]: "));
  CHECK(problem("with scope[:1, :32] as scope_1:\n    pass") == "fine");
  CHECK(problem("with scope as scope_1:\n    pass") == "fine");
  CHECK(problem("for k in range(0, 64, 0):\n    pass") == "bad-loop: 0: the step of a loop must be positive");
  CHECK(problem("for k in tf.tile(64, 8):\n    pass").starts_with("bad-loop: "));
  CHECK(problem("if True:\n    pass").starts_with("unsupported-statement: if True:: `If` is not read in TIR"));
}

TEST_CASE("the dialect refuses what text cannot say") {
  const auto refused = [](std::string text) {
    std::string error;
    return ir::runOnMlirText(text, {"verify"}, error) ? "fine" : error;
  };
  const std::string tile = "!hir.tensor<[64, 64], \"f32\", \"smem\">";
  const auto body = [&](const std::string &ops) { return "\"tir.func\"() <{name = \"run\", parameterNames = [], outputs = 0 : i64}> ({\n" + ops + "\n}) : () -> ()"; };
  CHECK(refused(body("%0 = tir.shared 0 \"a\" : " + tile)) == "fine");
  CHECK(refused(body("%0 = tir.shared 8 \"a\" : " + tile)).ends_with("lies at 8, which is no multiple of 16 bytes"));
  CHECK(refused(body("%0 = tir.shared 0 \"a\" : !hir.tensor<[64, 64], \"f32\", \"smem\", <shape = [32, 64], offset = 0, stated = false>>")).find("do not group into the axes (64, 64)") !=
        std::string::npos);
  const std::string two = "%0 = tir.shared 0 : " + tile + "\n%1 = tir.shared 16384 : " + tile + "\n%2 = tir.ring \"r\"(%0, %1 : " + tile + ", " + tile + ") -> <2 x " + tile + ">\n";
  CHECK(refused(body(two + "%3 = tir.constant 1 : index\n%4 = tir.slot %2[%3] : <2 x " + tile + "> -> " + tile)) == "fine");
  CHECK(refused(body(two + "%3 = tir.constant 2 : index\n%4 = tir.slot %2[%3] : <2 x " + tile + "> -> " + tile)).ends_with("reads slot 2 of a ring of 2"));
  CHECK(refused(body("%0 = tir.shared 0 \"a\" : " + tile + "\ntir.call {instruction = \"T.copy\", parameters = []}(%0 : " + tile + ")")).find("takes 2 operands, not 1: src, dst") !=
        std::string::npos);
  CHECK(refused(body("%0 = tir.shared 0 \"a\" : " + tile + "\ntir.invoke \"twice\"(%0 : " + tile + ")")).ends_with("calls `twice`, which no function above is named"));
  CHECK(refused(body("%0 = tir.constant 0 : index\n\"tir.for\"(%0, %0, %0) <{name = \"k\"}> ({\n^bb0(%k: index):\n}) : (index, index, index) -> ()"))
            .ends_with("has a step of 0; a step is a positive constant"));
  CHECK(refused(body("%0 = tir.shared 0 : " + tile + "\ntir.call {instruction = \"T.copy\", parameters = []}(%0, %0 : " + tile + ", " + tile + ")"))
            .ends_with("has no name, so only a ring can use it"));
  // A use that its definition does not dominate.
  CHECK(refused(body("tir.call {instruction = \"T.copy\", parameters = []}(%0, %0 : " + tile + ", " + tile + ")\n%0 = tir.shared 0 \"a\" : " + tile)).find("dominate") !=
        std::string::npos);
}

// Whole small programs through the facade to TIR text: what finalize does in place, what it keeps and says, and where lines come from.
#include "Compile.h"
#include "support/Codes.h"

#include <doctest/doctest.h>

using namespace tilewright;

namespace {

/// Two CTAs of one warp; `body` is indented by 12 and has x: (16, 64) f32.
std::string program(const std::string &body) {
  return R"(from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
)" + body;
}

struct Made {
  syntax::File file;
  std::optional<FormText> form;
  std::vector<Diagnostic> diagnostics;

  bool says(Code code, std::string_view part = {}) const {
    for (const Diagnostic &one : diagnostics)
      if (one.code == code && one.message.find(part) != std::string::npos)
        return true;
    return false;
  }
  bool has(std::string_view part) const { return form && form->text.find(part) != std::string::npos; }
};

enum class Mode : uint8_t { Copies, InPlace };
Made finalized(const std::string &text, Mode mode = Mode::Copies) {
  Made made;
  made.file = syntax::parse("p.py", text);
  CompileOptions options;
  options.inPlace = mode == Mode::InPlace;
  DiagnosticSink sink;
  made.form = finalizedText(made.file, options, sink);
  made.diagnostics = sink.take();
  return made;
}

/// A loop over tiles of four rows that start at `row`, staged in shared memory.
std::string tiles(const std::string &trips, const std::string &row) {
  return R"(                y = tf.zeros(Tensor[(16, 64), "f32"])
                for n in range()" + trips + R"():
                    r = )" + row + R"(
                    st = tf.empty(Tensor[(4, 64), "f32", (4, 64), "smem"])
                    s = tf.schedule((x[0:4, 0:64], st), op=T.copy_async())
                    g = tf.empty(Tensor[(4, 64), "f32", (4, 64)])
                    o = tf.schedule((s, g), op=T.copy())
                    y = tf.insert_slice(y, o, (r, 0))
                return y
)";
}
} // namespace

TEST_CASE("finalize: tiles at computed places are copied, in place they are written where they go") {
  // The divisor is arithmetic of two literals, which the analyses take for a run-time value.
  const std::string text = program(tiles("2", "((tile.i * 2 + n) // (1 * 1)) * 4"));
  Made copies = finalized(text);
  REQUIRE(copies.form);
  CHECK(copies.has("scratch_1: Tensor[(1024,), \"f32\"]"));
  CHECK(copies.has("T.fill(out, 0.0)"));
  Made inPlace = finalized(text, Mode::InPlace);
  REQUIRE(inPlace.form);
  CHECK_FALSE(inPlace.has("scratch"));
  CHECK_FALSE(inPlace.has("T.fill(out"));
  CHECK(inPlace.has("T.ptr_of(out["));
  CHECK(inPlace.diagnostics.empty());
}

TEST_CASE("finalize in place: windows that meet keep everything, holes keep the fill") {
  Made overlapping = finalized(program(tiles("3", "((tile.i * 2 + n) // (1 * 1)) * 4")), Mode::InPlace);
  REQUIRE(overlapping.form);
  CHECK(overlapping.has("scratch_1"));
  CHECK(overlapping.has("T.fill(out, 0.0)"));
  CHECK(overlapping.says(Code::KeptCopies, "reaches beyond the tensor"));
  Made twice = finalized(program(tiles("2", "((tile.i + n) // (1 * 1)) * 4")), Mode::InPlace);
  REQUIRE(twice.form);
  CHECK(twice.has("scratch_1"));
  CHECK(twice.says(Code::KeptCopies, "written twice"));
  Made holes = finalized(program(tiles("1", "((tile.i * 2 + n) // (1 * 1)) * 4")), Mode::InPlace);
  REQUIRE(holes.form);
  CHECK_FALSE(holes.has("scratch"));
  CHECK(holes.has("T.fill(out, 0.0)"));
  CHECK(holes.says(Code::KeptCopies, "leave out"));
}

TEST_CASE("finalize in place: an output that is read while it is written keeps its copies") {
  Made made = finalized(program(R"(                i0 = tile.i * 8
                y = tf.zeros(Tensor[(16, 64), "f32"])
                b = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                v = tf.schedule((y[i0:i0 + 8, 0:64], b), op=T.copy())
                g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                o = tf.schedule((v, g), op=T.copy())
                return tf.insert_slice(y, o, (i0, 0))
)"), Mode::InPlace);
  REQUIRE(made.form);
  CHECK(made.has("T.fill(out, 0.0)"));
  CHECK(made.says(Code::KeptCopies, "while it is being written"));
}

TEST_CASE("finalize: every instruction has the span of the statement it comes from") {
  const std::string text = program(tiles("2", "tile.i * 8 + n * 4"));
  Made made = finalized(text);
  REQUIRE(made.form);
  std::vector<std::string> lines;
  for (size_t at = 0; at < made.form->text.size();) {
    size_t end = made.form->text.find('\n', at);
    lines.push_back(made.form->text.substr(at, end - at));
    at = end + 1;
  }
  auto sourceOf = [&](std::string_view part) -> std::string {
    for (size_t line = 0; line < lines.size(); ++line)
      if (lines[line].find(part) != std::string::npos)
        for (const FormMapping &one : made.form->map)
          if (one.firstLine <= line && line < one.endLine)
            return text.substr(one.source.begin, one.source.size());
    return {};
  };
  CHECK(sourceOf("T.copy_async(").find("T.copy_async()") != std::string::npos);
  CHECK(sourceOf("T.copy(").find("T.copy()") != std::string::npos);
  CHECK(sourceOf("for n in").find("for n in range(2)") == 0);
  CHECK(sourceOf("T.fill(out").find("tf.zeros") != std::string::npos);
  uint32_t last = 0;
  for (const FormMapping &one : made.form->map) {
    CHECK(one.firstLine >= last);
    CHECK(one.endLine > one.firstLine);
    last = one.endLine;
  }
}

TEST_CASE("finalize: refusals point at their statement") {
  Made slice = finalized(program(R"(                i0 = tile.i * 8
                b = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                v = tf.schedule((x[i0:i0 + 8, 0:64], b), op=T.copy())
                w = tf.reshard(v, (8, 64), "smem")
                g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                o = tf.schedule((w, g), op=T.copy())
                y = tf.zeros(Tensor[(16, 64), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
)"));
  CHECK_FALSE(slice.form);
  CHECK(slice.says(Code::NoSelection, "tf.schedule"));
  Made twice = finalized(program(R"(                i0 = tile.i * 8
                y = tf.zeros(Tensor[(16, 64), "f32"])
                return y, y
)"));
  CHECK_FALSE(twice.form);
}

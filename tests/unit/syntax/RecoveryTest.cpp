// Half-typed programs: every beginning and every program with one token missing. Functions stay findable, and one broken
// statement gets at most one diagnostic.
#include "TreeChecks.h"

#include "syntax/Lines.h"

using namespace tilewright;
using namespace tilewright::syntax;

namespace {
const std::string kProgram = R"(from tilefoundry.dsl import *

M, K = 128, 64
GM = M // 32


@module(
    entry="first", target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", GM), Topology("thread", 128)),
)
class EXAMPLE:
    """A module."""

    @func
    def first(
        a: Tensor[(M, K), "bf16"],
        b: Tensor[(K, M), "bf16"],
    ) -> Tensor[(M, M), "bf16"]:
        with Mesh(("cta",), layout=(GM,), names=("m",)) as cta:
            acc = tf.zeros(Tensor[(32, M), "f32", "rmem"])
            for k in tf.tile(K, 16):
                at = tf.reshard(a[cta.m * 32:cta.m * 32 + 32, k], (32, 16), "smem")
                acc = acc + tf.matmul(at, b[k, :], out_dtype=f"f{32}")
            if K > 16 and not M == 2:
                x, y = 1, {"a": [2, 3]}
            else:
                pass
            return tf.cast(acc, "bf16")

    @func
    def second(x: Tensor[(M,), "f32"]):
        try:
            layout = Layout((2 @ x.m, 4), (4, 1)) | Swizzle(3, 4, 3)
        finally:
            return lambda v: v if v else -v


def third(n, *args, key=None, **rest):
    while n < 10:
        n += 1
    return [v for v in args if v]
)";

std::vector<Span> tokens(std::string_view text) {
  std::vector<Span> found;
  for (uint32_t at = skipBlanks(text, 0); at < text.size();) {
    uint32_t length = tokenLength(text, at);
    found.push_back({at, at + length});
    at = skipBlanks(text, at + length);
  }
  return found;
}

// Name and end of each definition's header text up to its name.
const std::pair<Kind, std::string> kDefinitions[] = {
    {Kind::ClassDef, "EXAMPLE"}, {Kind::FunctionDef, "first"}, {Kind::FunctionDef, "second"}, {Kind::FunctionDef, "third"}};
std::string headOf(const std::pair<Kind, std::string> &definition) {
  return (definition.first == Kind::ClassDef ? "class " : "def ") + definition.second;
}
} // namespace

TEST_CASE("every beginning of a program keeps the functions it has") {
  for (size_t size = 0; size <= kProgram.size(); ++size) {
    File file = parse("a.py", kProgram.substr(0, size));
    INFO("up to byte ", size, ":\n", kProgram.substr(size > 60 ? size - 60 : 0, std::min<size_t>(size, 60)));
    REQUIRE(malformed(file) == "");
    for (const auto &definition : kDefinitions) {
      size_t named = kProgram.find(headOf(definition)) + headOf(definition).size();
      if (size >= named)
        REQUIRE_MESSAGE(defines(file, definition.first, definition.second), definition.second);
    }
    REQUIRE(diagnosticCount(file) <= 2); // the statement being typed, and a `try` that waits for its `finally`
  }
}

TEST_CASE("a missing token costs one statement") {
  size_t total = 0;
  std::vector<Span> all = tokens(kProgram);
  for (Span token : all) {
    std::string text = kProgram;
    std::string missing = text.substr(token.begin, token.size());
    bool joins = token.begin > 0 && std::isalnum(text[token.begin - 1]) && token.end < text.size() && std::isalnum(text[token.end]);
    text.replace(token.begin, token.size(), joins ? " " : "");
    File file = parse("a.py", text);
    INFO("without `", missing, "` at byte ", token.begin);
    REQUIRE(malformed(file) == "");
    size_t count = diagnosticCount(file);
    std::string said;
    for (const Item &item : file.items)
      for (const Diagnostic &diagnostic : item.tree->diagnostics)
        said += "\n" + render(shifted(diagnostic, item.offset), *file.source);
    for (const auto &definition : kDefinitions) {
      size_t head = kProgram.find(headOf(definition));
      bool itself = token.begin >= head && token.end <= head + headOf(definition).size();
      if (!itself)
        REQUIRE_MESSAGE(defines(file, definition.first, definition.second), definition.second << said);
    }
    // A definition whose keyword is missing also leaves its decorators alone; a line's first word leaves its blank behind, which
    // moves the line.
    size_t lineStart = kProgram.find_last_of('\n', token.begin) + 1;
    bool firstWord = kProgram.find_first_not_of(' ', lineStart) == token.begin;
    REQUIRE_MESSAGE(count <= (firstWord ? 2 : 1), said);
    total += count;
  }
  MESSAGE(all.size(), " tokens, ", total, " diagnostics");
}

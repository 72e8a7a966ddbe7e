// A Document after any edits says what a fresh parse of its text says.
#include "TreeChecks.h"

#include <random>

using namespace tilewright;
using namespace tilewright::syntax;

namespace {
std::string program(int copies) {
  std::string text;
  for (int i = 0; i < copies; ++i)
    text += "BM = " + std::to_string(i) + R"(
@module(entry="f", topologies=(Topology("cta", 4),))
class M:
    @func
    def f(x: Tensor[(4,), "f32"]):
        """Doc
        string."""
        with Mesh(("cta",), layout=(4,), names=("b",)) as g:
            for k in tf.tile(4, 2):
                y = tf.reshard(x[k:k + 1], (2 @ g.b, 2), f"s{k!r:>{3}}mem")
        if y: return (y,
                      1)
        else:
            pass
x = 1; y = [1,
  2]
)";
  return text;
}
// Pieces that upset line structure most.
const std::vector<std::string> kPieces = {"(", ")", "[", "]", "{", "}", "\"", "'", "\"\"\"", "'''", "f\"", "f'''", "\n", "\r\n", "\r", "\\", "\\\n", ":", ";", "@", "#", " ",
                                          "    ", "\t", "def g():\n", "class A:", "return", "else:", "try:", "x = ", ",", "=", ".", "tf.", "lambda", "if ", "\xC3\xA9", "\xEF\xBB\xBF",
                                          "\xFF", "match x:\n", "case 1:", "async ", "0x", "1", "", "", "", ""};
} // namespace

TEST_CASE("edits lead where a fresh parse leads") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    std::string text = program(seed % 3 == 0 ? 1 : 4);
    Document document("a.py", text);
    document.file();
    for (int step = 0; step < 120; ++step) {
      std::vector<TextEdit> edits;
      for (unsigned n = random() % 3 + 1; n > 0; --n) {
        uint32_t begin = static_cast<uint32_t>(random() % (text.size() + 1));
        uint32_t end = std::min<uint32_t>(begin + (random() % 3 ? 0 : random() % 12), static_cast<uint32_t>(text.size()));
        std::string piece = kPieces[random() % kPieces.size()];
        text.replace(begin, end - begin, piece);
        edits.push_back({begin, end, piece});
      }
      document.edit(edits);
      const File &file = document.file();
      INFO("seed ", seed, " step ", step);
      REQUIRE(file.source->text() == text);
      REQUIRE(malformed(file) == "");
      REQUIRE(described(file) == described(parse("a.py", text)));
      if (text.size() > 6000 || step % 40 == 39) { // start over from a sound program
        text = program(4);
        document.replace(text);
      }
    }
  }
}

TEST_CASE("typing and deleting again gives the same trees") {
  std::string text = program(3);
  Document document("a.py", text);
  std::string before = described(document.file());
  for (uint32_t at = 0; at < text.size(); at += 7) {
    document.edit({{at, at, "("}});
    document.file();
    document.edit({{at, at + 1, ""}});
    REQUIRE(described(document.file()) == before);
  }
}

TEST_CASE("a large item is parsed from what it was") {
  std::string text = "class LARGE:\n";
  for (int i = 0; i < 400; ++i)
    text += "    def f" + std::to_string(i) + "(self):\n        return tf.zeros(Tensor[(" + std::to_string(i) + ",), \"f32\"])\n";
  Document document("a.py", text);
  document.file();
  std::mt19937 random(7);
  for (int step = 0; step < 25; ++step) {
    uint32_t at = static_cast<uint32_t>(random() % text.size());
    std::string piece = step % 5 == 4 ? "(" : "1";
    text.insert(at, piece);
    document.edit({{at, at, piece}});
    REQUIRE(described(document.file()) == described(parse("a.py", text)));
    if (step % 5 == 4) {
      text.erase(at, 1);
      document.edit({{at, at + 1, ""}});
      REQUIRE(described(document.file()) == described(parse("a.py", text)));
    }
  }
}

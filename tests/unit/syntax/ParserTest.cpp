// The syntax of a file as the rest of the compiler sees it: items, spans, names, limits.
#include "syntax/Parser.h"
#include "support/Codes.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::syntax;

namespace {
std::string dumped(std::string text) {
  File file = parse("a.py", std::move(text));
  std::string out;
  for (const Item &item : file.items)
    out += dump(*item.tree);
  return out;
}
std::vector<std::string> messages(const File &file) {
  std::vector<std::string> found;
  for (const Diagnostic &diagnostic : file.diagnostics)
    found.push_back(std::string(info(diagnostic.code).spelling));
  for (const Item &item : file.items)
    for (const Diagnostic &diagnostic : item.tree->diagnostics) {
      LineColumn at = file.source->at(diagnostic.span.begin + item.offset);
      found.push_back(std::to_string(at.line + 1) + ":" + std::to_string(at.column + 1) + " " + diagnostic.message);
    }
  return found;
}
Node firstOf(const File &file, Kind kind, std::string_view text) {
  for (const Item &item : file.items)
    for (uint32_t i = 0; i < item.tree->nodes.size(); ++i)
      if (Node node(item.tree.get(), i); node.is(kind) && node.text() == text)
        return node;
  return {};
}
} // namespace

TEST_CASE("a statement becomes Python's own nodes") {
  CHECK(dumped("x = a[m:m + 1, k]\n") == R"(Assign [0,17)
  Name target "x" [0,1)
  Subscript value [4,17)
    Name callee "a" [4,5)
    Slice argument [6,13)
      Name left "m" [6,7)
      BinOp right "+" [8,13)
        Name left "m" [8,9)
        Integer right "1" [12,13)
    Name argument "k" [15,16)
)");
  CHECK(dumped("a < b is not c") == R"(ExprStmt [0,14)
  Compare "<\nis not" [0,14)
    Name "a" [0,1)
    Name "b" [4,5)
    Name "c" [13,14)
)");
  CHECK(dumped("if a: b\nelif c: d\nelse: e") == R"(If [0,25)
  Name test "a" [3,4)
  Block block [6,7)
    ExprStmt [6,7)
      Name "b" [6,7)
  Block else [8,25)
    If [8,25)
      Name test "c" [13,14)
      Block block [16,17)
        ExprStmt [16,17)
          Name "d" [16,17)
      Block else [24,25)
        ExprStmt [24,25)
          Name "e" [24,25)
)");
}

TEST_CASE("line ends of any kind, a byte order mark and blanks around") {
  for (std::string text : {"if a:\n  b\nc", "if a:\r\n  b\r\nc\r\n", "if a:\r  b\rc\r", "\xEF\xBB\xBFif a:\n\tb\n\nc # d", "\f\nif a: \\\n b\n# x\nc\n\n"}) {
    File file = parse("a.py", text);
    INFO(text);
    CHECK(messages(file).empty());
    REQUIRE(file.items.size() == 2);
    CHECK(file.items[0].tree->root().is(Kind::If));
    CHECK(file.items[1].tree->text == "c");
  }
  CHECK(messages(parse("a.py", "x = 1 \\")) == std::vector<std::string>{"1:7 unexpected end of the text behind `\\`"});
  CHECK(messages(parse("a.py", "x = 1\n\\")).size() == 1);
}

TEST_CASE("forms mark the constructs of the DSL") {
  File file = parse("a.py", R"(
@module(entry="f", topologies=(Topology("cta", 4),))
class M:
    @func
    def f(x: Tensor[(4,), "f32"], w: ConstTensor[(4,), "f32"]) -> Tuple[Tensor[(4,), "f32"], Tensor[(4,), "f32"]]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as g:
            for k in tf.tile(K, BK):
                y = tf.reshard(x, (2 @ g.b, 2), "smem")
        with threads[0, :32] as w, Mesh(threads[1:3, :], layout=(2,)) as c:
            z = (32, 48) @ {B()}
            l = Layout((1,), (2,)) | Swizzle(3, 4, 3)
            return T.cuda.sm90.Wgmma(n=256)

@prim_func()
def g(): pass
)");
  CHECK(messages(file).empty());
  std::vector<Form> forms;
  for (const Item &item : file.items)
    for (const Tree::Entry &node : item.tree->nodes)
      if (node.form != Form::Plain)
        forms.push_back(node.form);
  CHECK(forms == std::vector<Form>{Form::ModuleDeclaration, Form::FuncDeclaration, Form::TensorType, Form::ConstTensorType, Form::TupleType,
                                   Form::TensorType, Form::TensorType, Form::MeshScope, Form::MeshCall, Form::TileLoop, Form::OpCall,
                                   Form::OpCall, Form::SplitAxis, Form::MeshScope, Form::MeshSlice, Form::MeshCall, Form::MeshSlice,
                                   Form::ValueState, Form::ValueState, Form::SwizzledLayout, Form::InstructionCall, Form::PrimFuncDeclaration});
}

TEST_CASE("an item is one top-level statement and keeps its tree when it does not change") {
  Document document("a.py", "x = 1; y = 2\n@deco\ndef f():\n    return x\n\nif a:\n    b\nelse:\n    c\nz = 3\n");
  File before = document.file();
  REQUIRE(before.items.size() == 5);
  CHECK(before.items[0].tree->text == "x = 1");
  CHECK(before.items[1].tree->text == "y = 2");
  CHECK(before.items[2].tree->text == "@deco\ndef f():\n    return x");
  CHECK(before.items[2].tree->root().text() == "f");
  CHECK(before.itemAt(before.items[2].offset + 3) == &before.items[2]);
  uint32_t at = before.items[1].offset + 4;
  document.edit({{at, at + 1, "20"}});
  const File &after = document.file();
  REQUIRE(after.items.size() == 5);
  CHECK(after.items[1].tree->text == "y = 20");
  for (size_t i : {0, 2, 3, 4})
    CHECK(after.items[i].tree == before.items[i].tree);
  CHECK(after.items[4].offset == before.items[4].offset + 1);
}

TEST_CASE("a broken line costs its own statement and gets one diagnostic") {
  File file = parse("a.py", "@module(x)\nclass A:\n    @func\n    def f(x: Tensor[(4,), 'f32']\n        y = tf.foo(a,\n        z = 3\n        w = tf.\n        if z\n            return z\n    def g(self): return x y\n\ndef h(): pass\n");
  CHECK(messages(file) == std::vector<std::string>{"4:10 unclosed `(`", "5:19 unclosed `(`", "7:15 expected a name behind `.`", "8:12 expected `:`",
                                                   "10:27 unexpected `y`"});
  CHECK(file.items.size() == 2);
  for (const char *name : {"f", "g", "h"})
    CHECK_MESSAGE(firstOf(file, Kind::FunctionDef, name), name);
  CHECK(firstOf(file, Kind::Assign, "").has(kHasError) == false); // `z = 3`
  CHECK(firstOf(file, Kind::FunctionDef, "f").has(kHasError));
  CHECK_FALSE(firstOf(file, Kind::FunctionDef, "h").has(kHasError));
}

TEST_CASE("limits: one diagnostic for the file, and no items") {
  CHECK(messages(parse("a.py", std::string("x = 1\0y", 7))) == std::vector<std::string>{"nul-byte"});
  File large = parse("a.py", std::string(kLargestFile + 1, 'x'));
  CHECK(messages(large) == std::vector<std::string>{"file-too-large"});
  CHECK(large.items.empty());
  CHECK(parse("a.py", "").items.empty());
  for (std::string text : {"x = " + std::string(200000, '['), "x = " + std::string(200000, '-') + "1", "x = a" + [] {
         std::string chain;
         for (int i = 0; i < 20000; ++i)
           chain += ".b";
         return chain;
       }()}) {
    File deep = parse("a.py", text);
    CHECK(messages(deep).size() == 1);
    CHECK(deep.items[0].tree->diagnostics[0].code == Code::NestingLimit);
  }
}

TEST_CASE("string literals are decoded as Python does") {
  auto value = [](std::string literal) {
    File file = parse("a.py", literal);
    return stringValue(file.items.at(0).tree->root().firstChild());
  };
  CHECK(value(R"('a\n\x41\u00e9\101\q')") == "a\nA\xc3\xa9" "A\\q");
  CHECK(value(R"(r'a\n')") == "a\\n");
  CHECK(value(R"(b'\xff')") == "\xff");
  CHECK(value("'''a\r\nb\\\nc'''") == "a\nbc");
  CHECK(value(R"('\xZ1')") == std::nullopt);
  CHECK(value(R"('\N{BULLET}')") == std::nullopt);
  File file = parse("a.py", R"(f'a{{b}}{x!r:>{w}}c')");
  Node string = file.items[0].tree->root().firstChild();
  REQUIRE(string.is(Kind::FString));
  CHECK(stringValue(string.firstChild()) == "a{b}");
  Node field = string.firstChild().nextSibling();
  CHECK(field.text() == "r");
  CHECK(stringValue(field.child(Role::Format).firstChild()) == ">");
}

// What a file's top level gives: modules, functions, names, diagnostics; what cannot be known; the limits.
#include "syntax/Constants.h"
#include "support/Codes.h"
#include "syntax/Parser.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::syntax;

namespace {

struct Evaluated {
  File file;
  Evaluation evaluation;
  explicit Evaluated(std::string text, const Limits &limits = {}) : file(parse("program.py", std::move(text))), evaluation(evaluate(file, {}, limits)) {}
  std::string operator[](std::string_view name) const {
    ValueRef value = evaluation.globals->find(name);
    return value ? repr(*value) : "absent";
  }
  /// Every diagnostic as `line: code: message`.
  std::string problems() const {
    std::string text;
    for (size_t i = 0; i < file.items.size(); ++i)
      for (const Diagnostic &one : evaluation.diagnostics[i])
        text += std::to_string(file.source->at(one.span.begin + file.items[i].offset).line + 1) + ": " + std::string(info(one.code).spelling) + ": " +
                one.message + "\n";
    return text;
  }
};

} // namespace

TEST_CASE("constants: the module a factory makes belongs to the statement that calls it") {
  Evaluated made(R"(from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

def build(rows, dtype):
    cols = rows // 4

    @module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2),))
    class MADE:
        @func
        def f(x: Tensor[(rows, cols), dtype]):
            return x * x

    return MADE

MADE = build(64, "f16")
)");
  CHECK(made.problems() == "");
  REQUIRE(made.evaluation.modules.size() == 1);
  CHECK(made.evaluation.modules[0].item == 3);
  CHECK(made.evaluation.functions.empty());
  const auto *module = made.evaluation.modules[0].module->as<ModuleValue>();
  REQUIRE(module);
  CHECK(module->order == std::vector<std::string>{"f"});
  CHECK(repr(*module->decorator) == "module(entry='f', target=CudaTarget('nvidia.h200_sxm'), topologies=(Topology('cta', 2),))");
  const auto *function = module->members->find("f")->as<FunctionValue>();
  REQUIRE(function);
  Node parameter = function->definition.node.child(Role::Parameters).firstChild();
  Node shape = parameter.child(Role::Annotation).child(Role::Argument);
  CHECK(repr(*evaluateExpression(shape, function->definition.tree, function->closure)) == "(64, 16)");
}

TEST_CASE("constants: an error of Python's is reported where it arises and what depends on it is unknown") {
  Evaluated bad("N = 16 // 0\nM = N + 1\nK = 4\n");
  CHECK(bad.problems() == "1: constant-error: `ZeroDivisionError`: integer division or modulo by zero\n");
  CHECK(bad.evaluation.raised == 0);
  CHECK(bad.evaluation.globals->find("M")->as<Unknown>()->code == Code::ConstantError);
  CHECK(bad["K"] == "4");
}

TEST_CASE("constants: a raise that is reached is reported where it stands, with the statement that led there") {
  Evaluated bad("def check(n):\n    if n % 3:\n        raise ValueError(f\"bad {n}\")\n\ncheck(6)\ncheck(7)\nassert 1 > 2, \"never\"\n");
  CHECK(bad.problems() == "3: constant-error: `ValueError`: bad 7; reached from `check(7)`\n7: constant-error: `AssertionError`: never\n");
  CHECK(bad.evaluation.raised == 2);
}

TEST_CASE("constants: names of a statement that is not Python are unknown, not errors") {
  Evaluated broken("BM = (\nGN = BM + OTHER\nK = 3\n");
  CHECK(broken.evaluation.globals->find("K"));
  CHECK(broken.problems() == "");
}

TEST_CASE("constants: modules, members and functions outside modules") {
  Evaluated file(R"(from tilefoundry.dsl import *

@func
def lone(x: Tensor[(1,), "f32"]):
    return x

@module(entry="f")
class A:
    scale = 3
    @func
    def f(x):
        return x

@module(entry="g")
class A:
    inner = A
    @func
    def g(x):
        return x
    @module(entry="h")
    class Nested:
        @prim_func(target=1)
        def h(x):
            return x

class Plain:
    @func
    def m(x):
        return x

y = lone(1)
)");
  CHECK(file.problems() == "");
  REQUIRE(file.evaluation.modules.size() == 3); // the second A is another module, its nested one is complete before it
  std::vector<std::string> names;
  for (const auto &made : file.evaluation.modules)
    names.push_back(made.module->as<ModuleValue>()->name);
  CHECK(names == std::vector<std::string>{"A", "Nested", "A"});
  CHECK(file.evaluation.modules[2].module->as<ModuleValue>()->order == std::vector<std::string>{"inner", "g", "Nested"});
  CHECK(file.evaluation.modules[2].module->as<ModuleValue>()->members->find("inner") == file.evaluation.modules[0].module);
  REQUIRE(file.evaluation.functions.size() == 2);
  CHECK(file.evaluation.functions[1].module->as<FunctionValue>()->name == "m");
  CHECK(file["y"] == "<unknown: `lone` is a schedule function and is not called here>");
  CHECK(file.evaluation.importsDsl);
  CHECK_FALSE(file.evaluation.importsTirx);
}

TEST_CASE("constants: names of the DSL are opaque however they are imported") {
  Evaluated file(R"(from tilefoundry.dsl import *
import tilefoundry.dsl as d
import tilefoundry
from tilefoundry.dsl import Layout as L
from tilefoundry.target import CudaTarget
a = Layout((2, 4), (4, 1)) | Swizzle(3, 4, 3)
b = d.Layout((1,), (1,)), tilefoundry.dsl.Layout((1,), (1,)), L((1,), strides=(1,))
c = 8 @ T.m.x
e = T.cuda.sm90.Form.SS
f = Tensor[(1, 2), "f32", "smem"]
g = DimVar("B", lo=1, hi=64)
h = g + 1, -g, g // 2
i = S[(128, 32) : (1 @ T.q, 1)]
j = a.compose(b[0]).shape
k = T.ptx["a.b"](1)
l = ReduceKind.SUM == ReduceKind.SUM, ReduceKind.SUM is None, isinstance(g, int)
m = {ReduceKind.SUM: 1, ReduceKind.MAX: 2}[ReduceKind.MAX]
n = len(a)
sizes = [1, 2]
o = Layout(sizes, tuple(sizes))
sizes.append(3)
target = CudaTarget("nvidia.h200_sxm")
)");
  CHECK(file.problems() == "");
  CHECK(file["a"] == "Layout((2, 4), (4, 1)) | Swizzle(3, 4, 3)");
  CHECK(file["b"] == "(Layout((1,), (1,)), Layout((1,), (1,)), Layout((1,), strides=(1,)))");
  CHECK(file["c"] == "8 @ T.m.x");
  CHECK(file["e"] == "T.cuda.sm90.Form.SS");
  CHECK(file["f"] == "Tensor[(1, 2), 'f32', 'smem']");
  CHECK(file["h"] == "(DimVar('B', lo=1, hi=64) + 1, -DimVar('B', lo=1, hi=64), DimVar('B', lo=1, hi=64) // 2)");
  CHECK(file["i"] == "S[slice((128, 32), (1 @ T.q, 1), None)]");
  CHECK(file["j"] == "(Layout((2, 4), (4, 1)) | Swizzle(3, 4, 3)).compose(Layout((1,), (1,))).shape");
  CHECK(file["k"] == "T.ptx['a.b'](1)");
  CHECK(file["l"] == "(True, False, False)");
  CHECK(file["m"] == "2");
  CHECK(file["n"].find("is not known") != std::string::npos);
  CHECK(file["o"] == "Layout([1, 2], (1, 2))"); // as it was when it was made
  const auto *layout = file.evaluation.globals->find("a")->as<OpaqueOperation>();
  REQUIRE(layout);
  CHECK(layout->op == "|");
  CHECK(layout->operands[0]->as<Opaque>()->callee == "Layout");
  CHECK(layout->place.node.source() == "Layout((2, 4), (4, 1)) | Swizzle(3, 4, 3)");
}

TEST_CASE("constants: tirx imports are noticed and opaque") {
  Evaluated file("from tvm_tirx.script import tirx as T\nfrom tvm_tirx.tirx.layout import S, TileLayout\nx = TileLayout(S[(4, 2) : (1, 4)])\n");
  CHECK(file.evaluation.importsTirx);
  CHECK(file["x"] == "TileLayout(S[slice((4, 2), (1, 4), None)])");
}

TEST_CASE("constants: without a star import an unbound name is an error, with a foreign one it is unknown") {
  CHECK(Evaluated("x = Layout\n").problems() == "1: constant-error: `NameError`: name 'Layout' is not defined\n");
  CHECK(Evaluated("from tilefoundry.dsl import *\nx = Loyout\n").problems() == "2: constant-error: `NameError`: name 'Loyout' is not defined\n");
  Evaluated foreign("from mylib import *\nx = size + 1\ny = max(1, 2)\n");
  CHECK(foreign.problems() == "");
  CHECK(foreign["x"] == "<unknown: `size` may come from `mylib`, which is not read>");
  CHECK(foreign["y"] == "2");
}

TEST_CASE("constants: the unknown stays unknown and taints what it decides") {
  Evaluated file(R"(import os
a = os.environ["X"]
b = int(a) + 1
c = [1, b]
d = len(c), c[0]
e = b if a else 2
if a:
    f = 1
else:
    g = 2
for q in a:
    h = 6
shared = [1]
other = shared
if b:
    other.append(2)
class C:
    x = 1
    y = 2
if b:
    C.x = 2
def choose(v):
    if v:
        return 1
    return 3
i = choose(b), choose(0)
def change():
    global k
    k = 4
k = 3
if b:
    change()
n = 0
while n < b:
    n += 1
m = f"{b}", 5
def until(limit):
    count = 0
    for step in range(4):
        if step > limit:
            break
        count += 1
    return count
o = until(b), until(1)
try:
    import numpy
    HAS = True
except ImportError:
    HAS = False
)");
  CHECK(file.problems() == "");
  const std::string why = "<unknown: `os.environ` is not evaluated>";
  for (const char *name : {"a", "b", "e", "f", "g", "h", "q", "shared", "other", "k", "n"}) {
    INFO(name);
    CHECK(file[name] == why);
  }
  CHECK(file["c"] == "[1, " + why + "]");
  CHECK(file["d"] == "(2, 1)");
  CHECK(file["i"] == "(" + why + ", 3)");
  CHECK(file["m"] == "(" + why + ", 5)");
  CHECK(file["o"] == "(" + why + ", 2)");
  CHECK(repr(*file.evaluation.globals->find("C")->as<ClassValue>()->members->find("x")) == why);
  CHECK(repr(*file.evaluation.globals->find("C")->as<ClassValue>()->members->find("y")) == "2");
  CHECK(file.evaluation.globals->find("HAS")->isUnknown());
  const auto *unknown = file.evaluation.globals->find("h")->as<Unknown>();
  CHECK(unknown->place.node.source() == "os.environ");
}

TEST_CASE("constants: an order that Python does not fix is not guessed") {
  Evaluated file("s = {3, 1, 9}\na = list(s)\nb = sorted(s), sum(s), max(s), len(s)\nc = [x for x in {0, 2, 1}]\n");
  CHECK(file.evaluation.globals->find("a")->isUnknown());
  CHECK(file["b"] == "([1, 3, 9], 13, 9, 3)");
  CHECK(file["c"] == "[0, 1, 2]");
}

TEST_CASE("constants: each limit has its diagnostic at its place and ends nothing else") {
  struct Row {
    const char *program, *code;
  };
  for (auto [program, code] : {Row{"while True: pass", "step-limit"},
                               {"x = 2 ** (10 ** 9)", "size-limit"},
                               {"x = 1 << 10 ** 30", "size-limit"},
                               {"x = [0] * 10 ** 12", "size-limit"},
                               {"x = 'x' * 10 ** 12", "size-limit"},
                               {"x = list(range(10 ** 12))", "size-limit"},
                               {"x = f'{1:1000000000}'", "size-limit"},
                               {"x = '%1000000000d' % 3", "size-limit"},
                               {"x = sum(range(10 ** 12))", "step-limit"},
                               {"x = (lambda f: f(f))(lambda f: f(f))", "depth-limit"},
                               {"x = ()\nwhile True: x = (x,)", "size-limit"},
                               {"a = []\nb = [a]\na.append(b)\nc = []\nd = [c]\nc.append(d)\nx = a == c", "depth-limit"},
                               {"a = []\nx = a\nwhile True:\n    n = []\n    x.append(n)\n    x = n", "step-limit"},
                               {"f = 0\nwhile True: f = (lambda g: lambda: g)(f)", "step-limit"},
                               {"it = iter('a')\nwhile True: it = map(str, it)", "size-limit"},
                               {"import math\nx = math.factorial(10 ** 8)", "size-limit"},
                               {"import itertools\nx = list(itertools.product(range(1000), repeat=9))", "size-limit"},
                               {"from itertools import count\nx = list(count())", "size-limit"},
                               {"class A:\n    def __repr__(self): return repr(self)\nx = repr(A())", "depth-limit"}}) {
    INFO(std::string(program));
    Evaluated file(std::string(program) + "\n", Limits{.steps = 200'000, .elements = 1u << 14});
    CHECK(file.problems().find(code) != std::string::npos);
    if (ValueRef x = file.evaluation.globals->find("x"))
      CHECK((!x->isUnknown() || x->as<Unknown>()->code != Code::UnknownValue));
  }
  Evaluated later("x = 2 ** (10 ** 9)\ny = 3\n");
  CHECK(later["y"] == "3");
  CHECK(later.evaluation.globals->find("x")->as<Unknown>()->code == Code::SizeLimit);
}

TEST_CASE("constants: an endless generator is not an endless evaluation") {
  Evaluated file("def numbers():\n    n = 0\n    while True:\n        yield n\n        n += 1\nx = next(numbers())\ny = 2\n");
  CHECK(file.problems() == "");
  CHECK(file.evaluation.globals->find("x")->isUnknown());
  CHECK(file["y"] == "2");
}

TEST_CASE("constants: cancelled evaluations end") {
  CancelToken token;
  token.raise();
  Evaluation evaluation = evaluate(parse("program.py", "while True: pass\n"), token, Limits{.steps = 1'000'000'000});
  CHECK(evaluation.modules.empty());
}

TEST_CASE("constants: an expression sees local names before the scope's and changes nothing") {
  Evaluated file("N = 4\nSHAPE = [N, 2]\ndef half(n):\n    return n // 2\nclass Cfg:\n    tile = 64\n    def area(self):\n        return self.tile\n");
  File probe = parse("probe.py", "(N + local, half(N), SHAPE.append(1), [N for N in (1, 2)], Cfg.tile * 2, 1 // 0, 2 ** 10 ** 9, nowhere)\n");
  Node tuple = probe.items[0].tree->root().firstChild();
  REQUIRE(tuple.is(Kind::Tuple));
  auto local = [](std::string_view name) { return name == "local" ? makeInt(10) : name == "N" ? makeInt(8) : nullptr; };
  std::vector<std::string> results;
  std::vector<Code> codes;
  for (Node element : tuple.children()) {
    ValueRef value = evaluateExpression(element, probe.items[0].tree, file.evaluation.globals, local);
    REQUIRE(value);
    results.push_back(value->isUnknown() ? "unknown" : repr(*value));
    codes.push_back(value->isUnknown() ? value->as<Unknown>()->code : Code::UnknownValue);
  }
  CHECK(results == std::vector<std::string>{"18", "4", "unknown", "[1, 2]", "128", "unknown", "unknown", "unknown"});
  CHECK(codes[5] == Code::ConstantError);
  CHECK(codes[6] == Code::SizeLimit);
  CHECK(codes[7] == Code::ConstantError);
  CHECK(file["SHAPE"] == "[4, 2]");
}

TEST_CASE("constants: names of a class are seen in its body and annotations, not in its functions") {
  Evaluated file("from tilefoundry.dsl import *\nN = 1\n@module(entry='f')\nclass M:\n    N = 2\n    @func\n    def f(x: Tensor[(N,), 'f32']):\n        return N\n");
  const auto *function = file.evaluation.modules.at(0).module->as<ModuleValue>()->members->find("f")->as<FunctionValue>();
  Node parameter = function->definition.node.child(Role::Parameters).firstChild();
  Node shape = parameter.child(Role::Annotation).child(Role::Argument);
  CHECK(repr(*evaluateExpression(shape, function->definition.tree, function->closure)) == "(2,)");
  Node returned = function->definition.node.child(Role::Block).firstChild().firstChild();
  CHECK(repr(*evaluateExpression(returned, function->definition.tree, bodyScope(*function))) == "1");
}

TEST_CASE("constants: free names are those read from around") {
  Evaluated file(R"(def f(a, b=DEFAULT, *rest: NOTE):
    c = a + OUTER
    for d in range(c):
        e = [x + d + FACTOR for x in ITEMS if x]
    def inner(y):
        nonlocal c
        global G
        G = 1
        return y + c + G + DEEP
    return lambda z: (w := z) + w + LAST
)");
  CHECK(freeNames(file.file.items[0].tree->root()) ==
        std::vector<std::string>{"DEEP", "DEFAULT", "FACTOR", "G", "ITEMS", "LAST", "NOTE", "OUTER", "range"});
}

TEST_CASE("constants: digests follow values, and the values functions refer to") {
  Evaluated file("N = 2\nM = 3\na = [1, (N, 'x')]\nb = [1, (2, 'x')]\nc = [1, (3, 'x')]\nd = 2.0\ndef f(): return g() + N\ndef g(): return f() + 1\n");
  auto of = [](const Evaluated &file, const char *name) { return digest(*file.evaluation.globals->find(name)); };
  CHECK(of(file, "a") == of(file, "b"));
  CHECK(of(file, "a") != of(file, "c"));
  CHECK(of(file, "N") != of(file, "d"));
  CHECK(of(file, "f") == of(file, "f"));
  Evaluated moved("# above\n\nN = 2\ndef f(): return g() + N\ndef g(): return f() + 1\n");
  CHECK(of(moved, "f") == of(file, "f"));
  Evaluated changed("N = 4\ndef f(): return g() + N\ndef g(): return f() + 1\n");
  CHECK(of(changed, "f") != of(file, "f"));
  // Values that share parts are read once, not once per path.
  std::string shared = "x = (1,)\n";
  for (int i = 0; i < 60; ++i)
    shared += "x = (x, x)\n";
  Evaluated deep(shared);
  CHECK(of(deep, "x") == of(deep, "x"));
}

TEST_CASE("constants: identity of equal values is not guessed, that of names for one object is known") {
  Evaluated file("a = [1]\nb = a\nc = [1]\nt = 'x' + 'y'\nx = (a is b, a is c, a is not c, None is None, 3 is 3, 1 is True, t is t)\ny = t is 'xy', 1000 is 1000\n");
  CHECK(file["x"] == "(True, False, True, True, True, False, True)");
  const auto *both = file.evaluation.globals->find("y")->sequence();
  REQUIRE(both);
  CHECK((*both)[0]->isUnknown());
  CHECK((*both)[1]->isUnknown());
}

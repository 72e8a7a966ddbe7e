// Programs of the Python subset: every name must print as CPython 3.12 prints it.
#include "syntax/Constants.h"
#include "syntax/Parser.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::syntax;

namespace {

struct Expected {
  const char *name, *text;
};

void check(const char *program, std::initializer_list<Expected> expected) {
  File file = parse("program.py", program);
  Evaluation evaluation = evaluate(file);
  for (size_t i = 0; i < file.items.size(); ++i)
    for (const Diagnostic &problem : evaluation.diagnostics[i]) {
      INFO(render(shifted(problem, file.items[i].offset), *file.source));
      CHECK(false);
    }
  for (const auto &[name, text] : expected) {
    INFO(std::string(name));
    ValueRef value = evaluation.globals->find(name);
    REQUIRE(value);
    CHECK(repr(*value, 2000) == text);
  }
}

} // namespace

TEST_CASE("constants: names share lists, dicts and sets") {
  check(R"py(
a = [1, 2]
b = a
b.append(3)
c = a[:]
c.append(4)
d = {"k": a}
d["k"].append(5)
e = (a, a)
e[0].append(6)
f = [[0] * 2] * 2
f[0][0] = 9
g = [[0] * 2 for _ in range(2)]
g[0][0] = 9
h = a
h += [7]
t = (1,)
u = t
u += (2,)
def grow(x, y=[]):
    y.append(x)
    return y
p = grow(1)
q = grow(2)
s = {1, 2}
s2 = s
s2.add(3)
s |= {4}
n = len(s2)
del a[0]
a[1:3] = [10, 11, 12]
a[::2] = [0] * len(a[::2])
m = {"x": 1}
m2 = m
m2.update(y=2)
del m["x"]
m.setdefault("z", []).append(1)
k = a is b
)py",
        {
            {"a", "[0, 10, 0, 12, 0, 7]"},
            {"b", "[0, 10, 0, 12, 0, 7]"},
            {"c", "[1, 2, 3, 4]"},
            {"d", "{'k': [0, 10, 0, 12, 0, 7]}"},
            {"e", "([0, 10, 0, 12, 0, 7], [0, 10, 0, 12, 0, 7])"},
            {"f", "[[9, 0], [9, 0]]"},
            {"g", "[[9, 0], [0, 0]]"},
            {"h", "[0, 10, 0, 12, 0, 7]"},
            {"t", "(1,)"},
            {"u", "(1, 2)"},
            {"p", "[1, 2]"},
            {"q", "[1, 2]"},
            {"n", "4"},
            {"m", "{'y': 2, 'z': [1]}"},
            {"m2", "{'y': 2, 'z': [1]}"},
            {"k", "True"},
        });
}

TEST_CASE("constants: targets with stars and nesting") {
  check(R"py(
a, b = 1, 2
a, b = b, a
(c, d), e = (3, 4), 5
f, *g = range(5)
*h, i = "abc"
j, *k, l = [1, 2]
[m, n] = {"x": 1, "y": 2}
o = p = q = []
p.append(1)
for r, (s, *t) in [(1, (2, 3, 4))]:
    u = (r, s, t)
v = [x for x, _ in zip("ab", "cd")]
w = [*range(3), *"xy"]
x = {**{"a": 1}, "b": 2}
y = (*w, 1)
d1 = {}
d1["q"], z = 1, 2
)py",
        {
            {"a", "2"},
            {"b", "1"},
            {"c", "3"},
            {"d", "4"},
            {"e", "5"},
            {"f", "0"},
            {"g", "[1, 2, 3, 4]"},
            {"h", "['a', 'b']"},
            {"i", "'c'"},
            {"j", "1"},
            {"k", "[]"},
            {"l", "2"},
            {"m", "'x'"},
            {"n", "'y'"},
            {"o", "[1]"},
            {"p", "[1]"},
            {"q", "[1]"},
            {"r", "1"},
            {"s", "2"},
            {"t", "[3, 4]"},
            {"u", "(1, 2, [3, 4])"},
            {"v", "['a', 'b']"},
            {"w", "[0, 1, 2, 'x', 'y']"},
            {"x", "{'a': 1, 'b': 2}"},
            {"y", "(0, 1, 2, 'x', 'y', 1)"},
            {"d1", "{'q': 1}"},
            {"z", "2"},
        });
}

TEST_CASE("constants: if, for, while, else, break, continue, walrus") {
  check(R"py(
out = []
for i in range(10):
    if i == 2:
        continue
    if i == 5:
        break
    out.append(i)
else:
    out.append("no")
for j in range(2):
    pass
else:
    out.append("else")
n = 0
while n < 10:
    n += 1
    if n % 2:
        continue
    if n > 6:
        break
else:
    n = -1
k = 0
while k < 3:
    k += 1
else:
    k = 100
if n == 8 and not k < 5:
    branch = "a"
elif n:
    branch = "b"
else:
    branch = "c"
x = 0 or [] or "last"
y = 1 and "two" and 3
z = None or 0
w = (v := 5) + v
big = [y2 := 1, y2**2]
total = 0
for a in range(3):
    for b in range(3):
        if b == 2:
            break
        total += a * b
fizz = ["fizz" if i % 3 == 0 else i for i in range(7)]
chain = 1 < 2 < 3 != 4
chain2 = 1 < 3 < 2
)py",
        {
            {"out", "[0, 1, 3, 4, 'else']"},
            {"i", "5"},
            {"j", "1"},
            {"n", "8"},
            {"k", "100"},
            {"branch", "'a'"},
            {"x", "'last'"},
            {"y", "3"},
            {"z", "0"},
            {"v", "5"},
            {"w", "10"},
            {"y2", "1"},
            {"big", "[1, 1]"},
            {"total", "3"},
            {"a", "2"},
            {"b", "2"},
            {"fizz", "['fizz', 1, 2, 'fizz', 4, 5, 'fizz']"},
            {"chain", "True"},
            {"chain2", "False"},
        });
}

TEST_CASE("constants: parameters, closures, recursion, generators") {
  check(R"py(
def f(a, b=2, *args, c, d=4, **kw):
    return (a, b, args, c, d, kw)
r1 = f(1, c=3)
r2 = f(1, 2, 3, 4, c=5, e=6, f=7)
r3 = f(*[1, 2, 3], **{"c": 4, "z": 1})
def g(a, /, b, *, c):
    return a + b + c
r4 = g(1, b=2, c=3)
def outer():
    count = 0
    def inc(by=1):
        nonlocal count
        count += by
        return count
    inc()
    inc(5)
    return inc() , count
r5 = outer()
TOTAL = 0
def add(n):
    global TOTAL
    TOTAL += n
add(3)
add(4)
def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)
r6 = fact(25)
fns = [lambda x, k=k: x + k for k in range(3)]
r7 = [h(10) for h in fns]
late = [lambda: k2 for k2 in range(3)]
r8 = [h() for h in late]
def deco(fn):
    def wrapper(*a, **k):
        return fn(*a, **k) * 2
    return wrapper
@deco
def twice(x):
    return x + 1
r9 = twice(4)
def gen(n):
    for i in range(n):
        yield i * i
    yield from "ab"
r10 = list(gen(4))
r11 = sum(gen2 for gen2 in range(5))
def noret():
    pass
r12 = noret()
compose = lambda *fs: lambda x: [x := f_(x) for f_ in fs][-1]
r13 = compose(lambda v: v + 1, lambda v: v * 3)(4)
def early(x):
    for i in range(10):
        if i == x:
            return i
    return -1
r14 = (early(3), early(30))
def kwonly(*, a=1, b):
    return a, b
r15 = kwonly(b=2)
def scoped():
    x = "local"
    class C:
        y = x + "!"
        def m(self):
            return x
    return C.y, C().m()
r16 = scoped()
g1 = (i for i in range(3))
r17 = next(g1), list(g1), next(g1, "done")
)py",
        {
            {"r1", "(1, 2, (), 3, 4, {})"},
            {"r2", "(1, 2, (3, 4), 5, 4, {'e': 6, 'f': 7})"},
            {"r3", "(1, 2, (3,), 4, 4, {'z': 1})"},
            {"r4", "6"},
            {"r5", "(7, 7)"},
            {"TOTAL", "7"},
            {"r6", "15511210043330985984000000"},
            {"r7", "[10, 11, 12]"},
            {"r8", "[2, 2, 2]"},
            {"r9", "10"},
            {"r10", "[0, 1, 4, 9, 'a', 'b']"},
            {"r11", "10"},
            {"r12", "None"},
            {"r13", "15"},
            {"r14", "(3, -1)"},
            {"r15", "(1, 2)"},
            {"r16", "('local!', 'local')"},
            {"r17", "(0, [1, 2], 'done')"},
        });
}

TEST_CASE("constants: attributes, methods, properties, inheritance, special methods") {
  check(R"py(
class Cfg:
    tile = 64
    stages = tile // 16
    shape = (tile, tile * 2)
    def area(self):
        return self.tile * self.stages
    @staticmethod
    def ceil(a, b):
        return -(-a // b)
    @classmethod
    def make(cls, n):
        obj = cls()
        obj.tile = n
        return obj
    @property
    def half(self):
        return self.tile // 2
a = Cfg.tile
b = Cfg().area()
c = Cfg.ceil(10, 3)
d = Cfg.make(8).area()
e = Cfg().half
Cfg.tile = 32
f = Cfg.make(7).half, Cfg().tile
class Sub(Cfg):
    stages = 3
    def area(self):
        return super().area() + 1
g = Sub().area()
h = isinstance(Sub(), Cfg), issubclass(Sub, Cfg), isinstance(Cfg(), Sub)
class Point:
    def __init__(self, x, y=0):
        self.x = x
        self.y = y
        self._n = 0
    def __add__(self, o):
        return Point(self.x + o.x, self.y + o.y)
    def __eq__(self, o):
        return (self.x, self.y) == (o.x, o.y)
    def __repr__(self):
        return f"Point({self.x}, {self.y})"
    def __len__(self):
        return 2
    def __getitem__(self, i):
        return (self.x, self.y)[i]
    def __iter__(self):
        yield self.x
        yield self.y
    def __call__(self, k):
        return self.x * k
    @property
    def n(self):
        return self._n
    @n.setter
    def n(self, v):
        self._n = v * 2
    def __lt__(self, o):
        return self.x < o.x
    def __contains__(self, v):
        return v == self.x
p = Point(1, 2) + Point(3)
q = p == Point(4, 2), p != Point(4, 2), len(p), p[1], list(p), p(3), repr(p), str(p), 4 in p
p.n = 21
r = p.n
s = sorted([Point(3), Point(1), Point(2)])[0].x
t = f"{p} {p!r:>15}"
u, v = p
class A:
    def who(self): return "A"
class B(A):
    def who(self): return "B" + super().who()
class C(A):
    def who(self): return "C" + super().who()
class D(B, C):
    def who(self): return "D" + super().who()
w = D().who()
x = getattr(Cfg, "tile"), getattr(Cfg, "nope", 5), hasattr(Cfg, "stages"), hasattr(p, "zz")
setattr(p, "zz", 3)
y = p.zz
z = type(p) is Point, type(p).__name__, p.__class__.__name__, Point.__name__
class Meta:
    table = {}
    for i in range(3):
        table[i] = i * i
    squares = [i * 2 for i in range(3)]
aa = Meta.table, Meta.squares, Meta.i
)py",
        {
            {"a", "64"},
            {"b", "256"},
            {"c", "4"},
            {"d", "32"},
            {"e", "32"},
            {"f", "(3, 32)"},
            {"g", "97"},
            {"h", "(True, True, False)"},
            {"q", "(True, False, 2, 2, [4, 2], 12, 'Point(4, 2)', 'Point(4, 2)', True)"},
            {"r", "42"},
            {"s", "1"},
            {"t", "'Point(4, 2)     Point(4, 2)'"},
            {"u", "4"},
            {"v", "2"},
            {"w", "'DBCA'"},
            {"x", "(32, 5, True, False)"},
            {"y", "3"},
            {"z", "(True, 'Point', 'Point', 'Point')"},
            {"aa", "({0: 0, 1: 1, 2: 4}, [0, 2, 4], 2)"},
        });
}

TEST_CASE("constants: dataclasses") {
  check(R"py(
from dataclasses import dataclass, field, replace, asdict, astuple
import dataclasses
@dataclass
class Tile:
    m: int
    n: int = 64
    k: int = 32
    tags: list = field(default_factory=list)
    @property
    def area(self):
        return self.m * self.n
    def scaled(self, f):
        return Tile(self.m * f, self.n * f, self.k)
a = Tile(128)
b = Tile(128, k=16, n=8)
c = a == Tile(128), a == b, a.area, b.scaled(2)
a.tags.append("x")
d = Tile(1).tags
e = replace(b, m=1)
f = asdict(b), astuple(b)
@dataclass(frozen=True, order=True)
class Key:
    name: str
    size: int = 0
    def __post_init__(self):
        object.__setattr__(self, "size", self.size + 1)
g = Key("a"), Key("a") < Key("b"), {Key("a"): 1}[Key("a")], max(Key("a", 3), Key("a", 1))
try:
    g[0].size = 5
except dataclasses.FrozenInstanceError as err:
    h = str(err)
@dataclasses.dataclass(kw_only=True)
class Base:
    x: int = 1
@dataclass
class Derived(Base):
    y: int = 2
    z: int = dataclasses.field(default=3, repr=False)
i = Derived(5), Derived(y=1, x=9), Derived().z
j = Derived.y
try:
    Tile()
except TypeError as err2:
    k = "missing"
)py",
        {
            {"a", "Tile(m=128, n=64, k=32, tags=['x'])"},
            {"b", "Tile(m=128, n=8, k=16, tags=[])"},
            {"c", "(True, False, 8192, Tile(m=256, n=16, k=16, tags=[]))"},
            {"d", "[]"},
            {"e", "Tile(m=1, n=8, k=16, tags=[])"},
            {"f", "({'m': 128, 'n': 8, 'k': 16, 'tags': []}, (128, 8, 16, []))"},
            {"g", "(Key(name='a', size=1), True, 1, Key(name='a', size=4))"},
            {"h", "\"cannot assign to field 'size'\""},
            {"i", "(Derived(x=1, y=5), Derived(x=9, y=1), 3)"},
            {"j", "2"},
            {"k", "'missing'"},
        });
}

TEST_CASE("constants: enumerations") {
  check(R"py(
from enum import Enum, IntEnum, auto
import enum
class Color(Enum):
    RED = 1
    GREEN = "g"
    BLUE = auto() if False else 7
    ALIAS = 1
    @property
    def tag(self):
        return self.name.lower()
    def describe(self):
        return f"{self.name}={self.value}"
class Level(IntEnum):
    LOW = 1
    MID = auto()
    HIGH = auto()
class Kind(str, Enum):
    A = "aa"
    B = "bb"
class Word(enum.StrEnum):
    ONE = auto()
    TWO = "zwei"
a = Color.RED.value, Color.RED.name, Color.ALIAS is Color.RED, Color("g").name, Color["BLUE"].value
b = [c.name for c in Color], len(Color), Color.RED.tag, Color.GREEN.describe()
c = Level.HIGH + 1, Level.LOW < Level.HIGH, sorted(Level)[0].name, max(Level), [1, 2, 3, 4][Level.MID], int(Level.MID), Level(2)
d = Kind.A == "aa", Kind.A.upper(), f"{Level.LOW}", f"{Color.RED}", str(Kind.B), Kind.B.value
e = {Color.RED: 1, Color.GREEN: 2}[Color.GREEN]
f = Color.RED, [Level.LOW], isinstance(Color.RED, Color), isinstance(Level.LOW, int), Color.RED == 1, Color.RED == Color.RED
g = Word.ONE, str(Word.TWO), Word.ONE == "one", f"{Word.TWO:>6}", Word.ONE + "x"
h = Color.RED in (Color.RED, Color.BLUE), list(Level), Level.MID * 4, f"{Level.HIGH:03d}"
)py",
        {
            {"a", "(1, 'RED', True, 'GREEN', 7)"},
            {"b", "(['RED', 'GREEN', 'BLUE'], 3, 'red', 'GREEN=g')"},
            {"c", "(4, True, 'LOW', <Level.HIGH: 3>, 3, 2, <Level.MID: 2>)"},
            {"d", "(True, 'AA', '1', 'Color.RED', 'Kind.B', 'bb')"},
            {"e", "2"},
            {"f", "(<Color.RED: 1>, [<Level.LOW: 1>], True, True, False, True)"},
            {"g", "(<Word.ONE: 'one'>, 'zwei', True, '  zwei', 'onex')"},
            {"h", "(True, [<Level.LOW: 1>, <Level.MID: 2>, <Level.HIGH: 3>], 8, '003')"},
        });
}

TEST_CASE("constants: named tuples") {
  check(R"py(
from collections import namedtuple
from typing import NamedTuple
P = namedtuple("P", "x y")
Q = namedtuple("Q", ["a", "b"], defaults=[5])
class R(NamedTuple):
    m: int
    n: int = 3
    def area(self):
        return self.m * self.n
a = P(1, 2)
b = a.x + a.y, a[0], a == (1, 2), len(a), list(a), a
c = Q(1), Q(1, 2)._replace(a=9), Q._fields
d = R(4), R(4).area(), R(n=2, m=5)._asdict(), R(1) + (9,)
x, y = a
e = isinstance(a, tuple), P._make([7, 8]), sorted([P(2, 1), P(1, 5)])
f = a.index(2), a.count(1), f"{a.x}:{a}"
)py",
        {
            {"a", "P(x=1, y=2)"},
            {"b", "(3, 1, True, 2, [1, 2], P(x=1, y=2))"},
            {"c", "(Q(a=1, b=5), Q(a=9, b=2), ('a', 'b'))"},
            {"d", "(R(m=4, n=3), 12, {'m': 5, 'n': 2}, (1, 3, 9))"},
            {"x", "1"},
            {"y", "2"},
            {"e", "(True, P(x=7, y=8), [P(x=1, y=5), P(x=2, y=1)])"},
            {"f", "(1, 1, '1:P(x=1, y=2)')"},
        });
}

TEST_CASE("constants: try, except, else, finally, raise") {
  check(R"py(
def attempt(fn):
    try:
        return fn()
    except ZeroDivisionError as e:
        return f"zero: {e}"
    except (KeyError, IndexError) as e:
        return f"lookup: {type(e).__name__} {e}"
    except Exception as e:
        return f"other: {type(e).__name__}"
    finally:
        log.append(1)
log = []
a = attempt(lambda: 1 // 0)
b = attempt(lambda: {}["k"])
c = attempt(lambda: [][3])
d = attempt(lambda: int("x"))
e = attempt(lambda: 5)
n = len(log)
class MyError(ValueError):
    def __init__(self, code):
        super().__init__("code " + str(code))
        self.code = code
def thrower():
    raise MyError(7)
try:
    thrower()
except ValueError as err:
    f = err.code, isinstance(err, MyError)
try:
    try:
        raise KeyError("inner")
    except KeyError:
        raise
except LookupError as err:
    g = err.args
try:
    h = 1
except Exception:
    h = 2
else:
    h = 3
finally:
    i = h
try:
    undefined_name
except NameError as err:
    j = str(err)
try:
    assert 1 > 2, "no way"
except AssertionError as err:
    k = str(err)
try:
    "a" + 1
except TypeError as err:
    l = str(err)
try:
    (1).foo
except AttributeError as err:
    m = str(err)
def fin():
    try:
        return "try"
    finally:
        log.append(2)
o = fin(), log[-1]
for attempt_ in range(3):
    try:
        if attempt_ < 2:
            raise RuntimeError("again")
        p = attempt_
        break
    except RuntimeError:
        continue
)py",
        {
            {"log", "[1, 1, 1, 1, 1, 2]"},
            {"a", "'zero: integer division or modulo by zero'"},
            {"b", "\"lookup: KeyError 'k'\""},
            {"c", "'lookup: IndexError list index out of range'"},
            {"d", "'other: ValueError'"},
            {"e", "5"},
            {"n", "5"},
            {"f", "(7, True)"},
            {"g", "('inner',)"},
            {"h", "3"},
            {"i", "3"},
            {"j", "\"name 'undefined_name' is not defined\""},
            {"k", "'no way'"},
            {"l", "'can only concatenate str (not \"int\") to str'"},
            {"m", "\"'int' object has no attribute 'foo'\""},
            {"o", "('try', 2)"},
            {"attempt_", "2"},
            {"p", "2"},
        });
}

TEST_CASE("constants: math, functools, itertools, operator, copy") {
  check(R"py(
import math, functools, itertools, operator, copy
from functools import reduce, partial, lru_cache
from itertools import product, chain
a = math.ceil(7 / 2), math.floor(-1.5), math.log2(1024), math.sqrt(16), math.prod([2, 3, 4]), math.gcd(12, 18, 27), math.lcm(4, 6), math.comb(10, 3), math.isqrt(99), math.pi
b = reduce(lambda x, y: x * y, [1, 2, 3, 4]), reduce(operator.add, [[1], [2]], []), partial(pow, 2)(10), partial(int, base=2)("101")
c = list(product([1, 2], "ab")), list(chain([1], (2, 3), "x")), list(itertools.islice(itertools.count(5, 2), 3)), list(itertools.accumulate([1, 2, 3]))
d = list(itertools.combinations(range(4), 2)), list(itertools.permutations("abc", 2))[:3], list(itertools.chain.from_iterable([[1], [2, 3]]))
e = list(zip(itertools.cycle("ab"), range(3))), list(itertools.repeat(1, 2)), list(itertools.takewhile(lambda v: v < 3, range(9))), list(itertools.dropwhile(lambda v: v < 3, range(5)))
f = math.factorial(20), math.perm(5, 2), math.log(math.e), math.log10(1000), math.fsum([.1] * 10), math.hypot(3, 4), math.trunc(-2.7), math.log2(2**1000), math.inf > 10**400
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
g = fib(15)
@functools.cache
def sq(n):
    return n * n
h = sq(9)
i = sorted([("b", 2), ("a", 3)], key=operator.itemgetter(1)), operator.mul(3, 4), list(map(operator.neg, [1, 2]))
x = [[1], {"a": [2]}]
y = copy.deepcopy(x)
z = copy.copy(x)
x[0].append(9)
j = x, y, z
k = list(itertools.starmap(pow, [(2, 3), (3, 2)])), list(itertools.zip_longest("ab", "c", fillvalue="-")), list(itertools.pairwise("abc"))
l = list(itertools.product(range(2), repeat=2)), math.exp2(3) if hasattr(math, "exp2") else 8.0, math.cbrt(27.0)
m = list(filter(None, [0, 1, "", "a"])), list(map(lambda p, q: p + q, [1, 2], [3, 4])), dict(zip("ab", range(2)))
n = math.isclose(0.1 + 0.2, 0.3), math.copysign(1, -0.0), math.fmod(-7, 3), math.ldexp(0.75, 4), math.frexp(10.0), math.modf(2.5)
)py",
        {
            {"a", "(4, -2, 10.0, 4.0, 24, 3, 12, 120, 9, 3.141592653589793)"},
            {"b", "(24, [1, 2], 1024, 5)"},
            {"c", "([(1, 'a'), (1, 'b'), (2, 'a'), (2, 'b')], [1, 2, 3, 'x'], [5, 7, 9], [1, 3, 6])"},
            {"d", "([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], [('a', 'b'), ('a', 'c'), ('b', 'a')], [1, 2, 3])"},
            {"e", "([('a', 0), ('b', 1), ('a', 2)], [1, 1], [0, 1, 2], [3, 4])"},
            {"f", "(2432902008176640000, 20, 1.0, 3.0, 1.0, 5.0, -2, 1000.0, True)"},
            {"g", "610"},
            {"h", "81"},
            {"i", "([('b', 2), ('a', 3)], 12, [-1, -2])"},
            {"x", "[[1, 9], {'a': [2]}]"},
            {"y", "[[1], {'a': [2]}]"},
            {"z", "[[1, 9], {'a': [2]}]"},
            {"j", "([[1, 9], {'a': [2]}], [[1], {'a': [2]}], [[1, 9], {'a': [2]}])"},
            {"k", "([8, 9], [('a', 'c'), ('b', '-')], [('a', 'b'), ('b', 'c')])"},
            {"l", "([(0, 0), (0, 1), (1, 0), (1, 1)], 8.0, 3.0000000000000004)"},
            {"m", "([1, 'a'], [4, 6], {'a': 0, 'b': 1})"},
            {"n", "(True, -1.0, -1.0, 12.0, (0.625, 4), (0.5, 2.0))"},
        });
}

TEST_CASE("constants: formats and methods of strings") {
  check(R"py(
n = 7
x = 3.14159
s = "Hello"
a = f"{n:04d}|{x:.2f}|{s!r}|{s:>8}|{n:b}|{n:#x}|{1000000:,}|{x:e}|{n=}|{x=:.1f}|{{}}|{s[0]}{s[-1]}"
w = 10
b = f"{x:{w}.{2}f}|{'nested ' + f'{n}'}|{[i for i in range(3)]}|{n if n else 0}|{ {'a': 1}['a'] }"
c = "%d-%s-%05.1f-%x-%%" % (n, s, x, 255), "%(a)s %(b)d" % {"a": 1, "b": 2}, "%s" % (1,), "%-5s|" % "a"
d = "{} {1} {name}".replace("{1}", "{}").format(1, 2, name="q"), "{0[1]} {1.real}".format([1, 2], 5), "{:>{w}}".format("a", w=4)
e = "a,b,,c".split(","), " a  b ".split(), "a-b-c".rsplit("-", 1), "x".join(["1", "2"]), "abc".find("c"), "abc".index("b"), "aXbX".count("X")
f = "abc".upper(), "ABC".lower(), "hello world".title(), "abc".startswith(("x", "a")), "abc".endswith("bc"), "  x ".strip(), "xxaxx".strip("x"), "7".zfill(3), "-7".zfill(4)
g = "abc"[::-1], "abcdef"[1:4], "abc" * 2, "a" < "b", "b" in "abc", "abc".isalpha(), "12".isdigit(), "a1".isalnum(), "".join(reversed("abc"))
h = "line1\nline2".splitlines(), "k=v".partition("="), "abc".ljust(5) + "|", "abc".center(8, "*"), "tEST".capitalize(), "aBc".swapcase(), "prefix_x".removeprefix("prefix_")
i = ord("A"), chr(97), "\u00e9", len("é"), "é"[0], r"raw\n", "con" "cat" f"{n}", repr("it's"), str(None), str(1.0), repr("a\tb")
j = "bf16"[2:].isdigit() and int("bf16"[2:]), "m%dn%d" % (64, 128), "_".join(str(v) for v in (1, 2)), "abc".replace("b", ""), "a b c".split(" ", 1)
k = f"{'a':*^7}{5:<4}{5:>4}{5:^5}|{-5:=+6}|{0.5:.0%}|{12345.678:,.1f}|{1e10}|{1e-7}|{True:d}|{None}"
)py",
        {
            {"n", "7"},
            {"x", "3.14159"},
            {"s", "'Hello'"},
            {"a", "\"0007|3.14|'Hello'|   Hello|111|0x7|1,000,000|3.141590e+00|n=7|x=3.1|{}|Ho\""},
            {"w", "10"},
            {"b", "'      3.14|nested 7|[0, 1, 2]|7|1'"},
            {"c", "('7-Hello-003.1-ff-%', '1 2', '1', 'a    |')"},
            {"d", "('1 2 q', '2 5', '   a')"},
            {"e", "(['a', 'b', '', 'c'], ['a', 'b'], ['a-b', 'c'], '1x2', 2, 1, 2)"},
            {"f", "('ABC', 'abc', 'Hello World', True, True, 'x', 'a', '007', '-007')"},
            {"g", "('cba', 'bcd', 'abcabc', True, True, True, True, True, 'cba')"},
            {"h", "(['line1', 'line2'], ('k', '=', 'v'), 'abc  |', '**abc***', 'Test', 'AbC', 'x')"},
            {"i", "(65, 'a', 'é', 1, 'é', 'raw\\\\n', 'concat7', '\"it\\'s\"', 'None', '1.0', \"'a\\\\tb'\")"},
            {"j", "(16, 'm64n128', '1_2', 'ac', ['a', 'b c'])"},
            {"k", "'***a***5      5  5  |-    5|50%|12,345.7|10000000000.0|1e-07|1|None'"},
        });
}

TEST_CASE("constants: integers of any size, floats, builtins on numbers") {
  check(R"py(
a = 7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 % 2, 2 ** 10, 2 ** -1, 10 ** 30, -2 ** 2, 0x10 | 0b1, 5 ^ 3, ~5, 1 << 70, (1 << 70) >> 68, -1 >> 3
b = 1 / 3, 10 / 5, 3 * 1.5, 1e3, 1_000, True + True, 5 == 5.0, 1 < 2.5, 0.1 + 0.2, round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(15, -1), round(25, -1)
c = divmod(-7, 2), pow(3, 4, 5), abs(-3), min(3, 1, 2), max([1, 5, 2]), sum([1, 2.5]), int("ff", 16), int(3.9), int(-3.9), float("1e3"), bool([]), bool("a"), int("  12 "), int("0b101", 0)
d = 2**64 - 1, (2**64 - 1) * (2**64 + 1), -(2**100) // 7, -(2**100) % 7, 2**100 / 2**98, (10**20) % 97, hex(2**70), bin(10), oct(8), (255).bit_length(), (2**100).bit_length(), (5).bit_count()
e = float("inf"), -float("inf"), 1e308 * 10, 5 // 0.3, 1 // 1.0, 0.0 == -0.0, (-8) ** 2, 2.0 ** 0.5, 10 ** -2, 4 ** 0.5
f = max(1, 2, key=lambda v: -v), min([], default=7), sorted([3, 1, 2], reverse=True), sorted("bca"), sum(range(101)), list(range(10, 0, -3)), len(range(0, 10, 3)), range(5)[2], 3 in range(5), range(3)
g = int(True), float(3), str(12), tuple([1]), list("ab"), dict(a=1), set([1, 1]), isinstance(True, int), isinstance(1, (str, int)), type(1).__name__, type("a") is str, callable(len)
h = any([0, 1]), all([]), list(enumerate("ab", 1)), list(zip([1, 2], [3, 4])), list(reversed([1, 2])), list(map(str, [1, 2])), list(filter(lambda v: v > 1, [1, 2, 3])), 1 if [] else 2
i = 123456789 * 987654321, 2**31 * 2**31, 2**62 + 2**62, -2**63 - 1, 9223372036854775807 + 1, (3**50) // (3**48), (7**30) & (2**60 - 1)
)py",
        {
            {"a", "(3, -4, -2, 2, 3.0, 0.5, 1024, 0.5, 1000000000000000000000000000000, -4, 17, 6, -6, 1180591620717411303424, 4, -1)"},
            {"b", "(0.3333333333333333, 2.0, 4.5, 1000.0, 1000, 2, True, True, 0.30000000000000004, 2, 4, -2, 2.67, 1200, 20, 20)"},
            {"c", "((-4, 1), 1, 3, 1, 5, 3.5, 255, 3, -3, 1000.0, False, True, 12, 5)"},
            {"d", "(18446744073709551615, 340282366920938463463374607431768211455, -181092942889747057356671886483, 5, 4.0, 73, '0x400000000000000000', '0b1010', '0o10', 8, 101, 2)"},
            {"e", "(inf, -inf, inf, 16.0, 1.0, True, 64, 1.4142135623730951, 0.01, 2.0)"},
            {"f", "(1, 7, [3, 2, 1], ['a', 'b', 'c'], 5050, [10, 7, 4, 1], 4, 2, True, range(0, 3))"},
            {"g", "(1, 3.0, '12', (1,), ['a', 'b'], {'a': 1}, {1}, True, True, 'int', True, True)"},
            {"h", "(True, True, [(1, 'a'), (2, 'b')], [(1, 3), (2, 4)], [2, 1], ['1', '2'], [2, 3], 2)"},
            {"i", "(121932631112635269, 4611686018427387904, 9223372036854775808, -9223372036854775809, 9223372036854775808, 9, 423868000743490513)"},
        });
}

TEST_CASE("constants: lists, tuples, dicts, sets") {
  check(R"py(
d = {"a": 1, "b": 2}
a = d["a"], d.get("z"), d.get("z", 0), list(d), list(d.items()), list(d.values()), "a" in d, len(d), d.pop("b"), d
e = {k: v for k, v in zip("xyz", range(3))}
e.update({"w": 9}, v=8)
b = e, sorted(e.items(), key=lambda kv: kv[1]), max(e, key=e.get), {v: k for k, v in e.items()}, dict(sorted(e.items()))
l = [3, 1, 2]
l.sort()
l.insert(0, 9)
l.extend([4, 5])
c = l, l.pop(), l.pop(0), l.index(2), l.count(1), l[-1], l[::-1], l + [1], l * 2, [1, 2] < [1, 3], [1] == [1]
l.remove(2)
l.reverse()
f = l, sum(l), min(l), sorted(l, key=lambda v: -v), [v for v in l if v != 3], [[i * j for j in range(2)] for i in range(2)], [(i, j) for i in range(2) for j in range(i)]
s = {1, 2, 3}
g = len(s), 2 in s, s & {2, 5} == {2}, s | {4} == {1, 2, 3, 4}, s - {1} == {2, 3}, s ^ {3, 4} == {1, 2, 4}, sorted(s), s <= {1, 2, 3, 4}, frozenset([1]) == {1}, {1: 2}.keys() == {1}, s.isdisjoint({9})
t = (1, 2, 3)
h = t[1:], t + (4,), t * 2, t.index(2), t.count(3), 2 in t, (1,) + t[:1], len(t), t == (1, 2, 3), hash(t) == hash((1, 2, 3)) if False else True, t[-1]
m = {(1, 2): "x", 1.0: "y", None: 0}
i = m[(1, 2)], m[1], m[True], m[None]
big = {i: i * i for i in range(100)}
j = big[50], len(big), list(big)[:3], sum(big.values()), big.pop(10), 10 in big, len(big)
for k_ in list(big)[:50]:
    del big[k_]
k = len(big), min(big), 99 in big, big.popitem()
n = dict.fromkeys("ab", 0), d | {"q": 1}, [*d], {*[1, 1]} == {1}, d.copy(), d.keys(), d.values(), d.items()
o = [x for xs in [[1, 2], [3]] for x in xs], {x % 3 for x in range(9)} == {0, 1, 2}, list({5, 3, 1}), [i for i in {2, 0, 1}]
)py",
        {
            {"d", "{'a': 1}"},
            {"a", "(1, None, 0, ['a', 'b'], [('a', 1), ('b', 2)], [1, 2], True, 2, 2, {'a': 1})"},
            {"e", "{'x': 0, 'y': 1, 'z': 2, 'w': 9, 'v': 8}"},
            {"b", "({'x': 0, 'y': 1, 'z': 2, 'w': 9, 'v': 8}, [('x', 0), ('y', 1), ('z', 2), ('v', 8), ('w', 9)], 'w', {0: 'x', 1: 'y', 2: 'z', 9: 'w', 8: 'v'}, {'v': 8, 'w': 9, 'x': 0, 'y': 1, 'z': 2})"},
            {"l", "[4, 3, 1]"},
            {"c", "([4, 3, 1], 5, 9, 1, 1, 4, [4, 3, 2, 1], [1, 2, 3, 4, 1], [1, 2, 3, 4, 1, 2, 3, 4], True, True)"},
            {"f", "([4, 3, 1], 8, 1, [4, 3, 1], [4, 1], [[0, 0], [0, 1]], [(1, 0)])"},
            {"g", "(3, True, True, True, True, True, [1, 2, 3], True, True, True, True)"},
            {"t", "(1, 2, 3)"},
            {"h", "((2, 3), (1, 2, 3, 4), (1, 2, 3, 1, 2, 3), 1, 1, True, (1, 1), 3, True, True, 3)"},
            {"m", "{(1, 2): 'x', 1.0: 'y', None: 0}"},
            {"i", "('x', 'y', 'y', 0)"},
            {"big", "{51: 2601, 52: 2704, 53: 2809, 54: 2916, 55: 3025, 56: 3136, 57: 3249, 58: 3364, 59: 3481, 60: 3600, 61: 3721, 62: 3844, 63: 3969, 64: 4096, 65: 4225, 66: 4356, 67: 4489, 68: 4624, 69: 4761, 70: 4900, 71: 5041, 72: 5184, 73: 5329, 74: 5476, 75: 5625, 76: 5776, 77: 5929, 78: 6084, 79: 6241, 80: 6400, 81: 6561, 82: 6724, 83: 6889, 84: 7056, 85: 7225, 86: 7396, 87: 7569, 88: 7744, 89: 7921, 90: 8100, 91: 8281, 92: 8464, 93: 8649, 94: 8836, 95: 9025, 96: 9216, 97: 9409, 98: 9604}"},
            {"j", "(2500, 100, [0, 1, 2], 328350, 100, False, 99)"},
            {"k_", "50"},
            {"k", "(49, 51, True, (99, 9801))"},
            {"n", "({'a': 0, 'b': 0}, {'a': 1, 'q': 1}, ['a'], True, {'a': 1}, dict_keys(['a']), dict_values([1]), dict_items([('a', 1)]))"},
            {"o", "([1, 2, 3], True, [1, 3, 5], [0, 1, 2])"},
        });
}

TEST_CASE("constants: small programs") {
  check(R"py(
x = [1, 2, 3]
x[0], x[1] = x[1], x[0]
class Box:
    items = []
    def add(self, v):
        self.items.append(v)
        return self
a = Box().add(1).add(2).items
b = Box.items is a
def counter():
    counter_state["n"] += 1
    return counter_state["n"]
counter_state = {"n": 0}
c = counter(), counter()
grid = [[0] * 3 for _ in range(2)]
grid[1][2] = 5
grid[0][0] += 2
d = grid
acc = {}
for word in "the cat the dog".split():
    acc[word] = acc.get(word, 0) + 1
e = acc
def table(n):
    rows = []
    for i in range(n):
        row = {"i": i, "sq": i ** 2}
        if i % 2:
            row["odd"] = True
        rows.append(row)
    return rows
f = table(3)
def bisect(lo, hi, t):
    while lo < hi:
        mid = (lo + hi) // 2
        if mid * mid < t:
            lo = mid + 1
        else:
            hi = mid
    return lo
g = bisect(0, 100, 50)
def primes(n):
    sieve = [True] * (n + 1)
    out = []
    for p in range(2, n + 1):
        if sieve[p]:
            out.append(p)
            for q in range(p * p, n + 1, p):
                sieve[q] = False
    return out
h = primes(30)
with_default = [] or [0]
del with_default[0]
i = with_default
if True:
    def nested():
        return "n"
j = nested()
k: int = 5
l: "undefined_type"
m = __name__
)py",
        {
            {"x", "[2, 1, 3]"},
            {"a", "[1, 2]"},
            {"b", "True"},
            {"counter_state", "{'n': 2}"},
            {"c", "(1, 2)"},
            {"grid", "[[2, 0, 0], [0, 0, 5]]"},
            {"d", "[[2, 0, 0], [0, 0, 5]]"},
            {"acc", "{'the': 2, 'cat': 1, 'dog': 1}"},
            {"word", "'dog'"},
            {"e", "{'the': 2, 'cat': 1, 'dog': 1}"},
            {"f", "[{'i': 0, 'sq': 0}, {'i': 1, 'sq': 1, 'odd': True}, {'i': 2, 'sq': 4}]"},
            {"g", "8"},
            {"h", "[2, 3, 5, 7, 11, 13, 17, 19, 23, 29]"},
            {"with_default", "[]"},
            {"i", "[]"},
            {"j", "'n'"},
            {"k", "5"},
            {"m", "'program'"},
        });
}

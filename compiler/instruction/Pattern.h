// The pattern language of the instruction table: what a row says of a mesh, a layout, a shape or a number, written as text, parsed once and
// kept as plain data. It prints back as the reports of the reference print it. Matching (Match.h) unifies these trees with values.
//
// Terms are integers computed from *symbols*, names that matching binds at their first use and compares at every later one:
//   64   n   _   None                an integer; a symbol; anything, unbound; a position of a shape that may be anything
//   8 * c   p0 % 128   l // 2   + -  arithmetic with the precedence of Python, `//` and `%` rounding down
//   Bits('dtype0')                   bits of the dtype that a symbol is bound to
//   (8, 16, 32, 64)[a_swizzle]       the entry of a list; none outside it
//
// Tuples nest as layouts nest: `((r, W), (2, 8))`. One position of a tuple may be a star: `(*g, 4, 8, 4)` takes any number of modes before
// the last three and binds g to all of them, `*_` binds nothing, `*_{1}` takes only modes of the listed extents. Shape and strides are read as
// pairs: position i of both speaks of one mode, and a star in both takes the same modes.
//
// Layouts and meshes:
//   _                                                    anything
//   None                                                 not stated
//   layout                                               a layout without a mesh; the rules beside it read it as a whole
//   Layout(((8, 8), 16), ((l, W), 1))                    modes with these extents and strides
//   ComposedLayout(Swizzle(a_swizzle, 4, 3), k0, L)      the same behind an offset and a swizzle; `None` for no swizzle. A layout without a
//                                                        swizzle is one of zero bits, and a plain layout is one at offset 0
//   ShardLayout(L, (S(0), B()), M)                       distributed over the mesh M: what each mesh axis does; `_`: anything
//   Mesh(('thread',), L)                                 one level and how its units are arranged, offset first unit; `_`: the scope's own level
//
// Rules are conditions on symbols, or sentences about the whole layout they stand beside:
//   r * W == 64   8 <= n <= 256   k0 < W   != <= > >=    on terms
//   storage0 in {gmem, smem}   _ in {1}                  membership; `_` is the value that the rule stands beside
//   the sentences of kSentences in Pattern.cpp           one enumerator each
//
// A text that does not parse is a mistake in a row: it fails a check when the table is first read, and a test reads all rows.
// Thread rule: values; parsing has no state.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright::instruction {

// ---- terms
struct Term {
  enum class Kind : uint8_t { Any, None, Number, Symbol, Bits, Table, Add, Sub, Mul, FloorDiv, Mod };
  Kind kind = Kind::Any;
  int64_t number = 0;
  std::string symbol;          // Symbol; Bits: the one bound to a dtype
  std::vector<int64_t> table;  // Table: indexed by operands[0]
  std::vector<Term> operands;  // two of an operation
  bool operator==(const Term &) const = default;
};

/// What a symbol is bound to: an integer; the modes under a star, or a tuple of integers; a name (a dtype, a storage, a member of an enum).
using BoundValue = std::variant<int64_t, std::vector<int64_t>, std::string>;
/// In order of binding.
using Bindings = std::vector<std::pair<std::string, BoundValue>>;
const BoundValue *find(const Bindings &bindings, std::string_view symbol);
/// The integer that a symbol is bound to.
std::optional<int64_t> integer(const Bindings &bindings, std::string_view symbol);

/// The value of a term; null while a symbol in it is unbound, and where it has none (division by zero, outside a list, overflow).
std::optional<int64_t> evaluate(const Term &term, const Bindings &bindings);
/// What `symbol` has to be for the term to have `value` when every other symbol is bound. Null if no integer or no single one does, or the term does
/// not lead to the symbol by sums, products and entries of a list.
std::optional<int64_t> solve(const Term &term, int64_t value, std::string_view symbol, const Bindings &bindings);
/// Symbols of a term, each once, in order of appearance.
std::vector<std::string> symbols(const Term &term);

// ---- tuples
struct TuplePattern {
  enum class Kind : uint8_t { Leaf, Star, Tuple };
  Kind kind = Kind::Leaf;
  Term term;                           // Leaf; Star: what each mode under it is
  std::vector<int64_t> among;          // Star: the values a mode under it may have; empty: any
  std::vector<TuplePattern> elements;  // Tuple
  bool operator==(const TuplePattern &) const = default;
};

// ---- layouts and meshes
struct SwizzlePattern {
  Term bits, base, shift;
  bool operator==(const SwizzlePattern &) const = default;
};
struct StatePattern { // `S(2)` splits flattened mode 2, `B()` repeats
  bool split = false;
  int mode = -1;
  bool operator==(const StatePattern &) const = default;
};
struct MeshPattern;
struct LayoutPattern {
  enum class Kind : uint8_t { Any, None, Layout, Strided, Composed, Shard };
  Kind kind = Kind::Any;
  std::optional<TuplePattern> shape, strides;          // Strided
  std::optional<SwizzlePattern> swizzle;               // Composed: null for `None`
  Term offset;                                         // Composed
  std::shared_ptr<const LayoutPattern> inner;          // Composed: the strided part; Shard: of the whole value
  std::optional<std::vector<StatePattern>> states;     // Shard: null for `_`
  std::shared_ptr<const MeshPattern> mesh;             // Shard
};
struct MeshPattern {
  bool any = false;                 // `_`
  std::optional<std::string> level; // null for `_`: the innermost level
  LayoutPattern layout;
};

// ---- rules
struct Rule {
  enum class Kind : uint8_t {
    Compare,              // terms[0] op terms[1] (op terms[2])
    In,                   // terms[0] in members; Term::Kind::Any: the value the rule stands beside
    // Sentences.
    ForwardPerMode,       // no top-level mode has a mode within it that steps back over one before it
    InjectivePerMode,     // the coordinates of each top-level mode have different offsets, and fill what they span
    Forward, Injective,   // the same of the whole arrangement
    PlainArrangement,     // strides known, no swizzle, offset 0, every participant holds the whole
    TensorMap,            // binds step1.. to the strides of the dims of a tensor map, 0 where there is none
    BoxDims,              // binds dim0.. to the extents of the box that one issue moves
    WholeVectors,         // binds width to the bytes of one vector
  };
  enum class Op : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
  Kind kind = Kind::Compare;
  std::vector<Term> terms;
  std::vector<Op> ops;
  std::vector<std::string> members; // as printed: `gmem`, `bf16`, `Form.SS`, `1`
  bool operator==(const Rule &) const = default;
};
/// Whether a comparison or a membership of a symbol holds; null while it is not decided, and for sentences and rules about `_`.
std::optional<bool> holds(const Rule &rule, const Bindings &bindings);
/// Symbols of a rule, each once, in order of appearance.
std::vector<std::string> symbols(const Rule &rule);

// ---- text, both ways
Term parseTerm(std::string_view text);
TuplePattern parseTuple(std::string_view text);
LayoutPattern parseLayout(std::string_view text);
MeshPattern parseMesh(std::string_view text);
Rule parseRule(std::string_view text);
std::vector<Rule> parseRules(const std::vector<std::string_view> &texts);

std::string print(const Term &term);
std::string print(const TuplePattern &pattern);
std::string print(const LayoutPattern &pattern);
std::string print(const MeshPattern &pattern);
std::string print(const Rule &rule);
/// As paths print a binding: `64`, `(2, 4)`, `bf16`, `()`.
std::string print(const BoundValue &value);

} // namespace tilewright::instruction

// Whether an instruction can implement a statement, and why not. Matching unifies the contract of a row (Table.h) with the scope, the
// parameters and the operands of one use, node by node in a fixed order, and records every symbol it binds: the *path*. The first node that
// fails gives the reason; the path says how far matching went.
//
// Order: operand count; the execution mesh; dtype and storage of each operand in schema order; divisibility, repeat, order and tiling; whether
// the scope holds the operands; shape and layout of each; the rules between operands; last the target's capability. A refusal about extents comes
// with the parameters alone as its path.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Instruction.h"
#include "target/Target.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::instruction {

/// A use of an instruction: what a `tf.schedule` states, or what an unscheduled statement would.
struct Use {
  Instruction instruction;                             // parameters complete (canonical()); those an open match leaves out are absent
  std::vector<TensorType> operands;                    // every input parameter, the destination included, in schema order; a window has the
                                                       // layout in which it lies in its root
  std::vector<std::shared_ptr<const layout::Mesh>> scopes; // open mesh scopes, outermost first
  const target::Target *target = nullptr;              // null: capabilities are not asked
  std::optional<std::vector<int64_t>> repeat, order;   // as authored
};

struct Binding {
  std::string name, value; // as reports print them: {"a_swizzle", "3"}, {"storage0", "GMEM"}
  bool operator==(const Binding &) const = default;
};

/// The part of a use that a refusal is about; an editor underlines it.
enum class Node : uint8_t { None, Count, Parameter, Repeat, Order, Tiling, Mesh, Operand, Between, Scope, Capability };

/// What a refused operand is judged by.
enum class Field : uint8_t { None, DType, Storage, Shape, Layout };

/// One issue's window of an operand: `start[i]:start[i] + extent[i]` of the whole operand, and the layout of that window.
struct Tile {
  std::vector<int64_t> start, extent;
  layout::TensorLayout layout; // with the swizzle's remaining offset; sharded as the operand is, all-broadcast for shared memory read by an atom
};
/// One issue of an instruction that repeats, serial within a unit.
struct Issue {
  std::vector<Tile> operands;
};

struct Match {
  std::string id;                    // of the row that was matched: "T.copy", an atom's for T.tiled_mma
  bool accepted = false;
  std::vector<Binding> path;
  std::string reason;                // refusal: as reports print it, `lhs: 64 does not match 1`
  Node node = Node::None;
  int operand = -1;                  // the one that the reason is about or, between two, the one to change; -1: none of them
  Field field = Field::None;         // Node::Operand
  std::string parameter;             // the one at fault, of the atom where there is one; "": none
  std::string value, pattern;        // the two sides of `X does not match Y`, where the reason has that form
  Instruction instruction;           // accepted: complete
  std::vector<int64_t> repeat, order; // accepted: inferred or as authored
};

/// Matches one concrete use.
Match match(const Use &use);

/// What an open instruction could be here: parameters that the use leaves out are enumerated (atoms: dtype, form, majors, n). Accepted
/// variants, or else one refusal with the reason of the first that failed furthest.
std::vector<Match> matchOpen(const Use &use);

/// The issues of an accepted match of an instruction with an atom, in the order a unit runs them; one issue of whole operands for others.
std::vector<Issue> issues(const Use &use, const Match &accepted);

} // namespace tilewright::instruction

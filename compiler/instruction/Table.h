// The contract of every instruction, one row each. Typing, matching, candidates, facts, hovers, completion and emission read these rows and
// nothing else about an instruction; a new one is a row (Instructions.def says where) and, if it is emitted, its CUDA helper.
//
// A row states what the reports print, level by level: an arrangement has rules of its own, a case has rules for all its arrangements, an
// operand rules for all its cases. A rule stands at the highest level at which it holds for everything below. Matching reads the arrangement of
// an operand that fits, then every rule above it.
//
// Symbols are shared by the whole row: parameters, meshes and operands bind them in the order in which they stand.
// Thread rule: the table is immutable, made once on first use.
#pragma once
#include "instruction/Instruction.h"
#include "instruction/Pattern.h"
#include "target/Target.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::instruction {

/// Values of parameters, or of symbols that an operand binds, under which something applies: `dtype=bf16, form=SS`, `storage0=GMEM`. Values are as
/// paths print them. Empty: always.
using When = std::vector<std::pair<std::string, std::string>>;
std::string print(const When &when);

struct Parameter {
  enum class Kind : uint8_t { Int, Bool, Float, Ints, Text, DType, Enum, Atom };
  std::string name;
  Kind kind = Kind::Int;
  std::string enumType = {};             // Enum: as authors write it, `ReduceKind`, `T.cuda.sm90.Form`
  std::vector<std::string> members = {}; // Enum: `SS`; DType: `bf16`; Text: the texts; Atom: ids; empty: any
  std::vector<Rule> rules = {};          // Int: what the number must satisfy
  struct Case {
    When when;
    std::vector<std::string> members;
  };
  std::vector<Case> cases = {};          // members that depend on earlier parameters: the first case that applies
  bool optional = false;
  std::optional<InstructionParameter> defaultValue = {}; // of an optional one; absent: None. Where one member is left, that member
};

/// Which units issue one instruction.
struct MeshCase {
  When when;
  MeshPattern mesh;
  std::vector<Rule> rules;
};

struct Arrangement {
  When when;
  LayoutPattern layout;
  std::vector<Rule> rules;
};
struct DTypePattern { // neither: any
  std::string symbol = {};
  std::vector<DType> among = {};
};
struct StoragePattern {
  std::string symbol = {};
  std::vector<Storage> among = {};
};
struct OperandCase {
  When when;
  std::optional<TuplePattern> shape;
  DTypePattern dtype;
  StoragePattern storage;
  std::vector<Arrangement> arrangements; // empty: any
  std::vector<Rule> rules;
};
enum class Access : uint8_t { Read, Write, ReadWrite };
struct Operand {
  std::string name;
  Access access = Access::Read;
  std::vector<std::string> dims = {};    // of Row::iteration that index it; empty where the row names none
  std::vector<OperandCase> cases = {};   // one applies
  std::vector<Rule> rules = {};
  std::string ofAtom = {};               // T.tiled_mma: which operand of its atom this is
  bool optional = false;
};

/// A rule between two operands, or three: `src.shape = dst.shape`.
struct Between {
  enum class Kind : uint8_t {
    Same, Distinct, // of one field
    SameWalk,       // both step by 1 along the last mode of the same tile axis, their modes grouped by tile axis
    SameWalkIndexed // and vectors chosen by an index stay within axis 0
  };
  enum class Field : uint8_t { Shape, DType, Storage };
  Kind kind = Kind::Same;
  Field field = Field::Shape;
  std::string left, right; // operands by name
};
std::string print(const Between &rule);

struct Row {
  enum class Kind : uint8_t { Instruction, Atom }; // an atom is named by `atom=` of T.tiled_mma, not by `op=`
  std::string id;                          // "T.copy_async_tensor"
  std::string className;                   // "CopyAsyncTensor", as refusals name it
  std::string summary;                     // one line for a hover
  Kind kind = Kind::Instruction;
  std::string capability = {};             // of the target; "": all targets
  std::vector<MeshCase> meshes = {};
  bool everyLevel = false;                 // the mesh stands for one of each level that issues instructions on the target
  std::vector<Parameter> parameters = {};
  std::vector<Operand> operands = {};
  std::vector<Between> between = {};
  size_t destination = 0;                  // the operand whose type the result has
  std::vector<std::string> iteration = {}; // dimensions of one issue, m, n, k; empty: the axes of the destination
  std::string cost = {};                   // how time and work are counted
  std::string ptx = {};                    // the hardware's name for it; "": a sequence of ordinary instructions
  std::string source = {};                 // where that is specified
  bool listed = true;                      // in inventories
  bool complete = false;                   // prints the defaults of its parameters, as atoms do
};

/// All rows in inventory order; atoms follow T.tiled_mma.
std::span<const Row> rows();
const Row *rowNamed(std::string_view id);
/// The rows that the target's capabilities admit; T.tiled_mma where one of its atoms is.
bool admits(const target::Target &target, const Row &row);
/// The atoms of T.tiled_mma on this target, of all targets for null; none for other rows.
std::vector<const Row *> atomsOf(const Row &row, const target::Target *target);
/// The meshes that may issue the row on this target; null: on any that has its capability. None: nothing there issues it.
std::vector<MeshCase> meshesOn(const Row &row, const target::Target *target);

/// A value of a parameter as paths print it: `SS`, `bf16`, `64`, `T.cuda.sm90.Wgmma` for an atom.
std::string pathText(const InstructionParameter &value);
const InstructionParameter *find(const Instruction &instruction, std::string_view parameter);
/// The parameters as symbols.
Bindings bindingsOf(const Instruction &instruction);
/// Whether everything in `when` that speaks of a bound symbol agrees, and nothing in it is unbound.
bool applies(const When &when, const Bindings &bindings);
/// The case of the operand under these parameters; null if none applies.
const OperandCase *caseOf(const Operand &operand, const Bindings &bindings);

/// The instruction as it prints: parameters in declared order, those of an atom and of a complete row all there, defaults of others left out.
struct CanonicalInstruction {
  Instruction instruction;
  std::string error;     // lower case; empty: fine
  std::string parameter; // the one it is about
};
CanonicalInstruction canonical(const Instruction &authored);

/// Extents of one issue of an atom with these parameters: m, n, k.
struct AtomShape {
  int64_t m = 0, n = 0, k = 0;
};
AtomShape shapeOf(const Instruction &atom);

} // namespace tilewright::instruction

// The program as the analyses see it: every function placed where it is called, every region a scope with its trips and mesh, and every
// value resolved to the buffer whose bytes it names.
//
// An *instance* is one function at one place of the call tree (the root of an analysis has no caller). Its values get
//   - the loops they vary in: through the loop's variable or its own carry; a carry hides what its initial value varied in,
//   - an index expression, if they are address arithmetic,
//   - per flattened leaf a source: the root buffer and the window of it that the value names. Slices, reshapes, bitcasts, reshards that keep
//     the bytes, tuple items and the results of loops, meshes and calls are windows of another value's root; everything else is a root.
// Thread rule: one model belongs to one analysis.
#pragma once
#include "analysis/Distribution.h"
#include "analysis/Index.h"
#include "instruction/Table.h"
#include "ir/Plan.h"
#include "support/Cancel.h"

#include <map>
#include <memory>
#include <vector>

namespace tilewright::analysis {

struct Scope {
  enum class Kind : uint8_t { Context, Function, Loop, Mesh } kind = Kind::Function;
  int parent = -1;
  int instance = -1;
  ir::RegionId region = ir::kNone;
  VariableId variable = -1;      // Loop
  int64_t trips = 1;             // Loop: the most that any unit makes, at least 1
  bool exact = true;             // Loop: every unit makes the same number
  int mesh = -1;                 // Mesh and Context: occurrence
};

/// One entry into a mesh: its coordinates are variables.
struct MeshOccurrence {
  std::shared_ptr<const layout::Mesh> mesh;
  std::vector<ExprId> axes;
  int64_t wave = 0;              // positions that run at once, in linear order; all of them if not fewer
};

struct WindowAxis {
  ExprId start = 0;
  int64_t extent = 1, step = 1;
  bool operator==(const WindowAxis &) const = default;
};
struct Window {
  std::vector<WindowAxis> axes;
  int frame = 0;                 // the shape that the axes speak of: 0 the root's own, else another shape of all of it
  bool operator==(const Window &) const = default;
};
struct Source {
  int root = -1;
  Window window;
  std::vector<int> viewAxes;     // axis of the value -> axis of the window, -1: an axis of extent 1 that is not there
  bool opaque = false;           // the value's axes have no place in the window: a part of it counts as all of it
  bool widened = false;          // the window is wider than what is named
  std::vector<int> loops;        // scopes of loops in which the window moves
};

struct Root {
  enum class Kind : uint8_t { Parameter, Value, Insert, Carry } kind = Kind::Value;
  int instance = -1;
  ir::ValueId value = ir::kNone;
  int leaf = 0;
  ir::TensorType type;
  std::vector<int64_t> shape;    // what one unit of the selected level holds
};

struct Instance {
  size_t function = 0;
  int parent = -1;               // instance of the caller
  ir::ValueId call = ir::kNone;  // in the caller
  int root = -1;                 // scope of the function's body
  std::vector<int> scopes;       // by region
  std::vector<std::vector<int>> loops;    // by value
  std::vector<ExprId> exprs;              // by value; Index::unknown() where it is no address arithmetic
  std::vector<std::vector<Source>> sources;
  std::vector<std::pair<ir::ValueId, int>> callees; // call -> instance
};

class Model {
public:
  /// `atOnce`: for each declared level, its units that run at once; 0: not stated, all of them.
  Model(const ir::Program &program, Levels levels, std::vector<int64_t> atOnce, const CancelToken &cancel);

  const ir::Program &program;
  Levels levels;
  Index index;
  std::vector<Scope> scopes;
  std::vector<MeshOccurrence> meshes;
  std::vector<Instance> instances;
  std::vector<Root> roots;
  bool truncated = false;        // the call tree was larger than kMostInstances: some callees are not expanded

  /// Places `function` as the root of an analysis inside the meshes of its call sites (none for the entry).
  int instantiate(size_t function, const std::vector<std::shared_ptr<const layout::Mesh>> &context);

  const ir::FunctionPlan &plan(const Instance &instance) const { return program.functions[instance.function]; }
  /// Positions that execute a scope, at levels no finer than the selected one.
  int64_t positions(int scope) const;
  /// Waves in which the positions of the selected level run.
  int64_t waves(int scope) const;
  /// Enclosing loops of a scope within its instance's root, innermost first.
  std::vector<int> loopsAround(int scope) const;
  int instanceOf(const Instance &caller, ir::ValueId call) const;
  /// Names `part` (starts, sizes and steps along the value's axes) of what `whole` names.
  Source part(const Source &whole, const std::vector<WindowAxis> &part, const std::vector<int> &loops);
  Source whole(int root);
  bool isWhole(const Source &source) const;
  /// The innermost occurrence around `scope` whose mesh equals `mesh`; -1 for none.
  int occurrence(int scope, const layout::Mesh &mesh) const;
  bool cancelled() const { return cancel_.raised(); }

private:
  std::map<std::tuple<size_t, ir::ValueId, int>, int> calleeRoots_; // a callee's value is one buffer, however often it is called
  static constexpr size_t kMostInstances = 2000;
  int place(size_t function, int parentScope, int callerInstance, ir::ValueId call, int depth);
  int newScope(Scope scope);
  int enterMesh(int parent, int instance, ir::RegionId region, const std::shared_ptr<const layout::Mesh> &mesh, Scope::Kind kind);
  void walk(int instance, ir::RegionId region, int depth);
  void define(int instance, ir::ValueId value, int scope, int depth);
  void defineOp(int instance, ir::ValueId value);
  void countTrips(Scope &scope);
  ExprId scalar(const Instance &instance, const ir::DimExpr &dim);
  ExprId known(const Instance &instance, ir::ValueId value) const;
  int frameOf(const std::vector<int64_t> &shape);
  ExprId coordinate(const Instance &instance, const ir::PlanValue &value) const;
  Source newRoot(int instance, ir::ValueId value, int leaf, const ir::TensorType &type, Root::Kind kind);
  void collect(const Instance &instance, const ir::DimExpr &dim, std::vector<int> &loops) const;

  std::vector<int64_t> atOnce_;
  std::vector<std::vector<int64_t>> frames_;
  CancelToken cancel_;
};

/// The contract of the instruction that a tf.schedule names; null if there is none.
const instruction::Row *rowOf(const ir::PlanValue &schedule);
/// Whether a tf.schedule adds a product to what an operand holds.
bool isProduct(const ir::PlanValue &schedule);
/// The operand that a tf.schedule results in.
size_t writtenOperand(const ir::PlanValue &schedule);
/// Flattened tensor leaves of a type.
void leavesOf(const ir::Type &type, std::vector<const ir::TensorType *> &leaves);
/// Sorted union.
void unite(std::vector<int> &into, const std::vector<int> &more);

} // namespace tilewright::analysis

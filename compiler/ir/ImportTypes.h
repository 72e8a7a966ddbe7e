// Tensor types, layouts, meshes and instructions from evaluated values. Part of the importer.
#pragma once
#include "ir/Attributes.h"
#include "ir/Import.h"
#include "syntax/Constants.h"

#include <functional>

namespace tilewright::ir {

/// A mesh that a `with` statement or @func(mesh=...) has opened. The evaluator hands it around as an Opaque whose callee is kScopePrefix
/// and the scope's number; `_compute.group` then has the callee `<scope>.group`.
struct MeshScope {
  int number = 0;                               // in source order; 0 is the function's
  std::shared_ptr<const layout::Mesh> mesh;     // as declared here
  std::shared_ptr<const layout::Mesh> composed; // over the scopes around it
  int selectedFrom = -1;                        // number of the scope this one is a slice of
  bool relaid = false;                          // Mesh(threads[1:3, :], layout=...): a slice under a layout of its own
  std::vector<layout::AxisRange> ranges;        // of a slice: one per axis of the scope it is taken from
  bool sliced = false;                          // a slice, perhaps relaid: not to be sliced again
  std::string alias;
};
inline constexpr std::string_view kScopePrefix = "$mesh";

/// What reading types needs to know about its surroundings.
struct TypeReader {
  DiagnosticSink &sink;
  const ImportOptions &options;
  const std::vector<layout::Topology> &topologies;
  std::function<const MeshScope *(int number)> scope;   // an open scope by number
  std::function<std::shared_ptr<const layout::Mesh>()> composed; // mesh of all open scopes; null outside any
  std::vector<std::string> *openDims = nullptr;         // collects DimVars without a value

  /// The scope an opaque value names, and the axis after the dot ("" if none); null if it is no scope.
  const MeshScope *scopeOf(const syntax::Value &value, std::string *axis = nullptr) const;

  std::optional<int64_t> dim(const syntax::Value &value, Span at, bool quiet = false) const; // integer, DimVar, arithmetic of them
  std::optional<TensorType> tensorType(const syntax::Value &value, Span at, bool *isConst = nullptr) const;
  std::optional<Type> annotation(const syntax::Value &value, Span at) const; // Tensor[...], tuple[...]
  std::optional<layout::TensorLayout> layoutOf(const syntax::Value &value, const std::vector<int64_t> &shape, Span at) const;
  std::optional<DType> dtype(const syntax::Value &value, Span at) const;
  std::optional<Storage> storage(const syntax::Value &value, Span at) const;
  /// Mesh(...), a scope, or a slice of one; `selectedFrom` and `relaid` as in MeshScope.
  std::optional<MeshScope> mesh(const syntax::Value &value, Span at) const;
  std::optional<Instruction> instruction(const syntax::Value &value, Span at) const;
  /// The value of one parameter of `instruction`. Null without a diagnostic when it is None: as if left out.
  std::optional<InstructionParameter> parameter(std::string_view instruction, std::string_view name, const syntax::Value &value, Span at) const;
  std::optional<layout::Topology> topology(const syntax::Value &value, Span at) const;

private:
  /// `ShardLayout(layout=..., attrs=(S(0), B()), mesh=...)`: the parts of a layout by name.
  std::optional<layout::TensorLayout> shardLayout(const syntax::Opaque &call, const std::vector<int64_t> &shape, Span at) const;
};

/// Whether a declared type accepts a value's: shape and dtype equal, storage equal unless the declaration says umat, and every part of
/// the layout that the declaration states.
bool accepts(const Type &declared, const Type &actual);

/// `Tensor[(64, 64), "bf16", "smem"]` without mesh names, for messages.
std::string describe(const Type &type);

} // namespace tilewright::ir

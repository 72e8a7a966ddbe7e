// What the type rules of the op families share. Private to ir/Ops*.cpp.
//
// Storage: the operands that live somewhere agree on where; `umat` (literals, loop arithmetic, extents) abstains.
// Layouts: an op that makes a value of its own lays it out anew; one that maps elements one to one keeps the layout it reads, if that
// layout describes the result (Pointwise).
#pragma once
#include "ir/OpTable.h"

#include <functional>
#include <optional>

namespace tilewright::ir::rules {

Inferred fail(std::string error, int operand = -1, std::string attribute = {});
Inferred done(TensorType type);

/// The tensor type of an operand. TW_CHECKs that it is no tuple; `operandsAreTensors` refuses tuples with a sentence first.
const TensorType &tensor(const OpUse &use, size_t operand);
std::string shapeText(const std::vector<int64_t> &shape);
std::string typeText(const TensorType &type); // `bf16 (64, 64) in smem`

// ---- attributes of a use; the importer has checked their kinds
int64_t intOf(const OpUse &use, std::string_view name, int64_t otherwise = 0);
bool boolOf(const OpUse &use, std::string_view name, bool otherwise = false);
std::vector<int64_t> intsOf(const OpUse &use, std::string_view name);
std::optional<DType> dtypeOf(const OpUse &use, std::string_view name);
std::string textOf(const OpUse &use, std::string_view name); // a string, or the value of an enumerator
bool given(const OpUse &use, std::string_view name);

/// The axis an attribute names, negative ones counted from the end; null if it is out of range.
std::optional<int> axisOf(int64_t axis, size_t rank);
/// NumPy broadcasting, right-aligned; null if some axis disagrees.
std::optional<std::vector<int64_t>> broadcast(const std::vector<int64_t> &a, const std::vector<int64_t> &b);

/// The storage several operands agree on, or the index of the operand that disagrees with an earlier one.
struct Residency {
  Storage storage = Storage::Umat;
  int conflict = -1;
  Storage with = Storage::Umat;
};
Residency residency(const OpUse &use, std::span<const size_t> operands);
Inferred storageConflict(const OpUse &use, const Residency &residency);

/// Refuses an operand that holds a partial result, saying that it has to be completed first. -1: fine.
std::optional<Inferred> refusePartial(const OpUse &use, std::span<const size_t> operands);

/// Where each logical axis of an operand goes: result axis, or a negative number that names a reduced (contracted) dimension, or
/// kConstant (broadcast, read at zero).
inline constexpr int kConstant = 1 << 20;
using AxisMap = std::vector<int>;
struct PropagatedOperand {
  size_t operand = 0;
  AxisMap axes;
};
/// States of the result by mesh axis, from the operands that are shared out. `mesh` null: none is.
struct Propagated {
  std::shared_ptr<const layout::Mesh> mesh;
  std::vector<layout::LogicalState> states;
  std::optional<Inferred> error;
};
/// Splits of reduced dimensions become Partial("sum"). A Partial of an operand is kept as it is: the op has judged it before.
Propagated propagate(const OpUse &use, const std::vector<PropagatedOperand> &operands);
/// The result type of an op that lays its result out anew over `shape`: shared out as the operands are; else compact if some operand
/// states a layout or `always`, none otherwise.
Inferred freshResult(const OpUse &use, const std::vector<PropagatedOperand> &operands, std::vector<int64_t> shape, DType dtype,
                     Storage storage, bool statedLayout);

/// Refuses operands of which some hold partial results of a reduction and others do not.
std::optional<Inferred> requireUniformPartials(const OpUse &use);

/// Elementwise ops over broadcast operands. `operands` are those whose layout matters, in order; the shape is at least `atLeast`.
Inferred pointwise(const OpUse &use, const std::vector<size_t> &operands, DType dtype, Storage storage, const std::vector<int64_t> &atLeast = {});

/// The compact layout of a value that the mesh of `like` repeats.
layout::TensorLayout repeated(const std::vector<int64_t> &shape, const layout::TensorLayout &like);
/// Whether an operand is split along a logical axis.
bool isSplitAlong(const TensorType &type, int axis);
/// The layout of a value with some axes reduced to nothing: their modes stay as ones that step nowhere, the rest is compact anew, and a
/// mesh axis that split a reduced axis repeats the result. `shape` is the result's.
layout::TensorLayout reducedLayout(const TensorType &x, const std::vector<bool> &reduced, bool keepdim, const std::vector<int64_t> &shape);

/// Common rows: one tensor in, the same shape and layout out, with what the partial states may be.
enum class Commutes : uint8_t { None, Sum, MaxMin };
Inferred sameType(const OpUse &use, Commutes commutes, std::optional<DType> dtype = {});

// ---- the rows of each family (Ops*.cpp)
void addMath(std::vector<OpSpec> &table);
void addNn(std::vector<OpSpec> &table);
void addShape(std::vector<OpSpec> &table);
void addTensor(std::vector<OpSpec> &table);
void addSharding(std::vector<OpSpec> &table);
void addSchedule(std::vector<OpSpec> &table);
} // namespace tilewright::ir::rules

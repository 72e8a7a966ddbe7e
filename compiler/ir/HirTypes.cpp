// The hir dialect's types and attributes, and their plain-data twins of ir/Types.h.
#include "ir/HirDialect.h"
#include "support/Check.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "HirAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "HirTypes.cpp.inc"

namespace tilewright::ir::hir {
namespace {

mlir::Attribute tupleToMlir(Builder &b, const layout::IntTuple &tuple) {
  if (!tuple.isTuple)
    return b.getI64IntegerAttr(tuple.value);
  SmallVector<mlir::Attribute> elements;
  for (const layout::IntTuple &element : tuple.elements)
    elements.push_back(tupleToMlir(b, element));
  return b.getArrayAttr(elements);
}

layout::IntTuple tupleFromMlir(mlir::Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return layout::IntTuple(integer.getInt());
  std::vector<layout::IntTuple> elements;
  for (mlir::Attribute element : cast<ArrayAttr>(attribute))
    elements.push_back(tupleFromMlir(element));
  return layout::IntTuple::tuple(std::move(elements));
}

std::string stateText(const layout::AxisState &state) {
  switch (state.kind) {
  case layout::StateKind::Broadcast: return "B";
  case layout::StateKind::Split: return "S(" + std::to_string(state.mode) + ")";
  case layout::StateKind::Partial: return "P(" + state.reduction + ")";
  case layout::StateKind::Dynamic: return "D";
  }
  return "B";
}

layout::AxisState stateFrom(StringRef text) {
  layout::AxisState state;
  if (text.consume_front("S(")) {
    state.kind = layout::StateKind::Split;
    text.drop_back().getAsInteger(10, state.mode);
  } else if (text.consume_front("P(")) {
    state.kind = layout::StateKind::Partial;
    state.reduction = text.drop_back().str();
  } else if (text == "D") {
    state.kind = layout::StateKind::Dynamic;
  }
  return state;
}

// Instructions are dictionaries: {instruction = "T.tiled_mma", parameters = [["atom", ...], ...]}.
mlir::Attribute instructionToMlir(Builder &b, const Instruction &instruction);

mlir::Attribute parameterToMlir(Builder &b, const InstructionParameter &parameter) {
  if (auto *integer = std::get_if<int64_t>(&parameter))
    return b.getI64IntegerAttr(*integer);
  if (auto *flag = std::get_if<bool>(&parameter))
    return b.getBoolAttr(*flag);
  if (auto *number = std::get_if<double>(&parameter))
    return b.getF64FloatAttr(*number);
  if (auto *text = std::get_if<std::string>(&parameter))
    return b.getStringAttr(*text);
  if (auto *member = std::get_if<Enumerator>(&parameter))
    return b.getStrArrayAttr({member->type, member->value});
  if (auto *numbers = std::get_if<std::vector<int64_t>>(&parameter))
    return b.getDenseI64ArrayAttr(*numbers);
  return instructionToMlir(b, std::get<std::vector<Instruction>>(parameter).front());
}

mlir::Attribute instructionToMlir(Builder &b, const Instruction &instruction) {
  SmallVector<mlir::Attribute> parameters;
  for (const auto &[name, value] : instruction.parameters)
    parameters.push_back(b.getArrayAttr({b.getStringAttr(name), parameterToMlir(b, value)}));
  return b.getDictionaryAttr({b.getNamedAttr("instruction", b.getStringAttr(instruction.name)), b.getNamedAttr("parameters", b.getArrayAttr(parameters))});
}

Instruction instructionFromMlir(DictionaryAttr dictionary);

InstructionParameter parameterFromMlir(mlir::Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  if (auto pair = dyn_cast<ArrayAttr>(attribute))
    return Enumerator{cast<StringAttr>(pair[0]).str(), cast<StringAttr>(pair[1]).str()};
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::vector<int64_t>(numbers.asArrayRef().begin(), numbers.asArrayRef().end());
  return std::vector<Instruction>{instructionFromMlir(cast<DictionaryAttr>(attribute))};
}

Instruction instructionFromMlir(DictionaryAttr dictionary) {
  Instruction instruction;
  instruction.name = cast<StringAttr>(dictionary.get("instruction")).str();
  for (mlir::Attribute pair : cast<ArrayAttr>(dictionary.get("parameters"))) {
    auto entry = cast<ArrayAttr>(pair);
    instruction.parameters.emplace_back(cast<StringAttr>(entry[0]).str(), parameterFromMlir(entry[1]));
  }
  return instruction;
}

} // namespace

MeshAttr toMlir(MLIRContext *context, const layout::Mesh &mesh) {
  Builder b(context);
  SmallVector<mlir::Attribute> levels, names;
  for (const layout::Topology &topology : mesh.topologies)
    levels.push_back(b.getArrayAttr({b.getStringAttr(topology.name), b.getI64IntegerAttr(topology.extent)}));
  for (const std::string &name : mesh.names)
    names.push_back(b.getStringAttr(name));
  return MeshAttr::get(context, b.getArrayAttr(levels), b.getDenseI64ArrayAttr(mesh.shape), b.getDenseI64ArrayAttr(mesh.strides), mesh.offset,
                       mesh.composed, b.getArrayAttr(names));
}

layout::Mesh fromMlir(MeshAttr attribute) {
  layout::Mesh mesh;
  for (mlir::Attribute level : attribute.getLevels()) {
    auto pair = cast<ArrayAttr>(level);
    mesh.topologies.push_back({cast<StringAttr>(pair[0]).str(), cast<IntegerAttr>(pair[1]).getInt()});
  }
  mesh.shape = attribute.getShape().asArrayRef().vec();
  mesh.strides = attribute.getStrides().asArrayRef().vec();
  mesh.offset = attribute.getOffset();
  mesh.composed = attribute.getComposed();
  for (mlir::Attribute name : attribute.getNames())
    mesh.names.push_back(cast<StringAttr>(name).str());
  return mesh;
}

LayoutAttr toMlir(MLIRContext *context, const layout::TensorLayout &layout) {
  Builder b(context);
  auto shape = cast<ArrayAttr>(tupleToMlir(b, layout.shape));
  ArrayAttr strides = layout.strides ? cast<ArrayAttr>(tupleToMlir(b, *layout.strides)) : ArrayAttr();
  DenseI64ArrayAttr swizzle;
  if (layout.swizzle)
    swizzle = b.getDenseI64ArrayAttr({layout.swizzle->bits, layout.swizzle->base, layout.swizzle->shift});
  MeshAttr mesh = layout.mesh ? toMlir(context, *layout.mesh) : MeshAttr();
  ArrayAttr states;
  if (layout.mesh) {
    SmallVector<mlir::Attribute> texts;
    for (const layout::AxisState &state : layout.states)
      texts.push_back(b.getStringAttr(stateText(state)));
    states = b.getArrayAttr(texts);
  }
  return LayoutAttr::get(context, shape, strides, layout.offset, swizzle, mesh, states, layout.explicitState, layout.window);
}

layout::TensorLayout fromMlir(LayoutAttr attribute) {
  layout::TensorLayout layout;
  layout.shape = tupleFromMlir(attribute.getShape());
  if (attribute.getStrides())
    layout.strides = tupleFromMlir(attribute.getStrides());
  layout.offset = attribute.getOffset();
  if (auto swizzle = attribute.getSwizzle())
    layout.swizzle = layout::Swizzle{static_cast<int>(swizzle[0]), static_cast<int>(swizzle[1]), static_cast<int>(swizzle[2])};
  if (attribute.getMesh())
    layout.mesh = std::make_shared<layout::Mesh>(fromMlir(attribute.getMesh()));
  if (attribute.getStates())
    for (mlir::Attribute text : attribute.getStates())
      layout.states.push_back(stateFrom(cast<StringAttr>(text).getValue()));
  layout.explicitState = attribute.getStated();
  layout.window = attribute.getWindow();
  return layout;
}

mlir::Type toMlir(MLIRContext *context, const Type &type) {
  if (type.isTuple) {
    SmallVector<mlir::Type> fields;
    for (const Type &field : type.fields)
      fields.push_back(toMlir(context, field));
    return TupleType::get(context, fields);
  }
  Builder b(context);
  const ir::TensorType &tensor = type.tensor;
  return TensorType::get(context, b.getDenseI64ArrayAttr(tensor.shape), b.getStringAttr(name(tensor.dtype)), b.getStringAttr(name(tensor.storage)),
                         tensor.layout ? toMlir(context, *tensor.layout) : LayoutAttr());
}

Type fromMlir(mlir::Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    std::vector<Type> fields;
    for (mlir::Type field : tuple.getFields())
      fields.push_back(fromMlir(field));
    return Type::tuple(std::move(fields));
  }
  auto tensor = cast<TensorType>(type);
  ir::TensorType plain;
  plain.shape = tensor.getShape().asArrayRef().vec();
  auto dtype = dtypeNamed(tensor.getDtype().getValue());
  auto storage = storageNamed(tensor.getStorage().getValue());
  TW_CHECK(dtype && storage, "a tensor type names a dtype and a storage level");
  plain.dtype = *dtype;
  plain.storage = *storage;
  if (tensor.getLayout())
    plain.layout = fromMlir(tensor.getLayout());
  return plain;
}

mlir::Attribute toMlir(MLIRContext *context, const Attribute &attribute) {
  Builder b(context);
  struct Visitor {
    MLIRContext *context;
    Builder &b;
    mlir::Attribute operator()(std::monostate) { return b.getUnitAttr(); }
    mlir::Attribute operator()(bool value) { return b.getBoolAttr(value); }
    mlir::Attribute operator()(int64_t value) { return b.getI64IntegerAttr(value); }
    mlir::Attribute operator()(double value) { return b.getF64FloatAttr(value); }
    mlir::Attribute operator()(const std::string &value) { return b.getStringAttr(value); }
    mlir::Attribute operator()(const std::vector<int64_t> &value) { return b.getDenseI64ArrayAttr(value); }
    mlir::Attribute operator()(DType value) { return b.getStringAttr(name(value)); }
    mlir::Attribute operator()(Storage value) { return b.getStringAttr(name(value)); }
    mlir::Attribute operator()(const Enumerator &value) { return b.getStringAttr(value.type + "." + value.value); }
    mlir::Attribute operator()(const layout::TensorLayout &value) { return toMlir(context, value); }
    mlir::Attribute operator()(const ir::TensorType &value) { return TypeAttr::get(toMlir(context, Type(value))); }
    mlir::Attribute operator()(const Instruction &value) { return instructionToMlir(b, value); }
  };
  return std::visit(Visitor{context, b}, attribute);
}

Attribute fromMlir(mlir::Attribute attribute, const AttributeSpec &spec) {
  if (isa<UnitAttr>(attribute))
    return std::monostate{};
  using Kind = AttributeSpec::Kind;
  switch (spec.kind) {
  case Kind::Int: return cast<IntegerAttr>(attribute).getInt();
  case Kind::Bool: return cast<BoolAttr>(attribute).getValue();
  case Kind::Float:
    if (auto whole = dyn_cast<IntegerAttr>(attribute))
      return whole.getInt();
    return cast<FloatAttr>(attribute).getValueAsDouble();
  case Kind::String: return cast<StringAttr>(attribute).str();
  case Kind::Ints: return cast<DenseI64ArrayAttr>(attribute).asArrayRef().vec();
  case Kind::DType: return dtypeNamed(cast<StringAttr>(attribute).getValue()).value_or(DType::F32);
  case Kind::Storage: return storageNamed(cast<StringAttr>(attribute).getValue()).value_or(Storage::Gmem);
  case Kind::Enum: {
    auto [type, value] = cast<StringAttr>(attribute).getValue().split('.');
    return Enumerator{type.str(), value.str()};
  }
  case Kind::Layout: return fromMlir(cast<LayoutAttr>(attribute));
  case Kind::Type: return fromMlir(cast<TypeAttr>(attribute).getValue()).tensor;
  case Kind::Instruction: return instructionFromMlir(cast<DictionaryAttr>(attribute));
  }
  return std::monostate{};
}

void HirDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "HirAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "HirTypes.cpp.inc"
      >();
  registerOperations();
}

} // namespace tilewright::ir::hir

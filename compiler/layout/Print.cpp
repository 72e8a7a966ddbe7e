#include "layout/Print.h"

namespace tilewright::layout {

std::string printTuple(const IntTuple &tuple) {
  if (!tuple.isTuple)
    return std::to_string(tuple.value);
  std::string out = "(";
  for (size_t i = 0; i < tuple.elements.size(); ++i)
    out += (i ? ", " : "") + printTuple(tuple.elements[i]);
  return out + (tuple.elements.size() == 1 ? ",)" : ")");
}

std::string printTuple(const std::vector<int64_t> &values) { return printTuple(IntTuple::of(values)); }

static std::string printStrings(const std::vector<std::string> &values) {
  std::string out = "(";
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? ", \"" : "\"") + values[i] + "\"";
  return out + (values.size() == 1 ? ",)" : ")");
}

std::string printMesh(const Mesh &mesh) {
  std::string out = "Mesh((";
  for (size_t i = 0; i < mesh.topologies.size(); ++i)
    out += (i ? ", " : "") + ("Topology(\"" + mesh.topologies[i].name) + "\", " + std::to_string(mesh.topologies[i].extent) + ")";
  out += mesh.topologies.size() == 1 ? ",)" : ")";
  out += ", layout=" + printTuple(mesh.shape);
  if (!mesh.names.empty())
    out += ", names=" + printStrings(mesh.names);
  return out + ")";
}

static bool nested(const IntTuple &tuple) {
  for (const IntTuple &element : tuple.elements)
    if (element.isTuple)
      return true;
  return false;
}

/// Shape and strides of a layout without placement: short when flat, `Layout(shape, strides)` when nested.
static std::string printPlain(const TensorLayout &layout, bool hideCompact) {
  const bool hidden = !layout.strides || (hideCompact && isCompact(layout));
  if (nested(layout.shape))
    return "Layout(" + printTuple(layout.shape) + (layout.strides ? ", " + printTuple(*layout.strides) : "") + ")";
  const std::string shape = printTuple(layout.shape);
  return hidden ? shape : "(" + shape + ", " + printTuple(*layout.strides) + ")";
}

static std::string withOffset(std::string text, const TensorLayout &layout) {
  if (layout.offset != 0)
    text += " + " + std::to_string(layout.offset);
  if (layout.swizzle)
    text += " | Swizzle(" + std::to_string(layout.swizzle->bits) + ", " + std::to_string(layout.swizzle->base) + ", " +
            std::to_string(layout.swizzle->shift) + ")";
  return text;
}

/// `ShardLayout(layout=..., attrs=..., mesh=...)`, one part a line.
static std::string printParts(const TensorLayout &layout, int indent) {
  const std::string pad(static_cast<size_t>(indent) + 4, ' ');
  std::string out = "\n" + std::string(static_cast<size_t>(indent), ' ') + "ShardLayout(\n" + pad;
  std::string inner = "Layout(" + printTuple(layout.shape) + (layout.strides ? ", " + printTuple(*layout.strides) : "") + ")";
  if (layout.offset != 0 || layout.swizzle) {
    const std::string deeper(static_cast<size_t>(indent) + 8, ' ');
    const std::string swizzle =
        layout.swizzle ? "Swizzle(" + std::to_string(layout.swizzle->bits) + ", " + std::to_string(layout.swizzle->base) + ", " +
                             std::to_string(layout.swizzle->shift) + ")"
                       : "None";
    inner = "ComposedLayout(\n" + deeper + "inner=" + swizzle + ",\n" + deeper + "offset=" + std::to_string(layout.offset) + ",\n" + deeper +
            "outer=" + inner + ",\n" + pad + ")";
  }
  out += "layout=" + inner + ",\n" + pad + "attrs=(";
  for (size_t i = 0; i < layout.states.size(); ++i) {
    const AxisState &state = layout.states[i];
    out += i ? ", " : "";
    switch (state.kind) {
    case StateKind::Broadcast: out += "B()"; break;
    case StateKind::Split: out += "S(" + std::to_string(state.mode) + ")"; break;
    case StateKind::Partial: out += "P(\"" + state.reduction + "\")"; break;
    case StateKind::Dynamic: out += "Dynamic()"; break;
    }
  }
  out += layout.states.size() == 1 ? ",)" : ")";
  return out + ",\n" + pad + "mesh=" + printMesh(*layout.mesh) + ",\n" + std::string(static_cast<size_t>(indent), ' ') + ")";
}

std::string printLayout(const TensorLayout &layout, const std::vector<int64_t> &, const AxisNamer &axisName, int indent) {
  if (!layout.mesh)
    return withOffset(printPlain(layout, true), layout);
  const bool sharded = isSharded(layout);
  const std::vector<int64_t> modes = layout.shape.flat();
  std::vector<std::string> text(modes.size());
  for (size_t i = 0; i < modes.size(); ++i)
    text[i] = std::to_string(modes[i]);
  std::string states;
  for (size_t i = 0; i < layout.states.size(); ++i) {
    const AxisState &state = layout.states[i];
    if (sharded && state.kind == StateKind::Broadcast)
      continue;
    const std::string name = axisName ? axisName(*layout.mesh, static_cast<int>(i)) : std::string();
    if (name.empty())
      return printParts(layout, indent);
    if (state.kind == StateKind::Split)
      text[static_cast<size_t>(state.mode)] += " @ " + name;
    else if (state.kind == StateKind::Partial)
      states += (states.empty() ? "" : ", ") + name + " @ P(\"" + state.reduction + "\")";
  }
  if (!sharded)
    states = "B()";
  std::string body;
  if (!sharded || nested(layout.shape)) {
    body = printPlain(layout, true);
  } else {
    body = "(";
    for (size_t i = 0; i < text.size(); ++i)
      body += (i ? ", " : "") + text[i];
    body += text.size() == 1 ? ",)" : ")";
    if (layout.strides)
      body = "(" + body + ", " + printTuple(layout.strides->flat()) + ")";
  }
  const std::string whole = withOffset(body, layout);
  if (states.empty())
    return whole;
  return (whole.size() != body.size() ? "(" + whole + ")" : whole) + " @ {" + states + "}";
}

} // namespace tilewright::layout

#include "layout/Print.h"

#include <algorithm>

namespace tilewright::layout {

/// Without the axes that have one position: they split nothing, so a layout over a composed mesh does not mention them.
static Mesh withoutIdleAxes(const Mesh &mesh) {
  Mesh result = mesh;
  result.shape.clear();
  result.strides.clear();
  result.names.clear();
  for (size_t axis = 0; axis < mesh.shape.size(); ++axis)
    if (mesh.shape[axis] != 1) {
      result.shape.push_back(mesh.shape[axis]);
      result.strides.push_back(mesh.strides[axis]);
      if (axis < mesh.names.size())
        result.names.push_back(mesh.names[axis]);
    }
  return result.shape.empty() ? mesh : result;
}

AxisNamer axisNamer(std::vector<NamedMesh> scopes) {
  struct NamedLevel {
    Mesh mesh;
    std::string alias;
  };
  std::vector<NamedLevel> levels;
  for (const NamedMesh &scope : scopes)
    for (size_t level = 0; level < scope.mesh->topologies.size(); ++level)
      levels.push_back({levelMesh(*scope.mesh, static_cast<int>(level)), scope.alias});
  std::reverse(levels.begin(), levels.end());
  return [levels = std::move(levels)](const Mesh &mesh, int axis) -> std::string {
    if (static_cast<size_t>(axis) >= mesh.names.size())
      return {};
    const Mesh level = withoutIdleAxes(levelMesh(mesh, mesh.levelOf(axis)));
    for (const NamedLevel &candidate : levels)
      if (const Mesh open = withoutIdleAxes(candidate.mesh); sameUnits(open, level) && open.names == level.names)
        return candidate.alias + "." + mesh.names[static_cast<size_t>(axis)];
    return {};
  };
}

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

static std::string spaces(int count) { return std::string(static_cast<size_t>(std::max(count, 0)), ' '); }

static std::string printSwizzle(const Swizzle &swizzle) {
  return "Swizzle(" + std::to_string(swizzle.bits) + ", " + std::to_string(swizzle.base) + ", " + std::to_string(swizzle.shift) + ")";
}

/// `ComposedLayout(inner=..., offset=..., outer=...)`, one part a line; the closing bracket stands `indent` deep.
static std::string printComposed(const std::optional<Swizzle> &inner, int64_t offset, const std::string &outer, int indent) {
  const std::string part = "\n" + spaces(indent + 4);
  return "ComposedLayout(" + part + "inner=" + (inner ? printSwizzle(*inner) : "None") + "," + part + "offset=" + std::to_string(offset) + "," +
         part + "outer=" + outer + ",\n" + spaces(indent) + ")";
}

static std::string printMeshWith(const Mesh &mesh, const std::string &layout) {
  std::string out = "Mesh((";
  for (size_t i = 0; i < mesh.topologies.size(); ++i)
    out += (i ? ", " : "") + ("Topology(\"" + mesh.topologies[i].name) + "\", " + std::to_string(mesh.topologies[i].extent) + ")";
  out += mesh.topologies.size() == 1 ? ",)" : ")";
  out += ", layout=" + layout;
  if (!mesh.names.empty())
    out += ", names=" + printStrings(mesh.names);
  return out + ")";
}

std::string printMesh(const Mesh &mesh, int indent) {
  const std::string whole = "Layout(" + printTuple(mesh.shape) + ", " + printTuple(mesh.strides) + ")";
  if (mesh.offset != 0)
    return printMeshWith(mesh, printComposed(std::nullopt, mesh.offset, whole, indent));
  return printMeshWith(mesh, mesh.strides == compactStrides(mesh.shape) ? printTuple(mesh.shape) : whole);
}

std::string printMeshScope(const Mesh &mesh) {
  const std::string shape = printTuple(mesh.shape);
  return printMeshWith(mesh, mesh.strides == compactStrides(mesh.shape) ? shape : "(" + shape + ", " + printTuple(mesh.strides) + ")");
}

static bool nested(const IntTuple &tuple) {
  return std::any_of(tuple.elements.begin(), tuple.elements.end(), [](const IntTuple &element) { return element.isTuple; });
}

/// `Layout(shape, strides)` with everything said.
static std::string printInFull(const TensorLayout &layout) {
  return "Layout(" + printTuple(layout.shape) + ", " + (layout.strides ? printTuple(*layout.strides) : "None") + ")";
}

static std::string withOffset(std::string text, const TensorLayout &layout) {
  if (layout.offset != 0)
    text += " + " + std::to_string(layout.offset);
  if (layout.swizzle)
    text += " | " + printSwizzle(*layout.swizzle);
  return text;
}

/// The alias under which the whole mesh is known: what the names of all its axes share.
static std::string meshAlias(const Mesh &mesh, const AxisNamer &axisName) {
  std::string alias;
  for (int axis = 0; axis < static_cast<int>(mesh.shape.size()); ++axis) {
    const std::string name = axisName ? axisName(mesh, axis) : std::string();
    const std::string prefix = name.substr(0, name.find('.'));
    if (prefix.empty() || (axis > 0 && prefix != alias))
      return {};
    alias = prefix;
  }
  return alias;
}

/// `ShardLayout(layout=..., attrs=..., mesh=...)`, one part a line.
static std::string printParts(const TensorLayout &layout, const AxisNamer &axisName, int indent) {
  const bool outside = layout.window && layout.offset != 0;
  const int inside = outside ? indent + 4 : indent;
  const std::string part = "\n" + spaces(inside + 4);
  std::string inner = printInFull(layout);
  if (!outside && (layout.offset != 0 || layout.swizzle))
    inner = printComposed(layout.swizzle, layout.offset, inner, inside + 4);
  std::string out = "ShardLayout(" + part + "layout=" + inner + "," + part + "attrs=(";
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
  const std::string alias = meshAlias(*layout.mesh, axisName);
  out += std::string(layout.states.size() == 1 ? ",)," : "),") + part +
         "mesh=" + (alias.empty() ? printMesh(*layout.mesh, inside + 4) : alias) + ",\n" + spaces(inside) + ")";
  if (outside)
    out = printComposed(layout.swizzle, layout.offset, out, indent);
  return "\n" + spaces(indent) + out;
}

std::string printLayout(const TensorLayout &layout, const AxisNamer &axisName, int indent) {
  const bool sharded = isSharded(layout);
  if (nested(layout.shape) && !sharded && !layout.mesh)
    return withOffset(printInFull(layout), layout);
  const std::vector<int64_t> modes = layout.shape.flat();
  std::vector<std::string> text(modes.size());
  for (size_t i = 0; i < modes.size(); ++i)
    text[i] = std::to_string(modes[i]);
  std::string states;
  if (layout.mesh) {
    if ((layout.window && layout.offset != 0) || (sharded && (nested(layout.shape) || layout.offset != 0 || layout.swizzle)))
      return printParts(layout, axisName, indent);
    for (size_t i = 0; i < layout.states.size(); ++i) {
      const AxisState &state = layout.states[i];
      if (sharded && state.kind == StateKind::Broadcast)
        continue;
      const std::string name = axisName ? axisName(*layout.mesh, static_cast<int>(i)) : std::string();
      if (name.empty())
        return printParts(layout, axisName, indent);
      if (state.kind == StateKind::Split)
        text[static_cast<size_t>(state.mode)] += " @ " + name;
      else if (state.kind == StateKind::Partial)
        states += (states.empty() ? "" : ", ") + name + " @ P(\"" + state.reduction + "\")";
    }
    if (!sharded)
      states = "B()";
  }
  std::string body = "(";
  for (size_t i = 0; i < text.size(); ++i)
    body += (i ? ", " : "") + text[i];
  body += text.size() == 1 ? ",)" : ")";
  if (nested(layout.shape))
    body = printInFull(layout);
  else if (layout.strides && (sharded || !isCompact(layout)))
    body = "(" + body + ", " + printTuple(layout.strides->flat()) + ")";
  const std::string whole = withOffset(body, layout);
  if (states.empty())
    return whole;
  return (whole.size() != body.size() ? "(" + whole + ")" : whole) + " @ {" + states + "}";
}

std::string oneLine(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      out += text[i];
      continue;
    }
    while (i + 1 < text.size() && text[i + 1] == ' ')
      ++i;
    out += ' ';
  }
  return out;
}

} // namespace tilewright::layout

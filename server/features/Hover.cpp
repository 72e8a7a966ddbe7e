#include "features/Hover.h"

#include "features/Names.h"
#include "features/Values.h"
#include "support/Quantity.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;
using syntax::Role;

std::string code(std::string_view text) { return "```python\n" + std::string(text) + "\n```\n"; }

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// ---- ops
struct Spelling {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number(value); }
  std::string operator()(const std::string &value) const { return quoted(value); }
  std::string operator()(const std::vector<int64_t> &values) const {
    std::string text = "(";
    for (int64_t value : values)
      text += std::to_string(value) + ", ";
    if (values.size() > 1)
      text.resize(text.size() - 2);
    else if (values.size() == 1)
      text.pop_back();
    return text + ")";
  }
  std::string operator()(ir::DType value) const { return quoted(ir::name(value)); }
  std::string operator()(ir::Storage value) const { return quoted(ir::name(value)); }
  std::string operator()(const ir::Enumerator &value) const { return quoted(lower(value.value)); }
  std::string operator()(const layout::TensorLayout &) const { return "..."; }
  std::string operator()(const ir::TensorType &) const { return "..."; }
  std::string operator()(const ir::Instruction &value) const { return value.name + "(...)"; }
};

std::string_view kindName(ir::AttributeSpec::Kind kind) {
  using K = ir::AttributeSpec::Kind;
  switch (kind) {
  case K::Int: return "int";
  case K::Bool: return "bool";
  case K::Float: return "float";
  case K::String: return "str";
  case K::Ints: return "tuple of ints";
  case K::DType: return "dtype";
  case K::Storage: return "storage";
  case K::Enum: return "name";
  case K::Layout: return "layout";
  case K::Type: return "tensor type";
  case K::Instruction: return "instruction";
  }
  return "";
}

/// `tf.matmul(a, b, *, out_dtype=None)` and what it is.
std::string opText(const ir::AuthoredOp &authored) {
  const ir::OpSpec &op = ir::spec(authored.op);
  std::string text = "tf." + std::string(authored.name) + "(";
  std::string separator;
  for (const ir::OperandSpec &operand : op.operands) {
    text += separator + (operand.variadic ? "[" + std::string(operand.name) + ", ...]" : std::string(operand.name));
    if (operand.optional)
      text += "=None";
    separator = ", ";
  }
  std::string choices;
  for (const ir::AttributeSpec &attribute : op.attributes) {
    if (ir::find(authored.fixed, attribute.name))
      continue;
    text += separator + std::string(attribute.name) + (attribute.defaultValue ? "=" + std::visit(Spelling(), *attribute.defaultValue) : ": " + std::string(kindName(attribute.kind)));
    separator = ", ";
    if (!attribute.values.empty()) {
      choices += "- `" + std::string(attribute.name) + "`: ";
      for (size_t i = 0; i < attribute.values.size(); ++i)
        choices += (i ? ", `" : "`") + quoted(attribute.values[i]) + "`";
      choices += "\n";
    }
  }
  text = code(text + ")") + "\n" + std::string(op.summary);
  if (authored.name != op.mnemonic)
    text += "; the same as `tf." + std::string(op.mnemonic) + "`" + (authored.fixed.empty() ? "" : " with " + authored.fixed.front().first + " fixed");
  return text + "\n" + (choices.empty() ? "" : "\n" + choices);
}

// ---- hardware
std::string sourceText(const target::Fact &fact) {
  std::string text = fact.conditions;
  if (!fact.source.empty())
    text += (text.empty() ? "" : "; ") + (fact.source.rfind("http", 0) == 0 ? "[source](" + fact.source + ")" : "source: " + fact.source);
  return text;
}

std::string factValue(const target::Fact &fact) {
  if (fact.integer)
    return std::to_string(*fact.integer) + (fact.unit.empty() || fact.unit == "count" ? "" : " " + fact.unit) + (fact.unit == "byte" ? " (" + formatBytes(*fact.integer) + ")" : "");
  if (!fact.list.empty()) {
    std::string text;
    for (const std::string &one : fact.list)
      text += (text.empty() ? "" : ", ") + one;
    return text;
  }
  return fact.text.empty() ? "not stated" : fact.text;
}

/// Text for a table cell: `|` would end it.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string targetText(const target::Target &target) {
  std::string text = "**" + std::string(target.id()) + "** (" + std::string(target.architecture()) + ")\n\n| fact | value | origin | source |\n|---|---|---|---|\n";
  for (const target::Fact &fact : target.facts())
    text += "| " + fact.path + " | " + cell(factValue(fact)) + " | " + fact.origin + " | " + cell(sourceText(fact)) + " |\n";
  return text;
}

std::string capacityText(const target::Target &target, std::string_view storage) {
  std::optional<int64_t> capacity = target.capacity(storage);
  if (!capacity)
    return {};
  std::string text = "`" + std::string(target.id()) + "` has " + formatBytes(*capacity) + " of " + std::string(storage);
  if (storage == "smem" || storage == "rmem" || storage == "tmem")
    text += " per CTA";
  if (const target::Fact *fact = capacityFact(target, storage))
    text += ": " + sourceText(*fact);
  return text;
}

// ---- values
std::string trafficTable(const std::map<std::string, analysis::Traffic> &traffic) {
  std::string text;
  for (const auto &[level, moved] : traffic)
    text += "| " + level + " | " + formatBytes(moved.logical.read) + " | " + formatBytes(moved.logical.write) + " | " + formatBytes(moved.total.read) + " | " + formatBytes(moved.total.write) + " |\n";
  return text.empty() ? text : "\n| level | read | written | read, whole grid | written, whole grid |\n|---|---|---|---|---|\n" + text;
}

std::string costText(const analysis::ComputeCost &cost) {
  std::string text;
  auto rows = [&](const std::map<std::string, analysis::Counts> &counts, const char *what) {
    for (const auto &[name, count] : counts)
      text += "- " + name + " " + what + ": " + formatInteger(count.logical) + " each time, " + formatInteger(count.total) + " in the whole grid\n";
  };
  rows(cost.flops, "flops");
  rows(cost.otherOps, "operations");
  return text;
}

std::string valueText(const FunctionView &function, const ir::PlanValue &value, ir::ValueId id, std::string_view shown) {
  const ir::FunctionPlan &plan = *function.plan;
  std::string text = code(std::string(shown) + ": " + ir::printType(plan, value.type, value.region));
  switch (value.kind) {
  case ir::ValueKind::Parameter: text += "\nparameter of `" + plan.name + "`\n"; break;
  case ir::ValueKind::Coordinate: text += "\nposition on mesh axis `" + value.axis + "`\n"; break;
  case ir::ValueKind::Induction: text += "\nloop variable\n"; break;
  case ir::ValueKind::Carry:
  case ir::ValueKind::LoopResult: text += "\ncarried from one iteration to the next\n"; break;
  case ir::ValueKind::Op: text += "\n`tf." + std::string(ir::spec(value.op).mnemonic) + "`: " + std::string(ir::spec(value.op).summary) + "\n"; break;
  case ir::ValueKind::Call: text += "\nresult of a call of another function\n"; break;
  default: break;
  }
  const target::Target *target = function.target();
  if (!value.type.isTuple) {
    std::string storage(ir::name(value.type.tensor.storage));
    text += "\n" + formatBytes(value.type.tensor.bytes()) + " in `" + storage + "`";
    if (std::string capacity = target ? capacityText(*target, storage) : std::string(); !capacity.empty())
      text += "; " + capacity;
    text += "\n";
  }
  const analysis::FunctionReport *report = function.report;
  if (!report)
    return text;
  if (const analysis::Lifetime *life = lifetimeOf(*report, id)) {
    text += "\nlives from event " + std::to_string(life->definedAt) + " to " + (life->persistent ? std::string("the end") : std::to_string(life->lastUsedAt)) + " and holds " + formatBytes(life->bytes) + " of " + life->level;
    if (life->offset >= 0)
      text += " at byte " + std::to_string(life->offset);
    text += "\n";
  }
  if (const analysis::CallRecord *call = recordOf(*report, id)) {
    if (call->interval)
      text += "\nruns at " + intervalText(*call->interval) + " ns\n";
    if (call->roofline && call->roofline->idealNs)
      text += "\nroofline: " + std::to_string(call->roofline->idealNs) + " ns for the whole grid, bound by " + call->roofline->boundBy + "\n";
    if (call->cost)
      if (std::string cost = costText(*call->cost); !cost.empty())
        text += "\n" + cost;
    if (call->memory)
      text += trafficTable(call->memory->traffic);
  }
  return text;
}

/// The trips of a loop whose bounds are constants.
std::optional<int64_t> tripsOf(const ir::PlanRegion &loop) {
  auto constant = [](const ir::DimExpr &expr) { return expr.kind == ir::DimExpr::Kind::Constant; };
  if (!constant(loop.start) || !constant(loop.stop) || !constant(loop.step) || loop.step.constant <= 0)
    return std::nullopt;
  int64_t span = loop.stop.constant - loop.start.constant;
  return span <= 0 ? 0 : (span + loop.step.constant - 1) / loop.step.constant;
}

class Finder {
public:
  Finder(const session::Snapshot &snapshot, const syntax::Item &item)
      : snapshot_(snapshot), item_(item), index_(static_cast<size_t>(&item - snapshot.file.items.data())), functions_(functionsOf(snapshot, index_)) {}

  std::optional<Hover> at(uint32_t offset) {
    if (Node use = nameAt(*item_.tree, offset)) {
      Span span = use.is(Kind::Name) ? use.span() : use.nameSpan();
      if (std::string text = ofName(use); !text.empty())
        return Hover{span.shifted(item_.offset), std::move(text)};
    }
    Node node = item_.tree->at(offset);
    if (node && node.is(Kind::String))
      if (std::string text = ofString(node); !text.empty())
        return Hover{node.span().shifted(item_.offset), std::move(text)};
    return std::nullopt;
  }

private:
  /// The function around a node: the innermost of them.
  const FunctionView *around(Node node) const {
    Span span = node.span();
    const FunctionView *best = nullptr;
    for (const FunctionView &one : functions_)
      if (one.definition.begin <= span.begin && span.end <= one.definition.end && (!best || one.definition.size() < best->definition.size()))
        best = &one;
    return best;
  }

  const target::Target *targetAround(Node node) const {
    if (const FunctionView *function = around(node); function && function->target())
      return function->target();
    for (const FunctionView &one : functions_)
      if (one.target())
        return one.target();
    return nullptr;
  }

  std::string ofString(Node node) const {
    std::optional<std::string> value = syntax::stringValue(node);
    if (!value)
      return {};
    if (const target::Target *target = target::find(*value))
      return targetText(*target);
    const target::Target *target = targetAround(node);
    if (!target)
      return {};
    if (ir::storageNamed(*value))
      return capacityText(*target, *value);
    if (std::optional<ir::DType> dtype = ir::dtypeNamed(*value)) {
      std::string text = "`" + *value + "`: " + std::to_string(ir::bits(*dtype)) + " bits";
      if (const target::Fact *fact = target->fact("throughput." + *value); fact && fact->integer)
        text += "; `" + std::string(target->id()) + "` computes " + std::to_string(*fact->integer) + " " + fact->unit + ": " + sourceText(*fact);
      return text + "\n";
    }
    return {};
  }

  std::string ofName(Node use) {
    if (use.is(Kind::Keyword) || use.is(Kind::Alias))
      return {};
    if (use.is(Kind::Attribute))
      if (std::string text = ofAttribute(use); !text.empty())
        return text;
    std::string name(use.text());
    std::optional<Binding> binding = resolve(snapshot_.file, index_, use);
    if (!binding)
      return {};
    if (binding->name.is(Kind::FunctionDef))
      return ofFunction(*binding);
    if (binding->item == index_)
      if (const FunctionView *function = around(binding->name); function && function->plan) {
        if (std::string text = ofPlan(*function, *binding, name); !text.empty())
          return text;
        if (isLocal(*binding) && ofLocal(*binding, name).empty())
          return "`" + name + "` does not reach the returned value: it is type-checked, costs nothing and is left out\n";
      }
    if (enclosingFunction(binding->name) && !binding->name.is(Kind::FunctionDef))
      return isLocal(*binding) ? ofLocal(*binding, name) : std::string();
    return ofConstant(use, name);
  }

  /// One name bound by an assignment inside a function.
  static bool isLocal(const Binding &binding) {
    return binding.statement.is(Kind::Assign) && binding.name.parent() == binding.statement && enclosingFunction(binding.name);
  }
  std::string ofLocal(const Binding &binding, const std::string &name) const {
    Node value = binding.statement.child(Role::Value);
    if (value.is(Kind::Name))
      return {};
    // What it computes from other values of the function has no constant.
    syntax::ValueRef known = constantOf(value);
    return known && !known->isUnknown() ? spelled(*known, name) : std::string();
  }

  std::string ofAttribute(Node use) const {
    Node object = use.firstChild();
    if (object && object.is(Kind::Name) && object.text() == "tf") {
      const ir::AuthoredOp *authored = ir::authoredOp(use.text());
      if (!authored)
        return {};
      std::string text = opText(*authored);
      // The call around it, if the plan has it: what it gives and costs here.
      const FunctionView *function = around(use);
      const ir::FunctionPlan *plan = function ? function->plan : nullptr;
      Node call = use.parent();
      if (plan && call && call.is(Kind::Call)) {
        ir::ValueId best = ir::kNone;
        for (size_t id = 0; id < plan->values.size(); ++id) {
          const ir::PlanValue &value = plan->values[id];
          bool around = value.span.begin <= call.span().begin && call.span().end <= value.span.end;
          if (value.kind == ir::ValueKind::Op && value.op == authored->op && around && (best == ir::kNone || value.span.size() < plan->at(best).span.size()))
            best = static_cast<ir::ValueId>(id);
        }
        if (best != ir::kNone)
          text += "\n---\n" + valueText(*function, plan->at(best), best, plan->at(best).name.empty() ? "result" : plan->at(best).name);
      }
      return text;
    }
    // A coordinate: an axis of a mesh.
    if (object && object.is(Kind::Name))
      if (const FunctionView *function = around(use); function && function->plan)
        for (const ir::PlanRegion &region : function->plan->regions)
          if (region.mesh && region.authoredName == object.text())
            if (int axis = region.mesh->axis(std::string(use.text())); axis >= 0 && static_cast<size_t>(axis) < region.mesh->shape.size())
              return code(std::string(object.text()) + "." + std::string(use.text()) + ": Tensor[(), \"i64\", \"rmem\"]") + "\nposition on axis `" + std::string(use.text()) + "` of mesh `" + std::string(object.text()) +
                     "`: 0 to " + std::to_string(region.mesh->shape[static_cast<size_t>(axis)] - 1) + "\n";
    return {};
  }

  std::string ofPlan(const FunctionView &function, const Binding &binding, const std::string &name) const {
    const ir::FunctionPlan &plan = *function.plan;
    Span span = binding.nameSpan();
    // Loops and meshes by their headers.
    if (binding.statement.is(Kind::For) || binding.statement.is(Kind::With))
      for (size_t id = 0; id < plan.regions.size(); ++id) {
        const ir::PlanRegion &region = plan.regions[id];
        if (region.span.empty() || region.span.begin != binding.statement.span().begin)
          continue;
        if (region.mesh && binding.statement.is(Kind::With))
          return ofMesh(function, region, static_cast<ir::RegionId>(id), name);
        if (region.kind == ir::RegionKind::Loop && binding.statement.is(Kind::For)) {
          std::string text = region.induction != ir::kNone ? valueText(function, plan.at(region.induction), region.induction, name) : code(name);
          if (std::optional<int64_t> trips = tripsOf(region))
            text += "\n" + std::to_string(*trips) + " iterations\n";
          return text;
        }
      }
    for (size_t id = 0; id < plan.values.size(); ++id) {
      const ir::PlanValue &value = plan.values[id];
      if (!value.nameSpan.empty() && value.nameSpan == span)
        return valueText(function, value, static_cast<ir::ValueId>(id), name);
    }
    if (binding.name.is(Kind::Parameter))
      for (ir::ValueId id : plan.parameters)
        if (plan.at(id).name == name)
          return valueText(function, plan.at(id), id, name);
    return {};
  }

  std::string ofMesh(const FunctionView &function, const ir::PlanRegion &region, ir::RegionId id, const std::string &name) const {
    const layout::Mesh &mesh = *region.mesh;
    std::string axes;
    for (size_t i = 0; i < mesh.shape.size(); ++i)
      axes += (i ? " × " : "") + (i < mesh.names.size() ? mesh.names[i] + "=" : std::string()) + std::to_string(mesh.shape[i]);
    std::string text = "mesh `" + name + "`: " + std::to_string(mesh.positions()) + " positions, " + axes + "\n";
    for (const layout::Topology &level : mesh.topologies)
      text += "\nover `" + level.name + "`, " + std::to_string(level.extent) + " units\n";
    const analysis::FunctionReport *report = function.report;
    if (!report)
      return text;
    const target::Target *target = function.target();
    std::string rows;
    auto row = [&](const std::string &level, int64_t peak, std::optional<int64_t> capacity) {
      rows += "| " + level + " | " + formatBytes(peak) + " | " + (capacity ? formatBytes(*capacity) : "") + " |\n";
    };
    if (id == 0)
      for (const analysis::Peak &peak : report->record.peaks)
        row(peak.level, peak.peak, peak.capacity);
    for (const analysis::MeshRecord &record : report->meshes)
      if (record.region == id)
        for (const auto &[level, bytes] : record.peaks)
          row(level, bytes, target ? target->capacity(level) : std::nullopt);
    if (!rows.empty())
      text += "\n| level | peak | capacity |\n|---|---|---|\n" + rows;
    return text;
  }

  std::string ofFunction(const Binding &binding) const {
    Span name = binding.nameSpan();
    for (const FunctionView &one : functionsOf(snapshot_, binding.item)) {
      if (one.nameSpan != name || !one.report)
        continue;
      std::string rows;
      for (const std::string &row : analysis::headerRows(*one.result->report, one.index))
        rows += row + "\n";
      return "**" + (one.plan->module.empty() ? "" : one.plan->module + ".") + one.plan->name + "**\n\n```\n" + rows + "```\n";
    }
    return {};
  }

  /// The value of an expression of the Python around the schedule, null if there is none to tell.
  syntax::ValueRef constantOf(Node expression) const {
    if (!expression || !snapshot_.result || !snapshot_.result->evaluation || !snapshot_.result->evaluation->globals)
      return {};
    if (expression.is(Kind::Parameter) || expression.is(Kind::ClassDef) || expression.is(Kind::FunctionDef))
      return {};
    const auto &globals = snapshot_.result->evaluation->globals;
    return expression.is(Kind::Name) ? globals->find(expression.text()) : syntax::evaluateExpression(expression, item_.tree, globals);
  }

  std::string spelled(const syntax::Value &value, const std::string &name) const {
    if (value.as<syntax::FunctionValue>() || value.as<syntax::Builtin>() || value.as<syntax::ModuleValue>() || value.as<syntax::ClassValue>() || value.as<syntax::Opaque>() || value.as<syntax::OpaqueOperation>())
      return {};
    return code(name + ": " + std::string(syntax::typeName(value)) + " = " + syntax::repr(value));
  }

  std::string ofConstant(Node expression, const std::string &name) const {
    syntax::ValueRef value = constantOf(expression);
    if (!value)
      return {};
    if (const auto *unknown = value->as<syntax::Unknown>())
      return "`" + name + "` is unknown: " + unknown->reason + "\n";
    return spelled(*value, name);
  }

  const session::Snapshot &snapshot_;
  const syntax::Item &item_;
  size_t index_;
  std::vector<FunctionView> functions_;
};
} // namespace

std::optional<Hover> hover(const session::Snapshot &snapshot, uint32_t offset) {
  if (!snapshot.schedule || !snapshot.result)
    return std::nullopt;
  const syntax::Item *item = snapshot.file.itemAt(offset);
  if (!item || offset < item->offset || offset > item->span().end)
    return std::nullopt;
  return Finder(snapshot, *item).at(offset - item->offset);
}

} // namespace tilewright::features

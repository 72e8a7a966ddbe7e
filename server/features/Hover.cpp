#include "features/Hover.h"

#include "features/Contracts.h"
#include "features/Names.h"
#include "features/Signatures.h"
#include "features/Tiles.h"
#include "features/Values.h"
#include "instruction/Table.h"
#include "layout/Banks.h"
#include "layout/Draw.h"
#include "layout/Print.h"
#include "schedule/Candidates.h"
#include "support/Quantity.h"

#include <algorithm>
#include <cctype>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;
using syntax::Role;

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

/// The passes over the banks that usual accesses to a tile of shared memory take.
std::string banksOf(const ir::TensorType &type) {
  std::string text;
  if (type.storage != ir::Storage::Smem || layout::isSharded(*type.layout) || type.elements() > (int64_t{1} << 16))
    return text;
  for (const layout::PatternBanks &banks : layout::patternBanks(*type.layout, type.shape, ir::bits(type.dtype))) {
    constexpr const char *kPatterns[] = {"along a row", "down a column", "by ldmatrix"};
    text += std::string(text.empty() ? "\nbanks, " : "; ") + kPatterns[static_cast<int>(banks.pattern)] + ": " + std::to_string(banks.worst.wavefronts) + " wavefronts of " + std::to_string(banks.worst.ideal);
    text += banks.worst.ways > 1 ? " (" + std::to_string(banks.worst.ways) + "-way conflict)" : "";
  }
  return text.empty() ? text : text + "\n";
}

/// Who holds which element, or at which byte and bank it lies: of a value that is shared out or swizzled.
std::string pictureOf(const ir::TensorType &type) {
  if (!type.layout || type.shape.empty() || (!layout::isSharded(*type.layout) && !type.layout->swizzle))
    return {};
  layout::DrawOptions options;
  options.elementBits = ir::bits(type.dtype);
  options.maxRows = options.maxColumns = 8;
  std::string drawn = layout::drawText(*type.layout, type.shape, options);
  return drawn.empty() ? drawn : "\n```\n" + drawn + "\n```\n" + banksOf(type);
}

std::string valueText(const FunctionView &function, const ir::PlanValue &value, ir::ValueId id, std::string_view shown) {
  const ir::FunctionPlan &plan = *function.plan;
  std::string text = codeBlock(std::string(shown) + ": " + ir::printType(plan, value.type, value.region));
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
    return value.type.isTuple ? text : text + pictureOf(value.type.tensor);
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
  return value.type.isTuple ? text : text + pictureOf(value.type.tensor);
}

/// A name of a function that is refused: what it was typed as.
std::string typedText(const FunctionView &function, const ir::ImportNotes::Name &typed, std::string_view shown) {
  std::string text = codeBlock(std::string(shown) + ": " + ir::printType(typed));
  if (typed.type.isTuple)
    return text;
  std::string storage(ir::name(typed.type.tensor.storage));
  text += "\n" + formatBytes(typed.type.tensor.bytes()) + " in `" + storage + "`";
  if (std::string capacity = function.result->target ? capacityText(*function.result->target, storage) : std::string(); !capacity.empty())
    text += "; " + capacity;
  return text + "\n\n`" + function.result->name + "` is refused as it stands, so what this costs is not known\n";
}

/// What could do an unscheduled statement, and why the others cannot.
std::string sitesText(const FunctionView &function, ir::ValueId id) {
  constexpr size_t kRefused = 12;
  if (function.plan->at(id).kind != ir::ValueKind::Op || function.plan->at(id).op == ir::Op::Schedule || !function.target())
    return {};
  std::optional<schedule::Site> site = schedule::candidateSite(*function.result->program, function.index, id);
  if (!site || site->rows.empty())
    return {};
  std::string rows;
  size_t refused = 0;
  for (const schedule::Site::Row &row : site->rows) {
    if (!row.match.accepted && ++refused > kRefused)
      continue;
    rows += "| `" + row.match.id + "` | " + (row.isDefault ? "matches; taken if nothing is written" : row.match.accepted ? "matches" : "`" + cell(row.match.reason) + "`") + " |\n";
  }
  if (refused > kRefused)
    rows += "| | and " + std::to_string(refused - kRefused) + " more that do not |\n";
  return "\nunscheduled, " + site->scope + "; what could do it:\n\n| instruction | |\n|---|---|\n" + rows;
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
      std::string text = ofName(use);
      if (use.is(Kind::Name))
        if (const std::optional<Binding> binding = resolve(snapshot_.file, index_, use); binding && binding->statement.is(Kind::Assign))
          text += tileMarkdown(snapshot_, binding->item, binding->nameSpan());
      if (!text.empty())
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
    if (ir::storageNamed(*value))
      return target ? capacityText(*target, *value) : "`" + *value + "`: a storage level; no target is known here to tell its capacity\n";
    if (std::optional<ir::DType> dtype = ir::dtypeNamed(*value)) {
      std::string text = "`" + *value + "`: " + std::to_string(ir::bits(*dtype)) + " bits";
      if (!target)
        return text + "\n";
      if (const target::Fact *fact = target->fact("throughput." + *value); fact && fact->integer)
        text += "; `" + std::string(target->id()) + "` computes " + std::to_string(*fact->integer) + " " + fact->unit + ": " + sourceText(*fact);
      return text + "\n";
    }
    return {};
  }

  std::string ofName(Node use) {
    if (use.is(Kind::Keyword))
      return ofArgument(use);
    if (use.is(Kind::Alias))
      return {};
    if (use.is(Kind::Attribute))
      if (std::string text = ofAttribute(use); !text.empty())
        return text;
    std::string name(use.text());
    std::optional<Binding> binding = resolve(snapshot_.file, index_, use);
    if (!binding)
      return ofBroken(name);
    if (binding->name.is(Kind::FunctionDef)) {
      std::string text = ofFunction(*binding);
      return text.empty() ? ofStatement(*binding) : text;
    }
    const FunctionView *owner = binding->item == index_ ? around(binding->name) : nullptr;
    if (owner && !owner->plan) {
      const auto &typed = owner->result->typed;
      auto found = std::find_if(typed.rbegin(), typed.rend(), [span = binding->nameSpan()](const ir::ImportNotes::Name &one) { return one.span == span; });
      if (found != typed.rend())
        return typedText(*owner, *found, name);
    }
    if (binding->item == index_)
      if (const FunctionView *function = around(binding->name); function && function->plan) {
        if (std::string text = ofPlan(*function, *binding, name); !text.empty())
          return text;
        if (isLocal(*binding) && ofLocal(*binding, name).empty())
          return "`" + name + "` does not reach the returned value: it is type-checked, costs nothing and is left out\n";
      }
    if (enclosingFunction(binding->name) && !binding->name.is(Kind::FunctionDef)) {
      std::string text = isLocal(*binding) ? ofLocal(*binding, name) : std::string();
      // In a function that does not hold yet, at least where the name comes from.
      return text.empty() && !(owner && owner->plan) ? ofStatement(*binding) : text;
    }
    std::string text = ofConstant(use, name);
    // Nothing known of a name that a statement binds: the statement did not hold.
    return text.empty() && use.is(Kind::Name) && !constantOf(use) && (binding->statement.is(Kind::Assign) || binding->statement.is(Kind::With) || binding->statement.is(Kind::For)) ? ofStatement(*binding) : text;
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

  /// A name bound nowhere, in a file with lines that are not Python yet: the first of those lines that has it.
  std::string ofBroken(const std::string &name) const {
    auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (const syntax::Item &item : snapshot_.file.items) {
      if (item.tree->diagnostics.empty())
        continue;
      for (const Diagnostic &one : item.tree->diagnostics) {
        std::string_view text = item.tree->text;
        size_t begin = text.find_last_of("\r\n", one.span.begin ? one.span.begin - 1 : 0), end = text.find_first_of("\r\n", one.span.begin);
        begin = begin == std::string_view::npos || one.span.begin == 0 ? 0 : begin + 1;
        std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
        for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1))
          if ((at == 0 || !word(line[at - 1])) && (at + name.size() == line.size() || !word(line[at + name.size()])))
            return codeBlock(line.substr(std::min(line.find_first_not_of(" \t"), line.size()))) + "\nthis line is not Python yet, so `" + name + "` is not known\n";
      }
    }
    return {};
  }

  /// The line that binds a name.
  std::string ofStatement(const Binding &binding) const {
    std::string_view text = binding.statement.source();
    return codeBlock(text.substr(0, text.find_first_of("\r\n")));
  }

  static std::string dotted(Node node) {
    if (node.is(Kind::Name))
      return std::string(node.text());
    if (!node.is(Kind::Attribute))
      return {};
    std::string object = dotted(node.firstChild());
    return object.empty() ? object : object + "." + std::string(node.text());
  }

  /// The name of an argument: of an op, an instruction, a construct.
  std::string ofArgument(Node keyword) const {
    Node call = keyword.parent();
    if (!call.is(Kind::Call))
      return {};
    std::string callee = dotted(call.child(Role::Callee));
    if (isInstruction(callee))
      return parameterMarkdown(callee, keyword.text(), givenIn(call), targetAround(keyword));
    std::optional<Signature> signature = signatureOf(snapshot_, callee);
    if (signature)
      for (const SignatureParameter &parameter : signature->parameters)
        if (parameter.name == keyword.text() && !parameter.documentation.empty())
          return codeBlock(parameter.text) + "\n" + parameter.documentation + "\n";
    return {};
  }

  /// Pictures of the operands that an instruction has where it is used: in the tf.schedule around a place, else in the first of the function.
  std::string fragmentsOf(const std::string &name, Node use) const {
    const FunctionView *function = around(use);
    const ir::FunctionPlan *plan = function ? function->plan : nullptr;
    if (!plan)
      return {};
    const ir::PlanValue *best = nullptr;
    const instruction::Row *operands = nullptr;
    for (const ir::PlanValue &value : plan->values) {
      const ir::Attribute *op = value.kind == ir::ValueKind::Op && value.op == ir::Op::Schedule ? ir::find(value.attributes, "op") : nullptr;
      const auto *authored = op ? std::get_if<ir::Instruction>(op) : nullptr;
      if (!authored)
        continue;
      const ir::InstructionParameter *atom = instruction::find(*authored, "atom");
      const auto *inner = atom ? std::get_if<std::vector<ir::Instruction>>(atom) : nullptr;
      if (authored->name != name && !(inner && !inner->empty() && inner->front().name == name))
        continue;
      bool inside = value.span.begin <= use.span().begin && use.span().end <= value.span.end;
      if (!best || inside) {
        best = &value;
        operands = instruction::rowNamed(authored->name);
      }
    }
    std::string text;
    for (size_t i = 0; best && operands && i < best->operands.size() && i < operands->operands.size(); ++i)
      if (const ir::Type &type = plan->at(best->operands[i]).type; !type.isTuple)
        if (std::string picture = pictureOf(type.tensor); !picture.empty())
          text += "\n`" + operands->operands[i].name + "` of `" + (best->name.empty() ? "this use" : best->name) + "`, " + std::string(ir::name(type.tensor.dtype)) + " " + layout::printTuple(type.tensor.shape) + " in `" +
                  std::string(ir::name(type.tensor.storage)) + "`:\n" + picture;
    return text;
  }

  /// The parameters that a call of an instruction states, as far as they can be read.
  instruction::Instruction givenIn(Node call) const {
    instruction::Instruction given;
    given.name = dotted(call.child(Role::Callee));
    for (Node argument : call.childrenIn(Role::Argument)) {
      if (!argument.is(Kind::Keyword))
        continue;
      Node value = argument.firstChild();
      std::string key(argument.text());
      if (std::string name = dotted(value); value.is(Kind::Attribute) && enumerationNamed(name.substr(0, name.rfind('.')))) {
        given.parameters.emplace_back(key, instruction::Enumerator{name.substr(0, name.rfind('.')), name.substr(name.rfind('.') + 1)});
        continue;
      }
      syntax::ValueRef known = constantOf(value);
      if (!known)
        continue;
      if (const bool *flag = known->as<bool>())
        given.parameters.emplace_back(key, *flag);
      else if (auto whole = known->integer())
        given.parameters.emplace_back(key, *whole);
      else if (const std::string *text = known->string())
        given.parameters.emplace_back(key, *text);
    }
    return given;
  }

  std::string ofAttribute(Node use) const {
    if (std::string name = dotted(use); isInstruction(name)) {
      Node call = use.parent();
      bool called = call.is(Kind::Call) && call.child(Role::Callee) == use;
      return contractMarkdown(name, called ? givenIn(call) : instruction::Instruction{name, {}}, targetAround(use)) + fragmentsOf(name, use);
    } else if (std::string text = enumerationMarkdown(name); !text.empty()) {
      return text;
    }
    Node object = use.firstChild();
    if (object && object.is(Kind::Name) && object.text() == "tf") {
      const ir::AuthoredOp *authored = ir::authoredOp(use.text());
      if (!authored)
        return {};
      std::string text = opMarkdown(*authored);
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
          text += "\n---\n" + valueText(*function, plan->at(best), best, plan->at(best).name.empty() ? "result" : plan->at(best).name) + sitesText(*function, best);
      }
      return text;
    }
    // A coordinate: an axis of a mesh.
    if (object && object.is(Kind::Name))
      if (const FunctionView *function = around(use); function && function->plan)
        for (const ir::PlanRegion &region : function->plan->regions)
          if (region.mesh && region.authoredName == object.text())
            if (int axis = region.mesh->axis(std::string(use.text())); axis >= 0 && static_cast<size_t>(axis) < region.mesh->shape.size())
              return codeBlock(std::string(object.text()) + "." + std::string(use.text()) + ": Tensor[(), \"i64\", \"rmem\"]") + "\nposition on axis `" + std::string(use.text()) + "` of mesh `" + std::string(object.text()) +
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
          std::string text = region.induction != ir::kNone ? valueText(function, plan.at(region.induction), region.induction, name) : codeBlock(name);
          if (std::optional<int64_t> trips = tripsOf(region))
            text += "\n" + std::to_string(*trips) + " iterations\n";
          return text;
        }
      }
    for (size_t id = 0; id < plan.values.size(); ++id) {
      const ir::PlanValue &value = plan.values[id];
      if (!value.nameSpan.empty() && value.nameSpan == span)
        return valueText(function, value, static_cast<ir::ValueId>(id), name) + sitesText(function, static_cast<ir::ValueId>(id));
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
    return codeBlock(name + ": " + std::string(syntax::typeName(value)) + " = " + syntax::repr(value));
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

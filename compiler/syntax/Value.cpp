// Values by themselves: making them, reading them, their names of types, their digest.
#include "support/Codes.h"
#include "syntax/Interpreter.h"

#include <algorithm>
#include <cstring>

namespace tilewright::syntax {

ValueRef none() {
  static const ValueRef value = std::make_shared<Value>();
  return value;
}

ValueRef boolean(bool value) {
  static const ValueRef yes = std::make_shared<Value>(true), no = std::make_shared<Value>(false);
  return value ? yes : no;
}

ValueRef ellipsis() {
  static const ValueRef value = std::make_shared<Value>(Value::EllipsisType{});
  return value;
}

ValueRef makeInt(int64_t value) {
  constexpr int64_t kFrom = -16, kTo = 1024;
  static const std::vector<ValueRef> usual = [] {
    std::vector<ValueRef> made;
    for (int64_t i = kFrom; i <= kTo; ++i)
      made.push_back(std::make_shared<Value>(i));
    return made;
  }();
  if (value >= kFrom && value <= kTo)
    return usual[static_cast<size_t>(value - kFrom)];
  return std::make_shared<Value>(value);
}

ValueRef makeFloat(double value) { return std::make_shared<Value>(value); }
ValueRef makeString(std::string value) { return std::make_shared<Value>(std::move(value)); }
ValueRef makeUnknown(std::string reason, Place place) { return std::make_shared<Value>(Unknown{std::move(reason), std::move(place), Code::UnknownValue}); }

bool isNone(const ValueRef &value) { return value->as<Value::NoneType>() != nullptr; }
bool isOpaque(const Value &value) { return value.as<Opaque>() || value.as<OpaqueOperation>(); }

static std::string_view lastPart(std::string_view dotted) {
  size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}
bool isModuleDecorator(const Value &value) {
  const auto *opaque = value.as<Opaque>();
  return opaque && lastPart(opaque->callee) == "module";
}
bool isScheduleDecorator(const Value &value) {
  const auto *opaque = value.as<Opaque>();
  return opaque && (lastPart(opaque->callee) == "func" || lastPart(opaque->callee) == "prim_func");
}

/// The plain value of a member of an IntEnum or StrEnum, else the value itself.
static const Value &plain(const Value &value) {
  if (const auto *instance = value.as<InstanceValue>())
    if (const auto *type = instance->type->as<ClassValue>();
        type && (type->flavor == ClassValue::Flavor::IntEnum || type->flavor == ClassValue::Flavor::StrEnum))
      if (auto found = instance->fields.find("value"); found != instance->fields.end())
        return *found->second;
  return value;
}

std::optional<int64_t> Value::integer() const {
  const Value &value = plain(*this);
  if (const auto *small = value.as<int64_t>())
    return *small;
  if (const auto *truth = value.as<bool>())
    return *truth;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  const Value &value = plain(*this);
  if (const auto *real = value.as<double>())
    return *real;
  if (const auto *big = value.as<std::shared_ptr<const BigInt>>())
    return (*big)->toDouble();
  if (auto small = value.integer())
    return static_cast<double>(*small);
  return std::nullopt;
}

const Value::List *Value::sequence() const {
  if (const auto *tuple = as<Tuple>())
    return &tuple->elements;
  if (const auto *list = as<ListOf>())
    return &list->elements;
  return nullptr;
}

std::string_view typeName(const Value &value) {
  struct Names {
    std::string_view operator()(const Value::NoneType &) { return "NoneType"; }
    std::string_view operator()(bool) { return "bool"; }
    std::string_view operator()(int64_t) { return "int"; }
    std::string_view operator()(const std::shared_ptr<const BigInt> &) { return "int"; }
    std::string_view operator()(double) { return "float"; }
    std::string_view operator()(const std::string &) { return "str"; }
    std::string_view operator()(const Value::Tuple &tuple) {
      const auto *type = tuple.type ? tuple.type->as<ClassValue>() : nullptr;
      return type ? std::string_view(type->name) : "tuple";
    }
    std::string_view operator()(const Value::ListOf &) { return "list"; }
    std::string_view operator()(const Value::SetOf &set) { return set.frozen ? "frozenset" : "set"; }
    std::string_view operator()(const Value::Dict &) { return "dict"; }
    std::string_view operator()(const Value::Range &) { return "range"; }
    std::string_view operator()(const Value::SliceOf &) { return "slice"; }
    std::string_view operator()(const Value::EllipsisType &) { return "ellipsis"; }
    std::string_view operator()(const FunctionValue &) { return "function"; }
    std::string_view operator()(const ClassValue &) { return "type"; }
    std::string_view operator()(const InstanceValue &instance) {
      if (const auto *type = instance.type->as<ClassValue>())
        return type->name;
      const auto *builtin = instance.type->as<Builtin>();
      return builtin ? lastPart(builtin->name) : "object";
    }
    std::string_view operator()(const ModuleValue &) { return "module"; }
    std::string_view operator()(const BoundMethod &) { return "method"; }
    std::string_view operator()(const Builtin &) { return "builtin_function_or_method"; }
    std::string_view operator()(const Opaque &opaque) { return opaque.called ? lastPart(opaque.callee) : "object"; }
    std::string_view operator()(const OpaqueOperation &) { return "object"; }
    std::string_view operator()(const Unknown &) { return "unknown"; }
    std::string_view operator()(const Iterator &iterator) { return iterator.cursor ? iterator.cursor->kind : "iterator"; }
    std::string_view operator()(const Value::View &view) {
      return view.part == Value::View::Keys ? "dict_keys" : view.part == Value::View::Values ? "dict_values" : "dict_items";
    }
  };
  return std::visit(Names{}, value.data);
}

ValueRef Scope::find(std::string_view name) const {
  for (const Scope *scope = this; scope; scope = scope->parent.get()) {
    if (scope != this && scope->isClass)
      continue;
    if (auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
  }
  return nullptr;
}

std::shared_ptr<Scope> bodyScope(const FunctionValue &function) {
  auto scope = function.closure;
  while (scope && scope->isClass)
    scope = scope->parent;
  return scope;
}

// ---- digest

namespace {

struct Digester {
  std::vector<const void *> open; // definitions and containers on the way here: a cycle ends at them
  std::unordered_map<const Value *, uint64_t> known;

  static uint64_t mix(uint64_t a, uint64_t b) {
    a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
    a *= 0xff51afd7ed558ccdu;
    return a ^ a >> 33;
  }
  static uint64_t text(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325u ^ text.size();
    for (; text.size() >= 8; text.remove_prefix(8)) {
      uint64_t word;
      std::memcpy(&word, text.data(), 8);
      hash = (hash ^ word) * 0x9fb21c651e98df25u;
      hash ^= hash >> 32;
    }
    uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    return mix(hash, rest);
  }
  bool enter(const void *thing) {
    if (std::find(open.begin(), open.end(), thing) != open.end() || open.size() > 400)
      return false;
    open.push_back(thing);
    return true;
  }

  uint64_t of(const ValueRef &value) {
    if (!value)
      return 7;
    bool composite = value->depth > 1 || value->as<FunctionValue>() || value->as<ClassValue>() || value->as<ModuleValue>() ||
                     value->as<InstanceValue>();
    if (!composite)
      return of(*value);
    if (auto found = known.find(value.get()); found != known.end())
      return found->second;
    uint64_t result = of(*value);
    known.emplace(value.get(), result);
    return result;
  }
  uint64_t all(const List &list, uint64_t hash) {
    for (const ValueRef &element : list)
      hash = mix(hash, of(element));
    return mix(hash, list.size());
  }
  uint64_t names(const Scope &scope, uint64_t hash) {
    for (const auto &[name, value] : scope.names)
      hash = mix(mix(hash, text(name)), of(value));
    return hash;
  }
  uint64_t definition(const Place &place, const std::shared_ptr<Scope> &scope, uint64_t hash) {
    if (!place.node)
      return hash;
    hash = mix(hash, text(place.node.source()));
    for (const std::string &name : freeNames(place.node))
      hash = mix(mix(hash, text(name)), scope ? of(scope->find(name)) : 0);
    return hash;
  }

  uint64_t of(const Value &value) {
    uint64_t seed = mix(value.data.index(), 0x51);
    if (!enter(&value))
      return seed;
    uint64_t result = part(value, seed);
    open.pop_back();
    return result;
  }
  uint64_t part(const Value &value, uint64_t seed) {
    if (const auto *truth = value.as<bool>())
      return mix(seed, *truth);
    if (const auto *small = value.as<int64_t>())
      return mix(seed, static_cast<uint64_t>(*small));
    if (const auto *big = value.as<std::shared_ptr<const BigInt>>())
      return mix(seed, text((*big)->toString(32)));
    if (const auto *real = value.as<double>()) {
      uint64_t bits;
      std::memcpy(&bits, real, sizeof bits);
      return mix(seed, bits);
    }
    if (const auto *string = value.string())
      return mix(seed, text(*string));
    if (const auto *tuple = value.as<Value::Tuple>())
      return all(tuple->elements, tuple->type ? mix(seed, of(tuple->type)) : seed);
    if (const auto *list = value.as<Value::ListOf>())
      return all(list->elements, seed);
    if (const auto *set = value.as<Value::SetOf>()) {
      uint64_t sum = 0; // sets are equal in any order
      for (const ValueRef &element : set->elements)
        sum += of(element);
      return mix(mix(seed, sum), set->elements.size());
    }
    if (const auto *dict = value.as<Value::Dict>()) {
      for (const auto &[key, held] : dict->items)
        seed = mix(mix(seed, of(key)), of(held));
      return seed;
    }
    if (const auto *range = value.as<Value::Range>())
      return mix(mix(mix(seed, static_cast<uint64_t>(range->start)), static_cast<uint64_t>(range->stop)), static_cast<uint64_t>(range->step));
    if (const auto *slice = value.as<Value::SliceOf>())
      return mix(mix(mix(seed, of(slice->start)), of(slice->stop)), of(slice->step));
    if (const auto *function = value.as<FunctionValue>()) {
      seed = all(function->defaults, all(function->decorators, mix(seed, text(function->name))));
      return definition(function->definition, function->closure, seed);
    }
    if (const auto *type = value.as<ClassValue>()) {
      seed = all(type->bases, all(type->decorators, mix(seed, text(type->name))));
      if (type->definition.node)
        seed = mix(seed, text(type->definition.node.source()));
      return type->members ? names(*type->members, seed) : seed;
    }
    if (const auto *module = value.as<ModuleValue>()) {
      seed = mix(mix(seed, text(module->name)), of(module->decorator));
      seed = mix(seed, text(module->definition.node.source()));
      return module->members ? names(*module->members, seed) : seed;
    }
    if (const auto *instance = value.as<InstanceValue>()) {
      seed = mix(seed, of(instance->type));
      for (const auto &[name, field] : instance->fields)
        seed = mix(mix(seed, text(name)), of(field));
      return seed;
    }
    if (const auto *method = value.as<BoundMethod>())
      return mix(mix(seed, of(method->self)), of(method->function));
    if (const auto *builtin = value.as<Builtin>())
      return mix(seed, text(builtin->name));
    if (const auto *opaque = value.as<Opaque>()) {
      seed = all(opaque->arguments, mix(mix(seed, text(opaque->callee)), opaque->called));
      for (const auto &[name, argument] : opaque->keywords)
        seed = mix(mix(seed, text(name)), of(argument));
      return seed;
    }
    if (const auto *operation = value.as<OpaqueOperation>())
      return all(operation->operands, mix(seed, text(operation->op)));
    if (const auto *unknown = value.as<Unknown>())
      return mix(seed, text(unknown->reason));
    if (const auto *view = value.as<Value::View>())
      return mix(mix(seed, view->part), of(view->dict));
    return seed;
  }
};

} // namespace

uint64_t digest(const Value &value) { return Digester{}.of(value); }

// ---- cycles and deep chains

namespace {

template <class F> void eachChild(const Value &value, F &&visit) {
  if (const auto *elements = value.sequence())
    for (const ValueRef &element : *elements)
      visit(element);
  else if (const auto *set = value.as<Value::SetOf>())
    for (const ValueRef &element : set->elements)
      visit(element);
  else if (const auto *dict = value.as<Value::Dict>())
    for (const auto &[key, held] : dict->items)
      visit(key), visit(held);
  else if (const auto *instance = value.as<InstanceValue>())
    for (const auto &[name, field] : instance->fields)
      visit(field);
}

/// Does `value` reach itself? Says yes when that takes too long to find out.
bool inCycle(const Value *value, size_t &budget) {
  std::vector<const Value *> pending{value};
  std::set<const Value *> seen;
  while (!pending.empty()) {
    const Value *next = pending.back();
    pending.pop_back();
    bool found = false;
    eachChild(*next, [&](const ValueRef &child) {
      if (child.get() == value)
        found = true;
      else if (child && child->data.index() >= 6 && seen.insert(child.get()).second)
        pending.push_back(child.get());
    });
    if (found || budget == 0)
      return true;
    --budget;
  }
  return false;
}

/// Drops a value without recursion over what only it holds.
void dismantle(ValueRef value) {
  List pending;
  pending.push_back(std::move(value));
  while (!pending.empty()) {
    ValueRef next = std::move(pending.back());
    pending.pop_back();
    if (!next || next.use_count() != 1)
      continue;
    bool nested = false;
    eachChild(*next, [&](const ValueRef &child) {
      nested = true;
      pending.push_back(child);
    });
    if (nested)
      const_cast<Value &>(*next).data = Value::NoneType{}; // the last owner: nobody sees it
  }
}

} // namespace

Keeper::~Keeper() {
  for (auto &scope : scopes)
    for (auto &[name, value] : scope->names)
      dismantle(std::move(value));
  for (auto &scope : scopes) {
    scope->names.clear();
    scope->places.clear();
  }
  size_t budget = 200'000;
  for (ValueRef &container : containers)
    if (auto *type = std::get_if<ClassValue>(&const_cast<Value &>(*container).data))
      type->elements.clear();
    else if (inCycle(container.get(), budget))
      const_cast<Value &>(*container).data = Value::NoneType{};
  for (ValueRef &container : containers)
    dismantle(std::move(container));
}

} // namespace tilewright::syntax

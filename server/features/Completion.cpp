#include "features/Completion.h"

#include "features/Contracts.h"
#include "features/Cursor.h"
#include "features/InstructionChoices.h"
#include "features/Names.h"
#include "features/Signatures.h"
#include "features/Values.h"
#include "layout/Print.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;
using syntax::Role;

constexpr ir::DType kDTypes[] = {ir::DType::Bool, ir::DType::I32, ir::DType::I64, ir::DType::F32, ir::DType::F16, ir::DType::BF16, ir::DType::F8E4M3, ir::DType::F8E8M0, ir::DType::F4E2M1};
constexpr ir::Storage kStorages[] = {ir::Storage::Gmem, ir::Storage::Smem, ir::Storage::Rmem, ir::Storage::Tmem, ir::Storage::Umat, ir::Storage::Host};

std::string_view storageMeaning(ir::Storage storage) {
  switch (storage) {
  case ir::Storage::Host: return "memory of the host";
  case ir::Storage::Gmem: return "global memory";
  case ir::Storage::Smem: return "shared memory of a CTA";
  case ir::Storage::Rmem: return "registers";
  case ir::Storage::Tmem: return "tensor memory";
  case ir::Storage::Umat: return "nowhere: a uniform scalar";
  }
  return "";
}

class Completer {
public:
  Completer(const session::Snapshot &snapshot, uint32_t offset) : snapshot_(snapshot), cursor_(cursorAt(snapshot.file, offset)) {}

  std::vector<CompletionItem> run() {
    if (cursor_.inComment)
      return {};
    if (cursor_.inString)
      strings();
    else if (matching())
      ; // what fits, and why the rest does not, is all there is to say
    else if (!cursor_.object.empty())
      members();
    else if (cursor_.word.size() == 0 || !isDigit(text()[cursor_.word.begin]))
      names();
    std::stable_sort(out_.begin(), out_.end(), [](const CompletionItem &a, const CompletionItem &b) { return a.sort < b.sort; });
    return std::move(out_);
  }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  std::string_view text() const { return snapshot_.file.source->text(); }

  CompletionItem &add(std::string label, CompletionKind kind, char rank, std::string detail = {}, std::string key = {}) {
    CompletionItem item;
    item.sort = rank + label;
    item.label = std::move(label);
    item.kind = kind;
    item.detail = std::move(detail);
    item.key = std::move(key);
    item.replaces = cursor_.word;
    out_.push_back(std::move(item));
    return out_.back();
  }

  // ---- the argument under the cursor
  struct Place {
    const OpenBracket *open = nullptr;
    std::optional<Signature> signature;
    const SignatureParameter *parameter = nullptr;
    bool direct = false; // in the call's own brackets, not in a tuple of an argument
  };
  Place place() const {
    Place found;
    for (auto open = cursor_.brackets.rbegin(); open != cursor_.brackets.rend(); ++open) {
      if (open->callee.empty())
        continue;
      found.signature = signatureOf(snapshot_, open->callee);
      if (!found.signature || found.signature->bracket != open->kind) {
        found.signature.reset();
        if (open->kind == '(')
          return found;
        continue;
      }
      found.open = &*open;
      found.direct = open == cursor_.brackets.rbegin();
      int active = found.signature->parameterFor(open->keyword, open->argument);
      found.parameter = active >= 0 ? &found.signature->parameters[static_cast<size_t>(active)] : nullptr;
      return found;
    }
    return found;
  }

  // ---- inside quotes
  void strings() {
    Place where = place();
    if (!where.signature)
      return;
    const OpenBracket &inner = cursor_.brackets.back();
    // Slots of `Tensor[...]` by position; `Tensor[(` is its shape.
    if (where.parameter && (where.direct || where.parameter->kind == ValueKind::Topologies))
      values(*where.parameter, '1', /*quotes=*/false);
    else if (!where.parameter && where.direct && where.signature->bracket == '[' && inner.argument > 1)
      storages('1', false);
  }

  static std::string inQuotes(std::string_view text, bool quotes) { return quotes ? "\"" + std::string(text) + "\"" : std::string(text); }

  void dtypes(char rank, bool quotes) {
    for (ir::DType dtype : kDTypes)
      add(inQuotes(ir::name(dtype), quotes), CompletionKind::Value, rank, std::to_string(ir::bits(dtype)) + (ir::bits(dtype) == 1 ? " bit" : " bits"));
  }
  void storages(char rank, bool quotes) {
    for (ir::Storage storage : kStorages)
      add(inQuotes(ir::name(storage), quotes), CompletionKind::Value, rank, std::string(storageMeaning(storage)));
  }

  /// Levels that some module of the file declares, else those of all targets.
  std::vector<std::string> levels() const {
    std::vector<std::string> names;
    auto meet = [&](const std::string &name) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    };
    if (snapshot_.result && snapshot_.result->evaluation)
      for (const syntax::Evaluation::Made &made : snapshot_.result->evaluation->modules) {
        const auto *module = made.module->as<syntax::ModuleValue>();
        const auto *decorator = module && module->decorator ? module->decorator->as<syntax::Opaque>() : nullptr;
        if (!decorator)
          continue;
        for (const auto &[key, value] : decorator->keywords)
          if (const auto *elements = key == "topologies" ? value->sequence() : nullptr)
            for (const syntax::ValueRef &element : *elements)
              if (const auto *level = element->as<syntax::Opaque>(); level && !level->arguments.empty() && level->arguments[0]->string())
                meet(*level->arguments[0]->string());
      }
    if (names.empty())
      for (const target::Target &one : target::all())
        for (const std::string &level : one.levels())
          meet(level);
    return names;
  }

  void values(const SignatureParameter &parameter, char rank, bool quotes) {
    switch (parameter.kind) {
    case ValueKind::DType: dtypes(rank, quotes); break;
    case ValueKind::Storage:
    case ValueKind::LayoutOrStorage: storages(rank, quotes); break;
    case ValueKind::Level:
      for (const target::Target &one : target::all())
        for (const std::string &level : one.levels())
          if (std::none_of(out_.begin(), out_.end(), [&](const CompletionItem &item) { return item.label == inQuotes(level, quotes); }))
            add(inQuotes(level, quotes), CompletionKind::Value, rank, "level of " + std::string(one.id()));
      break;
    case ValueKind::Topologies:
      if (!quotes)
        for (const std::string &level : levels())
          add(level, CompletionKind::Value, rank, "level");
      break;
    case ValueKind::Target:
      for (const target::Target &one : target::all())
        if (one.family() == target::Family::Cuda)
          add(inQuotes(one.id(), quotes), CompletionKind::Value, rank, std::string(one.architecture()), "target:" + std::string(one.id()));
      break;
    case ValueKind::Reduction:
      for (const char *one : {"sum", "max", "min"})
        add(inQuotes(one, quotes), CompletionKind::Value, rank);
      break;
    case ValueKind::Function:
      for (const FunctionView &one : functionsOf(snapshot_))
        if (one.result && one.index == 0)
          add(inQuotes(one.result->name, quotes), CompletionKind::Value, rank, "function of " + one.result->module);
      break;
    case ValueKind::Bool:
      if (quotes)
        for (const char *one : {"True", "False"})
          add(one, CompletionKind::Value, rank);
      break;
    case ValueKind::Choice:
      for (const std::string &one : parameter.choices) {
        bool quoted = one.front() == '"';
        if (!quoted && !quotes)
          continue;
        add(quoted && !quotes ? one.substr(1, one.size() - 2) : one, quoted ? CompletionKind::Value : CompletionKind::Member, rank);
      }
      break;
    case ValueKind::Instruction:
      if (quotes)
        instructions(rank, /*atoms=*/false);
      break;
    case ValueKind::Atom:
      if (quotes)
        instructions(rank, /*atoms=*/true);
      break;
    case ValueKind::Operand:
    case ValueKind::Other: break;
    }
  }

  void instructions(char rank, bool atoms) {
    for (const std::string &name : instructionNames())
      if (isAtom(name) == atoms) {
        CompletionItem &item = add(name, CompletionKind::Instruction, rank, instructionSignature(name).label(), name);
        item.insert = name + "()";
      }
  }

  /// Inside `op=` and `atom=`: what matches first, the rest last with the reason. False where that cannot be told.
  bool matching() {
    if (!cursor_.object.empty() && cursor_.object != "T" && cursor_.object.compare(0, 2, "T.") != 0)
      return false;
    const OpenBracket *inner = cursor_.brackets.empty() ? nullptr : &cursor_.brackets.back();
    if (!inner || !((inner->callee == "tf.schedule" && inner->keyword == "op") || (inner->callee == "T.tiled_mma" && inner->keyword == "atom")) || inner->valueBegin != cursor_.dotted.begin)
      return false;
    if (enumerationNamed(cursor_.object))
      return false;
    std::optional<std::vector<InstructionChoice>> choices = instructionChoices(snapshot_, cursor_);
    if (!choices)
      return false;
    size_t rank = 0;
    for (const InstructionChoice &choice : *choices) {
      CompletionItem &item = add(choice.text, CompletionKind::Instruction, choice.accepted ? '0' : 'x', choice.reason, choice.id);
      char number[8];
      std::snprintf(number, sizeof number, "%c%04zu", choice.accepted ? '0' : 'x', rank++ % 10000);
      item.sort = number;
      item.filter = choice.text;
      item.replaces = cursor_.dotted;
      item.preferred = choice.accepted && rank == 1;
      item.refused = !choice.accepted;
    }
    // Names of instructions made before: `unit = T.cuda.sm90.Wgmma(...)`.
    if (cursor_.object.empty())
      names();
    return true;
  }

  // ---- behind a dot
  void members() {
    const std::string &object = cursor_.object;
    if (object == "tf") {
      for (const ir::AuthoredOp &op : ir::allAuthoredOps())
        add(std::string(op.name), CompletionKind::Op, '1', std::string(ir::spec(op.op).summary), "tf." + std::string(op.name));
      add("tile", CompletionKind::Op, '1', "windows of a dimension, one after another", "tf.tile");
      return;
    }
    // Names under `T.`, part by part.
    std::string prefix = object + ".";
    std::set<std::string> seen;
    auto part = [&](const std::string &full, CompletionKind leaf, const std::string &detail, char rank) {
      if (full.compare(0, prefix.size(), prefix) != 0)
        return;
      std::string rest = full.substr(prefix.size());
      size_t dot = rest.find('.');
      std::string name = rest.substr(0, dot);
      if (!seen.insert(name).second)
        return;
      if (dot == std::string::npos)
        add(name, leaf, rank, detail, leaf == CompletionKind::Instruction ? full : std::string());
      else
        add(name, CompletionKind::Namespace, '3');
    };
    for (const std::string &name : instructionNames())
      part(name, CompletionKind::Instruction, instructionSignature(name).label(), '1');
    for (const Enumeration &one : enumerations()) {
      part(one.name, CompletionKind::Enumeration, {}, '2');
      if (one.name == object)
        for (const std::string &member : one.members)
          add(member, CompletionKind::Member, '1', {}, one.name + "." + member);
    }
    if (object == "StorageKind")
      for (ir::Storage storage : kStorages) {
        std::string name(ir::name(storage));
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        add(name, CompletionKind::Member, '1', std::string(storageMeaning(storage)));
      }
    if (out_.empty() && object.find('.') == std::string::npos && object != "?")
      ofName(object);
  }

  /// Axes of a mesh, members of a class or module of the file.
  void ofName(const std::string &object) {
    std::vector<Binding> bindings = visible();
    for (auto it = bindings.rbegin(); it != bindings.rend(); ++it) {
      if (nameOf(*it) != object)
        continue;
      for (const std::string &axis : meshAxes(snapshot_.file, *it))
        add(axis, CompletionKind::Member, '1', "axis of mesh `" + object + "`");
      if (it->name.is(Kind::ClassDef))
        if (Node body = it->name.child(Role::Block))
          for (Node statement : body.children())
            for (Node name : boundNames(statement))
              add(std::string(name.text()), name.is(Kind::FunctionDef) ? CompletionKind::Function : CompletionKind::Constant, '1', "member of " + object);
      return;
    }
  }

  // ---- a word of its own
  static std::string nameOf(const Binding &binding) {
    std::string name(binding.name.text());
    return binding.name.is(Kind::Alias) ? name.substr(0, name.find('.')) : name;
  }

  /// Bindings that the cursor sees, outermost first.
  std::vector<Binding> visible() const {
    std::vector<Binding> found;
    size_t here = snapshot_.file.items.size();
    if (const syntax::Item *item = snapshot_.file.itemAt(cursor_.offset); item && item->offset <= cursor_.offset)
      here = static_cast<size_t>(item - snapshot_.file.items.data());
    for (size_t i = 0; i < snapshot_.file.items.size(); ++i) {
      Node root = snapshot_.file.items[i].tree->root();
      for (Node name : boundNames(root))
        found.push_back({i, name, root});
    }
    if (here == snapshot_.file.items.size())
      return found;
    // The block that the line belongs to: the innermost one around its start that is indented less than it.
    const syntax::Item &item = snapshot_.file.items[here];
    std::vector<Node> around;
    uint32_t at = cursor_.line >= item.offset ? cursor_.line - item.offset : 0;
    descend(item.tree->root(), at, around);
    for (Node node : around) {
      if (node.is(Kind::FunctionDef)) {
        if (Node parameters = node.child(Role::Parameters))
          for (Node parameter : parameters.children())
            if (parameter.is(Kind::Parameter) && parameter.text() != "*" && parameter.text() != "/")
              found.push_back({here, parameter, node});
        if (Node body = node.child(Role::Block))
          for (Node statement : body.children())
            before(statement, at, here, found);
      } else if (node.is(Kind::ClassDef) && node == around.back()) {
        if (Node body = node.child(Role::Block))
          for (Node statement : body.children())
            for (Node name : boundNames(statement))
              found.push_back({here, name, statement});
      }
    }
    return found;
  }

  /// Functions and classes whose body the place belongs to, outermost first. A place behind the last statement of a body still
  /// belongs to it if its line is indented deeper than the header.
  void descend(Node node, uint32_t at, std::vector<Node> &around) const {
    Node last;
    for (Node child : node.children())
      if (child.span().begin <= at && (child.is(Kind::Block) || isStatement(child.kind()) || child.is(Kind::Error)))
        last = child;
    bool defines = node.is(Kind::FunctionDef) || node.is(Kind::ClassDef);
    if (defines) {
      uint32_t column = columnOf(node);
      if (at > node.span().end && cursor_.column <= column)
        return;
      Node body = node.child(Role::Block);
      if (body ? at >= body.span().begin || cursor_.column > column : at > node.nameSpan().end)
        around.push_back(node);
    }
    if (last)
      descend(last, at, around);
  }

  uint32_t columnOf(Node node) const {
    const std::string &text = node.tree().text;
    uint32_t begin = node.span().begin, start = begin;
    while (start > 0 && text[start - 1] != '\n' && text[start - 1] != '\r')
      --start;
    return begin - start;
  }

  /// Names bound by a statement before the cursor's line, nested blocks included; those of loops and scopes only inside them.
  void before(Node statement, uint32_t at, size_t item, std::vector<Binding> &found) const {
    if (statement.span().begin >= at)
      return;
    bool compound = static_cast<bool>(statement.child(Role::Block));
    bool inside = at <= statement.span().end || cursor_.column > columnOf(statement);
    if (!compound || statement.is(Kind::FunctionDef) || statement.is(Kind::ClassDef) || inside)
      for (Node name : boundNames(statement))
        found.push_back({item, name, statement});
    if (statement.is(Kind::FunctionDef) || statement.is(Kind::ClassDef))
      return;
    for (Node child : statement.children())
      if (child.is(Kind::Block))
        for (Node nested : child.children())
          before(nested, at, item, found);
  }

  std::string typeOf(const Binding &binding) const {
    if (binding.item >= snapshot_.file.items.size())
      return {};
    Span span = binding.nameSpan();
    for (const FunctionView &view : views()) {
      if (view.item != binding.item)
        continue;
      if (view.plan)
        for (const ir::PlanValue &value : view.plan->values)
          if (!value.nameSpan.empty() && value.nameSpan == span)
            return layout::oneLine(ir::printType(*view.plan, value.type, value.region));
    }
    if (binding.statement == snapshot_.file.items[binding.item].tree->root() && snapshot_.result && snapshot_.result->evaluation && snapshot_.result->evaluation->globals && !binding.name.is(Kind::FunctionDef) && !binding.name.is(Kind::ClassDef))
      if (syntax::ValueRef value = snapshot_.result->evaluation->globals->find(binding.name.text()); value && !value->isUnknown() && !value->as<syntax::Opaque>())
        return syntax::repr(*value, 60);
    return {};
  }
  const std::vector<FunctionView> &views() const {
    if (!views_)
      views_ = functionsOf(snapshot_);
    return *views_;
  }

  void names() {
    Place where = place();
    bool argument = where.signature && where.direct;
    bool atStart = argument && where.open->keyword.empty() && std::max(where.open->argumentBegin, where.open->at + 1) == cursor_.dotted.begin;
    if (cursor_.before == "def" || cursor_.before == "class" || cursor_.before == "as" || cursor_.before == "for" || cursor_.before == "import" || cursor_.before == "from")
      return;
    bool told = std::any_of(out_.begin(), out_.end(), [](const CompletionItem &item) { return item.kind == CompletionKind::Instruction; });
    bool named = where.open && !where.open->keyword.empty(); // an instruction is always given by name
    bool instruction = where.parameter && (where.parameter->kind == ValueKind::Instruction || where.parameter->kind == ValueKind::Atom);
    if (where.parameter && argument && !told && (named || !instruction))
      values(*where.parameter, '0', /*quotes=*/true);
    else if (argument && where.signature->bracket == '[' && where.open->argument > 1)
      storages('0', true);
    if (atStart && where.signature->bracket == '(')
      for (const SignatureParameter &parameter : where.signature->parameters) {
        bool behind = std::find(where.open->given.begin(), where.open->given.end(), parameter.name) != where.open->given.end();
        auto index = &parameter - where.signature->parameters.data();
        if (behind || parameter.kind == ValueKind::Operand || (!parameter.keyword && index < where.open->positional))
          continue;
        CompletionItem &item = add(parameter.name + "=", CompletionKind::Argument, '1', parameter.text, "argument:" + where.signature->name + ":" + parameter.name);
        item.sort = "1" + std::string(1, static_cast<char>('A' + std::min<ptrdiff_t>(index, 25))); // as declared
        item.preferred = !parameter.optional && parameter.keyword;
      }
    std::set<std::string> seen;
    std::vector<Binding> bindings = visible();
    for (auto it = bindings.rbegin(); it != bindings.rend(); ++it) {
      std::string name = nameOf(*it);
      if (name.empty() || name == "*" || !seen.insert(name).second)
        continue;
      bool local = static_cast<bool>(enclosingFunction(it->name.is(Kind::FunctionDef) ? it->name.parent() : it->name));
      CompletionKind kind = it->name.is(Kind::FunctionDef) ? CompletionKind::Function : it->name.is(Kind::ClassDef) ? CompletionKind::Class : local ? CompletionKind::Variable : CompletionKind::Constant;
      add(name, kind, local ? '2' : '3', typeOf(*it));
    }
    if (seen.insert("tf").second)
      add("tf", CompletionKind::Namespace, '4', "the ops of a schedule");
    if (seen.insert("T").second)
      add("T", CompletionKind::Namespace, '4', "the instructions");
    for (const Construct &one : allConstructs())
      if (one.name.find('.') == std::string_view::npos && seen.insert(std::string(one.name)).second)
        add(std::string(one.name), CompletionKind::Class, '5', std::string(one.summary), std::string(one.name));
    for (const Enumeration &one : enumerations())
      if (one.name.find('.') == std::string::npos && seen.insert(one.name).second)
        add(one.name, CompletionKind::Enumeration, '5');
  }

  const session::Snapshot &snapshot_;
  Cursor cursor_;
  std::vector<CompletionItem> out_;
  mutable std::optional<std::vector<FunctionView>> views_;
};
} // namespace

std::vector<CompletionItem> completion(const session::Snapshot &snapshot, uint32_t offset) {
  if (!snapshot.schedule)
    return {};
  return Completer(snapshot, offset).run();
}

std::string completionDocumentation(std::string_view key) {
  static const session::Snapshot nothing;
  if (key.substr(0, 7) == "target:") {
    const target::Target *target = target::find(key.substr(7));
    return target ? "`" + std::string(target->id()) + "`, " + std::string(target->architecture()) : std::string();
  }
  if (key.substr(0, 9) == "argument:") {
    std::string_view rest = key.substr(9);
    size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos)
      return {};
    std::optional<Signature> signature = signatureOf(nothing, rest.substr(0, colon));
    if (signature)
      for (const SignatureParameter &parameter : signature->parameters)
        if (parameter.name == rest.substr(colon + 1))
          return codeBlock(parameter.text) + "\n" + parameter.documentation;
    return {};
  }
  if (key.substr(0, 3) == "tf." && key != "tf.tile") {
    const ir::AuthoredOp *op = ir::authoredOp(key.substr(3));
    return op ? opMarkdown(*op) : std::string();
  }
  if (isInstruction(key))
    return contractMarkdown(key, {std::string(key), {}}, nullptr);
  if (std::optional<Signature> signature = signatureOf(nothing, key))
    return codeBlock(signature->label()) + "\n" + signature->documentation;
  return {};
}

} // namespace tilewright::features

#include "syntax/Builder.h"

#include "support/Codes.h"
#include "syntax/Lines.h"

#include <algorithm>
#include <cstring>

namespace tilewright::syntax {

// ---- parsed text ---------------------------------------------------------------------------------------------------------

void ParsedText::copy(std::string_view original, Span span) {
  if (span.empty())
    return;
  uint32_t begin = static_cast<uint32_t>(text.size());
  text += original.substr(span.begin, span.size());
  pieces.push_back({{begin, static_cast<uint32_t>(text.size())}, span});
}

void ParsedText::make(std::string_view made, Span original, bool broken, int fragment) {
  if (made.empty())
    return;
  uint32_t begin = static_cast<uint32_t>(text.size());
  text += made;
  pieces.push_back({{begin, static_cast<uint32_t>(text.size())}, original, true, broken, fragment});
}

const Piece *ParsedText::pieceAt(uint32_t parsed) const {
  auto after = std::upper_bound(pieces.begin(), pieces.end(), parsed, [](uint32_t at, const Piece &piece) { return at < piece.parsed.begin; });
  return after == pieces.begin() ? nullptr : &*(after - 1);
}

uint32_t ParsedText::originalBegin(uint32_t parsed) const {
  const Piece *piece = pieceAt(parsed);
  if (!piece)
    return parsed;
  if (piece->made)
    return piece->original.begin;
  return piece->original.begin + std::min(parsed - piece->parsed.begin, piece->original.size());
}

uint32_t ParsedText::originalEnd(uint32_t parsed) const {
  const Piece *piece = parsed > 0 ? pieceAt(parsed - 1) : pieceAt(0);
  if (!piece)
    return parsed;
  if (piece->made)
    return piece->original.end;
  return piece->original.begin + std::min(parsed - piece->parsed.begin, piece->original.size());
}

// ---- kinds of tree-sitter nodes ------------------------------------------------------------------------------------------

namespace {

#define TW_GRAMMAR_NODES(X)                                                                                                        \
  X(module) X(expression_statement) X(return_statement) X(delete_statement) X(assert_statement) X(raise_statement)                 \
  X(import_statement) X(import_from_statement) X(global_statement) X(nonlocal_statement) X(type_alias_statement)                   \
  X(pass_statement) X(break_statement) X(continue_statement) X(assignment) X(augmented_assignment) X(if_statement) X(elif_clause)  \
  X(else_clause) X(for_statement) X(tile_loop) X(while_statement) X(try_statement) X(except_clause) X(finally_clause)              \
  X(with_statement) X(mesh_scope) X(with_item) X(match_statement) X(case_clause) X(case_pattern) X(if_guard)                       \
  X(function_definition) X(class_definition) X(decorated_definition) X(module_declaration) X(func_declaration)                     \
  X(prim_func_declaration) X(decorator) X(block) X(parameters) X(lambda_parameters) X(default_parameter) X(typed_parameter)        \
  X(typed_default_parameter) X(list_splat_pattern) X(dictionary_splat_pattern) X(keyword_separator) X(positional_separator)        \
  X(type) X(type_parameters) X(expression_list) X(pattern_list) X(named_expression) X(yield) X(conditional_expression) X(lambda)   \
  X(boolean_operator) X(not_operator) X(comparison_operator) X(binary_operator) X(unary_operator) X(await) X(swizzled_layout)      \
  X(split_axis) X(value_state) X(attribute) X(call) X(op_call) X(instruction_call) X(mesh_call) X(subscript) X(mesh_slice)         \
  X(tensor_type) X(const_tensor_type) X(slice) X(argument_list) X(keyword_argument) X(list_splat) X(dictionary_splat)              \
  X(parenthesized_expression) X(tuple) X(list) X(set) X(dictionary) X(pair) X(generator_expression) X(list_comprehension)          \
  X(set_comprehension) X(dictionary_comprehension) X(for_in_clause) X(if_clause) X(string) X(string_start) X(string_content)       \
  X(escape_sequence) X(string_end) X(concatenated_string) X(interpolation) X(type_conversion) X(format_specifier)                  \
  X(format_content) X(integer) X(float) X(imaginary) X(true) X(false) X(none) X(ellipsis) X(identifier) X(comment)                 \
  X(dotted_name) X(aliased_import) X(wildcard_import) X(relative_import) X(import_prefix)

enum class Tag : uint8_t {
  other,
#define X(name) name##_,
  TW_GRAMMAR_NODES(X)
#undef X
  error_,
};

#define TW_GRAMMAR_FIELDS(X)                                                                                                       \
  X(left) X(right) X(type) X(operator) X(cause) X(name) X(value) X(module_name) X(alias) X(condition) X(consequence)               \
  X(alternative) X(body) X(subject) X(pattern) X(guard) X(parameters) X(return_type) X(superclasses) X(definition)                 \
  X(argument) X(operators) X(layout) X(swizzle) X(extent) X(axis) X(state) X(object) X(attribute) X(function) X(arguments)         \
  X(subscript) X(start) X(stop) X(step) X(constructor) X(key) X(expression) X(debug) X(type_conversion) X(format_specifier)        \
  X(from) X(type_parameters)

struct Language {
  const TSLanguage *language = tree_sitter_tilewright();
  std::vector<Tag> tags; // by symbol
#define X(name) TSFieldId name##_ = 0;
  TW_GRAMMAR_FIELDS(X)
#undef X

  Language() {
    uint32_t count = ts_language_symbol_count(language);
    tags.assign(count, Tag::other);
    for (uint32_t symbol = 0; symbol < count; ++symbol) {
      if (ts_language_symbol_type(language, static_cast<TSSymbol>(symbol)) != TSSymbolTypeRegular)
        continue;
      const char *name = ts_language_symbol_name(language, static_cast<TSSymbol>(symbol));
#define X(word)                                                                                                                    \
  if (std::strcmp(name, #word) == 0)                                                                                               \
    tags[symbol] = Tag::word##_;
      TW_GRAMMAR_NODES(X)
#undef X
    }
#define X(word) word##_ = ts_language_field_id_for_name(language, #word, static_cast<uint32_t>(std::strlen(#word)));
    TW_GRAMMAR_FIELDS(X)
#undef X
  }
  Tag tag(TSNode node) const {
    TSSymbol symbol = ts_node_symbol(node);
    return symbol < tags.size() ? tags[symbol] : Tag::error_;
  }
};

const Language &lang() {
  static const Language language;
  return language;
}

// ---- the walk ------------------------------------------------------------------------------------------------------------

enum class Special : uint8_t {
  None,
  ElifBlock, // the Else block that holds an elif: extras are the clauses from it on
  Clause,    // a Comprehension: extras are its ifs
  Parameter,
  NoParameters,
  Literal, // a literal part of an f-string: from, to
  Format,  // a format specification as an FString
  Imported,
  Mapping, // `**m` in a dict
  State,   // the set of a value state
  Pieces, // under an Error: whatever of a broken statement can be read
};

struct Task {
  TSNode node;
  uint32_t parent;
  uint16_t depth;
  Role role;
  uint8_t flags = 0;
  Special special = Special::None;
  bool target = false; // assigned to
  uint8_t source = 0;  // 0: the parsed text; n: fragment n - 1 (counted by sources_)
  uint32_t from = 0, to = 0; // range of extras_, or of the text
};

struct Kid {
  TSNode node;
  Tag tag;
  TSFieldId field;
  bool named;
};

class Builder {
public:
  Builder(const BuildInput &input, Tree &tree) : input_(input), tree_(tree), sources_{input.parsed} {
    cursor_ = ts_tree_cursor_new(input.root);
    if (input.parsed)
      for (const Piece &piece : input.parsed->pieces)
        if (piece.broken)
          broken_.push_back(piece.parsed);
  }
  ~Builder() { ts_tree_cursor_delete(&cursor_); }

  Built run();

private:
  const Language &l_ = lang();
  const BuildInput &input_;
  Tree &tree_;
  Built built_;
  TSTreeCursor cursor_;
  std::vector<Task> tasks_;
  std::vector<Task> pushed_; // children of the node at work, in order
  std::vector<Kid> kids_;
  std::vector<TSNode> extras_;
  std::vector<uint32_t> last_; // last child by node
  std::vector<const ParsedText *> sources_;
  std::vector<Span> broken_; // in the parsed text
  bool cut_ = false;

  void collect(TSNode node);
  void process(Task task);
  void expression(Task &task, Tag tag);
  void statement(Task &task, Tag tag);
  void definition(Task &task);
  void string(Task &task, bool specification);
  void comprehension(Task &task, Kind kind);
  void pieces(Task &task, TSNode root);

  Span span(const Task &task, uint32_t begin, uint32_t end) const {
    const ParsedText *text = sources_[task.source];
    if (!text)
      return {begin, end};
    Span mapped{text->originalBegin(begin), text->originalEnd(end)};
    if (mapped.end < mapped.begin)
      mapped.end = mapped.begin;
    return mapped;
  }
  Span span(const Task &task, TSNode node) const { return span(task, ts_node_start_byte(node), ts_node_end_byte(node)); }
  // The span of a piece of source used as a name; empty if the piece is our own.
  Span nameSpan(const Task &task, TSNode node) {
    const ParsedText *text = sources_[task.source];
    if (text) {
      const Piece *piece = text->pieceAt(ts_node_start_byte(node));
      if (piece && piece->made)
        return {};
    }
    Span where = span(task, node);
    if (where.size() >= 2 && where.size() <= 8 && isKeyword(word(where)) && l_.tag(node) == Tag::identifier_)
      problem(task, where, "`" + std::string(word(where)) + "` is a keyword and cannot be a name");
    return where;
  }
  // Keywords between the dots of a module's name.
  void keywordIn(const Task &task, Span dotted) {
    for (uint32_t at = dotted.begin; at < dotted.end;) {
      uint32_t end = at;
      while (end < dotted.end && std::string_view(". \t\\\r\n").find(input_.original[end]) == std::string_view::npos)
        ++end;
      if (isKeyword(word({at, end})))
        problem(task, {at, end}, "`" + std::string(word({at, end})) + "` is a keyword and cannot be a name");
      at = end + 1;
    }
  }
  std::string_view word(Span where) const { return input_.original.substr(where.begin, where.size()); }
  void problem(const Task &task, Span where, std::string message) {
    if (task.source == 0)
      built_.problems.push_back({where, std::move(message)});
  }

  uint32_t emit(const Task &task, Kind kind, Span where, Span name = {}, Form form = Form::Plain) {
    uint32_t index = static_cast<uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back({kind, form, task.role, task.flags, where, name, task.parent, kNoNode, kNoNode, 0});
    last_.push_back(kNoNode);
    if (task.parent != kNoNode) {
      if (last_[task.parent] == kNoNode)
        tree_.nodes[task.parent].firstChild = index;
      else
        tree_.nodes[last_[task.parent]].nextSibling = index;
      last_[task.parent] = index;
    }
    if (kind == Kind::Error)
      tree_.nodes[index].flags |= kHasError;
    else if (!broken_.empty() && task.source == 0) {
      uint32_t begin = ts_node_start_byte(task.node), end = ts_node_end_byte(task.node);
      auto inside = std::lower_bound(broken_.begin(), broken_.end(), begin, [](const Span &piece, uint32_t at) { return piece.begin < at; });
      if (inside != broken_.end() && inside->end <= end)
        tree_.nodes[index].flags |= kHasError;
    }
    return index;
  }
  uint32_t emit(const Task &task, Kind kind, Form form = Form::Plain) { return emit(task, kind, span(task, task.node), {}, form); }
  uint32_t leaf(const Task &task, Kind kind) {
    Span where = span(task, task.node);
    return emit(task, kind, where, where);
  }
  void operators(uint32_t node, std::string text) {
    tree_.operatorTexts.push_back(std::move(text));
    tree_.nodes[node].operators = static_cast<uint32_t>(tree_.operatorTexts.size());
  }
  Task &push(const Task &under, uint32_t parent, TSNode node, Role role = Role::None) {
    Task task{};
    task.node = node;
    task.parent = parent;
    task.depth = static_cast<uint16_t>(under.depth + 1);
    task.role = role;
    task.source = under.source;
    pushed_.push_back(task);
    return pushed_.back();
  }
  void pushAll(const Task &under, uint32_t parent, Role role = Role::None, bool target = false) {
    for (const Kid &kid : kids_)
      if (kid.named)
        push(under, parent, kid.node, role).target = target;
  }
  const Kid *field(TSFieldId id) const {
    for (const Kid &kid : kids_)
      if (kid.field == id)
        return &kid;
    return nullptr;
  }
  const Kid *firstNamed() const {
    for (const Kid &kid : kids_)
      if (kid.named)
        return &kid;
    return nullptr;
  }
  bool startsWith(std::string_view token) const {
    if (kids_.empty() || kids_[0].named)
      return false;
    return token == ts_node_type(kids_[0].node);
  }
  void started(const Task &task, TSNode node) {
    if (task.source == 0)
      built_.starts.push_back(ts_node_start_byte(node));
  }
  // The piece of our own that holds the whole node, if there is one.
  const Piece *madePiece(const Task &task) const {
    const ParsedText *text = sources_[task.source];
    if (!text)
      return nullptr;
    const Piece *piece = text->pieceAt(ts_node_start_byte(task.node));
    return piece && piece->made && ts_node_end_byte(task.node) <= piece->parsed.end ? piece : nullptr;
  }
  void suite(const Task &task, uint32_t parent, Role role) {
    if (const Kid *body = field(l_.body_); body)
      push(task, parent, body->node, role);
    else if (const Kid *consequence = field(l_.consequence_); consequence)
      push(task, parent, consequence->node, role);
  }
  // `else` of a loop or try: the block inside the clause.
  void elseClause(const Task &task, uint32_t parent, TSNode clause, Role role) {
    started(task, clause);
    TSNode block = ts_node_child_by_field_id(clause, l_.body_);
    if (!ts_node_is_null(block))
      push(task, parent, block, role);
  }
  std::string_view described(Tag tag) const;
};

void Builder::collect(TSNode node) {
  kids_.clear();
  ts_tree_cursor_reset(&cursor_, node);
  if (!ts_tree_cursor_goto_first_child(&cursor_))
    return;
  do {
    TSNode child = ts_tree_cursor_current_node(&cursor_);
    bool named = ts_node_is_named(child);
    Tag tag = named ? l_.tag(child) : Tag::other;
    if (tag == Tag::comment_)
      continue;
    kids_.push_back({child, tag, ts_tree_cursor_current_field_id(&cursor_), named});
  } while (ts_tree_cursor_goto_next_sibling(&cursor_));
}

Built Builder::run() {
  Task top{};
  top.node = input_.root;
  top.parent = kNoNode;
  top.role = Role::None;
  collect(input_.root);
  Span whole{0, static_cast<uint32_t>(input_.original.size())};
  std::vector<Kid> statements;
  for (const Kid &kid : kids_)
    if (kid.named)
      statements.push_back(kid);
  uint32_t parent = kNoNode;
  bool wrap = statements.size() != 1;
  if (!wrap) {
    top.node = statements[0].node;
    const Piece *piece = madePiece(top);
    wrap = piece && piece->original.empty();
    // An item that begins with blanks is indented where nothing is: its statement is put under an Error too.
    wrap |= !input_.original.empty() && (input_.original[0] == ' ' || input_.original[0] == '\t');
    top.node = input_.root;
  }
  if (wrap) {
    parent = emit(top, Kind::Error, whole);
    ++top.depth;
  }
  for (auto kid = statements.rbegin(); kid != statements.rend(); ++kid) {
    Task task = top;
    task.node = kid->node;
    task.parent = parent;
    tasks_.push_back(task);
  }
  while (!tasks_.empty()) {
    Task task = tasks_.back();
    tasks_.pop_back();
    pushed_.clear();
    process(task);
    tasks_.insert(tasks_.end(), pushed_.rbegin(), pushed_.rend());
  }
  if (tree_.nodes.empty())
    emit(top, Kind::Error, whole);
  for (size_t i = tree_.nodes.size(); i-- > 1;) {
    Tree::Entry &parent = tree_.nodes[tree_.nodes[i].parent];
    parent.flags |= tree_.nodes[i].flags & kHasError;
    if (input_.parsed) { // where a piece of our own ends a node, its children may reach further
      parent.span.begin = std::min(parent.span.begin, tree_.nodes[i].span.begin);
      parent.span.end = std::max(parent.span.end, tree_.nodes[i].span.end);
    }
  }
  std::sort(built_.starts.begin(), built_.starts.end());
  return std::move(built_);
}

std::string_view Builder::described(Tag tag) const {
  switch (tag) {
  case Tag::call_: case Tag::op_call_: case Tag::instruction_call_: case Tag::mesh_call_: return "a call";
  case Tag::integer_: case Tag::float_: case Tag::imaginary_: return "a number";
  case Tag::string_: case Tag::concatenated_string_: return "a string";
  case Tag::true_: case Tag::false_: case Tag::none_: case Tag::ellipsis_: return "a constant";
  case Tag::comparison_operator_: return "a comparison";
  case Tag::conditional_expression_: return "a conditional expression";
  case Tag::lambda_: return "a lambda";
  case Tag::dictionary_: case Tag::set_: return "a display in braces";
  default: return "an expression";
  }
}

void Builder::process(Task task) {
  if (task.depth >= kDeepest) {
    Span where = span(task, task.node);
    if (task.special == Special::Literal)
      where = span(task, task.from, task.to);
    emit(task, Kind::Error, where);
    if (!cut_)
      tree_.diagnostics.push_back({Code::NestingLimit, info(Code::NestingLimit).severity, {where.begin, std::min(where.end, where.begin + 1)},
                                   "nested deeper than " + std::to_string(kDeepest) + " levels", {}, {}});
    cut_ = true;
    return;
  }
  switch (task.special) {
  case Special::Literal: {
    Span where = span(task, task.from, task.to);
    task.flags |= kRawPart;
    emit(task, Kind::String, where, where);
    return;
  }
  case Special::NoParameters: {
    Span at = span(task, task.from, task.from);
    emit(task, Kind::Parameters, {at.begin, at.begin});
    return;
  }
  case Special::Format:
    string(task, true);
    return;
  case Special::Pieces:
    pieces(task, task.node);
    return;
  case Special::Clause: {
    uint32_t end = task.to > task.from ? ts_node_end_byte(extras_[task.to - 1]) : ts_node_end_byte(task.node);
    collect(task.node);
    if (startsWith("async"))
      task.flags |= kAsync;
    uint32_t node = emit(task, Kind::Comprehension, span(task, ts_node_start_byte(task.node), end));
    if (const Kid *left = field(l_.left_))
      push(task, node, left->node, Role::Target).target = true;
    if (const Kid *right = field(l_.right_))
      push(task, node, right->node, Role::Iter);
    uint32_t from = task.from, to = task.to;
    for (uint32_t i = from; i < to; ++i) {
      TSNode test = ts_node_named_child(extras_[i], 0);
      for (uint32_t k = 1; !ts_node_is_null(test) && l_.tag(test) == Tag::comment_; ++k)
        test = ts_node_named_child(extras_[i], k);
      if (!ts_node_is_null(test))
        push(task, node, test, Role::Test);
    }
    return;
  }
  case Special::ElifBlock: {
    // Block holding the If of an elif; the If continues with the clauses behind it.
    TSNode clause = extras_[task.from];
    uint32_t begin = ts_node_start_byte(clause), end = ts_node_end_byte(extras_[task.to - 1]);
    started(task, clause);
    if (l_.tag(clause) == Tag::else_clause_) {
      TSNode block = ts_node_child_by_field_id(clause, l_.body_);
      task.node = block;
      task.special = Special::None;
      process(task);
      return;
    }
    uint32_t block = emit(task, Kind::Block, span(task, begin, end));
    Task inner = task;
    inner.node = clause;
    inner.parent = block;
    inner.role = Role::None;
    inner.flags = 0;
    inner.depth = static_cast<uint16_t>(task.depth + 1);
    if (inner.depth >= kDeepest) {
      inner.special = Special::None;
      process(inner);
      return;
    }
    uint32_t node = emit(inner, Kind::If, span(task, begin, end));
    if (tree_.nodes[block].flags & kHasError)
      tree_.nodes[node].flags |= kHasError;
    collect(clause);
    if (const Kid *condition = field(l_.condition_))
      push(inner, node, condition->node, Role::Test);
    suite(inner, node, Role::Block);
    if (task.from + 1 < task.to) {
      Task &rest = push(inner, node, extras_[task.from + 1], Role::Else);
      rest.special = Special::ElifBlock;
      rest.from = task.from + 1;
      rest.to = task.to;
    }
    return;
  }
  default:
    break;
  }

  // Parentheses and wrappers.
  Tag tag = l_.tag(task.node);
  for (;;) {
    bool parens = tag == Tag::parenthesized_expression_;
    if (!parens && tag != Tag::type_ && tag != Tag::if_guard_ && tag != Tag::if_clause_)
      break;
    collect(task.node);
    const Kid *inner = firstNamed();
    if (!inner)
      break;
    if (parens)
      task.flags |= kParenthesized;
    task.node = inner->node;
    tag = inner->tag;
  }

  if (const Piece *made = madePiece(task); made && tag != Tag::block_) {
    if (made->original.empty() && !made->broken)
      return;
    uint32_t node = emit(task, Kind::Error, made->original);
    if (made->fragment >= 0 && input_.fragments) {
      const Fragment &fragment = (*input_.fragments)[static_cast<size_t>(made->fragment)];
      if (fragment.tree) {
        if (sources_.size() == 250)
          return; // enough fragments read
        sources_.push_back(&fragment.text);
        Task &inner = push(task, node, ts_tree_root_node(fragment.tree));
        inner.special = Special::Pieces;
        inner.source = static_cast<uint8_t>(sources_.size() - 1);
        inner.depth = task.depth;
      }
    }
    return;
  }

  if (task.target) {
    switch (tag) {
    case Tag::identifier_: case Tag::attribute_: case Tag::subscript_: case Tag::mesh_slice_: case Tag::tensor_type_:
    case Tag::const_tensor_type_: case Tag::tuple_: case Tag::list_: case Tag::expression_list_: case Tag::pattern_list_: case Tag::list_splat_:
      break;
    default:
      problem(task, span(task, task.node), "cannot assign to " + std::string(described(tag)));
      task.target = false;
    }
  }
  if (tag <= Tag::continue_statement_ || (tag >= Tag::if_statement_ && tag <= Tag::block_) || tag == Tag::error_)
    statement(task, tag);
  else
    expression(task, tag);
}

// What can be read of a broken statement: the largest expressions and definitions without an error in them.
void Builder::pieces(Task &task, TSNode root) {
  // A chain down the parts that have errors; everything else is read whole.
  std::vector<TSNode> open{root};
  size_t count = 0;
  while (!open.empty() && count < 200) {
    TSNode node = open.back();
    open.pop_back();
    Tag tag = l_.tag(node);
    bool container = tag == Tag::module_ || tag == Tag::error_ || ts_node_has_error(node);
    if (!container) {
      bool readable = ts_node_is_named(node) && tag != Tag::other && tag != Tag::comment_ && tag != Tag::decorator_ && tag != Tag::argument_list_ &&
                      tag != Tag::parameters_ && tag != Tag::string_start_ && tag != Tag::string_content_ && tag != Tag::string_end_ &&
                      tag != Tag::escape_sequence_ && tag != Tag::interpolation_ && tag != Tag::type_conversion_ && tag != Tag::format_content_ &&
                      tag != Tag::format_specifier_ && tag != Tag::dotted_name_ && tag != Tag::import_prefix_ && tag != Tag::relative_import_ &&
                      tag != Tag::pair_ && tag != Tag::with_item_ && tag != Tag::for_in_clause_ && tag != Tag::elif_clause_ &&
                      tag != Tag::else_clause_ && tag != Tag::except_clause_ && tag != Tag::finally_clause_ && tag != Tag::case_clause_ &&
                      tag != Tag::case_pattern_ && tag != Tag::list_splat_pattern_ && tag != Tag::dictionary_splat_pattern_ &&
                      tag != Tag::default_parameter_ && tag != Tag::typed_parameter_ && tag != Tag::typed_default_parameter_ &&
                      tag != Tag::keyword_separator_ && tag != Tag::positional_separator_ && tag != Tag::type_parameters_ &&
                      tag != Tag::aliased_import_ && tag != Tag::wildcard_import_;
      if (readable) {
        push(task, task.parent, node);
        ++count;
        continue;
      }
    }
    uint32_t children = ts_node_named_child_count(node);
    if (children > 4000)
      children = 4000;
    std::vector<TSNode> named;
    ts_tree_cursor_reset(&cursor_, node);
    if (ts_tree_cursor_goto_first_child(&cursor_))
      do {
        TSNode child = ts_tree_cursor_current_node(&cursor_);
        if (ts_node_is_named(child) && named.size() < children)
          named.push_back(child);
      } while (ts_tree_cursor_goto_next_sibling(&cursor_));
    open.insert(open.end(), named.rbegin(), named.rend());
  }
}

void Builder::definition(Task &task) {
  // Decorators around a class or function.
  TSNode inner = task.node;
  Span where = span(task, task.node);
  std::vector<TSNode> decorators;
  Tag declared = l_.tag(task.node);
  if (declared != Tag::function_definition_ && declared != Tag::class_definition_) {
    collect(task.node);
    for (const Kid &kid : kids_) {
      if (kid.tag == Tag::decorator_)
        decorators.push_back(kid.node);
      else if (kid.field == l_.definition_)
        inner = kid.node;
    }
  }
  for (TSNode decorator : decorators)
    started(task, decorator);
  if (!decorators.empty())
    started(task, inner);
  bool isClass = l_.tag(inner) == Tag::class_definition_;
  Form form = declared == Tag::module_declaration_      ? Form::ModuleDeclaration
              : declared == Tag::func_declaration_      ? Form::FuncDeclaration
              : declared == Tag::prim_func_declaration_ ? Form::PrimFuncDeclaration
                                                        : Form::Plain;
  collect(inner);
  if (startsWith("async"))
    task.flags |= kAsync;
  const Kid *name = field(l_.name_);
  Span named = name ? nameSpan(task, name->node) : Span{};
  uint32_t node = emit(task, isClass ? Kind::ClassDef : Kind::FunctionDef, where, named, form);
  const Kid *parameters = field(l_.parameters_), *returns = field(l_.return_type_), *body = field(l_.body_), *bases = field(l_.superclasses_);
  std::vector<TSNode> expressions;
  for (TSNode decorator : decorators) {
    TSNode expression = ts_node_named_child(decorator, 0);
    if (!ts_node_is_null(expression))
      expressions.push_back(expression);
  }
  for (TSNode expression : expressions)
    push(task, node, expression, Role::Decorator);
  if (parameters)
    push(task, node, parameters->node, Role::Parameters);
  if (returns)
    push(task, node, returns->node, Role::Returns);
  if (bases) {
    TSNode block = body ? body->node : TSNode{};
    bool hasBody = body != nullptr;
    collect(bases->node);
    pushAll(task, node, Role::Argument);
    if (hasBody)
      push(task, node, block, Role::Block);
  } else if (body) {
    push(task, node, body->node, Role::Block);
  }
}

void Builder::statement(Task &task, Tag tag) {
  if (task.role == Role::None && tag != Tag::block_)
    started(task, task.node);
  switch (tag) {
  case Tag::decorated_definition_: case Tag::module_declaration_: case Tag::func_declaration_: case Tag::prim_func_declaration_:
  case Tag::function_definition_: case Tag::class_definition_:
    definition(task);
    return;
  default:
    break;
  }
  collect(task.node);
  switch (tag) {
  case Tag::block_: {
    uint32_t node = emit(task, Kind::Block);
    if (!kids_.empty() && kids_[0].tag == Tag::case_clause_) {
      pushAll(task, node, Role::Case);
    } else {
      pushAll(task, node);
    }
    return;
  }
  case Tag::expression_statement_: {
    const Kid *inner = firstNamed();
    if (!inner)
      return;
    if (inner->tag == Tag::assignment_) {
      std::vector<TSNode> targets;
      TSNode value = inner->node;
      TSNode annotation{};
      for (bool first = true;; first = false) {
        TSNode left = ts_node_child_by_field_id(value, l_.left_), right = ts_node_child_by_field_id(value, l_.right_);
        if (first)
          annotation = ts_node_child_by_field_id(value, l_.type_);
        targets.push_back(left);
        value = right;
        if (ts_node_is_null(value) || l_.tag(value) != Tag::assignment_)
          break;
      }
      uint32_t node = emit(task, ts_node_is_null(annotation) ? Kind::Assign : Kind::AnnAssign);
      for (TSNode target : targets)
        push(task, node, target, Role::Target).target = true;
      if (!ts_node_is_null(annotation)) {
        Tag left = l_.tag(targets[0]);
        if (left == Tag::tuple_ || left == Tag::list_)
          problem(task, span(task, targets[0]), "only one name can have an annotation");
        push(task, node, annotation, Role::Annotation);
      }
      if (!ts_node_is_null(value))
        push(task, node, value, Role::Value);
    } else if (inner->tag == Tag::augmented_assignment_) {
      TSNode statement = inner->node;
      collect(statement);
      const Kid *left = field(l_.left_), *op = field(l_.operator_), *right = field(l_.right_);
      Span text = op ? span(task, op->node) : Span{};
      if (text.size() > 1)
        --text.end;
      uint32_t node = emit(task, Kind::AugAssign, span(task, task.node), text);
      if (left) {
        if (left->tag == Tag::tuple_ || left->tag == Tag::list_)
          problem(task, span(task, left->node), "an augmented assignment has one target");
        push(task, node, left->node, Role::Target).target = true;
      }
      if (right)
        push(task, node, right->node, Role::Value);
    } else {
      uint32_t node = emit(task, Kind::ExprStmt);
      push(task, node, inner->node);
    }
    return;
  }
  case Tag::return_statement_:
    pushAll(task, emit(task, Kind::Return));
    return;
  case Tag::delete_statement_: {
    uint32_t node = emit(task, Kind::Delete);
    pushAll(task, node, Role::None, true);
    return;
  }
  case Tag::assert_statement_: {
    uint32_t node = emit(task, Kind::Assert);
    bool first = true;
    for (const Kid &kid : kids_) {
      if (!kid.named)
        continue;
      push(task, node, kid.node, first ? Role::Test : Role::None);
      first = false;
    }
    return;
  }
  case Tag::raise_statement_:
    pushAll(task, emit(task, Kind::Raise));
    return;
  case Tag::global_statement_:
    pushAll(task, emit(task, Kind::Global));
    return;
  case Tag::nonlocal_statement_:
    pushAll(task, emit(task, Kind::Nonlocal));
    return;
  case Tag::pass_statement_:
    emit(task, Kind::Pass);
    return;
  case Tag::break_statement_:
    emit(task, Kind::Break);
    return;
  case Tag::continue_statement_:
    emit(task, Kind::Continue);
    return;
  case Tag::type_alias_statement_: {
    const Kid *name = field(l_.name_), *value = field(l_.value_);
    uint32_t node = emit(task, Kind::TypeAlias);
    if (name)
      push(task, node, name->node);
    if (value)
      push(task, node, value->node);
    return;
  }
  case Tag::import_statement_: {
    uint32_t node = emit(task, Kind::Import);
    for (const Kid &kid : kids_)
      if (kid.named)
        push(task, node, kid.node).special = Special::Imported;
    break;
  }
  case Tag::import_from_statement_: {
    const Kid *module = field(l_.module_name_);
    Span text = module ? span(task, module->node) : Span{};
    keywordIn(task, text);
    uint32_t node = emit(task, Kind::ImportFrom, span(task, task.node), text);
    if (word(text).find_first_of(" \t\\\r\n") != std::string_view::npos) {
      std::string joined(word(text));
      joined.erase(std::remove_if(joined.begin(), joined.end(), [](char c) { return c == ' ' || c == '\t' || c == '\\' || c == '\r' || c == '\n'; }), joined.end());
      operators(node, std::move(joined));
    }
    for (const Kid &kid : kids_)
      if (kid.named && kid.field != l_.module_name_)
        push(task, node, kid.node).special = Special::Imported;
    break;
  }
  case Tag::if_statement_: {
    uint32_t node = emit(task, Kind::If);
    if (const Kid *condition = field(l_.condition_))
      push(task, node, condition->node, Role::Test);
    suite(task, node, Role::Block);
    uint32_t from = static_cast<uint32_t>(extras_.size());
    for (const Kid &kid : kids_)
      if (kid.field == l_.alternative_)
        extras_.push_back(kid.node);
    if (extras_.size() > from) {
      Task &rest = push(task, node, extras_[from], Role::Else);
      rest.special = Special::ElifBlock;
      rest.from = from;
      rest.to = static_cast<uint32_t>(extras_.size());
    }
    return;
  }
  case Tag::for_statement_: case Tag::tile_loop_: {
    if (startsWith("async"))
      task.flags |= kAsync;
    uint32_t node = emit(task, Kind::For, tag == Tag::tile_loop_ ? Form::TileLoop : Form::Plain);
    if (const Kid *left = field(l_.left_))
      push(task, node, left->node, Role::Target).target = true;
    if (const Kid *right = field(l_.right_))
      push(task, node, right->node, Role::Iter);
    suite(task, node, Role::Block);
    if (const Kid *other = field(l_.alternative_))
      elseClause(task, node, other->node, Role::Else);
    return;
  }
  case Tag::while_statement_: {
    uint32_t node = emit(task, Kind::While);
    if (const Kid *condition = field(l_.condition_))
      push(task, node, condition->node, Role::Test);
    suite(task, node, Role::Block);
    if (const Kid *other = field(l_.alternative_))
      elseClause(task, node, other->node, Role::Else);
    return;
  }
  case Tag::try_statement_: {
    uint32_t node = emit(task, Kind::Try);
    suite(task, node, Role::Block);
    for (const Kid &kid : kids_) {
      if (kid.tag == Tag::except_clause_) {
        started(task, kid.node);
        push(task, node, kid.node, Role::Handler);
      } else if (kid.tag == Tag::else_clause_) {
        elseClause(task, node, kid.node, Role::Else);
      } else if (kid.tag == Tag::finally_clause_) {
        Task clause = task;
        clause.node = kid.node;
        if (const Piece *made = madePiece(clause); made && made->original.empty())
          continue;
        elseClause(task, node, kid.node, Role::Finally);
      }
    }
    return;
  }
  case Tag::except_clause_: {
    for (const Kid &kid : kids_)
      if (!kid.named && std::strcmp(ts_node_type(kid.node), "*") == 0)
        task.flags |= kStar;
    uint32_t node = emit(task, Kind::ExceptHandler);
    if (const Kid *type = field(l_.type_))
      push(task, node, type->node, Role::Value);
    if (const Kid *alias = field(l_.alias_))
      push(task, node, alias->node, Role::Target);
    suite(task, node, Role::Block);
    return;
  }
  case Tag::with_statement_: case Tag::mesh_scope_: {
    if (startsWith("async"))
      task.flags |= kAsync;
    Form form = tag == Tag::mesh_scope_ ? Form::MeshScope : Form::Plain;
    for (const Kid &kid : kids_) {
      if (kid.tag != Tag::with_item_)
        continue;
      TSNode value = ts_node_child_by_field_id(kid.node, l_.value_);
      Tag what = ts_node_is_null(value) ? Tag::other : l_.tag(value);
      if (what == Tag::mesh_call_ || what == Tag::mesh_slice_ || what == Tag::subscript_)
        form = Form::MeshScope;
    }
    uint32_t node = emit(task, Kind::With, form);
    for (const Kid &kid : kids_)
      if (kid.tag == Tag::with_item_)
        push(task, node, kid.node, Role::Item);
    suite(task, node, Role::Block);
    return;
  }
  case Tag::with_item_: {
    uint32_t node = emit(task, Kind::WithItem);
    if (const Kid *value = field(l_.value_)) {
      push(task, node, value->node, Role::Value);
    }
    if (const Kid *alias = field(l_.alias_))
      push(task, node, alias->node, Role::Target).target = true;
    return;
  }
  case Tag::match_statement_: {
    uint32_t node = emit(task, Kind::Match);
    const Kid *subject = field(l_.subject_), *body = field(l_.body_);
    if (subject)
      push(task, node, subject->node, Role::Value);
    if (body) {
      TSNode block = body->node;
      collect(block);
      for (const Kid &kid : kids_)
        if (kid.tag == Tag::case_clause_)
          push(task, node, kid.node, Role::Case);
    }
    return;
  }
  case Tag::case_clause_: {
    started(task, task.node);
    uint32_t node = emit(task, Kind::MatchCase);
    if (const Kid *pattern = field(l_.pattern_))
      push(task, node, pattern->node, Role::Pattern);
    if (const Kid *guard = field(l_.guard_))
      push(task, node, guard->node, Role::Test);
    suite(task, node, Role::Block);
    return;
  }
  case Tag::case_pattern_:
    emit(task, Kind::Pattern);
    return;
  default: {
    uint32_t node = emit(task, Kind::Error);
    pushAll(task, node);
    return;
  }
  }
}

void Builder::string(Task &task, bool specification) {
  collect(task.node);
  bool format = specification;
  for (const Kid &kid : kids_)
    if (kid.tag == Tag::string_start_)
      format = word(span(task, kid.node)).find_first_of("fF") != std::string_view::npos;
  if (!format) {
    leaf(task, Kind::String);
    return;
  }
  Span where = span(task, task.node);
  uint32_t begin = ts_node_start_byte(task.node);
  if (specification) { // without its colon; `:=` in front is a colon and content
    where = span(task, begin + 1, std::max(begin + 1, ts_node_end_byte(task.node)));
    if (where.end < where.begin)
      where.end = where.begin;
  }
  uint32_t node = emit(task, Kind::FString, where);
  uint32_t from = kNowhere, to = 0;
  auto literal = [&](const Task &under) {
    if (from == kNowhere)
      return;
    Task &part = push(under, node, under.node);
    part.special = Special::Literal;
    part.from = from;
    part.to = to;
    from = kNowhere;
  };
  for (const Kid &kid : kids_) {
    uint32_t start = ts_node_start_byte(kid.node), end = ts_node_end_byte(kid.node);
    if (kid.tag == Tag::string_content_ || kid.tag == Tag::escape_sequence_ || kid.tag == Tag::format_content_) {
      if (from == kNowhere)
        from = start;
      to = end;
    } else if (!kid.named && specification && end - start == 2) {
      from = start + 1;
      to = end;
    } else if (kid.tag == Tag::interpolation_) {
      literal(task);
      push(task, node, kid.node);
    }
  }
  literal(task);
}

void Builder::comprehension(Task &task, Kind kind) {
  collect(task.node);
  uint32_t node = emit(task, kind);
  for (size_t i = 0; i < kids_.size(); ++i) {
    const Kid &kid = kids_[i];
    if (kid.field == l_.body_) {
      if (kind == Kind::DictComp) {
        push(task, node, ts_node_child_by_field_id(kid.node, l_.key_), Role::Key);
        push(task, node, ts_node_child_by_field_id(kid.node, l_.value_), Role::Value);
      } else {
        push(task, node, kid.node, Role::Value);
      }
    } else if (kid.tag == Tag::for_in_clause_) {
      uint32_t from = static_cast<uint32_t>(extras_.size());
      for (size_t k = i + 1; k < kids_.size() && kids_[k].tag != Tag::for_in_clause_; ++k)
        if (kids_[k].tag == Tag::if_clause_)
          extras_.push_back(kids_[k].node);
      Task &clause = push(task, node, kid.node, Role::Clause);
      clause.special = Special::Clause;
      clause.from = from;
      clause.to = static_cast<uint32_t>(extras_.size());
    }
  }
}

void Builder::expression(Task &task, Tag tag) {
  if (task.special == Special::Imported) {
    // `a.b`, `a.b as c`, `*`.
    TSNode dotted = task.node, alias{};
    if (tag == Tag::aliased_import_) {
      dotted = ts_node_child_by_field_id(task.node, l_.name_);
      alias = ts_node_child_by_field_id(task.node, l_.alias_);
    }
    Span name = span(task, dotted);
    uint32_t node = emit(task, Kind::Alias, span(task, task.node), name);
    if (word(name).find_first_of(" \t") != std::string_view::npos) {
      std::string joined(word(name));
      joined.erase(std::remove_if(joined.begin(), joined.end(), [](char c) { return c == ' ' || c == '\t'; }), joined.end());
      operators(node, std::move(joined));
    }
    keywordIn(task, name);
    if (!ts_node_is_null(alias))
      push(task, node, alias);
    return;
  }
  if (task.special == Special::Parameter) {
    collect(task.node);
    TSNode name = task.node;
    const Kid *type = field(l_.type_), *value = field(l_.value_);
    switch (tag) {
    case Tag::default_parameter_: case Tag::typed_default_parameter_:
      if (const Kid *named = field(l_.name_))
        name = named->node;
      break;
    case Tag::typed_parameter_:
      if (const Kid *first = firstNamed()) {
        name = first->node;
        tag = first->tag;
      }
      break;
    default:
      break;
    }
    TSNode annotation = type ? type->node : TSNode{}, defaultValue = value ? value->node : TSNode{};
    if (tag == Tag::list_splat_pattern_ || tag == Tag::dictionary_splat_pattern_) {
      task.flags |= tag == Tag::list_splat_pattern_ ? kStar : kDoubleStar;
      TSNode inner = ts_node_named_child(name, 0);
      if (!ts_node_is_null(inner))
        name = inner;
    }
    uint32_t node = emit(task, Kind::Parameter, span(task, task.node), nameSpan(task, name));
    if (type)
      push(task, node, annotation, Role::Annotation);
    if (value)
      push(task, node, defaultValue, Role::Value);
    return;
  }

  switch (tag) {
  case Tag::identifier_: {
    Span name = nameSpan(task, task.node);
    emit(task, Kind::Name, span(task, task.node), name);
    return;
  }
  case Tag::integer_: leaf(task, Kind::Integer); return;
  case Tag::float_: leaf(task, Kind::Float); return;
  case Tag::imaginary_: leaf(task, Kind::Imaginary); return;
  case Tag::true_: emit(task, Kind::True); return;
  case Tag::false_: emit(task, Kind::False); return;
  case Tag::none_: emit(task, Kind::None); return;
  case Tag::ellipsis_: emit(task, Kind::Ellipsis); return;
  case Tag::string_: string(task, false); return;
  case Tag::list_comprehension_: comprehension(task, Kind::ListComp); return;
  case Tag::set_comprehension_: comprehension(task, Kind::SetComp); return;
  case Tag::dictionary_comprehension_: comprehension(task, Kind::DictComp); return;
  case Tag::generator_expression_: comprehension(task, Kind::GeneratorExp); return;
  default: break;
  }

  collect(task.node);
  auto binary = [&](TSFieldId left, TSFieldId right, Form form) {
    const Kid *first = field(left), *op = field(l_.operator_), *second = field(right);
    uint32_t node = emit(task, Kind::BinOp, span(task, task.node), op ? span(task, op->node) : Span{}, form);
    if (first)
      push(task, node, first->node, Role::Left);
    if (second)
      push(task, node, second->node, Role::Right);
    return node;
  };
  auto call = [&](Form form) {
    const Kid *function = field(l_.function_), *arguments = field(l_.arguments_);
    uint32_t node = emit(task, Kind::Call, form);
    if (function)
      push(task, node, function->node, Role::Callee);
    if (!arguments)
      return;
    if (arguments->tag == Tag::generator_expression_) {
      push(task, node, arguments->node, Role::Argument);
      return;
    }
    TSNode list = arguments->node;
    collect(list);
    bool keyword = false, mapping = false;
    for (const Kid &kid : kids_) {
      if (!kid.named)
        continue;
      bool positional = kid.tag != Tag::keyword_argument_ && kid.tag != Tag::dictionary_splat_;
      if (mapping && positional)
        problem(task, span(task, kid.node), "positional argument behind `**`");
      else if (keyword && positional && kid.tag != Tag::list_splat_)
        problem(task, span(task, kid.node), "positional argument behind a keyword argument");
      keyword |= kid.tag == Tag::keyword_argument_;
      mapping |= kid.tag == Tag::dictionary_splat_;
      push(task, node, kid.node, Role::Argument);
    }
  };
  auto subscript = [&](TSFieldId object, TSFieldId index, Form form) {
    const Kid *callee = field(object);
    if (kids_.size() >= 2 && !kids_[kids_.size() - 2].named && std::strcmp(ts_node_type(kids_[kids_.size() - 2].node), ",") == 0)
      task.flags |= kTrailingComma;
    if (form == Form::Plain && callee && word(span(task, callee->node)) == "Tuple")
      form = Form::TupleType;
    uint32_t node = emit(task, Kind::Subscript, form);
    if (callee)
      push(task, node, callee->node, Role::Callee);
    for (const Kid &kid : kids_)
      if (kid.named && kid.field == index)
        push(task, node, kid.node, Role::Argument);
  };

  switch (tag) {
  case Tag::expression_list_: case Tag::pattern_list_: case Tag::tuple_:
    pushAll(task, emit(task, Kind::Tuple), Role::None, task.target);
    return;
  case Tag::list_:
    pushAll(task, emit(task, Kind::List), Role::None, task.target);
    return;
  case Tag::set_:
    pushAll(task, emit(task, Kind::Set, task.special == Special::State ? Form::ValueState : Form::Plain));
    return;
  case Tag::dictionary_: {
    uint32_t node = emit(task, Kind::Dict);
    for (const Kid &kid : kids_)
      if (kid.named)
        push(task, node, kid.node).special = kid.tag == Tag::dictionary_splat_ ? Special::Mapping : Special::None;
    return;
  }
  case Tag::pair_: {
    uint32_t node = emit(task, Kind::DictItem);
    if (const Kid *key = field(l_.key_))
      push(task, node, key->node, Role::Key);
    if (const Kid *value = field(l_.value_))
      push(task, node, value->node, Role::Value);
    return;
  }
  case Tag::list_splat_:
    pushAll(task, emit(task, Kind::Starred), Role::None, task.target);
    return;
  case Tag::dictionary_splat_:
    pushAll(task, emit(task, task.special == Special::Mapping ? Kind::Starred : Kind::DoubleStarred));
    return;
  case Tag::named_expression_: {
    uint32_t node = emit(task, Kind::NamedExpr);
    if (const Kid *name = field(l_.name_))
      push(task, node, name->node, Role::Target);
    if (const Kid *value = field(l_.value_))
      push(task, node, value->node, Role::Value);
    return;
  }
  case Tag::yield_: {
    const Kid *from = field(l_.from_);
    pushAll(task, emit(task, from ? Kind::YieldFrom : Kind::Yield));
    return;
  }
  case Tag::conditional_expression_: {
    uint32_t node = emit(task, Kind::IfExp);
    const Kid *body = field(l_.body_), *condition = field(l_.condition_), *other = field(l_.alternative_);
    if (condition)
      push(task, node, condition->node, Role::Test);
    if (body)
      push(task, node, body->node, Role::Value);
    if (other)
      push(task, node, other->node, Role::Else);
    return;
  }
  case Tag::lambda_: {
    uint32_t node = emit(task, Kind::Lambda);
    const Kid *parameters = field(l_.parameters_), *body = field(l_.body_);
    if (parameters) {
      push(task, node, parameters->node, Role::Parameters);
    } else {
      Task &none = push(task, node, task.node, Role::Parameters);
      none.special = Special::NoParameters;
      none.from = ts_node_start_byte(task.node) + 6;
    }
    if (body)
      push(task, node, body->node, Role::Value);
    return;
  }
  case Tag::parameters_: case Tag::lambda_parameters_: {
    uint32_t node = emit(task, Kind::Parameters);
    bool hasDefault = false, star = false;
    for (const Kid &kid : kids_) {
      if (!kid.named)
        continue;
      bool withDefault = kid.tag == Tag::default_parameter_ || kid.tag == Tag::typed_default_parameter_;
      bool plain = kid.tag == Tag::identifier_ || kid.tag == Tag::typed_parameter_;
      if (kid.tag == Tag::list_splat_pattern_ || kid.tag == Tag::keyword_separator_)
        star = true;
      if (kid.tag == Tag::typed_parameter_) {
        TSNode first = ts_node_named_child(kid.node, 0);
        if (l_.tag(first) != Tag::identifier_) {
          plain = false;
          star |= l_.tag(first) == Tag::list_splat_pattern_;
        }
      }
      if (plain && hasDefault && !star)
        problem(task, span(task, kid.node), "parameter without a default behind one with a default");
      hasDefault |= withDefault;
      push(task, node, kid.node).special = Special::Parameter;
    }
    return;
  }
  case Tag::boolean_operator_: {
    const Kid *op = field(l_.operator_);
    pushAll(task, emit(task, Kind::BoolOp, span(task, task.node), op ? span(task, op->node) : Span{}));
    return;
  }
  case Tag::not_operator_: {
    uint32_t node = emit(task, Kind::UnaryOp, span(task, task.node), kids_.empty() ? Span{} : span(task, kids_[0].node));
    pushAll(task, node);
    return;
  }
  case Tag::unary_operator_: {
    const Kid *op = field(l_.operator_);
    pushAll(task, emit(task, Kind::UnaryOp, span(task, task.node), op ? span(task, op->node) : Span{}));
    return;
  }
  case Tag::comparison_operator_: {
    uint32_t node = emit(task, Kind::Compare);
    std::string text;
    bool inOperator = false;
    for (const Kid &kid : kids_) {
      if (kid.named) {
        inOperator = false;
        push(task, node, kid.node);
      } else {
        if (!text.empty())
          text += inOperator ? ' ' : '\n';
        text += ts_node_type(kid.node);
        inOperator = true;
      }
    }
    operators(node, std::move(text));
    return;
  }
  case Tag::binary_operator_: binary(l_.left_, l_.right_, Form::Plain); return;
  case Tag::swizzled_layout_: binary(l_.layout_, l_.swizzle_, Form::SwizzledLayout); return;
  case Tag::split_axis_: binary(l_.extent_, l_.axis_, Form::SplitAxis); return;
  case Tag::value_state_:
    binary(l_.layout_, l_.state_, Form::ValueState);
    if (!pushed_.empty())
      pushed_.back().special = Special::State;
    return;
  case Tag::await_: pushAll(task, emit(task, Kind::Await)); return;
  case Tag::attribute_: {
    const Kid *object = field(l_.object_), *name = field(l_.attribute_);
    uint32_t node = emit(task, Kind::Attribute, span(task, task.node), name ? nameSpan(task, name->node) : Span{});
    if (object)
      push(task, node, object->node);
    return;
  }
  case Tag::call_: call(Form::Plain); return;
  case Tag::op_call_: call(Form::OpCall); return;
  case Tag::instruction_call_: call(Form::InstructionCall); return;
  case Tag::mesh_call_: call(Form::MeshCall); return;
  case Tag::subscript_: {
    Form form = Form::Plain;
    if (task.role == Role::Value && task.parent != kNoNode && tree_.nodes[task.parent].kind == Kind::WithItem)
      form = Form::MeshSlice;
    subscript(l_.value_, l_.subscript_, form);
    return;
  }
  case Tag::mesh_slice_: subscript(l_.value_, l_.subscript_, Form::MeshSlice); return;
  case Tag::tensor_type_: subscript(l_.constructor_, l_.argument_, Form::TensorType); return;
  case Tag::const_tensor_type_: subscript(l_.constructor_, l_.argument_, Form::ConstTensorType); return;
  case Tag::slice_: {
    uint32_t node = emit(task, Kind::Slice);
    if (const Kid *start = field(l_.start_))
      push(task, node, start->node, Role::Left);
    if (const Kid *stop = field(l_.stop_))
      push(task, node, stop->node, Role::Right);
    if (const Kid *step = field(l_.step_))
      push(task, node, step->node, Role::Step);
    return;
  }
  case Tag::keyword_argument_: {
    const Kid *name = field(l_.name_), *value = field(l_.value_);
    uint32_t node = emit(task, Kind::Keyword, span(task, task.node), name ? nameSpan(task, name->node) : Span{});
    if (value)
      push(task, node, value->node);
    return;
  }
  case Tag::concatenated_string_: pushAll(task, emit(task, Kind::StringConcat)); return;
  case Tag::interpolation_: {
    const Kid *value = field(l_.expression_), *conversion = field(l_.type_conversion_), *format = field(l_.format_specifier_);
    if (field(l_.debug_))
      task.flags |= kDebug;
    Span text = conversion ? span(task, conversion->node) : Span{};
    if (!text.empty())
      ++text.begin;
    uint32_t node = emit(task, Kind::FValue, span(task, task.node), text);
    if (value)
      push(task, node, value->node, Role::Value);
    if (format)
      push(task, node, format->node, Role::Format).special = Special::Format;
    return;
  }
  default: {
    uint32_t node = emit(task, Kind::Error);
    pushAll(task, node);
    return;
  }
  }
}

} // namespace

Built buildTree(const BuildInput &input, Tree &tree) { return Builder(input, tree).run(); }

} // namespace tilewright::syntax

#include "features/DocumentSymbols.h"

#include "features/Names.h"

#include <algorithm>

namespace tilewright::features {
namespace {
using syntax::Form;
using syntax::Kind;
using syntax::Node;
using syntax::Role;

constexpr size_t kLongestDetail = 80;

std::string detailOf(Node node) {
  std::string text(node ? node.source().substr(0, kLongestDetail) : std::string_view());
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  if (text.size() == kLongestDetail) {
    while (!text.empty() && (text.back() & 0xC0) == 0x80)
      text.pop_back(); // no half character at the cut
    if (!text.empty() && (text.back() & 0x80))
      text.pop_back();
  }
  return text;
}

Symbol symbol(std::string name, SymbolKind kind, Node around, Span selection, uint32_t shift) {
  return {std::move(name), {}, kind, around.span().shifted(shift), selection.shifted(shift), {}};
}

void outline(Node statement, uint32_t shift, bool inFunction, std::vector<Symbol> &out);

void outlineBlock(Node block, uint32_t shift, bool inFunction, std::vector<Symbol> &out) {
  if (block)
    for (Node statement : block.children())
      outline(statement, shift, inFunction, out);
}

/// One value once per scope: rebinding is not a new symbol.
bool known(const std::vector<Symbol> &symbols, std::string_view name) {
  return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol &one) { return one.name == name; });
}

void outline(Node statement, uint32_t shift, bool inFunction, std::vector<Symbol> &out) {
  switch (statement.kind()) {
  case Kind::ClassDef: {
    bool module = statement.form() == Form::ModuleDeclaration;
    Symbol one = symbol(std::string(statement.text()), module ? SymbolKind::Module : SymbolKind::Class, statement, statement.nameSpan(), shift);
    outlineBlock(statement.child(Role::Block), shift, false, one.children);
    out.push_back(std::move(one));
    return;
  }
  case Kind::FunctionDef: {
    bool kernel = statement.form() == Form::FuncDeclaration || statement.form() == Form::PrimFuncDeclaration;
    Symbol one = symbol(std::string(statement.text()), kernel ? SymbolKind::Kernel : SymbolKind::Function, statement, statement.nameSpan(), shift);
    one.detail = detailOf(statement.child(Role::Returns));
    if (kernel) {
      if (Node parameters = statement.child(Role::Parameters))
        for (Node parameter : parameters.children()) {
          Symbol each = symbol(std::string(parameter.text()), SymbolKind::Parameter, parameter, parameter.nameSpan(), shift);
          each.detail = detailOf(parameter.child(Role::Annotation));
          one.children.push_back(std::move(each));
        }
      outlineBlock(statement.child(Role::Block), shift, true, one.children);
    }
    out.push_back(std::move(one));
    return;
  }
  case Kind::With:
  case Kind::For: {
    if (!inFunction)
      break;
    std::vector<Node> names = boundNames(statement);
    bool loop = statement.is(Kind::For);
    Node label = names.empty() ? Node() : names.front();
    Node what = statement.child(loop ? Role::Iter : Role::Item);
    Symbol one = symbol(std::string(loop ? "for " : "with ") + std::string(label ? label.text() : "_"), loop ? SymbolKind::Loop : SymbolKind::Mesh, statement,
                        label ? label.span() : Span{statement.span().begin, statement.span().begin}, shift);
    one.detail = detailOf(what);
    outlineBlock(statement.child(Role::Block), shift, true, one.children);
    out.push_back(std::move(one));
    return;
  }
  case Kind::Import:
  case Kind::ImportFrom: return;
  default: break;
  }
  if (statement.is(Kind::If) || statement.is(Kind::Try) || statement.is(Kind::While) || statement.is(Kind::For) || statement.is(Kind::With)) {
    for (Node child : statement.children()) {
      if (child.is(Kind::Block))
        outlineBlock(child, shift, inFunction, out);
      else if (isStatement(child.kind()))
        outline(child, shift, inFunction, out);
    }
    return;
  }
  for (Node name : boundNames(statement)) {
    if (known(out, name.text()))
      continue;
    Symbol one = symbol(std::string(name.text()), inFunction ? SymbolKind::Value : SymbolKind::Constant, statement, name.span(), shift);
    one.detail = detailOf(statement.child(Role::Value));
    out.push_back(std::move(one));
  }
}
} // namespace

std::vector<Symbol> documentSymbols(const session::Snapshot &snapshot) {
  std::vector<Symbol> out;
  if (snapshot.schedule)
    for (const syntax::Item &item : snapshot.file.items) {
      std::vector<Symbol> one;
      outline(item.tree->root(), item.offset, false, one);
      std::move(one.begin(), one.end(), std::back_inserter(out));
    }
  return out;
}

} // namespace tilewright::features

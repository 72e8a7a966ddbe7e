// Names by Python's rules: which binding a use refers to. Syntax alone, so it works on half-typed code too.
#pragma once
#include "syntax/Ast.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::features {

struct Binding {
  size_t item = 0;         // top-level item of the binding
  syntax::Node name;       // the Name, Parameter, FunctionDef, ClassDef, Alias or Keyword that binds
  syntax::Node statement;  // around it
  Span nameSpan() const;   // relative to the item
};

/// What the name at `offset` of item number `item` refers to: the nearest binding before the use in its own scope, else the one that Python would
/// find outside. Also resolves `mesh.axis` to the axis' name and `Class.member`.
std::optional<Binding> resolve(const syntax::File &file, size_t item, syntax::Node use);

/// The names of the axes of a mesh that a binding opens or selects, in order; empty if they are not written out.
std::vector<std::string> meshAxes(const syntax::File &file, const Binding &mesh);

/// The Name, Attribute or defining node whose name is at `offset` (relative to the item's tree); empty if there is none.
syntax::Node nameAt(const syntax::Tree &tree, uint32_t offset);

/// Every name that a statement binds itself (not its nested blocks), in order.
std::vector<syntax::Node> boundNames(syntax::Node statement);

/// The statement around a node; the node itself if it is one.
syntax::Node enclosingStatement(syntax::Node node);
/// The innermost FunctionDef around a node, or an empty node.
syntax::Node enclosingFunction(syntax::Node node);
bool isStatement(syntax::Kind kind);

} // namespace tilewright::features

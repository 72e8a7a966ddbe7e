// Imports one function of TIR text. Private to the importer (ImportTir.cpp: files and kernels; ImportTirFunction.cpp: statements;
// ImportTirValues.cpp: buffers, windows, views and index arithmetic).
#pragma once
#include "ir/ImportTypes.h"
#include "ir/Tir.h"
#include "ir/TirRules.h"
#include "layout/Print.h"

#include <map>
#include <string>
#include <variant>

namespace tilewright::ir {
// Of the importer of HIR.
std::string dottedName(syntax::Node callee);
} // namespace tilewright::ir

namespace tilewright::ir::tir {

/// In backticks; of a node its text, cut where it is long.
std::string quoted(std::string_view text);
std::string quoted(syntax::Node node);
std::vector<syntax::Node> childrenOf(syntax::Node node);
/// The decorator `@prim_func(...)`; null if the function has none.
const syntax::Opaque *primFunc(const syntax::FunctionValue &function);

class Importer {
public:
  Importer(Program &program, const std::vector<const syntax::FunctionValue *> &functions, const syntax::FunctionValue &function, DiagnosticSink &sink)
      : program_(program), functions_(functions), value_(function), tree_(function.definition.tree), sink_(sink) {}

  /// Null when the function is refused.
  std::optional<Function> run();

private:
  struct Poison {};
  using Binding = std::variant<Poison, ValueId, const MeshScope *, syntax::ValueRef>;
  using Environment = std::map<std::string, Binding, std::less<>>;

  // ---- statements
  void parameters(syntax::Node definition);
  Block block(syntax::Node node);
  void statement(syntax::Node node, Block &into);
  void assignment(syntax::Node node, Block &into);
  void call(syntax::Node expression, Block &into);
  /// Whether the operands fit the contract of the instruction as these scopes issue it.
  bool keepsContract(const Statement &call, const std::vector<syntax::Node> &operands, syntax::Node callee);
  void functionCall(syntax::Node expression, size_t callee, Block &into);
  void loop(syntax::Node node, Block &into);
  void scope(syntax::Node node, Block &into);
  ValueId define(syntax::Node name, ValueKind kind, TensorType type);
  void poison(syntax::Node target);

  // ---- expressions
  std::optional<Expr> expression(syntax::Node node);
  std::optional<Operand> operand(syntax::Node node);
  std::optional<Operand> buffer(syntax::Node node);       // a name, or a slot of a ring
  std::optional<std::vector<Range>> window(syntax::Node subscript, const TensorType &of);
  std::optional<View> view(syntax::Node call, std::string_view of);
  std::optional<TensorType> typeOf(const Operand &operand) const;
  Interval interval(const Expr &expression) const;

  syntax::ValueRef evaluate(syntax::Node expression);
  std::optional<int64_t> constant(syntax::Node expression); // without a diagnostic
  TypeReader reader();
  Diagnostic &refuse(Code code, Span at, std::string message) {
    refused_ |= info(code).severity == Severity::Error;
    return sink_.add(code, at, std::move(message));
  }
  const Binding *find(std::string_view name) const {
    auto found = environment_.find(name);
    return found == environment_.end() ? nullptr : &found->second;
  }
  void unknownName(syntax::Node name);
  /// Arguments of a call: positional ones, and keywords by name.
  struct Arguments {
    std::vector<syntax::Node> positional;
    std::vector<std::pair<std::string, syntax::Node>> keywords;
    syntax::Node keyword(std::string_view name) const {
      for (const auto &[key, value] : keywords)
        if (key == name)
          return value;
      return {};
    }
  };
  std::optional<Arguments> arguments(syntax::Node call);

  Program &program_;
  const std::vector<const syntax::FunctionValue *> &functions_;
  const syntax::FunctionValue &value_;
  std::shared_ptr<const syntax::Tree> tree_;
  DiagnosticSink &sink_;
  ImportOptions options_;
  Function function_;
  Environment environment_;
  std::map<std::string, Span, std::less<>> left_;  // names of blocks that are closed, and where they were defined
  std::vector<std::unique_ptr<MeshScope>> scopes_; // by ScopeId
  std::vector<const MeshScope *> open_;
  std::map<ValueId, Interval> loops_;
  std::map<ValueId, int64_t> slots_;               // of a ring
  bool refused_ = false;
};

} // namespace tilewright::ir::tir

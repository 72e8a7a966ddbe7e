// Imports one function body. Private to the importer (ImportFunction.cpp: statements and regions; ImportExpressions.cpp: values;
// ImportCalls.cpp: ops and functions; ImportIndex.cpp: subscripts).
#pragma once
#include "ir/HirDialect.h"
#include "ir/ImportTypes.h"

#include <map>
#include <set>
#include <unordered_map>

namespace tilewright::ir {

class FunctionImporter;

/// What the functions of one import share.
struct ProgramImporter {
  mlir::MLIRContext &context;
  mlir::ModuleOp mlirModule;
  const ImportOptions &options;
  DiagnosticSink &sink;
  const target::Target *target = nullptr;
  std::vector<layout::Topology> topologies;
  std::vector<std::string> openDims;
  const syntax::Tree *rootTree = nullptr; // spans outside it are reported at the place of the call

  struct Function {
    const syntax::FunctionValue *value;
    const syntax::ModuleValue *module;
    std::string instance;
    hir::FuncOp op;
    Type result;
    std::vector<Type> declared; // parameters as annotated
    bool done = false;
  };
  std::vector<Function> functions;

  /// Imports the function unless that has happened; -1 if it was refused. The first call binds what the declaration leaves open: its
  /// argument types replace the declared ones, and its mesh scopes are around the body.
  int import(const syntax::FunctionValue &function, const syntax::ModuleValue &module, std::string instance, Span callSite,
             const std::vector<Type> *arguments = nullptr, const std::vector<std::shared_ptr<const layout::Mesh>> &enclosing = {});
  /// The result type of a further call, whose arguments may differ from the first one's.
  std::optional<Type> resultFor(const syntax::FunctionValue &function, const syntax::ModuleValue &module, const std::vector<Type> &arguments,
                                const std::vector<std::shared_ptr<const layout::Mesh>> &enclosing);
};

/// A slice of consecutive indices `[scale*iv + offset, ...)` that a tile loop's variable stands for.
struct Window {
  mlir::Value start;      // the induction variable
  int64_t size = 0;       // elements
  std::optional<int64_t> scale; // stated by arithmetic: `k * 2`
  int64_t offset = 0;
  bool shifted = false;
};
struct Poison {}; // bound to something refused; uses of it stay silent
using Binding = std::variant<Poison, mlir::Value, Window, syntax::ValueRef>;
using Environment = std::map<std::string, Binding, std::less<>>;

/// Index arithmetic before it is known whether it costs ops.
struct Dim {
  enum class Kind : uint8_t { Constant, Atom, Add, Sub, Mul, FloorDiv, Mod, Min, Max } kind = Kind::Constant;
  int64_t constant = 0;
  mlir::Value value; // Atom; for a Constant: the literal that holds it, if there is one
  std::vector<Dim> operands;
};
/// Canonical form: constant + sum of coefficient * term; a term is an atom or a non-linear part, keyed by its structure.
struct LinearDim {
  int64_t constant = 0;
  std::map<std::string, int64_t> terms;
};
LinearDim linear(const Dim &dim);

/// `tf.add`, `child.run`, "" for anything else than names and attributes.
std::string dottedName(syntax::Node callee);

class FunctionImporter {
public:
  FunctionImporter(ProgramImporter &program, const syntax::FunctionValue &function, const syntax::ModuleValue &module, bool quiet);

  /// Builds the function. Null when it was refused. `bound` replaces the parameter types; `enclosing` are scopes of the caller.
  hir::FuncOp run(const std::vector<Type> *bound, const std::vector<std::shared_ptr<const layout::Mesh>> &enclosing);
  const Type &result() const { return result_; }
  const std::vector<Type> &declared() const { return declared_; }

private:
  // ---- statements (ImportFunction.cpp)
  struct Body {
    mlir::Value returned;
    mlir::Operation *last = nullptr; // of the last statement, if this block computes it
    bool ends = false;               // a return was seen
  };
  Body block(syntax::Node block);
  void statement(syntax::Node statement, Body &body);
  void assign(syntax::Node target, syntax::Node value, syntax::Node statement, Body &body);
  void forLoop(syntax::Node statement, Body &body);
  void withMesh(syntax::Node statement, Body &body);
  void bind(syntax::Node name, mlir::Value value);
  void note(syntax::Node name, const Type &type);
  ImportNotes *notes() const; // null: nobody asks
  std::vector<std::shared_ptr<const layout::Mesh>> enclosing() const; // open scopes, outermost first
  void poison(syntax::Node target); // its names are bound to something refused
  void bindScope(std::string_view alias, int number, syntax::Node place);
  void returnValue(syntax::Node statement, Body &body);
  std::vector<std::string> captured(syntax::Node body, const std::set<std::string> &except) const;
  std::vector<mlir::Value> valuesOf(const std::vector<std::string> &captures);
  mlir::Value argumentLike(mlir::Block &block, mlir::Value outside);
  /// Inside the region the captured names stand for new block arguments.
  void enterCaptures(mlir::Block &block, const std::vector<std::string> &captures, const std::vector<mlir::Value> &values);
  std::vector<std::string> assignedIn(syntax::Node block) const;
  bool readAfter(const std::string &name, uint32_t offset) const;

  // ---- expressions (ImportExpressions.cpp)
  mlir::Value value(syntax::Node expression);
  mlir::Value binary(syntax::Node expression);
  mlir::Value call(syntax::Node expression);
  mlir::Value opCall(const AuthoredOp &op, syntax::Node expression);
  mlir::Value functionCall(const syntax::FunctionValue &callee, const syntax::ModuleValue &module, std::string instance, syntax::Node expression);
  mlir::Value subscript(syntax::Node expression);
  mlir::Value slice(mlir::Value tensor, syntax::Node expression);
  mlir::Value tupleOf(const std::vector<mlir::Value> &elements, Span at);
  mlir::Value item(mlir::Value tuple, int64_t index, Span at);
  mlir::Value constant(int64_t value, Span at, bool index = false);
  mlir::Value constant(double value, Span at);
  mlir::Value literal(const syntax::Value &value, Span at); // null if it is no number
  mlir::Value coordinate(const MeshScope &scope, int axis, Span at);
  std::optional<Attribute> attribute(const AttributeSpec &spec, syntax::Node expression, const std::vector<int64_t> &shape);
  mlir::Value build(Op op, std::vector<mlir::Value> operands, Attributes attributes, Span at, const std::vector<Span> &operandSpans = {},
                    const std::map<std::string, Span> &attributeSpans = {});
  // ---- refusals of instructions (ImportRefusals.cpp)
  void refuseInstruction(const Inferred &inferred, Span call, const std::vector<Span> &operands, const std::map<std::string, Span> &attributes);
  std::optional<Edit> edit(const instruction::Remedy &remedy, Span call, const std::vector<Span> &operands, const std::map<std::string, Span> &attributes);
  std::optional<Span> argumentOf(syntax::Node instruction, const std::string &parameter) const;
  syntax::Node nodeOf(Span span) const;
  syntax::Node declarationOf(syntax::Node operand) const;
  std::optional<Dim> dim(syntax::Node expression);
  std::optional<Window> window(syntax::Node expression);
  mlir::Value emit(const Dim &dim, Span at);

  enum class Bare : uint8_t { No, TypeNames };
  syntax::ValueRef evaluate(syntax::Node expression, Bare bare = Bare::No);
  Bare bareInAnnotations() const;
  bool checkDims(syntax::Node expression); // the forms the DSL reads in shapes and mesh layouts
  TypeReader reader();
  Diagnostic &refuse(Code code, Span at, std::string message);
  const Type &typeOf(mlir::Value value);
  Type &setType(mlir::Value value) { return types_[value.getAsOpaquePointer()]; }
  std::shared_ptr<const layout::Mesh> composed() const;
  mlir::Location at(Span span) { return hir::locationOf(&program_.context, span); }
  template <class OpType, class... Arguments> OpType create(Span span, Arguments &&...arguments) {
    return builder_.create<OpType>(at(span), std::forward<Arguments>(arguments)...);
  }

  ProgramImporter &program_;
  const syntax::FunctionValue &function_;
  const syntax::ModuleValue &module_;
  std::shared_ptr<const syntax::Tree> tree_;
  mlir::OpBuilder builder_;
  mlir::Block *entry_ = nullptr;
  Environment environment_;
  std::vector<MeshScope> scopes_;      // all scopes met, by number
  std::vector<int> open_;              // numbers of the open ones, outermost first
  std::vector<std::shared_ptr<const layout::Mesh>> callerScopes_;
  std::map<std::pair<int, int>, mlir::Value> coordinates_;
  std::unordered_map<void *, Type> types_; // by the value; references stay good as it grows
  std::map<std::string, std::vector<uint32_t>, std::less<>> reads_; // places where each name is read
  bool opensMesh_ = false;
  bool quiet_ = false;
  bool refused_ = false;
  Type result_;
  std::vector<Type> declared_;
  DiagnosticSink discard_;
};

} // namespace tilewright::ir

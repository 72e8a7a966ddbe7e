// TIR as DSL text. A statement that is too wide is broken by fixed rules: a definition first puts its arguments together on a line of
// their own and only then one a line, an instruction goes to one a line at once, and an argument is never broken, a tensor type
// excepted. Calls of functions, loop headers and the slots of a ring stay on one line whatever their width.
#include "ir/Tir.h"

#include "ir/PrintType.h"
#include "ir/PrintValue.h"
#include "layout/Print.h"
#include "support/Text.h"

#include <algorithm>

namespace tilewright::ir::tir {
namespace {

constexpr size_t kWidth = 96;

/// Characters, not bytes: names may be written in any script.
size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string spaces(size_t count) { return std::string(count, ' '); }

std::string targetText(const target::Target &target) {
  const std::string id = "(\"" + std::string(target.id()) + "\")";
  switch (target.family()) {
  case target::Family::Cuda: return "CudaTarget" + id;
  case target::Family::Cpu: return "CpuTarget()";
  case target::Family::Apple: return "AmxTarget" + id;
  }
  return {};
}

/// Prints one function as if it stood at the left margin; a class shifts its lines afterwards, so its members are broken alike. What is one piece
/// of text over several lines (a ring, a layout in parts) is shifted at its first line only, as in every finalized file.
class FunctionPrinter {
public:
  FunctionPrinter(const Program &program, int number)
      : program_(program), function_(program.functions[static_cast<size_t>(number)]), number_(number) {}

  std::vector<PrintedLine> run();
  /// Whether a line goes on with the piece of text that the line above began.
  const std::vector<bool> &continued() const { return continued_; }

private:
  /// A text of several lines has the indentation of all but the first in itself.
  void line(size_t indent, const std::string &text);
  void block(const Block &body, size_t indent);
  void statement(const Statement &statement, size_t indent);
  void alloc(const Statement &statement, size_t indent);
  /// `head` + arguments + `tail`, on one line if it fits; else the arguments together on a line if that is allowed and fits; else one a line.
  void call(const std::string &head, const std::vector<std::string> &arguments, const std::string &tail, size_t indent, bool together);
  void scopeHeader(const Scope &scope, size_t indent);

  std::vector<std::string> viewArguments(const View &view) const;
  std::vector<std::string> callArguments(const Statement &statement) const;
  std::string operand(const Operand &operand) const;
  std::string expression(const Expr &expression, bool nested = false) const;
  std::string window(const std::vector<Range> &window) const;
  std::string name(ValueId id) const { return function_.at(id).name; }
  const Scope &scope(ScopeId id) const { return function_.scopes[static_cast<size_t>(id)]; }
  layout::AxisNamer namer() const { return layout::axisNamer(open_); }

  const Program &program_;
  const Function &function_;
  int number_;
  Span span_;
  std::vector<layout::NamedMesh> open_;
  std::vector<PrintedLine> lines_;
  std::vector<bool> continued_; // one per line
};

std::vector<PrintedLine> FunctionPrinter::run() {
  line(0, "@prim_func(target=" + targetText(*program_.target) + (function_.outputs > 1 ? ", output_count=" + std::to_string(function_.outputs) : "") + ")");
  std::vector<std::string> parameters;
  for (ValueId id : function_.parameters)
    parameters.push_back(name(id) + ": " + printTensorType(function_.at(id).type, namer(), 4));
  const std::string head = "def " + function_.name + "(", whole = head + joined(parameters) + "):";
  if (width(whole) <= kWidth || parameters.empty()) {
    line(0, whole);
  } else {
    line(0, head);
    line(4, joined(parameters));
    line(0, "):");
  }
  block(function_.body, 4);
  return std::move(lines_);
}

void FunctionPrinter::line(size_t indent, const std::string &text) {
  size_t from = 0;
  for (size_t end = 0; end != std::string::npos; from = end + 1) {
    end = text.find('\n', from);
    lines_.push_back({spaces(from ? 0 : indent) + text.substr(from, end == std::string::npos ? end : end - from), number_, span_});
    continued_.push_back(from > 0);
  }
}

void FunctionPrinter::block(const Block &body, size_t indent) {
  if (body.empty())
    line(indent, "pass");
  for (const Statement &one : body)
    statement(one, indent);
}

void FunctionPrinter::statement(const Statement &statement, size_t indent) {
  span_ = statement.span;
  switch (statement.kind) {
  case StatementKind::Alloc: alloc(statement, indent); break;
  case StatementKind::View:
    call(name(statement.value) + " = T.tensor_view(", viewArguments(statement.views.front()), ")", indent, true);
    break;
  case StatementKind::Ring: {
    // One piece of text: in a class its first line moves to the right and the others stay, as in every finalized file.
    std::string text = name(statement.value) + " = (\n";
    for (const View &view : statement.views)
      text += spaces(indent + 4) + "T.tensor_view(" + joined(viewArguments(view)) + "),\n";
    line(indent, text + spaces(indent) + ")");
    break;
  }
  case StatementKind::Call: call(statement.instruction.name + "(", callArguments(statement), ")", indent, false); break;
  case StatementKind::FunctionCall:
    line(indent, program_.functions[static_cast<size_t>(statement.callee)].name + "(" + joined(callArguments(statement)) + ")");
    break;
  case StatementKind::Loop:
    line(indent, "for " + name(statement.value) + " in range(" + expression(statement.start) + ", " + expression(statement.stop) + ", " +
                     expression(statement.step) + "):");
    block(statement.body, indent + 4);
    break;
  case StatementKind::Scope: {
    const Scope &opened = scope(statement.scope);
    scopeHeader(opened, indent);
    open_.push_back({opened.mesh, opened.name});
    block(statement.body, indent + 4);
    open_.pop_back();
    break;
  }
  }
}

void FunctionPrinter::call(const std::string &head, const std::vector<std::string> &arguments, const std::string &tail, size_t indent, bool together) {
  const std::string inner = joined(arguments);
  if (indent + width(head) + width(inner) + width(tail) <= kWidth || arguments.empty()) {
    line(indent, head + inner + tail);
    return;
  }
  line(indent, head);
  if (together && indent + 4 + width(inner) <= kWidth)
    line(indent + 4, inner);
  else
    for (const std::string &argument : arguments)
      line(indent + 4, argument + ",");
  line(indent, tail);
}

void FunctionPrinter::alloc(const Statement &statement, size_t indent) {
  const TensorType &type = function_.at(statement.value).type;
  const std::string head = name(statement.value) + " = T.alloc_tensor(";
  const std::string whole = "tensor_type=" + printTensorType(type, namer());
  if (whole.find('\n') == std::string::npos) {
    if (indent + width(head) + width(whole) + 1 <= kWidth) {
      line(indent, head + whole + ")");
      return;
    }
    if (indent + 4 + width(whole) <= kWidth) {
      line(indent, head);
      line(indent + 4, whole);
      line(indent, ")");
      return;
    }
  }
  std::vector<std::string> slots = {layout::printTuple(type.shape), "\"" + std::string(ir::name(type.dtype)) + "\""};
  if (type.layout) {
    std::string text = layout::printLayout(*type.layout, namer(), static_cast<int>(indent) + 8);
    if (text.starts_with('\n'))
      text.erase(0, 1 + indent + 8);
    slots.push_back(std::move(text));
  }
  if (type.storage != Storage::Gmem)
    slots.push_back("\"" + std::string(ir::name(type.storage)) + "\"");
  line(indent, head);
  line(indent + 4, "tensor_type=Tensor[");
  if (const std::string together = joined(slots); together.find('\n') == std::string::npos && indent + 8 + width(together) <= kWidth) {
    line(indent + 8, together);
  } else {
    for (const std::string &slot : slots)
      line(indent + 8, slot + ",");
  }
  line(indent + 4, "]");
  line(indent, ")");
}

void FunctionPrinter::scopeHeader(const Scope &scope, size_t indent) {
  const std::string tail = ") as " + scope.name + ":";
  std::string selection;
  if (scope.spelling != Scope::Spelling::Full) {
    const Scope &of = this->scope(scope.of);
    size_t shown = 1; // trailing whole axes are left out
    std::vector<std::string> parts;
    for (size_t axis = 0; axis < scope.ranges.size(); ++axis) {
      const layout::AxisRange &range = scope.ranges[axis];
      const bool toEnd = range.stop == of.mesh->shape[axis];
      parts.push_back((range.start ? std::to_string(range.start) : "") + ":" + (toEnd ? "" : std::to_string(range.stop)));
      if (range.start != 0 || !toEnd)
        shown = axis + 1;
    }
    parts.resize(std::min(shown, parts.size()));
    selection = of.name + (parts.empty() ? "" : "[" + joined(parts) + "]");
  }
  if (scope.spelling == Scope::Spelling::Slice) {
    line(indent, "with " + selection + " as " + scope.name + ":");
    return;
  }
  std::string inner = layout::printMeshScope(*scope.mesh); // `Mesh(` topologies, layout, names `)`
  inner = inner.substr(5, inner.size() - 6);
  if (scope.spelling == Scope::Spelling::Refactored)
    inner = selection + inner.substr(inner.find(", layout="));
  const std::string head = "with Mesh(";
  if (indent + width(head) + width(inner) + width(tail) <= kWidth) {
    line(indent, head + inner + tail);
    return;
  }
  line(indent, head);
  line(indent + 4, inner);
  line(indent, tail);
}

std::vector<std::string> FunctionPrinter::viewArguments(const View &view) const {
  std::vector<std::string> arguments;
  if (view.address) {
    arguments.push_back(std::to_string(*view.address));
    arguments.push_back("dtype=\"" + std::string(ir::name(view.type.dtype)) + "\"");
    arguments.push_back("storage=\"" + std::string(ir::name(view.type.storage)) + "\"");
  } else {
    arguments.push_back("T.ptr_of(" + operand(view.base) + (view.window.empty() ? "" : window(view.window)) + ")");
  }
  if (view.type.layout)
    arguments.push_back("layout=" + layout::oneLine(layout::printLayout(*view.type.layout, namer())));
  arguments.push_back("shape=" + layout::printTuple(view.type.shape));
  return arguments;
}

std::vector<std::string> FunctionPrinter::callArguments(const Statement &statement) const {
  std::vector<std::string> arguments;
  for (const Operand &one : statement.operands)
    arguments.push_back(operand(one));
  for (const auto &[label, parameter] : statement.instruction.parameters)
    arguments.push_back(label + "=" + printParameter(parameter));
  return arguments;
}

std::string FunctionPrinter::operand(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Kind::Value: return name(operand.value);
  case Operand::Kind::Slot: return name(operand.value) + "[" + expression(operand.slot.front()) + "]";
  case Operand::Kind::Integer: return std::to_string(operand.integer);
  case Operand::Kind::Number: return printFloat(operand.number);
  }
  return {};
}

std::string FunctionPrinter::window(const std::vector<Range> &window) const {
  std::vector<std::string> axes;
  for (const Range &range : window) {
    const std::string start = expression(range.start);
    axes.push_back(start + ":" + start + " + " + std::to_string(range.extent));
  }
  return "[" + joined(axes) + "]";
}

std::string FunctionPrinter::expression(const Expr &expression, bool nested) const {
  const auto &operands = expression.operands;
  const auto binary = [&](const char *sign) {
    const std::string text = this->expression(operands[0], true) + sign + this->expression(operands[1], true);
    return nested ? "(" + text + ")" : text;
  };
  const auto function = [&](const char *name) {
    return std::string(name) + "(" + this->expression(operands[0]) + ", " + this->expression(operands[1]) + ")";
  };
  switch (expression.kind) {
  case Expr::Kind::Integer: return std::to_string(expression.integer);
  case Expr::Kind::Number: return printFloat(expression.number);
  case Expr::Kind::Value: return name(expression.value);
  case Expr::Kind::Coordinate: return scope(expression.scope).name + "." + scope(expression.scope).mesh->names[static_cast<size_t>(expression.axis)];
  case Expr::Kind::Add: return binary(" + ");
  case Expr::Kind::Sub: return binary(" - ");
  case Expr::Kind::Mul: return binary(" * ");
  case Expr::Kind::FloorDiv: return binary(" // ");
  case Expr::Kind::Mod: return binary(" % ");
  case Expr::Kind::Min: return function("min");
  case Expr::Kind::Max: return function("max");
  case Expr::Kind::Neg: return "-" + this->expression(operands[0], true);
  }
  return {};
}

} // namespace

std::vector<PrintedLine> print(const Program &program, const std::vector<std::string> &header) {
  std::vector<PrintedLine> lines;
  const auto line = [&](std::string text) { lines.push_back({std::move(text), kNone, {}}); };
  const bool inClass = program.functions.size() > 1;
  if (!inClass && !header.empty()) {
    for (const std::string &one : header)
      line(one);
    line("");
  }
  const std::string target = targetText(*program.target);
  line("from __future__ import annotations");
  line("");
  line("from tilefoundry.dsl import *");
  line("from tilefoundry.target import " + target.substr(0, target.find('(')));
  line("");
  line("");
  if (inClass) {
    std::string levels;
    for (const layout::Topology &topology : program.topologies)
      levels += "Topology(\"" + topology.name + "\", " + std::to_string(topology.extent) + "), ";
    if (!levels.empty())
      levels.pop_back();
    line("@module(");
    line("    entry=\"" + program.functions.back().name + "\",");
    line("    target=" + target + ",");
    line("    topologies=(" + levels + "),");
    line(")");
    line("class " + program.module + ":");
  }
  for (size_t number = 0; number < program.functions.size(); ++number) {
    if (number > 0)
      line("");
    if (inClass && number + 1 == program.functions.size())
      for (const std::string &one : header)
        line("    " + one);
    FunctionPrinter printer(program, static_cast<int>(number));
    std::vector<PrintedLine> printed = printer.run();
    for (size_t i = 0; i < printed.size(); ++i) {
      if (inClass && !printer.continued()[i])
        printed[i].text = "    " + printed[i].text;
      lines.push_back(std::move(printed[i]));
    }
  }
  return lines;
}

} // namespace tilewright::ir::tir

#include "ir/MlirText.h"

#include "ir/Demand.h"
#include "ir/TirDialect.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace tilewright::ir {

std::optional<std::string> runOnMlirText(std::string_view text, const std::vector<std::string> &passes, std::string &error) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hir::HirDialect, tirops::TirDialect>();
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &problem) {
    if (!error.empty())
      return mlir::success();
    Span place = hir::spanOf(problem.getLocation());
    error = std::to_string(place.begin) + ":" + std::to_string(place.end) + ": " + problem.str();
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text.data(), text.size()), &context);
  if (!module)
    return std::nullopt;
  bool asDsl = false;
  for (const std::string &pass : passes) {
    if (pass == "verify") {
      if (mlir::failed(mlir::verify(*module)))
        return std::nullopt;
    } else if (pass == "print-dsl") {
      asDsl = true;
    } else {
      error = "no pass `" + pass + "`; there are verify, print-dsl";
      return std::nullopt;
    }
  }
  std::string out;
  if (!asDsl) {
    llvm::raw_string_ostream stream(out);
    module->print(stream);
    stream << "\n";
    return out;
  }
  if (!module->getBody()->getOps<tirops::FuncOp>().empty()) {
    std::vector<std::string> header;
    const tir::Program kernel = tirops::toProgram(*module, header);
    if (!kernel.target) {
      error = "1:1: the module states no known target: it needs the attribute `tir.target`";
      return std::nullopt;
    }
    for (const tir::PrintedLine &line : tir::print(kernel, header))
      out += line.text + "\n";
    return out;
  }
  Program program;
  for (auto function : module->getBody()->getOps<hir::FuncOp>())
    program.functions.push_back(buildPlan(function));
  for (size_t i = 0; i < program.functions.size(); ++i) {
    out += i ? "\n" : "";
    for (const PrintedLine &line : printFunction(program, i))
      out += line.text + "\n";
  }
  return out;
}

} // namespace tilewright::ir

#include "cli/Commands.h"
#include "cli/Report.h"
#include "session/Files.h"

namespace tilewright::cli {

int emit(const EmitArguments &arguments) {
  std::optional<EmitForm> form = formNamed(arguments.form);
  if (!form)
    return fail(kUsage, "no form `" + arguments.form + "`; there are ast, hir, tir, mlir-hir and mlir-tir");
  CompileOptions options;
  std::optional<syntax::File> file = opened(arguments.source, arguments.dims, options);
  if (!file)
    return kRefused;
  DiagnosticSink sink;
  std::optional<std::string> text = emitForm(*file, *form, options, sink);
  std::vector<Diagnostic> wrong = said(*file, nullptr, sink);
  bool refused = !text || hasErrors(wrong);
  print(std::move(wrong), *file->source, false);
  // The tree of broken text is worth seeing: what could not be read stands in it as an error.
  if (text && (!refused || *form == EmitForm::Ast))
    if (int code = write(arguments.out, *text); code != kFine)
      return code;
  return refused ? kRefused : kFine;
}

int opt(const OptArguments &arguments) {
  session::FileError error;
  std::string path = arguments.file == "-" ? "/dev/stdin" : arguments.file;
  std::optional<std::string> text = session::readFile(path, error);
  if (!text)
    return fail(kRefused, arguments.file + ": " + error.message);
  std::string wrong;
  std::optional<std::string> result = optimize(*text, arguments.passes, wrong);
  if (!result) // `line:col: message`
    return fail(kRefused, arguments.file + ":" + wrong);
  return write(arguments.out, *result);
}

} // namespace tilewright::cli

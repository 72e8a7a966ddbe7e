#include "cli/Commands.h"
#include "cli/Report.h"

namespace tilewright::cli {

int emit(const EmitArguments &arguments) {
  Source source = sourceNamed(arguments.source);
  std::optional<syntax::File> file = read(source);
  if (!file)
    return kRefused;
  if (arguments.form == "ast") {
    // A form of broken text, too: what could not be read stands in it as an error.
    std::string text;
    for (const syntax::Item &item : file->items)
      text += syntax::dump(*item.tree);
    print(file->diagnostics, *file->source, false);
    int written = write(arguments.out, text);
    return hasErrors(file->diagnostics) ? kRefused : written;
  }
  CompileOptions options;
  auto dims = dimensions(arguments.dims);
  if (!dims)
    return kRefused;
  options.dims = std::move(*dims);
  options.selector = source.selector;
  DiagnosticSink sink;
  std::shared_ptr<const FunctionResult> result = compileRoot(*file, options, sink);
  std::vector<Diagnostic> wrong = said(*file, result.get(), sink);
  if (!result || !result->program || hasErrors(wrong)) {
    print(std::move(wrong), *file->source, false);
    return kRefused;
  }
  std::string text;
  for (size_t function = 0; function < result->program->functions.size(); ++function) {
    if (function > 0)
      text += "\n";
    for (const ir::PrintedLine &line : ir::printFunction(*result->program, function))
      text += line.text + "\n";
  }
  return write(arguments.out, text);
}

} // namespace tilewright::cli

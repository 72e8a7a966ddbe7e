#include "cli/Commands.h"
#include "cli/Report.h"

#include <nlohmann/json.hpp>

namespace tilewright::cli {

int finalize(const FinalizeArguments &arguments) {
  CompileOptions options;
  options.inPlace = arguments.inPlace;
  std::optional<syntax::File> file = opened(arguments.source, arguments.dims, options);
  if (!file)
    return kRefused;
  DiagnosticSink sink;
  std::optional<FormText> made = finalizedText(*file, options, sink);
  std::vector<Diagnostic> wrong = said(*file, nullptr, sink);
  const bool refused = !made || hasErrors(wrong);
  if (refused && wrong.empty())
    return fail(kRefused, sourceNamed(arguments.source).path + ": nothing could be finalized");
  print(std::move(wrong), *file->source, arguments.json && refused);
  if (refused)
    return kRefused;
  if (!arguments.json)
    return write(arguments.out, made->text);
  return write(arguments.out, nlohmann::ordered_json{{"source", made->text}}.dump(2) + "\n");
}

} // namespace tilewright::cli

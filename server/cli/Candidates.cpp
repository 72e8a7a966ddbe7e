#include "cli/Commands.h"
#include "cli/Report.h"
#include "features/CandidatesJson.h"

namespace tilewright::cli {

int scheduleCandidates(const CandidatesArguments &arguments) {
  CompileOptions options;
  std::optional<syntax::File> file = opened(arguments.source, arguments.dims, options);
  if (!file)
    return kRefused;
  DiagnosticSink sink;
  std::optional<SiteReport> report = compileSites(*file, options, sink);
  if (!report) {
    print(said(*file, nullptr, sink), *file->source, arguments.json);
    return kRefused;
  }
  if (arguments.json)
    return write(arguments.out, features::candidatesJson(*report, arguments.source));
  return write(arguments.out, schedule::renderCandidates(*report->program, report->sites, arguments.source, report->lineOf));
}

} // namespace tilewright::cli

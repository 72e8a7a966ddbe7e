#include "cli/Commands.h"
#include "cli/Report.h"
#include "features/AnalyzeJson.h"
#include "support/Check.h"

namespace tilewright::cli {

int analyze(const AnalyzeArguments &arguments) {
  if (arguments.json && arguments.families == 0)
    return fail(kUsage, "--json needs at least one of --compute-cost, --memory, --roofline, --performance");
  CompileOptions options;
  options.analysis.families = arguments.families;
  options.analysis.operands = arguments.operands;
  options.analysis.topology = arguments.topology;
  std::optional<syntax::File> file = opened(arguments.source, arguments.dims, options);
  if (!file)
    return kRefused; // as the reference, so that scripts see the same
  DiagnosticSink sink;
  std::shared_ptr<const FunctionResult> result = compileRoot(*file, options, sink);
  std::vector<Diagnostic> wrong = said(*file, result.get(), sink);
  bool complete = result && result->program && (arguments.families == 0 || result->report);
  if (!complete || hasErrors(wrong)) {
    if (wrong.empty())
      return fail(kRefused, sourceNamed(arguments.source).path + ": nothing could be analyzed");
    print(std::move(wrong), *file->source, arguments.json);
    return kRefused;
  }
  if (arguments.json)
    return write(arguments.out, features::analyzeJson(*result->report));
  if (result->report)
    return write(arguments.out, analysis::renderText(*result->report));
  analysis::Report bare;
  bare.program = result->program;
  bare.options = options.analysis;
  for (size_t i = 0; i < result->program->functions.size(); ++i) {
    bare.functions.emplace_back();
    bare.functions.back().function = i;
  }
  return write(arguments.out, analysis::renderText(bare));
}

} // namespace tilewright::cli

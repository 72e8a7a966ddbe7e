#include "Compile.h"

#include "ir/Import.h"
#include "ir/ImportTir.h"
#include "ir/MlirText.h"
#include "ir/TirToMlir.h"
#include "schedule/Finalize.h"
#include "support/Check.h"
#include "support/Text.h"
#include "support/Codes.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright {

// Results by what they depend on: the function's text, its module's declaration, the values of the names both read, and the options.
struct Memo::State {
  struct Entry {
    std::shared_ptr<const FunctionResult> result;
    uint32_t at = 0; // where the function's module starts in the item that `result` has its spans in
    uint64_t used = 0;
  };
  std::unordered_map<uint64_t, Entry> results;
  /// What the functions of an item read from around them; items keep their tree while their text stays.
  struct Names {
    std::shared_ptr<const syntax::Tree> tree;
    std::map<uint32_t, std::vector<std::string>> byNode;
    uint64_t used = 0;
  };
  std::unordered_map<const syntax::Tree *, Names> names;
  uint64_t clock = 0;

  const std::vector<std::string> &freeNames(const syntax::Place &place) {
    Names &known = names[place.tree.get()];
    known.tree = place.tree;
    known.used = clock;
    auto [at, fresh] = known.byNode.try_emplace(place.node.index());
    if (fresh)
      at->second = syntax::freeNames(place.node);
    return at->second;
  }
};

Memo::Memo() : state_(std::make_unique<State>()) {}
Memo::~Memo() = default;
Memo::Memo(Memo &&) noexcept = default;

namespace {

constexpr size_t kMemoEntries = 4096;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}
uint64_t mix(uint64_t hash, std::string_view text) { return mix(hash, std::hash<std::string_view>{}(text)); }

void shift(Span &span, int64_t by) {
  span.begin = static_cast<uint32_t>(span.begin + by);
  span.end = static_cast<uint32_t>(span.end + by);
}

// The same result for a function that stands `by` bytes further in its item.
std::shared_ptr<const FunctionResult> moved(const FunctionResult &from, int64_t by, size_t item) {
  auto out = std::make_shared<FunctionResult>(from);
  out->item = item;
  if (by == 0 && item == from.item)
    return out;
  shift(out->nameSpan, by);
  shift(out->definition, by);
  for (ir::ImportNotes::Name &one : out->typed)
    shift(one.span, by);
  for (Diagnostic &one : out->diagnostics)
    one = shifted(std::move(one), static_cast<uint32_t>(by)); // wraps for a move to the left
  if (from.program) {
    auto program = std::make_shared<ir::Program>(*from.program);
    for (ir::FunctionPlan &plan : program->functions) {
      if (plan.item != from.item)
        continue; // a callee of another module did not move with the function
      plan.item = item;
      shift(plan.span, by);
      for (ir::PlanValue &value : plan.values) {
        shift(value.span, by);
        if (!value.nameSpan.empty())
          shift(value.nameSpan, by);
      }
      for (ir::PlanRegion &region : plan.regions)
        shift(region.span, by);
    }
    if (from.report) {
      auto report = std::make_shared<analysis::Report>(*from.report);
      report->program = program;
      out->report = std::move(report);
    }
    out->program = std::move(program);
  }
  return out;
}

struct Root {
  const syntax::File *file;
  const syntax::ModuleValue *module;
  ir::ModuleInfo info;
  std::string function;
  size_t item;
  bool unknownLevel = false; // the module declares a level that its target lacks
};

// Where a definition stands: the item being evaluated if the tree is its own, else the first item with that tree.
size_t itemOf(const syntax::File &file, const std::shared_ptr<const syntax::Tree> &tree, size_t hint) {
  if (hint < file.items.size() && file.items[hint].tree == tree)
    return hint;
  for (size_t i = 0; i < file.items.size(); ++i)
    if (file.items[i].tree == tree)
      return i;
  return hint;
}

constexpr size_t kSitesTold = 20;
constexpr size_t kReasonTold = 300; // characters; a mesh of many parts takes more

// One remark for each function with statements that no instruction can do as they stand.
void tellUnmatched(const ir::Program &program, size_t item, DiagnosticSink &sink) {
  std::vector<std::vector<schedule::Site>> unmatched(program.functions.size());
  std::vector<size_t> counts(program.functions.size());
  for (schedule::Site &site : schedule::candidateSites(program)) {
    ++counts[site.function];
    if (site.accepted().empty())
      unmatched[site.function].push_back(std::move(site));
  }
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const ir::FunctionPlan &plan = program.functions[i];
    if (unmatched[i].empty() || plan.item != item)
      continue;
    Diagnostic &said = sink.add(Code::NoCandidate, plan.span,
                                "no instruction can do " + std::to_string(unmatched[i].size()) + " of the " + std::to_string(counts[i]) + " unscheduled statements of `" + plan.name +
                                    "` as they stand");
    for (const schedule::Site &site : unmatched[i]) {
      if (said.related.size() == kSitesTold)
        break;
      const ir::PlanValue &value = plan.at(site.value);
      std::string reason = site.rows.empty() ? "the target has no instruction for it" : site.rows.front().match.id + ": " + site.rows.front().match.reason;
      reason = shortened(std::move(reason), kReasonTold);
      std::string what = site.op + (value.nameSpan.empty() ? "" : " of `" + site.name + "`");
      said.related.push_back({value.nameSpan.empty() ? value.span : value.nameSpan,
                              what + ": " + reason});
    }
  }
}

std::shared_ptr<FunctionResult> analyzeRoot(const Root &root, const CompileOptions &options, bool editor, const CancelToken &cancel,
                                            std::vector<std::string> *statedDims = nullptr, std::string *mlirText = nullptr) {
  auto result = std::make_shared<FunctionResult>();
  result->item = root.item;
  result->module = root.info.name;
  result->name = root.function;
  result->entry = root.function == root.info.entry;
  const syntax::FunctionValue *function = ir::functionNamed(*root.module, root.function);
  TW_CHECK(function, "a root is a function of its module");
  result->nameSpan = function->definition.node.nameSpan();
  result->definition = function->definition.node.span();
  result->target = root.info.target;
  DiagnosticSink sink;
  ir::ImportOptions import{options.dims, statedDims, [&](const std::shared_ptr<const syntax::Tree> &tree) { return itemOf(*root.file, tree, root.item); }};
  ir::ImportNotes notes;
  if (editor)
    import.notes = &notes;
  result->program = ir::importProgram(root.info, root.function, import, sink, mlirText);
  if (result->program && root.info.target && !cancel.raised()) {
    analysis::Options wanted = options.analysis;
    if (editor)
      wanted.families = analysis::kAllFamilies;
    auto report = analysis::analyze(result->program, wanted, sink, cancel);
    if (!report && editor && !cancel.raised()) {
      // What one family cannot say, the others still can.
      DiagnosticSink ignored;
      wanted.families = analysis::kComputeCost | analysis::kMemory | analysis::kRoofline;
      report = analysis::analyze(result->program, wanted, ignored, cancel);
    }
    if (report)
      result->report = std::make_shared<const analysis::Report>(std::move(*report));
    if (editor)
      tellUnmatched(*result->program, root.item, sink);
  }
  if (!result->program)
    result->typed = std::move(notes.names);
  result->diagnostics = sink.take();
  return result;
}

uint64_t keyOf(const Root &root, const CompileOptions &options, Memo::State &state) {
  const syntax::FunctionValue *function = ir::functionNamed(*root.module, root.function);
  uint64_t key = mix(0, root.info.name);
  key = mix(key, root.function);
  key = mix(key, root.info.targetName);
  key = mix(key, root.function == root.info.entry);
  for (const layout::Topology &level : root.info.topologies)
    key = mix(mix(key, level.name), static_cast<uint64_t>(level.extent));
  key = mix(key, function->definition.node.source());
  for (const syntax::ValueRef &decorator : function->decorators)
    key = mix(key, syntax::digest(*decorator));
  // Names the function reads: of its module (other functions, child modules) or around it.
  for (const std::string &name : state.freeNames(function->definition)) {
    key = mix(key, name);
    syntax::ValueRef value;
    if (root.module->members)
      if (auto member = root.module->members->names.find(name); member != root.module->members->names.end())
        value = member->second;
    if (!value && function->closure)
      value = function->closure->find(name);
    key = mix(key, value ? syntax::digest(*value) : 1);
    // A function reads what its callees read, at the places where they stand.
    if (value)
      if (auto *callee = value->as<syntax::FunctionValue>(); callee && callee->definition.tree == function->definition.tree)
        key = mix(key, static_cast<uint64_t>(callee->definition.node.span().begin) - function->definition.node.span().begin);
  }
  for (const auto &[name, extent] : options.dims)
    key = mix(mix(key, name), static_cast<uint64_t>(extent));
  key = mix(key, options.analysis.families);
  key = mix(key, options.analysis.topology);
  return mix(key, options.analysis.operands);
}

void addAbsolute(std::vector<Diagnostic> &all, const std::vector<Diagnostic> &some, uint32_t offset) {
  for (const Diagnostic &one : some)
    all.push_back(shifted(one, offset));
}

// In order of place; the same complaint about the same place once (a factory may make a class twice).
void settle(std::vector<Diagnostic> &all) {
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic &a, const Diagnostic &b) { return a.span < b.span; });
  all.erase(std::unique(all.begin(), all.end(), [](const Diagnostic &a, const Diagnostic &b) { return a.code == b.code && a.span == b.span && a.message == b.message; }),
            all.end());
}

// A bare @func is checked as a function of a module that states nothing.
std::shared_ptr<syntax::ModuleValue> moduleAround(const syntax::FunctionValue &function, const syntax::ValueRef &value) {
  auto module = std::make_shared<syntax::ModuleValue>();
  module->definition = function.definition;
  module->members = std::make_shared<syntax::Scope>();
  module->members->parent = function.closure;
  module->members->names[function.name] = value;
  module->order = {function.name};
  return module;
}

} // namespace

CompileResult compileFile(const syntax::File &file, const CompileOptions &options, Memo &memo, const CancelToken &cancel) {
  CompileResult out;
  out.file = file;
  auto evaluation = std::make_shared<syntax::Evaluation>(syntax::evaluate(file, cancel));
  out.evaluation = evaluation;
  out.isSchedule = evaluation->importsDsl;
  if (cancel.raised())
    return out;
  out.diagnostics = file.diagnostics;
  for (size_t i = 0; i < file.items.size(); ++i) {
    addAbsolute(out.diagnostics, file.items[i].tree->diagnostics, file.items[i].offset);
    if (i < evaluation->diagnostics.size())
      addAbsolute(out.diagnostics, evaluation->diagnostics[i], file.items[i].offset);
  }
  if (!out.isSchedule) {
    out.diagnostics.clear();
    return out;
  }

  Memo::State &state = memo.state();
  ++state.clock;
  auto analyze = [&](const Root &root) {
    uint64_t key = keyOf(root, options, state);
    const syntax::FunctionValue *function = ir::functionNamed(*root.module, root.function);
    uint32_t at = function->definition.node.span().begin;
    auto found = state.results.find(key);
    std::shared_ptr<const FunctionResult> result;
    if (found != state.results.end()) {
      found->second.used = state.clock;
      int64_t by = static_cast<int64_t>(at) - found->second.at;
      result = by == 0 && found->second.result->item == root.item ? found->second.result : moved(*found->second.result, by, root.item);
    } else {
      result = analyzeRoot(root, options, /*editor=*/true, cancel);
      if (cancel.raised())
        return result;
      state.results[key] = {result, at, state.clock};
    }
    uint32_t offset = root.item < file.items.size() ? file.items[root.item].offset : 0;
    addAbsolute(out.diagnostics, result->diagnostics, offset);
    out.functions.push_back(result);
    return result;
  };

  for (const ir::tir::Kernel &kernel : ir::tir::kernels(*evaluation)) {
    DiagnosticSink sink;
    ir::tir::importKernel(file, kernel, sink);
    addAbsolute(out.diagnostics, sink.all(), 0);
  }
  for (const syntax::Evaluation::Made &made : evaluation->modules) {
    if (cancel.raised())
      return out;
    auto *module = made.module->as<syntax::ModuleValue>();
    if (!module || ir::tir::holdsTir(*module))
      continue;
    size_t item = itemOf(file, module->definition.tree, made.item);
    uint32_t offset = item < file.items.size() ? file.items[item].offset : 0;
    DiagnosticSink sink;
    ir::ImportOptions import{options.dims, nullptr};
    ir::ModuleInfo info = ir::readModule(*module, import, sink);
    addAbsolute(out.diagnostics, sink.all(), offset);
    if (sink.hasErrors())
      continue;
    // The entry first; then the functions no analyzed one reaches.
    std::vector<std::string> order = info.functions;
    std::stable_partition(order.begin(), order.end(), [&](const std::string &name) { return name == info.entry; });
    std::vector<std::string> reached;
    for (const std::string &function : order) {
      if (std::find(reached.begin(), reached.end(), function) != reached.end())
        continue;
      auto result = analyze({&file, module, info, function, item});
      if (result->program)
        for (const ir::FunctionPlan &plan : result->program->functions)
          if (plan.module == info.name)
            reached.push_back(plan.name);
    }
  }
  for (const syntax::Evaluation::Made &made : evaluation->functions) {
    if (cancel.raised())
      return out;
    auto *function = made.module->as<syntax::FunctionValue>();
    if (!function)
      continue;
    auto module = moduleAround(*function, made.module);
    if (!ir::functionNamed(*module, function->name))
      continue;
    ir::ModuleInfo info;
    info.value = module.get();
    info.functions = {function->name};
    analyze({&file, module.get(), info, function->name, itemOf(file, function->definition.tree, made.item)});
  }
  std::erase_if(state.names, [&](const auto &entry) { return entry.second.used != state.clock; });
  if (state.results.size() > kMemoEntries)
    for (auto it = state.results.begin(); it != state.results.end();)
      it = it->second.used == state.clock ? std::next(it) : state.results.erase(it);
  settle(out.diagnostics);
  return out;
}

std::optional<TypeNotes> typeNotes(const syntax::File &file, uint32_t offset, const CompileOptions &options) {
  syntax::Evaluation evaluation = syntax::evaluate(file);
  for (const syntax::Evaluation::Made &made : evaluation.modules) {
    auto *module = made.module->as<syntax::ModuleValue>();
    if (!module)
      continue;
    size_t item = itemOf(file, module->definition.tree, made.item);
    if (item >= file.items.size() || offset < file.items[item].offset || offset > file.items[item].span().end)
      continue;
    DiagnosticSink sink;
    ir::ImportOptions import{options.dims};
    ir::ModuleInfo info = ir::readModule(*module, import, sink);
    for (const std::string &name : info.functions) {
      const syntax::FunctionValue *function = ir::functionNamed(*module, name);
      Span span = function->definition.node.span().shifted(file.items[item].offset);
      if (offset < span.begin || offset > span.end)
        continue;
      TypeNotes out{info.target, item, {}};
      import.notes = &out.notes;
      ir::importProgram(info, name, import, sink);
      return out;
    }
  }
  return std::nullopt;
}

namespace {

/// What is wrong with the text and its constants, before any function is looked at.
void tellOfText(const syntax::File &file, const syntax::Evaluation &evaluation, DiagnosticSink &sink) {
  sink.append(file.diagnostics);
  for (size_t i = 0; i < file.items.size(); ++i) {
    sink.append(file.items[i].tree->diagnostics, file.items[i].offset);
    if (i < evaluation.diagnostics.size())
      sink.append(evaluation.diagnostics[i], file.items[i].offset);
  }
}

// The root a command names, or a diagnostic.
std::optional<Root> selectRoot(const syntax::File &file, const syntax::Evaluation &evaluation, const CompileOptions &options, DiagnosticSink &sink,
                               std::vector<std::string> *statedDims) {
  tellOfText(file, evaluation, sink);
  if (sink.hasErrors())
    return std::nullopt;
  std::string wantedModule = options.selector, wantedFunction;
  if (size_t dot = wantedModule.find('.'); dot != std::string::npos) {
    wantedFunction = wantedModule.substr(dot + 1);
    wantedModule.resize(dot);
  }
  // What names the module scope binds to modules at its end; a module another one holds is not a root of its own.
  std::vector<std::pair<std::string, const syntax::ModuleValue *>> modules;
  std::vector<size_t> hints;
  for (const syntax::Evaluation::Made &made : evaluation.modules) {
    auto *module = made.module->as<syntax::ModuleValue>();
    bool bound = false, held = false;
    for (const auto &[name, value] : evaluation.globals->names)
      bound |= value == made.module;
    for (const syntax::Evaluation::Made &other : evaluation.modules)
      if (auto *owner = other.module->as<syntax::ModuleValue>(); owner && owner != module && owner->members)
        for (const auto &[name, value] : owner->members->names)
          held |= value == made.module;
    if (!bound || (held && wantedModule.empty()))
      continue;
    if (!wantedModule.empty() && module->name != wantedModule) {
      auto alias = evaluation.globals->names.find(wantedModule);
      if (alias == evaluation.globals->names.end() || alias->second != made.module)
        continue;
    }
    modules.emplace_back(module->name, module);
    hints.push_back(made.item);
  }
  if (modules.empty()) {
    sink.add(Code::NoModule, {}, wantedModule.empty() ? "the file defines no module: nothing owns a target and a topology hierarchy" : "the file defines no module `" + wantedModule + "`");
    return std::nullopt;
  }
  if (modules.size() > 1) {
    std::string list;
    for (const auto &[name, module] : modules)
      list += (list.empty() ? "" : ", ") + name;
    sink.add(Code::AmbiguousModule, {}, "the file defines the modules " + list + "; select one with FILE:Module");
    return std::nullopt;
  }
  Root root{&file, modules[0].second, {}, "", itemOf(file, modules[0].second->definition.tree, hints[0])};
  uint32_t offset = file.items[root.item].offset;
  DiagnosticSink found;
  ir::ImportOptions import{options.dims, statedDims};
  root.info = ir::readModule(*root.module, import, found);
  sink.append(found.all(), offset);
  // A level that the target lacks is refused; the function is read all the same, and says what its instructions lack there.
  root.unknownLevel = std::any_of(found.all().begin(), found.all().end(), [](const Diagnostic &one) { return one.code == Code::UnknownTopology; });
  if (std::any_of(found.all().begin(), found.all().end(), [](const Diagnostic &one) { return one.severity == Severity::Error && one.code != Code::UnknownTopology; }))
    return std::nullopt;
  root.function = wantedFunction.empty() ? root.info.entry : wantedFunction;
  if (root.function.empty() && root.info.functions.size() == 1)
    root.function = root.info.functions[0];
  if (!ir::functionNamed(*root.module, root.function)) {
    sink.add(Code::UnknownFunction, root.module->definition.node.nameSpan().shifted(offset), "the module `" + root.info.name + "` has no function `" + root.function + "`");
    return std::nullopt;
  }
  if (!root.info.target) {
    sink.add(Code::NoTarget, root.module->definition.node.nameSpan().shifted(offset), "the module `" + root.info.name + "` declares no target");
    return std::nullopt;
  }
  return root;
}

std::shared_ptr<const FunctionResult> compileSelected(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink, std::string *mlirText) {
  syntax::Evaluation evaluation = syntax::evaluate(file);
  std::vector<std::string> stated;
  auto root = selectRoot(file, evaluation, options, sink, &stated);
  if (!root)
    return nullptr;
  CompileOptions asked = options;
  if (root->unknownLevel)
    asked.analysis.families = 0; // nothing there has a rate or a capacity
  auto result = analyzeRoot(*root, asked, /*editor=*/false, {}, &stated, mlirText);
  for (const auto &[name, extent] : options.dims)
    if (std::find(stated.begin(), stated.end(), name) == stated.end()) {
      std::string list;
      for (const std::string &one : stated)
        list += (list.empty() ? "" : ", ") + one;
      sink.add(Code::UnknownDimension, result->nameSpan.shifted(file.items[root->item].offset),
               "`" + root->function + "` states no dimension `" + name + "`" + (list.empty() ? "" : "; it states " + list));
    }
  sink.append(result->diagnostics, file.items[root->item].offset);
  return root->unknownLevel ? nullptr : result;
}

} // namespace

std::shared_ptr<const FunctionResult> compileRoot(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink) {
  return compileSelected(file, options, sink, nullptr);
}

std::optional<SiteReport> compileSites(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink) {
  CompileOptions plain = options;
  plain.analysis.families = 0;
  auto result = compileSelected(file, plain, sink, nullptr);
  if (!result || !result->program || sink.hasErrors())
    return std::nullopt;
  SiteReport report;
  report.program = result->program;
  report.sites = schedule::candidateSites(*result->program);
  if (report.sites.empty()) {
    sink.add(Code::NoSite, result->nameSpan.shifted(file.items[result->item].offset), "`" + result->name + "` has no unscheduled statement that an instruction could do");
    return std::nullopt;
  }
  report.lineOf = [file, program = report.program](size_t function, Span span) {
    return static_cast<int>(file.source->at(file.items[program->functions[function].item].offset + span.begin).line) + 1;
  };
  return report;
}

std::optional<EmitForm> formNamed(std::string_view name) {
  if (name == "ast")
    return EmitForm::Ast;
  if (name == "hir")
    return EmitForm::Hir;
  if (name == "tir")
    return EmitForm::Tir;
  if (name == "mlir-hir")
    return EmitForm::MlirHir;
  if (name == "mlir-tir")
    return EmitForm::MlirTir;
  return std::nullopt;
}

namespace {
/// The kernel that a command names in a file of TIR text; nullopt in `found` when the file has none.
std::optional<ir::tir::Imported> importedTir(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink, bool &found) {
  const syntax::Evaluation evaluation = syntax::evaluate(file);
  std::vector<ir::tir::Kernel> kernels = ir::tir::kernels(evaluation);
  found = !kernels.empty();
  if (!found)
    return std::nullopt;
  tellOfText(file, evaluation, sink);
  if (sink.hasErrors())
    return std::nullopt;
  if (!options.selector.empty())
    std::erase_if(kernels, [&](const ir::tir::Kernel &kernel) {
      return options.selector != kernel.root && options.selector != kernel.module && options.selector != kernel.module + "." + kernel.root;
    });
  if (kernels.size() != 1) {
    std::string list;
    for (const ir::tir::Kernel &kernel : kernels)
      list += (list.empty() ? "" : ", ") + (kernel.module.empty() ? kernel.root : kernel.module);
    sink.add(kernels.empty() ? Code::NoModule : Code::AmbiguousModule, {},
             kernels.empty() ? "the file defines no kernel `" + options.selector + "`" : "the file defines the kernels " + list + "; select one with FILE:kernel");
    return std::nullopt;
  }
  return ir::tir::importKernel(file, kernels.front(), sink);
}
} // namespace

namespace {

/// A schedule with every choice made.
std::optional<ir::tir::Imported> settle(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink) {
  CompileOptions memory = options;
  memory.analysis = {};
  memory.analysis.families = analysis::kMemory; // the placement of buffers
  auto result = compileSelected(file, memory, sink, nullptr);
  if (!result || !result->report || sink.hasErrors())
    return std::nullopt;
  DiagnosticSink found;
  std::optional<ir::tir::Program> program = schedule::finalize(*result->report, {.inPlace = options.inPlace}, found);
  if (program && !found.hasErrors())
    ir::tir::verify(*program, found);
  sink.append(found.all(), file.items[result->item].offset);
  if (!program || found.hasErrors())
    return std::nullopt;
  return ir::tir::Imported{std::move(*program), schedule::finalizeHeader(*result->report)};
}

/// The program that a file is in TIR: itself, where it is TIR text, else what its schedule settles to.
std::optional<ir::tir::Imported> tirOf(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink) {
  bool found = false;
  std::optional<ir::tir::Imported> tir = importedTir(file, options, sink, found);
  if (!found)
    return settle(file, options, sink);
  if (!tir)
    return std::nullopt;
  DiagnosticSink wrong;
  const bool whole = ir::tir::verify(tir->program, wrong);
  const size_t item = tir->program.functions.back().item;
  sink.append(wrong.all(), item < file.items.size() ? file.items[item].offset : 0);
  return whole ? std::move(tir) : std::nullopt;
}

} // namespace

std::optional<std::string> emitForm(const syntax::File &file, EmitForm form, const CompileOptions &options, DiagnosticSink &sink) {
  if (form == EmitForm::Ast) {
    std::string text;
    for (const syntax::Item &item : file.items)
      text += syntax::dump(*item.tree);
    sink.append(file.diagnostics);
    for (const syntax::Item &item : file.items)
      sink.append(item.tree->diagnostics, item.offset);
    return text;
  }
  if (form == EmitForm::Tir || form == EmitForm::MlirTir) {
    std::optional<ir::tir::Imported> tir = tirOf(file, options, sink);
    if (!tir)
      return std::nullopt;
    if (form == EmitForm::MlirTir)
      return ir::tir::printMlir(tir->program, tir->header);
    std::string text;
    for (const ir::tir::PrintedLine &line : ir::tir::print(tir->program, tir->header))
      text += line.text + "\n";
    return text;
  }
  if (form == EmitForm::MlirHir) {
    CompileOptions plain = options;
    plain.analysis.families = 0;
    std::string mlirText;
    auto result = compileSelected(file, plain, sink, &mlirText);
    if (!result || !result->program || sink.hasErrors())
      return std::nullopt;
    return mlirText;
  }
  std::optional<FormText> made = formText(file, form, options, sink);
  if (!made)
    return std::nullopt;
  return std::move(made->text);
}

namespace {

/// Lines and what they come from, gathered into text.
struct FormWriter {
  const syntax::File &file;
  FormText out;
  uint32_t line = 0;

  void add(const std::string &text, size_t item, Span span) {
    out.text += text + "\n";
    auto lines = static_cast<uint32_t>(1 + std::count(text.begin(), text.end(), '\n'));
    if (!span.empty()) {
      Span source = span.shifted(item < file.items.size() ? file.items[item].offset : 0);
      if (!out.map.empty() && out.map.back().source == source && out.map.back().endLine == line)
        out.map.back().endLine += lines;
      else
        out.map.push_back({source, line, line + lines});
    }
    line += lines;
  }
  void add(const ir::tir::Imported &tir) {
    for (const ir::tir::PrintedLine &one : ir::tir::print(tir.program, tir.header))
      add(one.text, one.function == ir::tir::kNone ? 0 : tir.program.functions[static_cast<size_t>(one.function)].item, one.span);
  }
};

} // namespace

std::optional<FormText> formText(const syntax::File &file, EmitForm form, const CompileOptions &options, DiagnosticSink &sink) {
  TW_CHECK(form == EmitForm::Hir || form == EmitForm::Tir, "forms with a map are hir and tir");
  FormWriter writer{file, {}};
  if (form == EmitForm::Tir) {
    std::optional<ir::tir::Imported> tir = tirOf(file, options, sink);
    if (!tir)
      return std::nullopt;
    writer.add(*tir);
    return std::move(writer.out);
  }
  CompileOptions plain = options;
  plain.analysis.families = 0;
  auto result = compileSelected(file, plain, sink, nullptr);
  if (!result || !result->program || sink.hasErrors())
    return std::nullopt;
  for (size_t i = 0; i < result->program->functions.size(); ++i) {
    const ir::FunctionPlan &plan = result->program->functions[i];
    if (i)
      writer.add("", 0, {});
    for (const ir::PrintedLine &line : ir::printFunction(*result->program, i)) {
      Span span;
      if (line.value != ir::kNone)
        span = plan.at(line.value).span;
      else if (line.region != ir::kNone)
        span = plan.regions[static_cast<size_t>(line.region)].span;
      writer.add(line.text, plan.item, span);
    }
  }
  return std::move(writer.out);
}

std::optional<FormText> finalizedText(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink) {
  std::optional<ir::tir::Imported> settled = settle(file, options, sink);
  if (!settled)
    return std::nullopt;
  FormWriter writer{file, {}};
  writer.add(*settled);
  return std::move(writer.out);
}

std::optional<std::string> optimize(std::string_view mlir, const std::vector<std::string> &passes, std::string &error) {
  return ir::runOnMlirText(mlir, passes, error);
}

} // namespace tilewright

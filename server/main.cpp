// The command line: verbs and flags, nothing else. What a verb does is in cli/.
#include "analysis/Report.h"
#include "cli/Commands.h"
#include "lsp/Transport.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {
using namespace tilewright;

int run(int argc, char **argv) {
  CLI::App app("Language server, compiler and command line for GPU kernel schedules", "tilewright");
  app.set_version_flag("--version", std::string("tilewright ") + TW_VERSION);
  app.require_subcommand(0, 1);
  int code = 0;

  cli::AnalyzeArguments analyze;
  bool families[4] = {};
  CLI::App *verb = app.add_subcommand("analyze", "Report what a schedule costs: work, traffic, bounds, time");
  verb->add_option("SOURCE", analyze.source, "file.py[:Module[.function]]")->required();
  verb->add_option("OUT", analyze.out, "where the report goes; left out or `-`: standard output");
  verb->add_flag("--compute-cost", families[0], "work of every value, by dtype and kind");
  verb->add_flag("--memory", families[1], "traffic, footprints, lifetimes and placement against capacity");
  verb->add_flag("--roofline", families[2], "which of compute and memory bounds each value, and the bound in time");
  verb->add_flag("--performance", families[3], "when each value runs and for how long");
  verb->add_flag("--json", analyze.json, "the report as JSON");
  verb->add_flag("--operands", analyze.operands, "traffic by operand, too");
  verb->add_option("--topology", analyze.topology, "level whose unit the per-unit figures describe (default: the coarsest)")->type_name("LEVEL");
  verb->add_option("--dim", analyze.dims, "extent of a dimension that the program leaves open; may be repeated")->type_name("NAME=EXTENT")->allow_extra_args(false);
  verb->callback([&] {
    for (int i = 0; i < 4; ++i)
      analyze.families |= static_cast<uint8_t>(families[i] ? 1 << i : 0);
    code = cli::analyze(analyze);
  });

  CLI::App *schedule = app.add_subcommand("schedule", "From a checked schedule to TIR: choices, contracts, the settled program");
  schedule->require_subcommand(1, 1);

  cli::CandidatesArguments candidates;
  verb = schedule->add_subcommand("candidates", "Which instructions can implement each unscheduled statement, and why others cannot");
  verb->add_option("SOURCE", candidates.source, "file.py[:Module[.function]]")->required();
  verb->add_option("OUT", candidates.out, "where the report goes; left out or `-`: standard output");
  verb->add_flag("--json", candidates.json, "the report as JSON");
  verb->add_option("--dim", candidates.dims, "extent of a dimension that the program leaves open; may be repeated")->type_name("NAME=EXTENT")->allow_extra_args(false);
  verb->callback([&] { code = cli::scheduleCandidates(candidates); });

  cli::FinalizeArguments finalize;
  verb = schedule->add_subcommand("finalize", "Settle buffers, addresses and instructions: the program as TIR");
  verb->add_option("SOURCE", finalize.source, "file.py[:Module[.function]]")->required();
  verb->add_option("OUT", finalize.out, "where the program goes; left out or `-`: standard output");
  verb->add_flag("--json", finalize.json, "as JSON: {\"source\": text}");
  verb->add_flag("--in-place", finalize.inPlace, "leave out fills, scratch and copies where tiles are proven to cover the output exactly once");
  verb->add_option("--dim", finalize.dims, "extent of a dimension that the program leaves open; may be repeated")->type_name("NAME=EXTENT")->allow_extra_args(false);
  verb->callback([&] { code = cli::finalize(finalize); });

  cli::EmitArguments emit;
  verb = app.add_subcommand("emit", "Print one form of a schedule");
  verb->add_option("SOURCE", emit.source, "file.py[:Module[.function]]")->required();
  verb->add_option("--form", emit.form, "which form")->required()->check(CLI::IsMember({"ast", "hir", "tir", "mlir-hir", "mlir-tir"}));
  verb->add_option("-o,--out", emit.out, "where it goes (default: standard output)")->type_name("OUT");
  verb->add_option("--dim", emit.dims, "extent of a dimension that the program leaves open; may be repeated")->type_name("NAME=EXTENT")->allow_extra_args(false);
  verb->callback([&] { code = cli::emit(emit); });

  cli::FactsArguments facts;
  verb = schedule->add_subcommand("facts", "The contract of an instruction on a target; without a name, the instructions it has");
  verb->add_option("WORDS", facts.words, "INSTRUCTION, which starts with `T.`, and where the report goes; left out or `-`: standard output")
      ->type_name("[INSTRUCTION] [OUT]")
      ->expected(0, 2);
  verb->add_option("--target", facts.target, "for example nvidia.h200_sxm")->required();
  verb->add_flag("--json", facts.json, "the report as JSON");
  verb->callback([&] { code = cli::facts(facts); });

  cli::OptArguments opt;
  verb = app.add_subcommand("opt", "Read MLIR text of the hir dialect, verify it, run passes and print it");
  verb->add_option("FILE", opt.file, "the file, `-` for standard input")->required();
  verb->add_option("--pass", opt.passes, "verify or print-dsl; may be repeated")->type_name("PASS")->allow_extra_args(false);
  verb->add_option("-o,--out", opt.out, "where it goes (default: standard output)")->type_name("OUT");
  verb->callback([&] { code = cli::opt(opt); });

  cli::LayoutArguments layout;
  verb = app.add_subcommand("layout", "Draw a layout: who holds which element, or at which byte and bank it lies");
  verb->add_option("LAYOUT", layout.text, "as a schedule writes it: `((64, 64), (72, 1))`, `Layout(...) | Swizzle(3, 4, 3)`")->required();
  verb->add_option("OUT", layout.out, "where the drawing goes; left out or `-`: standard output");
  verb->add_option("--dtype", layout.dtype, "of the elements (default: bf16)")->type_name("DTYPE");
  verb->add_option("--shape", layout.shape, "of the tensor, where the layout's modes do not state it")->type_name("EXTENTS");
  verb->add_option("--mesh", layout.meshes, "a mesh that the layout places modes on; may be repeated, the outermost first")->type_name("NAME=MESH")->allow_extra_args(false);
  verb->add_option("--rows", layout.rows, "most rows to draw (default: 16)")->type_name("N");
  verb->add_option("--columns", layout.columns, "most columns of cells to draw (default: 8)")->type_name("N");
  verb->add_option("--svg", layout.svg, "also draw it as SVG into this file")->type_name("OUT");
  verb->callback([&] { code = cli::layout(layout); });

  cli::TileArguments tile;
  verb = app.add_subcommand("tile", "Tile sizes of a GEMM: what binds one of them, or the best of all");
  verb->add_option("--m", tile.m, "rows of C (default: 4096)")->type_name("M");
  verb->add_option("--n", tile.n, "columns of C (default: 4096)")->type_name("N");
  verb->add_option("--k", tile.k, "length of the sums (default: 4096)")->type_name("K");
  verb->add_option("--instr", tile.instruction, "mma, simt, tcgen05 or wgmma (default: wgmma, or what the target has in its place)")->type_name("INSTR");
  verb->add_option("--dtype", tile.dtype, "f16, bf16, tf32 or fp8 (default: f16)")->type_name("DTYPE");
  verb->add_option("--target", tile.target, "take the device from its facts (default: an H100 or H200)")->type_name("TARGET");
  verb->add_option("--sm-count", tile.smCount, "SMs of the device (default: 132)")->type_name("COUNT");
  verb->add_option("--smem-kb", tile.smemKb, "shared memory of an SM in KiB (default: 228); a block gets 1 KiB less")->type_name("KIB");
  verb->add_option("--block-m", tile.blockM, "rows of a block (default: 128)")->type_name("SIZE");
  verb->add_option("--block-n", tile.blockN, "columns of a block (default: 128)")->type_name("SIZE");
  verb->add_option("--block-k", tile.blockK, "length of a K block (default: 32)")->type_name("SIZE");
  verb->add_option("--stages", tile.stages, "K blocks in shared memory at once (default: 3)")->type_name("COUNT");
  verb->add_option("--threads", tile.threads, "threads that compute (default: 256)")->type_name("COUNT");
  verb->add_option("--topk", tile.topk, "rows of the shortlist (default: 15)")->type_name("COUNT");
  verb->add_flag("--diagnose", tile.diagnose, "judge the one configuration that the block flags give");
  verb->add_option("--model", tile.model, "rank by traffic (default) or by performance: predicted ns of the kernel a tile implies")->type_name("MODEL");
  verb->add_flag("--explain", tile.explain, "why the neighbours of the tile lose");
  verb->add_option("--svg", tile.svg, "draw traffic against occupancy of all tiles into this file")->type_name("OUT");
  verb->add_flag("--json", tile.json, "as JSON");
  verb->callback([&] { code = cli::tile(tile); });
  CLI::App *target = app.add_subcommand("target", "The hardware that schedules can name: facts, their sources, devices of your own");
  target->require_subcommand(1);
  std::string targetWord;
  bool targetJson = false;
  verb = target->add_subcommand("list", "Every target, and how a schedule names it");
  verb->add_flag("--json", targetJson, "as JSON");
  verb->callback([&] { code = cli::targetList(targetJson); });
  verb = target->add_subcommand("show", "What is stated of a target, and where each number comes from");
  verb->add_option("IDENTITY", targetWord, "for example nvidia.h200_sxm")->required();
  verb->add_flag("--json", targetJson, "as JSON");
  verb->callback([&] { code = cli::targetShow(targetWord, targetJson); });
  verb = target->add_subcommand("add", "Check a facts file and keep a copy in your configuration; from then on its target is known");
  verb->add_option("FILE", targetWord, "JSON in a schema of the built-in facts")->required();
  verb->callback([&] { code = cli::targetAdd(targetWord); });
  verb = target->add_subcommand("remove", "Forget a facts file that was added");
  verb->add_option("IDENTITY", targetWord, "the id in the file")->required();
  verb->callback([&] { code = cli::targetRemove(targetWord); });

  std::string file;
  verb = app.add_subcommand("doctor", "Open a file as an editor would and use every feature at every token");
  verb->add_option("FILE", file, "the file")->required();
  verb->callback([&] { code = cli::doctor(file); });

  std::string diagnostic;
  verb = app.add_subcommand("explain", "Tell more about a diagnostic; without a code, list all of them");
  verb->add_option("CODE", diagnostic, "for example smem-over-capacity");
  verb->callback([&] { code = cli::explain(diagnostic); });

  bool stdio = false;
  uint16_t port = 0;
  verb = app.add_subcommand("lsp", "The language server");
  CLI::Option *pipe = verb->add_flag("--stdio", stdio, "speak on standard input and output (the default)");
  CLI::Option *listen = verb->add_option("--listen", port, "wait for one connection on a loopback port; 0 takes a free one")->type_name("PORT")->excludes(pipe);
  verb->callback([&] { code = listen->count() ? lsp::serveSocket(port) : lsp::serveStdio(); });

  cli::loadUserTargets();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (app.get_subcommands().empty())
    std::fputs(app.help().c_str(), stdout);
  return code;
}
} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tilewright: internal error: %s\n", error.what());
    return 1;
  }
}

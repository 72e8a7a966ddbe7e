// What the verbs of the command line do. Each reads a file, calls the facade and writes an answer; the exit code is 0 for fine, 1 for a
// refused program or a failure, 2 for wrong usage. Answers go to a file by rename or to standard output, errors to standard error.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::cli {

struct AnalyzeArguments {
  std::string source, out;
  uint8_t families = 0;
  bool json = false, operands = false;
  std::string topology;
  std::vector<std::string> dims; // NAME=EXTENT
};
int analyze(const AnalyzeArguments &arguments);

struct CandidatesArguments {
  std::string source, out;
  bool json = false;
  std::vector<std::string> dims;
};
/// Which instructions can implement each unscheduled statement.
int scheduleCandidates(const CandidatesArguments &arguments);

struct EmitArguments {
  std::string source, out, form;
  std::vector<std::string> dims;
};
int emit(const EmitArguments &arguments);

struct FinalizeArguments {
  std::string source, out;
  bool json = false, inPlace = false;
  std::vector<std::string> dims;
};
int finalize(const FinalizeArguments &arguments);

struct OptArguments {
  std::string file, out;
  std::vector<std::string> passes;
};
/// MLIR text in, verified and printed again.
int opt(const OptArguments &arguments);

struct LayoutArguments {
  std::string text, out, svg, dtype = "bf16";
  std::string shape;               // `64, 64`; "": the layout's own modes
  std::vector<std::string> meshes; // NAME=Mesh(...)
  int rows = 16, columns = 8;
};
/// A layout drawn, with the bank conflicts of usual accesses.
int layout(const LayoutArguments &arguments);

/// Sizes are read as text, so that what is no size is refused with the limits.
struct TileArguments {
  std::string m = "4096", n = "4096", k = "4096";
  std::string instruction, target, smCount, smemKb; // "": the default
  std::string dtype = "f16", model = "traffic";
  std::string blockM = "128", blockN = "128", blockK = "32", stages = "3", threads = "256", topk = "15";
  bool diagnose = false, explain = false, json = false;
  std::string svg;
};
/// Tile sizes of a GEMM: one judged, or all of them ranked.
int tile(const TileArguments &arguments);
struct FactsArguments {
  std::string target;
  std::vector<std::string> words; // INSTRUCTION and OUT in either order: an instruction starts with `T.`
  bool json = false;
};
/// The contract of an instruction on a target, or the instructions it has.
int facts(const FactsArguments &arguments);

int targetList(bool json);
int targetShow(const std::string &id, bool json);
int targetAdd(const std::string &file);
int targetRemove(const std::string &id);
/// Makes the targets that the user added known; says which files are wrong. Before any verb that compiles.
void loadUserTargets();

int explain(const std::string &code);
int doctor(const std::string &path);

} // namespace tilewright::cli

// What the analyses found, as plain data keyed by the values and regions of the plan. The text report, the JSON report, inlay hints,
// hovers and diagnostics are renderings of this. Quantities: bytes, nanoseconds, counts; `logical` is one occurrence as written, `total`
// the whole grid, `perUnit` one unit's share at each declared topology level (coarsest first).
// Thread rule: immutable once built.
#pragma once
#include "ir/Plan.h"
#include "support/Cancel.h"
#include "support/Diagnostic.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::analysis {

enum Family : uint8_t { kComputeCost = 1, kMemory = 2, kRoofline = 4, kPerformance = 8, kAllFamilies = 15 };
enum class Precision : uint8_t { Exact, UpperBound, LowerBound, Unknown };
std::string_view name(Precision precision); // "exact", "upper_bound", ...

struct Counts {
  int64_t logical = 0, total = 0;
  std::vector<int64_t> perUnit;
};
struct Bytes {
  int64_t read = 0, write = 0;
};
struct Traffic {
  Bytes logical, total;
  std::vector<Bytes> perUnit;
};
struct ComputeCost {
  std::map<std::string, Counts> flops;    // by dtype
  std::map<std::string, Counts> otherOps; // integer, predicate, select, special
  Precision precision = Precision::Exact;
};
struct Footprint {
  struct Buffer {
    std::string label;
    std::map<std::string, Counts> levels; // by storage
    size_t function = 0;                  // the value that makes it, and whose it is
    ir::ValueId value = ir::kNone;
    int leaf = 0;
  };
  std::vector<Buffer> buffers;            // in printed order
  Precision precision = Precision::Exact;
};
struct OperandTraffic {
  int argument = -1;                      // -1: the result
  std::string name, type;                 // `f32[77] gmem`
  Bytes bytes;
};
struct CallMemory {
  int64_t bufferBytes = 0;
  std::map<std::string, Traffic> traffic; // by storage
  std::map<std::string, Traffic> communication; // by level
  std::optional<Footprint> footprint;     // absent on calls of functions
  std::vector<int64_t> offsets;
  std::vector<OperandTraffic> operands;
};
struct Roofline {
  int64_t computeNs = 0, memoryNs = 0, idealNs = 0;
  std::string boundBy;                    // compute, memory, balanced, unrated, none
};
struct Interval {                         // [stride*t + start, stride*t + end) * trips
  int64_t startNs = 0, endNs = 0, strideNs = 0, trips = 1;
};

struct CallRecord {
  ir::ValueId value = ir::kNone;          // kNone: rows without a printed line
  std::string label;                      // JSON `value`: `acc_2:17`
  std::optional<ComputeCost> cost;
  std::optional<CallMemory> memory;
  std::optional<Roofline> roofline;
  std::optional<Interval> interval;       // absent: takes no time
};
struct MeshRecord {
  ir::RegionId region = ir::kNone;
  std::string label;                      // `mesh0`
  std::map<std::string, int64_t> peaks;   // by storage
};
struct Lifetime {
  std::string binding, level;
  int64_t bytes = 0;
  int definedAt = 0, lastUsedAt = 0;
  bool persistent = false;
  ir::ValueId value = ir::kNone;
  int64_t offset = -1;                    // smem placement, -1: not placed
};
struct Peak {
  std::string level;
  std::optional<int64_t> capacity;
  int64_t peak = 0, persistent = 0;
};
struct ReuseWindow {
  std::string buffer, time, space;        // "" prints as none
  int64_t holds = 0, reuse = 0;
  bool fits = true;
  Precision precision = Precision::Exact;
  ir::ValueId root = ir::kNone;           // of this function; kNone: a callee's
  size_t function = 0;                    // the function and the value of it that makes the buffer
  ir::ValueId made = ir::kNone;
  int leaf = 0;
  ir::RegionId loop = ir::kNone;
};
/// An `error=` or `advisory=` row, with where an editor shows it.
struct Finding {
  enum class Kind : uint8_t { OverCapacity, ReuseWindow, WorkingSet } kind;
  std::string text;                       // as the report prints it
  bool advisory = false;
  std::string level;
  int64_t bytes = 0, capacity = 0;
  ir::RegionId region = ir::kNone;        // the loop or mesh it speaks of
  ir::ValueId value = ir::kNone;          // the largest buffer involved
};
/// Which values share bytes; in registers only those that are one value to the author. A buffer of shared memory has its address once the entry
/// is placed.
struct Sharing {
  struct Buffer {
    int64_t bytes = 0;                    // all copies
    int64_t slot = 0;                     // from one copy to the next
    int64_t offset = -1;
  };
  std::map<std::pair<ir::ValueId, int>, int> bufferOf; // value, leaf of its type -> its buffer
  std::vector<Buffer> buffers;
};
struct FunctionRecord {
  std::optional<ComputeCost> cost;
  std::map<std::string, Traffic> traffic;
  std::map<std::string, Traffic> communication;
  Footprint footprint;
  std::vector<Peak> peaks;
  std::vector<Lifetime> lifetimes;
  std::vector<ReuseWindow> windows;       // in printed order
  std::vector<Finding> findings;          // in printed order
  Sharing sharing;
  bool hasMemory = false;
  bool placed = false;                    // offsets and peaks were settled: of the entry only
  std::optional<Roofline> roofline;
  bool hasPerformance = false;
  int64_t predictedNs = 0;
  int64_t waves = 1;
  Interval timeline;
};
struct FunctionReport {
  size_t function = 0;                    // index in the program
  FunctionRecord record;
  std::vector<CallRecord> calls;          // operand-first, as JSON lists them
  std::vector<MeshRecord> meshes;
};

struct Options {
  uint8_t families = 0;                   // requested
  bool operands = false;
  std::string topology;                   // "" : the coarsest level the target rates (cta)
};
struct Report {
  std::shared_ptr<const ir::Program> program;
  Options options;
  uint8_t executed = 0;
  std::string topology;                   // selected level
  int64_t waveCounted = 0, waveDeclared = 0;
  std::vector<FunctionReport> functions;  // root first
};

/// Runs the requested families (and what they need). Refusals (`performance` without a level, rates the target does not state) go to the sink.
std::optional<Report> analyze(std::shared_ptr<const ir::Program> program, const Options &options, DiagnosticSink &sink,
                              const CancelToken &cancel = {});

/// The whole text report: header rows, then every function with its comments. Without families: the typed HIR alone.
std::string renderText(const Report &report);
/// Header rows of one function without `# `; used by the text, by code lenses and hovers.
std::vector<std::string> headerRows(const Report &report, size_t function);
/// The comment of one line (what follows `  # `), "" for none.
std::string comment(const Report &report, size_t function, const ir::PrintedLine &line);

} // namespace tilewright::analysis

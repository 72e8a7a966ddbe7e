// One function of a program on its way to TIR. Private to the Finalize*.cpp files, each of which holds one idea:
//   FinalizeOrder    statements in the order of the plan, scopes and loops
//   FinalizeStorage  what each buffer becomes: a parameter, the output, scratch, shared memory, a ring, registers
//   FinalizeViews    how an operand is reached: windows, fragments, and when a view is declared again
//   FinalizeRings    which slot of a ring an iteration uses
//   FinalizeInPlace  copies that are proven to be none
//   FinalizeIndex    scalars and loop bounds as expressions
// Thread rule: one object belongs to one call of finalize.
#pragma once
#include "schedule/Candidates.h"
#include "schedule/Finalize.h"
#include "schedule/FinalizeNames.h"

#include <map>
#include <set>

namespace tilewright::schedule {

namespace tir = ir::tir;

/// What callers hand to a finalized function besides its arguments.
struct CallShape {
  int number = tir::kNone;                    // in the TIR program
  std::vector<ir::TensorType> scratch;
};

/// What the functions of one program share.
struct FinalizeContext {
  const analysis::Report &report;
  const FinalizeOptions &options;
  std::vector<CallShape> shapes;              // by function of the program
  DiagnosticSink &sink;
};

/// What a refused match says, with the path that it followed.
std::string refusalText(const instruction::Match &match);

class FunctionLowering {
public:
  FunctionLowering(FinalizeContext &context, size_t function);
  /// Null when it was refused; the reason is in the sink.
  std::optional<tir::Function> run();

private:
  // ---- storage
  struct Buffer {
    enum class Kind : uint8_t { Unused, Parameter, Output, Scratch, Shared, Ring, Register } kind = Kind::Unused;
    ir::ValueId maker = ir::kNone;            // the first value that lies in it
    int leaf = 0;
    const ir::TensorType *type = nullptr;     // of the maker
    std::string name;                         // base of the names of its views
    tir::ValueId value = tir::kNone;          // Parameter, Output, Scratch: of the signature; Ring, Register: once declared
    ir::RegionId home = ir::kNone;            // Register: the body that declares it; Ring: its own
    int64_t offset = 0, slot = 0, copies = 1; // Shared, Ring
  };
  using BufferId = int;
  void classify();
  void signature();
  void findHomes();
  void useIn(ir::ValueId value, ir::RegionId region);
  void markPart(ir::ValueId value, ir::ValueId insert, int depth);
  BufferId bufferOf(ir::ValueId value, int leaf = 0) const;
  Buffer &buffer(BufferId id) { return buffers_[static_cast<size_t>(id)]; }
  void declareRegister(BufferId id);
  std::string authored(ir::ValueId value) const;
  tir::ValueId newValue(tir::ValueKind kind, std::string name, ir::TensorType type);
  tir::ValueId parameter(std::string name, ir::TensorType type);

  // ---- in place
  struct Coverage {
    enum class Kind : uint8_t { Unknown, Overlapping, Disjoint, Exact } kind = Kind::Unknown;
    std::string why = {}; // not Exact
  };
  void rejoin();
  std::optional<std::vector<std::vector<int64_t>>> windowsOf(ir::ValueId insert) const;
  Coverage coverageOf(const std::vector<ir::ValueId> &inserts) const;
  void adopt(ir::ValueId insert, BufferId into, const std::map<ir::ValueId, std::vector<ir::ValueId>> &readers);

  // ---- order
  /// A block under construction: the function's, a scope's or a loop's.
  struct Frame {
    ir::RegionId region = ir::kNone;          // kNone: none of the plan
    tir::Block *block = nullptr;
    std::map<std::pair<int, int32_t>, tir::ValueId> views; // declared here, by what they show
  };
  void body(ir::RegionId region);
  void scope(ir::RegionId region);
  void loop(ir::RegionId region);
  void value(ir::ValueId id);
  void fill(const ir::PlanValue &value, ir::ValueId id);
  void insert(const ir::PlanValue &value, ir::ValueId id);
  void schedule(const ir::PlanValue &value);
  void byDefault(const ir::PlanValue &value, ir::ValueId id);
  void callFunction(const ir::PlanValue &value, ir::ValueId id);
  /// One instruction over operands in schema order, the destination included; `issues` of an atom.
  void emit(const ir::PlanValue &site, const instruction::Instruction &instruction, const std::vector<ir::ValueId> &operands, size_t destination,
            const std::vector<instruction::Issue> &issues);
  void emitIssues(const std::vector<instruction::Issue> &issues, const std::vector<std::string> &stems, const std::vector<ir::ValueId> &operands,
                  const instruction::Instruction &instruction);
  /// All of one value into the place of another.
  bool copyWhole(ir::ValueId from, ir::ValueId to, const ir::PlanValue &site);
  bool copyAllowed(const ir::TensorType &from, const ir::TensorType &to, ir::RegionId region, const ir::PlanValue &site);
  std::vector<std::shared_ptr<const layout::Mesh>> scopesAt(ir::RegionId region) const;
  size_t destinationOf(const ir::PlanValue &schedule) const;
  bool reopens(ir::RegionId region) const;
  void add(tir::Statement statement) { frames_.back().block->push_back(std::move(statement)); }
  Frame &frameOf(ir::RegionId region);

  // ---- views
  /// A value as it lies, its windows declared.
  tir::Operand reach(ir::ValueId id);
  /// The same as an operand of an instruction: registers of the author's arrangement through a view of that stem.
  tir::Operand operandOf(ir::ValueId id, const std::string &stem);
  tir::Operand whole(BufferId id);
  tir::Operand partOf(ir::ValueId insert);
  tir::Operand windowOf(ir::ValueId id);
  tir::Operand sameRows(const tir::Operand &window, ir::ValueId id);
  enum class Written : uint8_t { Part, Window }; // an update made in place, or copied there
  tir::Operand insertWindow(ir::ValueId insert, Written how);
  tir::Operand scalar(const ir::PlanValue &value);
  tir::Operand declareView(std::string name, tir::View view);
  tir::Operand known(int kind, int32_t of) const;
  void remember(int kind, int32_t of, const tir::Operand &operand) { frames_.back().views[{kind, of}] = operand.value; }
  bool isAuthored(ir::ValueId id, int depth = 0) const;
  std::vector<ir::ValueId> elements(ir::ValueId tuple) const;

  // ---- rings
  tir::Operand slot(BufferId id);
  void declareRing(BufferId id);
  struct Counter {
    tir::ValueId counter = tir::kNone, one = tir::kNone;
  };
  std::vector<ir::RegionId> loopsAround(ir::RegionId region) const; // outermost first

  // ---- index
  bool isIndex(ir::ValueId id, int depth = 0) const;
  /// The start of a window; refuses what an address cannot hold.
  tir::Expr indexOf(ir::ValueId id, const ir::PlanValue &site);
  tir::Expr expression(ir::ValueId id) const;
  tir::Expr expression(const ir::DimExpr &dim) const;
  ir::DimExpr normal(const ir::DimExpr &dim) const { return ir::normalBound(*context_.report.program, number_, dim); }
  static tir::Expr integer(int64_t value);
  static tir::Expr join(tir::Expr::Kind kind, tir::Expr left, tir::Expr right);

  void refuse(const ir::PlanValue &site, Code code, std::string message);
  std::string nameOf(ir::ValueId id) const;
  const ir::PlanValue &at(ir::ValueId id) const { return plan_.at(id); }
  const ir::PlanRegion &region(ir::RegionId id) const { return plan_.regions[static_cast<size_t>(id)]; }

  FinalizeContext &context_;
  size_t number_;
  const ir::FunctionPlan &plan_;
  const analysis::Sharing &sharing_;
  tir::Function out_;
  Names names_;
  std::vector<Buffer> buffers_;
  std::map<std::pair<ir::ValueId, int>, BufferId> bufferOf_;
  std::set<ir::ValueId> untouched_;                          // inserts into a parameter whose elements are the output's already
  std::set<ir::ValueId> unfilled_;                           // heads of outputs whose every element is written later
  std::map<ir::ValueId, ir::ValueId> partOf_;                // a value that lies in the window where this insert_slice puts it
  std::map<ir::ValueId, int> rank_;                          // place of a value in the walk
  std::map<ir::ValueId, std::vector<tir::ValueId>> callScratch_;
  std::vector<Frame> frames_;
  std::map<ir::RegionId, tir::ScopeId> scopeOf_;
  std::map<ir::ValueId, tir::ValueId> variables_;            // induction variables
  std::map<ir::RegionId, Counter> counters_;                 // by the innermost loop of the rings that share one
  Span span_;                                                // of the statement being lowered
  int calls_ = 0;                                            // ops lowered so far
  bool failed_ = false;
};

} // namespace tilewright::schedule

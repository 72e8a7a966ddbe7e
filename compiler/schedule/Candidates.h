// Which instructions can implement each unscheduled statement of a program, and why the others cannot.
//
// A site is an operation that some instruction could do and that names none: a table pairs each op with its instructions (Candidates.cpp). A
// scalar that no unit holds (`umat`: loop arithmetic, literals) is none, nor is a reshard that leaves every element where it is. Which instructions a site is asked about depends on the op and on
// the capabilities of the target, never on the operands, so a site can be without any.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Match.h"
#include "ir/Plan.h"

#include <functional>
#include <string>
#include <vector>

namespace tilewright::schedule {

/// An operation that is no instruction yet: it wants a `tf.schedule`, or one registered instruction is its default.
struct Site {
  size_t function = 0;                   // of the program
  ir::ValueId value = ir::kNone;
  std::string name;                      // `part`, `<value>` for one that no name is bound to
  std::string op;                        // `tf.matmul`
  std::string scope;                     // `per cta`, `whole program`
  struct Operand {
    std::string name;                    // of the op's own signature; `result` last
    ir::TensorType type;
  };
  std::vector<Operand> operands;
  struct Row {
    instruction::Match match;            // of several accepted variants the first, in order of preference
    std::vector<instruction::Match> others; // the further variants
    bool isDefault = false;              // the only registered instruction, and it matches
    /// What the match bound; a symbol that differs between variants has all their values, joined by `|`.
    std::vector<instruction::Binding> path() const;
  };
  std::vector<Row> rows;                 // accepted first, each group in inventory order
  /// The rows that could be chosen.
  std::vector<const Row *> accepted() const;
};

/// The instructions that can do what an op does, on any target, in inventory order; atoms by their own names. None: the op is no site.
const std::vector<std::string> &instructionsFor(ir::Op op);

/// The sites of all functions a program reaches: the root's first, then those of its callees, each in demand order.
std::vector<Site> candidateSites(const ir::Program &program);

/// The site of one value, without asking about the others of its function; null if it is none.
std::optional<Site> candidateSite(const ir::Program &program, size_t function, ir::ValueId value);

/// The site at a place of a function, for an editor: the innermost op around `offset` (relative to the item), or the one whose name stands there.
std::optional<Site> siteAt(const ir::Program &program, size_t function, uint32_t offset);

/// The use that a site would make of an instruction, for matching and for writing the schedule: operands in schema order with the destination.
instruction::Use useOf(const ir::Program &program, const Site &site, std::string_view instruction);

/// The instruction that a site becomes without `tf.schedule`; null when there is none or several are registered. The reason, when there is one
/// but it does not match, is in the match.
const Site::Row *defaultOf(const Site &site);

/// The line in its file, from 1, of a span in a function of the program.
using LineOf = std::function<int(size_t function, Span span)>;
/// `part:31`.
std::string labelOf(const ir::Program &program, const Site &site, const LineOf &lineOf);
/// `lhs=Tensor[(128, 64), "bf16", (128, 64), "smem"]`: a value that is shared out says so in full, over several lines.
std::string textOf(const Site::Operand &operand);
/// The report of `schedule candidates`: `source` as the command named the file.
std::string renderCandidates(const ir::Program &program, const std::vector<Site> &sites, std::string_view source, const LineOf &lineOf);

} // namespace tilewright::schedule

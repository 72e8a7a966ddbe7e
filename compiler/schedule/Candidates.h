// Which instructions can implement each unscheduled statement of a program, and why the others cannot.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Match.h"
#include "ir/Plan.h"

#include <string>
#include <vector>

namespace tilewright::schedule {

/// An operation that is no instruction yet: it wants a `tf.schedule`, or one registered instruction is its default.
struct Site {
  size_t function = 0;                   // of the program
  ir::ValueId value = ir::kNone;
  std::string label;                     // `part:31`; the line comes from the authored file
  std::string op;                        // `tf.matmul`
  std::string scope;                     // `per cta`
  struct Operand {
    std::string name;                    // of the op's own signature; `result` last
    ir::TensorType type;
  };
  std::vector<Operand> operands;
  struct Row {
    instruction::Match match;
    bool isDefault = false;              // the only registered instruction, and it matches
  };
  std::vector<Row> rows;                 // accepted first, each group in inventory order
  /// The rows that could be chosen.
  std::vector<const Row *> accepted() const;
};

/// The sites of all functions a program reaches, in demand order.
std::vector<Site> candidateSites(const ir::Program &program);

/// The uses that a site would make of an instruction, for matching and for writing the schedule: operands in schema order with the destination.
instruction::Use useOf(const ir::Program &program, const Site &site, std::string_view instruction);

/// The instruction that a site becomes without `tf.schedule`; null when there is none or several are registered. The reason, when there is one
/// but it does not match, is in the match.
const Site::Row *defaultOf(const Site &site);

/// The report of `schedule candidates`: `source` as the command named the file.
std::string renderCandidates(const ir::Program &program, const std::vector<Site> &sites, std::string_view source);

} // namespace tilewright::schedule

// What a row says, as reports and editors show it: the text of `schedule facts`, the contract of an instruction as sections for a hover, and the
// values that are left to a parameter. Where the text agrees with the reference, it agrees byte for byte.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::instruction {

/// The report about one instruction on one target. Lines of parameters and operands keep the indentation of the text.
struct Facts {
  std::string target, id;
  std::vector<std::string> capabilities; // none: all targets
  std::vector<std::string> mesh;         // lines
  std::vector<std::string> parameters, operands, between;
};
Facts factsOf(const Row &row, const target::Target &target);
std::string render(const Facts &facts);

/// The instructions of a target that inventories list, in their order, with what they ask of it.
struct InventoryEntry {
  const Row *row = nullptr;
  std::vector<std::string> capabilities;
};
std::vector<InventoryEntry> inventory(const target::Target &target);
std::string renderInventory(const target::Target &target);
/// Every name that `schedule facts` answers on this target: the inventory and the atoms.
std::vector<std::string> namesOn(const target::Target &target);

/// A contract in parts, for a hover: what each part is called and its lines. `given` narrows cases to those that still apply.
struct Contract {
  struct Line {
    std::string name, text;            // `n`, `8 <= n <= 256, n % 8 == 0`
    std::vector<std::string> details;  // further lines: arrangements, rules
  };
  std::string id, summary;
  std::vector<std::string> capabilities;
  bool admitted = true;                // by the target
  std::vector<Line> participants, parameters, operands;
  std::vector<std::string> between;
  std::string cost, ptx, source;
};
Contract describe(const Row &row, const target::Target *target, const Instruction &given);

/// The values a parameter may still have when those before and after it are given, as authors write them: `T.cuda.sm90.Form.SS`, `"bf16"`, `64`. Empty
/// where the row does not list them (a float, axes).
std::vector<std::string> remainingValues(const Row &row, const Instruction &given, std::string_view parameter, const target::Target *target = nullptr);

} // namespace tilewright::instruction

// The families of analyses and what each needs; shared by the driver and by those who list them.
// Thread rule: the table is immutable.
#pragma once
#include "analysis/Report.h"

#include <span>
#include <string_view>
#include <vector>

namespace tilewright::analysis {

struct FamilyInfo {
  Family family;
  std::string_view name;   // as `--compute-cost` and the report spell it
  uint8_t needs;           // families that run before it
};
std::span<const FamilyInfo> allFamilies();
/// `families` with everything they need.
uint8_t closure(uint8_t families);
/// The families that run for a request, each after what it needs, in the order in which they are asked for.
std::vector<std::string_view> executionOrder(uint8_t requested);
/// Whether a report of these families states the work of the function: as asked for, or among what several families rest on.
bool statesWork(uint8_t requested);
/// Names of the set, joined by commas in the order of the table.
std::string familyNames(uint8_t families);

} // namespace tilewright::analysis

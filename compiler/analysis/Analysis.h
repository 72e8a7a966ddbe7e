// The families of analyses and what each needs; shared by the driver and by those who list them.
// Thread rule: the table is immutable.
#pragma once
#include "analysis/Report.h"

#include <span>

namespace tilewright::analysis {

struct FamilyInfo {
  Family family;
  std::string_view name;   // as `--compute-cost` and the report spell it
  uint8_t needs;           // families that run before it
};
std::span<const FamilyInfo> allFamilies();
/// `families` with everything they need.
uint8_t closure(uint8_t families);
/// Names of the set, joined by commas in the order of the table.
std::string familyNames(uint8_t families);

} // namespace tilewright::analysis

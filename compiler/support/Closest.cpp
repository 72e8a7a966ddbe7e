#include "support/Closest.h"

#include <algorithm>

namespace tilewright {

std::string_view closest(std::string_view typed, const std::vector<std::string_view> &names) {
  auto distance = [](std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
      row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= b.size(); ++j) {
        size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
        diagonal = row[j];
        row[j] = next;
      }
    }
    return row[b.size()];
  };
  std::string_view best;
  size_t least = typed.size() < 5 ? 2 : 3;
  for (std::string_view name : names)
    if (size_t d = distance(typed, name); d < least) {
      least = d;
      best = name;
    }
  return best;
}

} // namespace tilewright

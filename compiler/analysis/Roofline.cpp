#include "analysis/Roofline.h"

#include <algorithm>

namespace tilewright::analysis {

int64_t ceilRatio(__int128 a, __int128 b, __int128 c) {
  if (c <= 0)
    return 0;
  return static_cast<int64_t>((a * b + c - 1) / c);
}

Roofline rooflineOf(const ComputeCost &cost, const Footprint *footprint, const std::map<std::string, Traffic> &traffic, const target::Target &target) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  Roofline roofline;
  bool work = false;
  for (const auto &[dtype, counts] : cost.flops) {
    work = work || counts.total != 0;
    if (std::optional<int64_t> rate = target.flops(dtype))
      roofline.computeNs += ceilRatio(counts.total, kNanoseconds, *rate);
  }
  __int128 bytes = 0;
  if (footprint) {
    for (const Footprint::Buffer &buffer : footprint->buffers)
      if (auto level = buffer.levels.find("gmem"); level != buffer.levels.end())
        bytes += level->second.total;
  } else if (auto level = traffic.find("gmem"); level != traffic.end()) {
    bytes = static_cast<__int128>(level->second.total.read) + level->second.total.write;
  }
  if (std::optional<int64_t> rate = target.bandwidth())
    roofline.memoryNs = ceilRatio(bytes, kNanoseconds, *rate);
  roofline.idealNs = std::max(roofline.computeNs, roofline.memoryNs);
  if (roofline.idealNs == 0)
    roofline.boundBy = work || bytes != 0 ? "unrated" : "none";
  else if (roofline.computeNs == roofline.memoryNs)
    roofline.boundBy = "balanced";
  else
    roofline.boundBy = roofline.memoryNs > roofline.computeNs ? "memory" : "compute";
  if (roofline.boundBy == "unrated")
    roofline.idealNs = 1;
  return roofline;
}

} // namespace tilewright::analysis

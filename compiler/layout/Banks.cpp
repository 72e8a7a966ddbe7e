#include "layout/Banks.h"

#include "support/Check.h"

#include <algorithm>
#include <array>

namespace tilewright::layout {
namespace {
constexpr int64_t kBanks = 32, kBankBytes = 4;
constexpr size_t kLanes = 32;

/// Passes that one group of lanes takes.
int64_t passes(std::span<const int64_t> addresses, int bytes) {
  std::array<std::vector<int64_t>, kBanks> words;
  for (int64_t address : addresses)
    for (int64_t word = address / kBankBytes; word <= (address + bytes - 1) / kBankBytes; ++word) {
      auto &bank = words[static_cast<size_t>(word % kBanks)];
      if (std::find(bank.begin(), bank.end(), word) == bank.end())
        bank.push_back(word);
    }
  size_t most = 0;
  for (const auto &bank : words)
    most = std::max(most, bank.size());
  return static_cast<int64_t>(most);
}

void keepWorst(BankCount &worst, const BankCount &count) {
  if (count.wavefronts > worst.wavefronts)
    worst = count;
}

/// Bytes of every element of a two-axis tile, row-major; empty when an element has no place.
std::vector<int64_t> bytesOf(const TensorLayout &layout, const std::vector<int64_t> &shape, int elementBits) {
  constexpr int64_t kMost = int64_t{1} << 20;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<int64_t> out;
  // An element's row-major index counts the flattened modes in the same order, so they are laid out once for all of them.
  const Modes modes = modesOf(layout);
  if (count <= 0 || count > kMost || size(modes) != count)
    return out;
  out.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    out.push_back(byteAt(layout, layout.offset + offsetAt(modes, i), elementBits));
  return out;
}
} // namespace

BankCount bankCount(std::span<const int64_t> addresses, int bytes) {
  TW_CHECK(bytes >= 1 && bytes <= 16 && addresses.size() <= kLanes, "a warp of 32 lanes that move at most 16 bytes each");
  const size_t group = bytes > 8 ? 8 : bytes > 4 ? 16 : kLanes;
  BankCount count;
  for (size_t first = 0; first < addresses.size(); first += group) {
    const int64_t taken = passes(addresses.subspan(first, std::min(group, addresses.size() - first)), bytes);
    count.wavefronts += taken;
    count.ideal += 1;
    count.ways = std::max(count.ways, taken);
  }
  return count;
}

std::vector<PatternBanks> patternBanks(const TensorLayout &layout, const std::vector<int64_t> &shape, int elementBits) {
  std::vector<PatternBanks> out;
  if (shape.size() != 2 || elementBits < 8)
    return out;
  const std::vector<int64_t> bytes = bytesOf(layout, shape, elementBits);
  if (bytes.empty())
    return out;
  const int64_t rows = shape[0], columns = shape[1], elementBytes = elementBits / 8;
  int width = 16;
  const auto together = [&](int64_t elements) {
    for (size_t i = 0; i < bytes.size(); i += static_cast<size_t>(elements)) {
      if (bytes[i] % width != 0)
        return false;
      for (int64_t j = 1; j < elements; ++j)
        if (bytes[i + static_cast<size_t>(j)] != bytes[i] + j * elementBytes)
          return false;
    }
    return true;
  };
  while (width > elementBytes && (columns % (width / elementBytes) != 0 || !together(width / elementBytes)))
    width /= 2;
  const int64_t vector = std::max<int64_t>(width / elementBytes, 1), vectors = columns / vector;
  const auto at = [&](int64_t row, int64_t chunk) { return bytes[static_cast<size_t>(row * columns + chunk * vector)]; };
  const auto lanes = static_cast<int64_t>(kLanes);
  if (rows * vectors >= lanes) {
    PatternBanks pattern{AccessPattern::Rows, width, {}};
    for (int64_t first = 0; first + lanes <= rows * vectors; first += lanes) {
      std::vector<int64_t> addresses;
      for (int64_t i = first; i < first + lanes; ++i)
        addresses.push_back(at(i / vectors, i % vectors));
      keepWorst(pattern.worst, bankCount(addresses, width));
    }
    out.push_back(pattern);
  }
  const auto columnwise = [&](AccessPattern kind, int64_t height) {
    PatternBanks pattern{kind, width, {}};
    for (int64_t row = 0; row + height <= rows; row += height)
      for (int64_t chunk = 0; chunk < vectors; ++chunk) {
        std::vector<int64_t> addresses;
        for (int64_t i = 0; i < height; ++i)
          addresses.push_back(at(row + i, chunk));
        keepWorst(pattern.worst, bankCount(addresses, width));
      }
    out.push_back(pattern);
  };
  if (rows >= lanes)
    columnwise(AccessPattern::Column, lanes);
  if (width == 16 && rows >= 8)
    columnwise(AccessPattern::Matrices, rows >= lanes ? lanes : 8);
  return out;
}

std::optional<FragmentBanks> fragmentBanks(const TensorLayout &fragment, const TensorLayout &memory, const std::vector<int64_t> &shape, int elementBits) {
  const auto holders = Holders::of(fragment, shape);
  if (!holders || elementBits < 8 || fragment.mesh->topologies.empty() || fragment.mesh->topologies.back().name != "thread")
    return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> units; // of the first warp, with their positions
  const auto width32 = static_cast<int64_t>(kLanes);
  const int64_t warp = unitAt(*fragment.mesh, 0) / width32;
  for (int64_t position = 0; position < holders->positions(); ++position)
    if (const int64_t unit = unitAt(*fragment.mesh, position); unit / width32 == warp)
      units.push_back({unit, position});
  std::sort(units.begin(), units.end());
  std::vector<int64_t> lanes;
  for (const auto &[unit, position] : units)
    lanes.push_back(position);
  if (lanes.size() > kLanes)
    return std::nullopt; // two positions are one unit
  const int64_t held = holders->held(), elementBytes = elementBits / 8;
  std::vector<std::vector<int64_t>> bytes(lanes.size()); // by lane and value
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (int64_t value = 0; value < held; ++value) {
      const auto byte = byteOf(memory, shape, holders->element(lanes[lane], value), elementBits);
      if (!byte)
        return std::nullopt;
      bytes[lane].push_back(*byte);
    }
  int width = 16;
  const auto fits = [&](int64_t elements) {
    if (held % elements != 0)
      return false;
    for (const auto &lane : bytes)
      for (size_t i = 0; i < lane.size(); i += static_cast<size_t>(elements)) {
        if (lane[i] % width != 0)
          return false;
        for (int64_t j = 1; j < elements; ++j)
          if (lane[i + static_cast<size_t>(j)] != lane[i] + j * elementBytes)
            return false;
      }
    return true;
  };
  while (width > elementBytes && !fits(width / elementBytes))
    width /= 2;
  const int64_t vector = std::max<int64_t>(width / elementBytes, 1);
  FragmentBanks result{width, held / vector, {}};
  for (int64_t value = 0; value < held; value += vector) {
    std::vector<int64_t> addresses;
    for (const auto &lane : bytes)
      addresses.push_back(lane[static_cast<size_t>(value)]);
    const BankCount count = bankCount(addresses, width);
    result.total.wavefronts += count.wavefronts;
    result.total.ideal += count.ideal;
    result.total.ways = std::max(result.total.ways, count.ways);
  }
  return result;
}

} // namespace tilewright::layout

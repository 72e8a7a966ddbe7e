#include "schedule/TileChoice.h"

#include "support/Check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace tilewright::schedule {
namespace {

/// a / b as a double rounded once, for a >= 0 and b > 0 of any size.
double quotient(int64_t a, int64_t b) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (a <= kExact && b <= kExact)
    return static_cast<double>(a) / static_cast<double>(b);
  // 64 bits of the quotient, the last of them standing for everything below: rounding those gives what rounding the quotient would.
  auto scaled = static_cast<unsigned __int128>(a) << 64;
  int exponent = -64;
  const auto divisor = static_cast<unsigned __int128>(b);
  unsigned __int128 whole = scaled / divisor;
  bool rest = scaled % divisor != 0;
  while (whole >> 63 > 1) {
    rest = rest || (whole & 1) != 0;
    whole >>= 1;
    ++exponent;
  }
  return std::ldexp(static_cast<double>(static_cast<uint64_t>(whole) | (rest ? 1u : 0u)), exponent);
}

/// The quotient as a double, rounded up to an integer.
int64_t ceilQuotient(int64_t a, int64_t b) { return static_cast<int64_t>(std::ceil(quotient(a, b))); }

std::string count(int64_t value) { return std::to_string(value); }

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

/// A product that says whether it fits.
struct Product {
  int64_t value = 1;
  bool fits = true;
  Product(std::initializer_list<int64_t> factors) {
    for (int64_t factor : factors)
      fits = fits && !__builtin_mul_overflow(value, factor, &value);
  }
};

int64_t traffic64(const TileProblem &problem) { return elementBytes(problem.dtype) * problem.m * problem.n * problem.k; }

/// Columns of tensor memory that `blockN` accumulators of 32 bits need for every 128 rows: given in powers of two from 32.
int64_t tensorColumnsOf(const TileConfig &config) {
  const int64_t wanted = (config.blockM / 128 + (config.blockM % 128 != 0)) * config.blockN;
  int64_t columns = 32;
  while (columns < wanted)
    columns *= 2;
  return columns;
}

} // namespace

std::string_view name(TileInstruction instruction) {
  switch (instruction) {
  case TileInstruction::Mma: return "mma";
  case TileInstruction::Simt: return "simt";
  case TileInstruction::Wgmma: return "wgmma";
  case TileInstruction::Tcgen05: return "tcgen05";
  }
  return "";
}

std::optional<TileInstruction> tileInstructionNamed(std::string_view wanted) {
  for (TileInstruction instruction : kTileInstructions)
    if (name(instruction) == wanted)
      return instruction;
  return std::nullopt;
}

std::string_view name(TileDtype dtype) {
  switch (dtype) {
  case TileDtype::F16: return "f16";
  case TileDtype::Bf16: return "bf16";
  case TileDtype::Tf32: return "tf32";
  case TileDtype::Fp8: return "fp8";
  }
  return "";
}

std::optional<TileDtype> tileDtypeNamed(std::string_view wanted) {
  for (TileDtype dtype : kTileDtypes)
    if (name(dtype) == wanted)
      return dtype;
  return std::nullopt;
}

int64_t elementBytes(TileDtype dtype) { return dtype == TileDtype::Tf32 ? 4 : dtype == TileDtype::Fp8 ? 1 : 2; }

TileShape shapeOf(TileInstruction instruction, TileDtype dtype) {
  // One instruction takes 32 bytes of K: PTX ISA, shapes of mma, wgmma.mma_async and tcgen05.mma.
  const int64_t k = 32 / elementBytes(dtype);
  switch (instruction) {
  case TileInstruction::Mma: return {16, 8, k, 32};
  case TileInstruction::Wgmma: return {64, 8, k, 128};
  case TileInstruction::Tcgen05: return {64, 8, k, 128}; // N in steps of 16 where M is 128: see evaluate()
  case TileInstruction::Simt: return {1, 1, 1, 32};
  }
  return {1, 1, 1, 1};
}

std::optional<TileDevice> tileDevice(const target::Target &target) {
  const auto number = [&](std::string_view path) -> std::optional<int64_t> {
    const target::Fact *fact = target.fact(path);
    return fact ? fact->integer : std::nullopt;
  };
  const auto sharedPerSm = number("memory.shared.per_sm"), sharedPerBlock = number("memory.shared.per_cta"), registers = number("memory.register.per_sm"),
             threads = number("compute.max_threads_per_cta"), blocks = number("compute.max_resident_ctas_per_sm"), sms = number("compute.sm_count");
  if (!sharedPerSm || !sharedPerBlock || !registers || !threads || !blocks || !sms)
    return std::nullopt;
  TileDevice device;
  device.name = std::string(target.id());
  device.sharedPerSm = *sharedPerSm;
  device.sharedPerBlock = *sharedPerBlock;
  device.registersPerSm = *registers;
  device.threadsPerBlock = *threads;
  device.blocksPerSm = *blocks;
  device.smCount = *sms;
  // Threads per SM, registers per thread and the unit a warp is given are the same for every compute capability since 8.0 that has tensor
  // cores of a data-centre part: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  if (const auto tensor = number("memory.tensor.per_cta"))
    device.tensorColumns = *tensor / (128 * 4);
  return device;
}

std::optional<std::string> beyondArithmetic(const TileProblem &problem, const TileConfig &config, const TileDevice &device) {
  constexpr const char *kLimit = "; 64-bit arithmetic ends at 9223372036854775807";
  const int64_t bytes = elementBytes(problem.dtype);
  if (!Product{bytes, problem.m, problem.n, problem.k}.fits)
    return "M x N x K of " + count(problem.m) + " x " + count(problem.n) + " x " + count(problem.k) + " is too large" + kLimit;
  const Product a{config.blockM, config.blockK, bytes}, b{config.blockK, config.blockN, bytes};
  int64_t stage = 0, all = 0;
  const std::string block = count(config.blockM) + " x " + count(config.blockN) + " x " + count(config.blockK);
  if (!a.fits || !b.fits || __builtin_add_overflow(a.value, b.value, &stage) || __builtin_mul_overflow(stage, config.stages, &all))
    return "shared memory of a block " + block + " in " + count(config.stages) + " stages is too large" + kLimit;
  // Accumulators, with room for rounding up to whole threads and for the registers of a warp of them.
  const Product accumulators{config.blockM, config.blockN, device.warpSize, 8}, registers{config.threads, device.registersPerWarpUnit, 8};
  if (!accumulators.fits || !registers.fits)
    return "accumulators of a block " + block + " on " + count(config.threads) + " threads are too many" + kLimit;
  if (!Product{device.smCount, device.blocksPerSm}.fits)
    return count(device.smCount) + " SMs are too many" + kLimit;
  return std::nullopt;
}

TileVerdict evaluate(const TileProblem &problem, const TileConfig &config, const TileDevice &device) {
  TileVerdict v;
  v.config = config;
  const bool tensorMemory = config.instruction == TileInstruction::Tcgen05;
  const int64_t bytes = elementBytes(problem.dtype);
  const std::string who = " (" + std::string(name(config.instruction)) + ")";
  const auto fails = [&](std::string constraint, std::string text) { v.failures.push_back({std::move(constraint), std::move(text)}); };

  TileShape shape = shapeOf(config.instruction, problem.dtype);
  if (tensorMemory && config.blockM % 128 == 0)
    shape.n = 16;
  const auto multiple = [&](const char *what, int64_t value, int64_t of) {
    if (value % of != 0)
      fails("C3", std::string(what) + "=" + count(value) + " is not a multiple of " + count(of) + who);
  };
  multiple("block_M", config.blockM, shape.m);
  multiple("block_N", config.blockN, shape.n);
  multiple("block_K", config.blockK, shape.k);
  multiple("threads", config.threads, shape.threads);
  if (config.threads > device.threadsPerBlock)
    fails("C3", "threads=" + count(config.threads) + " exceeds " + count(device.threadsPerBlock) + " per block");

  v.sharedPerStage = (config.blockM * config.blockK + config.blockK * config.blockN) * bytes;
  v.sharedTotal = v.sharedPerStage * config.stages;
  if (v.sharedTotal > device.sharedPerBlock)
    fails("C1", "shared memory of " + count(v.sharedTotal) + " B in " + count(config.stages) + (config.stages == 1 ? " stage" : " stages") + " exceeds " + count(device.sharedPerBlock) + " B per block");

  if (!tensorMemory) {
    v.accumulatorsPerThread = ceilQuotient(config.blockM * config.blockN, config.threads);
    const int64_t ofWarp = ceilQuotient(v.accumulatorsPerThread * device.warpSize, device.registersPerWarpUnit) * device.registersPerWarpUnit;
    v.registersPerThread = ofWarp / device.warpSize;
    if (v.registersPerThread > device.registersPerThread)
      fails("C2", "accumulators alone need " + count(v.registersPerThread) + " registers per thread, more than " + count(device.registersPerThread) + ": they spill to local memory");
  }
  v.registersPerBlock = v.registersPerThread * config.threads;

  v.blocksByRegisters = device.registersPerSm / std::max<int64_t>(v.registersPerBlock, 1);
  v.blocksByShared = device.sharedPerSm / std::max<int64_t>(v.sharedTotal, 1);
  v.blocksByThreads = device.threadsPerSm / std::max<int64_t>(config.threads, 1);
  std::vector<std::pair<const char *, int64_t>> limits{{"regs", v.blocksByRegisters}, {"smem", v.blocksByShared}, {"threads", v.blocksByThreads}};
  if (tensorMemory) {
    v.tensorColumns = tensorColumnsOf(config);
    v.blocksByTensor = device.tensorColumns / v.tensorColumns;
    if (v.tensorColumns > device.tensorColumns)
      fails("C5", "accumulators need " + count(v.tensorColumns) + " columns of tensor memory, more than " + count(device.tensorColumns));
    limits.erase(limits.begin()); // no accumulator is in registers
    limits.push_back({"tmem", v.blocksByTensor});
  }
  const auto least = std::min_element(limits.begin(), limits.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  v.blocksPerSm = std::max<int64_t>(std::min(least->second, device.blocksPerSm), 0);
  if (v.blocksPerSm == 0)
    fails(tensorMemory ? "C1/C5" : "C1/C2", "no block fits on an SM: 0 blocks per SM");
  else
    v.binding = least->first;

  v.grid = ceilQuotient(problem.m, config.blockM) * ceilQuotient(problem.n, config.blockN);
  const int64_t resident = std::max<int64_t>(v.blocksPerSm * device.smCount, 1);
  v.waves = ceilQuotient(v.grid, resident);
  v.lastWaveFill = v.grid % resident ? quotient(v.grid % resident, resident) : 1.0;
  if (v.waves > 1 && v.lastWaveFill < 0.5)
    v.warnings.push_back({"C4", "the last wave is " + percent(v.lastWaveFill) + " full: " + count(v.grid) + " tiles over " + count(resident) + " resident blocks"});
  if (v.grid < device.smCount)
    v.warnings.push_back({"C4", count(v.grid) + (v.grid == 1 ? " tile" : " tiles") + " for " + count(device.smCount) + " SMs: " + percent(quotient(device.smCount - v.grid, device.smCount)) +
                                    " of the SMs have no work"});
  v.dramTraffic = static_cast<double>(traffic64(problem)) * (quotient(1, config.blockN) + quotient(1, config.blockM)) +
                  static_cast<double>(bytes * problem.m * problem.n);
  return v;
}

std::vector<TileConfig> tileSpace(const TileProblem &problem, TileInstruction instruction) {
  std::vector<TileConfig> out;
  for (int64_t m : {16, 32, 64, 128, 256})
    for (int64_t n : {16, 32, 64, 128, 256})
      for (int64_t k : {16, 32, 64, 128})
        for (int64_t stages : {2, 3, 4})
          for (int64_t threads : {128, 256, 512})
            if (k <= problem.k)
              out.push_back({m, n, k, stages, threads, instruction});
  return out;
}

TileSweep sweep(const TileProblem &problem, TileInstruction instruction, const TileDevice &device) {
  TileSweep result;
  for (const TileConfig &config : tileSpace(problem, instruction))
    if (TileVerdict verdict = evaluate(problem, config, device); verdict.feasible())
      result.feasible.push_back(std::move(verdict));
  const auto bytes = [](const TileVerdict &v) { return std::nearbyint(v.dramTraffic); }; // to even, the default of IEEE
  std::stable_sort(result.feasible.begin(), result.feasible.end(), [&](const TileVerdict &a, const TileVerdict &b) {
    return std::tuple(bytes(a), -a.blocksPerSm, a.sharedTotal) < std::tuple(bytes(b), -b.blocksPerSm, b.sharedTotal);
  });
  for (const TileVerdict &v : result.feasible) {
    result.tiedAtMinimum += bytes(v) == bytes(result.feasible.front());
    result.bestLastWaveFill = std::max(result.bestLastWaveFill, v.lastWaveFill);
  }
  return result;
}

} // namespace tilewright::schedule

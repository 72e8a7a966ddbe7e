// `tilewright tile`: flags to a problem, a device and a configuration; verdicts, sweeps, rankings and neighbours as text or JSON.
#include "cli/Commands.h"
#include "cli/Report.h"
#include "schedule/TileDraw.h"
#include "schedule/TileExplain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace tilewright::cli {
namespace {

using namespace schedule;
using Json = nlohmann::ordered_json;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

/// Reads a size; says what is wrong with it, with the limits, and gives nothing.
std::optional<int64_t> sized(const char *flag, const std::string &text, int64_t least = 1, int64_t most = kLargest) {
  int64_t value = 0;
  const char *begin = text.data(), *end = begin + text.size();
  if (begin != end && *begin == '+')
    ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (begin == end || error != std::errc() || stop != end || value < least || value > most) {
    fail(kUsage, fmt::format("{}: `{}` is no size; it is an integer from {} to {}", flag, text, least, most));
    return std::nullopt;
  }
  return value;
}

/// Everything the flags say.
struct Request {
  TileProblem problem;
  TileConfig config;
  TileDevice device;
  const target::Target *target = nullptr; // whose rates the model takes
  std::optional<TileRates> rates;         // of --model performance
  size_t top = 15;
};

std::optional<Request> requested(const TileArguments &arguments) {
  Request request;
  const auto bad = [](const std::string &text) {
    fail(kUsage, text);
    return std::nullopt;
  };
  // The device and the instruction choose each other's default.
  const target::Target *named = nullptr;
  if (!arguments.target.empty() && !(named = target::find(arguments.target)))
    return bad("--target: no target `" + arguments.target + "`");
  std::optional<TileInstruction> instruction;
  if (!arguments.instruction.empty() && !(instruction = tileInstructionNamed(arguments.instruction)))
    return bad("--instr: no instruction `" + arguments.instruction + "`; there are mma, simt, tcgen05, wgmma");
  if (!instruction)
    instruction = named && !named->hasWgmma() && named->hasTcgen05() ? TileInstruction::Tcgen05 : TileInstruction::Wgmma;
  request.config.instruction = *instruction;
  request.target = named ? named : target::find(*instruction == TileInstruction::Tcgen05 ? "nvidia.b200_sxm" : "nvidia.h200_sxm");
  if (named || *instruction == TileInstruction::Tcgen05) {
    const auto device = tileDevice(*request.target);
    if (!device)
      return bad("--target: `" + arguments.target + "` has no SMs to tile for");
    request.device = *device;
  }
  if (!hasInstruction(*request.target, *instruction))
    return bad("--instr: `" + std::string(request.target->id()) + "` has no " + std::string(name(*instruction)));
  const auto dtype = tileDtypeNamed(arguments.dtype);
  if (!dtype)
    return bad("--dtype: no dtype `" + arguments.dtype + "`; there are f16, bf16, tf32, fp8");
  request.problem.dtype = *dtype;

  bool right = true;
  const auto size = [&](const char *flag, const std::string &text, int64_t &into, int64_t least = 1, int64_t most = kLargest) {
    const auto value = sized(flag, text, least, most);
    right = right && value;
    into = value.value_or(into);
  };
  size("--m", arguments.m, request.problem.m);
  size("--n", arguments.n, request.problem.n);
  size("--k", arguments.k, request.problem.k);
  size("--block-m", arguments.blockM, request.config.blockM);
  size("--block-n", arguments.blockN, request.config.blockN);
  size("--block-k", arguments.blockK, request.config.blockK);
  size("--stages", arguments.stages, request.config.stages);
  size("--threads", arguments.threads, request.config.threads);
  if (!arguments.smCount.empty())
    size("--sm-count", arguments.smCount, request.device.smCount);
  if (!arguments.smemKb.empty()) {
    int64_t kib = 1;
    size("--smem-kb", arguments.smemKb, kib, 1, kLargest / 1024);
    request.device.sharedPerSm = kib * 1024;
    request.device.sharedPerBlock = kib * 1024 - 1024; // the system keeps 1 KiB of every block
  }
  int64_t top = 0;
  size("--topk", arguments.topk, top, 0);
  request.top = static_cast<size_t>(top);
  if (!right)
    return std::nullopt;
  // A sweep looks at blocks of its own; their products are far smaller than the problem's.
  if (const auto wrong = beyondArithmetic(request.problem, arguments.diagnose ? request.config : TileConfig{}, request.device))
    return bad(*wrong);
  if (arguments.model == "performance") {
    request.rates = tileRates(*request.target, *instruction, *dtype);
    if (!request.rates)
      return bad("--model performance: `" + std::string(request.target->id()) + "` states no rate of " + std::string(name(*dtype)));
  } else if (arguments.model != "traffic") {
    return bad("--model: no model `" + arguments.model + "`; there are traffic, performance");
  }
  return request;
}

// ---- text

std::string head(const Request &request) {
  const TileDevice &d = request.device;
  return fmt::format("device: {}  SMs={}  shared/SM={:.0f} KB  shared/block<={:.0f} KB  regs/SM={}{}\n", d.name, d.smCount, static_cast<double>(d.sharedPerSm) / 1024,
                     static_cast<double>(d.sharedPerBlock) / 1024, d.registersPerSm, d.tensorColumns > 0 ? fmt::format("  tmem columns={}", d.tensorColumns) : "") +
         fmt::format("target: {}x{}x{} {} -> fp32 accum, intrinsic={}\n\n", request.problem.m, request.problem.n, request.problem.k,
                     request.problem.dtype == TileDtype::F16 ? "fp16" : name(request.problem.dtype), name(request.config.instruction));
}

std::string parts(const TilePrediction &p) {
  return fmt::format("  predicted {:.0f} ns, bound by {}\n"
                     "     K block: tensor {:.1f} ns, shared {:.1f}, l2 {:.1f}, latency {:.1f} -> {:.1f} ns, {} of them; epilogue {:.1f} ns a tile\n"
                     "     busiest SM: {} tiles, {} CTAs at once -> {:.0f} ns; device memory {:.1f} MB in groups of {} block rows -> {:.0f} ns; fill {:.0f} ns\n"
                     "     one CTA: {:.1f} KB of shared memory, {:.1f} KB of it staging; tensor cores busy {:.1f}%\n",
                     p.ns, p.bound, p.tensorNs, p.sharedNs, p.l2Ns, p.latencyNs, p.kBlockNs, p.kBlocks, p.epilogueNs, p.tilesPerSm, p.residents, p.smNs, p.dramBytes / 1e6,
                     p.groupRows, p.dramNs, p.fillNs, static_cast<double>(p.sharedBytes) / 1024, static_cast<double>(p.stagingBytes) / 1024, p.tensorBusy * 100);
}

std::string diagnosis(const TileVerdict &v, const TileDevice &device, const TilePrediction *prediction) {
  const TileConfig &c = v.config;
  const bool tensor = c.instruction == TileInstruction::Tcgen05;
  std::string out = fmt::format("block=({:>4},{:>4},{:>3})  stages={}  threads={:>4}  instr={}\n", c.blockM, c.blockN, c.blockK, c.stages, c.threads, name(c.instruction));
  out += fmt::format("  C1 shared/stage {:8.1f} KB -> total {:8.1f} KB\n", static_cast<double>(v.sharedPerStage) / 1024, static_cast<double>(v.sharedTotal) / 1024);
  if (tensor)
    out += fmt::format("  C5 accumulators {:5} columns of tensor memory\n", v.tensorColumns);
  else
    out += fmt::format("  C2 accumulators {:5}/thread -> {:4} regs/thread (warp-rounded), {:6} regs/block\n", v.accumulatorsPerThread, v.registersPerThread, v.registersPerBlock);
  out += fmt::format("     occupancy: {} -> {} blk/SM, smem -> {}, threads -> {}  => {} blk/SM (at most {}), binding={}\n", tensor ? "tmem" : "regs",
                     tensor ? v.blocksByTensor : v.blocksByRegisters, v.blocksByShared, v.blocksByThreads, v.blocksPerSm, device.blocksPerSm, v.binding);
  out += fmt::format("  C0 DRAM traffic {:9.1f} MB  (b*M*N*K*(1/block_N + 1/block_M) + b*M*N)\n", v.dramTraffic / 1e6);
  out += fmt::format("  C4 grid {:6} tiles, {:3} resident warps per SM -> {} wave(s), last wave {:5.1f}% full\n", v.grid, v.blocksPerSm * c.threads / device.warpSize, v.waves,
                     v.lastWaveFill * 100);
  if (prediction)
    out += prediction->impossible.empty() ? parts(*prediction) : "  no kernel: " + prediction->impossible + "\n";
  for (const TileRemark &failure : v.failures)
    out += "  FAIL  " + failure.constraint + " " + failure.text + "\n";
  for (const TileRemark &warning : v.warnings)
    out += "  warn  " + warning.constraint + " " + warning.text + "\n";
  if (v.feasible())
    out += fmt::format("  OK    all {} constraints satisfied\n", tensor ? "five" : "four");
  return out;
}

std::string table(const TileSweep &sweep, size_t top) {
  std::string out = fmt::format("feasible configurations found: {}\n", sweep.feasible.size());
  out += fmt::format("{:>8}{:>8}{:>8}{:>3}{:>5}{:>10}{:>8}{:>9}{:>7}{:>6}{:>7}  binding\n", "block_M", "block_N", "block_K", "st", "thr", "trafficMB", "smemKB", "regs/thr", "blk/SM",
                     "waves", "tail");
  for (size_t i = 0; i < std::min(top, sweep.feasible.size()); ++i) {
    const TileVerdict &v = sweep.feasible[i];
    const TileConfig &c = v.config;
    out += fmt::format("{:>8}{:>8}{:>8}{:>3}{:>5}{:>10.1f}{:>8.1f}{:>9}{:>7}{:>6}{:>6.0f}%  {}\n", c.blockM, c.blockN, c.blockK, c.stages, c.threads, v.dramTraffic / 1e6,
                       static_cast<double>(v.sharedTotal) / 1024, v.registersPerThread, v.blocksPerSm, v.waves, v.lastWaveFill * 100, v.binding);
  }
  out += fmt::format("\nconfigurations tied at the minimum traffic: {}\n", sweep.tiedAtMinimum);
  out += fmt::format("best last-wave fill among feasible configurations: {:.0f}%\n", sweep.bestLastWaveFill * 100);
  return out;
}

std::string table(const TileRanking &ranking, size_t top) {
  std::string out = fmt::format("kernels that fit: {}; feasible tiles whose whole kernel does not: {}\n", ranking.ranked.size(), ranking.impossible.size());
  out += fmt::format("{:>8}{:>8}{:>8}{:>3}{:>5}{:>13}{:>10}  {:<8}{}\n", "block_M", "block_N", "block_K", "st", "thr", "predicted-ns", "trafficMB", "bound", "reason");
  for (size_t i = 0; i < std::min(top, ranking.ranked.size()); ++i) {
    const RankedTile &tile = ranking.ranked[i];
    const TileConfig &c = tile.verdict.config;
    out += fmt::format("{:>8}{:>8}{:>8}{:>3}{:>5}{:>13.0f}{:>10.1f}  {:<8}{}\n", c.blockM, c.blockN, c.blockK, c.stages, c.threads, tile.prediction.ns,
                       tile.verdict.dramTraffic / 1e6, tile.prediction.bound, tile.reason);
  }
  return out;
}

std::string_view outcome(TileNeighbour::Outcome outcome) {
  switch (outcome) {
  case TileNeighbour::Outcome::Rejected: return "rejected";
  case TileNeighbour::Outcome::Worse: return "worse";
  case TileNeighbour::Outcome::Equal: return "equal";
  case TileNeighbour::Outcome::Better: return "better";
  }
  return "";
}

std::string table(const TileConfig &config, const std::vector<TileNeighbour> &neighbours) {
  std::string out = fmt::format("\nneighbours of {}x{}x{}, {} stages, {} threads\n", config.blockM, config.blockN, config.blockK, config.stages, config.threads);
  for (const TileNeighbour &neighbour : neighbours)
    out += fmt::format("  {:<22}{:<10}{}{}\n", neighbour.change, outcome(neighbour.outcome), neighbour.constraint.empty() ? "" : neighbour.constraint + " ", neighbour.text);
  return out;
}

// ---- JSON

Json json(const TileDevice &d) {
  Json out = {{"name", d.name},
              {"sm_count", d.smCount},
              {"smem_per_sm", d.sharedPerSm},
              {"smem_per_block_max", d.sharedPerBlock},
              {"regs_per_sm", d.registersPerSm},
              {"regs_per_thread_max", d.registersPerThread},
              {"reg_granularity_per_warp", d.registersPerWarpUnit},
              {"max_threads_per_sm", d.threadsPerSm},
              {"max_threads_per_block", d.threadsPerBlock},
              {"max_blocks_per_sm", d.blocksPerSm},
              {"warp_size", d.warpSize}};
  if (d.tensorColumns > 0)
    out["tmem_columns"] = d.tensorColumns;
  return out;
}

Json json(const TileProblem &problem, TileInstruction instruction) {
  return {{"m", problem.m}, {"n", problem.n}, {"k", problem.k}, {"instr", name(instruction)}, {"dtype", name(problem.dtype)}, {"elem_bytes", elementBytes(problem.dtype)}};
}

Json json(const TileConfig &c) { return {{"block_m", c.blockM}, {"block_n", c.blockN}, {"block_k", c.blockK}, {"stages", c.stages}, {"threads", c.threads}}; }

Json json(const std::vector<TileRemark> &remarks) {
  Json out = Json::array();
  for (const TileRemark &remark : remarks)
    out.push_back({{"constraint", remark.constraint}, {"text", remark.text}});
  return out;
}

Json json(const TileVerdict &v) {
  Json out = {{"smem_per_stage", v.sharedPerStage},
              {"smem_total", v.sharedTotal},
              {"accum_elems_per_thread", v.accumulatorsPerThread},
              {"regs_per_thread", v.registersPerThread},
              {"regs_per_block", v.registersPerBlock},
              {"blocks_by_regs", v.blocksByRegisters},
              {"blocks_by_smem", v.blocksByShared},
              {"blocks_by_threads", v.blocksByThreads},
              {"blocks_per_sm", v.blocksPerSm},
              {"grid", v.grid},
              {"waves", v.waves},
              {"last_wave_fill", v.lastWaveFill},
              {"dram_traffic", v.dramTraffic},
              {"binding", v.binding},
              {"failures", json(v.failures)},
              {"warnings", json(v.warnings)}};
  if (v.config.instruction == TileInstruction::Tcgen05) {
    out["tmem_columns"] = v.tensorColumns;
    out["blocks_by_tmem"] = v.blocksByTensor;
  }
  return out;
}

Json json(const TilePrediction &p) {
  if (!p.impossible.empty())
    return {{"impossible", p.impossible}};
  return {{"predicted_ns", p.ns},
          {"bound", p.bound},
          {"k_block", {{"tensor_ns", p.tensorNs}, {"shared_ns", p.sharedNs}, {"l2_ns", p.l2Ns}, {"latency_ns", p.latencyNs}, {"ns", p.kBlockNs}, {"count", p.kBlocks}}},
          {"epilogue_ns", p.epilogueNs},
          {"tiles_per_sm", p.tilesPerSm},
          {"ctas_per_sm", p.residents},
          {"sm_ns", p.smNs},
          {"dram_bytes", p.dramBytes},
          {"dram_ns", p.dramNs},
          {"fill_ns", p.fillNs},
          {"group_rows", p.groupRows},
          {"smem_bytes", p.sharedBytes},
          {"staging_bytes", p.stagingBytes},
          {"tensor_busy", p.tensorBusy}};
}

Json row(const TileVerdict &v) {
  Json out = json(v.config);
  out["traffic_mb"] = v.dramTraffic / 1e6;
  out["smem_kb"] = static_cast<double>(v.sharedTotal) / 1024;
  out["regs_per_thread"] = v.registersPerThread;
  out["blocks_per_sm"] = v.blocksPerSm;
  out["waves"] = v.waves;
  out["last_wave_fill"] = v.lastWaveFill;
  out["binding"] = v.binding;
  if (v.config.instruction == TileInstruction::Tcgen05)
    out["tmem_columns"] = v.tensorColumns;
  return out;
}

Json json(const std::vector<TileNeighbour> &neighbours) {
  Json out = Json::array();
  for (const TileNeighbour &neighbour : neighbours) {
    Json one = json(neighbour.verdict.config);
    one["change"] = neighbour.change;
    one["outcome"] = outcome(neighbour.outcome);
    if (!neighbour.constraint.empty())
      one["constraint"] = neighbour.constraint;
    one["text"] = neighbour.text;
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace

int tile(const TileArguments &arguments) {
  const auto request = requested(arguments);
  if (!request)
    return kUsage;
  const auto &[problem, config, device, target, rates, top] = *request;
  std::string text = head(*request);
  Json out = {{"device", json(device)}, {"problem", json(problem, config.instruction)}};
  std::optional<TileConfig> chosen;
  if (arguments.diagnose) {
    const TileVerdict verdict = evaluate(problem, config, device);
    chosen = config;
    const auto prediction = rates ? std::optional(predict(problem, verdict, device, *rates)) : std::nullopt;
    text += diagnosis(verdict, device, prediction ? &*prediction : nullptr);
    out["verdict"] = json(verdict);
    if (prediction)
      out["prediction"] = json(*prediction);
  } else {
    const TileSweep found = sweep(problem, config.instruction, device);
    Json rows = Json::array();
    if (!found.feasible.empty())
      chosen = found.feasible.front().config;
    if (rates) {
      const TileRanking ranking = rank(problem, found, device, *rates);
      if (!ranking.ranked.empty())
        chosen = ranking.ranked.front().verdict.config;
      text += table(ranking, top);
      for (size_t i = 0; i < std::min(top, ranking.ranked.size()); ++i) {
        const RankedTile &tile = ranking.ranked[i];
        Json one = row(tile.verdict);
        one["predicted_ns"] = tile.prediction.ns;
        one["bound"] = tile.prediction.bound;
        one["reason"] = tile.reason;
        rows.push_back(std::move(one));
      }
      out["model"] = "performance";
      out["kernels"] = ranking.ranked.size();
    } else {
      text += table(found, top);
      for (size_t i = 0; i < std::min(top, found.feasible.size()); ++i)
        rows.push_back(row(found.feasible[i]));
    }
    out["feasible"] = found.feasible.size();
    out["configurations"] = std::move(rows);
    out["tied_at_minimum"] = found.tiedAtMinimum;
    out["best_last_wave_fill"] = found.bestLastWaveFill;
  }
  if (arguments.explain && chosen) {
    const auto neighbours = explainNeighbours(problem, *chosen, device, rates ? &*rates : nullptr);
    text += table(*chosen, neighbours);
    out["neighbours"] = json(neighbours);
  }
  if (!arguments.svg.empty()) {
    if (!chosen)
      return fail(kRefused, "no configuration fits: there is nothing to draw");
    if (const int code = write(arguments.svg, drawTileSpace(problem, config.instruction, device, *chosen)); code != kFine || arguments.svg == "-")
      return code;
  }
  return write("", arguments.json ? out.dump(2) + "\n" : text);
}

} // namespace tilewright::cli

// What the hardware is: facts with units and sources, read from facts/*.json and embedded by the build, and the typed
// questions the compiler asks of them. Code asks predicates and numbers; an architecture's name is written only in Targets.def.
// Thread rule: targets are immutable, made once on first use.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::target {

/// One hardware statement. Value kinds: integer with unit, text, list of text, or unavailable (with the reason in `conditions`).
struct Fact {
  std::string path;        // "memory.shared.per_cta"
  std::optional<int64_t> integer;
  std::string text;
  std::vector<std::string> list;
  std::string unit;        // "byte", "flop/s", "count"
  std::string origin;      // "vendor", "derived", "reference", "measured", "estimated"; "" when unavailable
  std::string conditions;  // our words
  std::string source;      // URL or document
};

/// The document that facts were read from.
struct Document {
  std::string kind;   // "architecture", "device"
  std::string id;
  std::string digest; // SHA-256 of its bytes
};

enum class Family : uint8_t { Cuda, Cpu, Apple };

class Target {
public:
  std::string_view id() const;           // "nvidia.h200_sxm"
  std::string_view architecture() const; // "nvidia.sm90"
  std::string_view nvccArch() const;     // "sm_90a", "" if not CUDA
  Family family() const;
  /// Every fact, architecture first, in the order of the facts file.
  std::span<const Fact> facts() const;
  const Fact *fact(std::string_view path) const;
  /// Architecture, then device; none where nothing is stated (cpu).
  std::span<const Document> documents() const;
  /// Whether the user added it.
  bool added() const;

  // ---- topology
  /// Levels a module may declare, coarsest first: gpu, cta, thread; core, amx; none for cpu.
  std::span<const std::string> levels() const;
  /// Levels whose units issue instructions of their own: thread; core and amx; none for cpu, which has no level.
  std::span<const std::string> issuers() const;
  /// Largest extent of a level: 1024 threads; none: unlimited.
  std::optional<int64_t> extentLimit(std::string_view level) const;
  /// Physical units that run at once at a level: 1 gpu; 132 SMs for cta; SMs x 1024 for thread; 8 for core; null: not stated (amx).
  std::optional<int64_t> units(std::string_view level) const;

  // ---- rates of the whole device (roofline), per second
  std::optional<int64_t> flops(std::string_view dtype) const;
  std::optional<int64_t> bandwidth() const;                        // of gmem, bytes
  // ---- rates of one unit at a level (performance), integers, floored (analysis.md 1)
  std::optional<int64_t> unitFlops(std::string_view dtype, std::string_view level) const;
  std::optional<int64_t> unitService(std::string_view kind, std::string_view level) const; // integer, predicate, select, special
  std::optional<int64_t> unitBandwidth(std::string_view storage, std::string_view level) const; // gmem, smem
  // ---- capacities in bytes
  std::optional<int64_t> capacity(std::string_view storage) const; // gmem, smem per CTA, rmem per CTA
  struct Cache { std::string name; int64_t bytes; };
  std::optional<Cache> cache() const;                              // l2; l1d

  bool hasCapability(std::string_view capability) const;           // "wgmma.mma_async"
  bool hasWgmma() const { return hasCapability("wgmma.mma_async"); }
  bool hasTcgen05() const { return hasCapability("tcgen05"); }

  struct Data;
  explicit Target(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

private:
  std::shared_ptr<const Data> data_;
};

/// The target with this id, or null.
const Target *find(std::string_view id);
/// Sorted by id.
std::span<const Target> all();

} // namespace tilewright::target

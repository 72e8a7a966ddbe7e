#include "target/Target.h"
#include "target/Facts.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

namespace tilewright::target {
namespace {

// The facts as the build embeds them: literals only, so that a start costs nothing.
struct EmbeddedFact {
  std::string_view path;
  bool hasInteger;
  int64_t integer;
  std::string_view text;
  const std::string_view *list;
  size_t listSize;
  std::string_view unit, origin, conditions, source;
};
struct EmbeddedFile {
  std::string_view id, schema, digest;
  std::span<const EmbeddedFact> facts;
};
#include "FactTables.inc"

// The same rows over a document that the user added.
struct AddedFile {
  FactsFile file;
  std::deque<std::vector<std::string_view>> lists;
  std::vector<EmbeddedFact> rows;
};
std::deque<AddedFile> &addedFiles() {
  static std::deque<AddedFile> files;
  return files;
}

EmbeddedFile fileNamed(std::string_view id) {
  for (const EmbeddedFile &file : kFiles)
    if (file.id == id)
      return file;
  for (const AddedFile &added : addedFiles())
    if (added.file.id == id)
      return {added.file.id, added.file.schema, added.file.digest, added.rows};
  return {};
}

Fact expanded(const EmbeddedFact &row) {
  Fact fact;
  fact.path = row.path;
  if (row.hasInteger)
    fact.integer = row.integer;
  fact.text = row.text;
  fact.list.assign(row.list, row.list + row.listSize);
  fact.unit = row.unit;
  fact.origin = row.origin;
  fact.conditions = row.conditions;
  fact.source = row.source;
  return fact;
}

std::optional<int64_t> scaled(std::optional<int64_t> rate, int64_t times, int64_t over) {
  if (!rate)
    return std::nullopt;
  return static_cast<int64_t>(static_cast<__int128>(*rate) * times / over);
}

} // namespace

struct Target::Data {
  std::string_view id, architecture;
  Family family;
  std::string_view nvccArch;
  std::array<std::span<const EmbeddedFact>, 2> files; // architecture, device
  std::vector<Document> documents;
  bool added = false;
  std::vector<std::string> levels;

  // Made on the first question for facts as such; the numbers below come from the embedded rows.
  mutable std::once_flag expandOnce;
  mutable std::vector<Fact> expandedFacts;

  const EmbeddedFact *row(std::string_view path) const {
    for (auto file : files)
      for (const EmbeddedFact &fact : file)
        if (fact.path == path)
          return &fact;
    return nullptr;
  }
  std::optional<int64_t> integer(std::string_view path) const {
    const EmbeddedFact *fact = row(path);
    return fact && fact->hasInteger ? std::optional(fact->integer) : std::nullopt;
  }
  std::optional<int64_t> integer(std::string_view prefix, std::string_view leaf) const { return integer(std::string(prefix).append(leaf)); }

  const std::vector<Fact> &facts() const {
    std::call_once(expandOnce, [&] {
      for (auto file : files)
        for (const EmbeddedFact &fact : file)
          expandedFacts.push_back(expanded(fact));
    });
    return expandedFacts;
  }

  bool has(std::string_view level) const { return std::find(levels.begin(), levels.end(), level) != levels.end(); }
};

namespace {

std::shared_ptr<Target::Data> made(std::string_view id, std::string_view architecture, Family family, std::string_view nvccArch, std::string_view architectureFacts,
                                         std::string_view deviceFacts) {
  auto data = std::make_shared<Target::Data>();
  data->id = id;
  data->architecture = architecture;
  data->family = family;
  data->nvccArch = nvccArch;
  const EmbeddedFile general = fileNamed(architectureFacts), particular = fileNamed(deviceFacts);
  data->files = {general.facts, particular.facts};
  if (!general.id.empty())
    data->documents = {{"architecture", std::string(general.id), std::string(general.digest)}, {"device", std::string(particular.id), std::string(particular.digest)}};
  if (family == Family::Cuda)
    data->levels = {"gpu", "cta", "thread"};
  else if (family == Family::Apple)
    data->levels = {"core", "amx"};
  return data;
}

} // namespace

std::string_view Target::id() const { return data_->id; }
std::string_view Target::architecture() const { return data_->architecture; }
std::string_view Target::nvccArch() const { return data_->nvccArch; }
Family Target::family() const { return data_->family; }
std::span<const Fact> Target::facts() const { return data_->facts(); }

const Fact *Target::fact(std::string_view path) const {
  for (const Fact &fact : data_->facts())
    if (fact.path == path)
      return &fact;
  return nullptr;
}

std::span<const Document> Target::documents() const { return data_->documents; }
bool Target::added() const { return data_->added; }

std::span<const std::string> Target::levels() const { return data_->levels; }

std::span<const std::string> Target::issuers() const {
  const std::span<const std::string> levels = data_->levels;
  return data_->family == Family::Cuda ? levels.last(1) : levels;
}

std::optional<int64_t> Target::extentLimit(std::string_view level) const {
  if (!data_->has(level))
    return std::nullopt;
  if (level == "thread")
    return data_->integer("compute.max_threads_per_cta");
  if (level == "core")
    return data_->integer("compute.performance_core_count");
  if (level == "amx")
    return data_->integer("compute.units_per_core");
  return std::nullopt; // a grid or a cluster of cards is a launch shape
}

std::optional<int64_t> Target::units(std::string_view level) const {
  if (!data_->has(level))
    return std::nullopt;
  if (level == "gpu")
    return 1;
  if (level == "cta")
    return data_->integer("compute.sm_count");
  if (level == "thread")
    return scaled(data_->integer("compute.sm_count"), data_->integer("compute.max_threads_per_cta").value_or(1), 1);
  if (level == "core")
    return data_->integer("compute.performance_core_count");
  return std::nullopt; // how many coprocessors serve a core at once is not stated
}

std::optional<int64_t> Target::flops(std::string_view dtype) const {
  // The roofline takes measured rates only; the estimates of performance.* are for predictions.
  return data_->integer(data_->family == Family::Apple ? "throughput.amx." : "throughput.", dtype);
}

std::optional<int64_t> Target::bandwidth() const { return data_->integer(data_->family == Family::Apple ? "memory.unified.bandwidth" : "memory.hbm.bandwidth"); }

std::optional<int64_t> Target::unitFlops(std::string_view dtype, std::string_view level) const {
  auto count = units(level);
  if (!count)
    return std::nullopt;
  if (data_->family != Family::Apple)
    return scaled(flops(dtype), 1, *count);
  // A core computes in its own vector unit what that unit is rated for; the coprocessors' rate is shared by all cores.
  if (auto own = data_->integer("throughput.neon.", dtype))
    return own;
  return scaled(data_->integer("performance.amx.", dtype), data_->integer("compute.amx_unit_count").value_or(1), *count);
}

std::optional<int64_t> Target::unitService(std::string_view kind, std::string_view level) const {
  auto count = units(level);
  if (!count)
    return std::nullopt;
  if (data_->family == Family::Apple) {
    bool known = kind == "integer" || kind == "predicate" || kind == "select" || kind == "special";
    return known ? data_->integer("performance.host.lane_events") : std::nullopt;
  }
  // Stated for one CTA.
  return scaled(data_->integer("service.", kind), units("cta").value_or(1), *count);
}

std::optional<int64_t> Target::unitBandwidth(std::string_view storage, std::string_view level) const {
  auto count = units(level);
  if (!count)
    return std::nullopt;
  if (storage == "gmem")
    return scaled(bandwidth(), 1, *count);
  if (storage != "smem")
    return std::nullopt;
  auto perClock = data_->integer("memory.shared.bandwidth"), clock = data_->integer("compute.sm_clock_hz");
  if (!perClock || !clock)
    return std::nullopt;
  return scaled(*perClock * *clock, units("cta").value_or(1), *count);
}

std::optional<int64_t> Target::capacity(std::string_view storage) const {
  switch (data_->family) {
  case Family::Cuda:
    if (storage == "gmem")
      return data_->integer("memory.hbm.capacity");
    if (storage == "smem")
      return data_->integer("memory.shared.per_cta");
    if (storage == "tmem")
      return data_->integer("memory.tensor.per_cta");
    if (storage == "rmem")
      return scaled(data_->integer("memory.register.per_sm"), 4, 1); // registers of 32 bits
    return std::nullopt;
  case Family::Apple:
    if (storage == "gmem")
      return data_->integer("memory.unified.capacity");
    if (storage == "rmem") { // one staging file and the accumulators
      auto staging = data_->integer("register.x_file"), accumulators = data_->integer("register.z_file");
      return staging && accumulators ? std::optional(*staging + *accumulators) : std::nullopt;
    }
    return std::nullopt;
  case Family::Cpu:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Target::Cache> Target::cache() const {
  bool apple = data_->family == Family::Apple;
  auto bytes = data_->integer(apple ? "memory.l1d.per_performance_core" : "memory.l2.capacity");
  if (!bytes)
    return std::nullopt;
  return Cache{apple ? "l1d" : "l2", *bytes};
}

bool Target::hasCapability(std::string_view capability) const {
  const EmbeddedFact *fact = data_->row("capabilities");
  return fact && std::find(fact->list, fact->list + fact->listSize, capability) != fact->list + fact->listSize;
}

namespace {
struct BuiltIn {
  std::string_view id, architecture;
  Family family;
  std::string_view nvccArch, architectureFacts, deviceFacts;
};
constexpr BuiltIn kBuiltIn[] = {
#define TW_TARGET(id, architecture, family, nvccArch, architectureFacts, deviceFacts) {id, architecture, Family::family, nvccArch, architectureFacts, deviceFacts},
#include "target/Targets.def"
#undef TW_TARGET
};

/// A device that the user added. It is compiled for as others of its architecture are; one of an added architecture by the name that states.
Target ofAdded(const AddedFile &device) {
  const std::string_view architecture = device.file.architecture;
  std::string_view nvccArch;
  for (const BuiltIn &row : kBuiltIn)
    if (row.architecture == architecture)
      nvccArch = row.nvccArch;
  const Family family = device.file.schema.starts_with("cuda.") ? Family::Cuda : Family::Apple;
  if (nvccArch.empty() && family == Family::Cuda)
    for (const EmbeddedFact &fact : fileNamed(architecture).facts)
      if (fact.path == "identity.name" && fact.text.starts_with("sm_"))
        nvccArch = fact.text;
  auto data = made(device.file.id, architecture, family, nvccArch, architecture, device.file.id);
  data->added = true;
  return Target(std::move(data));
}
} // namespace

std::optional<std::string_view> builtInSchema(std::string_view id) {
  for (const EmbeddedFile &file : kFiles)
    if (file.id == id)
      return file.schema;
  return std::nullopt;
}

void addTargets(std::vector<FactsFile> files) {
  for (FactsFile &file : files) {
    AddedFile &added = addedFiles().emplace_back();
    added.file = std::move(file);
    for (const Fact &fact : added.file.facts) {
      const auto &list = added.lists.emplace_back(fact.list.begin(), fact.list.end());
      added.rows.push_back({fact.path, fact.integer.has_value(), fact.integer.value_or(0), fact.text, list.data(), list.size(), fact.unit, fact.origin, fact.conditions, fact.source});
    }
  }
}

std::span<const Target> all() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> targets_;
    for (const BuiltIn &row : kBuiltIn)
      targets_.emplace_back(made(row.id, row.architecture, row.family, row.nvccArch, row.architectureFacts, row.deviceFacts));
    for (const AddedFile &file : addedFiles())
      if (file.file.kind == "device")
        targets_.push_back(ofAdded(file));
    std::sort(targets_.begin(), targets_.end(), [](const Target &a, const Target &b) { return a.id() < b.id(); });
    return targets_;
  }();
  return targets;
}

const Target *find(std::string_view id) {
  for (const Target &target : all())
    if (target.id() == id)
      return &target;
  return nullptr;
}

} // namespace tilewright::target

#include "target/Target.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilewright;

namespace {
const target::Target &known(std::string_view id) {
  const target::Target *found = target::find(id);
  REQUIRE(found);
  return *found;
}
std::vector<std::string> levels(const target::Target &t) { return {t.levels().begin(), t.levels().end()}; }
} // namespace

TEST_CASE("targets are found by id") {
  std::vector<std::string_view> ids;
  for (const target::Target &t : target::all())
    ids.push_back(t.id());
  CHECK(ids == std::vector<std::string_view>{"apple.m2_pro", "cpu", "nvidia.b200_sxm", "nvidia.h200_sxm"});
  CHECK(target::find("nvidia.h100") == nullptr);
  CHECK(known("nvidia.h200_sxm").architecture() == "nvidia.sm90");
  CHECK(known("nvidia.h200_sxm").nvccArch() == "sm_90a");
  CHECK(known("nvidia.b200_sxm").nvccArch() == "sm_100a");
  CHECK(known("apple.m2_pro").nvccArch() == "");
  CHECK(known("cpu").family() == target::Family::Cpu);
}

TEST_CASE("levels and their limits") {
  const target::Target &h200 = known("nvidia.h200_sxm"), &m2 = known("apple.m2_pro"), &cpu = known("cpu");
  CHECK(levels(h200) == std::vector<std::string>{"gpu", "cta", "thread"});
  CHECK(levels(m2) == std::vector<std::string>{"core", "amx"});
  CHECK(levels(cpu).empty());
  CHECK(h200.extentLimit("thread") == 1024);
  CHECK(h200.extentLimit("cta") == std::nullopt);
  CHECK(h200.extentLimit("gpu") == std::nullopt);
  CHECK(m2.extentLimit("core") == 8);
  CHECK(m2.extentLimit("amx") == 1);
  CHECK(h200.units("gpu") == 1);
  CHECK(h200.units("cta") == 132);
  CHECK(known("nvidia.b200_sxm").units("cta") == 148);
  CHECK(m2.units("core") == 8);
  CHECK(m2.units("amx") == std::nullopt);
  CHECK(m2.units("cta") == std::nullopt);
  CHECK(cpu.units("cta") == std::nullopt);
}

TEST_CASE("rates of the H200, whole and by unit") {
  const target::Target &t = known("nvidia.h200_sxm");
  CHECK(t.flops("bf16") == 989500000000000);
  CHECK(t.flops("f32") == 67000000000000);
  CHECK(t.flops("fp8e4m3") == 1979000000000000);
  CHECK(t.flops("f4e2m1") == std::nullopt);
  CHECK(t.flops("f64") == std::nullopt);
  CHECK(t.bandwidth() == 4800000000000);
  CHECK(t.unitFlops("f32", "gpu") == 67000000000000);
  CHECK(t.unitFlops("f32", "cta") == 67000000000000 / 132);
  CHECK(t.unitFlops("f32", "thread") == 67000000000000 / (132 * 1024));
  CHECK(t.unitBandwidth("gmem", "cta") == 36363636363);
  CHECK(t.unitBandwidth("gmem", "thread") == 35511363);
  CHECK(t.unitBandwidth("smem", "cta") == 128LL * 1982717803);
  CHECK(t.unitBandwidth("smem", "thread") == 128LL * 1982717803 / 1024);
  CHECK(t.unitBandwidth("smem", "gpu") == 128LL * 1982717803 * 132);
  CHECK(t.unitBandwidth("rmem", "cta") == std::nullopt);
  CHECK(t.unitService("integer", "cta") == 126893939394);
  CHECK(t.unitService("special", "cta") == 31723484848);
  CHECK(t.unitService("special", "thread") == 31723484848 / 1024);
  CHECK(t.unitService("select", "gpu") == 126893939394 * 132);
  CHECK(t.unitService("gather", "cta") == std::nullopt);
}

TEST_CASE("the B200 states neither services nor a rate of shared memory") {
  const target::Target &t = known("nvidia.b200_sxm");
  CHECK(t.unitService("integer", "cta") == std::nullopt);
  CHECK(t.unitBandwidth("smem", "cta") == std::nullopt);
  CHECK(t.unitBandwidth("gmem", "cta") == 7672320000000 / 148);
  CHECK(t.flops("f4e2m1") == 9000000000000000);
}

TEST_CASE("an M2 core has other rates than the whole device") {
  const target::Target &t = known("apple.m2_pro");
  CHECK(t.flops("f32") == 504900000000);
  CHECK(t.flops("f16") == std::nullopt);
  CHECK(t.flops("bf16") == std::nullopt);
  CHECK(t.unitFlops("f32", "core") == 107700000000);
  CHECK(t.unitFlops("f16", "core") == 126217288777);
  CHECK(t.unitFlops("bf16", "core") == std::nullopt);
  CHECK(t.unitFlops("f32", "amx") == std::nullopt);
  CHECK(t.unitService("special", "core") == 53850000000);
  CHECK(t.unitBandwidth("gmem", "core") == 25000000000);
  CHECK(t.unitBandwidth("smem", "core") == std::nullopt);
}

TEST_CASE("capacities, caches and capabilities") {
  const target::Target &h200 = known("nvidia.h200_sxm"), &b200 = known("nvidia.b200_sxm"), &m2 = known("apple.m2_pro"), &cpu = known("cpu");
  CHECK(h200.capacity("gmem") == 141000000000);
  CHECK(h200.capacity("smem") == 232448);
  CHECK(h200.capacity("rmem") == 262144);
  CHECK(h200.capacity("tmem") == std::nullopt);
  CHECK(b200.capacity("tmem") == 262144);
  CHECK(m2.capacity("rmem") == 4608);
  CHECK(m2.capacity("smem") == std::nullopt);
  CHECK(h200.cache()->name == "l2");
  CHECK(h200.cache()->bytes == 50000000);
  CHECK(b200.cache()->bytes == 132644864);
  CHECK(m2.cache()->name == "l1d");
  CHECK(m2.cache()->bytes == 131072);
  CHECK(!cpu.cache());
  CHECK(!cpu.bandwidth());
  CHECK(h200.hasWgmma());
  CHECK(!h200.hasTcgen05());
  CHECK(b200.hasTcgen05());
  CHECK(!b200.hasWgmma());
}

TEST_CASE("facts keep their evidence") {
  const target::Target &t = known("nvidia.h200_sxm");
  const target::Fact *smem = t.fact("memory.shared.per_cta");
  REQUIRE(smem);
  CHECK(smem->integer == 232448);
  CHECK(smem->unit == "byte");
  CHECK(smem->origin == "vendor");
  CHECK(smem->source.starts_with("https://"));
  const target::Fact *fp4 = t.fact("throughput.f4e2m1");
  REQUIRE(fp4);
  CHECK(!fp4->integer);
  CHECK(fp4->origin == "");
  CHECK(fp4->conditions != "");
  CHECK(t.fact("memory.l3.capacity") == nullptr);
  CHECK(t.facts().front().path == "capabilities");
  CHECK(t.facts().front().list.size() == 5);
  CHECK(known("cpu").facts().empty());
}

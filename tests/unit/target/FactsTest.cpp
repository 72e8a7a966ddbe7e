#include "target/Facts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tilewright;

namespace {
std::string contents(const std::filesystem::path &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
const std::filesystem::path kFolder = std::filesystem::path(TW_SOURCE_DIR) / "compiler/target/facts";

/// The H200's file with one piece of its text replaced, read; the errors it gives.
std::vector<std::string> errorsWith(std::string_view from, std::string_view to) {
  std::string json = contents(kFolder / "nvidia.h200_sxm.json");
  size_t at = json.find(from);
  REQUIRE(at != std::string::npos);
  json.replace(at, from.size(), to);
  std::vector<std::string> errors;
  target::readFacts(json, errors);
  return errors;
}
} // namespace

TEST_CASE("every facts file reads without an error and belongs to a target") {
  size_t files = 0, facts = 0;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder)) {
    std::vector<std::string> errors;
    target::FactsFile file = target::readFacts(contents(entry.path()), errors);
    CHECK(errors == std::vector<std::string>{});
    CHECK(file.id == entry.path().stem().string());
    bool used = false;
    for (const target::Target &t : target::all()) {
      used |= t.architecture() == file.id || t.id() == file.id;
      if (t.architecture() != file.id && t.id() != file.id)
        continue;
      for (const target::Fact &fact : file.facts)
        REQUIRE_MESSAGE(std::any_of(t.facts().begin(), t.facts().end(), [&](const target::Fact &f) { return f.path == fact.path && f.source == fact.source; }), file.id << ": " << fact.path);
    }
    CHECK_MESSAGE(used, file.id);
    ++files;
    facts += file.facts.size();
  }
  CHECK(files == 6);
  CHECK(facts > 80);
}

TEST_CASE("a facts file says exactly what its schema wants") {
  using Errors = std::vector<std::string>;
  CHECK(errorsWith("memory.l2.capacity", "memory.l2.size") == Errors{"nvidia.h200_sxm: memory.l2.size: not a fact of `cuda.device`", "nvidia.h200_sxm: memory.l2.capacity: missing"});
  CHECK(errorsWith("\"value\": 132", "\"value\": \"132\"") == Errors{"nvidia.h200_sxm: compute.sm_count: must be a positive integer"});
  CHECK(errorsWith("\"unit\": \"byte/s\"", "\"unit\": \"GB/s\"") == Errors{"nvidia.h200_sxm: memory.hbm.bandwidth: unit `GB/s`, must be `byte/s`"});
  CHECK(errorsWith("\"origin\": \"vendor\"", "\"origin\": \"hearsay\"") ==
        Errors{"nvidia.h200_sxm: compute.sm_count: origin `hearsay`, must be vendor, derived, reference, measured or estimated"});
  CHECK(errorsWith("\"value\": 132, ", "") == Errors{"nvidia.h200_sxm: compute.sm_count: no `value`"});
  CHECK(errorsWith("\"value\": 132, ", "\"value\": 132, \"note\": \"\", ") == Errors{"nvidia.h200_sxm: compute.sm_count: unknown key `note`"});
  CHECK(errorsWith("cuda.device", "cuda.thing") == Errors{"nvidia.h200_sxm: schema: no schema `cuda.thing`"});
  CHECK(errorsWith("}", "") == Errors{"not JSON"});
}

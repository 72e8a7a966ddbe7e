// Whole schedules: every golden program and every example parses without a diagnostic, but for the one that is no Python.
#include "TreeChecks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::syntax;

TEST_CASE("whole schedules parse, and go on parsing while they are edited") {
  std::vector<fs::path> programs;
  for (const char *folder : {"tests/golden", "examples"}) {
    fs::path root = fs::path(TW_SOURCE_DIR) / folder;
    if (!fs::exists(root))
      continue;
    for (const auto &entry : fs::recursive_directory_iterator(root))
      if (entry.path().extension() == ".py")
        programs.push_back(entry.path());
  }
  std::sort(programs.begin(), programs.end());
  REQUIRE(programs.size() > 5);
  uint32_t seed = 1;
  for (const fs::path &path : programs) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream read;
    read << in.rdbuf();
    std::string text = read.str();
    INFO(path.string());
    Document document(path.string(), text);
    CHECK(malformed(document.file()) == "");
    bool broken = path.string().find("syntax-error") != std::string::npos;
    CHECK((diagnosticCount(document.file()) > 0) == broken);
    std::string sound = described(document.file());
    // A character typed somewhere, and taken back.
    for (const char *piece : {"(", "\"", "x"}) {
      seed = seed * 1103515245 + 12345;
      uint32_t at = seed % static_cast<uint32_t>(text.size() + 1);
      document.edit({{at, at, piece}});
      CHECK(malformed(document.file()) == "");
      CHECK(described(document.file()) == described(parse(path.string(), std::string(document.source().text()))));
      document.edit({{at, at + 1, ""}});
      CHECK(described(document.file()) == sound);
    }
  }
}

#include "session/UserTargets.h"
#include "target/Target.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilewright;
namespace fs = std::filesystem;

namespace {
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "tilewright-targets-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  /// A copy of a built-in document with pieces of its text replaced.
  std::string variant(const char *builtIn, const std::vector<std::pair<std::string, std::string>> &changes) const {
    std::ifstream in(fs::path(TW_SOURCE_DIR) / "compiler/target/facts" / (std::string(builtIn) + ".json"));
    std::ostringstream read;
    read << in.rdbuf();
    std::string text = read.str();
    for (const auto &[from, to] : changes) {
      const size_t at = text.find(from);
      REQUIRE(at != std::string::npos);
      text.replace(at, from.size(), to);
    }
    const fs::path file = path / "candidate.txt";
    std::ofstream(file) << text;
    return file.string();
  }
  std::string targets() const { return (path / "targets").string(); }
};
using Errors = std::vector<std::string>;
} // namespace

TEST_CASE("a device of the user's own is kept and taken out again") {
  Folder folder;
  const auto added = session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", {{"\"id\": \"nvidia.h200_sxm\"", "\"id\": \"lab.h100\""}}));
  CHECK(added.errors == Errors{});
  CHECK(added.id == "lab.h100");
  CHECK(added.isDevice);
  CHECK(fs::exists(folder.path / "targets/lab.h100.json"));
  const auto removed = session::removeUserTarget(folder.targets(), "lab.h100");
  CHECK(removed.errors == Errors{});
  CHECK_FALSE(fs::exists(folder.path / "targets/lab.h100.json"));
  CHECK(session::removeUserTarget(folder.targets(), "lab.h100").errors == Errors{"no document `lab.h100` was added; there is none"});
  CHECK(session::removeUserTarget(folder.targets(), "nvidia.h200_sxm").errors == Errors{"`nvidia.h200_sxm` is built in; only what was added can be removed"});
}

TEST_CASE("a device waits for its architecture, and keeps it") {
  Folder folder;
  const std::vector<std::pair<std::string, std::string>> device{{"\"id\": \"nvidia.h200_sxm\"", "\"id\": \"lab.x\""}, {"\"architecture\": \"nvidia.sm90\"", "\"architecture\": \"lab.sm95\""}};
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", device)).errors == Errors{"lab.x: architecture: no document `lab.sm95`; add that one first"});
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.sm90", {{"\"id\": \"nvidia.sm90\"", "\"id\": \"lab.sm95\""}})).errors == Errors{});
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", device)).errors == Errors{});
  CHECK(session::removeUserTarget(folder.targets(), "lab.sm95").errors == Errors{"`lab.x` is of architecture `lab.sm95`; remove it first"});
}

TEST_CASE("a facts file that is wrong names the path and is not kept") {
  Folder folder;
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", {{"\"id\": \"nvidia.h200_sxm\"", "\"id\": \"lab.h100\""}, {"\"value\": 132", "\"value\": \"132\""}})).errors ==
        Errors{"lab.h100: compute.sm_count: must be a positive integer"});
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", {})).errors == Errors{"nvidia.h200_sxm: id: built in; give the document another"});
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", {{"\"id\": \"nvidia.h200_sxm\"", "\"id\": \"../h100\""}})).errors.size() == 1);
  CHECK(session::addUserTarget(folder.targets(), folder.variant("nvidia.h200_sxm", {{"\"id\": \"nvidia.h200_sxm\"", "\"id\": \"lab.h100\""}, {"nvidia.sm90", "apple.amx"}})).errors ==
        Errors{"lab.h100: architecture: `apple.amx` has the schema `amx.architecture`, which does not go with `cuda.device`"});
  CHECK(session::addUserTarget(folder.targets(), (folder.path / "none.json").string()).errors == Errors{"no such file or directory"});
  CHECK_FALSE(fs::exists(folder.path / "targets"));
}

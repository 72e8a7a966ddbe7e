// The arrow between the layers: a folder includes only itself and folders to its left.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace {
// A folder and the folders it may include. Everything to the left is allowed, except between folders that do not know each other.
const std::map<std::string, std::set<std::string>> kMayInclude = [] {
  std::map<std::string, std::set<std::string>> may;
  may["support"] = {};
  for (const char *leaf : {"target", "layout", "syntax"})
    may[leaf] = {"support"};
  may["instruction"] = {"support", "target", "layout"};
  may["ir"] = {"support", "target", "layout", "syntax", "instruction"};
  may["analysis"] = may["ir"];
  may["analysis"].insert("ir");
  may["schedule"] = may["analysis"];
  may["schedule"].insert("analysis");
  may["Compile"] = may["schedule"];
  may["Compile"].insert("schedule");
  may["session"] = may["Compile"];
  may["session"].insert("Compile");
  may["features"] = may["session"];
  may["features"].insert("session");
  may["lsp"] = may["features"];
  may["lsp"].insert("features");
  may["cli"] = may["lsp"];
  may["cli"].insert("lsp");
  may["main"] = may["cli"];
  may["main"].insert("cli");
  return may;
}();

// Headers of libraries that only some folders may see.
const std::map<std::string, std::set<std::string>> kLibraryAllowed = {
    {"mlir/", {"ir", "analysis", "schedule"}},
    {"llvm/", {"ir", "analysis", "schedule"}},
    {"isl/", {"analysis"}},
    {"tree_sitter/", {"syntax"}},
    {"nlohmann/", {"target", "features", "lsp", "cli"}},
    {"boost/", {"lsp"}},
};

std::string layerOf(const fs::path &file, const fs::path &root) {
  fs::path relative = fs::relative(file, root);
  return relative.begin() == --relative.end() ? relative.stem().string() : relative.begin()->string();
}
} // namespace

TEST_CASE("a folder includes only folders to its left") {
  const fs::path source = TW_SOURCE_DIR;
  int files = 0;
  for (const char *tree : {"compiler", "server"}) {
    for (const auto &entry : fs::recursive_directory_iterator(source / tree)) {
      std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".def")
        continue;
      ++files;
      std::string layer = layerOf(entry.path(), source / tree);
      REQUIRE_MESSAGE(kMayInclude.count(layer), entry.path().string() << ": no layer `" << layer << "` in the arrow");
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (line.rfind("#include \"", 0) == 0) {
          std::string header = line.substr(10, line.find('"', 10) - 10);
          size_t slash = header.find('/');
          std::string included = slash == std::string::npos ? fs::path(header).stem().string() : header.substr(0, slash);
          bool foreign = header.find(".inc") != std::string::npos || header.rfind("mlir/", 0) == 0 || header.rfind("llvm/", 0) == 0;
          CHECK_MESSAGE((foreign || included == layer || kMayInclude.at(layer).count(included) > 0), entry.path().string() << ": includes " << header);
        }
        for (const auto &[prefix, allowed] : kLibraryAllowed)
          if (line.rfind("#include <" + prefix, 0) == 0 || line.rfind("#include \"" + prefix, 0) == 0)
            CHECK_MESSAGE(allowed.count(layer) > 0, entry.path().string() << ": " << line << " is not for layer " << layer);
      }
    }
  }
  CHECK(files > 0);
}

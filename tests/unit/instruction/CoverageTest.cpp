// What stands beside every row of the instruction table: its facts as the reference prints them, a hover, a program that uses it and one that is
// refused. What is missing is listed here by name; an entry that is no longer missing fails, so the lists only shrink.
#include "instruction/Table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace tilewright;
using namespace tilewright::instruction;
namespace fs = std::filesystem;

namespace {
const fs::path kTests = fs::path(TW_SOURCE_DIR) / "tests";

std::string contents(const fs::path &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Whether `id` stands in the text as a whole name, followed by one of `after` where that is not empty.
bool mentions(const std::string &text, const std::string &id, const std::string &after = {}) {
  for (size_t at = text.find(id); at != std::string::npos; at = text.find(id, at + 1)) {
    const char next = at + id.size() < text.size() ? text[at + id.size()] : '\n';
    const bool whole = !std::isalnum(static_cast<unsigned char>(next)) && next != '_';
    if (whole && (after.empty() || after.find(next) != std::string::npos))
      return true;
  }
  return false;
}

/// The texts of files under a folder of the tests whose names pass.
template <typename Wanted> std::vector<std::string> texts(const char *folder, Wanted wanted) {
  std::vector<std::string> out;
  if (fs::exists(kTests / folder))
    for (const auto &entry : fs::recursive_directory_iterator(kTests / folder))
      if (entry.is_regular_file() && wanted(entry.path()))
        out.push_back(contents(entry.path()));
  return out;
}

template <typename Holds> void compare(const char *what, Holds holds, const std::set<std::string> &missing) {
  for (const Row &row : rows()) {
    CAPTURE(what);
    CAPTURE(row.id);
    const bool listed = missing.count(row.id) > 0;
    CHECK(holds(row) != listed);
  }
  for (const std::string &id : missing)
    CHECK_MESSAGE(rowNamed(id), id);
}
} // namespace

TEST_CASE("every row has its facts as a golden") {
  const auto golden = [](const Row &row) {
    return std::any_of(fs::directory_iterator(kTests / "golden/schedule"), fs::directory_iterator(), [&](const fs::directory_entry &entry) {
      return entry.path().filename().string().starts_with("facts-") && fs::exists(entry.path() / ("expected." + row.id + ".txt"));
    });
  };
  compare("facts", golden, {"T.fill"}); // no inventory lists it
}

TEST_CASE("every row is used by a program that is accepted") {
  const auto programs = texts("golden", [](const fs::path &path) { return path.filename().string().starts_with("expected") && path.extension() == ".txt"; });
  const auto used = [&](const Row &row) { return std::any_of(programs.begin(), programs.end(), [&](const std::string &text) { return mentions(text, row.id, "("); }); };
  // FIXME: T.cpu_arange waits for a parameter that is a type.
  compare("accepted program", used, {"T.cpu_arange"});
}

TEST_CASE("every row is refused somewhere") {
  const auto refusals = texts("golden", [](const fs::path &path) { // an unknown name's refusal lists all others
    return path.extension() == ".err" && !path.parent_path().filename().string().starts_with("facts-");
  });
  const auto reports = texts("golden", [](const fs::path &path) { return path.parent_path().filename().string().starts_with("cand-") && path.extension() == ".txt"; });
  const auto named = [&](const Row &row) {
    return std::any_of(refusals.begin(), refusals.end(), [&](const std::string &text) { return mentions(text, row.id); }) ||
           std::any_of(reports.begin(), reports.end(), [&](const std::string &text) { return mentions(text, "refused     " + row.id); });
  };
  const auto refused = [&](const Row &row) { // T.tiled_mma is refused in the name of its atom
    const std::vector<const Row *> atoms = atomsOf(row, nullptr);
    return named(row) || std::any_of(atoms.begin(), atoms.end(), [&](const Row *atom) { return named(*atom); });
  };
  compare("refused program", refused, {"T.cpu_arange"});
}

TEST_CASE("every row has a hover fixture") {
  const auto fixtures = texts("fixtures/hovers", [](const fs::path &path) { return path.extension() == ".py"; });
  const auto shown = [&](const Row &row) {
    return std::any_of(fixtures.begin(), fixtures.end(), [&](const std::string &text) { return text.find("hover: " + row.id + "(") != std::string::npos; });
  };
  compare("hover fixture", shown, {});
}

#include "session/Files.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;
using namespace tilewright::session;

TEST_CASE("a file is written by rename and read back") {
  std::string folder = (fs::temp_directory_path() / "tilewright-files-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  FileError error;
  std::string path = folder + "/out.txt";
  CHECK(writeFile(path, "first", error));
  CHECK(readFile(path, error) == "first");
  CHECK(writeFile(path, "second, longer", error));
  CHECK(readFile(path, error) == "second, longer");
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1); // nothing is left beside it

  CHECK_FALSE(writeFile(folder + "/missing/out.txt", "x", error));
  CHECK(error.message == "no such file or directory");
  CHECK_FALSE(readFile(folder + "/absent.py", error));
  CHECK_FALSE(readFile(folder, error));
  CHECK(error.message == "is a directory");
  CHECK(readFile(path, error, 3)->size() > 3); // cut, but visibly over the limit
  CHECK(writeFile("/dev/null", "x", error));
  fs::remove_all(folder);
}

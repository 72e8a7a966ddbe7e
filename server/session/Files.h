// Files as the command line and the server touch them: read whole, written by rename so that nothing is ever half-written.
// Thread rule: functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::session {

struct FileError {
  std::string message; // "no such file", "is a directory"
};

/// The bytes of a file, or why there are none. Files above `limit` are read up to one byte past it.
std::optional<std::string> readFile(const std::string &path, FileError &error, size_t limit = 256u << 20);

/// Writes `text` to a new file beside `path` and renames it over. `-` or "" is standard output; a path that exists and is no
/// regular file (a pipe, a terminal) is written as it is.
bool writeFile(const std::string &path, std::string_view text, FileError &error);

bool isRegularFile(const std::string &path);

/// The page that tells about every diagnostic, where it was installed or built with this binary; "" if it was not.
std::string diagnosticsPage();

} // namespace tilewright::session

#include "session/Files.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::session {
namespace {
bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
      if (errno == EAGAIN)
        ::usleep(1000);
      continue;
    }
    if (n <= 0)
      return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}
bool failed(FileError &error) {
  error.message = std::strerror(errno);
  if (!error.message.empty())
    error.message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(error.message[0])));
  return false;
}
} // namespace

std::optional<std::string> readFile(const std::string &path, FileError &error, size_t limit) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    failed(error);
    return std::nullopt;
  }
  std::string text;
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    text.reserve(std::min<size_t>(static_cast<size_t>(status.st_size), limit) + 1);
  constexpr size_t kBlock = 1 << 16;
  for (;;) {
    size_t at = text.size();
    text.resize(at + kBlock);
    ssize_t n = ::read(fd, text.data() + at, kBlock);
    text.resize(at + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      failed(error);
      ::close(fd);
      return std::nullopt;
    }
    if (n == 0 || text.size() > limit)
      break;
  }
  ::close(fd);
  return text;
}

bool writeFile(const std::string &path, std::string_view text, FileError &error) {
  if (path.empty() || path == "-")
    return writeAll(STDOUT_FILENO, text) || failed(error);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return failed(error);
    bool good = writeAll(fd, text) || failed(error);
    ::close(fd);
    return good;
  }
  std::string beside = path + ".XXXXXX";
  int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0)
    return failed(error);
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, status.st_mode != 0 ? status.st_mode & 07777 : 0666 & ~mask);
  bool good = writeAll(fd, text);
  good = ::close(fd) == 0 && good;
  if (good && ::rename(beside.c_str(), path.c_str()) == 0)
    return true;
  failed(error);
  ::unlink(beside.c_str());
  return false;
}

bool isRegularFile(const std::string &path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string diagnosticsPage() {
  char buffer[4096];
  ssize_t size = readlink("/proc/self/exe", buffer, sizeof buffer);
  if (size <= 0 || static_cast<size_t>(size) >= sizeof buffer)
    return {};
  std::string folder(buffer, static_cast<size_t>(size));
  folder.resize(folder.rfind('/') + 1);
  for (const char *place : {"../share/doc/tilewright/", "../../docs/"}) {
    std::string path = folder + place + "diagnostics.md";
    char real[PATH_MAX];
    if (isRegularFile(path) && realpath(path.c_str(), real))
      return real;
  }
  return {};
}

} // namespace tilewright::session

#include "harness/LspSession.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::test {
namespace {
constexpr auto kLimit = std::chrono::seconds(30);
}

LspSession::LspSession()
    : server_({[this](std::string body) {
                 std::lock_guard lock(mutex_);
                 messages_.push_back(Json::parse(body));
                 arrived_.notify_all();
               },
               [this](int code) { exit_ = code; }}) {}

LspSession::LspSession(Json capabilities) : LspSession() {
  Json answer = request("initialize", {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", std::move(capabilities)}});
  REQUIRE(answer.contains("result"));
  notify("initialized", Json::object());
}

template <class Condition> bool LspSession::wait(Condition condition) {
  std::unique_lock lock(mutex_);
  return arrived_.wait_for(lock, kLimit, condition);
}

int64_t LspSession::send(const std::string &method, Json params) {
  int64_t id = next_++;
  server_.receive(lsp::serialize({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
  return id;
}

Json LspSession::await(int64_t id) {
  Json found;
  bool arrived = wait([&] {
    for (const Json &message : messages_)
      if (!message.contains("method") && message.contains("id") && message["id"] == id) {
        found = message;
        return true;
      }
    return false;
  });
  REQUIRE_MESSAGE(arrived, "no answer to request " << id);
  return found;
}

Json LspSession::request(const std::string &method, Json params) { return await(send(method, std::move(params))); }

void LspSession::notify(const std::string &method, Json params) {
  server_.receive(lsp::serialize({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
}

void LspSession::open(const std::string &uri, const std::string &text, int version) {
  notify("textDocument/didOpen", {{"textDocument", {{"uri", uri}, {"languageId", "python"}, {"version", version}, {"text", text}}}});
}

void LspSession::change(const std::string &uri, int version, Json changes) {
  notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", version}}}, {"contentChanges", std::move(changes)}});
}

Json LspSession::diagnostics(const std::string &uri, int version) {
  Json found;
  bool arrived = wait([&] {
    for (const Json &message : messages_)
      if (message.value("method", "") == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri && message["params"].value("version", -1) >= version) {
        found = message["params"]["diagnostics"];
        return true;
      }
    return false;
  });
  REQUIRE_MESSAGE(arrived, "no diagnostics of " << uri << " version " << version);
  return found;
}

void LspSession::settle() {
  auto end = std::chrono::steady_clock::now() + kLimit;
  while (!server_.idle() && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  REQUIRE(server_.idle());
}

std::vector<Json> LspSession::messages() {
  std::lock_guard lock(mutex_);
  return messages_;
}

size_t LspSession::count(const std::string &method) {
  size_t n = 0;
  for (const Json &message : messages())
    n += message.value("method", "") == method;
  return n;
}

size_t LspSession::answers(const Json &id) {
  size_t n = 0;
  for (const Json &message : messages())
    n += !message.contains("method") && message.contains("id") && message["id"] == id;
  return n;
}

Json position(int line, int character) { return {{"line", line}, {"character", character}}; }
Json range(int line, int from, int to) { return {{"start", position(line, from)}, {"end", position(line, to)}}; }
Json at(const std::string &uri, Json more) {
  more["textDocument"] = {{"uri", uri}};
  return more;
}

const Json *Conversation::answer(int64_t id) const {
  for (const Json &message : messages)
    if (!message.contains("method") && message.contains("id") && message["id"] == id)
      return &message;
  return nullptr;
}

std::string framed(const Json &message) { return lsp::frame(lsp::serialize(message)); }
std::string requestText(int64_t id, const std::string &method, Json params) { return framed({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}); }
std::string notificationText(const std::string &method, Json params) { return framed({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}); }

Conversation converse(const std::string &stream, Input input) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2] = {-1, -1}, out[2];
  REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
  std::FILE *file = nullptr;
  if (input == Input::File) {
    file = std::tmpfile();
    REQUIRE(std::fwrite(stream.data(), 1, stream.size(), file) == stream.size());
    std::fflush(file);
    ::lseek(::fileno(file), 0, SEEK_SET);
    in[0] = ::fileno(file);
  } else {
    REQUIRE(::pipe2(in, O_CLOEXEC) == 0);
  }
  auto begin = std::chrono::steady_clock::now();
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execl(TW_BINARY, "tilewright", "lsp", "--stdio", static_cast<char *>(nullptr));
    ::_exit(127);
  }
  ::close(out[1]);
  std::string written = stream, bytes;
  if (input != Input::File) {
    ::close(in[0]);
    ::fcntl(in[1], F_SETFL, O_NONBLOCK);
  } else {
    written.clear();
  }
  size_t sent = 0;
  for (bool reading = true; reading && std::chrono::steady_clock::now() - begin < kLimit;) {
    pollfd fds[2] = {{out[0], POLLIN, 0}, {sent < written.size() ? in[1] : -1, POLLOUT, 0}};
    ::poll(fds, 2, 100);
    if (fds[1].revents) {
      ssize_t n = ::write(in[1], written.data() + sent, input == Input::Slow ? 1 : written.size() - sent);
      sent = n < 0 ? (errno == EAGAIN ? sent : written.size()) : sent + static_cast<size_t>(n);
    }
    if (sent >= written.size() && in[1] >= 0 && input != Input::PipeLeftOpen) {
      ::close(in[1]);
      in[1] = -1;
    }
    if (fds[0].revents) {
      char block[65536];
      ssize_t n = ::read(out[0], block, sizeof block);
      reading = n > 0;
      bytes.append(block, static_cast<size_t>(std::max<ssize_t>(n, 0)));
    }
  }
  Conversation talk;
  int status = 0;
  bool over = false;
  while (!(over = ::waitpid(child, &status, WNOHANG) == child) && std::chrono::steady_clock::now() - begin < kLimit)
    ::usleep(1000);
  if (!over) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  talk.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  talk.code = over && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ::close(out[0]);
  if (in[1] >= 0)
    ::close(in[1]);
  if (file)
    std::fclose(file);
  lsp::MessageReader reader({[&](std::string body) { talk.messages.push_back(Json::parse(body)); }, [](const std::string &why) { FAIL("the server wrote " << why); }});
  reader.feed(bytes);
  return talk;
}

} // namespace tilewright::test

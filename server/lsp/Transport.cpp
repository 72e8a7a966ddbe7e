#include "lsp/Transport.h"

#include "lsp/LspServer.h"
#include "lsp/Message.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace tilewright::lsp {
namespace {
constexpr std::chrono::milliseconds kPatience = 900ms; // an editor that died does not read

/// One conversation: reads `In`, writes `Out`, both on the thread that calls run().
template <class In, class Out> class Connection {
public:
  Connection(asio::io_context &io, In &in, Out &out, std::chrono::milliseconds patience)
      : io_(io), in_(in), out_(out), watch_(io), patience_(patience), server_({[this](std::string body) { send(std::move(body)); }, [this](int code) { finish(code); }}),
        reader_({[this](std::string body) { server_.receive(std::move(body)); }, [this](const std::string &why) { server_.malformed(why); }}) {}

  int run() {
    read();
    watch();
    io_.run();
    return code_;
  }

private:
  void read() {
    in_.async_read_some(asio::buffer(block_), [this](error_code error, size_t n) {
      if (leaving_ || ended_)
        return;
      if (n > 0)
        reader_.feed({block_.data(), n});
      if (leaving_ || ended_)
        return;
      if (error) {
        ended_ = true;
        code_ = server_.exitCode();
        lastAnswer_ = std::chrono::steady_clock::now() + patience_;
        return drain();
      }
      read();
    });
  }

  /// The client said `exit`. What it asked before that is answered if that is quick; 1.5 s is less than editors wait before they kill.
  void finish(int code) {
    ended_ = true;
    code_ = code;
    lastAnswer_ = std::chrono::steady_clock::now() + 1500ms;
    asio::post(io_, [this] { drain(); });
  }

  /// The client sends no more. It may still read: a file on standard input is a whole conversation.
  void drain() {
    if (leaving_)
      return;
    if (server_.idle() || std::chrono::steady_clock::now() > lastAnswer_)
      return leave(code_);
    watch_.expires_after(2ms);
    watch_.async_wait([this](error_code error) {
      if (!error)
        drain();
    });
  }

  /// Leaves when the process that started us is gone, even if our input stays open.
  void watch() {
    watch_.expires_after(1s);
    watch_.async_wait([this](error_code error) {
      if (error || ended_ || leaving_)
        return;
      if (std::optional<int64_t> parent = server_.parent(); parent && *parent > 0 && ::kill(static_cast<pid_t>(*parent), 0) != 0 && errno == ESRCH)
        return leave(server_.exitCode());
      watch();
    });
  }

  void send(std::string body) {
    asio::post(io_, [this, message = frame(body)]() mutable {
      queue_.push_back(std::move(message));
      if (queue_.size() == 1)
        write();
    });
  }

  void write() {
    asio::async_write(out_, asio::buffer(queue_.front()), [this](error_code error, size_t) {
      if (error) {
        queue_.clear(); // nobody reads any more
        return leave(server_.exitCode());
      }
      queue_.pop_front();
      if (!queue_.empty())
        write();
      else if (leaving_)
        io_.stop();
    });
  }

  void leave(int code) {
    if (leaving_)
      return;
    leaving_ = true;
    code_ = code;
    watch_.cancel();
    error_code ignored;
    in_.cancel(ignored);
    // Answers already given are still written; a client that does not read them is not waited for.
    asio::post(io_, [this] {
      if (queue_.empty())
        return io_.stop();
      watch_.expires_after(1s);
      watch_.async_wait([this](error_code error) {
        if (!error)
          io_.stop();
      });
    });
  }

  asio::io_context &io_;
  In &in_;
  Out &out_;
  asio::steady_timer watch_;
  std::chrono::milliseconds patience_; // how long answers may still take when the stream has ended
  std::array<char, 1 << 16> block_;
  std::deque<std::string> queue_;
  std::chrono::steady_clock::time_point lastAnswer_;
  bool ended_ = false, leaving_ = false;
  int code_ = 1;
  LspServer server_; // its pool threads end before the queue that they post to
  MessageReader reader_;
};

/// Asio makes a descriptor non-blocking for everybody who shares it, a terminal included; this puts the old flags back.
class Flags {
public:
  explicit Flags(int fd) : fd_(fd), flags_(::fcntl(fd, F_GETFL)) {}
  ~Flags() {
    if (flags_ >= 0)
      ::fcntl(fd_, F_SETFL, flags_);
  }

private:
  int fd_, flags_;
};

int failed(const char *what, const error_code &error) {
  std::fprintf(stderr, "tilewright: %s: %s\n", what, error.message().c_str());
  return 1;
}
} // namespace

int serveStdio() {
  std::signal(SIGPIPE, SIG_IGN);
  Flags in(STDIN_FILENO), out(STDOUT_FILENO);
  asio::io_context io(1);
  asio::posix::stream_descriptor input(io), output(io);
  error_code error;
  if (input.assign(::dup(STDIN_FILENO), error); error)
    return failed("standard input", error);
  if (output.assign(::dup(STDOUT_FILENO), error); error)
    return failed("standard output", error);
  struct stat status {};
  bool file = ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
  return Connection(io, input, output, file ? 30s : kPatience).run();
}

int serveSocket(uint16_t port) {
  std::signal(SIGPIPE, SIG_IGN);
  using asio::ip::tcp;
  asio::io_context io(1);
  tcp::acceptor acceptor(io);
  tcp::endpoint place(asio::ip::address_v4::loopback(), port);
  error_code error;
  acceptor.open(place.protocol(), error);
  if (!error)
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error)
    acceptor.bind(place, error);
  if (!error)
    acceptor.listen(1, error);
  if (error)
    return failed("listening", error);
  std::fprintf(stderr, "listening on 127.0.0.1:%u\n", static_cast<unsigned>(acceptor.local_endpoint(error).port()));
  tcp::socket socket(io);
  if (acceptor.accept(socket, error); error)
    return failed("accepting", error);
  acceptor.close(error);
  socket.set_option(tcp::no_delay(true), error);
  return Connection(io, socket, socket, kPatience).run();
}

} // namespace tilewright::lsp

// A server on a pair of file descriptors, or on one connection to a loopback port. Returns the exit code.
// The calling thread becomes the message thread. Whatever stands on standard input (a pipe, a socket, a regular file) is read the same
// way. When the stream ends without `exit`, what is pending is still answered, within a limit.
#pragma once
#include <cstdint>

namespace tilewright::lsp {

int serveStdio();
/// Port 0 takes a free one. The port is announced on standard error as `listening on 127.0.0.1:PORT`.
int serveSocket(uint16_t port);

} // namespace tilewright::lsp

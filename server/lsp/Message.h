// Bytes to messages and back: the framing by Content-Length headers and the reading of JSON that a hostile or sloppy client may send.
// Never throws, never recurses over its input, keeps at most one message in memory.
//
// What is tolerated: headers in any case and order with any blanks, unknown headers, lines ended by \n alone, lines that are no header
// at all, bytes that are not UTF-8 and lone surrogates (each becomes U+FFFD, so that positions stay right). What is refused, with the
// stream still usable after it: a body over kLargestMessage, JSON nested beyond kDeepestJson, text that is not JSON.
// Thread rule: a MessageReader belongs to one thread; the functions are free.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::lsp {

using Json = nlohmann::json;

inline constexpr size_t kLargestMessage = 64u << 20;
inline constexpr int kDeepestJson = 512;

class MessageReader {
public:
  struct Sink {
    std::function<void(std::string body)> message;
    std::function<void(std::string why)> malformed;
  };
  explicit MessageReader(Sink sink, size_t largest = kLargestMessage) : sink_(std::move(sink)), largest_(largest) {}
  /// Takes the next bytes of the stream; calls the sink for what they complete.
  void feed(std::string_view bytes);

private:
  void endLine();
  void endHeaders();
  enum class State : uint8_t { Headers, Body, Skip } state_ = State::Headers;
  Sink sink_;
  size_t largest_;
  std::string line_, body_;
  std::optional<uint64_t> length_;
  bool badLength_ = false, sawHeader_ = false;
  uint64_t remaining_ = 0;
};

/// A body with the header that frames it.
std::string frame(std::string_view body);

struct Parsed {
  bool valid = false;
  std::string why; // not valid: lower case, for the error reply
};
/// Reads a body into `json`.
Parsed parseBody(std::string body, Json &json);
/// The text of a value; bytes that are not UTF-8 become U+FFFD.
std::string serialize(const Json &json);

/// Each byte that is not part of valid UTF-8 becomes U+FFFD.
std::string repairUtf8(std::string text);

} // namespace tilewright::lsp

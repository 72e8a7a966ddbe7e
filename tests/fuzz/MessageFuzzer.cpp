// Bytes of a stream into the message reader, split where the input says, and every body through the repair and the reading of JSON. What
// reads must write, and what was written must read as the same.
#include "lsp/Message.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

using namespace tilewright::lsp;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1)
    return 0;
  size_t step = data[0] % 64 + 1;
  std::string_view stream(reinterpret_cast<const char *>(data) + 1, size - 1);
  MessageReader reader({[](std::string body) {
                          Json json;
                          if (!parseBody(std::move(body), json).valid)
                            return;
                          std::string text = serialize(json);
                          Json again;
                          if (!parseBody(text, again).valid || serialize(again) != text)
                            std::abort();
                        },
                        [](const std::string &) {}},
                       1 << 16);
  for (size_t at = 0; at < stream.size(); at += step)
    reader.feed(stream.substr(at, step));
  return 0;
}

#include "lsp/Message.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <vector>

using namespace tilewright::lsp;

namespace {
struct Read {
  std::vector<std::string> bodies, malformed;
};
Read read(std::string_view stream, size_t step = 0, size_t largest = kLargestMessage) {
  Read all;
  MessageReader reader({[&](std::string body) { all.bodies.push_back(std::move(body)); }, [&](const std::string &why) { all.malformed.push_back(why); }}, largest);
  if (step == 0)
    step = stream.size();
  for (size_t at = 0; at < stream.size(); at += step)
    reader.feed(stream.substr(at, step));
  return all;
}
using Bodies = std::vector<std::string>;
} // namespace

TEST_CASE("headers in any spelling frame a message") {
  for (std::string header : {"Content-Length: 2\r\n\r\n", "content-length:2\r\n\r\n", "CONTENT-LENGTH:   2  \r\n\r\n", "Content-Length: 2\n\n", "Content-Length : 2\r\n\r\n",
                             "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n", "Content-Length: 2\r\nContent-Type: x\r\nFoo: bar\r\n\r\n",
                             "\r\n\r\nContent-Length: 2\r\n\r\n", "a stray line\r\nContent-Length: 2\r\n\r\n", "\"}tail of a bodyContent-Length: 2\r\n\r\n"}) {
    CAPTURE(header);
    for (size_t step : {0, 1, 3}) {
      Read got = read(header + "{}" + "Content-Length: 1\r\n\r\n1", step);
      CHECK(got.bodies == Bodies{"{}", "1"});
      CHECK(got.malformed.empty());
    }
  }
}

TEST_CASE("a stream stays usable after what is no message") {
  std::string good = "Content-Length: 2\r\n\r\n{}";
  CHECK(read("Content-Length: x\r\n\r\n" + good).bodies == Bodies{"{}"});
  CHECK(read("Content-Length: -1\r\n\r\n" + good).bodies == Bodies{"{}"});
  CHECK(read("Content-Length: 99999999999999999999\r\n\r\n" + good).malformed.size() == 1);
  CHECK(read("Content-Type: x\r\n\r\n" + good).malformed.size() == 1);
  CHECK(read("Content-Length: 0\r\n\r\n" + good).malformed.size() == 1);
  CHECK(read(std::string(100000, 'x') + "\n" + good).bodies == Bodies{"{}"});
  Read over = read("Content-Length: 50\r\n\r\n" + std::string(50, '1') + good, 7, 40);
  CHECK(over.bodies == Bodies{"{}"});
  CHECK(over.malformed.size() == 1);
}

TEST_CASE("text that a client should not have sent is repaired, not refused") {
  auto parsed = [](const std::string &text) {
    Json json;
    REQUIRE_MESSAGE(parseBody(text, json).valid, text);
    return json;
  };
  CHECK(parsed(R"("a\ud800b")") == "a\xEF\xBF\xBD" "b");
  CHECK(parsed(R"("\udc00\ud83d\ude00\ud83d")") == "\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD");
  CHECK(parsed(R"("\\ud800")") == "\\ud800");
  CHECK(parsed("\"a\xFF\xC3(\"") == "a\xEF\xBF\xBD\xEF\xBF\xBD(");
  CHECK(parsed("\"\xED\xA0\x80\"") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(parsed("\"\xE2\x82\xAC\"") == "\xE2\x82\xAC");
  CHECK(serialize("\xFF") == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("a long text is read as a short one is") {
  for (const char *piece : {R"(plain [{)", R"(\"\\\/\b\f\n\r\t)", R"(\u0000\u00e9\u20AC\ud83d\ude00)", R"(\ud800x\udc00)", "\xE2\x82\xAC\xFF"}) {
    std::string once = "\"" + std::string(piece) + "\"", many;
    Json expected, got;
    REQUIRE(parseBody(once, expected).valid);
    std::string repeated;
    for (int i = 0; i < 20000; ++i) {
      many += piece;
      repeated += expected.get<std::string>();
    }
    REQUIRE(parseBody(R"({"a": [1, ")" + many + R"(", "b"], "c": ")" + many + R"("})", got).valid);
    CHECK(got["a"][0] == 1);
    CHECK(got["a"][1] == repeated);
    CHECK(got["a"][2] == "b");
    CHECK(got["c"] == repeated);
  }
  Json json;
  CHECK_FALSE(parseBody("\"" + std::string(100000, 'x') + "\\q\"", json).valid);
  CHECK_FALSE(parseBody("\"" + std::string(100000, 'x') + "\n\"", json).valid);
  CHECK_FALSE(parseBody("\"" + std::string(100000, 'x'), json).valid);
}

TEST_CASE("what is no JSON or nested too deep is refused") {
  Json json;
  CHECK_FALSE(parseBody("{", json).valid);
  CHECK_FALSE(parseBody("{} x", json).valid);
  CHECK_FALSE(parseBody("", json).valid);
  CHECK_FALSE(parseBody(std::string(200000, '['), json).valid);
  CHECK_FALSE(parseBody(std::string(513, '[') + std::string(513, ']'), json).valid);
  CHECK(parseBody(std::string(512, '[') + std::string(512, ']'), json).valid);
  CHECK(parseBody("\"" + std::string(2000, '[') + "\"", json).valid);
}

TEST_CASE("a frame counts bytes, not characters") { CHECK(frame("\"\xE2\x82\xAC\"") == "Content-Length: 5\r\n\r\n\"\xE2\x82\xAC\""); }

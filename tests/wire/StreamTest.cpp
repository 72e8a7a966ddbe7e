// The built binary on a whole stream of bytes.
#include "harness/LspSession.h"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::test;

namespace {
const std::string kUri = "file:///project/a.py";
std::string opening() {
  return requestText(1, "initialize", {{"processId", nullptr}, {"capabilities", Json::object()}}) + notificationText("initialized") +
         notificationText("textDocument/didOpen", {{"textDocument", {{"uri", kUri}, {"languageId", "python"}, {"version", 1}, {"text", "from tilefoundry.dsl import *\nN = 4\n"}}}});
}
std::string closing() { return requestText(90, "shutdown", nullptr) + notificationText("exit", nullptr); }
std::string symbols(int64_t id) { return requestText(id, "textDocument/documentSymbol", at(kUri)); }
} // namespace

TEST_CASE("a whole conversation from a pipe, a file and byte by byte") {
  for (Input input : {Input::Pipe, Input::File, Input::Slow, Input::PipeLeftOpen}) {
    Conversation talk = converse(opening() + symbols(2) + closing(), input);
    CHECK(talk.code == 0);
    REQUIRE(talk.answer(2));
    CHECK(talk.answer(2)->at("result").size() == 1);
    CHECK(talk.answer(90));
    CHECK(talk.seconds < 5);
  }
}

TEST_CASE("a stream that ends without exit is answered and left with status 1") {
  for (Input input : {Input::Pipe, Input::File}) {
    Conversation talk = converse(opening() + symbols(2), input);
    CHECK(talk.code == 1);
    CHECK(talk.answer(2));
  }
  CHECK(converse("").code == 1);
  CHECK(converse(opening() + requestText(90, "shutdown", nullptr)).code == 0);
}

TEST_CASE("what is no message is answered with an error and survived") {
  std::string deep = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":" + std::string(200000, '[') + std::string(200000, ']') + "}";
  std::string surrogate = R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///b.py","languageId":"python","version":1,"text":"from tilefoundry.dsl import *\n# \ud800\n"}}})";
  std::string bytes = "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///c.py\",\"languageId\":\"python\",\"version\":1,\"text\":\"# \xFF\xC3\"}}}";
  Conversation talk = converse(opening() + "garbage\r\n" + "Content-Length: 5\r\n\r\n{\"a\":" + tilewright::lsp::frame(deep) + "Content-Length: nine\r\n\r\n" + tilewright::lsp::frame(surrogate) +
                               tilewright::lsp::frame(bytes) + "Content-Length: 70000000\r\n\r\n" + std::string(70000000, ' ') + symbols(2) + closing());
  CHECK(talk.code == 0);
  CHECK(talk.answer(2));
  size_t refused = 0, published = 0;
  for (const Json &message : talk.messages) {
    refused += message.contains("error") && message["id"].is_null() && message["error"]["code"] == -32700;
    published += message.value("method", "") == "textDocument/publishDiagnostics";
  }
  CHECK(refused == 4);
  CHECK(published >= 1);
}

TEST_CASE("the server leaves when the process that started it is gone") {
  pid_t gone = ::fork();
  if (gone == 0)
    ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  Conversation talk = converse(requestText(1, "initialize", {{"processId", gone}, {"capabilities", Json::object()}}), Input::PipeLeftOpen);
  CHECK(talk.code == 1);
  CHECK(talk.seconds < 5);
}

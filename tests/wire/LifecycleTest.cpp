// What the protocol says about starting, ending and answering, on the server itself.
#include "harness/LspSession.h"

#include <doctest/doctest.h>

using namespace tilewright::test;

namespace {
const std::string kUri = "file:///project/a.py";
const std::string kSchedule = "from tilefoundry.dsl import *\nN = 4\n";
int code(const Json &answer) { return answer.at("error").at("code").get<int>(); }
} // namespace

TEST_CASE("initialize comes first and once, nothing follows shutdown") {
  LspSession session;
  CHECK(code(session.request("textDocument/hover", at(kUri, {{"position", position(0, 0)}}))) == -32002);
  Json answer = session.request("initialize", {{"processId", nullptr}, {"capabilities", Json::object()}});
  CHECK(answer["result"]["serverInfo"]["name"] == "tilewright");
  CHECK(answer["result"]["capabilities"]["positionEncoding"] == "utf-16");
  CHECK(answer["result"]["capabilities"]["hoverProvider"] == true);
  CHECK(answer["result"]["capabilities"]["textDocumentSync"]["change"] == 2);
  session.notify("initialized", Json::object());
  CHECK(code(session.request("initialize", Json::object())) == -32600);
  CHECK(code(session.request("no/such", Json::object())) == -32601);
  CHECK(code(session.request("$/nothing", Json::object())) == -32601);
  session.notify("$/nothing", Json::object());
  session.notify("no/such", Json::object());
  CHECK(session.request("shutdown", nullptr)["result"].is_null());
  CHECK(code(session.request("textDocument/hover", at(kUri, {{"position", position(0, 0)}}))) == -32600);
  session.notify("exit", nullptr);
  CHECK(session.exitCode() == 0);
}

TEST_CASE("exit without shutdown is a failure") {
  LspSession session(Json::object());
  session.notify("exit", nullptr);
  CHECK(session.exitCode() == 1);
}

TEST_CASE("the first encoding that both know is taken") {
  auto agreed = [](Json offered) {
    LspSession session;
    return session.request("initialize", {{"capabilities", {{"general", {{"positionEncodings", std::move(offered)}}}}}})["result"]["capabilities"]["positionEncoding"];
  };
  CHECK(agreed({"utf-8", "utf-16"}) == "utf-8");
  CHECK(agreed({"utf-7", "utf-32"}) == "utf-32");
  CHECK(agreed(Json::array()) == "utf-16");
  CHECK(agreed("utf-8") == "utf-16");
}

TEST_CASE("messages of the wrong shape are answered and survived") {
  LspSession session(Json::object());
  CHECK(code(session.request("textDocument/hover", {{"textDocument", 7}})) == -32602);
  CHECK(code(session.request("textDocument/hover", nullptr)) == -32602);
  session.open(kUri, kSchedule);
  CHECK(code(session.request("textDocument/hover", at(kUri, {{"position", {{"line", "x"}, {"character", 0}}}}))) == -32602);
  session.notify("textDocument/didOpen", {{"textDocument", {{"uri", 5}}}});
  session.notify("textDocument/didChange", 5);
  session.notify("textDocument/didChange", at("file:///never/opened.py", {{"contentChanges", Json::array()}}));
  session.notify("$/cancelRequest", {{"id", 12345}});
  session.notify("$/cancelRequest", Json::object());
  for (const char *body : {"", "{", "[]", "[{}]", "{}", "7", "null", R"({"id":1.5,"method":"x"})", R"({"id":{},"method":"x"})", R"({"id":null,"method":"x"})", R"({"id":99,"method":5})", R"({"id":77,"result":null})",
                           R"({"id":"a","error":{"code":1,"message":"x"}})"})
    session.raw(body);
  CHECK(session.answers(99) == 1);
  CHECK(session.request("textDocument/hover", at(kUri, {{"position", position(9999, 9999)}})).contains("result"));
}

TEST_CASE("a cancelled request is answered once, as cancelled or in full") {
  LspSession session(Json::object());
  session.open(kUri, kSchedule);
  std::vector<int64_t> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(session.send("textDocument/documentSymbol", at(kUri)));
    session.notify("$/cancelRequest", {{"id", ids.back()}});
  }
  for (int64_t id : ids)
    session.await(id);
  session.settle();
  for (int64_t id : ids)
    CHECK(session.answers(id) == 1);
}

TEST_CASE("a file that is no schedule gets nothing") {
  LspSession session(Json::object());
  session.open(kUri, "import os\nx = (\n");
  CHECK(session.diagnostics(kUri).empty());
  CHECK(session.request("textDocument/hover", at(kUri, {{"position", position(1, 0)}}))["result"].is_null());
  CHECK(session.request("textDocument/documentSymbol", at(kUri))["result"].empty());
  CHECK(session.request("textDocument/inlayHint", at(kUri, {{"range", range(0, 0, 5)}}))["result"].empty());
  CHECK(session.request("textDocument/foldingRange", at(kUri))["result"].empty());
}

TEST_CASE("requests about a document that is not open are answered with nothing") {
  LspSession session(Json::object());
  CHECK(session.request("textDocument/hover", at(kUri, {{"position", position(0, 0)}}))["result"].is_null());
  CHECK(session.request("textDocument/diagnostic", at(kUri))["result"]["items"].empty());
}

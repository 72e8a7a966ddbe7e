// Documents as the client edits them.
#include "harness/LspSession.h"

#include <doctest/doctest.h>

using namespace tilewright::test;

namespace {
const std::string kUri = "file:///project/a.py";
const std::string kHead = "from tilefoundry.dsl import *\n";
/// The diagnostics of syntax in one version, by line.
std::vector<int> brokenLines(const Json &diagnostics) {
  std::vector<int> lines;
  for (const Json &one : diagnostics)
    if (one["code"] == "syntax-error")
      lines.push_back(one["range"]["start"]["line"]);
  return lines;
}
} // namespace

TEST_CASE("several changes in one notification build on each other") {
  LspSession session(Json::object());
  session.open(kUri, kHead + "a = 1\n");
  CHECK(brokenLines(session.diagnostics(kUri)).empty());
  // The second change counts in the text that the first one made.
  session.change(kUri, 2, {{{"range", range(1, 0, 0)}, {"text", "b = 2\n"}}, {{"range", range(1, 4, 5)}, {"text", ")"}}});
  CHECK(brokenLines(session.diagnostics(kUri, 2)) == std::vector<int>{1});
  session.change(kUri, 3, {{{"range", range(1, 4, 5)}, {"text", "3"}}});
  CHECK(brokenLines(session.diagnostics(kUri, 3)).empty());
}

TEST_CASE("a range outside the text is clamped and a full text recovers") {
  LspSession session(Json::object());
  session.open(kUri, kHead);
  session.change(kUri, 2, {{{"range", {{"start", position(900, 4)}, {"end", position(950, 7)}}}, {"text", "c = )\n"}}});
  CHECK(brokenLines(session.diagnostics(kUri, 2)) == std::vector<int>{1});
  session.change(kUri, 3, {{{"text", kHead + "c = 1\n"}}});
  CHECK(brokenLines(session.diagnostics(kUri, 3)).empty());
}

TEST_CASE("columns are right in every encoding") {
  struct Row {
    const char *encoding;
    int column;
  };
  for (Row row : {Row{"utf-8", 13}, Row{"utf-16", 9}, Row{"utf-32", 8}}) {
    CAPTURE(row.encoding);
    Json capabilities = {{"general", {{"positionEncodings", Json::array({row.encoding})}}}};
    LspSession session(capabilities);
    session.open(kUri, kHead + "a = \"\xF0\x9F\x98\x80\xE2\x82\xAC\" = )\n");
    CHECK(brokenLines(session.diagnostics(kUri)) == std::vector<int>{1});
    // What stands behind the emoji and the euro sign goes, and with it the error.
    session.change(kUri, 2, {{{"range", range(1, row.column, row.column + 4)}, {"text", ""}}});
    CHECK(session.diagnostics(kUri, 2).empty());
  }
}

TEST_CASE("many edits at once are worked on once") {
  LspSession session(Json::object());
  std::string text = kHead;
  for (int i = 0; i < 2000; ++i)
    text += "value_" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  session.open(kUri, text);
  session.diagnostics(kUri);
  size_t before = session.count("textDocument/publishDiagnostics");
  for (int i = 0; i < 200; ++i)
    session.change(kUri, 2 + i, {{{"range", range(1000, 0, 0)}, {"text", "x"}}});
  session.diagnostics(kUri, 201);
  session.settle();
  CHECK(session.count("textDocument/publishDiagnostics") - before < 100);
}

TEST_CASE("closing takes diagnostics back and nothing follows") {
  LspSession session(Json::object());
  for (int round = 0; round < 20; ++round) {
    session.open(kUri, kHead + "x = )\n", round);
    if (round % 2)
      session.diagnostics(kUri, round);
    session.notify("textDocument/didClose", at(kUri));
    session.settle();
    Json last;
    for (const Json &message : session.messages())
      if (message.value("method", "") == "textDocument/publishDiagnostics")
        last = message["params"];
    CHECK(last["diagnostics"].empty());
    CHECK_FALSE(last.contains("version"));
  }
}

TEST_CASE("pulled diagnostics are not pushed, and say when nothing changed") {
  Json capabilities = {{"textDocument", {{"diagnostic", Json::object()}}}};
  LspSession session(capabilities);
  session.open(kUri, kHead + "x = )\n");
  Json report = session.request("textDocument/diagnostic", at(kUri))["result"];
  CHECK(report["kind"] == "full");
  REQUIRE(report["items"].size() == 1);
  CHECK(report["items"][0]["code"] == "syntax-error");
  CHECK(report["items"][0]["source"] == "tilewright");
  Json again = session.request("textDocument/diagnostic", at(kUri, {{"previousResultId", report["resultId"]}}))["result"];
  CHECK(again["kind"] == "unchanged");
  CHECK(again["resultId"] == report["resultId"]);
  session.change(kUri, 2, {{{"text", kHead}}});
  CHECK(session.request("textDocument/diagnostic", at(kUri, {{"previousResultId", report["resultId"]}}))["result"]["items"].empty());
  CHECK(session.count("textDocument/publishDiagnostics") == 0);
}

TEST_CASE("a saved text that differs is believed") {
  LspSession session(Json::object());
  session.open(kUri, kHead);
  session.diagnostics(kUri);
  session.notify("textDocument/didSave", {{"textDocument", {{"uri", kUri}, {"version", 5}}}, {"text", kHead + "x = )\n"}});
  CHECK(brokenLines(session.diagnostics(kUri, 5)) == std::vector<int>{1});
}

TEST_CASE("two spellings of a URI are one document") {
  LspSession session(Json::object());
  session.open("file:///c%3A/a.py", kHead);
  session.diagnostics("file:///c%3A/a.py");
  session.change("file:///C:/a.py", 2, {{{"text", kHead + "x = )\n"}}});
  CHECK(brokenLines(session.diagnostics("file:///c%3A/a.py", 2)) == std::vector<int>{1});
}

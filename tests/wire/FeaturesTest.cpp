// The requests of an editor beyond synchronisation, as messages: shapes, laziness, kinds.
#include "harness/LspSession.h"
#include "session/Files.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilewright::test;

namespace {
const std::string kUri = "file:///project/twice.py";
const std::string kSchedule = R"(from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="twice", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 264),))
class Twice:
    @func
    def twice(x: Tensor[(64, 64), "f32"]) -> Tensor[(64, 64), "f32"]:
        y = tf.add(x, x)
        return tf.matmull(y, y)
)";
const std::string kSound = [] {
  std::string text = kSchedule;
  text.replace(text.find("matmull"), 7, "matmul");
  return text;
}();
Json where(int line, int character) { return at(kUri, {{"position", position(line, character)}}); }
bool offers(const Json &items, const std::string &label) {
  return std::any_of(items.begin(), items.end(), [&](const Json &item) { return item["label"] == label; });
}
} // namespace

TEST_CASE("capabilities name what the tables hold") {
  LspSession session;
  Json all = session.request("initialize", {{"capabilities", Json::object()}})["result"]["capabilities"];
  CHECK(all["completionProvider"]["resolveProvider"] == true);
  CHECK(all["completionProvider"]["triggerCharacters"].size() > 3);
  CHECK(all["signatureHelpProvider"]["triggerCharacters"].size() > 1);
  CHECK(all["codeActionProvider"]["resolveProvider"] == true);
  const Json &kinds = all["codeActionProvider"]["codeActionKinds"];
  CHECK(std::find(kinds.begin(), kinds.end(), "quickfix") != kinds.end());
  CHECK(all["codeLensProvider"]["resolveProvider"] == true);
}

TEST_CASE("completion offers edits, and tells more when an item is resolved") {
  LspSession session(Json::object());
  session.open(kUri, kSchedule);
  Json answer = session.request("textDocument/completion", where(9, 22))["result"]; // behind `tf.matm`
  REQUIRE(offers(answer["items"], "matmul"));
  Json item = *std::find_if(answer["items"].begin(), answer["items"].end(), [](const Json &one) { return one["label"] == "matmul"; });
  CHECK(item["textEdit"]["newText"] == "matmul");
  CHECK(item["textEdit"]["range"]["start"] == position(9, 18));
  CHECK(item["textEdit"]["range"]["end"] == position(9, 25));
  CHECK_FALSE(item.contains("documentation"));
  Json resolved = session.request("completionItem/resolve", item)["result"];
  CHECK(resolved["label"] == "matmul");
  CHECK(resolved["documentation"]["value"].get<std::string>().find("out_dtype") != std::string::npos);
  // Another file is none of our business.
  session.open("file:///project/plain.py", "import os\nos.\n");
  CHECK(session.request("textDocument/completion", at("file:///project/plain.py", {{"position", position(1, 3)}}))["result"]["items"].empty());
}

TEST_CASE("signature help marks the active parameter") {
  LspSession session(Json::object());
  session.open(kUri, kSound);
  Json help = session.request("textDocument/signatureHelp", where(9, 28))["result"]; // behind `tf.matmul(y, `
  REQUIRE(help["signatures"].size() == 1);
  CHECK(help["activeParameter"] == 1);
  std::string label = help["signatures"][0]["label"];
  Json span = help["signatures"][0]["parameters"][1]["label"];
  CHECK(label.substr(span[0].get<size_t>(), span[1].get<size_t>() - span[0].get<size_t>()) == "rhs");
  CHECK(session.request("textDocument/signatureHelp", where(0, 3))["result"].is_null());
}

TEST_CASE("code actions answer the kinds that are asked for") {
  LspSession session(Json::object());
  session.open(kUri, kSchedule);
  auto ask = [&](Json context) { return session.request("textDocument/codeAction", at(kUri, {{"range", range(9, 20, 22)}, {"context", std::move(context)}}))["result"]; };
  Json fixes = ask({{"diagnostics", Json::array()}});
  REQUIRE_FALSE(fixes.empty());
  CHECK(fixes[0]["kind"] == "quickfix");
  CHECK(fixes[0]["edit"]["changes"][kUri][0]["newText"] == "matmul");
  CHECK(fixes[0]["diagnostics"][0]["code"] == "unknown-op");
  CHECK_FALSE(ask({{"only", {"quickfix"}}}).empty());
  CHECK(ask({{"only", {"refactor.extract"}}}).empty());
  CHECK(ask({{"only", {"quick"}}}).empty()); // a kind is not a prefix of letters
  CHECK(session.request("textDocument/codeAction", at(kUri, {{"range", range(0, 0, 1)}, {"context", {{"only", {"quickfix"}}}}}))["result"].empty());
}

TEST_CASE("lenses stand above functions") {
  LspSession session(Json::object());
  session.open(kUri, kSound);
  Json lenses = session.request("textDocument/codeLens", at(kUri))["result"];
  REQUIRE(lenses.size() >= 1);
  CHECK(lenses[0]["range"]["start"]["line"] == 7);
  CHECK(lenses[0]["command"]["title"].get<std::string>().find(" ns") != std::string::npos);
  CHECK(session.request("codeLens/resolve", lenses[0])["result"]["command"]["title"] == lenses[0]["command"]["title"]);
}

TEST_CASE("a form comes with the places that belong together") {
  LspSession session(Json::object());
  session.open(kUri, kSound);
  Json form = session.request("tilewright/form", at(kUri, {{"form", "hir"}}))["result"];
  CHECK(form["languageId"] == "python");
  std::string text = form["text"];
  CHECK(text.find("y = tf.add(x, x)") != std::string::npos);
  bool found = false;
  for (const Json &pair : form["map"])
    found |= pair[0]["start"]["line"] == 8 && pair[1]["start"]["line"] > 0;
  CHECK(found);
  CHECK(session.request("tilewright/form", at(kUri, {{"form", "ast"}, {"position", position(8, 0)}}))["result"]["map"].size() > 20);
  CHECK(session.request("tilewright/form", at(kUri, {{"form", "none"}}))["error"]["code"] == -32803);
  CHECK(session.request("tilewright/form", at(kUri))["error"]["code"] == -32602);
  session.change(kUri, 2, {{{"text", kSchedule}}});
  CHECK(session.request("tilewright/form", at(kUri, {{"form", "hir"}}))["error"]["code"] == -32803);
}

TEST_CASE("the finalized program is a file beside the source, made when it is asked for") {
  const std::string uri = "file:///project/gemm.py";
  const std::string text = [] {
    tilewright::session::FileError error;
    return tilewright::session::readFile(std::string(TW_SOURCE_DIR) + "/examples/gemm/scheduled.py", error).value_or("");
  }();
  REQUIRE_FALSE(text.empty());
  const std::string kKind = "source.tilewright.finalizeTir";
  auto check = [&](const Json &action) {
    const Json &changes = action["edit"]["documentChanges"];
    REQUIRE(changes.size() == 2);
    CHECK(changes[0]["kind"] == "create");
    CHECK(changes[0]["uri"] == "file:///project/gemm_tir.py");
    CHECK(changes[1]["textDocument"]["uri"] == "file:///project/gemm_tir.py");
    CHECK(changes[1]["edits"][0]["newText"].get<std::string>().find("@prim_func") != std::string::npos);
  };
  auto ask = [&](LspSession &session, Json context) {
    Json all = session.request("textDocument/codeAction", {{"textDocument", {{"uri", uri}}}, {"range", range(30, 0, 0)}, {"context", std::move(context)}})["result"];
    std::vector<Json> found;
    for (const Json &one : all)
      if (one["kind"] == kKind)
        found.push_back(one);
    return found;
  };
  {
    LspSession session(Json::object());
    session.open(uri, text);
    for (Json context : {Json{{"diagnostics", Json::array()}}, Json{{"only", {"source"}}}, Json{{"only", {kKind}}}}) {
      std::vector<Json> found = ask(session, context);
      REQUIRE(found.size() == 1);
      check(found[0]);
    }
    CHECK(ask(session, {{"only", {"refactor"}}}).empty());
  }
  LspSession session(Json{{"textDocument", {{"codeAction", {{"dataSupport", true}, {"resolveSupport", {{"properties", {"edit"}}}}}}}}});
  session.open(uri, text);
  std::vector<Json> found = ask(session, {{"only", {kKind}}});
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].contains("edit"));
  check(session.request("codeAction/resolve", found[0])["result"]);
  session.change(uri, 2, {{{"text", text + "\n"}}});
  CHECK(session.request("codeAction/resolve", found[0])["error"]["code"] == -32801);
}

#include "cli/Commands.h"
#include "cli/Report.h"
#include "lsp/LspServer.h"
#include "session/Files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

namespace tilewright::cli {
namespace {
using lsp::Json;
using Clock = std::chrono::steady_clock;

/// An editor that talks to a server in the same process and checks what comes back.
class Editor {
public:
  Editor() : server_({[this](std::string body) { take(std::move(body)); }, [](int) {}}) {}

  void notify(const char *method, Json params) { server_.receive(lsp::serialize({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}})); }
  int64_t ask(const char *method, Json params) {
    int64_t id = next_++;
    {
      std::lock_guard lock(mutex_);
      asked_[id] = method;
    }
    server_.receive(lsp::serialize({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
    return id;
  }
  /// Waits until every request is answered; false after `limit`.
  bool settle(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, limit, [&] { return asked_.empty(); });
  }
  Json answer(int64_t id) {
    std::lock_guard lock(mutex_);
    auto it = answers_.find(id);
    return it == answers_.end() ? Json() : it->second;
  }
  Json request(const char *method, Json params) {
    int64_t id = ask(method, std::move(params));
    settle(std::chrono::seconds(60));
    return answer(id);
  }
  std::vector<std::string> failures() {
    std::lock_guard lock(mutex_);
    std::vector<std::string> all = failures_;
    for (const auto &[id, method] : asked_)
      all.push_back(method + ": no answer");
    return all;
  }
  void fail(std::string what) {
    std::lock_guard lock(mutex_);
    failures_.push_back(std::move(what));
  }

private:
  void take(std::string body) {
    Json message;
    bool valid = lsp::parseBody(std::move(body), message).valid;
    std::lock_guard lock(mutex_);
    if (!valid)
      failures_.push_back("the server sent something that is not JSON");
    else if (message.contains("method")) {
      if (message["method"] == "window/logMessage")
        failures_.push_back("log: " + message["params"].value("message", std::string()));
    } else {
      auto it = message.contains("id") && message["id"].is_number_integer() ? asked_.find(message["id"].get<int64_t>()) : asked_.end();
      if (it == asked_.end()) {
        failures_.push_back("an answer that nobody asked for: " + message.dump().substr(0, 200));
      } else {
        // "This cannot be done" is an answer: a refused function has no other form.
        if (message.contains("error") && message["error"].value("code", 0) != static_cast<int>(lsp::ErrorCode::RequestFailed))
          failures_.push_back(it->second + ": " + message["error"].dump());
        answers_[it->first] = message.contains("result") ? message["result"] : Json();
        asked_.erase(it);
      }
    }
    arrived_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<int64_t, std::string> asked_;
  std::map<int64_t, Json> answers_;
  std::vector<std::string> failures_;
  int64_t next_ = 1;
  lsp::LspServer server_; // last: it may still send while it ends
};

/// Every range in an answer lies in the text and does not run backwards.
void checkRanges(const Json &json, const SourceText &text, const std::string &where, Editor &editor) {
  if (json.is_array()) {
    for (const Json &one : json)
      checkRanges(one, text, where, editor);
  } else if (json.is_object()) {
    if (json.contains("start") && json.contains("end") && json["start"].is_object()) {
      lsp::Range range = lsp::rangeFrom(json);
      if (range.end < range.start || range.end.line >= text.lineCount())
        editor.fail(where + ": a range outside the text: " + json.dump());
    }
    for (const Json &one : json)
      checkRanges(one, text, where, editor);
  }
}

/// Where words, numbers and strings begin.
std::vector<lsp::Position> tokens(const SourceText &text) {
  std::vector<lsp::Position> all;
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
  for (uint32_t line = 0; line < text.lineCount(); ++line) {
    std::string_view bytes = text.line(line);
    for (uint32_t at = 0; at < bytes.size(); ++at)
      if ((word(bytes[at]) && (at == 0 || !word(bytes[at - 1]))) || bytes[at] == '"' || bytes[at] == '\'')
        all.push_back({line, at});
  }
  return all;
}
} // namespace

int doctor(const std::string &path) {
  session::FileError error;
  std::optional<std::string> read = session::readFile(path, error);
  if (!read)
    return fail(kRefused, path + ": " + error.message);
  SourceText text(path, lsp::repairUtf8(*read));
  std::string uri = lsp::uriOf(path);
  Json document = {{"uri", uri}};
  Editor editor;
  std::string summary = fmt::format("{}: {} lines, {} bytes\n", path, text.lineCount(), text.text().size());
  auto timed = [&](const char *what, auto ask) {
    auto begin = Clock::now();
    Json answer = ask();
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    checkRanges(answer, text, what, editor);
    return std::pair(std::move(answer), ms);
  };
  editor.request("initialize", {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", {{"general", {{"positionEncodings", {"utf-8"}}}}, {"textDocument", {{"diagnostic", Json::object()}}}}}});
  editor.notify("initialized", Json::object());
  editor.notify("textDocument/didOpen", {{"textDocument", {{"uri", uri}, {"languageId", "python"}, {"version", 1}, {"text", text.text()}}}});

  auto [diagnostics, diagnosticMs] = timed("diagnostics", [&] { return editor.request("textDocument/diagnostic", {{"textDocument", document}}); });
  std::map<int, int> severities;
  if (diagnostics.is_object() && diagnostics.contains("items"))
    for (const Json &one : diagnostics["items"])
      ++severities[one.value("severity", 1)];
  summary += fmt::format("  diagnostics    {} errors, {} warnings, {} other remarks ({:.1f} ms)\n", severities[1], severities[2], severities[3] + severities[4], diagnosticMs);
  Json whole = {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", text.lineCount()}, {"character", 0}}}};
  struct Each {
    const char *label, *method;
    Json params;
  };
  for (const Each &each : {Each{"hints", "textDocument/inlayHint", {{"textDocument", document}, {"range", whole}}}, Each{"symbols", "textDocument/documentSymbol", {{"textDocument", document}}},
                           Each{"folding", "textDocument/foldingRange", {{"textDocument", document}}}, Each{"lenses", "textDocument/codeLens", {{"textDocument", document}}},
                           Each{"actions", "textDocument/codeAction", {{"textDocument", document}, {"range", whole}, {"context", {{"diagnostics", Json::array()}}}}}}) {
    auto [answer, ms] = timed(each.label, [&] { return editor.request(each.method, each.params); });
    summary += fmt::format("  {:<14} {} ({:.1f} ms)\n", each.label, answer.is_array() ? answer.size() : 0, ms);
  }
  for (const char *form : {"ast", "hir", "tir"}) {
    auto begin = Clock::now();
    Json answer = editor.request("tilewright/form", {{"textDocument", document}, {"form", form}});
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    // The first range of a pair is of the source, the second of the form.
    if (answer.is_object())
      for (const Json &pair : answer["map"])
        checkRanges(pair[0], text, form, editor);
    summary += fmt::format("  form {:<9} {} places ({:.1f} ms)\n", form, answer.is_object() ? answer["map"].size() : 0, ms);
  }
  std::vector<lsp::Position> places = tokens(text);
  for (const char *method : {"textDocument/hover", "textDocument/definition", "textDocument/completion", "textDocument/signatureHelp"}) {
    auto begin = Clock::now();
    std::vector<int64_t> ids;
    for (lsp::Position place : places)
      ids.push_back(editor.ask(method, {{"textDocument", document}, {"position", lsp::json(place)}}));
    editor.settle(std::chrono::seconds(60));
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    size_t found = 0;
    for (int64_t id : ids) {
      Json answer = editor.answer(id);
      found += !answer.is_null() && !(answer.contains("items") && answer["items"].empty());
      checkRanges(answer, text, method, editor);
    }
    summary += fmt::format("  {:<14} {} of {} tokens ({:.1f} ms)\n", std::string_view(method).substr(13), found, places.size(), ms);
  }
  editor.notify("textDocument/didClose", {{"textDocument", document}});
  editor.request("shutdown", nullptr);
  std::vector<std::string> failures = editor.failures();
  for (size_t i = 0; i < failures.size() && i < 20; ++i)
    summary += "  FAILED " + failures[i] + "\n";
  summary += failures.empty() ? "  every request was answered\n" : fmt::format("  {} failures\n", failures.size());
  int written = write("", summary);
  return failures.empty() ? written : kRefused;
}

} // namespace tilewright::cli

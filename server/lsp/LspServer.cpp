#include "lsp/LspServer.h"

#include "features/Diagnostics.h"
#include "session/Files.h"

#include <algorithm>
#include <map>

namespace tilewright::lsp {
namespace {
/// A member at the end of a path of objects, or null.
const Json &at(const Json &json, std::initializer_list<const char *> path) {
  static const Json null;
  const Json *here = &json;
  for (const char *key : path) {
    if (!here->is_object())
      return null;
    auto it = here->find(key);
    if (it == here->end())
      return null;
    here = &*it;
  }
  return *here;
}
bool isTrue(const Json &json) { return json.is_boolean() && json.get<bool>(); }

Encoding negotiate(const Json &offered) {
  if (offered.is_array())
    for (const Json &one : offered) {
      if (one == "utf-8")
        return Encoding::Utf8;
      if (one == "utf-16")
        return Encoding::Utf16;
      if (one == "utf-32")
        return Encoding::Utf32;
    }
  return Encoding::Utf16;
}
std::string_view name(Encoding encoding) { return encoding == Encoding::Utf8 ? "utf-8" : encoding == Encoding::Utf16 ? "utf-16" : "utf-32"; }

Json capabilities(Encoding encoding) {
  Json all = {{"positionEncoding", name(encoding)},
              {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}}};
  for (const char *one : {
#define TW_REQUEST(Method, Handler, Capability) Capability,
#define TW_DOCUMENT(Method, Handler, Needs, Positional, Capability) Capability,
#include "lsp/Methods.def"
       })
    if (*one)
      all.update(Json::parse(one));
  Json &kinds = all["codeActionProvider"]["codeActionKinds"] = Json::array();
  for (const features::ActionRow &row : features::actionRows())
    kinds.push_back(row.kind);
  return all;
}

std::string digest(const Json &json) {
  uint64_t hash = 1469598103934665603u; // FNV-1a
  for (unsigned char c : serialize(json))
    hash = (hash ^ c) * 1099511628211u;
  return std::to_string(hash);
}

/// A request that resolves an item carries what we put into it.
std::string uriFrom(const Json &params) {
  const Json &data = at(params, {"data", "uri"});
  return !params.contains("textDocument") && data.is_string() ? data.get<std::string>() : params.at("textDocument").at("uri").get<std::string>();
}

/// An answer that is an error of the protocol.
struct Refusal {
  ErrorCode code;
  std::string message;
};

int64_t versionFrom(const Json &document) {
  const Json &version = at(document, {"version"});
  return version.is_number_integer() ? version.get<int64_t>() : 0;
}
} // namespace

LspServer::LspServer(Host host, unsigned threads) : host_(std::move(host)), dispatcher_([this](std::string body) { host_.send(std::move(body)); }) {
  if (std::string page = session::diagnosticsPage(); !page.empty())
    docs_ = uriOf(page);
  documents_ = std::make_unique<session::Documents>(
      session::Documents::Events{[this](const session::SnapshotRef &snapshot) { return publish(snapshot); }, [this](const std::string &why) { log(why); }}, threads);
}

LspServer::~LspServer() = default;

bool LspServer::idle() const { return dispatcher_.pending() == 0 && !documents_->busy(); }

void LspServer::log(const std::string &what) { dispatcher_.notify("window/logMessage", {{"type", 1}, {"message", what}}); }

void LspServer::malformed(const std::string &why) { dispatcher_.refuse(ErrorCode::ParseError, why); }

void LspServer::receive(std::string body) {
  Json message;
  Parsed parsed = parseBody(std::move(body), message);
  if (!parsed.valid)
    return malformed(parsed.why);
  if (!message.is_object())
    return dispatcher_.refuse(ErrorCode::InvalidRequest, message.is_array() ? "batches are not part of the protocol" : "a message is a JSON object");
  auto method = message.find("method"), id = message.find("id");
  bool answers = message.contains("result") || message.contains("error");
  if (method == message.end() && answers) {
    try {
      return dispatcher_.respond(message);
    } catch (const std::exception &e) {
      return log(std::string("an answer of the client could not be used: ") + e.what());
    }
  }
  bool usableId = id != message.end() && (id->is_number_integer() || id->is_string());
  if (method == message.end() || !method->is_string() || (id != message.end() && !usableId)) {
    if (usableId)
      return dispatcher_.admit(*id).error(ErrorCode::InvalidRequest, "a request needs a method");
    return dispatcher_.refuse(ErrorCode::InvalidRequest, "neither a request nor a notification nor an answer");
  }
  static const Json none = Json::object();
  auto params = message.find("params");
  const Json &given = params == message.end() ? none : *params;
  std::string name = method->get<std::string>();
  if (tracing_ && phase_ == Phase::Running)
    dispatcher_.notify("$/logTrace", {{"message", "received " + name}});
  if (id == message.end()) {
    try {
      notification(name, given);
    } catch (const std::exception &e) {
      log("notification " + name + " was not understood: " + e.what());
    }
    return;
  }
  Reply reply = dispatcher_.admit(*id);
  try {
    request(name, reply, given);
  } catch (const Json::exception &e) {
    reply.error(ErrorCode::InvalidParams, e.what());
  } catch (const std::exception &e) {
    reply.error(ErrorCode::InternalError, e.what());
  }
}

void LspServer::request(const std::string &method, Reply reply, const Json &params) {
  if (phase_ == Phase::New && method != "initialize")
    return reply.error(ErrorCode::ServerNotInitialized, "`initialize` comes first");
  if (phase_ == Phase::ShutDown)
    return reply.error(ErrorCode::InvalidRequest, "the server was shut down");
  using Plain = void (LspServer::*)(const Reply &, const Json &);
  static const std::map<std::string_view, Plain> plain = {
#define TW_REQUEST(Method, Handler, Capability) {Method, &LspServer::Handler},
#include "lsp/Methods.def"
  };
  struct Document {
    DocumentHandler handler;
    session::Stage stage;
    bool positional;
  };
  static const std::map<std::string_view, Document> documents = {
#define TW_DOCUMENT(Method, Handler, Needs, Positional, Capability) {Method, {&LspServer::Handler, session::Stage::Needs, Positional}},
#include "lsp/Methods.def"
  };
  if (auto it = plain.find(method); it != plain.end())
    return (this->*it->second)(reply, params);
  if (auto it = documents.find(method); it != documents.end())
    return readDocument(it->second.handler, it->second.stage, it->second.positional, std::move(reply), params);
  reply.error(ErrorCode::MethodNotFound, "no method `" + method + "`");
}

void LspServer::notification(const std::string &method, const Json &params) {
  using Plain = void (LspServer::*)(const Json &);
  static const std::map<std::string_view, Plain> plain = {
#define TW_NOTIFICATION(Method, Handler) {Method, &LspServer::Handler},
#include "lsp/Methods.def"
  };
  if (phase_ != Phase::Running && method != "exit")
    return;
  if (auto it = plain.find(method); it != plain.end())
    (this->*it->second)(params);
}

void LspServer::readDocument(DocumentHandler handler, session::Stage stage, bool positional, Reply reply, const Json &params) {
  std::string key = documentKey(uriFrom(params));
  documents_->read(key, stage, positional, [this, handler, reply = std::move(reply), params](session::Outcome outcome, const session::SnapshotRef &snapshot) {
    if (reply.cancelled().raised())
      return;
    if (outcome == session::Outcome::Modified)
      return reply.error(ErrorCode::ContentModified, "the text changed");
    static const session::Snapshot nothing = [] {
      session::Snapshot empty;
      empty.file.source = std::make_shared<const SourceText>();
      return empty;
    }();
    try {
      reply.result((this->*handler)(snapshot ? *snapshot : nothing, params));
    } catch (const Refusal &refusal) {
      reply.error(refusal.code, refusal.message);
    } catch (const Json::exception &e) {
      reply.error(ErrorCode::InvalidParams, e.what());
    } catch (const std::exception &e) {
      log(std::string("a request failed: ") + e.what());
      reply.error(ErrorCode::InternalError, e.what());
    }
  });
}

// ---- lifecycle
void LspServer::initialize(const Reply &reply, const Json &params) {
  if (phase_ != Phase::New)
    return reply.error(ErrorCode::InvalidRequest, "`initialize` was already received");
  const Json &client = at(params, {"capabilities"});
  client_.encoding = negotiate(at(client, {"general", "positionEncodings"}));
  client_.pullsDiagnostics = at(client, {"textDocument", "diagnostic"}).is_object();
  client_.refreshesHints = isTrue(at(client, {"workspace", "inlayHint", "refreshSupport"}));
  client_.refreshesDiagnostics = isTrue(at(client, {"workspace", "diagnostics", "refreshSupport"}));
  client_.answersConfiguration = isTrue(at(client, {"workspace", "configuration"}));
  client_.definitionLinks = isTrue(at(client, {"textDocument", "definition", "linkSupport"}));
  if (const Json &lazy = at(client, {"textDocument", "codeAction", "resolveSupport", "properties"}); lazy.is_array())
    client_.resolvesActions = isTrue(at(client, {"textDocument", "codeAction", "dataSupport"})) && std::find(lazy.begin(), lazy.end(), "edit") != lazy.end();
  if (const Json &parent = at(params, {"processId"}); parent.is_number_integer())
    parent_ = parent.get<int64_t>();
  setTrace({{"value", at(params, {"trace"})}});
  phase_ = Phase::Running;
  configure(at(params, {"initializationOptions"}));
  reply.result({{"capabilities", capabilities(client_.encoding)}, {"serverInfo", {{"name", "tilewright"}, {"version", TW_VERSION}}}});
}

void LspServer::shutdown(const Reply &reply, const Json &) {
  phase_ = Phase::ShutDown;
  reply.result(nullptr);
}

void LspServer::exit(const Json &) { host_.exit(exitCode()); }

void LspServer::initialized(const Json &) { didChangeConfiguration(Json::object()); }

void LspServer::cancelRequest(const Json &params) { dispatcher_.cancel(params.at("id")); }

void LspServer::setTrace(const Json &params) {
  const Json &value = at(params, {"value"});
  tracing_ = value == "messages" || value == "verbose";
}

// ---- settings
void LspServer::didChangeConfiguration(const Json &params) {
  if (client_.answersConfiguration) {
    dispatcher_.request("workspace/configuration", {{"items", Json::array({{{"section", "tilewright"}}})}}, [this](const Json &result) {
      if (result.is_array() && !result.empty())
        configure(result[0]);
    });
  } else if (const Json &section = at(params, {"settings", "tilewright"}); section.is_object()) {
    configure(section);
  }
}

void LspServer::configure(const Json &section) {
  if (!section.is_object())
    return;
  Settings next;
  auto flag = [&](const char *key, bool &value) {
    if (const Json &given = at(section, {"inlayHints", key}); given.is_boolean())
      value = given.get<bool>();
  };
  flag("time", next.hints.time);
  flag("bytes", next.hints.bytes);
  flag("peaks", next.hints.peaks);
  if (const Json &level = at(section, {"analysis", "topology"}); level.is_string())
    next.topology = level.get<std::string>();
  Settings before;
  {
    std::lock_guard lock(mutex_);
    before = std::exchange(settings_, next);
  }
  if (next.topology != before.topology) {
    CompileOptions options;
    options.analysis.families = analysis::kAllFamilies;
    options.analysis.topology = next.topology;
    documents_->configure(options);
    if (client_.pullsDiagnostics && client_.refreshesDiagnostics)
      dispatcher_.request("workspace/diagnostic/refresh", nullptr, {});
  }
  if (next != before && client_.refreshesHints)
    dispatcher_.request("workspace/inlayHint/refresh", nullptr, {});
}

LspServer::Settings LspServer::settings() const {
  std::lock_guard lock(mutex_);
  return settings_;
}

// ---- documents
void LspServer::didOpen(const Json &params) {
  const Json &document = params.at("textDocument");
  auto uri = document.at("uri").get<std::string>();
  documents_->open(documentKey(uri), uri, pathOf(uri), versionFrom(document), document.at("text").get<std::string>());
}

void LspServer::didChange(const Json &params) {
  const Json &document = params.at("textDocument");
  std::string key = documentKey(document.at("uri").get<std::string>());
  const session::TextBuffer *buffer = documents_->buffer(key);
  if (!buffer)
    return log("a change of a document that is not open");
  // Each change is counted in the text that the one before it left. What was understood stays even if a later change is not.
  auto apply = [&] {
    for (const Json &change : params.at("contentChanges")) {
      const auto &text = change.at("text").get_ref<const std::string &>();
      auto range = change.find("range");
      if (range == change.end() || range->is_null())
        documents_->replaceAll(key, text);
      else
        documents_->edit(key, spanOf(*buffer, rangeFrom(*range), client_.encoding), text);
    }
  };
  try {
    apply();
  } catch (...) {
    documents_->commit(key, versionFrom(document));
    throw;
  }
  documents_->commit(key, versionFrom(document));
}

void LspServer::didSave(const Json &params) {
  std::string key = documentKey(uriFrom(params));
  const Json &text = at(params, {"text"});
  const session::TextBuffer *buffer = documents_->buffer(key);
  if (!text.is_string() || !buffer || buffer->text() == text.get_ref<const std::string &>())
    return;
  log("the saved text differs from the text of the edits; taking the saved one");
  documents_->replaceAll(key, text.get_ref<const std::string &>());
  documents_->commit(key, versionFrom(params.at("textDocument")));
}

void LspServer::didClose(const Json &params) {
  std::string uri = uriFrom(params);
  documents_->close(documentKey(uri), [&] {
    if (!client_.pullsDiagnostics)
      dispatcher_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  });
}

std::function<void()> LspServer::publish(const session::SnapshotRef &snapshot) {
  if (client_.pullsDiagnostics)
    return {};
  std::string body = Dispatcher::notification("textDocument/publishDiagnostics", {{"uri", snapshot->uri},
                                                                                  {"version", snapshot->version},
                                                                                  {"diagnostics", json(view(*snapshot), features::diagnostics(*snapshot))}});
  return [this, body = std::move(body)]() mutable { dispatcher_.send(std::move(body)); };
}

// ---- features
Json LspServer::hover(const session::Snapshot &snapshot, const Json &params) {
  uint32_t offset = offsetOf(*snapshot.file.source, positionFrom(params.at("position")), client_.encoding);
  std::optional<features::Hover> found = features::hover(snapshot, offset);
  return found ? json(view(snapshot), *found) : Json();
}

Json LspServer::definition(const session::Snapshot &snapshot, const Json &params) {
  uint32_t offset = offsetOf(*snapshot.file.source, positionFrom(params.at("position")), client_.encoding);
  std::optional<features::Definition> found = features::definition(snapshot, offset);
  return found ? json(view(snapshot), *found, client_.definitionLinks) : Json();
}

Json LspServer::documentSymbol(const session::Snapshot &snapshot, const Json &) {
  Json all = Json::array();
  for (const features::Symbol &symbol : features::documentSymbols(snapshot))
    all.push_back(json(view(snapshot), symbol));
  return all;
}

Json LspServer::foldingRange(const session::Snapshot &snapshot, const Json &) {
  Json all = Json::array();
  for (const features::FoldingRange &fold : features::foldingRanges(snapshot))
    all.push_back(json(fold));
  return all;
}

Json LspServer::inlayHint(const session::Snapshot &snapshot, const Json &params) {
  Span range = spanOf(*snapshot.file.source, rangeFrom(params.at("range")), client_.encoding);
  Json all = Json::array();
  for (const features::InlayHint &hint : features::inlayHints(snapshot, range, settings().hints))
    all.push_back(json(view(snapshot), hint));
  return all;
}

Json LspServer::diagnostic(const session::Snapshot &snapshot, const Json &params) {
  Json items = json(view(snapshot), features::diagnostics(snapshot));
  std::string id = digest(items);
  if (at(params, {"previousResultId"}) == id)
    return {{"kind", "unchanged"}, {"resultId", id}};
  return {{"kind", "full"}, {"resultId", id}, {"items", std::move(items)}};
}

Json LspServer::completion(const session::Snapshot &snapshot, const Json &params) {
  uint32_t offset = offsetOf(*snapshot.file.source, positionFrom(params.at("position")), client_.encoding);
  Json all = Json::array();
  for (const features::CompletionItem &item : features::completion(snapshot, offset))
    all.push_back(json(view(snapshot), item));
  return {{"isIncomplete", false}, {"items", std::move(all)}};
}

void LspServer::resolveCompletion(const Reply &reply, const Json &params) {
  Json item = params;
  if (const Json &key = at(params, {"data", "key"}); key.is_string())
    if (std::string text = features::completionDocumentation(key.get<std::string>()); !text.empty())
      item["documentation"] = {{"kind", "markdown"}, {"value", text}};
  reply.result(item);
}

Json LspServer::signatureHelp(const session::Snapshot &snapshot, const Json &params) {
  uint32_t offset = offsetOf(*snapshot.file.source, positionFrom(params.at("position")), client_.encoding);
  std::optional<features::SignatureHelp> found = features::signatureHelp(snapshot, offset);
  return found ? json(*found) : Json();
}

Json LspServer::codeAction(const session::Snapshot &snapshot, const Json &params) {
  std::vector<std::string> wanted;
  if (const Json &only = at(params, {"context", "only"}); only.is_array()) {
    for (const Json &kind : only)
      if (kind.is_string())
        wanted.push_back(kind.get<std::string>());
    if (wanted.empty() && !only.empty())
      return Json::array();
  }
  Span range = spanOf(*snapshot.file.source, rangeFrom(params.at("range")), client_.encoding);
  Json all = Json::array();
  for (const features::Action &action : features::actions({snapshot, range, !client_.resolvesActions}, wanted)) {
    if (!action.error.empty())
      continue;
    Json one = json(view(snapshot), action);
    if (!action.complete)
      one["data"] = {{"uri", snapshot.uri}, {"version", snapshot.version}, {"range", json(view(snapshot), range)}};
    all.push_back(std::move(one));
  }
  return all;
}

Json LspServer::resolveCodeAction(const session::Snapshot &snapshot, const Json &params) {
  const Json &data = params.at("data");
  if (data.at("version") != snapshot.version)
    throw Refusal{ErrorCode::ContentModified, "the text changed"};
  Span range = spanOf(*snapshot.file.source, rangeFrom(data.at("range")), client_.encoding);
  for (const features::Action &action : features::actions({snapshot, range, true}, {params.at("kind").get<std::string>()}))
    if (params.at("title") == action.title) {
      if (!action.error.empty())
        throw Refusal{ErrorCode::RequestFailed, action.error};
      Json resolved = params;
      resolved.update(json(view(snapshot), action));
      return resolved;
    }
  throw Refusal{ErrorCode::RequestFailed, "this is offered no longer"};
}

Json LspServer::codeLens(const session::Snapshot &snapshot, const Json &) {
  Json all = Json::array();
  for (const features::CodeLens &lens : features::codeLenses(snapshot))
    all.push_back(json(view(snapshot), lens));
  return all;
}

/// A lens is complete from the start.
void LspServer::resolveCodeLens(const Reply &reply, const Json &params) { reply.result(params); }

Json LspServer::form(const session::Snapshot &snapshot, const Json &params) {
  std::optional<uint32_t> offset;
  if (const Json &position = at(params, {"position"}); position.is_object())
    offset = offsetOf(*snapshot.file.source, positionFrom(position), client_.encoding);
  features::FormText form = features::formText(snapshot, params.at("form").get<std::string>(), offset);
  if (!form.error.empty())
    throw Refusal{ErrorCode::RequestFailed, form.error};
  return json(view(snapshot), form);
}

} // namespace tilewright::lsp

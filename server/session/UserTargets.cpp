#include "session/UserTargets.h"
#include "session/Files.h"
#include "target/Facts.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace tilewright::session {

namespace {
constexpr size_t kLimit = 1 << 20; // bytes of a facts file

struct Document {
  std::string path;
  target::FactsFile file;
  std::vector<std::string> errors;
};

Document documentAt(const std::string &path) {
  Document document;
  document.path = path;
  FileError error;
  const auto text = readFile(path, error, kLimit);
  if (!text)
    document.errors.push_back(error.message);
  else if (text->size() > kLimit)
    document.errors.push_back("larger than a facts file can be, 1 MiB");
  else
    document.file = target::readFacts(*text, document.errors);
  return document;
}

/// The documents of the folder by name, so that every start reads them alike.
std::vector<Document> documentsIn(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code error;
  if (!folder.empty())
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".json")
        paths.push_back(it->path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Document> documents;
  for (const std::string &path : paths)
    documents.push_back(documentAt(path));
  return documents;
}

const target::FactsFile *named(const std::vector<Document> &documents, std::string_view id) {
  for (const Document &document : documents)
    if (document.errors.empty() && document.file.id == id)
      return &document.file;
  return nullptr;
}

/// What keeps a document that reads well from being used beside the built-in ones and `others`.
std::vector<std::string> conflicts(const target::FactsFile &file, const std::vector<Document> &others) {
  std::vector<std::string> errors;
  const bool plain = !file.id.starts_with('.') && std::all_of(file.id.begin(), file.id.end(), [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
  if (!plain)
    errors.push_back(file.id + ": id: letters, digits, `.`, `_` and `-` only, the first no dot");
  if (target::builtInSchema(file.id) || file.id == "cpu")
    errors.push_back(file.id + ": id: built in; give the document another");
  if (file.kind != "device")
    return errors;
  const target::FactsFile *architecture = named(others, file.architecture);
  const std::string schema = architecture ? architecture->schema : std::string(target::builtInSchema(file.architecture).value_or(""));
  if (schema.empty())
    errors.push_back(file.id + ": architecture: no document `" + file.architecture + "`; add that one first");
  else if (schema != file.schema.substr(0, file.schema.find('.')) + ".architecture")
    errors.push_back(file.id + ": architecture: `" + file.architecture + "` has the schema `" + schema + "`, which does not go with `" + file.schema + "`");
  return errors;
}
} // namespace

std::string userTargetsFolder() {
  if (const char *config = std::getenv("XDG_CONFIG_HOME"); config && *config)
    return std::string(config) + "/tilewright/targets";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.config/tilewright/targets";
  return {};
}

std::vector<std::string> loadUserTargets(const std::string &folder) {
  std::vector<Document> documents = documentsIn(folder);
  std::vector<std::string> warnings;
  std::vector<target::FactsFile> good;
  for (const Document &document : documents) {
    std::vector<std::string> errors = document.errors;
    if (errors.empty())
      errors = conflicts(document.file, documents);
    for (const std::string &error : errors)
      warnings.push_back(document.path + ": " + error + "; left out");
    if (errors.empty())
      good.push_back(document.file);
  }
  if (!good.empty())
    target::addTargets(std::move(good));
  return warnings;
}

TargetChange addUserTarget(const std::string &folder, const std::string &file) {
  TargetChange change;
  const auto wrong = [&](std::string error) {
    change.errors.push_back(std::move(error));
    return change;
  };
  if (folder.empty())
    return wrong("neither XDG_CONFIG_HOME nor HOME says where the configuration is");
  const Document document = documentAt(file);
  if (!document.errors.empty()) {
    change.errors = document.errors;
    return change;
  }
  change.id = document.file.id;
  change.isDevice = document.file.kind == "device";
  change.errors = conflicts(document.file, documentsIn(folder));
  if (!change.errors.empty())
    return change;
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  if (made)
    return wrong(folder + ": " + made.message());
  change.path = folder + "/" + change.id + ".json";
  FileError error;
  const auto text = readFile(file, error, kLimit);
  if (!text || !writeFile(change.path, *text, error))
    return wrong(change.path + ": " + error.message);
  return change;
}

TargetChange removeUserTarget(const std::string &folder, const std::string &id) {
  TargetChange change;
  change.id = id;
  const std::vector<Document> documents = documentsIn(folder);
  for (const Document &document : documents) {
    if (document.file.id != id)
      continue;
    change.path = document.path;
    change.isDevice = document.file.kind == "device";
  }
  if (change.path.empty()) {
    std::string added;
    for (const Document &document : documents)
      added += (added.empty() ? "" : ", ") + (document.file.id.empty() ? document.path : document.file.id);
    change.errors.push_back(target::builtInSchema(id) || id == "cpu" ? "`" + id + "` is built in; only what was added can be removed"
                                                       : "no document `" + id + "` was added; there " + (added.empty() ? "is none" : "are " + added));
    return change;
  }
  for (const Document &document : documents)
    if (document.file.kind == "device" && document.file.architecture == id)
      change.errors.push_back("`" + document.file.id + "` is of architecture `" + id + "`; remove it first");
  std::error_code error;
  if (change.errors.empty() && !std::filesystem::remove(change.path, error))
    change.errors.push_back(change.path + ": " + (error ? error.message() : std::string("is gone")));
  return change;
}

} // namespace tilewright::session

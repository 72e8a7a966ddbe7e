#include "cli/Report.h"

#include "lsp/Protocol.h"
#include "session/Files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace tilewright::cli {
namespace {
bool isSelector(std::string_view text) {
  auto word = [](std::string_view s) {
    return !s.empty() && !(s[0] >= '0' && s[0] <= '9') && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
  };
  while (true) {
    size_t dot = text.find('.');
    if (!word(text.substr(0, dot)))
      return false;
    if (dot == std::string_view::npos)
      return true;
    text.remove_prefix(dot + 1);
  }
}

void toStderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

bool isPlaced(const Diagnostic &diagnostic) { return diagnostic.span != Span{}; }

lsp::Json asJson(const Diagnostic &diagnostic, const SourceText &source) {
  constexpr const char *kSeverities[] = {"error", "warning", "information", "hint"};
  lsp::View view{source.path(), source, lsp::Encoding::Utf8};
  lsp::Json out = {{"file", source.path()},
                   {"range", lsp::json(view, diagnostic.span)},
                   {"severity", kSeverities[static_cast<int>(diagnostic.severity)]},
                   {"code", info(diagnostic.code).spelling},
                   {"message", diagnostic.message},
                   {"related", lsp::Json::array()},
                   {"fixes", lsp::Json::array()}};
  for (const Related &place : diagnostic.related)
    out["related"].push_back({{"file", source.path()}, {"range", lsp::json(view, place.span)}, {"message", place.message}});
  for (const Fix &fix : diagnostic.fixes) {
    lsp::Json edits = lsp::Json::array();
    for (const Edit &edit : fix.edits)
      edits.push_back({{"range", lsp::json(view, edit.span)}, {"newText", edit.text}});
    out["fixes"].push_back({{"title", fix.title}, {"edits", std::move(edits)}});
  }
  return out;
}
} // namespace

Source sourceNamed(const std::string &argument) {
  if (session::isRegularFile(argument))
    return {argument, {}};
  size_t colon = argument.rfind(':');
  if (colon != std::string::npos && colon > 0 && isSelector(std::string_view(argument).substr(colon + 1)))
    return {argument.substr(0, colon), argument.substr(colon + 1)};
  return {argument, {}};
}

int fail(int code, const std::string &text) {
  toStderr("tilewright: error: " + text + "\n");
  return code;
}

std::optional<std::map<std::string, int64_t>> dimensions(const std::vector<std::string> &arguments) {
  std::map<std::string, int64_t> dims;
  for (const std::string &argument : arguments) {
    size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail(kUsage, "--dim " + argument + ": expected NAME=EXTENT");
      return std::nullopt;
    }
    std::string name = argument.substr(0, equals), text = argument.substr(equals + 1);
    if (text.find(',') != std::string::npos) {
      fail(kUsage, "--dim " + name + " takes one extent; " + text + " are several");
      return std::nullopt;
    }
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
      fail(kUsage, "--dim " + name + ": `" + text + "` is not an integer");
      return std::nullopt;
    }
    if (!dims.emplace(name, value).second) {
      fail(kUsage, "--dim " + name + " is given twice");
      return std::nullopt;
    }
  }
  return dims;
}

std::optional<syntax::File> read(const Source &source) {
  session::FileError error;
  std::optional<std::string> text = session::readFile(source.path, error, syntax::kLargestFile);
  if (!text) {
    fail(kRefused, source.path + ": " + error.message);
    return std::nullopt;
  }
  return syntax::parse(source.path, std::move(*text));
}

std::optional<syntax::File> opened(const std::string &source, const std::vector<std::string> &dims, CompileOptions &options) {
  auto bound = dimensions(dims);
  if (!bound)
    return std::nullopt;
  options.dims = std::move(*bound);
  const Source named = sourceNamed(source);
  options.selector = named.selector;
  return read(named);
}

void print(std::vector<Diagnostic> diagnostics, const SourceText &source, bool json) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic &a, const Diagnostic &b) { return a.span < b.span; });
  auto same = [](const Diagnostic &a, const Diagnostic &b) { return a.span == b.span && a.code == b.code && a.message == b.message; };
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), same), diagnostics.end());
  if (json) {
    lsp::Json all = lsp::Json::array();
    for (const Diagnostic &one : diagnostics)
      all.push_back(asJson(one, source));
    return toStderr(lsp::serialize({{"diagnostics", std::move(all)}}) + "\n");
  }
  for (const Diagnostic &one : diagnostics) {
    if (isPlaced(one))
      toStderr(render(one, source));
    else // about the file as a whole, or about what was asked for
      toStderr(source.path() + ": error[" + std::string(info(one.code).spelling) + "]: " + one.message + "\n");
  }
}

int write(const std::string &out, std::string_view text) {
  session::FileError error;
  if (session::writeFile(out, text, error))
    return kFine;
  return fail(kRefused, (out.empty() || out == "-" ? std::string("standard output") : out) + ": " + error.message);
}

std::vector<Diagnostic> said(const syntax::File &file, const FunctionResult *result, const DiagnosticSink &sink) {
  std::vector<Diagnostic> all = sink.all();
  if (result && result->item < file.items.size())
    for (const Diagnostic &one : result->diagnostics)
      all.push_back(shifted(one, file.items[result->item].offset));
  if (!result || all.empty())
    for (const Diagnostic &one : file.diagnostics)
      all.push_back(one);
  return all;
}

bool hasErrors(const std::vector<Diagnostic> &diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic &one) { return one.severity == Severity::Error; });
}

} // namespace tilewright::cli

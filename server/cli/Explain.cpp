#include "cli/Commands.h"
#include "cli/Report.h"

#include <algorithm>
#include <string>

namespace tilewright::cli {
namespace {
std::string_view name(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Information: return "information";
  case Severity::Hint: return "hint";
  }
  return "error";
}

std::string wrapped(std::string_view text, size_t width) {
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > width) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string row(const CodeInfo &code) { return std::string(code.spelling) + " (" + std::string(name(code.severity)) + ")\n"; }
} // namespace

int explain(const std::string &spelling) {
  if (spelling.empty()) {
    std::string all;
    for (size_t i = 0; i < codeCount(); ++i)
      all += row(info(static_cast<Code>(i)));
    return write("", all);
  }
  std::optional<Code> code = codeNamed(spelling);
  if (!code)
    return fail(kUsage, "no diagnostic `" + spelling + "`; `tilewright explain` lists all of them");
  return write("", row(info(*code)) + "\n" + wrapped(info(*code).explanation, 88) + "\n");
}

} // namespace tilewright::cli

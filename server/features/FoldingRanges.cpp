#include "features/FoldingRanges.h"

#include "features/Names.h"

#include <algorithm>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;

bool isBracketed(Kind kind) {
  switch (kind) {
  case Kind::Parameters:
  case Kind::Call:
  case Kind::Subscript:
  case Kind::Tuple:
  case Kind::List:
  case Kind::Set:
  case Kind::Dict:
  case Kind::ListComp:
  case Kind::SetComp:
  case Kind::DictComp:
  case Kind::GeneratorExp:
  case Kind::String:
  case Kind::FString: return true;
  default: return false;
  }
}

void fold(Node node, uint32_t shift, const SourceText &text, std::vector<FoldingRange> &out) {
  auto lineOf = [&](uint32_t offset) { return text.at(offset + shift).line; };
  // A span that ends behind a newline ends on the line before.
  auto lastLine = [&](Span span) { return lineOf(span.end > span.begin ? span.end - 1 : span.end); };
  for (Node child : node.children()) {
    if (child.is(Kind::Block) && child.firstChild()) {
      uint32_t header = lineOf(child.firstChild().span().begin);
      // The header is the line before the block's first statement that holds code: the one of the colon.
      uint32_t start = node.is(Kind::ClassDef) || node.is(Kind::FunctionDef) ? node.nameSpan().begin : node.span().begin;
      for (Node before : node.children())
        if (before.span().begin < child.span().begin)
          start = std::max(start, before.span().end > 0 ? before.span().end - 1 : 0);
      uint32_t first = std::min(lineOf(start), header), last = lastLine(child.span());
      if (last > first)
        out.push_back({FoldingRange::Kind::Block, first, last});
    } else if (isBracketed(child.kind())) {
      uint32_t first = lineOf(child.span().begin), last = lastLine(child.span());
      if (last > first)
        out.push_back({FoldingRange::Kind::Block, first, last});
    }
    fold(child, shift, text, out);
  }
}

bool isComment(std::string_view line) {
  size_t at = line.find_first_not_of(" \t\f");
  return at != std::string_view::npos && line[at] == '#';
}
} // namespace

std::vector<FoldingRange> foldingRanges(const session::Snapshot &snapshot) {
  std::vector<FoldingRange> out;
  if (!snapshot.schedule)
    return out;
  const SourceText &text = *snapshot.file.source;
  size_t imports = 0;
  uint32_t importsFrom = 0, importsTo = 0;
  auto endImports = [&] {
    if (imports > 1 && importsTo > importsFrom)
      out.push_back({FoldingRange::Kind::Imports, importsFrom, importsTo});
    imports = 0;
  };
  for (const syntax::Item &item : snapshot.file.items) {
    Node root = item.tree->root();
    if (root.is(Kind::Import) || root.is(Kind::ImportFrom)) {
      if (imports++ == 0)
        importsFrom = text.at(root.span().begin + item.offset).line;
      importsTo = text.at(root.span().end + item.offset).line;
    } else {
      endImports();
    }
    fold(root, item.offset, text, out);
  }
  endImports();
  for (uint32_t line = 0; line < text.lineCount();) {
    uint32_t first = line;
    while (line < text.lineCount() && isComment(text.line(line)))
      ++line;
    if (line > first + 1)
      out.push_back({FoldingRange::Kind::Comment, first, line - 1});
    line = std::max(line, first + 1);
  }
  // Of several that start on one line an editor shows the widest.
  std::sort(out.begin(), out.end(), [](const FoldingRange &a, const FoldingRange &b) { return a.firstLine != b.firstLine ? a.firstLine < b.firstLine : a.lastLine > b.lastLine; });
  out.erase(std::unique(out.begin(), out.end(), [](const FoldingRange &a, const FoldingRange &b) { return a.firstLine == b.firstLine; }), out.end());
  return out;
}

} // namespace tilewright::features

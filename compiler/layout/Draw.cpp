#include "layout/Draw.h"

#include "layout/Algebra.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tilewright::layout {
namespace {
constexpr int64_t kGroupBytes = 16, kRowBytes = 128; // a group of four banks, all 32 banks

struct Cell {
  std::string text;
  int color = 0; // 0..7
};

/// What both pictures show.
struct Picture {
  std::string heading;
  std::vector<std::string> legend;    // by colour
  int64_t rows = 0, columns = 0, run = 1;
  std::vector<std::vector<Cell>> cells; // those that fit
  int64_t cellColumns() const { return columns / run; }
};

std::string plural(int64_t count, const std::string &noun) { return std::to_string(count) + " " + noun + (count == 1 ? "" : "s"); }

/// The largest run 1, 2, 4, ... of a row whose elements `follow` each other everywhere that is drawn.
int64_t runLength(int64_t rows, int64_t columns, int64_t most, const std::function<bool(int64_t row, int64_t column)> &follows) {
  int64_t run = 1;
  while (run * 2 <= most && columns % (run * 2) == 0) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        if (column % (run * 2) != 0 && !follows(row, column))
          return run;
    run *= 2;
  }
  return run;
}

std::optional<Picture> picture(const TensorLayout &layout, const std::vector<int64_t> &shape, const DrawOptions &options) {
  Picture out;
  if (options.maxRows < 1 || options.maxColumns < 1 || options.elementBits < 1 || (layout.swizzle && !valid(*layout.swizzle)) ||
      std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent <= 0; }))
    return std::nullopt;
  const std::vector<int64_t> modes = layout.shape.flat();
  if (std::any_of(modes.begin(), modes.end(), [](int64_t extent) { return extent <= 0; }))
    return std::nullopt;
  out.rows = shape.size() < 2 ? 1 : shape.front();
  out.columns = shape.empty() ? 1 : shape.back();
  const auto coordinate = [&](int64_t row, int64_t column) {
    std::vector<int64_t> at(shape.size());
    if (shape.size() >= 2)
      at.front() = row;
    if (!shape.empty())
      at.back() = column;
    return at;
  };
  const int64_t shownRows = std::min<int64_t>(out.rows, options.maxRows);
  const bool split = std::any_of(layout.states.begin(), layout.states.end(), [](const AxisState &state) { return state.kind == StateKind::Split; });
  const std::optional<Holders> holders = split ? Holders::of(layout, shape) : std::nullopt;
  if (split && !holders)
    return std::nullopt;
  std::function<Cell(int64_t row, int64_t column)> cell;
  // Columns looked at when runs are formed: no more than could be drawn.
  const auto looked = [&](int64_t longest) { return std::min<int64_t>(out.columns, options.maxColumns * longest); };
  if (holders) {
    const auto follows = [&](int64_t row, int64_t column) {
      const auto here = coordinate(row, column), before = coordinate(row, column - 1);
      return holders->position(here) == holders->position(before) && holders->value(here) == holders->value(before) + 1;
    };
    const int64_t width = looked(16);
    out.run = out.columns % width == 0 || width == out.columns ? runLength(shownRows, width, 16, follows) : 1;
    const std::string unit = layout.mesh->topologies.empty() ? "unit" : layout.mesh->topologies.back().name;
    out.heading = "cell: " + unit + ":value, of " + plural(holders->positions(), unit) + " holding " + plural(holders->held(), "value") + " each";
    if (holders->copies() > 1)
      out.heading += "; the first of " + std::to_string(holders->copies()) + " that hold it";
    cell = [&, holders](int64_t row, int64_t column) {
      const auto at = coordinate(row, column);
      const int64_t position = holders->position(at), value = holders->value(at);
      Cell result{std::to_string(unitAt(*layout.mesh, position)) + ":" + std::to_string(value), static_cast<int>(position % 8)};
      if (out.run > 1)
        result.text += "-" + std::to_string(value + out.run - 1);
      return result;
    };
    for (int i = 0; i < 8; ++i)
      out.legend.push_back(unit + " " + std::to_string(i) + " mod 8");
  } else {
    const Modes modes = modesOf(layout);
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    if (size(modes) != count)
      return std::nullopt;
    const int64_t rowStep = count / out.rows; // elements of one position of the first axis, in row-major order
    // By value: the cells are made after this block.
    const auto offset = [modes, rowStep, first = layout.offset](int64_t row, int64_t column) { return first + offsetAt(modes, row * rowStep + column); };
    const auto byte = [offset, &layout, bits = options.elementBits](int64_t row, int64_t column) { return byteAt(layout, offset(row, column), bits); };
    const int64_t longest = std::max<int64_t>(kGroupBytes * 8 / options.elementBits, 1);
    const auto follows = [&](int64_t row, int64_t column) {
      const int64_t here = offset(row, column), before = offset(row, column - 1), start = here * options.elementBits / 8, startBefore = before * options.elementBits / 8;
      return here == before + 1 && start / kGroupBytes == startBefore / kGroupBytes && byte(row, column) - byte(row, column - 1) == start - startBefore;
    };
    const int64_t width = looked(longest);
    out.run = out.columns % width == 0 ? runLength(shownRows, width, longest, follows) : 1;
    out.heading = options.banks ? "cell: byte/bank" : "cell: byte";
    if (out.run > 1)
      out.heading += " of " + std::to_string(out.run) + " elements";
    cell = [&, byte](int64_t row, int64_t column) {
      const int64_t at = byte(row, column);
      const int64_t within = ((at % kRowBytes) + kRowBytes) % kRowBytes;
      Cell result{std::to_string(at), static_cast<int>(within / kGroupBytes)};
      if (options.banks)
        result.text += "/" + std::to_string(within / 4);
      return result;
    };
    for (int i = 0; i < 8; ++i)
      out.legend.push_back("banks " + std::to_string(4 * i) + "-" + std::to_string(4 * i + 3));
  }
  if (shape.size() > 2)
    out.heading += "; first and last of " + std::to_string(shape.size()) + " axes, the others at 0";
  const int64_t shownColumns = std::min<int64_t>(out.cellColumns(), options.maxColumns);
  for (int64_t row = 0; row < shownRows; ++row) {
    out.cells.emplace_back();
    for (int64_t i = 0; i < shownColumns; ++i)
      out.cells.back().push_back(cell(row, i * out.run));
  }
  return out;
}

std::string padded(const std::string &text, size_t width) { return std::string(width > text.size() ? width - text.size() : 0, ' ') + text; }

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}
} // namespace

std::vector<int64_t> shapeOf(const TensorLayout &layout) {
  if (!layout.shape.isTuple)
    return {layout.shape.value};
  std::vector<int64_t> shape;
  for (const IntTuple &element : layout.shape.elements)
    shape.push_back(element.product());
  return shape;
}

std::string drawText(const TensorLayout &layout, const std::vector<int64_t> &shape, const DrawOptions &options) {
  const auto drawn = picture(layout, shape, options);
  if (!drawn)
    return {};
  size_t width = 1, label = std::to_string(drawn->rows - 1).size();
  for (const auto &row : drawn->cells)
    for (const Cell &cell : row)
      width = std::max(width, cell.text.size());
  const size_t shown = drawn->cells[0].size();
  width = std::max(width, std::to_string(static_cast<int64_t>(shown - 1) * drawn->run).size());
  const bool moreColumns = static_cast<int64_t>(shown) < drawn->cellColumns(), moreRows = static_cast<int64_t>(drawn->cells.size()) < drawn->rows;
  std::string out = drawn->heading + "\n" + std::string(label, ' ');
  for (size_t i = 0; i < shown; ++i)
    out += "  " + padded(std::to_string(static_cast<int64_t>(i) * drawn->run), width);
  for (size_t row = 0; row < drawn->cells.size(); ++row) {
    out += "\n" + padded(std::to_string(row), label);
    for (const Cell &cell : drawn->cells[row])
      out += "  " + padded(cell.text, width);
    out += moreColumns ? "  ..." : "";
  }
  if (moreRows || moreColumns) {
    out += "\n... ";
    out += moreRows ? std::to_string(drawn->rows) + " rows" : "";
    out += moreRows && moreColumns ? ", " : "";
    out += moreColumns ? std::to_string(drawn->columns) + " columns" : "";
    out += " in all";
  }
  return out;
}

std::string drawSvg(const TensorLayout &layout, const std::vector<int64_t> &shape, const std::string &title, const DrawOptions &options) {
  const auto drawn = picture(layout, shape, options);
  if (!drawn)
    return {};
  // Eight light colours that stay apart for readers who do not see all colours, and in grey print through the text in the cells.
  constexpr std::array<const char *, 8> kColors{"#a6cee3", "#fdd0a2", "#b2df8a", "#fbb4b9", "#cab2d6", "#fff2ae", "#99d8c9", "#d9d9d9"};
  size_t longest = 1;
  for (const auto &row : drawn->cells)
    for (const Cell &cell : row)
      longest = std::max(longest, cell.text.size());
  const int cellWidth = static_cast<int>(std::max<size_t>(longest * 6 + 8, 24)), cellHeight = 18, left = 36, top = 58;
  const int rows = static_cast<int>(drawn->cells.size()), columns = static_cast<int>(drawn->cells[0].size());
  const bool whole = rows == drawn->rows && columns == drawn->cellColumns();
  const int legendWidth = 92, legendColumns = 4, legendTop = top + rows * cellHeight + (whole ? 14 : 30);
  const int width = std::max({left + columns * cellWidth + 12, left + legendColumns * legendWidth, left + static_cast<int>(std::max(title.size(), drawn->heading.size())) * 7});
  const int height = legendTop + 2 * 18 + 8;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) + "\" width=\"" +
                    std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" font-family=\"monospace\" font-size=\"10\">\n";
  out += "<title>" + escaped(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  const auto text = [&](int x, int y, const std::string &content, const std::string &more) {
    out += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + more + ">" + escaped(content) + "</text>\n";
  };
  text(left, 16, title, " font-size=\"12\" font-weight=\"bold\"");
  text(left, 32, drawn->heading, "");
  for (int i = 0; i < columns; ++i)
    text(left + i * cellWidth + cellWidth / 2, top - 6, std::to_string(i * drawn->run), " text-anchor=\"middle\" fill=\"#666666\"");
  for (int row = 0; row < rows; ++row) {
    text(left - 6, top + row * cellHeight + 13, std::to_string(row), " text-anchor=\"end\" fill=\"#666666\"");
    for (int i = 0; i < columns; ++i) {
      const Cell &cell = drawn->cells[static_cast<size_t>(row)][static_cast<size_t>(i)];
      out += "<rect x=\"" + std::to_string(left + i * cellWidth) + "\" y=\"" + std::to_string(top + row * cellHeight) + "\" width=\"" + std::to_string(cellWidth) +
             "\" height=\"" + std::to_string(cellHeight) + "\" fill=\"" + kColors[static_cast<size_t>(cell.color)] + "\" stroke=\"#444444\" stroke-width=\"0.5\"/>\n";
      text(left + i * cellWidth + cellWidth / 2, top + row * cellHeight + 13, cell.text, " text-anchor=\"middle\"");
    }
  }
  if (!whole)
    text(left, top + rows * cellHeight + 14, "part of " + std::to_string(drawn->rows) + " rows and " + std::to_string(drawn->columns) + " columns", " fill=\"#666666\"");
  for (int i = 0; i < 8; ++i) {
    const int x = left + i % legendColumns * legendWidth, y = legendTop + i / legendColumns * 18;
    out += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"10\" height=\"10\" fill=\"" + kColors[static_cast<size_t>(i)] +
           "\" stroke=\"#444444\" stroke-width=\"0.5\"/>\n";
    text(x + 14, y + 9, drawn->legend[static_cast<size_t>(i)], "");
  }
  return out + "</svg>\n";
}

} // namespace tilewright::layout

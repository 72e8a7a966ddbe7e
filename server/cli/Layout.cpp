#include "cli/Commands.h"
#include "cli/Report.h"
#include "instruction/Types.h"
#include "ir/LayoutText.h"
#include "layout/Banks.h"
#include "layout/Draw.h"

#include <algorithm>
#include <charconv>

namespace tilewright::cli {
namespace {

/// `64,64`, `(64, 64)`.
std::optional<std::vector<int64_t>> extents(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '(' || c == ')'; });
  std::vector<int64_t> out;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + comma, value);
    if (error != std::errc() || end != text.data() + comma || value <= 0)
      return std::nullopt;
    out.push_back(value);
    at = comma + 1;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string accesses(const ir::StandaloneLayout &read, int bits) {
  std::string out;
  if (layout::isSharded(read.layout))
    return out;
  for (const layout::PatternBanks &banks : layout::patternBanks(read.layout, read.shape, bits)) {
    std::string name = "32 lanes along a row";
    if (banks.pattern == layout::AccessPattern::Column)
      name = "32 lanes down a column";
    else if (banks.pattern == layout::AccessPattern::Matrices)
      name = "ldmatrix, 8 rows each";
    name += ", " + std::to_string(banks.bytes) + " B";
    out += name + std::string(name.size() < 30 ? 30 - name.size() : 1, ' ') + "wavefronts " + std::to_string(banks.worst.wavefronts) + ", without conflicts " +
           std::to_string(banks.worst.ideal) + (banks.worst.ways > 1 ? " (" + std::to_string(banks.worst.ways) + "-way)" : "") + "\n";
  }
  return out;
}

} // namespace

int layout(const LayoutArguments &arguments) {
  const auto dtype = instruction::dtypeNamed(arguments.dtype);
  if (!dtype)
    return fail(kUsage, "--dtype: no dtype `" + arguments.dtype + "`");
  std::optional<std::vector<int64_t>> shape;
  if (!arguments.shape.empty() && !(shape = extents(arguments.shape)))
    return fail(kUsage, "--shape: `" + arguments.shape + "` is no list of positive extents, such as 64,64");
  if (arguments.rows < 1 || arguments.columns < 1 || arguments.rows > 1024 || arguments.columns > 1024)
    return fail(kUsage, "--rows and --columns go from 1 to 1024");
  std::vector<ir::MeshText> meshes;
  for (const std::string &mesh : arguments.meshes) {
    const size_t equals = mesh.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(kUsage, "--mesh " + mesh + ": expected NAME=Mesh(...)");
    meshes.push_back({mesh.substr(0, equals), mesh.substr(equals + 1)});
  }
  DiagnosticSink sink;
  const auto read = ir::readLayout(arguments.text, shape, meshes, sink);
  if (!read) {
    for (const Diagnostic &diagnostic : sink.all())
      fail(kRefused, diagnostic.message);
    return kRefused;
  }
  const int bits = instruction::bits(*dtype);
  const layout::DrawOptions options{.elementBits = bits, .maxRows = arguments.rows, .maxColumns = arguments.columns};
  const std::string drawn = layout::drawText(read->layout, read->shape, options);
  if (drawn.empty())
    return fail(kRefused, "the layout holds no element that could be drawn");
  const std::string title = read->text + " of " + std::string(instruction::name(*dtype));
  if (!arguments.svg.empty())
    if (const int code = write(arguments.svg, layout::drawSvg(read->layout, read->shape, title, options)); code != kFine)
      return code;
  const std::string banks = accesses(*read, bits);
  if (arguments.svg == "-")
    return kFine;
  return write(arguments.out, title + "\n" + drawn + "\n" + (banks.empty() ? "" : "\n" + banks));
}

} // namespace tilewright::cli

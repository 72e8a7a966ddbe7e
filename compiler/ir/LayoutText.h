// A layout that stands alone, as a command line states it: the text goes through the evaluator and the importer that read it in a schedule.
// Thread rule: functions of their arguments.
#pragma once
#include "layout/Print.h"
#include "support/Diagnostic.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::ir {

/// `th = Mesh((Topology("thread", 128),), layout=(4, 32), names=("w", "l"))`.
struct MeshText {
  std::string name, text;
};
struct StandaloneLayout {
  layout::TensorLayout layout;
  std::vector<int64_t> shape;            // of the tensor: as given, or what the layout's top-level modes come to
  std::vector<layout::NamedMesh> scopes; // for printing
  std::string text;                      // as a report would print it
};
/// `meshes` are open scopes, the outermost first; with one, the shape of the tensor must be given, since split axes are factored. What is wrong goes
/// to the sink, without places.
std::optional<StandaloneLayout> readLayout(std::string_view text, const std::optional<std::vector<int64_t>> &shape, const std::vector<MeshText> &meshes,
                                           DiagnosticSink &sink);

} // namespace tilewright::ir

// Types as the DSL spells them: `Tensor[(64, 64), "bf16", (64, 64), "smem"]`, `Tuple[...]`. What an annotation, a comment and a
// `type=` attribute share.
#pragma once
#include "ir/Types.h"
#include "layout/Print.h"

#include <string>

namespace tilewright::ir {

/// A layout that needs several lines (layout::printLayout) starts them `indent` deep; a comment takes layout::oneLine of the text.
std::string printType(const Type &type, const layout::AxisNamer &axisName, int indent = 0);
std::string printTensorType(const TensorType &type, const layout::AxisNamer &axisName, int indent = 0);

} // namespace tilewright::ir

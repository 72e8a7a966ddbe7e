#include "ir/PrintType.h"

namespace tilewright::ir {

std::string printTensorType(const TensorType &type, const layout::AxisNamer &axisName, int indent) {
  std::string out = "Tensor[" + layout::printTuple(type.shape) + ", \"" + std::string(name(type.dtype)) + "\"";
  if (type.layout) {
    const std::string text = layout::printLayout(*type.layout, axisName, indent);
    out += (text.starts_with('\n') ? "," : ", ") + text;
  }
  if (type.storage != Storage::Gmem)
    out += ", \"" + std::string(name(type.storage)) + "\"";
  return out + "]";
}

std::string printType(const Type &type, const layout::AxisNamer &axisName, int indent) {
  if (!type.isTuple)
    return printTensorType(type.tensor, axisName, indent);
  std::string out = "Tuple[";
  for (size_t i = 0; i < type.fields.size(); ++i)
    out += (i ? ", " : "") + printType(type.fields[i], axisName, indent);
  return out + "]";
}

} // namespace tilewright::ir

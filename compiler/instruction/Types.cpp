#include "instruction/Types.h"

#include <array>

namespace tilewright::instruction {

namespace {
struct DTypeRow {
  DType dtype;
  std::string_view name;
  int bits;
};
constexpr std::array kDTypes{DTypeRow{DType::Bool, "bool", 1},       DTypeRow{DType::I32, "i32", 32},   DTypeRow{DType::I64, "i64", 64},
                             DTypeRow{DType::F32, "f32", 32},        DTypeRow{DType::F16, "f16", 16},   DTypeRow{DType::BF16, "bf16", 16},
                             DTypeRow{DType::F8E4M3, "fp8e4m3", 8},  DTypeRow{DType::F8E8M0, "f8e8m0", 8},
                             DTypeRow{DType::F4E2M1, "f4e2m1", 4}};
constexpr std::array<std::string_view, 6> kStorages{"host", "gmem", "smem", "rmem", "tmem", "umat"};
} // namespace

std::string_view name(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].name; }

std::optional<DType> dtypeNamed(std::string_view name) {
  for (const DTypeRow &row : kDTypes)
    if (row.name == name)
      return row.dtype;
  return std::nullopt;
}

int bits(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].bits; }

bool isInteger(DType dtype) { return dtype == DType::I32 || dtype == DType::I64; }

bool isFloat(DType dtype) { return dtype != DType::Bool && !isInteger(dtype); }

std::string_view name(Storage storage) { return kStorages[static_cast<size_t>(storage)]; }

std::optional<Storage> storageNamed(std::string_view name) {
  for (size_t i = 0; i < kStorages.size(); ++i)
    if (kStorages[i] == name)
      return static_cast<Storage>(i);
  return std::nullopt;
}

int64_t TensorType::elements() const {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

int64_t TensorType::bytes() const { return (elements() * bits(dtype) + 7) / 8; }

Type Type::tuple(std::vector<Type> fields) {
  Type type;
  type.isTuple = true;
  type.fields = std::move(fields);
  return type;
}

Type scalar(DType dtype, Storage storage) {
  TensorType type;
  type.dtype = dtype;
  type.storage = storage;
  return type;
}

std::vector<int64_t> localShape(const TensorType &type, const std::vector<std::string> &levels) {
  return type.layout ? layout::localShape(*type.layout, type.shape, levels) : type.shape;
}

} // namespace tilewright::instruction

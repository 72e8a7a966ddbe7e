// What an operand can be: dtype, storage, and the type of a tensor value as plain data. Left of the IR, because the contracts of
// instructions speak of operand types; ir/Types.h gives the same names to the layers right of it, and the MLIR types of the dialect
// carry the same information (ir/HirTypes.cpp converts both ways).
#pragma once
#include "layout/Layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::instruction {

enum class DType : uint8_t { Bool, I32, I64, F32, F16, BF16, F8E4M3, F8E8M0, F4E2M1 };
std::string_view name(DType dtype);                       // "bool" "i32" "i64" "f32" "f16" "bf16" "fp8e4m3" "f8e8m0" "f4e2m1"
std::optional<DType> dtypeNamed(std::string_view name);
int bits(DType dtype);                                    // bool is 1
bool isFloat(DType dtype);
bool isInteger(DType dtype);                              // i32, i64

enum class Storage : uint8_t { Host, Gmem, Smem, Rmem, Tmem, Umat };
std::string_view name(Storage storage);
std::optional<Storage> storageNamed(std::string_view name);

struct TensorType {
  std::vector<int64_t> shape;                             // extents; empty: a scalar
  DType dtype = DType::F32;
  std::optional<layout::TensorLayout> layout;
  Storage storage = Storage::Gmem;

  int64_t elements() const;
  int64_t bytes() const;                                  // whole value, rounded up to bytes
  bool operator==(const TensorType &) const = default;
};

/// A tensor or a tuple of types.
struct Type {
  TensorType tensor;
  std::vector<Type> fields;
  bool isTuple = false;

  Type() = default;
  Type(TensorType t) : tensor(std::move(t)) {}
  static Type tuple(std::vector<Type> fields);
  bool operator==(const Type &) const = default;
};

/// A scalar i64: coordinates live in rmem, literals and loop arithmetic in umat.
Type scalar(DType dtype, Storage storage);

/// The part of the value one unit of the last of `levels` holds (layout::localShape).
std::vector<int64_t> localShape(const TensorType &type, const std::vector<std::string> &levels);

} // namespace tilewright::instruction

// The position of a Python iterator. Cursors are lazy, so `next()` over a generator expression computes one element, and
// `zip(names, itertools.count())` ends.
// Thread rule: belongs to the evaluation that made it.
#pragma once
#include "syntax/Constants.h"

namespace tilewright::syntax {

class Interpreter;

class Cursor {
public:
  virtual ~Cursor() = default;
  /// The next element; null at the end.
  virtual ValueRef next(Interpreter &interpreter) = 0;
  /// How many elements are left, where that is known without computing them.
  virtual std::optional<uint64_t> left() const { return std::nullopt; }
  std::string_view kind = "iterator"; // as Python names the type
};
using CursorRef = std::shared_ptr<Cursor>;

} // namespace tilewright::syntax

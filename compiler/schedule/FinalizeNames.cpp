#include "schedule/FinalizeNames.h"

namespace tilewright::schedule {

std::string Names::fresh(const std::string &stem) {
  std::string name = stem;
  for (int i = 1; !taken_.insert(name).second; ++i)
    name = stem + "_" + std::to_string(i);
  return name;
}

namespace {
namespace tir = ir::tir;

struct Uniter {
  tir::Function &function;
  std::set<std::string> taken;

  std::string next(const std::string &wanted) {
    std::string name = wanted;
    for (int i = 2; !taken.insert(name).second; ++i)
      name = wanted + "_" + std::to_string(i);
    return name;
  }
  void name(tir::ValueId id) {
    std::string &own = function.values[static_cast<size_t>(id)].name;
    own = next(own);
  }
  void block(tir::Block &body) { // depth: regions, at most 200
    for (tir::Statement &one : body) {
      if (one.kind == tir::StatementKind::Scope) {
        std::string &own = function.scopes[static_cast<size_t>(one.scope)].name;
        own = next(own);
      } else if (one.value != tir::kNone) {
        name(one.value);
      }
      block(one.body);
    }
  }
};
} // namespace

void uniteNames(ir::tir::Function &function) {
  Uniter uniter{function, {}};
  for (tir::ValueId parameter : function.parameters)
    uniter.name(parameter);
  uniter.block(function.body);
}

} // namespace tilewright::schedule

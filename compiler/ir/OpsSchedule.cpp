// tf.schedule: work done by one named instruction. The result is the destination, with its type.
#include "ir/OpRules.h"

#include <algorithm>
#include <array>

namespace tilewright::ir::rules {

namespace {
using Kind = AttributeSpec::Kind;

/// Where the operands of an instruction start and which one it writes. Matching of layouts against the instruction's own
/// declarations belongs to the instruction table; typing only needs the roles.
struct Roles {
  std::string_view name;
  size_t least, most;
  size_t destination;
};
constexpr std::array kRoles{
    Roles{"T.copy", 2, 2, 1},        Roles{"T.copy_async", 2, 3, 1}, Roles{"T.copy_async_tensor", 2, 2, 1},
    Roles{"T.tiled_mma", 3, 3, 0},   Roles{"T.ldmatrix", 2, 2, 1},   Roles{"T.cast", 2, 2, 1},
    Roles{"T.unary", 2, 2, 1},       Roles{"T.binary", 3, 3, 2},     Roles{"T.clamp", 2, 2, 1},
    Roles{"T.relu", 2, 2, 1},        Roles{"T.reduce", 2, 2, 1},
};

Inferred inferSchedule(const OpUse &use, const InferContext &) {
  const Attribute *attribute = find(use.attributes, "op");
  const Instruction *instruction = attribute ? std::get_if<Instruction>(attribute) : nullptr;
  if (!instruction)
    return fail("`op` names the instruction, as in `op=T.copy()`", -1, "op");
  const auto roles = std::find_if(kRoles.begin(), kRoles.end(), [&](const Roles &row) { return row.name == instruction->name; });
  if (roles == kRoles.end())
    return fail("`" + instruction->name + "` is not an instruction that can be scheduled", -1, "op");
  if (use.operands.size() < roles->least || use.operands.size() > roles->most)
    return fail("`" + instruction->name + "` takes " + std::to_string(roles->least) +
                (roles->most != roles->least ? " to " + std::to_string(roles->most) : std::string()) + " operands, got " +
                std::to_string(use.operands.size()));
  return done(tensor(use, roles->destination));
}
} // namespace

void addSchedule(std::vector<OpSpec> &table) {
  OperandSpec operands{"operands"};
  operands.variadic = true;
  table.push_back({Op::Schedule, {}, {}, {operands},
                   {{"op", Kind::Instruction},
                    {"repeat", Kind::Ints, {}, {}, Attribute()},
                    {"order", Kind::Ints, {}, {}, Attribute()}},
                   inferSchedule, "schedule"});
}

} // namespace tilewright::ir::rules

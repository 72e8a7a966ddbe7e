// tf.schedule: work done by one named instruction. The result is the destination, with its type; whether the instruction can do the work is
// asked of its contract (instruction/Match.h).
#include "instruction/Table.h"
#include "ir/InstructionCode.h"
#include "ir/OpRules.h"
#include "layout/Print.h"
#include "support/Codes.h"

namespace tilewright::ir {

Code codeOf(const instruction::Match &refused) {
  switch (refused.node) {
  case instruction::Node::Count: return Code::InstructionOperandCount;
  case instruction::Node::Parameter: return Code::InstructionParameter;
  case instruction::Node::Repeat: return Code::InstructionRepeat;
  case instruction::Node::Order: return Code::InstructionOrder;
  case instruction::Node::Tiling: return Code::InstructionTiling;
  case instruction::Node::Mesh: return Code::InstructionMesh;
  case instruction::Node::Between: return Code::InstructionOperandsDiffer;
  case instruction::Node::Scope: return Code::InstructionScope;
  case instruction::Node::Capability: return Code::InstructionCapability;
  case instruction::Node::Operand:
    switch (refused.field) {
    case instruction::Field::DType: return Code::InstructionOperandDType;
    case instruction::Field::Storage: return Code::InstructionOperandStorage;
    case instruction::Field::Shape: return Code::InstructionOperandShape;
    default: return Code::InstructionOperandLayout;
    }
  case instruction::Node::None: break;
  }
  return Code::OpType;
}

} // namespace tilewright::ir

namespace tilewright::ir::rules {

namespace {
using Kind = AttributeSpec::Kind;
using instruction::Match;
using instruction::Node;

/// The attribute of the call that a refusal is about; "" where it is about operands.
std::string attributeOf(const Match &refused) {
  switch (refused.node) {
  case Node::Repeat: return "repeat";
  case Node::Order: return "order";
  case Node::Mesh:
  case Node::Capability:
  case Node::Parameter: return "op";
  case Node::Tiling: return refused.operand < 0 || !refused.parameter.empty() ? "op" : "";
  default: return "";
  }
}

Inferred refusedBy(const instruction::Use &use, const Match &refused) {
  instruction::Advice advice = instruction::advise(use, refused);
  InstructionRefusal refusal{codeOf(refused), refused.parameter, refused.node == Node::Count, refused.node == Node::Mesh || refused.node == Node::Scope, std::move(advice.remedies)};
  const std::string attribute = attributeOf(refused);
  Inferred inferred = fail("`" + refused.id + "`: " + layout::oneLine(refused.reason) + (advice.meaning.empty() ? "" : "; " + advice.meaning), attribute.empty() ? refused.operand : -1,
                           attribute);
  inferred.refusal = std::make_shared<const InstructionRefusal>(std::move(refusal));
  return inferred;
}

Inferred inferSchedule(const OpUse &use, const InferContext &context) {
  const Attribute *attribute = find(use.attributes, "op");
  const Instruction *authored = attribute ? std::get_if<Instruction>(attribute) : nullptr;
  if (!authored)
    return fail("`op` names the instruction, as in `op=T.copy()`", -1, "op");
  const instruction::Row *row = instruction::rowNamed(authored->name);
  if (row && row->kind == instruction::Row::Kind::Atom)
    return fail("`" + authored->name + "` is no instruction of its own; `T.tiled_mma(atom=...)` repeats it", -1, "op");
  instruction::CanonicalInstruction complete = instruction::canonical(*authored);
  if (!complete.error.empty()) {
    Inferred inferred = fail(complete.error, -1, "op");
    inferred.refusal = std::make_shared<const InstructionRefusal>(InstructionRefusal{Code::InstructionParameter, complete.parameter, false, false, {}});
    return inferred;
  }
  instruction::Use one;
  one.instruction = std::move(complete.instruction);
  for (size_t i = 0; i < use.operands.size(); ++i)
    one.operands.push_back(tensor(use, i));
  one.scopes = context.enclosing;
  if (one.scopes.empty() && context.mesh)
    one.scopes.push_back(context.mesh);
  one.target = context.target;
  if (given(use, "repeat"))
    one.repeat = intsOf(use, "repeat");
  if (given(use, "order"))
    one.order = intsOf(use, "order");
  const Match matched = instruction::match(one);
  if (!matched.accepted)
    return refusedBy(one, matched);
  return done(tensor(use, row->destination));
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

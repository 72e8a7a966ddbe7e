// What a refusal means and which change would lift it. A remedy is offered only where the use matches once it is made, so that an editor can apply it
// without asking.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Match.h"

namespace tilewright::instruction {

struct Remedy {
  enum class Part : uint8_t { Repeat, Order, Parameter, OperandLayout, OperandStorage, OperandDType, Scope };
  Part part = Part::Repeat;
  std::string title;     // `use repeat=(1, 1, 4)`
  std::string parameter; // Parameter: its name, of the atom where there is one
  std::string text;      // what stands in its place; layouts are printed by whoever knows the names of the mesh axes
  int operand = -1;
  std::optional<layout::TensorLayout> layout; // OperandLayout
  std::optional<layout::Mesh> mesh;           // Scope: opened around the statement
};

struct Advice {
  std::string meaning; // lower case, no full stop: what was seen, then what the instruction takes and whose limit that is
  std::vector<Remedy> remedies;
};
Advice advise(const Use &use, const Match &refused);

} // namespace tilewright::instruction

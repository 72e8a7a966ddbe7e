// The instructions as the editor speaks of them: their dotted names, parameters and contracts.
#pragma once
#include "features/Signatures.h"
#include "instruction/Instruction.h"
#include "target/Target.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::features {

/// Every name under `T.` that stands for an instruction or an atom, sorted.
const std::vector<std::string> &instructionNames();
bool isInstruction(std::string_view name);
/// `T.cuda.sm90.Wgmma`: what T.tiled_mma repeats.
bool isAtom(std::string_view name);
Signature instructionSignature(std::string_view name);

/// The enumerations that ops and instructions take values of: `T.cuda.sm90.Form`, `ReduceKind`.
struct Enumeration {
  std::string name;
  std::vector<std::string> members; // `SS`
};
const std::vector<Enumeration> &enumerations();
const Enumeration *enumerationNamed(std::string_view name);

/// The contract of an instruction as Markdown, for one target if there is one, narrowed by the parameters that are given.
std::string contractMarkdown(std::string_view name, const instruction::Instruction &given, const target::Target *target);
/// One of its parameters: what it may be, and what is left of that.
std::string parameterMarkdown(std::string_view name, std::string_view parameter, const instruction::Instruction &given, const target::Target *target);
/// An enumeration or a member of one: `T.cuda.sm90.Form`, `T.cuda.sm90.Form.SS`; empty for anything else.
std::string enumerationMarkdown(std::string_view name);

} // namespace tilewright::features

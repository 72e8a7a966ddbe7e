#include "features/InstructionChoices.h"

#include "instruction/Match.h"
#include "instruction/Table.h"
#include "ir/PrintValue.h"

#include <algorithm>

namespace tilewright::features {
namespace {
constexpr size_t kVariants = 12; // of one instruction

/// The file with the call's `op=` left open and the rest of its line gone, without the other modules: what has to be read to know the operands.
struct Reduced {
  syntax::File file;
  uint32_t call = 0; // where the bracket of the tf.schedule is in it
};

std::optional<Reduced> reduced(const session::Snapshot &snapshot, const Cursor &cursor, size_t depth) {
  std::string_view text = snapshot.file.source->text();
  const OpenBracket &open = cursor.brackets[depth];
  const syntax::Item *here = snapshot.file.itemAt(open.at);
  if (!here)
    return std::nullopt;
  std::string made;
  uint32_t call = 0;
  for (const syntax::Item &item : snapshot.file.items) {
    if (&item != here) {
      if (item.tree->root().form() != syntax::Form::ModuleDeclaration)
        made += item.tree->text + "\n";
      continue;
    }
    call = static_cast<uint32_t>(made.size()) + open.at - item.offset;
    made += text.substr(item.offset, open.valueBegin - item.offset);
    made += "None";
    for (size_t i = depth + 1; i-- > 0;)
      made += cursor.brackets[i].kind == '(' ? ')' : cursor.brackets[i].kind == '[' ? ']' : '}';
    made += "\n";
    uint32_t rest = std::max(cursor.lineEnd, cursor.offset), end = std::max(item.span().end, rest);
    made += text.substr(rest, end - rest);
    made += "\n";
  }
  return Reduced{syntax::parse(snapshot.file.source->path(), std::move(made)), call};
}

std::string repeatText(const instruction::Match &match) {
  if (match.repeat.empty() || std::all_of(match.repeat.begin(), match.repeat.end(), [](int64_t count) { return count == 1; }))
    return "matches";
  return "matches, repeat=" + layout::printTuple(match.repeat);
}
} // namespace

std::optional<std::vector<InstructionChoice>> instructionChoices(const session::Snapshot &snapshot, const Cursor &cursor) {
  // The tf.schedule, and whether the cursor is in the atom of its instruction.
  size_t depth = cursor.brackets.size();
  bool atom = false;
  for (size_t i = cursor.brackets.size(); i-- > 0 && depth == cursor.brackets.size();) {
    const OpenBracket &open = cursor.brackets[i];
    if (open.callee == "tf.schedule" && open.keyword == "op")
      depth = i;
    else if (open.callee == "T.tiled_mma" && open.keyword == "atom" && i + 1 == cursor.brackets.size())
      atom = true;
    else
      break;
  }
  if (depth == cursor.brackets.size())
    return std::nullopt;
  std::optional<Reduced> text = reduced(snapshot, cursor, depth);
  if (!text)
    return std::nullopt;
  CompileOptions options;
  std::optional<TypeNotes> notes = typeNotes(text->file, text->call, options);
  if (!notes)
    return std::nullopt;
  uint32_t at = text->call - text->file.items[notes->item].offset;
  const ir::ImportNotes::Schedule *use = nullptr;
  for (const ir::ImportNotes::Schedule &one : notes->notes.schedules)
    if (one.call.contains(at) && (!use || one.call.size() < use->call.size()))
      use = &one;
  if (!use)
    return std::nullopt;
  instruction::Use wanted;
  wanted.scopes = use->scopes;
  wanted.target = notes->target;
  for (const ir::Type &operand : use->operands) {
    if (operand.isTuple)
      return std::nullopt;
    wanted.operands.push_back(operand.tensor);
  }
  std::vector<InstructionChoice> accepted, refused;
  for (const instruction::Row &row : instruction::rows()) {
    if (!row.listed || row.kind == instruction::Row::Kind::Atom || (atom && row.id != "T.tiled_mma"))
      continue;
    if (notes->target && !instruction::admits(*notes->target, row))
      continue;
    wanted.instruction = {row.id, {}};
    size_t variants = 0;
    for (const instruction::Match &match : instruction::matchOpen(wanted)) {
      InstructionChoice choice{match.id, {}, match.accepted, match.accepted ? repeatText(match) : match.reason};
      const instruction::Instruction *shown = &match.instruction;
      if (atom)
        if (const instruction::InstructionParameter *inner = instruction::find(match.instruction, "atom"))
          if (const auto *list = std::get_if<std::vector<instruction::Instruction>>(inner); list && !list->empty())
            shown = &list->front();
      if (match.accepted) {
        choice.text = ir::printInstruction(*shown);
        if (++variants <= kVariants)
          accepted.push_back(std::move(choice));
      } else {
        if (!atom)
          choice.id = row.id;
        choice.text = choice.id + "()";
        refused.push_back(std::move(choice));
      }
    }
  }
  accepted.insert(accepted.end(), std::make_move_iterator(refused.begin()), std::make_move_iterator(refused.end()));
  return accepted;
}

} // namespace tilewright::features

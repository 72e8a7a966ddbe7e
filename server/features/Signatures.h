// What can be called or subscripted by name in a schedule, with its parameters: ops, instructions, the constructs around them, functions
// of the file. Signature help, completion of arguments and hovers read the same rows.
#pragma once
#include "ir/OpTable.h"
#include "session/Snapshot.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::features {

/// Which values fit a parameter; what completion offers there.
enum class ValueKind : uint8_t { Other, Operand, DType, Storage, LayoutOrStorage, Level, Topologies, Target, Function, Reduction, Bool, Choice, Instruction, Atom };

struct SignatureParameter {
  std::string name;
  std::string text;                 // as the signature shows it: `out_dtype=None`
  ValueKind kind = ValueKind::Other;
  std::vector<std::string> choices; // Choice: as authors write them, `"sum"`, `T.cuda.sm90.Form.SS`
  std::string documentation;        // Markdown
  bool optional = false, keyword = false; // keyword: given by name alone
};
struct Signature {
  std::string name;                 // `tf.matmul`
  char bracket = '(';
  std::vector<SignatureParameter> parameters;
  std::string documentation;        // Markdown

  /// `tf.matmul(a, b, out_dtype=None)`.
  std::string label() const;
  /// The bytes of one parameter in the label.
  Span labelSpan(size_t parameter) const;
  /// The parameter that an argument is for: by its keyword, else by its position. -1: none.
  int parameterFor(std::string_view keyword, int position) const;
};

/// Of an op, an instruction, a construct, or a function that the file defines.
std::optional<Signature> signatureOf(const session::Snapshot &snapshot, std::string_view callee);
Signature opSignature(const ir::AuthoredOp &op);

struct Construct {
  std::string_view name;
  char bracket;
  std::string_view summary;
};
const std::vector<Construct> &allConstructs();

/// An attribute's value as authors write it.
std::string spelled(const ir::Attribute &value);
/// `tf.matmul(a, b, out_dtype=None)` as code, and what it is.
std::string opMarkdown(const ir::AuthoredOp &op);
std::string codeBlock(std::string_view text);

} // namespace tilewright::features

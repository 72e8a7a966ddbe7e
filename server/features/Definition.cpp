#include "features/Definition.h"

#include "features/Names.h"

namespace tilewright::features {

std::optional<Definition> definition(const session::Snapshot &snapshot, uint32_t offset) {
  if (!snapshot.schedule)
    return std::nullopt;
  const syntax::Item *item = snapshot.file.itemAt(offset);
  if (!item || offset < item->offset)
    return std::nullopt;
  syntax::Node use = nameAt(*item->tree, offset - item->offset);
  if (!use || use.is(syntax::Kind::Keyword))
    return std::nullopt;
  auto index = static_cast<size_t>(item - snapshot.file.items.data());
  std::optional<Binding> found = resolve(snapshot.file, index, use);
  if (!found)
    return std::nullopt;
  uint32_t target = snapshot.file.items[found->item].offset;
  Span origin = use.is(syntax::Kind::Name) ? use.span() : use.nameSpan();
  return Definition{origin.shifted(item->offset), found->statement.span().shifted(target), found->nameSpan().shifted(target)};
}

} // namespace tilewright::features

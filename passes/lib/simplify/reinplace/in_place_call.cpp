#include "simplify/reinplace/in_place_call.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/writing_forms.h"
#include "rewrite/supersede.h"
#include "simplify/reinplace/storage_uses.h"

namespace ccgraph {

llvm::StringRef inPlaceFormOf(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  if (!spec ||
      node.target().str() != formOf(spec->kind, spec->coalesced ? CollectiveForm::List : CollectiveForm::Single))
    return {};
  return writingFormOf(spec->kind, spec->coalesced ? WritingForm::InPlaceList : WritingForm::InPlace);
}

std::optional<NotInPlace> InPlaceCalls::obstacle(const Node &launch) const {
  if (!isPlainCall(launch))
    return NotInPlace::Arguments;
  // set_() on the result joins its memory with that of another tensor, and the input would be in both.
  if (facts_.isReshaped(&launch))
    return NotInPlace::Reshaped;
  const llvm::SmallVector<Node *, 2> inputs = collectiveCall(launch)->inputs;
  for (const Node *tensor : inputs)
    if (std::optional<NotInPlace> why = obstacle(*tensor, launch))
      return why;
  return names_.areApart(inputs) ? std::nullopt : std::optional(NotInPlace::Aliased);
}

std::optional<NotInPlace> InPlaceCalls::obstacle(const Node &tensor, const Node &launch) const {
  switch (names_.of(tensor, launch)) {
  case BufferNames::Verdict::Part:
    return NotInPlace::Part;
  case BufferNames::Verdict::Seen:
    return isOfProgram(tensor) ? NotInPlace::Aliased : NotInPlace::CallerOwned;
  case BufferNames::Verdict::Private:
    break;
  }
  const StorageId buffer = facts_.storages().storages(&tensor)[0];
  if (!makesOwnMemory(*facts_.storages().owner(buffer)))
    return NotInPlace::Opaque;
  return sent_.isInFlightAt(buffer, launch) ? std::optional(NotInPlace::InFlight) : std::nullopt;
}

bool InPlaceCalls::isOfProgram(const Node &tensor) const {
  const StorageMap &storages = facts_.storages();
  llvm::ArrayRef<StorageId> held = storages.storages(&tensor);
  return held.size() == 1 && !storages.isPool(held[0]) && storages.owner(held[0])->opcode() == Opcode::CallFunction;
}

} // namespace ccgraph

#include "simplify/reinplace/copied_results.h"

namespace ccgraph {

bool isCopy(const Node &node) {
  return node.opcode() == Opcode::CallFunction && node.target().str() == "aten.copy.default" && node.args().size() >= 2;
}

Node *copiedResultOf(const Node &node) {
  if (!isCopy(node))
    return nullptr;
  const Argument &source = node.args()[1];
  Node *result = source.is(Argument::Kind::Operand) ? node.operand(source) : nullptr;
  return result && result->target().str() == "_c10d_functional.wait_tensor.default" ? result : nullptr;
}

std::optional<NotForwarded> CopiedResults::obstacle(const Node &copy) const {
  const Node &result = *copiedResultOf(copy);
  if (!result.type() || !result.type()->isTensor() || result.type() != copy.type())
    return NotForwarded::Type;
  if (copy.numOrdering() != 0)
    return NotForwarded::Ordered;
  if (facts_.isReshaped(&copy) || facts_.isReshaped(&result))
    return NotForwarded::Reshaped;
  const std::optional<StorageId> own = onlyStorage(facts_.storages(), copy);
  const std::optional<StorageId> given = onlyStorage(facts_.storages(), result);
  if (!own || !given || !makesOwnMemory(*facts_.storages().owner(*given)) || !isWhole(result, *given))
    return NotForwarded::Aliased;
  const uint32_t at = uses_.place(copy);
  const uint32_t changed = std::min(uses_.firstWriteAfter(*own, at), uses_.firstWriteAfter(*given, at));
  if (changed != StorageUses::never && uses_.lastUse(*given) >= changed)
    return NotForwarded::Written;
  return uses_.isReturned(*own) && uses_.isReturned(*given) ? std::optional(NotForwarded::Returned) : std::nullopt;
}

/// A part would keep the rest of its memory alive for the copy.
bool CopiedResults::isWhole(const Node &value, StorageId storage) const {
  const std::optional<int64_t> bytes = value.type()->numBytes();
  return facts_.storages().owner(storage)->type() == value.type() ||
         (bytes && bytes == facts_.storages().numBytes(storage));
}

void CopiedResults::join(const Node &copy) {
  uses_.join(facts_.storages().storages(copiedResultOf(copy))[0], facts_.storages().storages(&copy)[0]);
}

} // namespace ccgraph

#include "simplify/reinplace/filled_buffers.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/writing_forms.h"
#include "rewrite/supersede.h"
#include "simplify/reinplace/in_place_call.h"

namespace ccgraph {

namespace {

/// Returns the node that is the whole argument; null for any other argument.
Node *operandAt(const Node &call, size_t index) {
  const bool given = index < call.args().size() && call.args()[index].is(Argument::Kind::Operand);
  return given ? call.operand(call.args()[index]) : nullptr;
}

bool isCall(const Node &node, llvm::StringRef target) {
  return node.opcode() == Opcode::CallFunction && node.target().str() == target;
}

/// Returns the functional collective on one tensor whose result a node waits for; null for any other node.
Node *awaitedBy(const Node &node) {
  Node *launch = isCall(node, "_c10d_functional.wait_tensor.default") ? operandAt(node, 0) : nullptr;
  const CollectiveSpec *spec = launch ? collectiveOf(*launch) : nullptr;
  return spec && launch->target().str() == formOf(spec->kind, CollectiveForm::Single) ? launch : nullptr;
}

/// Returns true for memory of the caller, and for memory that a known operator made.
bool isKnownMemory(const Node &owner) {
  return owner.opcode() == Opcode::Placeholder || owner.opcode() == Opcode::GetAttr || makesOwnMemory(owner);
}

} // namespace

std::optional<BufferCopy> bufferCopyOf(Node &node) {
  if (!isCall(node, "aten.copy_.default") || node.numOperands() != 2)
    return std::nullopt;
  Node *buffer = operandAt(node, 0), *wait = operandAt(node, 1);
  Node *launch = buffer && wait ? awaitedBy(*wait) : nullptr;
  if (!launch)
    return std::nullopt;
  const CollectiveKind kind = collectiveOf(*launch)->kind;
  if (llvm::StringRef target = writingFormOf(kind, WritingForm::Out); !target.empty())
    return BufferCopy{launch, wait, &node, buffer, target, true};
  if (llvm::StringRef target = inPlaceFormOf(*launch); !target.empty() && operandAt(*launch, 0) == buffer)
    return BufferCopy{launch, wait, &node, buffer, target, false};
  return std::nullopt;
}

void FilledBuffers::noteInPlace(const Node &launch) {
  const llvm::SmallVector<Node *, 2> inputs = collectiveCall(launch)->inputs;
  for (const Node *input : inputs)
    for (StorageId storage : facts_.storages().storages(input))
      uses_.addWrite(storage, uses_.place(launch));
}

void FilledBuffers::note(const BufferCopy &copy) {
  for (StorageId storage : facts_.storages().storages(copy.buffer))
    uses_.addWrite(storage, uses_.place(*copy.launch));
}

std::optional<NotFilled> FilledBuffers::obstacle(const BufferCopy &copy) const {
  if (std::optional<NotFilled> why = formObstacle(copy))
    return why;
  if (std::optional<NotFilled> why = memoryObstacle(copy))
    return why;
  return orderObstacle(copy);
}

std::optional<NotFilled> FilledBuffers::formObstacle(const BufferCopy &copy) const {
  if (!isPlainCall(*copy.launch))
    return NotFilled::Arguments;
  const Type *type = copy.wait->type();
  if (!type || !type->isTensor() || !type->isContiguous() || type != copy.launch->type() ||
      type != copy.buffer->type() || type != copy.copy->type())
    return NotFilled::Type;
  if (copy.copy->numOrdering() != 0)
    return NotFilled::Ordered;
  if (facts_.isReshaped(copy.wait) || facts_.isReshaped(copy.buffer))
    return NotFilled::Reshaped;
  return std::nullopt;
}

std::optional<NotFilled> FilledBuffers::memoryObstacle(const BufferCopy &copy) const {
  const StorageMap &storages = facts_.storages();
  const std::optional<StorageId> result = onlyStorage(storages, *copy.launch);
  const std::optional<StorageId> buffer = onlyStorage(storages, *copy.buffer);
  if (!result || !buffer || !isKnownMemory(*storages.owner(*buffer)))
    return NotFilled::Opaque;
  if (!copy.buffer->isBefore(copy.launch))
    return NotFilled::Late;
  if (copy.takesOut && storages.mayAlias(copy.buffer, operandAt(*copy.launch, 0)))
    return NotFilled::Overlap;
  if (livesLonger(copy))
    return NotFilled::Longer;
  return sent_.isInFlightAt(*buffer, *copy.launch) ? std::optional(NotFilled::InFlight) : std::nullopt;
}

/// A whole buffer takes as many bytes as the result did, and lives as long as both. A larger one must not live on for
/// the result.
bool FilledBuffers::livesLonger(const BufferCopy &copy) const {
  const StorageMap &storages = facts_.storages();
  const StorageId buffer = storages.storages(copy.buffer)[0], result = storages.storages(copy.launch)[0];
  const Node *owner = storages.owner(buffer);
  const std::optional<int64_t> bytes = copy.buffer->type()->numBytes();
  const bool whole = owner->type() == copy.buffer->type() || (bytes && bytes == storages.numBytes(buffer));
  const bool toEnd =
      owner->opcode() == Opcode::GetAttr || (owner->opcode() == Opcode::Placeholder && isCallers_(*owner));
  return !whole && !toEnd && uses_.lastName(result) > uses_.lastName(buffer);
}

std::optional<NotFilled> FilledBuffers::orderObstacle(const BufferCopy &copy) const {
  const StorageId buffer = facts_.storages().storages(copy.buffer)[0];
  const StorageId result = facts_.storages().storages(copy.launch)[0];
  const uint32_t launched = uses_.place(*copy.launch), copied = uses_.place(*copy.copy);
  if (uses_.isUsedBetween(buffer, launched, copied) || uses_.firstOpaqueAfter(launched) < copied)
    return NotFilled::Used;
  if (uses_.isReturned(result))
    return NotFilled::Returned;
  if (placed_[result])
    return NotFilled::Placed;
  const uint32_t changed = std::min(uses_.firstWriteAfter(buffer, copied), uses_.firstOpaqueAfter(copied));
  const bool differ = changed != StorageUses::never && uses_.lastUse(result) >= changed;
  return differ || uses_.firstWriteAfter(result, launched) != StorageUses::never ? std::optional(NotFilled::Written)
                                                                                 : std::nullopt;
}

} // namespace ccgraph

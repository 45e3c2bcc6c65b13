#include "use_log.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

UseLog::UseLog(const Evidence &evidence)
    : evidence_(evidence), ends_(evidence.before.size(), 0), uses_(evidence.storagesBefore.count()),
      writes_(evidence.storagesBefore.count()), holds_(evidence.storagesBefore.count()),
      last_(evidence.storagesBefore.count(), 0), returned_(evidence.storagesBefore.count()),
      placed_(evidence.storagesBefore.count()) {
  // A launch that is never waited for has the end `none`, which is after every step.
  for (const AsyncPair &pair : evidence.pairsBefore.asyncPairs)
    ends_[pair.launch] = std::max(ends_[pair.launch], pair.wait);
  for (uint32_t i = 0; i < evidence.before.size(); ++i)
    noteStep(i);
  for (const CopyAgain &copy : evidence.pairsBefore.copiesAgain)
    addWrite(copy.storage, copy.wait);
}

void UseLog::noteStep(uint32_t index) {
  const Step &step = evidence_.before[index];
  auto operands = evidence_.before.operands(step);
  auto accesses = evidence_.before.accesses(step);
  for (size_t k = 0; k < operands.size(); ++k)
    for (uint32_t storage : operands[k] == none ? llvm::ArrayRef<uint32_t>() : evidence_.storagesBefore.of(operands[k]))
      noteUse(storage, index, accesses[k]);
  if (step.launches)
    for (uint32_t storage : evidence_.storagesBefore.of(index))
      hold(storage, {index, ends_[index]});
  if (step.domain == Domain::All)
    opaque_.push_back(index);
}

void UseLog::noteUse(uint32_t storage, uint32_t index, Access access) {
  const Step &step = evidence_.before[index];
  if (access != Access::Nothing && access != Access::Alias) {
    uses_[storage].push_back(index);
    last_[storage] = std::max(last_[storage], index);
  }
  if (hasAny(access, Access::Write | Access::InFlightWrite) && !step.onlyWaits())
    writes_[storage].push_back(index);
  if (step.opcode() == Opcode::Output)
    returned_[storage] = true;
  else if (has(access, Access::Place))
    placed_[storage] = true;
  if (step.launches)
    hold(storage, {index, ends_[index]});
}

void UseLog::hold(uint32_t storage, Hold launch) {
  last_[storage] = std::max(last_[storage], launch.end);
  auto &holds = holds_[storage];
  if (!holds.empty())
    launch.end = std::max(launch.end, holds.back().end);
  holds.push_back(launch);
}

bool UseLog::isHeldAt(uint32_t storage, uint32_t step) const {
  llvm::ArrayRef<Hold> holds = holds_[storage];
  const Hold *later = llvm::partition_point(holds, [&](const Hold &hold) { return hold.launch < step; });
  return later != holds.begin() && std::prev(later)->end > step;
}

uint32_t UseLog::next(llvm::ArrayRef<uint32_t> steps, uint32_t step) {
  const uint32_t *found = llvm::upper_bound(steps, step);
  return found == steps.end() ? none : *found;
}

void UseLog::addWrite(uint32_t storage, uint32_t step) {
  for (Steps *steps : {&uses_[storage], &writes_[storage]})
    steps->insert(llvm::upper_bound(*steps, step), step);
  last_[storage] = std::max(last_[storage], step);
}

uint32_t soleStorage(const Storages &storages, uint32_t value) {
  auto held = value == none ? llvm::ArrayRef<uint32_t>() : storages.of(value);
  return held.size() == 1 && storages.leader(held[0]) == held[0] ? held[0] : none;
}

bool isMadeByCall(const Evidence &evidence, uint32_t storage) {
  const Step &owner = evidence.before[evidence.storagesBefore.owner(storage)];
  return owner.isCall() && owner.op && !owner.op->opaque && owner.domain != Domain::All &&
         (owner.op->role == OpRole::Compute || owner.op->role == OpRole::Collective);
}

bool fillsStorage(const Evidence &evidence, uint32_t value, uint32_t storage) {
  const Type *type = evidence.before[value].type;
  if (!type || !type->isTensor())
    return false;
  if (type == evidence.before[evidence.storagesBefore.owner(storage)].type)
    return true;
  std::optional<int64_t> bytes = type->numBytes();
  return bytes && *bytes == evidence.storagesBefore.bytes(storage);
}

} // namespace ccgraph::legality

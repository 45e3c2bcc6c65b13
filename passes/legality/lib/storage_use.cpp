#include "storage_use.h"

#include "in_flight.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

StorageUse::StorageUse(const Evidence &evidence)
    : after_(evidence.after), storages_(evidence.storagesAfter), writers_(storages_.count()),
      observers_(storages_.count(), none) {
  for (uint32_t i = 0; i < after_.size(); ++i)
    note(i);
  for (const CopyAgain &copy : evidence.pairsAfter.copiesAgain)
    writers_[copy.storage].push_back(copy.wait);
  for (auto &writers : writers_)
    llvm::sort(writers);
  for (const Intrusion &intrusion : evidence.pairsAfter.intrusions)
    intruders_.insert(intrusion.step);
}

void StorageUse::note(uint32_t index) {
  const Step &step = after_[index];
  const bool observes = step.opcode() == Opcode::Output || step.domain == Domain::All;
  if (step.domain == Domain::All)
    opaque_.push_back(index);
  auto operands = after_.operands(step);
  auto accesses = after_.accesses(step);
  for (size_t i = 0; i < operands.size(); ++i)
    for (uint32_t storage : operands[i] == none ? llvm::ArrayRef<uint32_t>() : storages_.of(operands[i])) {
      if (!step.onlyWaits() && writesElements(accesses[i]))
        writers_[storage].push_back(index);
      if (observes)
        observers_[storage] = index;
    }
}

uint32_t StorageUse::writer(uint32_t value, uint32_t from, uint32_t to) const {
  for (uint32_t storage : storages_.of(value)) {
    const llvm::ArrayRef<uint32_t> writers = writers_[storage];
    for (const auto *it = llvm::upper_bound(writers, from); it != writers.end() && *it < to; ++it)
      if (!after_[*it].frees())
        return *it;
  }
  return none;
}

uint32_t StorageUse::otherWriter(uint32_t value, uint32_t except) const {
  for (uint32_t storage : storages_.of(value))
    for (uint32_t writer : writers_[storage])
      if (writer != except)
        return writer;
  return none;
}

uint32_t StorageUse::freeing(uint32_t value) const {
  for (uint32_t storage : storages_.of(value))
    for (uint32_t writer : writers_[storage])
      if (after_[writer].frees())
        return writer;
  return none;
}

uint32_t StorageUse::observer(uint32_t value) const {
  for (uint32_t storage : storages_.of(value))
    if (observers_[storage] != none)
      return observers_[storage];
  return none;
}

uint32_t StorageUse::opaque(uint32_t from, uint32_t to) const {
  const auto *first = llvm::upper_bound(opaque_, from);
  return first != opaque_.end() && *first < to ? *first : none;
}

bool StorageUse::isReshaped(uint32_t value) const {
  return llvm::any_of(storages_.of(value), [&](uint32_t storage) { return storages_.isReshaped(storage); });
}

} // namespace ccgraph::legality

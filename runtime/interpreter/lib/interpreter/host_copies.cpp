#include "interpreter/host_copies.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace ccgraph::runtime {

const Node *HostCopies::writer(const Tensor &tensor) const {
  auto found = llvm::find_if(pending_, [&](const Copy &copy) { return copy.to.aliases(tensor); });
  return found == pending_.end() ? nullptr : found->node;
}

const Node *HostCopies::reader(const Tensor &tensor) const {
  auto found = llvm::find_if(pending_, [&](const Copy &copy) { return copy.from.aliases(tensor); });
  return found == pending_.end() ? nullptr : found->node;
}

bool HostCopies::complete(const Storage *storage) {
  const size_t before = pending_.size();
  llvm::erase_if(pending_, [&](const Copy &copy) {
    const bool fills = copy.to.storage() == storage;
    if (fills)
      copy.to.copyFrom(copy.from);
    return fills;
  });
  return pending_.size() < before;
}

void HostCopies::completeAll() {
  for (const Copy &copy : pending_)
    copy.to.copyFrom(copy.from);
  pending_.clear();
}

void HostCopies::free(const Node &node, const Tensor &tensor) {
  constexpr int forgotten = 0xff;
  const std::shared_ptr<Storage> &storage = tensor.sharedStorage();
  if (storage->size() > 0)
    std::memset(storage->data(), forgotten, static_cast<size_t>(storage->size()));
  freed_[storage.get()] = {&node, storage};
}

const Node *HostCopies::freedBy(const Tensor &tensor) const {
  const auto found = freed_.find(tensor.storage());
  return found == freed_.end() || found->second.storage.expired() ? nullptr : found->second.node;
}

} // namespace ccgraph::runtime

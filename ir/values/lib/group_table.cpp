#include "ccgraph/ir/group_table.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

// One name may mean several groups, one on each part of the machine: "tp" with the cells [0, 1] and [2, 3] is [2, 3]
// for rank 3. Its size is known without the rank if all cells have one size.
llvm::ArrayRef<int64_t> Group::members(int64_t rank) const {
  if (partition.empty())
    return ranks;
  for (const auto &cell : partition)
    if (llvm::is_contained(cell, rank))
      return cell;
  return {};
}

std::optional<int64_t> Group::size() const {
  if (partition.empty())
    return ranks.empty() ? std::nullopt : std::optional<int64_t>(ranks.size());
  size_t first = partition.front().size();
  bool equal = llvm::all_of(partition, [&](const auto &cell) { return cell.size() == first; });
  return equal ? std::optional<int64_t>(first) : std::nullopt;
}

const Group *GroupTable::find(llvm::StringRef name) const {
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &groups_[found->second];
}

void GroupTable::set(Group group) {
  auto [slot, isNew] = index_.try_emplace(group.name, groups_.size());
  if (isNew)
    groups_.push_back(std::move(group));
  else
    groups_[slot->second] = std::move(group);
}

} // namespace ccgraph

#include "profile/profiler_words.h"

#include "llvm/ADT/StringSwitch.h"

namespace ccgraph {

std::optional<CollectiveKind> kindOfRecord(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<CollectiveKind>>(name)
      .Cases("allreduce", "all_reduce", "allreduce_coalesced", CollectiveKind::AllReduce)
      .Cases("_allgather_base", "_all_gather_base", "allgather", "all_gather", CollectiveKind::AllGather)
      .Cases("allgather_into_tensor_coalesced", "all_gather_into_tensor", "allgather_coalesced",
             CollectiveKind::AllGather)
      .Cases("_reduce_scatter_base", "reduce_scatter", "reduce_scatter_tensor_coalesced", "reduce_scatter_tensor",
             CollectiveKind::ReduceScatter)
      .Cases("all_to_all", "all_to_allv", "alltoall", "alltoall_base", "all_to_all_single", CollectiveKind::AllToAll)
      .Case("broadcast", CollectiveKind::Broadcast)
      .Case("scatter", CollectiveKind::Scatter)
      .Case("send", CollectiveKind::Send)
      .Case("recv", CollectiveKind::Recv)
      .Default(std::nullopt);
}

std::vector<int64_t> ranksOfRecord(llvm::StringRef text) {
  std::vector<int64_t> ranks;
  if (!text.consume_front("[") || !text.consume_back("]"))
    return ranks;
  while (!text.empty()) {
    auto [first, rest] = text.split(',');
    int64_t rank = 0;
    if (first.trim().getAsInteger(10, rank) || rank < 0)
      return {};
    ranks.push_back(rank);
    text = rest;
  }
  return ranks;
}

} // namespace ccgraph

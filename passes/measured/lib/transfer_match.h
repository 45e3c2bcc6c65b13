// Matches the records of collectives of one step of one rank to the launches of the graph.
//
// Records and launches of one kind and one group are matched in their order: records by their number in the group, else
// by time; launches by the program. If the names of groups differ, all records of a kind are matched to all launches of
// the kind. Either applies only if their numbers are equal and no known size differs. Then the same is tried with
// reduce_scatter counted as all_reduce, because gloo executes and records it so.
//
// Ownership: refers to the profile. Failure: none; what is not matched is returned. Cost: linear, and a sort.
#pragma once

#include "profile_view.h"

namespace ccgraph::measured {

struct FoundTransfers {
  std::vector<std::pair<NodeIndex, const ProfileEvent *>> matched; ///< in the order of time
  std::vector<const ProfileEvent *> others;
  std::vector<std::string> notes; ///< why records of a known kind are not matched
};

[[nodiscard]] FoundTransfers matchTransfers(llvm::ArrayRef<const ProfileEvent *> records, const RankProfile &profile,
                                            llvm::ArrayRef<Call> calls);

} // namespace ccgraph::measured

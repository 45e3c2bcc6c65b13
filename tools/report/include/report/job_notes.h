// Job notes are the facts about the job that the summary prints first, since the numbers or the rewrite depend on them.
//
//   ranks      ranks run different programs: the order across groups is kept, and nothing is merged
//   subgraphs  some collectives are in subgraphs, where no pass moves them and no time of them is predicted
//   guessed    the ranks of groups are a guess on which the predicted times depend
//   device     times are of another machine than the dump's
//
// Ownership: plain values. Failure: none. Cost: linear in the groups.
#pragma once

#include "report/summary.h"

namespace ccgraph::report {

struct JobNote {
  std::string label;
  std::string text;
};

[[nodiscard]] std::vector<JobNote> jobNotes(const Summary &summary);

} // namespace ccgraph::report

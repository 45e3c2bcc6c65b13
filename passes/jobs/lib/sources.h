// Finds collectives that are alike on all members of a group and come from exchanged source lines.
//
// Two equal collectives in another order on one rank meet the wrong ones: no rank waits for ever, and values are wrong
// without an error. Equal launches cannot be told apart, so this is no finding but an assumption of the verdict. It is
// stated only if two members have the same lines in the sequence of the group, in different orders. Programs that
// differ otherwise may launch together from any lines.
//
// Ownership: plain values. Failure: none. Cost: linear in the launches of each distinct program with its texts, and in
// the ranks and groups.
#pragma once

#include "classes.h"

namespace ccgraph::jobs {

/// Returns texts such as "collective 1 of the group of ranks 0-1 is a.py:1 on rank 0 and a.py:2 on rank 1, and these
/// belong together"; at most `most`, the first place of each group.
[[nodiscard]] std::vector<std::string> exchangedSources(const JobData &job, const Classes &classes, size_t most);

} // namespace ccgraph::jobs

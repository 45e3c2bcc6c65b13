// Job: the communication of the graphs of all ranks.
//
// add() reads from a graph what other ranks can observe: its launches in program order, the launches that each wait
// completes, the values that the host reads, and what each input is computed from. Everything else is dropped, so a
// graph can be freed before the next one is read, and ranks that run equal programs share one.
//
// A group is its set of ranks, never its name, because a name belongs to one rank. The table of each graph
// (Graph::groups) gives the ranks; a partition gives each rank its own cell.
//
// Ownership: a job owns its contents and refers to no graph. Failure: add() returns a DiagnosticError for a graph that
// cannot be checked: a group without known ranks, a peer or a root outside its group, a collective in a subgraph that
// is no wrapper of one call, a rank that was added before. Cost: add() is linear in the nodes, the ranks and the
// members of the groups; a job takes about 60 bytes for a launch of a distinct program, and some words for a rank and
// group.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace ccgraph::jobs {

struct JobData;

class Job {
public:
  Job();
  ~Job();
  Job(Job &&) noexcept;
  Job &operator=(Job &&) noexcept;

  /// Adds the program of `ranks`, which must be ascending. The graph must be well formed.
  [[nodiscard]] llvm::Error add(const Graph &graph, llvm::ArrayRef<int64_t> ranks);

  [[nodiscard]] size_t numRanks() const;
  /// Returns the number of distinct programs.
  [[nodiscard]] size_t numPrograms() const;
  [[nodiscard]] const JobData &data() const { return *data_; }

private:
  std::unique_ptr<JobData> data_;
};

} // namespace ccgraph::jobs

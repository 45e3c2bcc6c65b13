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
// members of the groups. Ranks whose programs differ in names and source lines alone share one program: a job takes
// about 100 bytes for a launch of a program that differs otherwise, and for each rank some words for a group and about
// 6 bytes for a launch with names of its own.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/ir/storage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace ccgraph::jobs {

struct JobData;

class Job {
public:
  Job();
  ~Job();
  Job(Job &&) noexcept;
  Job &operator=(Job &&) noexcept;

  /// Adds the program of `ranks`, which must be ascending. The graph must be well formed. `storages` are those of the
  /// graph in its present state, if the caller has them.
  [[nodiscard]] llvm::Error add(const Graph &graph, llvm::ArrayRef<int64_t> ranks,
                                const StorageMap *storages = nullptr);
  /// Adds a plan, which its verifier must accept. A launch follows everything that the plan's streams, events and host
  /// steps put before it, so the verdict under dataflow is that of the plan as an engine runs it.
  [[nodiscard]] llvm::Error add(const Plan &plan, llvm::ArrayRef<int64_t> ranks);

  /// Adds a graph that `ranks` run after what was added for them before. `label` comes before the names of its nodes:
  /// "0/0 forward: all_reduce". A value that flows from one graph to the next is unknown, so under dataflow the
  /// launches of the later graph do not follow those of the earlier one unless they share a group.
  [[nodiscard]] llvm::Error append(const Graph &graph, llvm::ArrayRef<int64_t> ranks, llvm::StringRef label,
                                   const StorageMap *storages = nullptr);

  [[nodiscard]] size_t numRanks() const;
  /// Returns the ranks with graphs, ascending.
  [[nodiscard]] std::vector<int64_t> ranks() const;
  /// Returns the number of distinct programs; names and source lines count.
  [[nodiscard]] size_t numPrograms() const;
  [[nodiscard]] const JobData &data() const { return *data_; }

private:
  std::unique_ptr<JobData> data_;
};

} // namespace ccgraph::jobs

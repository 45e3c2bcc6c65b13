// SentBuffers: tells which buffers a collective in flight has.
//
// all_reduce_(x) writes x from its launch on. If an earlier all_gather(x) is still in flight, that one would send some
// of the sums. A collective has the storages that it reads, writes and returns, from its launch to the last of its
// waits. An input that is copied at launch counts too, since a backend may leave out the copy (ccgraph/ir/lifetimes.h
// counts it in the same way).
//
// Ownership: refers to nodes of the graph; valid until a node moves. Failure: none; a launch without a wait on some
// result has its storages to the end. Cost: linear in the accesses of launches to construct, O(log n) a query.
#pragma once

#include "analysis/program_facts.h"

namespace ccgraph {

class SentBuffers {
public:
  explicit SentBuffers(const ProgramFacts &facts);
  /// Returns true if a collective that was launched before this launch has the storage, and is in flight here.
  [[nodiscard]] bool isInFlightAt(StorageId storage, const Node &launch) const;

private:
  struct Flight {
    const Node *launch = nullptr;
    /// the latest end of this collective and of those before in the list; null: the end of the program
    const Node *end = nullptr;
  };
  void note(StorageId storage, Flight flight);

  /// by storage, in program order
  std::vector<llvm::SmallVector<Flight, 1>> flights_;
};

} // namespace ccgraph

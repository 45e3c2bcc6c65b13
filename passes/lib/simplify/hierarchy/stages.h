// Stages: a collective over several nodes as collectives inside the nodes and across them.
//
//   all_reduce       reduce_scatter inside, all_reduce across, all_gather inside
//   all_gather       inside, then across; or across, then inside, then the pieces are put in the order of the ranks
//   reduce_scatter   across, then inside; or the pieces are put in the order of places, then inside, then across
//   all_to_all       pieces in the order of places, inside, pieces in the order of nodes, across
//
// Rank k has the place k % L on node k / L, where each node has L ranks. Pieces in the order of nodes are those of the
// ranks 0, 1, 2, ...; pieces in the order of places are those of place 0 on each node, then of place 1, and so on. A
// change of order is a copy. The forms of all_gather and reduce_scatter that need a copy send an L-th of the bytes
// across nodes that the others send.
//
// Ownership: plain values; nodes belong to the graph. Failure: none. Cost: constant, and a few nodes for each stage.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/passes/cost.h"
#include "rewrite/bucket.h"
#include "simplify/hierarchy/node_groups.h"

namespace ccgraph {

/// One step of a staged collective.
struct Stage {
  enum class Kind : uint8_t { ExchangeInside, ExchangeAcross, ToOrderOfPlaces, ToOrderOfNodes };
  Kind kind;
  /// of an exchange
  CollectiveKind collective = CollectiveKind::AllReduce;
  [[nodiscard]] bool isExchange() const { return kind == Kind::ExchangeInside || kind == Kind::ExchangeAcross; }
};

/// A form, with its predicted cost for one collective.
struct StagedForm {
  llvm::ArrayRef<Stage> stages;
  int64_t picoseconds = 0;
  /// bytes that live besides the input and the result
  int64_t extraBytes = 0;
  /// "reduce_scatter inside, all_reduce across, all_gather inside"
  [[nodiscard]] std::string text() const;
};

/// Returns the fastest form of the collective; empty for a kind without a form.
[[nodiscard]] std::optional<StagedForm> fastestForm(const Candidate &candidate, const NodeGroups &groups,
                                                    const CostModel &cost);

/// The collective to build in stages.
struct StagedCall {
  const Candidate &candidate;
  const NodeGroups &groups;
  const StagedForm &form;
  std::string inside;
  std::string across;
};
/// What was built.
struct BuiltStages {
  /// the replacement of the wait
  Node *result = nullptr;
  /// the other new nodes, in program order
  std::vector<Node *> others;
  std::vector<Node *> launches;
};
/// Creates all exchanges at the launch, and the last wait and what follows at the wait.
[[nodiscard]] BuiltStages buildStages(Graph &graph, const StagedCall &call);

} // namespace ccgraph

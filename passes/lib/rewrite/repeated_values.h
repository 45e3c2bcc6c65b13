// RepeatedValues: finds calls that compute a value again which the program has computed before.
//
// Two calls compute one value if they are the same call of the same values, and no step between them writes what they
// read. The operands of the two may be different nodes, if these compute one value again in turn:
//
//   a = to(shard, bf16); c1 = all_gather(a); ...; b = to(shard, bf16); c2 = all_gather(b)
//
// Then the operands of the second call, up to the values that both have in common, are *repeated* too: they lose their
// only reader when the second call is removed. A repeated step only moves or casts data (shards are cast, padded,
// viewed and packed before they are gathered), and its result has no other reader; there are at most 16. A program that
// repeats a longer computation saves memory by it.
//
// Ownership: refers to the graph, its facts, and the caller's set of written storages.
// Use: advance() over the program in order; all questions are about calls up to the current position.
// Failure: none. Cost: advance() the node's accesses; keyOf() and match() at most 16 steps and their arguments.
#pragma once

#include "analysis/program_facts.h"

namespace ccgraph {

class RepeatedValues {
public:
  /// `written`: by storage, whether some step of the program writes it.
  RepeatedValues(const Graph &graph, const ProgramFacts &facts, const std::vector<bool> &written)
      : facts_(facts), written_(written), position_(graph.idLimit()), lastWrite_(written.size()) {}

  /// Goes on past this node.
  void advance(const Node *node);
  /// Returns a number that is the same for calls which may compute one value; for look-ups only.
  [[nodiscard]] uint64_t keyOf(const Node *call) const;

  /// A step, and the later step that computes its value again.
  struct Pair {
    Node *first = nullptr;
    Node *again = nullptr;
  };
  using Pairs = llvm::SmallVector<Pair, 4>;
  /// If `again`, the node at the current position, computes the value of the earlier `first`, returns the repeated
  /// steps that it alone reads, each after its readers; otherwise nothing.
  [[nodiscard]] std::optional<Pairs> match(Node *first, Node *again) const;

private:
  [[nodiscard]] bool matchOperands(Node *first, Node *again, Pairs &pairs) const;
  [[nodiscard]] bool matchStep(Node *first, Node *again, Pairs &pairs) const;
  [[nodiscard]] bool mayRepeat(const Node *node) const;
  [[nodiscard]] bool isUnchanged(const Node *first, const Node *again) const;
  [[nodiscard]] bool mayShareResult(const Node *first, const Node *again) const;

  const ProgramFacts &facts_;
  const std::vector<bool> &written_;
  std::vector<uint32_t> position_;  ///< by node id: of the nodes passed so far, counted from 1
  std::vector<uint32_t> lastWrite_; ///< by storage: position of the last write; 0: none
  uint32_t lastOpaque_ = 0;
  uint32_t passed_ = 0;
};

} // namespace ccgraph

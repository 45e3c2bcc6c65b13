// RepeatedCollectives: finds collectives that communicate a value again, and removes the repetition.
//
//   c1 = f(a); w1 = wait(c1); ...; c2 = f(a); w2 = wait(c2)   ->   c1 = f(a); w1 = wait(c1); ...   (w1 for w2)
//
// The passes differ in which repetitions they remove: deduplicate-collectives those that need no memory, keep-gathered
// those whose removal makes the schedule faster.
//
// Ownership: refers to graph and facts; both describe the graph before the first removal. Use: for each node in program
// order find(), then advance() if the node is to remain, else accept().
// Failure: an obstacle, not an error. Cost: each call the cost of RepeatedValues; a launch that equals many others by
// its key is compared with each of them.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "rewrite/repeated_values.h"

namespace ccgraph {

/// A collective, the later one that repeats it, and the wait on each.
struct Repetition {
  Node *first = nullptr;
  Node *again = nullptr;
  /// null if the result has another reader than one wait
  Node *wait = nullptr;
  Node *waitAgain = nullptr;
  /// computations that only the second collective reads
  RepeatedValues::Pairs operands;
};

enum class RepetitionObstacle : uint8_t {
  /// ranks run different programs
  NotSpmd,
  /// in flight, a result has another reader than one wait, or the waits differ
  Readers,
  /// some step writes one of the results
  Written,
  /// both results are returned
  Returned,
};

class RepeatedCollectives {
public:
  RepeatedCollectives(const Graph &graph, const ProgramFacts &facts, bool spmd);

  /// If the node is a functional collective that repeats one of the remembered, returns the repetition.
  [[nodiscard]] std::optional<Repetition> find(Node *node);
  [[nodiscard]] std::optional<RepetitionObstacle> obstacle(const Repetition &repetition) const;
  /// Counts the first result as standing for the second one too, which later obstacles include.
  void accept(const Repetition &repetition);
  /// Goes on past a node that remains, of which later collectives may be repetitions.
  void advance(Node *node);

private:
  [[nodiscard]] bool isCandidate(const Node *node) const;
  [[nodiscard]] Node *onlyWait(const Node &launch) const;
  [[nodiscard]] bool hasAny(const std::vector<bool> &set, const Node *node) const;
  using Key = std::pair<uint64_t, uint64_t>;
  [[nodiscard]] Key keyOf(const Node *launch);

  const ProgramFacts &facts_;
  bool spmd_;
  std::vector<bool> written_;  ///< by storage
  std::vector<bool> returned_; ///< by storage
  RepeatedValues values_;
  /// the last launch whose key was needed, and its key
  std::pair<const Node *, Key> last_;
  /// by value and group, in program order; looked up only
  llvm::DenseMap<Key, llvm::SmallVector<Node *, 1>> known_;
};

/// Removes the second collective, its wait and its operands from the graph, and records this in the certificate.
void removeRepetition(Graph &graph, const Repetition &repetition, Certificate &certificate);

} // namespace ccgraph

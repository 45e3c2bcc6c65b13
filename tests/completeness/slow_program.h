// SlowProgram holds a program as plain tables, for checks that need not be fast.
//
// Passes use trees and searches; this class computes each answer anew from plain lists. It shares only ir with the
// passes, so that a defect of the passes is not repeated here.
//
// Ownership: refers to the nodes of one graph in their order at construction. Cost: a question about memory or a path
// is linear in the program. Failure: none.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/storage.h"

#include <set>
#include <string>
#include <vector>

namespace ccgraph::test {

struct SlowStep {
  Node *node = nullptr;
  std::vector<std::pair<StorageId, Access>> accesses;
  /// positions of data operands and of ordering operands
  std::vector<int> operands;
  /// for a wait: positions of the launches that it completes; for a launch: of the waits that complete it
  std::vector<int> asyncPairs;
  /// for a launch: positions of all waits on a result, including waits after its completion
  std::set<int> heldTo;
  Domain domain = Domain::None;
  bool wait = false;
  bool launch = false;
  bool view = false;
  /// Nothing that a wait or launch has to stop at.
  [[nodiscard]] bool passes() const { return wait || view; }
};

class SlowProgram {
public:
  explicit SlowProgram(const Graph &graph);

  [[nodiscard]] const std::vector<SlowStep> &steps() const { return steps_; }
  [[nodiscard]] const StorageMap &storages() const { return storages_; }
  [[nodiscard]] int size() const { return static_cast<int>(steps_.size()); }
  [[nodiscard]] int positionOf(const Node *node) const;
  /// Returns the positions in their present order.
  [[nodiscard]] std::vector<int> order() const;
  /// Peak bytes if the steps ran in this order.
  [[nodiscard]] int64_t peak(const std::vector<int> &order) const;

private:
  void read(Node *node);
  void matchFlights();
  [[nodiscard]] bool givenAway(const Node &owner) const;

  const Graph &graph_;
  StorageMap storages_;
  std::vector<SlowStep> steps_;
  /// by node id
  std::vector<int> position_;
  bool isOfAotAutograd_ = false;
};

/// Returns true if the access reads or writes elements, now or in flight.
[[nodiscard]] bool touchesElements(Access access);
/// Returns true if the access writes elements, now or in flight.
[[nodiscard]] bool writesElements(Access access);

/// Changes that a pass left undone, one line each: the node and the possible change.
using Left = std::vector<std::string>;
/// Returns waits that could be moved after one more step, together with the views and waits in between.
[[nodiscard]] Left waitsThatCouldSink(const Graph &graph, int64_t budget);

} // namespace ccgraph::test

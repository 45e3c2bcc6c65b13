// SlowProgram: a program as plain tables, for checks that may take their time.
//
// What passes work out with trees and searches is here worked out anew for each question, by
// walking lists from one end to the other. It shares nothing with the passes but ir, so that an
// error there does not hide itself here.
//
// Ownership: refers to the nodes of one graph in the order that they have when this is made.
// Cost: a question about memory or a path is linear in the program.
// Fails never.
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
  /// positions of data operands and of what it is ordered after
  std::vector<int> operands;
  std::vector<int>
      /// of a wait: positions of the launches that it ends; of a launch: of the waits that end it
      flights;
  /// of a launch: positions of all waits on a result, also of those that come when it has ended
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
  /// Positions in their present order.
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
};

/// Reads or writes elements, now or in flight.
[[nodiscard]] bool touchesElements(Access access);
/// Writes elements, now or in flight.
[[nodiscard]] bool writesElements(Access access);

/// Moves that a pass left undone, a line each: node, and what could have been done with it.
using Left = std::vector<std::string>;
/// Waits that could stand after one more step, views and waits between them going along.
[[nodiscard]] Left waitsThatCouldSink(const Graph &graph, int64_t budget);

} // namespace ccgraph::test

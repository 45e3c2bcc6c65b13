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
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/storage.h"

#include <map>
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
  bool communicates = false;
  /// point-to-point or barrier
  bool fence = false;
  std::string group;
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
  /// Peak bytes if the steps ran in this order; positions in `together` are one launch, which runs
  /// where the last of them stands.
  [[nodiscard]] int64_t peak(const std::vector<int> &order, const std::set<int> &together = {}) const;
  /// True if these two collectives may not change places.
  [[nodiscard]] bool keepOrder(const SlowStep &a, const SlowStep &b) const;
  /// For each step, the steps that must come before it, whatever is said of the order of
  /// collectives on one group.
  [[nodiscard]] std::vector<std::vector<int>> needs() const;

private:
  void read(Node *node);
  void matchFlights();
  [[nodiscard]] bool givenAway(const Node &owner) const;
  [[nodiscard]] bool mayShareTwo(const Node &a, const Node &b) const;
  /// May its group be one with another of the program? Then its order stays among all collectives.
  [[nodiscard]] bool isOpen(const SlowStep &step) const;

  const Graph &graph_;
  StorageMap storages_;
  std::vector<SlowStep> steps_;
  /// by node id
  std::vector<int> position_;
  /// by group, once asked
  mutable std::map<std::string, bool> open_;
};

/// Reads or writes elements, now or in flight.
[[nodiscard]] bool touchesElements(Access access);
/// Writes elements, now or in flight.
[[nodiscard]] bool writesElements(Access access);

/// Moves that a pass left undone, a line each: node, and what could have been done with it.
using Left = std::vector<std::string>;
/// Waits that could stand after one more step, views and waits between them going along.
[[nodiscard]] Left waitsThatCouldSink(const Graph &graph, int64_t budget);
/// The options of coalesce-collectives under which a pair would have been legal, and the memory budget.
struct MergeLimits {
  int64_t bytes = 0;
  int64_t count = 0;
  int64_t moves = 0;
  int64_t budget = 0;
};
/// Pairs of collectives, or of buckets, that could still be one.
[[nodiscard]] Left pairsThatCouldMerge(const Graph &graph, const MergeLimits &limits);

} // namespace ccgraph::test

// PeerOrder holds another compiler's result for a graph of tests/data/suite as plain records: an order of nodes with
// times, groups and storages, and no graph.
//
// A record is a line of TSV: name, target, inputs, group, members, microseconds, id:bytes of its storages
// (tests/data/README.md). The storages show which collective a wait completes, as in the program that wrote the file:
// the node that fills the storage of the wait's operand.
//
// Ownership: a plain value. Failure: an invalid file fails the test. Cost: linear in the file.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap::test {

struct PeerOrder {
  Problem problem;
  /// by step
  std::vector<std::string> names;
};
[[nodiscard]] PeerOrder readPeerOrder(const std::string &path);

/// The result of another simulator, in Python, for an order.
struct Replayed {
  /// the name of the file with the order; "input" for the unchanged graph
  std::string order;
  double stepMicroseconds = 0;
  double exposedMicroseconds = 0;
  int64_t peakBytes = 0;
};
/// Reads replayed.tsv in the folder; the first entry is the input.
[[nodiscard]] std::vector<Replayed> readReplayed(const std::string &folder);

} // namespace ccgraph::overlap::test

// PeerOrder: what another compiler made of a graph of tests/data/suite, as plain records: an order of nodes with times,
// groups and storages, and no graph.
//
// A record is a line of TSV: name, target, inputs, group, members, microseconds, id:bytes of its storages (tests/data/README.md).
// What a wait lands is found by storages, as its makers find it: whatever fills the storage that the wait is given.
//
// Ownership: a plain value. Failure: a file that is not one fails the test. Cost: linear in the file.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap::test {

struct PeerOrder {
  Problem problem;
  /// by step
  std::vector<std::string> names;
};
[[nodiscard]] PeerOrder readPeerOrder(const std::string &path);

/// What another simulator, in Python, says of an order.
struct Replayed {
  /// of the file beside it; "input" for the graph as it stands
  std::string order;
  double stepMicroseconds = 0;
  double exposedMicroseconds = 0;
  int64_t peakBytes = 0;
};
/// Of replayed.tsv in the folder; the first is the input.
[[nodiscard]] std::vector<Replayed> readReplayed(const std::string &folder);

} // namespace ccgraph::overlap::test

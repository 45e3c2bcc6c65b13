// Schedule: an order of one graph's nodes and the buckets of its collectives, by name, separate from the graph.
//
// It records the decisions of a pipeline in a form that can be stored and applied again to the same input:
//   prepare   passes, as pipeline texts, that produce the graph to which the rest refers; these remove and rewrite
//   buckets   collectives of that graph that become one
//   order     every node of the final graph, in its position
// The passes (ccgraph/passes/apply_schedule.h) and the legality checker decide whether a schedule may be applied; the
// schedule itself is not trusted.
//
// Ownership: plain values. Failure: none. Cost: one string a node.
#pragma once

#include "ccgraph/ir/certificate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// Several collectives that become one.
struct ScheduleBucket {
  BucketLayout layout = BucketLayout::Grouped;
  /// launches that it merges, in bucket order
  std::vector<std::string> members;
  /// names of all nodes that are created for it, in order of creation
  std::vector<std::string> makes;
  friend bool operator==(const ScheduleBucket &, const ScheduleBucket &) = default;
};

struct Schedule {
  /// its source, for messages: the path of a file
  std::string origin;
  /// 64 hexadecimal digits (digest.h) of the graph to which it applies
  std::string digest;
  std::vector<std::string> prepare;
  /// peak bytes within which it was computed; empty: no memory limit
  std::optional<int64_t> memoryBudget;
  std::vector<ScheduleBucket> buckets;
  std::vector<std::string> order;
};

} // namespace ccgraph

// Schedule: an order of one graph's nodes and the buckets of its collectives, said by name, apart from the graph.
//
// It is what a pipeline decided, in a form that can be kept and applied again to the same input:
//   prepare   passes that make the graph that the rest speaks of, as texts of a pipeline; these remove and rewrite
//   buckets   collectives of that graph that become one
//   order     every node that is there in the end, in its place
// Whether a schedule may be applied is asked of the passes (ccgraph/passes/apply_schedule.h) and of the legality checker, never
// taken from here.
//
// Ownership: plain values. Fails never. Cost: one string a node.
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
  /// launches that go into it, in bucket order
  std::vector<std::string> members;
  /// names of all nodes that are made for it, in order of making
  std::vector<std::string> makes;
  friend bool operator==(const ScheduleBucket &, const ScheduleBucket &) = default;
};

struct Schedule {
  /// where it comes from, for messages: the path of a file
  std::string origin;
  /// 64 hexadecimal digits (digest.h) of the graph that it is for
  std::string digest;
  std::vector<std::string> prepare;
  /// peak bytes that it was made within; empty: memory was no constraint
  std::optional<int64_t> memoryBudget;
  std::vector<ScheduleBucket> buckets;
  std::vector<std::string> order;
};

} // namespace ccgraph

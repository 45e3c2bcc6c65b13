// A lower bound of one program's time and memory, from the same program with few layers.
//
// The bound comes from two programs with few layers, whose equal layers give the growth with each further layer. Of a
// program, it takes the largest of three times:
//   compute   the sum of all computation, which is one stream
//   stream    the sum of a group's collectives, each at the best rate that any merging gives
//             (CostModel::collectivePieces), since a group is one stream
//   path      the longest chain of nodes that read one another
// All three hold for any order and any merging. Repeated collectives count once, since a pass may remove them, and
// only then is the rest measured. Each is linear in the layers or grows faster with more layers (a maximum of linear
// functions), so the line through two sizes is below it.
//
// Memory is the floor of StepBounds, which no order of the program undercuts, extended in the same way.
//
// Ownership: plain values. Failure: an error of the generator, or of the passes. Cost: two small programs, some
// milliseconds each.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccgraph::planner {

/// A program of any number of layers.
struct LayeredProgram {
  std::function<llvm::Expected<std::unique_ptr<Graph>>(Context &, int64_t layers)> generate;
  /// Returns sizes of a program that are linear in its layers.
  std::function<std::vector<int64_t>(const Graph &)> sizesOf = [](const Graph &) { return std::vector<int64_t>(); };
};

struct ProgramBound {
  int64_t computePs = 0;
  int64_t pathPs = 0;
  /// by group
  std::map<std::string, int64_t> streamsPs;
  int64_t bytes = 0;
  /// those of LayeredProgram::sizesOf
  std::vector<int64_t> sizes;

  [[nodiscard]] int64_t picoseconds() const;
};

/// Two programs with few layers, from which the bound of any number of layers follows.
class LayeredBound {
public:
  /// The programs have `firstLayers` layers, which must have one of each kind, and one layer more.
  [[nodiscard]] static llvm::Expected<LayeredBound> measure(const LayeredProgram &of, int64_t firstLayers,
                                                            const Machine &machine);
  /// `layers` is at least firstLayers.
  [[nodiscard]] ProgramBound of(int64_t layers) const;

private:
  struct Programs;
  explicit LayeredBound(std::shared_ptr<const Programs> programs) : programs_(std::move(programs)) {}
  std::shared_ptr<const Programs> programs_;
};

} // namespace ccgraph::planner

// RegionProgram: a random program of regions that a pass may cut into pieces, keep or compute again, or that almost
// fit.
//
// A program has two to four regions on 2 to 4 ranks, each of one form (RegionForm) and with one bait (RegionBait),
// which may be none. A bait makes the rewrite wrong, or only looks as if it did: a write between two reads, a write
// through an alias, random state, a dimension that is not parallel, uneven rows, a second reader. Values are small
// whole numbers, so sums in any order are bitwise equal.
//
// Ownership: the caller owns the graph, which lives in `context`. Failure: none; every number makes a program. Cost:
// some sixty nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include <array>
#include <memory>
#include <vector>

namespace ccgraph::test {

enum class RegionForm : uint8_t {
  /// products of gathered rows
  GatherProduct,
  /// a product whose rows are reduced
  ProductReduce,
  /// a reduction, computation by rows and a gather between two products
  Chain,
  /// one value that is gathered twice
  GatheredTwice,
  /// a value that is read before and after a large one
  LateReader,
};
inline constexpr size_t numRegionForms = 5;

enum class RegionBait : uint8_t {
  None,
  /// an in-place write of what the region reads
  OperandWritten,
  /// an in-place write of what the region computes
  ResultWritten,
  /// the same through a view
  AliasWritten,
  /// random numbers inside of the region
  Random,
  /// a step that depends on more than one row, another group, or another dtype
  NotParallel,
  /// one more reader, at the end of the program
  ReadLater,
};
inline constexpr size_t numRegionBaits = 7;

struct Region {
  RegionForm form = RegionForm::GatherProduct;
  RegionBait bait = RegionBait::None;
};

struct RegionProgram {
  std::unique_ptr<Graph> graph;
  size_t ranks = 2;
  std::vector<Region> regions;
};

[[nodiscard]] RegionProgram makeRegionProgram(Context &context, uint32_t number);

} // namespace ccgraph::test

// ReducedSteps: both steps of a comparison with smaller sizes that keep every relation between them.
//
//   hidden 16384 = 128 heads of 128, on 8 ranks of tensor parallelism, 64 of FSDP
//   ->     96    = 24 heads of 4,    on 8 ranks,                       3 of FSDP
//
// A captured text states its sizes as numbers, but it is one member of a family of programs: the operators are defined
// for all sizes, and the sizes enter only through the relations of step_sizes.h. If the two steps are equal for all
// sizes of the family, they are so for those that the text states. A comparison at smaller sizes refutes this, or shows
// it for some members, as the comparison of fewer layers does. Two different members are evaluated in two trials, so
// that an equation between numbers (2 + 2 = 2 * 2) does not hold by accident in both.
//
// An axis of the mesh gets fewer ranks only if it is symmetric: all its ranks run one text, and every group, on every
// rank, is a product of axes in the order of the mesh. Then a permutation of the ranks of the axis permutes the values
// of the step and nothing else distinguishes the ranks: what each rank computes is the same expression of its own
// shards and of all shards together, for any number of ranks. A text that is on some ranks alone, a group that is not
// the mesh's, or a literal that depends on the rank makes the axis asymmetric, and all its ranks are evaluated. A
// literal that depends on the number of ranks, such as that of a gather, follows; an operator that treats one of the
// ranks apart, such as element 5 of a list of 64, fixes the number.
//
// Numbers among the operands of arithmetic, such as 1/64 or 524288, may come from sizes. They stay what they are at
// first. If the steps then differ, they follow the sizes and numbers of ranks of which they are a product, root or
// quotient; each way in which they can is a family that contains the steps as they are, so equality in any is equality.
//
// What a reduction can hide: a mistake that shows only where a size is larger than its reduced one or in a special case
// that no relation expresses, such as an index out of range; a wrong number of ranks that the relations turn into the
// right one does not arise, since numbers with different values stay different.
//
// Ownership: the result owns its graphs. Failure: a text that states why there is no reduction. Cost: linear in the
// nodes of the different graphs, and the search of size_system.h.
#pragma once

#include "number_ways.h"
#include "step_sizes.h"

#include <map>
#include <memory>

namespace ccgraph::equality {

struct ReducedSteps {
  StepComparison comparison;
  std::vector<std::unique_ptr<Graph>> graphs;
  /// by rank: a rank of the whole step at the same place of the mesh
  std::vector<int64_t> rankOf;
  /// "16384 as 96, 53248 as 144, 64 ranks of fsdp as 3"
  std::string note;
};

class SizeReduction {
public:
  explicit SizeReduction(const StepComparison &comparison) : comparison_(comparison), sizes_(comparison) {}

  /// Builds the relations; an error states which size has none.
  [[nodiscard]] llvm::Error build() { return sizes_.build(); }
  /// Finds up to two assignments of smaller sizes, in place of those found before; returns whether there are any.
  bool find(SizeTies ties);
  [[nodiscard]] size_t numFound() const { return found_.size(); }
  /// How many ways there are to choose the numbers of arithmetic; the first one leaves them as they are.
  [[nodiscard]] size_t numWays() const;
  /// Returns the steps with the sizes of an assignment.
  [[nodiscard]] ReducedSteps apply(size_t found, size_t way);

private:
  struct Found {
    std::vector<int64_t> numbers;
    std::vector<NamedAxis> mesh;
  };
  bool tryRanks(const std::map<int64_t, int64_t> &ranks, SizeTies ties);
  void findWays();
  void addKnownNumbers(NumberWays &ways) const;
  [[nodiscard]] std::string noteOf(const Found &found) const;
  [[nodiscard]] GroupTable groupsOf(const Found &found, int64_t reducedRank, int64_t rank) const;

  const StepComparison &comparison_;
  StepSizes sizes_;
  std::vector<Found> found_;
  /// by number of arithmetic: by way and assignment what it may become
  std::map<double, std::vector<std::vector<double>>> ways_;
};

} // namespace ccgraph::equality

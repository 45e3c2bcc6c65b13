// Terms: the elements of a value after a chain of exchanges on one group, on all ranks at the same time.
//
// A value is a list of runs (layout.h). The source of a run is a *term*: elements of one form of an input. The form is
// the input as this rank holds it, as the rank of number k in the group holds it, or as a reduction over the group
// returns it. The start of a run may grow with the number that the rank has in the group (Run::perRank), so one text
// describes what differs by rank. For 2 ranks and x of 4 elements:
//
//   x                          own x from 0, 4 elements
//   reduce_scatter(x, sum)     sum of x from 0 + 2 * rank, 2 elements
//   all_gather of that         sum of x from 0, 2 elements; sum of x from 2, 2 elements
//                            = sum of x from 0, 4 elements
//   all_reduce(x, sum)         sum of x from 0, 4 elements
//
// so the two are equal. The evaluation is symbolic, without samples of numbers. An all_reduce of a value that is
// already reduced, or that differs by rank, has no term.
//
// Ownership: plain values. Failure: a sentence that explains which part cannot be evaluated. Cost: ranks x runs an
// exchange.
#pragma once

#include "call.h"
#include "layout.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <variant>

namespace ccgraph::legality {

/// The dimensions and the number of ranks of a shard_dim_alltoall.
struct Resharding {
  int64_t gather = 0;
  int64_t shard = 0;
  int64_t ranks = 0;
};

class Terms {
public:
  /// Returns the value of a step as this rank holds it.
  [[nodiscard]] Layout own(uint32_t step, llvm::ArrayRef<int64_t> sizes);
  /// Returns the value that a collective on one tensor computes, or why it cannot be determined. All calls of one chain
  /// must be on one group, and agree on its size.
  [[nodiscard]] std::variant<Layout, std::string> exchange(const Call &call, const Layout &input);

  /// Returns the result of a shard_dim_alltoall over this many ranks on an own value: each rank's block along one
  /// dimension that has this rank's number, concatenated along another dimension.
  [[nodiscard]] std::variant<Layout, std::string> reshard(const Call &call, const Layout &input, const Resharding &how);

  /// Returns true for a value that is no result of an exchange.
  [[nodiscard]] bool isOwn(const Layout &value) const {
    return llvm::all_of(*value.runs, [&](const Run &run) { return isOwn(run); });
  }

private:
  struct Term {
    enum class Kind : uint8_t { Own, OfRank, Reduced } kind = Kind::Own;
    uint32_t step = 0;
    int64_t rank = 0;     ///< OfRank
    std::string reduceOp; ///< Reduced
    friend bool operator==(const Term &, const Term &) = default;
  };
  uint32_t intern(Term term);
  [[nodiscard]] bool isOwn(const Run &run) const;
  std::string agree(const Call &call);
  /// Returns the run as the rank of this number holds it, valid on any rank.
  Run ofRank(Run run, int64_t rank);
  std::variant<Layout, std::string> reduce(const Call &call, const Layout &input);
  std::variant<Layout, std::string> broadcast(const Call &call, const Layout &input);
  std::variant<Layout, std::string> gather(const Layout &input, const IntList &sizes);
  std::variant<Layout, std::string> scatter(const Call &call, const Layout &input, const IntList &sizes);
  std::variant<Layout, std::string> transpose(const Call &call, const Layout &input, const IntList &sizes);
  /// Returns the runs of the piece that goes to the rank of number 0; `offset` of each is the distance to the start of
  /// the next rank's run. Empty if the pieces do not differ by a constant step.
  [[nodiscard]] std::optional<Runs> firstPiece(const Layout &input) const;

  std::vector<Term> terms_;
  std::optional<GroupTerm> group_;
  int64_t ranks_ = 0;
};

} // namespace ccgraph::legality

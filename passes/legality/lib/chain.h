// Terms: what a value holds after a chain of exchanges on one group, element for element, on every rank
// at once.
//
// A value is a list of runs (layout.h). The source of a run is a *term*: elements of an input as this
// rank holds it, as the rank of number k in the group holds it, or as a reduction over the group yields
// it. A run may begin further on for each number that the rank has in the group (Run::perRank), which
// is how one text says what differs by rank. For 2 ranks and x of 4 elements:
//
//   x                          own x from 0, 4 elements
//   reduce_scatter(x, sum)     sum of x from 0 + 2 * rank, 2 elements
//   all_gather of that         sum of x from 0, 2 elements; sum of x from 2, 2 elements
//                            = sum of x from 0, 4 elements
//   all_reduce(x, sum)         sum of x from 0, 4 elements
//
// so the two are equal. Nothing is sampled, and nothing is known of numbers: an all_reduce of what is
// reduced already, or of what differs by rank, has no term.
//
// Ownership: plain values. Failure: a sentence that says what cannot be followed. Cost: ranks x runs an
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
  /// The value of a step as this rank holds it.
  [[nodiscard]] Layout own(uint32_t step, llvm::ArrayRef<int64_t> sizes);
  /// What a collective on one tensor makes of a value, or why it cannot be told. All calls of one chain must be on one
  /// group, and agree on its size.
  [[nodiscard]] std::variant<Layout, std::string> exchange(const Call &call, const Layout &input);

  /// What a shard_dim_alltoall of so many ranks makes of an own value: its blocks along one dimension, of each rank the one
  /// that has this rank's number, one after another along another dimension.
  [[nodiscard]] std::variant<Layout, std::string> reshard(const Call &call, const Layout &input, const Resharding &how);

  /// True for what no exchange has touched.
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
  /// The run as the rank of this number holds it, said of any rank.
  Run ofRank(Run run, int64_t rank);
  std::variant<Layout, std::string> reduce(const Call &call, const Layout &input);
  std::variant<Layout, std::string> broadcast(const Call &call, const Layout &input);
  std::variant<Layout, std::string> gather(const Layout &input, const Sizes &sizes);
  std::variant<Layout, std::string> scatter(const Call &call, const Layout &input, const Sizes &sizes);
  std::variant<Layout, std::string> transpose(const Call &call, const Layout &input, const Sizes &sizes);
  /// Runs of the piece that goes to the rank of number 0; `offset` of each says how much further on that of the next rank
  /// begins. Empty where the pieces do not differ so.
  [[nodiscard]] std::optional<Runs> firstPiece(const Layout &input) const;

  std::vector<Term> terms_;
  std::optional<GroupTerm> group_;
  int64_t ranks_ = 0;
};

} // namespace ccgraph::legality

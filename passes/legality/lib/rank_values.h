// RankValues: what each rank of a job holds after collectives on parts of a group.
//
// The terms of chain.h describe all ranks by one text, which is possible on one group. Here each rank has a list of its
// own, because ranks have different places in different groups. A value is a list of pieces: consecutive elements of
// one content. A content is the input of one rank, or a reduction of the inputs of some ranks. For 4 ranks, nodes of 2
// and x of 4 elements:
//
//   x                                  rank 0: x of {0} [0, 4)         rank 1: x of {1} [0, 4)
//   reduce_scatter inside [0, 1]       rank 0: sum of {0, 1} [0, 2)    rank 1: sum of {0, 1} [2, 4)
//   all_reduce across [0, 2], [1, 3]   rank 0: sum of all [0, 2)       rank 1: sum of all [2, 4)
//
// A reduction of reductions is a reduction of all their inputs if the operation is the same, no input occurs twice, and
// averages have equally many inputs.
//
// Ownership: plain values; lists that several ranks have in common are shared. Failure: a sentence that explains which
// part cannot be evaluated. Cost: ranks x pieces an exchange.
#pragma once

#include "call.h"
#include "layout.h"

#include <map>
#include <memory>
#include <variant>

namespace ccgraph::legality {

/// `count` elements of a content, from `start`.
struct Piece {
  int64_t start = 0;
  int64_t count = 0;
  uint32_t content = 0;
  friend bool operator==(const Piece &, const Piece &) = default;
};
using Pieces = std::vector<Piece>;

class RankValues {
public:
  /// The ranks are those of the cells, each of which holds its own input of `numElements`: value 0.
  RankValues(const std::vector<std::vector<int64_t>> &cells, int64_t numElements);

  /// Adds what each rank gets from a collective on these cells that sends `sent`, whose runs have numbers of values as
  /// sources. Returns the number of the value, or why it cannot be determined.
  [[nodiscard]] std::variant<uint32_t, std::string>
  addExchange(const Call &call, const std::vector<std::vector<int64_t>> &cells, const Layout &sent);

  /// Returns a rank that holds different elements in the two values; empty if there is none. Runs as above.
  [[nodiscard]] std::optional<int64_t> differingRank(const Layout &a, const Layout &b);

private:
  using Shared = std::shared_ptr<const Pieces>;
  /// the ranks whose inputs are reduced, ascending, and how; one rank and no word: its input
  using Content = std::pair<std::vector<int64_t>, std::string>;
  using Outcome = std::variant<std::vector<Shared>, std::string>;

  uint32_t intern(Content content);
  /// Lists that were made of one other list: ranks that share that one also share the new one.
  using SharedCopies = std::map<const Pieces *, Shared>;
  [[nodiscard]] Shared heldBy(int64_t rank, const Layout &value, SharedCopies &copies) const;
  [[nodiscard]] std::string misfit(const std::vector<std::vector<int64_t>> &cells) const;
  /// Return the results of the members of a cell, in its order, from what they send.
  Outcome exchange(const Call &call, const std::vector<Shared> &sent);
  std::variant<Pieces, std::string> reduce(const Call &call, const std::vector<Shared> &sent);
  std::optional<uint32_t> reduced(const Call &call, llvm::ArrayRef<uint32_t> contents);
  static Outcome scatter(const Pieces &all, size_t ranks);
  static Outcome transpose(const Call &call, const std::vector<Shared> &sent);

  std::map<Content, uint32_t> numbers_;
  std::vector<Content> contents_;
  std::vector<std::map<int64_t, Shared>> values_; ///< by value: what each rank holds
};

/// Returns the lists of ranks of the group that every rank of the job knows; empty if there are none.
[[nodiscard]] std::vector<std::vector<int64_t>> commonCells(const GroupTerm &group, std::optional<int64_t> world);

} // namespace ccgraph::legality

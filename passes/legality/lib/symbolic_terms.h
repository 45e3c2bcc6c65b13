// SymbolicTerms: the terms of rows whose number depends on a symbol (symbolic_rows.h), and what exchanges and products
// do to them.
//
// They are those of chain.h, with quantities for the places of rows. All ranks of a group have the same value of the
// symbol: a collective requires equal sizes of what is sent, and the check of a region (symbolic_pieces.h) requires
// that these sizes determine the symbol.
//
// Ownership: plain values. Failure: a sentence that explains which part cannot be evaluated, or an empty result. Cost:
// ranks x runs an exchange.
#pragma once

#include "call.h"
#include "symbolic_rows.h"

#include <variant>

namespace ccgraph::legality {

class SymbolicTerms {
public:
  using Outcome = std::variant<RowValue, std::string>;
  /// States the number of ranks of the group, which a file or a call has given.
  void setRanks(int64_t ranks) { group_.ranks = ranks; }
  /// Returns the number of ranks that was stated, or that the exchanges so far agree on; 0 if it is unknown.
  [[nodiscard]] int64_t ranks() const { return group_.ranks; }
  /// Returns the term of a value as this rank holds it.
  [[nodiscard]] uint32_t own(uint32_t step) { return intern({.of = step}); }
  /// Returns the product of rows and a matrix of so many columns, which is the value of a step.
  [[nodiscard]] std::optional<RowValue> product(const RowValue &rows, uint32_t matrix, int64_t columns);
  /// Returns the value that a collective on one tensor computes, or why it cannot be determined. All calls must be on
  /// one group, and agree on its size.
  [[nodiscard]] Outcome exchange(const Call &call, const RowValue &input);

private:
  struct Term {
    enum class Kind : uint8_t { Own, OfRank, Product, Reduced } kind = Kind::Own;
    uint32_t of = 0;      ///< Own: the step; otherwise: the term
    int64_t rank = 0;     ///< OfRank
    uint32_t matrix = 0;  ///< Product: the step
    std::string reduceOp; ///< Reduced
    friend bool operator==(const Term &, const Term &) = default;
  };
  uint32_t intern(Term term);
  /// Returns true for a term that is computed from what this rank holds.
  [[nodiscard]] bool isOwn(uint32_t term) const {
    return terms_[term].kind == Term::Kind::Own || terms_[term].kind == Term::Kind::Product;
  }
  [[nodiscard]] std::optional<RowRun> ofRank(RowRun run, int64_t rank);
  [[nodiscard]] std::optional<RowRuns> reduced(const Call &call, RowRuns runs);
  [[nodiscard]] std::optional<RowRuns> gathered(const RowValue &input);
  /// Returns the rows for the rank of number 0; `perRank` of each run is the distance to those of the next rank. Empty
  /// if the pieces do not differ by a constant step.
  [[nodiscard]] std::optional<RowRuns> firstPiece(const RowValue &input, const Quantity &rows) const;
  [[nodiscard]] Outcome reduce(const Call &call, const RowValue &input);
  [[nodiscard]] Outcome gather(const RowValue &input);
  [[nodiscard]] Outcome scatter(const Call &call, const RowValue &input);

  std::vector<Term> terms_;
  CommonGroup group_;
};

} // namespace ccgraph::legality

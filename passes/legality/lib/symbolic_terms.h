// SymbolicTerms: the terms of rows whose number depends on a symbol (symbolic_rows.h), and what exchanges and products
// do to them.
//
// They are those of chain.h, with quantities for the places of rows. All ranks of a group have the same value of the
// symbol: a collective requires equal sizes of what is sent, and the check of a region (symbolic_pieces.h) requires
// that these sizes determine the symbol.
//
// A term describes all ranks: "x b" is the product of the x and the b that a rank has. So a reduction over the group
// has the term of what each rank adds. The product of gathered rows, or a row function of it, whose piece k is computed
// from the rows of rank k has a reduce_scatter with a term: "sum of the products of the receiver's rows". If such sums
// are gathered, the receiver of piece k is rank k.
//
// Ownership: plain values. Failure: a sentence that explains which part cannot be evaluated, or an empty result. Cost:
// ranks x runs an exchange.
#pragma once

#include "call.h"
#include "row_calls.h"
#include "symbolic_rows.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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
  using RowValues = llvm::SmallVector<RowValue, 1>;
  /// Returns the results of a call that computes row by row, as a term of their own. `operands`: those with rows, of
  /// which all have the same rows and no gaps in memory. `steps`, for each operand of the call: none for one with rows,
  /// or the step after of a value that is the same for every row. Results have the dtype of the first operand.
  [[nodiscard]] std::optional<RowValues> rows(const RowCall &call, llvm::ArrayRef<const RowValue *> operands,
                                              llvm::ArrayRef<uint32_t> steps);
  /// Returns the value that a collective on one tensor computes, or why it cannot be determined. All calls must be on
  /// one group, and agree on its size.
  [[nodiscard]] Outcome exchange(const Call &call, const RowValue &input);

private:
  struct Term {
    enum class Kind : uint8_t { Own, OfRank, OfReceiver, Product, Rows, Reduced } kind = Kind::Own;
    uint32_t of = 0;      ///< Own: the step; Rows: the number of the row term; otherwise: the term
    int64_t rank = 0;     ///< OfRank
    uint32_t matrix = 0;  ///< Product: the step
    std::string reduceOp; ///< Reduced
    friend bool operator==(const Term &, const Term &) = default;
  };
  /// One operand of a row function: rows of a term, or a value of both programs that is the same for every row.
  struct RowOperand {
    bool cut = false;
    uint32_t source = 0;            ///< the term; not cut: the step
    Quantity start = Quantity(0);   ///< cut: distance to the rows of the first operand that is cut
    Quantity perRank = Quantity(0); ///< cut: the same for the step by rank
  };
  using RowOperands = llvm::SmallVector<RowOperand, 2>;
  /// One result of a row function of some terms.
  struct RowTerm {
    RowCall call;
    size_t result = 0;
    RowOperands operands;
  };
  struct RowCursor;
  [[nodiscard]] static std::optional<Quantity> commonRows(llvm::ArrayRef<RowCursor> cursors);
  [[nodiscard]] static std::optional<RowOperands> operandsAt(llvm::ArrayRef<RowCursor> cursors,
                                                             llvm::ArrayRef<uint32_t> steps, const RowRun &first);
  uint32_t intern(Term term);
  uint32_t internRows(RowTerm term);
  /// Returns true for a term that is computed from what this rank holds.
  [[nodiscard]] bool isOwn(uint32_t term) const {
    return terms_[term].kind == Term::Kind::Own || terms_[term].kind == Term::Kind::Product ||
           terms_[term].kind == Term::Kind::Rows;
  }
  using ChangeTerm = llvm::function_ref<std::optional<uint32_t>(uint32_t)>;
  /// Returns the term with `change` applied to each term that its products and row functions are computed from; empty
  /// if the change of one is.
  [[nodiscard]] std::optional<uint32_t> changed(uint32_t term, ChangeTerm change);
  /// Returns the term with the rows of the rank of this number replaced by those of the receiver; empty if it is
  /// computed from other rows.
  [[nodiscard]] std::optional<uint32_t> ofReceiver(uint32_t term, int64_t rank);
  /// Returns a reduction with the receiver's rows replaced by those of the rank of this number, which received it.
  [[nodiscard]] uint32_t received(uint32_t reduction, int64_t rank);
  [[nodiscard]] std::optional<RowRun> ofRank(RowRun run, int64_t rank);
  [[nodiscard]] std::optional<RowRuns> reduced(const Call &call, RowRuns runs);
  [[nodiscard]] std::optional<RowRuns> gathered(const RowValue &input);
  /// Returns the rows that each rank gets of a value.
  [[nodiscard]] std::optional<std::vector<RowRuns>> piecesOf(const RowValue &input, const Quantity &rows) const;
  /// Returns the rows for the rank of number 0; `perRank` of each run is the distance to those of the next rank. Empty
  /// if the pieces do not differ by a constant step.
  [[nodiscard]] std::optional<RowRuns> firstPiece(llvm::ArrayRef<RowRuns> pieces) const;
  /// Returns the same, if piece k is computed from rank k's rows by the same products and row functions; in terms of
  /// the receiver's rows.
  [[nodiscard]] std::optional<RowRuns> pieceOfReceiver(std::vector<RowRuns> pieces);
  [[nodiscard]] Outcome reduce(const Call &call, const RowValue &input);
  [[nodiscard]] Outcome gather(const RowValue &input);
  [[nodiscard]] Outcome scatter(const Call &call, const RowValue &input);

  std::vector<Term> terms_;
  std::vector<RowTerm> rowTerms_;
  CommonGroup group_;
};

} // namespace ccgraph::legality

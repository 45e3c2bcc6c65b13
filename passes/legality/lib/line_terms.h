// LineTerms: the terms of lines (lines.h), and what exchanges, products and functions of elements do to them.
//
// A term has a value on each rank: "x y" is the product of the x and the y that a rank has. Column j of it is computed
// from column j of y, and so is column j of a function of its elements, of its reduction over the group, and of the
// share of that reduction which a rank receives of a reduce_scatter. So each of these has a term of its own, which no
// two different computations share, and pieces with some of the columns have the same terms as the whole. A gather
// lists what each rank has, rank by rank.
//
// Ownership: plain values. Failure: a sentence that explains which part cannot be evaluated, or an empty result. Cost:
// ranks x runs an exchange.
#pragma once

#include "call.h"
#include "lines.h"
#include "row_calls.h"

#include <variant>

namespace ccgraph::legality {

class LineTerms {
public:
  using Outcome = std::variant<LineValue, std::string>;
  /// `ranks`: of the group; empty if neither a file nor a call has stated them.
  LineTerms(Context &context, std::optional<int64_t> ranks) : context_(&context) { group_.ranks = ranks.value_or(0); }
  /// Returns the rows or columns of a matrix as this rank holds it, which is the value of a step after of this type;
  /// empty if the number of its lines is no number.
  [[nodiscard]] std::optional<LineValue> own(uint32_t step, const Type &type, LineAxis axis);
  /// Returns the product of a matrix with so many rows, which is the value of a step after, and of columns.
  [[nodiscard]] std::optional<LineValue> product(uint32_t matrix, const Dim &rows, const LineValue &columns);
  /// Returns a function of each element, which reads single numbers too: the values of steps after.
  [[nodiscard]] std::optional<LineValue> function(const RowCall &call, llvm::ArrayRef<uint32_t> numbers,
                                                  const LineValue &value);
  /// Returns the value that a collective on one tensor computes, or why it cannot be determined. All calls must be on
  /// one group, and agree on its size.
  [[nodiscard]] Outcome exchange(const Call &call, const LineValue &input);

private:
  struct Term {
    enum class Kind : uint8_t { Own, OfRank, Product, Function, Reduced, Scattered } kind = Kind::Own;
    uint32_t of = 0;                ///< Own: the step; otherwise: the term
    LineAxis axis = LineAxis::Rows; ///< Own
    int64_t rank = 0;               ///< OfRank
    uint32_t with = 0;              ///< Product: the step of the matrix; Function: the number of the function
    std::string reduceOp;           ///< Reduced, Scattered
    friend bool operator==(const Term &, const Term &) = default;
  };
  struct Function {
    RowCall call;
    llvm::SmallVector<uint32_t, 2> numbers;
  };
  uint32_t intern(Term term);
  /// Returns a value in memory of its own whose terms are `like` with `of` set to those of the value.
  [[nodiscard]] std::optional<LineValue> made(const LineValue &value, const Term &like, DimList line);
  [[nodiscard]] Outcome reduce(const Call &call, const LineValue &input);
  [[nodiscard]] Outcome gather(const LineValue &input);
  [[nodiscard]] Outcome scatter(const Call &call, const LineValue &input);

  Context *context_;
  std::vector<Term> terms_;
  std::vector<Function> functions_;
  CommonGroup group_;
};

} // namespace ccgraph::legality

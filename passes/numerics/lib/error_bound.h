// ErrorBounds: how far the computed elements of a term can be from what exact arithmetic gives on its leaves.
//
// Let x be the exact value, M the same expression with each leaf replaced by its magnitude and each difference by a
// sum, and fl(x) the computed value. By induction over the rules below, |x| <= M and |fl(x) - x| <= (exp(L) - 1) M,
// where L adds the weight w(u) = -log(1 - u) of each rounding on the way, u = 2^-p for a dtype of p binary digits:
//   a rounding     fl(y) = y (1 + d), |d| <= u                          (IEEE 754; Higham, 2002, (2.4))
//   several        the product of (1 + d)^(+-1) is within exp(+-sum w)  (Higham, 2002, lemma 3.1: 1 + theta_n,
//                                                                        |theta_n| <= gamma_n = n u / (1 - n u))
//   x + y, x - y   max(L) + one operation
//   x y, x / y     L(x) + L(y) + one operation; y of x / y must itself be a product, a quotient or a leaf, since a sum
//                  that cancels may be far from its exact value
//   max, min       max(L): |max(a, b) - max(c, d)| <= max(|a - c|, |b - d|); max(x, 0) likewise
//   a sum of n     max(L) + (n - 1) additions in whichever order, each term meets at most n - 1 of them (Higham, 2002,
//                  (4.4)), and one rounding to the result's dtype
//   a product      L(x) + L(y) + n operations of the accumulator, and one rounding (Higham, 2002, (3.5))
// One operation is computed in the next wider dtype and rounded, as PyTorch and the interpreter do: its weight is that
// of both. Sums within a rank are accumulated at least in f32, sums over ranks at least in their dtype. Other operators
// have no rule: their error is unknown. Underflow, overflow and TF32 are not considered.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, SIAM 2002.
//
// Ownership: borrows the table. Failure: an empty result where the error is unknown. Cost: linear in the terms above
// the leaves; each stretch of elements of one is visited once.
#pragma once

#include "terms.h"

#include <functional>
#include <map>
#include <tuple>

namespace ccgraph::numerics {

class ErrorBounds {
public:
  /// `isLeaf`: the terms that count as exact.
  ErrorBounds(const TermTable &table, std::function<bool(TermId)> isLeaf) : table_(table), isLeaf_(std::move(isLeaf)) {}
  /// Returns a bound for all elements, in ulps of `dtype` at the magnitude.
  [[nodiscard]] std::optional<double> ulps(const RunList &elements, DType dtype);

private:
  /// L, and whether the term is a product of leaves; an infinite weight: unknown
  struct Weight {
    double weight = 0;
    bool isProduct = true;
  };
  [[nodiscard]] Weight weightOf(const Run &run);
  [[nodiscard]] Weight computed(const Run &run);
  [[nodiscard]] Weight ofOperation(const Operation &operation, llvm::ArrayRef<Weight> operands) const;

  const TermTable &table_;
  std::function<bool(TermId)> isLeaf_;
  /// by term, first element and length
  std::map<std::tuple<TermId, int64_t, int64_t>, Weight> known_;
  size_t depth_ = 0;
};

/// Returns the binary digits p of a float dtype; 0 for others.
[[nodiscard]] int digitsOf(DType dtype);

} // namespace ccgraph::numerics

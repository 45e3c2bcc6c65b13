// Linear sizes: sums of symbols with whole factors, as PyTorch simplifies them.
//
// symbol.h keeps an expression as it was printed; "u0 + u1 - 0 + 1 - 1" must be "u0 + u1" again, which needs arithmetic
// on the terms. An expression of another form, such as a product of symbols, is one term and remains unchanged.
//
// Ownership: plain values. Failure: an empty result on an overflow, and for a division with a remainder. Cost: linear
// in the text.
#pragma once

#include "infer/rule.h"

namespace ccgraph::infer {

class Linear {
public:
  [[nodiscard]] static std::optional<Linear> parse(const Dim &dim);

  [[nodiscard]] std::optional<Linear> plus(const Linear &other, int64_t factor = 1) const;
  [[nodiscard]] std::optional<Linear> times(int64_t factor) const;
  /// Exactly; empty where some factor is not a multiple.
  [[nodiscard]] std::optional<Linear> over(int64_t divisor) const;
  [[nodiscard]] std::optional<int64_t> number() const;
  [[nodiscard]] Dim dim(Context &context) const;

private:
  llvm::SmallVector<std::pair<std::string, int64_t>, 8> terms_; ///< by first appearance; no factor is 0
  int64_t constant_ = 0;
};

} // namespace ccgraph::infer

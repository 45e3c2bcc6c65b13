// Elementwise operators: arithmetic with promotion and broadcasting, comparisons, activations, casts, in-place forms.
//
// Names are PyTorch's. Each call is recorded as the operator that PyTorch's graphs hold: x + 1 is aten.add.Tensor(x,
// 1), 1 - x is aten.rsub.Scalar(x, 1). The IR's rules determine types: dtypes are promoted as in PyTorch, sizes are
// equal or 1, counted from the last.
//
// Failure: see tensor.h. Cost: one call each, unless documented otherwise.
#pragma once

#include "ccgraph/tracer/call.h"

#include <optional>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

/// An operand of arithmetic: a tensor or a number.
class Term {
public:
  Term(Tensor tensor) : value_(std::move(tensor)) {}
  template <typename T>
  requires std::is_constructible_v<Number, T> && std::is_arithmetic_v<T> Term(T number) : value_(Number(number)) {}
  Term(const Number &number) : value_(number) {}
  [[nodiscard]] const Tensor *tensor() const { return std::get_if<Tensor>(&value_); }
  [[nodiscard]] const Number *number() const { return std::get_if<Number>(&value_); }
  [[nodiscard]] Operand operand() const {
    return std::visit([](const auto &value) { return Operand(value); }, value_);
  }

private:
  std::variant<Tensor, Number> value_;
};

// --- Arithmetic ------------------------------------------------------------------------------------------------------
/// self + alpha * other
[[nodiscard]] Tensor add(const Tensor &self, const Term &other, const Number &alpha = 1);
/// self - alpha * other
[[nodiscard]] Tensor sub(const Tensor &self, const Term &other, const Number &alpha = 1);
/// other - self
[[nodiscard]] Tensor rsub(const Tensor &self, const Number &other);
[[nodiscard]] Tensor mul(const Tensor &self, const Term &other);
/// The quotient of integers has a floating-point dtype.
[[nodiscard]] Tensor div(const Tensor &self, const Term &other);
/// self to the power of a number
[[nodiscard]] Tensor pow(const Tensor &self, const Number &exponent);
[[nodiscard]] Tensor maximum(const Tensor &self, const Tensor &other);
[[nodiscard]] Tensor minimum(const Tensor &self, const Tensor &other);
/// Limits elements to the bounds; one of the two may be absent.
[[nodiscard]] Tensor clamp(const Tensor &self, const std::optional<Number> &min,
                           const std::optional<Number> &max = std::nullopt);

[[nodiscard]] inline Tensor operator+(const Tensor &a, const Term &b) { return add(a, b); }
[[nodiscard]] inline Tensor operator+(const Number &a, const Tensor &b) { return add(b, a); }
[[nodiscard]] inline Tensor operator-(const Tensor &a, const Term &b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator-(const Number &a, const Tensor &b) { return rsub(b, a); }
[[nodiscard]] inline Tensor operator*(const Tensor &a, const Term &b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator*(const Number &a, const Tensor &b) { return mul(b, a); }
[[nodiscard]] inline Tensor operator/(const Tensor &a, const Term &b) { return div(a, b); }
/// Records aten.reciprocal, times a where that is not 1, as PyTorch traces it.
[[nodiscard]] Tensor operator/(const Number &a, const Tensor &b);
[[nodiscard]] Tensor neg(const Tensor &self);
[[nodiscard]] inline Tensor operator-(const Tensor &a) { return neg(a); }

// --- Functions of one tensor -----------------------------------------------------------------------------------------
[[nodiscard]] Tensor abs(const Tensor &self);
[[nodiscard]] Tensor sign(const Tensor &self);
[[nodiscard]] Tensor exp(const Tensor &self);
[[nodiscard]] Tensor log(const Tensor &self);
[[nodiscard]] Tensor sqrt(const Tensor &self);
/// 1 / sqrt(self)
[[nodiscard]] Tensor rsqrt(const Tensor &self);
/// 1 / self
[[nodiscard]] Tensor reciprocal(const Tensor &self);
[[nodiscard]] Tensor sin(const Tensor &self);
[[nodiscard]] Tensor cos(const Tensor &self);
[[nodiscard]] Tensor tanh(const Tensor &self);
[[nodiscard]] Tensor erf(const Tensor &self);
[[nodiscard]] Tensor sigmoid(const Tensor &self);
[[nodiscard]] Tensor relu(const Tensor &self);
/// self * sigmoid(self)
[[nodiscard]] Tensor silu(const Tensor &self);
/// `approximate`: "none" (by erf) or "tanh".
[[nodiscard]] Tensor gelu(const Tensor &self, llvm::StringRef approximate = "none");

// --- Comparisons and masks -------------------------------------------------------------------------------------------
[[nodiscard]] Tensor eq(const Tensor &self, const Term &other);
[[nodiscard]] Tensor ne(const Tensor &self, const Term &other);
[[nodiscard]] Tensor lt(const Tensor &self, const Term &other);
[[nodiscard]] Tensor le(const Tensor &self, const Term &other);
[[nodiscard]] Tensor gt(const Tensor &self, const Term &other);
[[nodiscard]] Tensor ge(const Tensor &self, const Term &other);
[[nodiscard]] Tensor logical_and(const Tensor &self, const Tensor &other);
[[nodiscard]] Tensor logical_or(const Tensor &self, const Tensor &other);
[[nodiscard]] Tensor logical_not(const Tensor &self);
/// Returns elements of self where condition holds, else of other.
[[nodiscard]] Tensor where(const Tensor &condition, const Tensor &self, const Tensor &other);
/// Returns self, with value where mask holds.
[[nodiscard]] Tensor masked_fill(const Tensor &self, const Tensor &mask, const Number &value);

// --- Copies and casts ------------------------------------------------------------------------------------------------
/// Converts to another dtype; returns self where it has that dtype already.
[[nodiscard]] Tensor to(const Tensor &self, DType dtype);
[[nodiscard]] Tensor clone(const Tensor &self);
/// Returns a row-major copy, or self where it is row-major already.
[[nodiscard]] Tensor contiguous(const Tensor &self);
[[nodiscard]] Tensor detach(const Tensor &self);

// --- In place --------------------------------------------------------------------------------------------------------
// Each of these writes self, and every handle of self then shows the written values.
Tensor add_(const Tensor &self, const Term &other, const Number &alpha = 1);
Tensor sub_(const Tensor &self, const Term &other, const Number &alpha = 1);
Tensor mul_(const Tensor &self, const Term &other);
Tensor div_(const Tensor &self, const Term &other);
/// Copies the elements of src, converted and broadcast.
Tensor copy_(const Tensor &self, const Tensor &src);
Tensor fill_(const Tensor &self, const Number &value);
Tensor zero_(const Tensor &self);

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)

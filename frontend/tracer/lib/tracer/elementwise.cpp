#include "ccgraph/tracer/elementwise.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {
namespace {

bool isOne(const Number &number) { return number.asDouble() == 1; }

/// Calls an operator with an alpha, which PyTorch's graphs omit where it is 1.
Tensor scaled(llvm::StringRef target, const Tensor &self, const Term &other, const Number &alpha) {
  return isOne(alpha) ? call(target, {self, other.operand()})
                      : call(target, {self, other.operand()}, {{"alpha", alpha}});
}

/// Calls the overload for a number, or the one for a tensor.
Tensor compared(llvm::StringRef base, const Tensor &self, const Term &other) {
  return call((base + (other.number() ? ".Scalar" : ".Tensor")).str(), {self, other.operand()});
}

Operand bound(const std::optional<Number> &number) { return number ? Operand(*number) : Operand(Tensor()); }

} // namespace

Tensor add(const Tensor &self, const Term &other, const Number &alpha) {
  return scaled("aten.add.Tensor", self, other, alpha);
}
Tensor sub(const Tensor &self, const Term &other, const Number &alpha) {
  return scaled("aten.sub.Tensor", self, other, alpha);
}
Tensor rsub(const Tensor &self, const Number &other) { return call("aten.rsub.Scalar", {self, other}); }
Tensor mul(const Tensor &self, const Term &other) { return call("aten.mul.Tensor", {self, other.operand()}); }
Tensor div(const Tensor &self, const Term &other) { return call("aten.div.Tensor", {self, other.operand()}); }
Tensor pow(const Tensor &self, const Number &exponent) { return call("aten.pow.Tensor_Scalar", {self, exponent}); }
Tensor maximum(const Tensor &self, const Tensor &other) { return call("aten.maximum.default", {self, other}); }
Tensor minimum(const Tensor &self, const Tensor &other) { return call("aten.minimum.default", {self, other}); }

Tensor clamp(const Tensor &self, const std::optional<Number> &min, const std::optional<Number> &max) {
  return max ? call("aten.clamp.default", {self, bound(min), *max}) : call("aten.clamp.default", {self, bound(min)});
}

Tensor operator/(const Number &a, const Tensor &b) {
  Tensor inverse = reciprocal(b);
  return isOne(a) ? inverse : mul(inverse, a);
}

Tensor neg(const Tensor &self) { return call("aten.neg.default", {self}); }
Tensor abs(const Tensor &self) { return call("aten.abs.default", {self}); }
Tensor sign(const Tensor &self) { return call("aten.sign.default", {self}); }
Tensor exp(const Tensor &self) { return call("aten.exp.default", {self}); }
Tensor log(const Tensor &self) { return call("aten.log.default", {self}); }
Tensor sqrt(const Tensor &self) { return call("aten.sqrt.default", {self}); }
Tensor rsqrt(const Tensor &self) { return call("aten.rsqrt.default", {self}); }
Tensor reciprocal(const Tensor &self) { return call("aten.reciprocal.default", {self}); }
Tensor sin(const Tensor &self) { return call("aten.sin.default", {self}); }
Tensor cos(const Tensor &self) { return call("aten.cos.default", {self}); }
Tensor tanh(const Tensor &self) { return call("aten.tanh.default", {self}); }
Tensor erf(const Tensor &self) { return call("aten.erf.default", {self}); }
Tensor sigmoid(const Tensor &self) { return call("aten.sigmoid.default", {self}); }
Tensor relu(const Tensor &self) { return call("aten.relu.default", {self}); }
Tensor silu(const Tensor &self) { return call("aten.silu.default", {self}); }

Tensor gelu(const Tensor &self, llvm::StringRef approximate) {
  return approximate == "none" ? call("aten.gelu.default", {self})
                               : call("aten.gelu.default", {self}, {{"approximate", approximate}});
}

Tensor eq(const Tensor &self, const Term &other) { return compared("aten.eq", self, other); }
Tensor ne(const Tensor &self, const Term &other) { return compared("aten.ne", self, other); }
Tensor lt(const Tensor &self, const Term &other) { return compared("aten.lt", self, other); }
Tensor le(const Tensor &self, const Term &other) { return compared("aten.le", self, other); }
Tensor gt(const Tensor &self, const Term &other) { return compared("aten.gt", self, other); }
Tensor ge(const Tensor &self, const Term &other) { return compared("aten.ge", self, other); }
Tensor logical_and(const Tensor &self, const Tensor &other) { return call("aten.logical_and.default", {self, other}); }
Tensor logical_or(const Tensor &self, const Tensor &other) { return call("aten.logical_or.default", {self, other}); }
Tensor logical_not(const Tensor &self) { return call("aten.logical_not.default", {self}); }

Tensor where(const Tensor &condition, const Tensor &self, const Tensor &other) {
  return call("aten.where.self", {condition, self, other});
}
Tensor masked_fill(const Tensor &self, const Tensor &mask, const Number &value) {
  return call("aten.masked_fill.Scalar", {self, mask, value});
}

Tensor to(const Tensor &self, DType dtype) {
  if (self.isValid() && self.dtype() == dtype)
    return self;
  return call("aten._to_copy.default", {self}, {{"dtype", dtype}});
}

Tensor clone(const Tensor &self) { return call("aten.clone.default", {self}); }

Tensor contiguous(const Tensor &self) {
  if (self.isContiguous() || !self.isValid())
    return self;
  return call("aten.clone.default", {self}, {{"memory_format", MemoryFormat{"contiguous_format"}}});
}

Tensor detach(const Tensor &self) { return call("aten.detach.default", {self}); }

Tensor add_(const Tensor &self, const Term &other, const Number &alpha) {
  return scaled("aten.add_.Tensor", self, other, alpha);
}
Tensor sub_(const Tensor &self, const Term &other, const Number &alpha) {
  return scaled("aten.sub_.Tensor", self, other, alpha);
}
Tensor mul_(const Tensor &self, const Term &other) { return call("aten.mul_.Tensor", {self, other.operand()}); }
Tensor div_(const Tensor &self, const Term &other) { return call("aten.div_.Tensor", {self, other.operand()}); }
Tensor copy_(const Tensor &self, const Tensor &src) { return call("aten.copy_.default", {self, src}); }
Tensor fill_(const Tensor &self, const Number &value) { return call("aten.fill_.Scalar", {self, value}); }
Tensor zero_(const Tensor &self) { return call("aten.zero_.default", {self}); }

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)

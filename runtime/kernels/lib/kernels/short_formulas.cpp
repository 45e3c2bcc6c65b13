#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/lines.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cmath>
#include <numeric>

// Operators that are a short formula of others, or of one element of each operand.
namespace ccgraph::runtime {
namespace {

Value boolean(bool value) { return Value::boolean(value); }

// --- Diagonals ----------------------------------------------------------------------------------------------
/// (self, offset, dim1, dim2): zeros with the lines of self on the diagonals of two dimensions.
Value diagonalEmbedded(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t offset = args.integer(1, 0), rank = self.rank() + 1;
  int64_t first = args.wrapDim(args.integer(2, -2), rank), second = args.wrapDim(args.integer(3, -1), rank);
  if (args.failed() || !args.check(self.rank() > 0 && first != second, "got " + typeOf(self) + " and equal dimensions"))
    return {};
  int64_t length = self.sizes().back() + std::abs(offset);
  IntList sizes;
  for (int64_t dim = 0, next = 0; dim < rank; ++dim)
    sizes.push_back(dim == first || dim == second ? length : self.size(next++));
  Tensor result = Tensor::zeros(self.dtype(), sizes);
  Tensor diagonal = callForTensor(args, "aten.diagonal.default",
                                  {result, Value::integer(offset), Value::integer(first), Value::integer(second)});
  if (!args.failed())
    diagonal.copyFrom(self);
  return result;
}

/// (grad_output, input_sizes, offset, dim1, dim2)
Value diagonalBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  Tensor result = Tensor::zeros(grad.dtype(), args.integers(1));
  Tensor diagonal = callForTensor(args, "aten.diagonal.default", {result, args.at(2), args.at(3), args.at(4)});
  if (!args.failed() && args.check(diagonal.sizes() == grad.sizes(), "got grad_output " + typeOf(grad)))
    diagonal.copyFrom(grad);
  return result;
}

// --- Products and sums ---------------------------------------------------------------------------------------
/// A factor of a product, 1 where it is left out; of whole numbers it is one itself.
Value factorFor(KernelArgs &args, unsigned index) {
  if (!args.has(index))
    return Value::integer(1);
  bool whole = classOf(args.tensor(0).dtype()) <= DTypeClass::Integer;
  return whole ? Value::integer(static_cast<int64_t>(args.number(index))) : args.at(index);
}

/// beta * self + alpha * product in self's dtype, row-major; beta and alpha are arguments `betaAt` and the next one.
Value added(KernelArgs &args, const Tensor &product, unsigned betaAt) {
  Value beta = factorFor(args, betaAt);
  Tensor sum = callForTensor(args, "aten.mul.Scalar", {product, factorFor(args, betaAt + 1)});
  // With a beta of 0, NaN and infinities of self do not count.
  if (!args.failed() && (!args.has(betaAt) || args.factor(betaAt) != 0.0))
    sum = callForTensor(args, "aten.add.Tensor", {callForTensor(args, "aten.mul.Scalar", {args.at(0), beta}), sum});
  return args.failed() ? Value() : Value(toDType(sum, args.tensor(0).dtype()).contiguous());
}
/// (self, mat, vec, beta, alpha)
Value addMatrixVector(KernelArgs &args) {
  return added(args, callForTensor(args, "aten.mv.default", {args.at(1), args.at(2)}), 3);
}
/// (self, batch1, batch2, beta, alpha)
Value addBatches(KernelArgs &args) {
  Tensor products = callForTensor(args, "aten.bmm.default", {args.at(1), args.at(2)});
  return added(args, callForTensor(args, "aten.sum.dim_IntList", {products, listOf({0})}), 3);
}

/// (self, vec1, vec2, beta, alpha)
Value addOuter(KernelArgs &args) {
  constexpr static PointwiseOp op{
      .real = [](const double *x) { return (x[3] == 0 ? 0 : x[3] * x[0]) + x[4] * x[1] * x[2]; },
      .integer = [](const int64_t *x) { return wrapAdd(wrapMul(x[3], x[0]), wrapMul(x[4], wrapMul(x[1], x[2]))); },
      .complex = [](const Complex *x) { return (x[3] == 0.0 ? 0.0 : x[3] * x[0]) + x[4] * x[1] * x[2]; },
      .promoting = 3};
  Operands operands = operandsOf(args, 3);
  if (args.failed() ||
      !args.check(operands[1].tensor.rank() == 1 && operands[2].tensor.rank() == 1,
                  "got " + typeOf(operands[1].tensor) + " and " + typeOf(operands[2].tensor) + ", expected vectors"))
    return {};
  operands[1].tensor = operands[1].tensor.unsqueeze(1);
  operands.push_back(args.operand(3, 1));
  operands.push_back(args.operand(4, 1));
  return pointwise(args, operands, op);
}
/// (self, other): the first is conjugated.
Value conjugatedDot(KernelArgs &args) {
  return callKernel(args, "aten.dot.default", {callForTensor(args, "aten._conj.default", {args.at(0)}), args.at(1)});
}

/// (self, dim, keepdim, dtype): NaN counts as 0.
Value sumWithoutNan(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor numbers = self;
  if (!args.failed() && isFloat(self.dtype()))
    numbers = callForTensor(args, "aten.masked_fill.Scalar",
                            {self, callForTensor(args, "aten.isnan.default", {self}), Value::integer(0)});
  return callKernel(args, "aten.sum.dim_IntList", {numbers, args.at(1), boolean(args.boolean(2, false)), args.at(3)});
}

/// (self) and (self, dim)
Value countNonzero(KernelArgs &args) {
  Tensor set = callForTensor(args, "aten.ne.Scalar", {args.at(0), Value::integer(0)});
  return callKernel(args, "aten.sum.dim_IntList", {set, args.has(1) ? args.at(1) : Value()});
}

/// (i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim): the sum of products of three operands, each with new
/// dimensions of one element.
Value trilinear(KernelArgs &args) {
  Tensor product;
  for (unsigned i = 0; i < 3; ++i) {
    Tensor operand = args.tensor(i);
    IntList added = args.integers(3 + i);
    llvm::sort(added);
    for (int64_t dim : added)
      operand = callForTensor(args, "aten.unsqueeze.default", {operand, Value::integer(dim)});
    product = i ? callForTensor(args, "aten.mul.Tensor", {product, operand}) : operand;
  }
  IntList summed = args.integers(6);
  if (!summed.empty() && !args.failed())
    product = callForTensor(args, "aten.sum.dim_IntList",
                            {product, listOf(summed), boolean(false), Value::dtype(product.dtype())});
  return product;
}

/// (self, other, dim): of the three elements of each line.
Value crossProduct(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Value dim = Value::integer(args.integer(2, -1));
  auto turned = [&](unsigned index, int64_t by) {
    return callForTensor(args, "aten.roll.default", {args.at(index), listOf({by}), listOf({dim.integer()})});
  };
  int64_t at = args.wrapDim(dim.integer(), self.rank());
  if (args.failed() || !args.check(self.rank() > 0 && self.size(at) == 3, "got " + typeOf(self)))
    return {};
  Tensor left = callForTensor(args, "aten.mul.Tensor", {turned(0, -1), turned(1, 1)});
  Tensor right = callForTensor(args, "aten.mul.Tensor", {turned(0, 1), turned(1, -1)});
  return callKernel(args, "aten.sub.Tensor", {left, right});
}

// --- Rows that a norm bounds --------------------------------------------------------------------------------
/// `self` with each slice of dimension `dim` scaled down to the norm `most`.
Tensor renormalized(KernelArgs &args, const Tensor &self, const Value &p, int64_t dim, double most) {
  IntList others;
  for (int64_t d = 0; d < self.rank(); ++d)
    if (d != dim)
      others.push_back(d);
  Tensor norms =
      callForTensor(args, "aten.linalg_vector_norm.default", {self, p, listOf(others), Value::boolean(true)});
  constexpr static PointwiseOp bound{.real = [](const double *x) { return x[0] > x[1] ? x[1] / (x[0] + 1e-7) : 1; },
                                     .promoting = 1};
  Tensor factors = pointwise(args, {{norms}, numberOperand(most)}, bound);
  Tensor result = callForTensor(args, "aten.mul.Tensor", {self, factors});
  return args.failed() ? Tensor() : result.contiguous();
}

/// (self, p, dim, maxnorm)
Value renorm(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return renormalized(args, self, args.at(1), args.dim(2, self.rank()), args.number(3));
}

/// (self, indices, max_norm, norm_type): only the rows that are named.
Value embeddingRenorm(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor scaled = renormalized(args, self, Value::floating(args.number(3)), 0, args.number(2));
  Tensor rows = callForTensor(args, "aten.index.Tensor", {scaled, Value::list({args.at(1)})});
  callKernel(args, "aten.index_put_.default", {self, Value::list({args.at(1)}), rows});
  return self;
}

// --- Complex numbers ----------------------------------------------------------------------------------------
DType complexOf(DType dtype) { return dtype == DType::F64 ? DType::C128 : DType::C64; }

Value joinedParts(KernelArgs &args, const PointwiseOp &op) {
  Operands parts = operandsOf(args, 2);
  for (Operand &part : parts)
    if (!args.failed() && args.check(isFloat(part.tensor.dtype()), "got " + typeOf(part.tensor)))
      part.tensor = toDType(part.tensor, complexOf(part.tensor.dtype()));
  return pointwise(args, parts, op);
}
constexpr PointwiseOp partsOp{.complex = [](const Complex *x) { return Complex(x[0].real(), x[1].real()); }};
constexpr PointwiseOp polarOp{.complex = [](const Complex *x) {
  return Complex(x[0].real() * std::cos(x[1].real()), x[0].real() * std::sin(x[1].real()));
}};
Value complexOfParts(KernelArgs &args) { return joinedParts(args, partsOp); }
Value complexOfPolar(KernelArgs &args) { return joinedParts(args, polarOp); }

constexpr PointwiseOp angleOp{
    .real = [](const double *x) { return std::isnan(x[0]) ? x[0]
                                         : x[0] < 0       ? 3.14159265358979323846
                                                          : 0.0; },
    .complex = [](const Complex *x) { return Complex(std::arg(x[0])); },
    .result = ResultType::Floating};
Value angle(KernelArgs &args) {
  Operand self = args.operand(0);
  Tensor result = pointwise(args, self, angleOp);
  return args.failed() || !isComplex(result.dtype()) ? result
                                                     : toDType(result, realTypeOf(result.dtype())).contiguous();
}

// --- Whole numbers ------------------------------------------------------------------------------------------
constexpr PointwiseOp gcdOp{.integer = [](const int64_t *x) { return std::gcd(x[0], x[1]); },
                            .result = ResultType::Integral};
constexpr PointwiseOp lcmOp{.integer =
                                [](const int64_t *x) {
                                  int64_t divisor = std::gcd(x[0], x[1]);
                                  return divisor ? std::abs(wrapMul(x[0] / divisor, x[1])) : 0;
                                },
                            .result = ResultType::Integral};

/// (start, end, steps, dtype, ...): numbers at equal distances; the second half counts from the end.
Value linspace(KernelArgs &args) {
  double start = args.number(0), end = args.number(1);
  int64_t steps = args.integer(2);
  DType dtype = args.dtype(3, DType::F32);
  if (args.failed() || !args.check(steps >= 0 && computable(dtype), "got " + llvm::Twine(steps) + " steps"))
    return {};
  Tensor result = args.result(dtype, steps);
  double distance = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  for (int64_t i = 0; i < steps; ++i) {
    bool early = i < steps / 2 || steps == 1;
    double value =
        early ? start + distance * static_cast<double>(i) : end - distance * static_cast<double>(steps - 1 - i);
    writeElement<double>(dtype, result.data() + i * result.elementSize(), value);
  }
  return result;
}

/// (self, k, dims): a quarter turn from the first of two dimensions to the second, k times.
Value rotated(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t turns = ((args.integer(1, 1) % 4) + 4) % 4;
  IntList dims = args.has(2) ? args.integers(2) : IntList{0, 1};
  if (args.failed() || !args.check(dims.size() == 2 && dims[0] != dims[1], "got dims " + dimsOf(dims)))
    return {};
  auto flipped = [&](const Tensor &t, IntListRef along) {
    return callForTensor(args, "aten.flip.default", {t, listOf(along)});
  };
  auto exchanged = [&](const Tensor &t) {
    return callForTensor(args, "aten.transpose.int", {t, Value::integer(dims[0]), Value::integer(dims[1])});
  };
  switch (turns) {
  case 1:
    return exchanged(flipped(self, dims[1]));
  case 2:
    return flipped(self, dims);
  case 3:
    return exchanged(flipped(self, dims[0]));
  }
  return self.cloneContiguous();
}

Value trace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  if (args.failed() || !args.check(self.rank() == 2, "got " + typeOf(self) + ", expected a matrix"))
    return {};
  return callForTensor(args, "aten.sum.default", {callForTensor(args, "aten.diagonal.default", {self})});
}

const Kernel formulaTable[] = {
    {"aten._trilinear.default", "i1,i2,i3,expand1,expand2,expand3,sumdim,unroll_dim", trilinear},
    {"aten.addbmm.default", "self,batch1,batch2,beta,alpha", addBatches},
    {"aten.addmv.default", "self,mat,vec,beta,alpha", addMatrixVector},
    {"aten.addr.default", "self,vec1,vec2,beta,alpha", addOuter},
    {"aten.angle.default", "self", angle},
    {"aten.complex.default", "real,imag", complexOfParts},
    {"aten.count_nonzero.default", "self,dim", countNonzero},
    {"aten.count_nonzero.dim_IntList", "self,dim", countNonzero},
    {"aten.diag_embed.default", "self,offset,dim1,dim2", diagonalEmbedded},
    {"aten.diagonal_backward.default", "grad_output,input_sizes,offset,dim1,dim2", diagonalBackward},
    {"aten.embedding_renorm_.default", "self,indices,max_norm,norm_type", embeddingRenorm},
    {"aten.gcd.default", "self,other", pointwiseKernel<gcdOp, 2>},
    {"aten.lcm.default", "self,other", pointwiseKernel<lcmOp, 2>},
    {"aten.linalg_cross.default", "self,other,dim", crossProduct},
    {"aten.linspace.default", "start,end,steps,dtype,layout,device,pin_memory", linspace},
    {"aten.nansum.default", "self,dim,keepdim,dtype", sumWithoutNan},
    {"aten.polar.default", "abs,angle", complexOfPolar},
    {"aten.renorm.default", "self,p,dim,maxnorm", renorm},
    {"aten.rot90.default", "self,k,dims", rotated},
    {"aten.trace.default", "self", trace},
    {"aten.vdot.default", "self,other", conjugatedDot},
};

} // namespace

llvm::ArrayRef<Kernel> formulaKernels() { return formulaTable; }

} // namespace ccgraph::runtime

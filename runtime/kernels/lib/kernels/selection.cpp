#include "kernels/families.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

constexpr PointwiseOp whereOp{.real = [](const double *x) { return x[2] != 0 ? x[0] : x[1]; },
                              .integer = [](const int64_t *x) { return x[2] != 0 ? x[0] : x[1]; },
                              .complex = [](const Complex *x) { return x[2] != 0.0 ? x[0] : x[1]; },
                              .promoting = 2};
// NaN wins, whether it is the element or the bound.
constexpr PointwiseOp clampMinOp{.real = [](const double *x) { return x[0] < x[1] || std::isnan(x[1]) ? x[1] : x[0]; },
                                 .integer = [](const int64_t *x) { return std::max(x[0], x[1]); }};
constexpr PointwiseOp clampMaxOp{.real = [](const double *x) { return x[0] > x[1] || std::isnan(x[1]) ? x[1] : x[0]; },
                                 .integer = [](const int64_t *x) { return std::min(x[0], x[1]); }};
/// min first, then max: max wins where min > max.
constexpr PointwiseOp clampOp{.real =
                                  [](const double *x) {
                                    double low = x[0] < x[1] || std::isnan(x[1]) ? x[1] : x[0];
                                    return low > x[2] || std::isnan(x[2]) ? x[2] : low;
                                  },
                              .integer = [](const int64_t *x) { return std::min(std::max(x[0], x[1]), x[2]); }};
/// self + weight * (end - self), from the nearer end, as at::lerp computes it.
constexpr PointwiseOp lerpOp{
    .real =
        [](const double *x) {
          double difference = x[1] - x[0];
          return std::fabs(x[2]) < 0.5 ? x[0] + x[2] * difference : x[1] - difference * (1 - x[2]);
        },
    .complex =
        [](const Complex *x) {
          Complex difference = x[1] - x[0];
          return std::abs(x[2]) < 0.5 ? x[0] + x[2] * difference : x[1] - difference * (1.0 - x[2]);
        },
    .promoting = 2,
    .weightsInF32 = true};
/// a * b + c with one rounding.
constexpr PointwiseOp fmaOp{.real = [](const double *x) { return std::fma(x[0], x[1], x[2]); },
                            .integer = [](const int64_t *x) { return wrapAdd(wrapMul(x[0], x[1]), x[2]); }};
/// self + value * a * b, self + value * a / b.
constexpr PointwiseOp addcmulOp{
    .real = [](const double *x) { return x[0] + x[3] * x[1] * x[2]; },
    .integer = [](const int64_t *x) { return wrapAdd(x[0], wrapMul(x[3], wrapMul(x[1], x[2]))); },
    .complex = [](const Complex *x) { return x[0] + x[3] * x[1] * x[2]; },
    .promoting = 3,
    .weightsInF32 = true};
constexpr PointwiseOp addcdivOp{.real = [](const double *x) { return x[0] + x[3] * x[1] / x[2]; },
                                .complex = [](const Complex *x) { return x[0] + x[3] * x[1] / x[2]; },
                                .promoting = 3,
                                .weightsInF32 = true};

Operand asCondition(KernelArgs &args, unsigned index) {
  Operand condition = args.operand(index);
  DType dtype = condition.tensor.dtype();
  args.check(dtype == DType::Bool || dtype == DType::U8,
             "got a condition " + typeOf(condition.tensor) + ", expected b8");
  return condition;
}

Value where(KernelArgs &args) {
  Operand condition = asCondition(args, 0);
  return pointwise(args, {args.operand(1), args.operand(2), condition}, whereOp);
}

/// value where mask, else self; in self's dtype, since a fill never promotes.
Operands fillOperands(KernelArgs &args) {
  Operand mask = asCondition(args, 1);
  Operand self = args.operand(0);
  Operand value = args.operand(2);
  if (!args.failed())
    value.tensor = toDType(value.tensor, self.tensor.dtype());
  return {value, self, mask};
}

/// A new tensor, laid out anew.
Value maskedFill(KernelArgs &args) {
  Operands operands = fillOperands(args);
  Tensor result = pointwise(args, operands, whereOp);
  return args.failed() ? Value() : Value(result.contiguous());
}

Value maskedFillInPlace(KernelArgs &args) {
  Operands operands = fillOperands(args);
  pointwiseInto(args, operands[1].tensor, operands, whereOp);
  return operands[1].tensor;
}

/// Returns argument `index` as a lower or an upper bound of integers. A number that no element can pass is a bound that
/// excludes none; one that excludes every element is rejected, as in PyTorch.
Operand boundOf(KernelArgs &args, unsigned index, const PointwiseOp &op) {
  Operand bound = args.operand(index);
  DType dtype = args.tensor(0).dtype();
  bool narrow = classOf(dtype) == DTypeClass::Integer && sizeInBytes(dtype) < 8;
  if (args.failed() || !narrow || !bound.isNumber || bound.tensor.dtype() != DType::I64)
    return bound;
  auto value = readElement<int64_t>(DType::I64, bound.tensor.data());
  int64_t least = wrapTo(dtype, int64_t{-1}) < 0 ? -(int64_t{1} << (8 * sizeInBytes(dtype) - 1)) : 0;
  int64_t most = wrapTo(dtype, least - 1);
  bool lower = &op == &clampMinOp;
  args.check(lower ? value <= most : value >= least,
             "got a bound " + llvm::Twine(value) + ", which " + shortName(dtype) + " does not hold");
  return integerOperand(std::clamp(value, least, most));
}

template <const PointwiseOp &op>
Value clampAtOne(KernelArgs &args) {
  return pointwise(args, {args.operand(0), boundOf(args, 1, op)}, op);
}

/// Computes in one pass, because a result may share memory with a bound.
Value clamp(KernelArgs &args) {
  args.check(args.has(1) || args.has(2), "got neither min nor max, expected one of them");
  if (!args.has(2))
    return clampAtOne<clampMinOp>(args);
  if (!args.has(1))
    return pointwise(args, {args.operand(0), boundOf(args, 2, clampMaxOp)}, clampMaxOp);
  return pointwise(args, {args.operand(0), boundOf(args, 1, clampMinOp), boundOf(args, 2, clampMaxOp)}, clampOp);
}

const Kernel selectionTable[] = {
    {"aten.addcdiv.default", "self,tensor1,tensor2,value", weightedKernel<addcdivOp, 3>},
    {"aten.addcdiv_.default", "self,tensor1,tensor2,value", weightedInPlace<addcdivOp, 3>},
    {"aten.addcmul.default", "self,tensor1,tensor2,value", weightedKernel<addcmulOp, 3>},
    {"aten.addcmul_.default", "self,tensor1,tensor2,value", weightedInPlace<addcmulOp, 3>},
    {"aten.clamp.Tensor", "self,min,max", clamp},
    {"aten.clamp.default", "self,min,max", clamp},
    {"aten.clamp_max.Tensor", "self,max", clampAtOne<clampMaxOp>},
    {"aten.clamp_max.default", "self,max", clampAtOne<clampMaxOp>},
    {"aten.clamp_min.Tensor", "self,min", clampAtOne<clampMinOp>},
    {"aten.clamp_min.default", "self,min", clampAtOne<clampMinOp>},
    {"aten.lerp.Scalar", "self,end,weight", pointwiseKernel<lerpOp, 3>},
    {"aten.lerp.Tensor", "self,end,weight", pointwiseKernel<lerpOp, 3>},
    {"aten.lerp_.Scalar", "self,end,weight", pointwiseInPlace<lerpOp, 3>},
    {"aten.masked_fill.Scalar", "self,mask,value", maskedFill},
    {"aten.masked_fill.Tensor", "self,mask,value", maskedFill},
    {"aten.masked_fill_.Scalar", "self,mask,value", maskedFillInPlace},
    {"aten.masked_fill_.Tensor", "self,mask,value", maskedFillInPlace},
    {"aten.where.ScalarOther", "condition,self,other", where},
    {"aten.where.ScalarSelf", "condition,self,other", where},
    {"aten.where.self", "condition,self,other", where},
    {"prims.fma.default", "a,b,c", pointwiseKernel<fmaOp, 3>},
};

} // namespace

llvm::ArrayRef<Kernel> selectionKernels() { return selectionTable; }

} // namespace ccgraph::runtime

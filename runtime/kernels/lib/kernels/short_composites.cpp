#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/pointwise.h"

// Operators that are a few calls of others.
namespace ccgraph::runtime {
namespace {

/// (i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim): three factors with new dimensions, multiplied and
/// summed.
Value trilinear(KernelArgs &args) {
  Tensor product;
  for (unsigned i = 0; i < 3 && !args.failed(); ++i) {
    // Because PyTorch rounds the sum of products alone.
    Tensor factor = args.tensor(i);
    if (isFloat(factor.dtype()))
      factor = toDType(factor, DType::F64);
    for (int64_t dim : args.integers(3 + i))
      if (args.check(dim >= 0 && dim <= factor.rank(), "got dimension " + llvm::Twine(dim)))
        factor = factor.unsqueeze(dim);
    product = i == 0 ? factor : callForTensor(args, "aten.mul.Tensor", {product, factor});
  }
  Dims dims = args.integers(6);
  if (!dims.empty())
    product = callForTensor(args, "aten.sum.dim_IntList",
                            {product, listOf(dims), Value::boolean(false), Value::dtype(product.dtype())});
  return args.failed() ? Value() : Value(toDType(product, args.tensor(0).dtype()));
}

/// (grad_output, mask, scale)
Value dropoutBackward(KernelArgs &args) {
  Tensor kept = callForTensor(args, "aten.mul.Tensor", {args.at(0), args.at(1)});
  return callKernel(args, "aten.mul.Scalar", {kept, Value::floating(args.number(2))});
}

/// (grad_output, self, noise, lower, upper, training, self_is_result): what the forward pass drew is the slope.
Value randomLeakyBackward(KernelArgs &args) {
  double slope = (args.number(3) + args.number(4)) / 2;
  if (args.boolean(5, false) && args.number(4) - args.number(3) > 1e-6)
    return callKernel(args, "aten.mul.Tensor", {args.at(0), args.at(2)});
  return callKernel(args, "aten.leaky_relu_backward.default",
                    {args.at(0), args.at(1), Value::floating(slope), Value::boolean(args.boolean(6, false))});
}

/// (self, p, dim, maxnorm): slices of a larger norm are scaled down to it.
Value renorm(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(2, self.rank());
  double most = args.number(3);
  Dims others = allDims(self.rank());
  if (args.failed() || !args.check(self.rank() > 1, "got " + typeOf(self) + ", expected at least 2 dimensions"))
    return {};
  others.erase(others.begin() + dim);
  Tensor norms =
      callForTensor(args, "aten.linalg_vector_norm.default", {self, args.at(1), listOf(others), Value::boolean(true)});
  Tensor large = callForTensor(args, "aten.gt.Scalar", {norms, Value::floating(most)});
  Tensor scales = callForTensor(args, "aten.reciprocal.default",
                                {callForTensor(args, "aten.add.Scalar", {norms, Value::floating(1e-7)})});
  scales = callForTensor(args, "aten.mul.Scalar", {scales, Value::floating(most)});
  scales = callForTensor(args, "aten.where.ScalarOther", {large, scales, Value::floating(1)});
  Tensor result = callForTensor(args, "aten.mul.Tensor", {self, scales});
  return args.failed() ? Value() : Value(result.contiguous());
}

/// The old schemas say `unbiased` where the new ones have a correction.
template <bool root>
Value spreadAndMean(KernelArgs &args, Value dims, unsigned unbiased, bool keep) {
  Value correction = Value::integer(args.boolean(unbiased, true));
  return callKernel(args, root ? "aten.std_mean.correction" : "aten.var_mean.correction",
                    {args.at(0), std::move(dims), correction, Value::boolean(keep)});
}
template <bool root>
Value spreadAndMeanOfAll(KernelArgs &args) {
  return spreadAndMean<root>(args, Value(), 1, false);
}
template <bool root>
Value spreadAndMeanOfDims(KernelArgs &args) {
  return spreadAndMean<root>(args, args.at(1), 2, args.boolean(3, false));
}

Value reshapedAs(KernelArgs &args) {
  return callKernel(args, "aten.reshape.default", {args.at(0), listOf(args.tensor(1).sizes())});
}
Value broadcastTo(KernelArgs &args) { return callKernel(args, "aten.expand.default", {args.at(0), args.at(1)}); }

Value logSigmoid(KernelArgs &args) {
  Value both = callKernel(args, "aten.log_sigmoid_forward.default", {args.at(0)});
  return args.failed() ? both : both.list().front();
}

const Kernel shortTable[] = {
    {"aten._trilinear.default", "i1,i2,i3,expand1,expand2,expand3,sumdim,unroll_dim", trilinear},
    {"aten.broadcast_to.default", "self,size", broadcastTo},
    {"aten.log_sigmoid.default", "self", logSigmoid},
    {"aten.native_dropout_backward.default", "grad_output,mask,scale", dropoutBackward},
    {"aten.renorm.default", "self,p,dim,maxnorm", renorm},
    {"aten.reshape_as.default", "self,other", reshapedAs},
    {"aten.rrelu_with_noise_backward.default", "grad_output,self,noise,lower,upper,training,self_is_result",
     randomLeakyBackward},
    {"aten.std_mean.default", "self,unbiased", spreadAndMeanOfAll<true>},
    {"aten.std_mean.dim", "self,dim,unbiased,keepdim", spreadAndMeanOfDims<true>},
    {"aten.var_mean.default", "self,unbiased", spreadAndMeanOfAll<false>},
    {"aten.var_mean.dim", "self,dim,unbiased,keepdim", spreadAndMeanOfDims<false>},
};

} // namespace

llvm::ArrayRef<Kernel> shortKernels() { return shortTable; }

} // namespace ccgraph::runtime

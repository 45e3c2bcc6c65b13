#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/pointwise.h"

// Operators that are a few calls of others.
namespace ccgraph::runtime {
namespace {

/// (grad_output, mask, scale)
Value dropoutBackward(KernelArgs &args) {
  Tensor kept = callForTensor(args, "aten.mul.Tensor", {args.at(0), args.at(1)});
  return callKernel(args, "aten.mul.Scalar", {kept, Value::floating(args.number(2))});
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

const Kernel shortTable[] = {
    {"aten.broadcast_to.default", "self,size", broadcastTo},
    {"aten.native_dropout_backward.default", "grad_output,mask,scale", dropoutBackward},
    {"aten.reshape_as.default", "self,other", reshapedAs},
    {"aten.std_mean.default", "self,unbiased", spreadAndMeanOfAll<true>},
    {"aten.std_mean.dim", "self,dim,unbiased,keepdim", spreadAndMeanOfDims<true>},
    {"aten.var_mean.default", "self,unbiased", spreadAndMeanOfAll<false>},
    {"aten.var_mean.dim", "self,dim,unbiased,keepdim", spreadAndMeanOfDims<false>},
};

} // namespace

llvm::ArrayRef<Kernel> shortKernels() { return shortTable; }

} // namespace ccgraph::runtime

#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/pointwise.h"

namespace ccgraph::runtime {
namespace {

Value integer(int64_t value) { return Value::integer(value); }

/// The argument as given, or a default.
Value given(KernelArgs &args, unsigned index, const Value &otherwise) {
  return args.has(index) ? args.at(index) : otherwise;
}

// --- Reductions -----------------------------------------------------------------------------------------
/// The old schemas have `unbiased` where the new ones have a correction.
template <bool root>
Value spreadAlong(KernelArgs &args) {
  Value correction = integer(args.boolean(2, true));
  return callKernel(args, root ? "aten.std.correction" : "aten.var.correction",
                    {args.at(0), args.at(1), correction, Value::boolean(args.boolean(3, false))});
}
template <bool root>
Value spread(KernelArgs &args) {
  Value correction = integer(args.boolean(1, true));
  return callKernel(args, root ? "aten.std.correction" : "aten.var.correction", {args.at(0), Value(), correction});
}

/// (self, dim, correction, keepdim)
Value stdMean(KernelArgs &args) {
  Value both = callKernel(args, "aten.var_mean.correction", {args.at(0), args.at(1), args.at(2), args.at(3)});
  if (args.failed())
    return {};
  return Value::list({callKernel(args, "aten.sqrt.default", {both.list()[0]}), both.list()[1]});
}

/// (self, p, dim, keepdim, dtype)
Value norm(KernelArgs &args) {
  return callKernel(
      args, "aten.linalg_vector_norm.default",
      {args.at(0), given(args, 1, integer(2)), args.at(2), Value::boolean(args.boolean(3, false)), args.at(4)});
}

/// (self, p, dtype)
Value wholeNorm(KernelArgs &args) {
  return callKernel(args, "aten.linalg_vector_norm.default",
                    {args.at(0), given(args, 1, integer(2)), Value(), Value::boolean(false), args.at(2)});
}

/// (self, dim, keepdim)
Value extremes(KernelArgs &args) {
  Value dims = args.has(1) ? listOf({args.integer(1)}) : listOf({});
  Value keep = Value::boolean(args.boolean(2, false));
  return Value::list({callKernel(args, "aten.amin.default", {args.at(0), dims, keep}),
                      callKernel(args, "aten.amax.default", {args.at(0), dims, keep})});
}

const Kernel compositeTable[] = {
    {"aten.aminmax.default", "self,dim,keepdim", extremes},
    {"aten.norm.Scalar", "self,p", norm},
    {"aten.norm.ScalarOpt_dim", "self,p,dim,keepdim", norm},
    {"aten.norm.ScalarOpt_dim_dtype", "self,p,dim,keepdim,dtype", norm},
    {"aten.norm.ScalarOpt_dtype", "self,p,dtype", wholeNorm},
    {"aten.std.default", "self,unbiased", spread<true>},
    {"aten.std.dim", "self,dim,unbiased,keepdim", spreadAlong<true>},
    {"aten.std_mean.correction", "self,dim,correction,keepdim", stdMean},
    {"aten.var.default", "self,unbiased", spread<false>},
    {"aten.var.dim", "self,dim,unbiased,keepdim", spreadAlong<false>},
};

} // namespace

llvm::ArrayRef<Kernel> compositeKernels() { return compositeTable; }

} // namespace ccgraph::runtime

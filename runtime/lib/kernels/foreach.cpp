#include "kernels/families.h"
#include "kernels/kernel_args.h"

namespace ccgraph::runtime {
namespace {

/// An operator on lists, its parameters, and the operator that it applies to each element.
struct Lifted {
  llvm::StringRef target;
  llvm::StringRef parameters;
  llvm::StringRef element;
};
constexpr Lifted lifted[] = {
    {"aten._foreach_abs.default", "self", "aten.abs.default"},
    {"aten._foreach_add.List", "self,other,alpha", "aten.add.Tensor"},
    {"aten._foreach_add.Scalar", "self,scalar", "aten.add.Scalar"},
    {"aten._foreach_add.Tensor", "self,other,alpha", "aten.add.Tensor"},
    {"aten._foreach_add_.List", "self,other,alpha", "aten.add_.Tensor"},
    {"aten._foreach_add_.Scalar", "self,scalar", "aten.add_.Scalar"},
    {"aten._foreach_add_.Tensor", "self,other,alpha", "aten.add_.Tensor"},
    {"aten._foreach_addcdiv.Scalar", "self,tensor1,tensor2,value", "aten.addcdiv.default"},
    {"aten._foreach_addcdiv_.Scalar", "self,tensor1,tensor2,value", "aten.addcdiv_.default"},
    {"aten._foreach_addcmul.Scalar", "self,tensor1,tensor2,value", "aten.addcmul.default"},
    {"aten._foreach_addcmul_.Scalar", "self,tensor1,tensor2,value", "aten.addcmul_.default"},
    {"aten._foreach_clamp_min.Scalar", "self,scalar", "aten.clamp_min.default"},
    {"aten._foreach_copy_.default", "self,src,non_blocking", "aten.copy_.default"},
    {"aten._foreach_div.List", "self,other", "aten.div.Tensor"},
    {"aten._foreach_div.Scalar", "self,scalar", "aten.div.Scalar"},
    {"aten._foreach_div.Tensor", "self,other", "aten.div.Tensor"},
    {"aten._foreach_div_.List", "self,other", "aten.div_.Tensor"},
    {"aten._foreach_div_.Scalar", "self,scalar", "aten.div_.Scalar"},
    {"aten._foreach_div_.Tensor", "self,other", "aten.div_.Tensor"},
    {"aten._foreach_exp.default", "self", "aten.exp.default"},
    {"aten._foreach_lerp.List", "self,tensors1,weights", "aten.lerp.Tensor"},
    {"aten._foreach_lerp.Scalar", "self,tensors1,weight", "aten.lerp.Scalar"},
    {"aten._foreach_lerp_.Scalar", "self,tensors1,weight", "aten.lerp_.Scalar"},
    {"aten._foreach_maximum.List", "self,other", "aten.maximum.default"},
    {"aten._foreach_mul.List", "self,other", "aten.mul.Tensor"},
    {"aten._foreach_mul.Scalar", "self,scalar", "aten.mul.Scalar"},
    {"aten._foreach_mul.Tensor", "self,other", "aten.mul.Tensor"},
    {"aten._foreach_mul_.List", "self,other", "aten.mul_.Tensor"},
    {"aten._foreach_mul_.Scalar", "self,scalar", "aten.mul_.Scalar"},
    {"aten._foreach_mul_.Tensor", "self,other", "aten.mul_.Tensor"},
    {"aten._foreach_neg.default", "self", "aten.neg.default"},
    {"aten._foreach_neg_.default", "self", "aten.neg_.default"},
    {"aten._foreach_norm.Scalar", "self,ord", "aten.linalg_vector_norm.default"},
    {"aten._foreach_pow.Scalar", "self,exponent", "aten.pow.Tensor_Scalar"},
    {"aten._foreach_reciprocal.default", "self", "aten.reciprocal.default"},
    {"aten._foreach_rsqrt.default", "self", "aten.rsqrt.default"},
    {"aten._foreach_sign.default", "self", "aten.sign.default"},
    {"aten._foreach_sqrt.default", "self", "aten.sqrt.default"},
    {"aten._foreach_sqrt_.default", "self", "aten.sqrt_.default"},
    {"aten._foreach_sub.List", "self,other,alpha", "aten.sub.Tensor"},
    {"aten._foreach_sub.Scalar", "self,scalar", "aten.sub.Scalar"},
    {"aten._foreach_sub_.List", "self,other,alpha", "aten.sub_.Tensor"},
    {"aten._foreach_sub_.Scalar", "self,scalar", "aten.sub_.Scalar"},
    {"aten._foreach_zero_.default", "self", "aten.zero_.default"},
};

/// Lists give their i-th element to the i-th call; other arguments go to all.
Value applyToEach(KernelArgs &args) {
  const auto *pair = llvm::find_if(lifted, [&](const Lifted &l) { return l.target == args.target(); });
  const Kernel *element = findKernel(pair->element);
  size_t length = args.tensors(0).size();
  for (unsigned i = 1; i < args.count(); ++i)
    if (args.at(i).is(Value::Kind::List))
      args.check(args.at(i).list().size() == length, "got lists of " + llvm::Twine(length) + " and " +
                                                         llvm::Twine(args.at(i).list().size()) +
                                                         ", expected equal lengths");
  Value::List results;
  for (size_t i = 0; i < length && !args.failed(); ++i) {
    KernelCall call;
    for (unsigned k = 0; k < args.count(); ++k)
      call.positional.push_back(args.at(k).is(Value::Kind::List) ? args.at(k).list()[i] : args.at(k));
    llvm::Expected<Value> result = runKernel(*element, std::move(call));
    if (result)
      results.push_back(std::move(*result));
    else
      args.fail("element " + llvm::Twine(i) + ": " + llvm::toString(result.takeError()));
  }
  return args.failed() ? Value() : Value::list(std::move(results));
}

std::vector<Kernel> makeKernels() {
  std::vector<Kernel> kernels;
  for (const Lifted &l : lifted)
    kernels.push_back({l.target, l.parameters, applyToEach});
  return kernels;
}

} // namespace

llvm::ArrayRef<Kernel> foreachKernels() {
  static const std::vector<Kernel> kernels = makeKernels();
  return kernels;
}

} // namespace ccgraph::runtime

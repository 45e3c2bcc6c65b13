#include "kernels/calls.h"
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
    {"aten._foreach_abs_.default", "self", "aten.abs_.default"},
    {"aten._foreach_acos.default", "self", "aten.acos.default"},
    {"aten._foreach_acos_.default", "self", "aten.acos_.default"},
    {"aten._foreach_add.List", "self,other,alpha", "aten.add.Tensor"},
    {"aten._foreach_add.Scalar", "self,scalar", "aten.add.Scalar"},
    {"aten._foreach_add.ScalarList", "self,scalars", "aten.add.Scalar"},
    {"aten._foreach_add.Tensor", "self,other,alpha", "aten.add.Tensor"},
    {"aten._foreach_add_.List", "self,other,alpha", "aten.add_.Tensor"},
    {"aten._foreach_add_.Scalar", "self,scalar", "aten.add_.Scalar"},
    {"aten._foreach_add_.ScalarList", "self,scalars", "aten.add_.Scalar"},
    {"aten._foreach_add_.Tensor", "self,other,alpha", "aten.add_.Tensor"},
    {"aten._foreach_addcdiv.Scalar", "self,tensor1,tensor2,value", "aten.addcdiv.default"},
    {"aten._foreach_addcdiv.ScalarList", "self,tensor1,tensor2,scalars", "aten.addcdiv.default"},
    {"aten._foreach_addcdiv_.Scalar", "self,tensor1,tensor2,value", "aten.addcdiv_.default"},
    {"aten._foreach_addcdiv_.ScalarList", "self,tensor1,tensor2,scalars", "aten.addcdiv_.default"},
    {"aten._foreach_addcmul.Scalar", "self,tensor1,tensor2,value", "aten.addcmul.default"},
    {"aten._foreach_addcmul.ScalarList", "self,tensor1,tensor2,scalars", "aten.addcmul.default"},
    {"aten._foreach_addcmul_.Scalar", "self,tensor1,tensor2,value", "aten.addcmul_.default"},
    {"aten._foreach_addcmul_.ScalarList", "self,tensor1,tensor2,scalars", "aten.addcmul_.default"},
    {"aten._foreach_asin.default", "self", "aten.asin.default"},
    {"aten._foreach_asin_.default", "self", "aten.asin_.default"},
    {"aten._foreach_atan.default", "self", "aten.atan.default"},
    {"aten._foreach_atan_.default", "self", "aten.atan_.default"},
    {"aten._foreach_ceil.default", "self", "aten.ceil.default"},
    {"aten._foreach_ceil_.default", "self", "aten.ceil_.default"},
    {"aten._foreach_clamp_max.List", "self,other", "aten.clamp_max.Tensor"},
    {"aten._foreach_clamp_max.Scalar", "self,scalar", "aten.clamp_max.default"},
    {"aten._foreach_clamp_max.ScalarList", "self,scalars", "aten.clamp_max.default"},
    {"aten._foreach_clamp_max_.List", "self,other", "aten.clamp_max_.Tensor"},
    {"aten._foreach_clamp_max_.Scalar", "self,scalar", "aten.clamp_max_.default"},
    {"aten._foreach_clamp_max_.ScalarList", "self,scalars", "aten.clamp_max_.default"},
    {"aten._foreach_clamp_min.List", "self,other", "aten.clamp_min.Tensor"},
    {"aten._foreach_clamp_min.Scalar", "self,scalar", "aten.clamp_min.default"},
    {"aten._foreach_clamp_min.ScalarList", "self,scalars", "aten.clamp_min.default"},
    {"aten._foreach_clamp_min_.List", "self,other", "aten.clamp_min_.Tensor"},
    {"aten._foreach_clamp_min_.Scalar", "self,scalar", "aten.clamp_min_.default"},
    {"aten._foreach_clamp_min_.ScalarList", "self,scalars", "aten.clamp_min_.default"},
    {"aten._foreach_clone.default", "self", "aten.clone.default"},
    {"aten._foreach_copy_.default", "self,src,non_blocking", "aten.copy_.default"},
    {"aten._foreach_cos.default", "self", "aten.cos.default"},
    {"aten._foreach_cos_.default", "self", "aten.cos_.default"},
    {"aten._foreach_cosh.default", "self", "aten.cosh.default"},
    {"aten._foreach_cosh_.default", "self", "aten.cosh_.default"},
    {"aten._foreach_div.List", "self,other", "aten.div.Tensor"},
    {"aten._foreach_div.Scalar", "self,scalar", "aten.div.Scalar"},
    {"aten._foreach_div.ScalarList", "self,scalars", "aten.div.Scalar"},
    {"aten._foreach_div.Tensor", "self,other", "aten.div.Tensor"},
    {"aten._foreach_div_.List", "self,other", "aten.div_.Tensor"},
    {"aten._foreach_div_.Scalar", "self,scalar", "aten.div_.Scalar"},
    {"aten._foreach_div_.ScalarList", "self,scalars", "aten.div_.Scalar"},
    {"aten._foreach_div_.Tensor", "self,other", "aten.div_.Tensor"},
    {"aten._foreach_erf.default", "self", "aten.erf.default"},
    {"aten._foreach_erf_.default", "self", "aten.erf_.default"},
    {"aten._foreach_erfc.default", "self", "aten.erfc.default"},
    {"aten._foreach_erfc_.default", "self", "aten.erfc_.default"},
    {"aten._foreach_exp.default", "self", "aten.exp.default"},
    {"aten._foreach_exp_.default", "self", "aten.exp_.default"},
    {"aten._foreach_expm1.default", "self", "aten.expm1.default"},
    {"aten._foreach_expm1_.default", "self", "aten.expm1_.default"},
    {"aten._foreach_floor.default", "self", "aten.floor.default"},
    {"aten._foreach_floor_.default", "self", "aten.floor_.default"},
    {"aten._foreach_frac.default", "self", "aten.frac.default"},
    {"aten._foreach_frac_.default", "self", "aten.frac_.default"},
    {"aten._foreach_lerp.List", "self,tensors1,weights", "aten.lerp.Tensor"},
    {"aten._foreach_lerp.Scalar", "self,tensors1,weight", "aten.lerp.Scalar"},
    {"aten._foreach_lerp.ScalarList", "self,tensors1,weight", "aten.lerp.Scalar"},
    {"aten._foreach_lerp_.List", "self,tensors1,weights", "aten.lerp_.Tensor"},
    {"aten._foreach_lerp_.Scalar", "self,tensors1,weight", "aten.lerp_.Scalar"},
    {"aten._foreach_lerp_.ScalarList", "self,tensors1,weight", "aten.lerp_.Scalar"},
    {"aten._foreach_lgamma.default", "self", "aten.lgamma.default"},
    {"aten._foreach_lgamma_.default", "self", "aten.lgamma_.default"},
    {"aten._foreach_log.default", "self", "aten.log.default"},
    {"aten._foreach_log10.default", "self", "aten.log10.default"},
    {"aten._foreach_log10_.default", "self", "aten.log10_.default"},
    {"aten._foreach_log1p.default", "self", "aten.log1p.default"},
    {"aten._foreach_log1p_.default", "self", "aten.log1p_.default"},
    {"aten._foreach_log2.default", "self", "aten.log2.default"},
    {"aten._foreach_log2_.default", "self", "aten.log2_.default"},
    {"aten._foreach_log_.default", "self", "aten.log_.default"},
    {"aten._foreach_max.default", "self", "aten.max.default"},
    {"aten._foreach_maximum.List", "self,other", "aten.maximum.default"},
    {"aten._foreach_maximum.Scalar", "self,scalar", "aten.clamp_min.default"},
    {"aten._foreach_maximum.ScalarList", "self,scalars", "aten.clamp_min.default"},
    {"aten._foreach_maximum_.List", "self,other", "aten.clamp_min_.Tensor"},
    {"aten._foreach_maximum_.Scalar", "self,scalar", "aten.clamp_min_.default"},
    {"aten._foreach_maximum_.ScalarList", "self,scalars", "aten.clamp_min_.default"},
    {"aten._foreach_minimum.List", "self,other", "aten.clamp_max.Tensor"},
    {"aten._foreach_minimum.Scalar", "self,scalar", "aten.clamp_max.default"},
    {"aten._foreach_minimum.ScalarList", "self,scalars", "aten.clamp_max.default"},
    {"aten._foreach_minimum_.List", "self,other", "aten.clamp_max_.Tensor"},
    {"aten._foreach_minimum_.Scalar", "self,scalar", "aten.clamp_max_.default"},
    {"aten._foreach_minimum_.ScalarList", "self,scalars", "aten.clamp_max_.default"},
    {"aten._foreach_mul.List", "self,other", "aten.mul.Tensor"},
    {"aten._foreach_mul.Scalar", "self,scalar", "aten.mul.Scalar"},
    {"aten._foreach_mul.ScalarList", "self,scalars", "aten.mul.Scalar"},
    {"aten._foreach_mul.Tensor", "self,other", "aten.mul.Tensor"},
    {"aten._foreach_mul_.List", "self,other", "aten.mul_.Tensor"},
    {"aten._foreach_mul_.Scalar", "self,scalar", "aten.mul_.Scalar"},
    {"aten._foreach_mul_.ScalarList", "self,scalars", "aten.mul_.Scalar"},
    {"aten._foreach_mul_.Tensor", "self,other", "aten.mul_.Tensor"},
    {"aten._foreach_neg.default", "self", "aten.neg.default"},
    {"aten._foreach_neg_.default", "self", "aten.neg_.default"},
    {"aten._foreach_norm.Scalar", "self,ord,dtype", "aten.norm.ScalarOpt_dtype"},
    {"aten._foreach_pow.List", "self,exponent", "aten.pow.Tensor_Tensor"},
    {"aten._foreach_pow.Scalar", "self,exponent", "aten.pow.Tensor_Scalar"},
    {"aten._foreach_pow.ScalarAndTensor", "self,exponent", "aten.pow.Scalar"},
    {"aten._foreach_pow.ScalarList", "self,exponent", "aten.pow.Tensor_Scalar"},
    {"aten._foreach_pow_.List", "self,exponent", "aten.pow_.Tensor"},
    {"aten._foreach_pow_.Scalar", "self,exponent", "aten.pow_.Scalar"},
    {"aten._foreach_pow_.ScalarList", "self,exponent", "aten.pow_.Scalar"},
    {"aten._foreach_reciprocal.default", "self", "aten.reciprocal.default"},
    {"aten._foreach_reciprocal_.default", "self", "aten.reciprocal_.default"},
    {"aten._foreach_round.default", "self", "aten.round.default"},
    {"aten._foreach_round_.default", "self", "aten.round_.default"},
    {"aten._foreach_rsqrt.default", "self", "aten.rsqrt.default"},
    {"aten._foreach_rsqrt_.default", "self", "aten.rsqrt_.default"},
    {"aten._foreach_sigmoid.default", "self", "aten.sigmoid.default"},
    {"aten._foreach_sigmoid_.default", "self", "aten.sigmoid_.default"},
    {"aten._foreach_sign.default", "self", "aten.sign.default"},
    {"aten._foreach_sign_.default", "self", "aten.sign_.default"},
    {"aten._foreach_sin.default", "self", "aten.sin.default"},
    {"aten._foreach_sin_.default", "self", "aten.sin_.default"},
    {"aten._foreach_sinh.default", "self", "aten.sinh.default"},
    {"aten._foreach_sinh_.default", "self", "aten.sinh_.default"},
    {"aten._foreach_sqrt.default", "self", "aten.sqrt.default"},
    {"aten._foreach_sqrt_.default", "self", "aten.sqrt_.default"},
    {"aten._foreach_sub.List", "self,other,alpha", "aten.sub.Tensor"},
    {"aten._foreach_sub.Scalar", "self,scalar", "aten.sub.Scalar"},
    {"aten._foreach_sub.ScalarList", "self,scalars", "aten.sub.Scalar"},
    {"aten._foreach_sub_.List", "self,other,alpha", "aten.sub_.Tensor"},
    {"aten._foreach_sub_.Scalar", "self,scalar", "aten.sub_.Scalar"},
    {"aten._foreach_sub_.ScalarList", "self,scalars", "aten.sub_.Scalar"},
    {"aten._foreach_tan.default", "self", "aten.tan.default"},
    {"aten._foreach_tan_.default", "self", "aten.tan_.default"},
    {"aten._foreach_tanh.default", "self", "aten.tanh.default"},
    {"aten._foreach_tanh_.default", "self", "aten.tanh_.default"},
    {"aten._foreach_trunc.default", "self", "aten.trunc.default"},
    {"aten._foreach_trunc_.default", "self", "aten.trunc_.default"},
    {"aten._foreach_zero_.default", "self", "aten.zero_.default"},
};

/// Lists give their i-th element to the i-th call; other arguments go to all calls: _foreach_add([a, b], [c, d],
/// alpha=2) is [add(a, c, 2), add(b, d, 2)]. The first list determines the number of calls.
Value applyToEach(KernelArgs &args) {
  const auto *pair = llvm::find_if(lifted, [&](const Lifted &l) { return l.target == args.target(); });
  const Kernel *element = findKernel(pair->element);
  unsigned first = 0;
  while (first < args.count() && !args.at(first).is(Value::Kind::List))
    ++first;
  size_t length = first < args.count() ? args.at(first).list().size() : args.tensors(0).size();
  for (unsigned i = first + 1; i < args.count(); ++i)
    if (args.at(i).is(Value::Kind::List))
      args.check(args.at(i).list().size() == length, "got lists of " + llvm::Twine(length) + " and " +
                                                         llvm::Twine(args.at(i).list().size()) +
                                                         ", expected equal lengths");
  Value::List results;
  results.reserve(length);
  for (size_t i = 0; i < length && !args.failed(); ++i) {
    KernelCall call;
    for (unsigned k = 0; k < args.count(); ++k)
      call.positional.push_back(args.at(k).is(Value::Kind::List) ? args.at(k).list()[i] : args.at(k));
    Destinations mine = i < args.destinations().size() ? args.destinations()[i] : Destinations();
    llvm::Expected<Value> result = callWithinRun(*element, std::move(call), mine);
    if (result)
      results.push_back(std::move(*result));
    else
      args.fail("element " + llvm::Twine(i) + ": " + llvm::toString(result.takeError()));
  }
  // The schemas of the in-place forms have no result.
  bool inPlace = args.target().rsplit('.').first.endswith("_");
  return args.failed() || inPlace ? Value() : Value::list(std::move(results));
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

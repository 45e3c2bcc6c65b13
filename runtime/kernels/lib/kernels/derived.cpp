#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/memory_format.h"

namespace ccgraph::runtime {
namespace {

// Most in-place operators, copies of views and elementwise prims need no kernel of their own. aten.abs_(x) is
// aten.abs(x), written back into x, directly where it is a pass over elements; aten.permute_copy(x, dims) is
// aten.permute(x, dims), cloned; prims.sqrt(x) is aten.sqrt(x). The tables below name them; derivedKernels registers
// only those whose functional operator has a kernel.

/// "aten.add.Tensor" of "aten.add_.Tensor" and of "aten.add_copy.Tensor".
std::string without(llvm::StringRef target, llvm::StringRef suffix) {
  target.consume_front("aten.");
  auto [name, overload] = target.split('.');
  name.consume_back(suffix);
  return ("aten." + name + "." + overload).str();
}

/// The functional operators whose overloads are called otherwise.
std::string baseOf(llvm::StringRef target, llvm::StringRef suffix) {
  if (target == "aten.pow_.Scalar")
    return "aten.pow.Tensor_Scalar";
  return target == "aten.view_copy.default" ? "aten.reshape.default" : without(target, suffix);
}

/// The kernels of the functional operators, by derived target: found once.
llvm::StringMap<const Kernel *> findBases();

Value callBase(KernelArgs &args, Destinations destinations = {}) {
  static const llvm::StringMap<const Kernel *> bases = findBases();
  KernelCall call;
  for (unsigned i = 0; i < args.count(); ++i)
    call.positional.push_back(args.at(i));
  llvm::Expected<Value> result = callWithinRun(*bases.lookup(args.target()), std::move(call), destinations);
  if (result)
    return std::move(*result);
  args.fail(llvm::toString(result.takeError()));
  return {};
}

/// The functional operator's result, stored into the first argument.
Value storeInPlace(KernelArgs &args, Destinations destinations) {
  const Tensor &self = args.tensor(0);
  Value result = callBase(args, destinations);
  if (args.failed())
    return {};
  const Tensor &value = result.tensor();
  bool fits = value.sizes() == self.sizes() && canStore(value.dtype(), self.dtype());
  if (!args.check(fits, "got a result " + typeOf(value) + " for " + typeOf(self) +
                            ", expected equal sizes and a dtype that it can hold"))
    return {};
  if (!value.isSameObject(self))
    self.copyFrom(value);
  return self;
}
Value storeAfterwards(KernelArgs &args) { return storeInPlace(args, {}); }
/// Serves an operator that reads element i of its operands for element i of its result, and never after it has written
/// that.
Value storeAtOnce(KernelArgs &args) { return storeInPlace(args, args.tensor(0)); }

/// A view's elements in memory of their own.
Value copyOfView(KernelArgs &args) {
  Value result = callBase(args);
  if (args.failed())
    return {};
  if (result.is(Value::Kind::Tensor))
    return copyOf(args, result.tensor(), contiguousStrides(result.tensor().sizes()));
  Value::List copies;
  for (const Value &view : result.list()) {
    Tensor copy = args.resultOf(static_cast<unsigned>(copies.size()), view.tensor().dtype(), view.tensor().sizes());
    copy.copyFrom(view.tensor());
    copies.emplace_back(copy);
  }
  return Value::list(std::move(copies));
}

/// Operators that are one pass over their operands.
constexpr llvm::StringLiteral elementwise[] = {
    "aten.acos_.default",
    "aten.acosh_.default",
    "aten.asin_.default",
    "aten.asinh_.default",
    "aten.atan2_.default",
    "aten.atan_.default",
    "aten.atanh_.default",
    "aten.bitwise_and_.Scalar",
    "aten.bitwise_left_shift_.Tensor",
    "aten.bitwise_left_shift_.Tensor_Scalar",
    "aten.bitwise_not_.default",
    "aten.bitwise_or_.Scalar",
    "aten.bitwise_right_shift_.Tensor",
    "aten.bitwise_right_shift_.Tensor_Scalar",
    "aten.bitwise_xor_.Scalar",
    "aten.bitwise_xor_.Tensor",
    "aten.ceil_.default",
    "aten.clamp_max_.Tensor",
    "aten.clamp_max_.default",
    "aten.clamp_min_.Tensor",
    "aten.clamp_min_.default",
    "aten.copysign_.Tensor",
    "aten.cos_.default",
    "aten.cosh_.default",
    "aten.deg2rad_.default",
    "aten.digamma_.default",
    "aten.elu_.default",
    "aten.eq_.Scalar",
    "aten.eq_.Tensor",
    "aten.erf_.default",
    "aten.erfc_.default",
    "aten.erfinv_.default",
    "aten.exp2_.default",
    "aten.expm1_.default",
    "aten.floor_.default",
    "aten.floor_divide_.Scalar",
    "aten.fmod_.Scalar",
    "aten.fmod_.Tensor",
    "aten.frac_.default",
    "aten.ge_.Scalar",
    "aten.ge_.Tensor",
    "aten.gelu_.default",
    "aten.gt_.Scalar",
    "aten.gt_.Tensor",
    "aten.heaviside_.default",
    "aten.hypot_.default",
    "aten.le_.Scalar",
    "aten.le_.Tensor",
    "aten.leaky_relu_.default",
    "aten.lerp_.Tensor",
    "aten.lgamma_.default",
    "aten.log10_.default",
    "aten.log1p_.default",
    "aten.log2_.default",
    "aten.log_.default",
    "aten.logical_not_.default",
    "aten.logical_xor_.default",
    "aten.lt_.Scalar",
    "aten.lt_.Tensor",
    "aten.mish_.default",
    "aten.multiply_.Tensor",
    "aten.ne_.Scalar",
    "aten.ne_.Tensor",
    "aten.pow_.Scalar",
    "aten.rad2deg_.default",
    "aten.reciprocal_.default",
    "aten.remainder_.Scalar",
    "aten.remainder_.Tensor",
    "aten.round_.decimals",
    "aten.round_.default",
    "aten.rsqrt_.default",
    "aten.sgn_.default",
    "aten.sigmoid_.default",
    "aten.sign_.default",
    "aten.silu_.default",
    "aten.sin_.default",
    "aten.sinc_.default",
    "aten.sinh_.default",
    "aten.square_.default",
    "aten.tan_.default",
    "aten.tanh_.default",
    "aten.trunc_.default",
    "aten.xlogy_.Scalar_Other",
    "aten.xlogy_.Tensor",
};

constexpr llvm::StringLiteral inPlace[] = {
    "aten.abs_.default",        "aten.addmm_.default",   "aten.baddbmm_.default",   "aten.clamp_.Tensor",
    "aten.clamp_.default",      "aten.copysign_.Scalar", "aten.cumprod_.default",   "aten.cumsum_.default",
    "aten.div_.Scalar_mode",    "aten.div_.Tensor_mode", "aten.index_add_.default", "aten.index_copy_.default",
    "aten.nan_to_num_.default", "aten.tril_.default",    "aten.triu_.default",      "aten.true_divide_.Tensor",
};

constexpr llvm::StringLiteral copies[] = {
    "aten._conj_copy.default",
    "aten._reshape_alias_copy.default",
    "aten.alias_copy.default",
    "aten.as_strided_copy.default",
    "aten.detach_copy.default",
    "aten.diagonal_copy.default",
    "aten.expand_copy.default",
    "aten.narrow_copy.default",
    "aten.permute_copy.default",
    "aten.select_copy.int",
    "aten.slice_copy.Tensor",
    "aten.split_copy.Tensor",
    "aten.squeeze_copy.default",
    "aten.squeeze_copy.dim",
    "aten.squeeze_copy.dims",
    "aten.t_copy.default",
    "aten.transpose_copy.int",
    "aten.unbind_copy.int",
    "aten.unfold_copy.default",
    "aten.unsqueeze_copy.default",
    "aten.view_as_complex_copy.default",
    "aten.view_as_real_copy.default",
    "aten.view_copy.default",
    "aten.view_copy.dtype",
};

/// Operators of prims that equal an operator of aten, with their own names for its parameters.
struct Prim {
  llvm::StringLiteral target;
  llvm::StringLiteral base;
  llvm::StringLiteral parameters;
};
#define CCGRAPH_UNARY_PRIM(NAME)                                                                                       \
  { "prims." NAME ".default", "aten." NAME ".default", "self" }
#define CCGRAPH_BINARY_PRIM(NAME, OVERLOAD)                                                                            \
  { "prims." NAME ".default", "aten." NAME "." OVERLOAD, "self,other" }
constexpr Prim prims[] = {
    CCGRAPH_UNARY_PRIM("abs"),
    CCGRAPH_UNARY_PRIM("acos"),
    CCGRAPH_UNARY_PRIM("acosh"),
    CCGRAPH_UNARY_PRIM("asin"),
    CCGRAPH_UNARY_PRIM("asinh"),
    CCGRAPH_UNARY_PRIM("atan"),
    CCGRAPH_UNARY_PRIM("atanh"),
    CCGRAPH_UNARY_PRIM("ceil"),
    CCGRAPH_UNARY_PRIM("cos"),
    CCGRAPH_UNARY_PRIM("cosh"),
    CCGRAPH_UNARY_PRIM("digamma"),
    CCGRAPH_UNARY_PRIM("erf"),
    CCGRAPH_UNARY_PRIM("erfc"),
    CCGRAPH_UNARY_PRIM("exp"),
    CCGRAPH_UNARY_PRIM("exp2"),
    CCGRAPH_UNARY_PRIM("expm1"),
    CCGRAPH_UNARY_PRIM("floor"),
    CCGRAPH_UNARY_PRIM("isfinite"),
    CCGRAPH_UNARY_PRIM("lgamma"),
    CCGRAPH_UNARY_PRIM("log"),
    CCGRAPH_UNARY_PRIM("log10"),
    CCGRAPH_UNARY_PRIM("log1p"),
    CCGRAPH_UNARY_PRIM("log2"),
    CCGRAPH_UNARY_PRIM("neg"),
    CCGRAPH_UNARY_PRIM("reciprocal"),
    CCGRAPH_UNARY_PRIM("round"),
    CCGRAPH_UNARY_PRIM("sign"),
    CCGRAPH_UNARY_PRIM("signbit"),
    CCGRAPH_UNARY_PRIM("sin"),
    CCGRAPH_UNARY_PRIM("sinh"),
    CCGRAPH_UNARY_PRIM("sqrt"),
    CCGRAPH_UNARY_PRIM("tan"),
    CCGRAPH_UNARY_PRIM("tanh"),
    CCGRAPH_UNARY_PRIM("trunc"),
    CCGRAPH_BINARY_PRIM("add", "Tensor"),
    CCGRAPH_BINARY_PRIM("atan2", "default"),
    CCGRAPH_BINARY_PRIM("eq", "Tensor"),
    CCGRAPH_BINARY_PRIM("ge", "Tensor"),
    CCGRAPH_BINARY_PRIM("gt", "Tensor"),
    CCGRAPH_BINARY_PRIM("le", "Tensor"),
    CCGRAPH_BINARY_PRIM("lt", "Tensor"),
    CCGRAPH_BINARY_PRIM("maximum", "default"),
    CCGRAPH_BINARY_PRIM("minimum", "default"),
    CCGRAPH_BINARY_PRIM("mul", "Tensor"),
    CCGRAPH_BINARY_PRIM("ne", "Tensor"),
    CCGRAPH_BINARY_PRIM("pow", "Tensor_Tensor"),
    CCGRAPH_BINARY_PRIM("sub", "Tensor"),
};
#undef CCGRAPH_UNARY_PRIM
#undef CCGRAPH_BINARY_PRIM

Value sameAsBase(KernelArgs &args) { return callBase(args, args.destinations()); }

llvm::StringMap<const Kernel *> findBases() {
  llvm::StringMap<const Kernel *> bases;
  auto add = [&](llvm::ArrayRef<llvm::StringLiteral> derived, llvm::StringRef suffix) {
    for (llvm::StringRef target : derived)
      bases[target] = findKernel(baseOf(target, suffix));
  };
  add(elementwise, "_");
  add(inPlace, "_");
  add(copies, "_copy");
  for (const Prim &prim : prims)
    bases[prim.target] = findKernel(prim.base);
  return bases;
}

} // namespace

std::vector<Kernel> derivedKernels(llvm::ArrayRef<Kernel> functional) {
  std::vector<Kernel> kernels;
  auto add = [&](llvm::StringRef target, llvm::StringRef suffix, Value (*compute)(KernelArgs &)) {
    const auto *base = llvm::find_if(functional, [&](const Kernel &k) { return k.target == baseOf(target, suffix); });
    // view_copy uses the names of view's parameters, while reshape has another name for the shape.
    bool renamed = target == "aten.view_copy.default";
    if (base != functional.end())
      kernels.push_back({target, renamed ? llvm::StringRef("self,size") : base->parameters, compute});
  };
  for (llvm::StringRef target : elementwise)
    add(target, "_", storeAtOnce);
  for (llvm::StringRef target : inPlace)
    add(target, "_", storeAfterwards);
  for (llvm::StringRef target : copies)
    add(target, "_copy", copyOfView);
  for (const Prim &prim : prims)
    kernels.push_back({prim.target, prim.parameters, sameAsBase});
  return kernels;
}

} // namespace ccgraph::runtime

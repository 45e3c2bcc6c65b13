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

// --- Products: (self, a, b, beta, alpha) -------------------------------------------------------------
Value addProduct(KernelArgs &args, const Tensor &self, const Tensor &a, const Tensor &b) {
  return callKernel(args, "aten.addmm.default", {self, a, b, given(args, 3, integer(1)), given(args, 4, integer(1))});
}

Value addmv(KernelArgs &args) {
  const Tensor &matrix = args.tensor(1), &vector = args.tensor(2);
  if (args.failed() || !args.check(matrix.rank() == 2 && vector.rank() == 1,
                                   "got " + typeOf(matrix) + " and " + typeOf(vector) + ", expected [n, k] and [k]"))
    return {};
  Tensor self = args.take(args.tensor(0).expand({matrix.size(0)}));
  if (args.failed())
    return {};
  Value column = addProduct(args, self.unsqueeze(1), matrix, vector.unsqueeze(1));
  return args.failed() ? Value() : Value(column.tensor().squeeze(1));
}

Value addr(KernelArgs &args) {
  const Tensor &a = args.tensor(1), &b = args.tensor(2);
  if (args.failed() ||
      !args.check(a.rank() == 1 && b.rank() == 1, "got " + typeOf(a) + " and " + typeOf(b) + ", expected vectors"))
    return {};
  Tensor outer = callForTensor(args, "aten.mul.Tensor", {a.unsqueeze(1), b.unsqueeze(0)});
  Tensor self = args.tensor(0);
  // Because beta = 0 ignores self, even NaN.
  if (args.factor(3) == 0.0)
    self = Tensor::zeros(self.dtype(), self.sizes());
  else if (args.has(3))
    self = callForTensor(args, "aten.mul.Scalar", {self, args.at(3)});
  Tensor sum = callForTensor(args, "aten.add.Tensor", {self, outer, given(args, 4, integer(1))});
  // Because numbers do not promote here: of bools it is "self or (a and b)".
  return args.failed() ? Value() : Value(toDType(sum, resultType(llvm::ArrayRef<Tensor>{args.tensor(0), a, b})));
}

/// The sum of a batch of products is one product of the factors side by side.
Value addbmm(KernelArgs &args) {
  const Tensor &a = args.tensor(1), &b = args.tensor(2);
  bool fits = a.rank() == 3 && b.rank() == 3 && a.size(0) == b.size(0) && a.size(2) == b.size(1);
  if (args.failed() ||
      !args.check(fits, "got " + typeOf(a) + " and " + typeOf(b) + ", expected [b, n, k] and [b, k, m]"))
    return {};
  int64_t inner = a.size(0) * a.size(2);
  Tensor left = args.take(a.permute({1, 0, 2}).cloneContiguous().view({a.size(1), inner}));
  return addProduct(args, args.tensor(0), left, args.take(b.contiguous().view({inner, b.size(2)})));
}

/// The first factor conjugated.
Value vdot(KernelArgs &args) {
  Tensor conjugated = callForTensor(args, "aten._conj_physical.default", {args.at(0)});
  return callKernel(args, "aten.dot.default", {conjugated, args.at(1)});
}

Value outer(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &other = args.tensor(1);
  return args.failed() ? Value() : callKernel(args, "aten.mul.Tensor", {self.unsqueeze(self.rank()), other});
}

/// a x b on a dimension of size 3: the components follow each other round.
Value cross(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(2, self.rank(), -1);
  auto rolled = [&](unsigned argument, int64_t by) {
    return callForTensor(args, "aten.roll.default", {args.at(argument), listOf({by}), listOf({dim - self.rank()})});
  };
  Tensor left = callForTensor(args, "aten.mul.Tensor", {rolled(0, -1), rolled(1, -2)});
  Tensor right = callForTensor(args, "aten.mul.Tensor", {rolled(0, -2), rolled(1, -1)});
  return callKernel(args, "aten.sub.Tensor", {left, right});
}

/// self * 2^other. PyTorch takes the power of a number in f32, which is laid out anew, and that of a 0-d tensor in
/// other dtypes.
Value ldexp(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &other = args.tensor(1);
  DType common = floatTypeOf(resultType(llvm::ArrayRef<Tensor>{self, other}));
  Value two = Value::floating(2), dtype = Value::dtype(common);
  Tensor power = common == DType::F32
                     ? callForTensor(args, "aten.pow.Scalar", {two, other})
                     : callForTensor(args, "aten.pow.Tensor_Tensor",
                                     {callForTensor(args, "aten.scalar_tensor.default", {two, dtype}), other});
  return callKernel(args, "aten.mul.Tensor", {self, power});
}

// --- Reductions -----------------------------------------------------------------------------------------
/// The old schemas say `unbiased` where the new ones have a correction.
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

Value countNonzero(KernelArgs &args) {
  Tensor set = callForTensor(args, "aten.ne.Scalar", {args.at(0), integer(0)});
  return callKernel(args, "aten.sum.dim_IntList", {set, args.has(1) ? listOf(args.integers(1)) : Value()});
}

/// (self, dim, keepdim, dtype), NaN counting as 0.
Value nansum(KernelArgs &args) {
  Tensor missing = callForTensor(args, "aten.isnan.default", {args.at(0)});
  Tensor known = callForTensor(args, "aten.masked_fill.Scalar", {args.at(0), missing, integer(0)});
  return callKernel(args, "aten.sum.dim_IntList",
                    {known, args.at(1), Value::boolean(args.boolean(2, false)), args.at(3)});
}

Value trace(KernelArgs &args) {
  return callKernel(args, "aten.sum.default", {callForTensor(args, "aten.diagonal.default", {args.at(0)})});
}

// --- Pixels and channels rearranged ---------------------------------------------------------------------
/// Splits the last three dimensions, permutes all, and joins them again.
struct Rearrangement {
  Dims split;
  Dims order;
  Dims joined;
};

Value rearrange(KernelArgs &args, const Rearrangement &r) {
  const Tensor &self = args.tensor(0);
  Dims front = toDims(self.sizes().drop_back(3)), order = allDims(static_cast<int64_t>(front.size()));
  for (int64_t dim : r.order)
    order.push_back(dim + static_cast<int64_t>(front.size()));
  Dims split = front, joined = front;
  llvm::append_range(split, r.split);
  llvm::append_range(joined, r.joined);
  Tensor parts = args.take(self.contiguous().view(split));
  return args.failed() ? Value() : Value(args.take(parts.permute(order).cloneContiguous().view(joined)));
}

/// The last three sizes, [channels, height, width].
std::optional<Dims> planeOf(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t factor = args.integer(1);
  if (args.failed() ||
      !args.check(self.rank() >= 3 && factor > 0, "got " + typeOf(self) + " and a factor of " + llvm::Twine(factor)))
    return std::nullopt;
  return toDims(self.sizes().take_back(3));
}

Value pixelShuffle(KernelArgs &args) {
  std::optional<Dims> s = planeOf(args);
  int64_t r = args.integer(1);
  if (!s || !args.check((*s)[0] % (r * r) == 0, "got " + llvm::Twine((*s)[0]) + " channels"))
    return {};
  int64_t c = (*s)[0] / (r * r), h = (*s)[1], w = (*s)[2];
  return rearrange(args, {{c, r, r, h, w}, {0, 3, 1, 4, 2}, {c, h * r, w * r}});
}

Value pixelUnshuffle(KernelArgs &args) {
  std::optional<Dims> s = planeOf(args);
  int64_t r = args.integer(1);
  if (!s || !args.check((*s)[1] % r == 0 && (*s)[2] % r == 0, "got sizes " + dimsOf(*s)))
    return {};
  int64_t c = (*s)[0], h = (*s)[1] / r, w = (*s)[2] / r;
  return rearrange(args, {{c, h, r, w, r}, {0, 2, 4, 1, 3}, {c * r * r, h, w}});
}

const Kernel compositeTable[] = {
    {"aten.addbmm.default", "self,batch1,batch2,beta,alpha", addbmm},
    {"aten.addmv.default", "self,mat,vec,beta,alpha", addmv},
    {"aten.addr.default", "self,vec1,vec2,beta,alpha", addr},
    {"aten.aminmax.default", "self,dim,keepdim", extremes},
    {"aten.count_nonzero.default", "self,dim", countNonzero},
    {"aten.count_nonzero.dim_IntList", "self,dim", countNonzero},
    {"aten.ldexp.Tensor", "self,other", ldexp},
    {"aten.linalg_cross.default", "self,other,dim", cross},
    {"aten.nansum.default", "self,dim,keepdim,dtype", nansum},
    {"aten.norm.Scalar", "self,p", norm},
    {"aten.norm.ScalarOpt_dim", "self,p,dim,keepdim", norm},
    {"aten.norm.ScalarOpt_dim_dtype", "self,p,dim,keepdim,dtype", norm},
    {"aten.norm.ScalarOpt_dtype", "self,p,dtype", wholeNorm},
    {"aten.outer.default", "self,vec2", outer},
    {"aten.pixel_shuffle.default", "self,upscale_factor", pixelShuffle},
    {"aten.pixel_unshuffle.default", "self,downscale_factor", pixelUnshuffle},
    {"aten.std.default", "self,unbiased", spread<true>},
    {"aten.std.dim", "self,dim,unbiased,keepdim", spreadAlong<true>},
    {"aten.std_mean.correction", "self,dim,correction,keepdim", stdMean},
    {"aten.trace.default", "self", trace},
    {"aten.var.default", "self,unbiased", spread<false>},
    {"aten.var.dim", "self,dim,unbiased,keepdim", spreadAlong<false>},
    {"aten.vdot.default", "self,other", vdot},
};

} // namespace

llvm::ArrayRef<Kernel> compositeKernels() { return compositeTable; }

} // namespace ccgraph::runtime

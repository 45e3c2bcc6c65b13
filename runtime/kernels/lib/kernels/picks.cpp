#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "tensor/elements.h"

// Operators that pick or put elements, made of indexing.
namespace ccgraph::runtime {
namespace {

/// The elements where the mask is set, in order.
Tensor selected(KernelArgs &args, const Tensor &self, const Tensor &mask) {
  std::optional<Dims> sizes = broadcastSizes(self.sizes(), mask.sizes());
  if (args.failed() || !args.check(sizes.has_value() && mask.dtype() == DType::Bool,
                                   "got a mask " + typeOf(mask) + " for " + typeOf(self)))
    return {};
  Tensor wide = atLeastOneDim(args.take(self.expand(*sizes))), set = atLeastOneDim(args.take(mask.expand(*sizes)));
  return callForTensor(args, "aten.index.Tensor", {wide, Value::tensors({set})});
}

Value maskedSelect(KernelArgs &args) {
  Tensor result = selected(args, args.tensor(0), args.tensor(1));
  return args.failed() ? Value() : Value(result);
}

/// (grad_output, mask, sizes): the gradients at set places in front, zeros after them.
Value maskedScatterBackward(KernelArgs &args) {
  Tensor picked = selected(args, args.tensor(0), args.tensor(1));
  Dims sizes = args.integers(2);
  int64_t count = productOf(sizes);
  if (args.failed() || !args.check(picked.numElements() <= count, "got sizes " + dimsOf(sizes)))
    return {};
  Tensor flat = Tensor::zeros(picked.dtype(), {count});
  flat.slice(0, 0, picked.numElements()).copyFrom(picked);
  return args.take(flat.view(sizes));
}

/// (self, size, fill_value): the first positions, or as many rows of `fill_value` as are missing.
Value nonzeroStatic(KernelArgs &args) {
  Tensor found = callForTensor(args, "aten.nonzero.default", {args.tensor(0)});
  int64_t size = args.integer(1);
  if (args.failed() || !args.check(size >= 0, "got size " + llvm::Twine(size)))
    return {};
  Value fill = Value::integer(args.integer(2, -1));
  Tensor result =
      callForTensor(args, "aten.full.default", {listOf({size, found.size(1)}), fill, Value::dtype(DType::I64)});
  int64_t count = std::min(size, found.size(0));
  if (!args.failed())
    result.slice(0, 0, count).copyFrom(found.slice(0, 0, count));
  return result;
}

/// (self, index, source, accumulate): into elements of the flat tensor.
Value put(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor flat = args.take(self.cloneContiguous().view({-1}));
  Tensor index = args.take(args.tensor(1).contiguous().view({-1}));
  Tensor source = args.take(args.tensor(2).contiguous().view({-1}));
  callKernel(args, "aten.index_put_.default",
             {flat, Value::tensors({index}), source, Value::boolean(args.boolean(3, false))});
  if (args.failed())
    return {};
  Tensor result = self.clone();
  result.copyFrom(args.take(flat.view(self.sizes())));
  return result;
}

/// (self, dim, index, source, reduce, include_self): scatter_reduce with one index for each slice.
Value indexReduce(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &index = args.tensor(2), &source = args.tensor(3);
  int64_t dim = args.dim(1, self.rank());
  Dims sizes(source.sizes().size(), 1);
  if (!sizes.empty())
    sizes[static_cast<size_t>(dim)] = index.numElements();
  Tensor shaped = args.take(index.contiguous().view(sizes));
  if (args.failed())
    return {};
  Tensor wide = args.take(shaped.expand(source.sizes()));
  return callKernel(args, "aten.scatter_reduce.two",
                    {self, Value::integer(dim), wide, source, args.at(4), Value::boolean(args.boolean(5, true))});
}

/// (self, dim, index, src or value, reduce), reduce being "add" or "multiply".
Value scatterWith(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &index = args.tensor(2);
  llvm::StringRef name = args.text(4, "add");
  args.check(name == "add" || name == "multiply", "got reduce '" + name + "', expected add or multiply");
  Value source = args.at(3);
  if (!args.failed() && !source.is(Value::Kind::Tensor))
    source = callKernel(args, "aten.full.default", {listOf(index.sizes()), source, Value::dtype(self.dtype())});
  Value reduce = Value::string(name == "add" ? "sum" : "prod");
  return callKernel(args, "aten.scatter_reduce.two", {self, args.at(1), index, source, reduce});
}

/// (self, indices, dim): gather whose other dimensions broadcast; without a dimension, from the flat tensor.
Value takeAlong(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &index = args.tensor(1);
  if (args.failed())
    return {};
  if (!args.has(2))
    return callKernel(args, "aten.take.default", {self, args.take(index.contiguous().view({-1}))});
  int64_t dim = args.dim(2, self.rank());
  Dims ofSelf = toDims(self.sizes()), ofIndex = toDims(index.sizes());
  bool fits = ofSelf.size() == ofIndex.size() && !ofSelf.empty();
  if (args.failed() || !args.check(fits, "got indices " + typeOf(index) + " for " + typeOf(self)))
    return {};
  std::swap(ofSelf[static_cast<size_t>(dim)], ofIndex[static_cast<size_t>(dim)]);
  std::optional<Dims> sizes = broadcastSizes(ofSelf, index.sizes());
  if (!args.check(sizes.has_value(), "got indices " + typeOf(index) + " for " + typeOf(self)))
    return {};
  Dims whole = *sizes;
  whole[static_cast<size_t>(dim)] = self.size(dim);
  // Because these indices, unlike gather's, may count from the end.
  Tensor fromFront =
      callForTensor(args, "aten.remainder.Scalar", {args.take(index.expand(*sizes)), Value::integer(self.size(dim))});
  return callKernel(args, "aten.gather.default", {args.take(self.expand(whole)), Value::integer(dim), fromFront});
}

/// (elements, test_elements, assume_unique, invert)
Value isIn(KernelArgs &args) {
  Tensor elements = args.operand(0).tensor, tests = args.operand(1).tensor;
  if (args.failed())
    return {};
  tests = args.take(tests.contiguous().view({-1}));
  Tensor equal = callForTensor(args, "aten.eq.Tensor", {elements.unsqueeze(elements.rank()), tests});
  Tensor any = callForTensor(args, "aten.any.dim", {equal, Value::integer(-1)});
  return args.boolean(3, false) ? callKernel(args, "aten.logical_not.default", {any}) : Value(any);
}

const Kernel pickTable[] = {
    {"aten.index_reduce.default", "self,dim,index,source,reduce,include_self", indexReduce},
    {"aten.isin.Scalar_Tensor", "element,test_elements,assume_unique,invert", isIn},
    {"aten.isin.Tensor_Scalar", "elements,test_element,assume_unique,invert", isIn},
    {"aten.isin.Tensor_Tensor", "elements,test_elements,assume_unique,invert", isIn},
    {"aten.masked_scatter_backward.default", "grad_output,mask,sizes", maskedScatterBackward},
    {"aten.masked_select.default", "self,mask", maskedSelect},
    {"aten.nonzero_static.default", "self,size,fill_value", nonzeroStatic},
    {"aten.put.default", "self,index,source,accumulate", put},
    {"aten.scatter.reduce", "self,dim,index,src,reduce", scatterWith},
    {"aten.scatter.value_reduce", "self,dim,index,value,reduce", scatterWith},
    {"aten.take_along_dim.default", "self,indices,dim", takeAlong},
};

} // namespace

llvm::ArrayRef<Kernel> pickKernels() { return pickTable; }

} // namespace ccgraph::runtime

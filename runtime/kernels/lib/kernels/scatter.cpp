#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

/// Adds one element in its dtype: integers exactly, others rounded at each addition as PyTorch's CPU kernels do.
void addElement(DType dtype, std::byte *to, const std::byte *from) {
  if (isComplex(dtype))
    return writeElement<Complex>(dtype, to, readElement<Complex>(dtype, to) + readElement<Complex>(dtype, from));
  if (isFloat(dtype))
    return writeElement<double>(dtype, to, readElement<double>(dtype, to) + readElement<double>(dtype, from));
  writeElement<int64_t>(dtype, to, wrapAdd(readElement<int64_t>(dtype, to), readElement<int64_t>(dtype, from)));
}

/// How a written element joins the one that is there.
enum class Join : uint8_t { Replace, Add };

// --- scatter(self, dim, index, src) ---------------------------------------------------------------
void scatterInto(KernelArgs &args, const Tensor &target, const Tensor &source, Join join) {
  int64_t dim = args.dim(1, target.rank());
  const Tensor &index = args.tensor(2);
  args.check(source.dtype() == target.dtype() && (join == Join::Replace || computable(source.dtype())),
             "got a source " + typeOf(source) + " for " + typeOf(target) + ", expected equal dtypes");
  auto size = static_cast<size_t>(target.elementSize());
  forEachChosen(args, {target, dim, index, source}, [&](std::byte *chosen, std::byte *from) {
    if (join == Join::Add)
      addElement(target.dtype(), chosen, from);
    else
      std::memcpy(chosen, from, size);
  });
}

/// Argument 3 as a tensor of index's sizes, whether it is one or a number.
Tensor sourceOf(KernelArgs &args) {
  Operand source = args.operand(3);
  if (!source.isNumber || args.failed())
    return source.tensor;
  const Tensor &self = args.tensor(0);
  return llvm::cantFail(toDType(source.tensor, self.dtype()).expand(args.tensor(2).sizes()));
}

template <Join join>
Value scatter(KernelArgs &args) {
  Tensor result = args.tensor(0).cloneContiguous();
  Tensor source = sourceOf(args);
  scatterInto(args, result, source, join);
  return result;
}

template <Join join>
Value scatterInPlace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor source = sourceOf(args);
  scatterInto(args, self, source.aliases(self) ? source.cloneContiguous() : source, join);
  return self;
}

// --- index_put(self, indices, values, accumulate) ------------------------------------------------
void addTensor(const Tensor &to, const Tensor &from) {
  forEachRow({to, from}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      addElement(to.dtype(), rows[0].data + i * rows[0].step, rows[1].data + i * rows[1].step);
  });
}

void putIndexed(KernelArgs &args, const AdvancedIndex &index, const Tensor &values, Join join) {
  if (args.failed())
    return;
  Tensor stretched = args.take(values.expand(index.sizes()));
  for (int64_t i = 0; i < index.count() && !args.failed(); ++i) {
    Tensor source = index.partOfResult(stretched, i);
    if (join == Join::Add)
      addTensor(index.part(i), source);
    else
      copyElements(index.part(i), source);
  }
}

Join joinOf(KernelArgs &args) { return args.boolean(3, false) ? Join::Add : Join::Replace; }

void put(KernelArgs &args, const Tensor &target) {
  const Tensor &values = args.tensor(2);
  args.check(values.dtype() == target.dtype() && computable(target.dtype()),
             "got values " + typeOf(values) + " for " + typeOf(target) + ", expected equal dtypes");
  AdvancedIndex index(args, target, args.optionalTensors(1));
  putIndexed(args, index, values.aliases(target) ? values.cloneContiguous() : values, joinOf(args));
}

Value indexPut(KernelArgs &args) {
  Tensor result = args.tensor(0).clone();
  put(args, result);
  return result;
}

Value indexPutInPlace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  put(args, self);
  return self;
}

/// index_put with accumulation, where values whose mask is unset add nothing and may have any index.
Value maskedPut(KernelArgs &args) {
  Tensor result = args.tensor(0).clone();
  Operands chosen{{args.tensor(3)}, {args.tensor(1)}};
  constexpr static PointwiseOp keep{.real = [](const double *x) { return x[1] != 0 ? x[0] : 0; },
                                    .integer = [](const int64_t *x) { return x[1] != 0 ? x[0] : 0; },
                                    .promoting = 1};
  Tensor values = pointwise(args, chosen, keep);
  AdvancedIndex index(args, result, args.optionalTensors(2), OutOfRange::Clamp);
  args.check(values.dtype() == result.dtype(), "got values " + typeOf(values) + " for " + typeOf(result));
  putIndexed(args, index, values, Join::Add);
  return result;
}

/// self with alpha * source added at positions of one dimension.
Value indexAdd(KernelArgs &args) {
  Tensor whole = args.tensor(0).cloneContiguous();
  int64_t dim = args.dim(1, whole.rank());
  const Tensor source = args.has(4) ? callForTensor(args, "aten.mul.Scalar", {args.at(3), args.at(4)}) : args.tensor(3);
  args.check(source.dtype() == whole.dtype() && source.rank() <= std::max<int64_t>(whole.rank(), 1),
             "got a source " + typeOf(source) + " for " + typeOf(whole));
  Tensor result = atLeastOneDim(whole);
  OptionalTensors indices(static_cast<size_t>(dim));
  indices.emplace_back(args.tensor(2));
  if (!args.failed())
    putIndexed(args, AdvancedIndex(args, result, indices), source, Join::Add);
  return whole;
}

/// grad summed into the row of each index; the padding row stays zero. scale_grad_by_freq divides by how often an index
/// occurs.
Value embeddingBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  const Tensor &indices = args.tensor(1);
  int64_t rows = args.integer(2);
  int64_t padding = args.integer(3, -1);
  bool known = isFloat(grad.dtype()) && computable(grad.dtype()) && rows >= 0 && grad.rank() == indices.rank() + 1 &&
               grad.sizes().drop_back() == indices.sizes();
  args.check(known,
             "got grad_output " + typeOf(grad) + " and indices " + typeOf(indices) + ", expected one row an index");
  if (args.failed())
    return {};
  Tensor result = Tensor::zeros(grad.dtype(), {rows, grad.size(grad.rank() - 1)});
  AdvancedIndex index(args, result, {indices});
  // The padding row is skipped, not zeroed after the sum, so NaN in its gradient is harmless.
  Tensor padded = padding >= 0 && padding < rows ? result.select(0, padding) : Tensor();
  llvm::DenseMap<int64_t, int64_t> times;
  for (int64_t i = 0; i < index.count() && args.boolean(4, false); ++i)
    ++times[index.part(i).offset()];
  for (int64_t i = 0; i < index.count() && !args.failed(); ++i) {
    Tensor row = index.part(i), share = index.partOfResult(grad, i);
    if (row.offset() == padded.offset() && padded.storage())
      continue;
    if (int64_t count = times.lookup(row.offset()); count > 1)
      share = callForTensor(args, "aten.div.Tensor", {share, Value::integer(count)});
    addTensor(row, share);
  }
  return result;
}

const Kernel scatterTable[] = {
    {"aten._index_put_impl_.default", "self,indices,values,accumulate,unsafe", indexPutInPlace},
    {"aten._unsafe_index_put.default", "self,indices,values,accumulate", indexPut},
    {"aten._unsafe_masked_index_put_accumulate.default", "self,mask,indices,values", maskedPut},
    {"aten.embedding_dense_backward.default", "grad_output,indices,num_weights,padding_idx,scale_grad_by_freq",
     embeddingBackward},
    {"aten.index_add.default", "self,dim,index,source,alpha", indexAdd},
    {"aten.index_put.default", "self,indices,values,accumulate", indexPut},
    {"aten.index_put_.default", "self,indices,values,accumulate", indexPutInPlace},
    {"aten.scatter.src", "self,dim,index,src", scatter<Join::Replace>},
    {"aten.scatter.value", "self,dim,index,value", scatter<Join::Replace>},
    {"aten.scatter_.src", "self,dim,index,src", scatterInPlace<Join::Replace>},
    {"aten.scatter_.value", "self,dim,index,value", scatterInPlace<Join::Replace>},
    {"aten.scatter_add.default", "self,dim,index,src", scatter<Join::Add>},
    {"aten.scatter_add_.default", "self,dim,index,src", scatterInPlace<Join::Add>},
    {"prims._unsafe_index_put_.default", "self,indices,values,accumulate", indexPutInPlace},
};

} // namespace

llvm::ArrayRef<Kernel> scatterKernels() { return scatterTable; }

} // namespace ccgraph::runtime

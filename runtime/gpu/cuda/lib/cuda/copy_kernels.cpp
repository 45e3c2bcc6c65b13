#include "cuda/planner.h"

#include <algorithm>

namespace ccgraph::runtime::cuda {
namespace {

// --- Copies -------------------------------------------------------------------------------------------------

/// Does nothing where the result is the argument itself, as for contiguous() of a contiguous tensor.
void copyFirst(Planner &planner) {
  if (std::optional<Tensor> out = planner.destination(0))
    planner.copy(*out, planner.args.tensor(0));
}
/// Copies the same elements to other sizes; does nothing where the result is the argument itself.
void reshape(Planner &planner) {
  std::optional<Tensor> out = planner.destination(0);
  const Tensor &self = planner.args.tensor(0);
  if (!out || planner.args.failed())
    return;
  if (Tensor as = planner.args.take(out->view(self.sizes())); !planner.args.failed())
    planner.copy(as, self);
}
/// Returns the second argument, expanded to the sizes of the first.
void copySecond(Planner &planner) { planner.copy(planner.result(), planner.args.tensor(1)); }
void copyIntoFirst(Planner &planner) { planner.copy(planner.args.tensor(0), planner.args.tensor(1)); }

// --- Fills --------------------------------------------------------------------------------------------------

template <int number>
void fillResult(Planner &planner) {
  planner.fill(planner.result(), double(number));
}
/// Fills with the number in argument `index`.
void fillBy(Planner &planner, const Tensor &out, unsigned index) {
  const Value &value = planner.args.at(index);
  using Kind = Value::Kind;
  if (value.is(Kind::Tensor))
    return planner.copy(out, value.tensor());
  bool isNumber = value.is(Kind::Bool) || value.is(Kind::Int) || value.is(Kind::Float);
  if (planner.args.check(isNumber, "got " + value.describe() + ", expected a real number"))
    planner.fill(out, Source::number(value));
}
template <unsigned index>
void fillResultBy(Planner &planner) {
  fillBy(planner, planner.result(), index);
}
void fillFirst(Planner &planner) { fillBy(planner, planner.args.tensor(0), 1); }
void zeroFirst(Planner &planner) { planner.fill(planner.args.tensor(0), 0.0); }

/// start, start + step, ...
void sequence(Planner &planner, const Source &start, const Source &step) {
  Tensor out = planner.result();
  // Devices round once, as the host does.
  auto arithmetic = isFloat(out.dtype()) ? device::Arithmetic::Double : device::Arithmetic::Whole;
  planner.map(out, {device::MapOp::Add, arithmetic}, {start, Source::position(), step});
}
template <int start, int step>
void sequenceOf(Planner &planner) {
  auto number = [&](int index, double otherwise) {
    bool given = index >= 0 && planner.args.has(static_cast<unsigned>(index));
    return given ? Source::number(planner.args.at(static_cast<unsigned>(index))) : Source(otherwise);
  };
  sequence(planner, number(start, 0), number(step, 1));
}

// --- Lists --------------------------------------------------------------------------------------------------

/// Tensors that are not expanded are returned as the same objects.
void broadcastTensors(Planner &planner) {
  Tensors tensors = planner.args.tensors(0);
  for (unsigned i = 0; i < tensors.size(); ++i)
    if (std::optional<Tensor> out = planner.destination(i))
      planner.copy(*out, tensors[i]);
}

void copyLists(Planner &planner) {
  Tensors to = planner.args.tensors(0), from = planner.args.tensors(1);
  if (!planner.args.check(to.size() == from.size(), "got lists of unequal lengths"))
    return;
  for (size_t i = 0; i < to.size(); ++i)
    planner.copy(to[i], from[i]);
}

// --- Parts --------------------------------------------------------------------------------------------------

/// Each of them after the one before, along a dimension.
void concatenate(Planner &planner, llvm::ArrayRef<Tensor> parts, int64_t dim) {
  Tensor out = planner.result();
  int64_t begin = 0;
  for (const Tensor &part : parts) {
    if (planner.args.failed() ||
        !planner.args.check(dim < part.rank() && begin + part.size(dim) <= out.size(dim), "got parts that do not fit"))
      return;
    planner.copy(out.slice(dim, begin, begin + part.size(dim)), part);
    begin += part.size(dim);
  }
}

void cat(Planner &planner) {
  Tensors parts = planner.args.tensors(0);
  // PyTorch passes over parts of this one shape.
  llvm::erase_if(parts, [](const Tensor &part) { return part.rank() == 1 && part.numElements() == 0; });
  concatenate(planner, parts, parts.empty() ? 0 : planner.args.dim(1, parts.front().rank(), 0));
}

void stack(Planner &planner) {
  Tensors parts = planner.args.tensors(0);
  if (!planner.args.check(!parts.empty(), "got no tensors"))
    return;
  int64_t dim = planner.args.dim(1, parts.front().rank() + 1, 0);
  for (Tensor &part : parts)
    part = part.unsqueeze(dim);
  concatenate(planner, parts, dim);
}

/// body(piece's index, piece).
template <typename Body>
void forEachPiece(Planner &planner, Body body) {
  const Tensor &self = planner.args.tensor(0);
  IntList sizes = planner.args.integers(1);
  int64_t dim = planner.args.dim(2, self.rank(), 0), begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!planner.args.check(sizes[i] >= 0 && begin + sizes[i] <= self.size(dim), "got sizes that are too large"))
      return;
    body(static_cast<unsigned>(i), self.slice(dim, begin, begin + sizes[i]));
    begin += sizes[i];
  }
}

void split(Planner &planner) {
  forEachPiece(planner, [&](unsigned index, const Tensor &piece) {
    if (std::optional<Tensor> out = planner.destination(index))
      planner.copy(*out, piece);
  });
}

void splitInto(Planner &planner) {
  Tensors out = planner.args.tensors(3);
  forEachPiece(planner, [&](unsigned index, const Tensor &piece) {
    if (planner.args.check(index < out.size(), "got fewer tensors in out than pieces"))
      planner.copy(out[index], piece);
  });
}

// --- Writing into a part ------------------------------------------------------------------------------------

/// A bound of Python's: counted from the end where it is negative, and no further than the ends.
int64_t boundAt(Planner &planner, unsigned index, int64_t otherwise, int64_t size) {
  int64_t bound = planner.args.integer(index, otherwise);
  return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
}
/// `out` from dimension, start, end and step, which begin at argument `index`.
Tensor partOf(Planner &planner, const Tensor &out, unsigned index) {
  int64_t dim = planner.args.dim(index, out.rank(), 0);
  int64_t step = planner.args.integer(index + 3, 1);
  if (planner.args.failed() || !planner.args.check(step > 0 && out.rank() > 0, "got step " + llvm::Twine(step)))
    return {};
  int64_t size = out.size(dim), start = boundAt(planner, index + 1, 0, size);
  return out.slice(dim, start, std::max(start, boundAt(planner, index + 2, INT64_MAX, size)), step);
}

/// (self, src, dim, start, end, step)
void sliceScatter(Planner &planner) {
  Tensor out = planner.result();
  planner.copy(out, planner.args.tensor(0));
  if (Tensor part = partOf(planner, out, 2); !planner.args.failed())
    planner.copy(part, planner.args.tensor(1));
}
/// (grad_output, input_sizes, dim, start, end, step)
void sliceBackward(Planner &planner) {
  Tensor out = planner.result();
  planner.fill(out, 0.0);
  if (Tensor part = partOf(planner, out, 2); !planner.args.failed())
    planner.copy(part, planner.args.tensor(0));
}
/// (self, src, dim, index)
void selectScatter(Planner &planner) {
  Tensor out = planner.result();
  int64_t dim = planner.args.dim(2, out.rank()), index = planner.args.integer(3);
  if (planner.args.failed())
    return;
  index += index < 0 ? out.size(dim) : 0;
  planner.copy(out, planner.args.tensor(0));
  if (planner.args.check(index >= 0 && index < out.size(dim), "got index " + llvm::Twine(index)))
    planner.copy(out.select(dim, index), planner.args.tensor(1));
}

} // namespace

std::vector<DeviceOperator> copyOperators() {
  return {
      {"aten._foreach_copy_.default", copyLists, Accepted::Moved},
      {"aten._to_copy.default", copyFirst, Accepted::Moved},
      {"aten.arange.default", sequenceOf<-1, -1>},
      {"aten.arange.start", sequenceOf<0, -1>},
      {"aten.arange.start_step", sequenceOf<0, 2>},
      {"aten.broadcast_tensors.default", broadcastTensors, Accepted::Moved},
      {"aten.cat.default", cat, Accepted::Moved},
      {"aten.clone.default", copyFirst, Accepted::Moved},
      {"aten.contiguous.default", copyFirst, Accepted::Moved},
      {"aten.copy.default", copySecond, Accepted::Moved},
      {"aten.copy_.default", copyIntoFirst, Accepted::Moved},
      {"aten.empty.memory_format", fillResult<0>},
      {"aten.empty_like.default", fillResult<0>},
      {"aten.empty_strided.default", fillResult<0>},
      // A copy where a plan gives it memory of its own.
      {"aten.expand.default", copyFirst, Accepted::Moved},
      {"aten.fill.Scalar", fillResultBy<1>},
      {"aten.fill.Tensor", fillResultBy<1>},
      {"aten.fill_.Scalar", fillFirst},
      {"aten.fill_.Tensor", fillFirst},
      {"aten.full.default", fillResultBy<1>},
      {"aten.full_like.default", fillResultBy<1>},
      {"aten.lift_fresh_copy.default", copyFirst, Accepted::Moved},
      {"aten.new_empty.default", fillResult<0>},
      {"aten.new_empty_strided.default", fillResult<0>},
      {"aten.new_full.default", fillResultBy<2>},
      {"aten.new_ones.default", fillResult<1>},
      {"aten.new_zeros.default", fillResult<0>},
      {"aten.ones.default", fillResult<1>},
      {"aten.ones_like.default", fillResult<1>},
      {"aten.select_scatter.default", selectScatter},
      {"aten.slice_backward.default", sliceBackward},
      {"aten.slice_scatter.default", sliceScatter},
      {"aten.reshape.default", reshape, Accepted::Moved},
      {"aten._unsafe_view.default", reshape, Accepted::Moved},
      {"aten.scalar_tensor.default", fillResultBy<0>},
      {"aten.split_with_sizes_copy.default", split, Accepted::Moved},
      {"aten.split_with_sizes_copy.out", splitInto, Accepted::Moved},
      {"aten.stack.default", stack, Accepted::Moved},
      {"aten.to.dtype", copyFirst, Accepted::Moved},
      {"aten.zero_.default", zeroFirst},
      {"aten.zeros.default", fillResult<0>},
      {"aten.zeros_like.default", fillResult<0>},
      {"prims.convert_element_type.default", copyFirst, Accepted::Moved},
      {"prims.device_put.default", copyFirst, Accepted::Moved},
      {"prims.inductor_force_stride_order.default", copyFirst, Accepted::Moved},
      {"prims.iota.default", sequenceOf<1, 2>},
  };
}

} // namespace ccgraph::runtime::cuda

// Collectives of random programs in the tracing API, in each of their forms.
#include "support/random_api_maker.h"

#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/ops.h"

#include <algorithm>

namespace ccgraph::test {

using namespace tracer;

ApiValue ApiMaker::reduced() {
  const ApiValue &value = any();
  ApiGroup g = group();
  if (below(4) == 0)
    return {collectives::all_reduce(value.tensor, collectives::premul_sum(0.5), g.group), value.bound * g.size};
  return {collectives::all_reduce(value.tensor, below(2) ? "sum" : "AVG", g.group), value.bound * g.size};
}

ApiValue ApiMaker::gathered() {
  const ApiValue &value = any();
  ApiGroup g = group();
  return cut(collectives::all_gather_tensor(contiguous(value.tensor), dim(), g.group), value.bound);
}

ApiValue ApiMaker::scattered() {
  const ApiValue &value = any();
  ApiGroup g = group();
  return grown(collectives::reduce_scatter_tensor(contiguous(value.tensor), "sum", dim(), g.group),
               value.bound * g.size);
}

ApiValue ApiMaker::broadcasted() {
  const ApiValue &value = any();
  ApiGroup g = group();
  return {collectives::broadcast(value.tensor, static_cast<int64_t>(below(g.size)), g.group), value.bound};
}

ApiValue ApiMaker::exchanged() {
  const ApiValue &value = any();
  ApiGroup g = group();
  collectives::Splits splits;
  if (below(2))
    splits = std::vector<int64_t>(g.size, value.tensor.size(0) / g.size);
  return {collectives::all_to_all_single(contiguous(value.tensor), splits, splits, g.group), value.bound};
}

ApiValue ApiMaker::reducedList() {
  ApiValue a = square(), b = square();
  TensorList both = collectives::all_reduce_coalesced({a.tensor, b.tensor}, "avg", group().group);
  return {both[0] * both[1], a.bound * b.bound};
}

ApiValue ApiMaker::gatheredList() {
  ApiValue a = square(), b = square();
  TensorList both =
      collectives::all_gather_into_tensor_coalesced({contiguous(a.tensor), contiguous(b.tensor)}, group().group);
  return cut(both[below(2)], std::max(a.bound, b.bound));
}

ApiValue ApiMaker::scatteredList() {
  ApiValue a = square(), b = square();
  ApiGroup g = group();
  TensorList both = collectives::reduce_scatter_tensor_coalesced({contiguous(a.tensor), contiguous(b.tensor)}, "sum",
                                                                 {dim(), dim()}, g.group);
  return grown(both[below(2)], std::max(a.bound, b.bound) * g.size);
}

ApiValue ApiMaker::autograd() {
  const ApiValue &value = any();
  ApiGroup g = group();
  switch (below(3)) {
  case 0:
    return cut(collectives::all_gather_tensor_autograd(contiguous(value.tensor), dim(), g.group), value.bound);
  case 1:
    return grown(collectives::reduce_scatter_tensor_autograd(contiguous(value.tensor), "sum", dim(), g.group),
                 value.bound * g.size);
  default: {
    std::vector<int64_t> splits(g.size, value.tensor.size(0) / g.size);
    return {collectives::all_to_all_single_autograd(contiguous(value.tensor), splits, splits, g.group), value.bound};
  }
  }
}

ApiValue ApiMaker::reducedByMost() {
  const ApiValue &value = any();
  ApiGroup g = group();
  return {collectives::all_reduce(value.tensor, below(2) ? "MAX" : "min", g.group), value.bound};
}

/// torch.distributed's synchronous calls, into buffers of their own.
ApiValue ApiMaker::inPlace() {
  ApiValue value = square();
  ApiGroup g = group();
  Tensor x = contiguous(value.tensor);
  switch (below(5)) {
  case 0:
    return {distributed::all_reduce(clone(x), "sum", g.group), value.bound * g.size};
  case 1:
    return cut(distributed::all_gather_into_tensor(zeros({apiSide * g.size, apiSide}), x, g.group), value.bound);
  case 2:
    return grown(distributed::reduce_scatter_tensor(zeros({apiSide / g.size, apiSide}), x, "avg", g.group),
                 value.bound);
  case 3:
    return {distributed::all_to_all_single(zeros({apiSide, apiSide}), x, std::nullopt, std::nullopt, g.group),
            value.bound};
  default: {
    std::vector<Tensor> parts;
    for (int64_t rank = 0; rank != g.size; ++rank)
      parts.push_back(zeros({apiSide, apiSide}));
    return {distributed::all_gather(parts, x, g.group)[below(g.size)], value.bound};
  }
  }
}

/// c10d's own on one tensor; who reads the result waits, some steps further on perhaps.
ApiValue ApiMaker::wrapped() {
  ApiValue value = square();
  ApiGroup g = group();
  Tensor x = clone(contiguous(value.tensor));
  switch (below(4)) {
  case 0:
    c10d::allreduce_({comm_tensor(x)}, g.group, below(2) ? "sum" : "max");
    return {x, value.bound * g.size};
  case 1:
    c10d::broadcast_({comm_tensor(x)}, g.group, static_cast<int64_t>(below(g.size)));
    return {x, value.bound};
  case 2: {
    Tensor out = comm_tensor(zeros({apiSide * g.size, apiSide}));
    c10d::_allgather_base_(out, x, g.group);
    return g.size == 1 || below(2) ? cut(out, value.bound) : ApiValue{slice(out, 0, apiSide, 2 * apiSide), value.bound};
  }
  default: {
    Tensor out = comm_tensor(zeros({apiSide / g.size, apiSide}));
    c10d::_reduce_scatter_base_(out, x, g.group);
    return g.size == 1 ? ApiValue{out, value.bound} : grown(out, value.bound * g.size);
  }
  }
}

/// c10d's own on lists: an element each rank.
ApiValue ApiMaker::wrappedList() {
  ApiValue value = square();
  ApiGroup g = group();
  int64_t rows = apiSide / g.size;
  c10d::Tensors sent, received;
  for (const Tensor &part : split(value.tensor, rows))
    sent.push_back(contiguous(part * 2));
  size_t count = below(4) < 2 ? sent.size() : 1;
  for (size_t i = 0; i != count; ++i)
    received.push_back(comm_tensor(zeros({rows, apiSide})));
  double bound = 2 * value.bound;
  if (count == 1 && below(2))
    c10d::reduce_scatter_(received, {sent}, g.group);
  else if (count == 1)
    c10d::scatter_(received, {sent}, g.group, static_cast<int64_t>(below(g.size)));
  else if (below(2))
    c10d::alltoall_(received, sent, g.group);
  else
    c10d::allgather_({received}, {sent[below(sent.size())]}, g.group);
  return grown(cat(received), bound * g.size);
}

} // namespace ccgraph::test

#include "support/random_api_program.h"

#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/distributed.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/trace.h"

#include <algorithm>
#include <random>

namespace ccgraph::test {
namespace {

using namespace tracer;

constexpr size_t numSteps = 30;
constexpr size_t numOutputs = 6;
constexpr int64_t side = 8;
/// Above this a value is made small again.
constexpr double mostBound = 1000;

/// A matrix of 8 or 16 rows and columns, and what no element of it is beyond.
struct Value {
  Tensor tensor;
  double bound = 1;
};

struct RandomGroup {
  GroupLike group;
  int64_t size = 1;
};

class Maker {
public:
  Maker(Trace &trace, uint32_t seed, size_t ranks)
      : trace_(trace), random_(seed), mesh_("cpu", {2, static_cast<int64_t>(ranks) / 2}, {"dp", "tp"}),
        ranks_(static_cast<int64_t>(ranks)), differentiates_(seed % 4 == 3) {
    trace.addGroup({.name = "neighbours", .partition = neighbours()});
  }

  [[nodiscard]] bool differentiates() const { return differentiates_; }
  std::vector<Tensor> make();

private:
  using Step = Value (Maker::*)();

  // No call may draw two numbers in its arguments, because compilers differ in which they draw first.
  size_t below(size_t limit) { return random_() % limit; }
  int64_t dim() { return static_cast<int64_t>(below(2)); }
  const Value &any() { return values_[below(values_.size())]; }
  /// Of 8 rows and columns, whatever a collective made of it.
  Value square();
  Value cut(const Tensor &grown, double bound);
  Value grown(const Tensor &share, double bound);
  /// Pairs of ranks, the second one first.
  [[nodiscard]] Cells neighbours() const;
  RandomGroup group();

  Value sum();
  Value product();
  Value scaled();
  Value activated();
  Value squashed();
  Value transposed();
  Value joined();
  Value stacked();
  Value normalized();
  Value attended();
  Value averaged();
  Value chosen();
  Value triangle();
  Value rows();
  Value batched();
  Value viewed();
  Value accumulated();
  Value cast();
  Value masked();
  Value written();
  Value writtenThroughAView();

  Value reduced();
  Value gathered();
  Value scattered();
  Value broadcasted();
  Value exchanged();
  Value reducedList();
  Value gatheredList();
  Value scatteredList();
  Value autograd();
  Value reducedByMost();
  Value inPlace();
  Value wrapped();
  Value wrappedList();

  static const std::vector<Step> &differentiable();
  static const std::vector<Step> &all();

  Trace &trace_;
  std::mt19937 random_;
  DeviceMesh mesh_;
  int64_t ranks_;
  bool differentiates_;
  std::vector<Value> values_;
};

const std::vector<Maker::Step> &Maker::differentiable() {
  static const std::vector<Step> steps = {
      &Maker::sum,       &Maker::product,      &Maker::scaled,    &Maker::activated,   &Maker::squashed,
      &Maker::joined,    &Maker::transposed,   &Maker::stacked,   &Maker::normalized,  &Maker::attended,
      &Maker::averaged,  &Maker::chosen,       &Maker::triangle,  &Maker::rows,        &Maker::batched,
      &Maker::viewed,    &Maker::accumulated,  &Maker::cast,      &Maker::reduced,     &Maker::gathered,
      &Maker::scattered, &Maker::broadcasted,  &Maker::exchanged, &Maker::reducedList, &Maker::gatheredList,
      &Maker::autograd,  &Maker::scatteredList};
  return steps;
}

const std::vector<Maker::Step> &Maker::all() {
  static const std::vector<Step> steps = [] {
    std::vector<Step> every = differentiable();
    std::vector<Step> others = {&Maker::masked,        &Maker::written, &Maker::writtenThroughAView,
                                &Maker::reducedByMost, &Maker::inPlace, &Maker::inPlace,
                                &Maker::wrapped,       &Maker::wrapped, &Maker::wrappedList};
    every.insert(every.end(), others.begin(), others.end());
    return every;
  }();
  return steps;
}

std::vector<Tensor> Maker::make() {
  std::vector<Tensor> inputs;
  for (const char *name : {"a", "b", "c"}) {
    inputs.push_back(trace_.input(name, {DType::F32, {side, side}}));
    values_.push_back({inputs.back(), 2});
  }
  const std::vector<Step> &steps = differentiates_ ? differentiable() : all();
  for (size_t step = 0; step != numSteps; ++step) {
    Value value = (this->*steps[below(steps.size())])();
    values_.push_back(value.bound > mostBound ? Value{tanh(value.tensor), 1} : value);
  }
  std::vector<Tensor> outputs;
  for (size_t i = values_.size() - numOutputs; i != values_.size(); ++i)
    outputs.push_back(values_[i].tensor);
  if (!differentiates_)
    return outputs;
  Tensor loss = mean(outputs.back());
  for (const Tensor &output : outputs)
    loss = loss + mean(output);
  outputs = {loss};
  TensorList gradients = backward(loss, inputs);
  for (const Tensor &gradient : gradients.tensors())
    if (!gradient.isAbsent())
      outputs.push_back(gradient);
  return outputs;
}

Value Maker::cut(const Tensor &grown, double bound) {
  return {slice(slice(grown, 0, 0, side), 1, 0, side) + 0.25, bound + 1};
}

Value Maker::square() {
  const Value &value = any();
  return {slice(slice(value.tensor, 0, 0, side), 1, 0, side), value.bound};
}

/// Of a share that a collective left: as many copies as make 8 rows and columns.
Value Maker::grown(const Tensor &share, double bound) {
  // A call that failed returns a tensor without sizes; the trace reports the failure when it ends.
  auto times = [](int64_t size) { return static_cast<size_t>(size == 0 ? 1 : (side + size - 1) / size); };
  Tensor rows = cat(std::vector<Tensor>(times(share.size(0)), share), 0);
  return cut(cat(std::vector<Tensor>(times(share.size(1)), rows), 1), bound);
}

Cells Maker::neighbours() const {
  Cells pairs;
  for (int64_t rank = 0; rank < ranks_; rank += 2)
    pairs.push_back({rank + 1, rank});
  return pairs;
}

RandomGroup Maker::group() {
  switch (below(5)) {
  case 0:
    return {"0", ranks_};
  case 1:
    return {std::pair(mesh_, 0), 2};
  case 2:
    return {std::pair(mesh_, 1), ranks_ / 2};
  case 3:
    // Lists of ranks mean the group of the trace that has these ranks.
    return {below(2) ? neighbours() : GroupLike("neighbours"), 2};
  default: {
    Group turned{.name = "turned"};
    for (int64_t rank = ranks_; rank-- != 0;)
      turned.ranks.push_back(rank);
    return {turned, ranks_};
  }
  }
}

// --- Operators -------------------------------------------------------------------------------------------------------

Value Maker::sum() {
  Value a = square(), b = square();
  return {below(2) ? a.tensor + b.tensor : a.tensor - b.tensor, a.bound + b.bound};
}

Value Maker::product() {
  Tensor a = square().tensor, b = square().tensor;
  return {tanh(below(2) ? mm(a, b) : addmm(select(a, 0, 1), a, b)), 1};
}

Value Maker::scaled() {
  const Value &value = any();
  return {below(2) ? value.tensor * 0.5 : 1.5 - value.tensor, value.bound + 2};
}

Value Maker::activated() {
  Value value = square();
  Tensor (*const functions[])(const Tensor &) = {relu, silu, abs, neg, [](const Tensor &x) { return gelu(x); }};
  return {functions[below(std::size(functions))](value.tensor), value.bound};
}

Value Maker::squashed() {
  Tensor (*const functions[])(const Tensor &) = {tanh, sigmoid, sin, cos, erf};
  const Value &value = any();
  if (below(2))
    return {softmax(value.tensor, dim()), 1};
  return {functions[below(std::size(functions))](value.tensor), 1};
}

Value Maker::transposed() {
  Value value = square();
  Tensor turned = below(2) ? t(value.tensor) : permute(value.tensor, {1, 0});
  return {below(2) ? contiguous(turned) : turned, value.bound};
}

Value Maker::joined() {
  Value a = square(), b = square();
  return {cat({a.tensor, b.tensor}, dim()), std::max(a.bound, b.bound)};
}

Value Maker::stacked() {
  Value a = square(), b = square();
  return {flatten(stack({a.tensor, b.tensor}, dim()), 0, 1), std::max(a.bound, b.bound)};
}

Value Maker::normalized() {
  Tensor x = square().tensor, weight = select(square().tensor, 0, 2);
  return {tanh(below(2) ? layer_norm(x, {side}, weight) : rms_norm(x, {side}, weight)), 1};
}

Value Maker::attended() {
  auto heads = [&] { return transpose(view(contiguous(square().tensor), {1, side, 2, 4}), 1, 2); };
  Tensor query = heads(), key = heads();
  Value value = square();
  Tensor out =
      scaled_dot_product_attention(query, key, transpose(view(contiguous(value.tensor), {1, side, 2, 4}), 1, 2));
  return {reshape(transpose(out, 1, 2), {side, side}), value.bound};
}

Value Maker::averaged() {
  Value value = square();
  Tensor few = below(2) ? mean(value.tensor, {dim()}, true) : amax(value.tensor, {dim()}, true);
  return {expand(few, {side, side}) * 1.0, value.bound};
}

Value Maker::chosen() {
  Value a = square(), b = square();
  if (below(2))
    return {maximum(a.tensor, b.tensor), std::max(a.bound, b.bound)};
  return {where(gt(detach(a.tensor), 0), a.tensor, b.tensor * 2), a.bound + 2 * b.bound};
}

Value Maker::triangle() {
  Value value = square();
  return {below(2) ? tril(value.tensor) : triu(value.tensor, 1), value.bound};
}

Value Maker::rows() {
  Value value = square();
  Tensor places = arange(side);
  return {below(2) ? embedding(places, value.tensor) : index_select(value.tensor, dim(), places), value.bound};
}

Value Maker::batched() {
  auto halves = [&] { return view(contiguous(square().tensor), {2, 4, side}); };
  Tensor a = halves(), b = halves();
  return {tanh(view(bmm(bmm(a, transpose(b, 1, 2)), b), {side, side})), 1};
}

/// The other half first: a view of a view, and pieces of one list.
Value Maker::viewed() {
  Value value = square();
  int64_t along = dim();
  TensorList halves = split(value.tensor, side / 2, along);
  return {cat({halves[1], halves[0]}, along), value.bound};
}

Value Maker::accumulated() {
  Value value = square();
  return {cumsum(value.tensor, dim()), side * value.bound};
}

Value Maker::cast() {
  Value value = square();
  return {to(to(value.tensor, below(2) ? DType::BF16 : DType::F64), DType::F32), value.bound + 1};
}

Value Maker::masked() {
  Value value = square();
  return {clamp(masked_fill(value.tensor, lt(value.tensor, 0), 0.25), -1, 4), 4};
}

Value Maker::written() {
  Value value = square(), other = square();
  Tensor buffer = clone(value.tensor);
  switch (below(4)) {
  case 0:
    return {add_(buffer, other.tensor), value.bound + other.bound};
  case 1:
    return {mul_(buffer, other.tensor), value.bound * other.bound};
  case 2:
    return {copy_(buffer, other.tensor), other.bound};
  default:
    zero_(buffer);
    return {buffer + other.tensor, other.bound};
  }
}

Value Maker::writtenThroughAView() {
  Value value = square(), other = square();
  Tensor buffer = clone(value.tensor);
  int64_t along = dim();
  add_(slice(buffer, along, 0, side / 2), slice(other.tensor, along, side / 2, side));
  return {buffer, value.bound + other.bound};
}

// --- Collectives -----------------------------------------------------------------------------------------------------

Value Maker::reduced() {
  const Value &value = any();
  RandomGroup g = group();
  if (below(4) == 0)
    return {collectives::all_reduce(value.tensor, collectives::premul_sum(0.5), g.group), value.bound * g.size};
  return {collectives::all_reduce(value.tensor, below(2) ? "sum" : "AVG", g.group), value.bound * g.size};
}

Value Maker::gathered() {
  const Value &value = any();
  RandomGroup g = group();
  return cut(collectives::all_gather_tensor(contiguous(value.tensor), dim(), g.group), value.bound);
}

Value Maker::scattered() {
  const Value &value = any();
  RandomGroup g = group();
  return grown(collectives::reduce_scatter_tensor(contiguous(value.tensor), "sum", dim(), g.group),
               value.bound * g.size);
}

Value Maker::broadcasted() {
  const Value &value = any();
  RandomGroup g = group();
  return {collectives::broadcast(value.tensor, static_cast<int64_t>(below(g.size)), g.group), value.bound};
}

Value Maker::exchanged() {
  const Value &value = any();
  RandomGroup g = group();
  collectives::Splits splits;
  if (below(2))
    splits = std::vector<int64_t>(g.size, value.tensor.size(0) / g.size);
  return {collectives::all_to_all_single(contiguous(value.tensor), splits, splits, g.group), value.bound};
}

Value Maker::reducedList() {
  Value a = square(), b = square();
  TensorList both = collectives::all_reduce_coalesced({a.tensor, b.tensor}, "avg", group().group);
  return {both[0] * both[1], a.bound * b.bound};
}

Value Maker::gatheredList() {
  Value a = square(), b = square();
  TensorList both =
      collectives::all_gather_into_tensor_coalesced({contiguous(a.tensor), contiguous(b.tensor)}, group().group);
  return cut(both[below(2)], std::max(a.bound, b.bound));
}

Value Maker::scatteredList() {
  Value a = square(), b = square();
  RandomGroup g = group();
  TensorList both = collectives::reduce_scatter_tensor_coalesced({contiguous(a.tensor), contiguous(b.tensor)}, "sum",
                                                                 {dim(), dim()}, g.group);
  return grown(both[below(2)], std::max(a.bound, b.bound) * g.size);
}

Value Maker::autograd() {
  const Value &value = any();
  RandomGroup g = group();
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

Value Maker::reducedByMost() {
  const Value &value = any();
  RandomGroup g = group();
  return {collectives::all_reduce(value.tensor, below(2) ? "MAX" : "min", g.group), value.bound};
}

/// torch.distributed's synchronous calls, into buffers of their own.
Value Maker::inPlace() {
  Value value = square();
  RandomGroup g = group();
  Tensor x = contiguous(value.tensor);
  switch (below(5)) {
  case 0:
    return {distributed::all_reduce(clone(x), "sum", g.group), value.bound * g.size};
  case 1:
    return cut(distributed::all_gather_into_tensor(zeros({side * g.size, side}), x, g.group), value.bound);
  case 2:
    return grown(distributed::reduce_scatter_tensor(zeros({side / g.size, side}), x, "avg", g.group), value.bound);
  case 3:
    return {distributed::all_to_all_single(zeros({side, side}), x, std::nullopt, std::nullopt, g.group), value.bound};
  default: {
    std::vector<Tensor> parts;
    for (int64_t rank = 0; rank != g.size; ++rank)
      parts.push_back(zeros({side, side}));
    return {distributed::all_gather(parts, x, g.group)[below(g.size)], value.bound};
  }
  }
}

/// c10d's own on one tensor; who reads the result waits, some steps further on perhaps.
Value Maker::wrapped() {
  Value value = square();
  RandomGroup g = group();
  Tensor x = clone(contiguous(value.tensor));
  switch (below(4)) {
  case 0:
    c10d::allreduce_({comm_tensor(x)}, g.group, below(2) ? "sum" : "max");
    return {x, value.bound * g.size};
  case 1:
    c10d::broadcast_({comm_tensor(x)}, g.group, static_cast<int64_t>(below(g.size)));
    return {x, value.bound};
  case 2: {
    Tensor out = comm_tensor(zeros({side * g.size, side}));
    c10d::_allgather_base_(out, x, g.group);
    return g.size == 1 || below(2) ? cut(out, value.bound) : Value{slice(out, 0, side, 2 * side), value.bound};
  }
  default: {
    Tensor out = comm_tensor(zeros({side / g.size, side}));
    c10d::_reduce_scatter_base_(out, x, g.group);
    return g.size == 1 ? Value{out, value.bound} : grown(out, value.bound * g.size);
  }
  }
}

/// c10d's own on lists: an element each rank.
Value Maker::wrappedList() {
  Value value = square();
  RandomGroup g = group();
  int64_t rows = side / g.size;
  c10d::Tensors sent, received;
  for (const Tensor &part : split(value.tensor, rows))
    sent.push_back(contiguous(part * 2));
  size_t count = below(4) < 2 ? sent.size() : 1;
  for (size_t i = 0; i != count; ++i)
    received.push_back(comm_tensor(zeros({rows, side})));
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

} // namespace

llvm::Expected<RandomApiProgram> makeRandomApiProgram(Context &context, uint32_t seed) {
  size_t ranks = std::vector<size_t>{2, 4, 8}[seed % 3];
  llvm::Expected<Trace> trace = Trace::begin(context, {.name = "random", .worldSize = static_cast<int64_t>(ranks)});
  if (!trace)
    return trace.takeError();
  Maker maker(*trace, seed, ranks);
  std::vector<Tensor> outputs = maker.make();
  llvm::Expected<std::unique_ptr<Graph>> graph = trace->finish(outputs);
  if (!graph)
    return graph.takeError();
  return RandomApiProgram{std::move(*graph), ranks, maker.differentiates()};
}

} // namespace ccgraph::test

#include "support/random_api_program.h"

#include "support/random_api_maker.h"

#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/ops.h"

#include <algorithm>

namespace ccgraph::test {

using namespace tracer;

namespace {

constexpr size_t numSteps = 30;
constexpr size_t numOutputs = 6;
/// Above this a value is made small again.
constexpr double mostBound = 1000;

} // namespace

const std::vector<ApiMaker::Step> &ApiMaker::differentiable() {
  static const std::vector<Step> steps = {
      &ApiMaker::sum,          &ApiMaker::product,     &ApiMaker::scaled,       &ApiMaker::activated,
      &ApiMaker::squashed,     &ApiMaker::joined,      &ApiMaker::transposed,   &ApiMaker::stacked,
      &ApiMaker::normalized,   &ApiMaker::attended,    &ApiMaker::averaged,     &ApiMaker::chosen,
      &ApiMaker::triangle,     &ApiMaker::rows,        &ApiMaker::batched,      &ApiMaker::viewed,
      &ApiMaker::accumulated,  &ApiMaker::cast,        &ApiMaker::reduced,      &ApiMaker::gathered,
      &ApiMaker::scattered,    &ApiMaker::broadcasted, &ApiMaker::exchanged,    &ApiMaker::reducedList,
      &ApiMaker::gatheredList, &ApiMaker::autograd,    &ApiMaker::scatteredList};
  return steps;
}

const std::vector<ApiMaker::Step> &ApiMaker::all() {
  static const std::vector<Step> steps = [] {
    std::vector<Step> every = differentiable();
    std::vector<Step> others = {&ApiMaker::masked,        &ApiMaker::written, &ApiMaker::writtenThroughAView,
                                &ApiMaker::reducedByMost, &ApiMaker::inPlace, &ApiMaker::inPlace,
                                &ApiMaker::wrapped,       &ApiMaker::wrapped, &ApiMaker::wrappedList};
    every.insert(every.end(), others.begin(), others.end());
    return every;
  }();
  return steps;
}

std::vector<Tensor> ApiMaker::make() {
  std::vector<Tensor> inputs;
  for (const char *name : {"a", "b", "c"}) {
    inputs.push_back(trace_.input(name, {DType::F32, {apiSide, apiSide}}));
    values_.push_back({inputs.back(), 2});
  }
  const std::vector<Step> &steps = differentiates_ ? differentiable() : all();
  for (size_t step = 0; step != numSteps; ++step) {
    ApiValue value = (this->*steps[below(steps.size())])();
    values_.push_back(value.bound > mostBound ? ApiValue{tanh(value.tensor), 1} : value);
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

ApiValue ApiMaker::cut(const Tensor &grown, double bound) {
  return {slice(slice(grown, 0, 0, apiSide), 1, 0, apiSide) + 0.25, bound + 1};
}

ApiValue ApiMaker::square() {
  const ApiValue &value = any();
  return {slice(slice(value.tensor, 0, 0, apiSide), 1, 0, apiSide), value.bound};
}

/// Of a share that a collective left: as many copies as make 8 rows and columns.
ApiValue ApiMaker::grown(const Tensor &share, double bound) {
  // A call that failed returns a tensor without sizes; the trace reports the failure when it ends.
  auto times = [](int64_t size) { return static_cast<size_t>(size == 0 ? 1 : (apiSide + size - 1) / size); };
  Tensor rows = cat(std::vector<Tensor>(times(share.size(0)), share), 0);
  return cut(cat(std::vector<Tensor>(times(share.size(1)), rows), 1), bound);
}

Cells ApiMaker::neighbours() const {
  Cells pairs;
  for (int64_t rank = 0; rank < ranks_; rank += 2)
    pairs.push_back({rank + 1, rank});
  return pairs;
}

ApiGroup ApiMaker::group() {
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

ApiValue ApiMaker::sum() {
  ApiValue a = square(), b = square();
  return {below(2) ? a.tensor + b.tensor : a.tensor - b.tensor, a.bound + b.bound};
}

ApiValue ApiMaker::product() {
  Tensor a = square().tensor, b = square().tensor;
  return {tanh(below(2) ? mm(a, b) : addmm(select(a, 0, 1), a, b)), 1};
}

ApiValue ApiMaker::scaled() {
  const ApiValue &value = any();
  return {below(2) ? value.tensor * 0.5 : 1.5 - value.tensor, value.bound + 2};
}

ApiValue ApiMaker::activated() {
  ApiValue value = square();
  Tensor (*const functions[])(const Tensor &) = {relu, silu, abs, neg, [](const Tensor &x) { return gelu(x); }};
  return {functions[below(std::size(functions))](value.tensor), value.bound};
}

ApiValue ApiMaker::squashed() {
  Tensor (*const functions[])(const Tensor &) = {tanh, sigmoid, sin, cos, erf};
  const ApiValue &value = any();
  if (below(2))
    return {softmax(value.tensor, dim()), 1};
  return {functions[below(std::size(functions))](value.tensor), 1};
}

ApiValue ApiMaker::transposed() {
  ApiValue value = square();
  Tensor turned = below(2) ? t(value.tensor) : permute(value.tensor, {1, 0});
  return {below(2) ? contiguous(turned) : turned, value.bound};
}

ApiValue ApiMaker::joined() {
  ApiValue a = square(), b = square();
  return {cat({a.tensor, b.tensor}, dim()), std::max(a.bound, b.bound)};
}

ApiValue ApiMaker::stacked() {
  ApiValue a = square(), b = square();
  return {flatten(stack({a.tensor, b.tensor}, dim()), 0, 1), std::max(a.bound, b.bound)};
}

ApiValue ApiMaker::normalized() {
  Tensor x = square().tensor, weight = select(square().tensor, 0, 2);
  return {tanh(below(2) ? layer_norm(x, {apiSide}, weight) : rms_norm(x, {apiSide}, weight)), 1};
}

ApiValue ApiMaker::attended() {
  auto heads = [&] { return transpose(view(contiguous(square().tensor), {1, apiSide, 2, 4}), 1, 2); };
  Tensor query = heads(), key = heads();
  ApiValue value = square();
  Tensor out =
      scaled_dot_product_attention(query, key, transpose(view(contiguous(value.tensor), {1, apiSide, 2, 4}), 1, 2));
  return {reshape(transpose(out, 1, 2), {apiSide, apiSide}), value.bound};
}

ApiValue ApiMaker::averaged() {
  ApiValue value = square();
  Tensor few = below(2) ? mean(value.tensor, {dim()}, true) : amax(value.tensor, {dim()}, true);
  return {expand(few, {apiSide, apiSide}) * 1.0, value.bound};
}

ApiValue ApiMaker::chosen() {
  ApiValue a = square(), b = square();
  if (below(2))
    return {maximum(a.tensor, b.tensor), std::max(a.bound, b.bound)};
  return {where(gt(detach(a.tensor), 0), a.tensor, b.tensor * 2), a.bound + 2 * b.bound};
}

ApiValue ApiMaker::triangle() {
  ApiValue value = square();
  return {below(2) ? tril(value.tensor) : triu(value.tensor, 1), value.bound};
}

ApiValue ApiMaker::rows() {
  ApiValue value = square();
  Tensor places = arange(apiSide);
  return {below(2) ? embedding(places, value.tensor) : index_select(value.tensor, dim(), places), value.bound};
}

ApiValue ApiMaker::batched() {
  auto halves = [&] { return view(contiguous(square().tensor), {2, 4, apiSide}); };
  Tensor a = halves(), b = halves();
  return {tanh(view(bmm(bmm(a, transpose(b, 1, 2)), b), {apiSide, apiSide})), 1};
}

/// The other half first: a view of a view, and pieces of one list.
ApiValue ApiMaker::viewed() {
  ApiValue value = square();
  int64_t along = dim();
  TensorList halves = split(value.tensor, apiSide / 2, along);
  return {cat({halves[1], halves[0]}, along), value.bound};
}

ApiValue ApiMaker::accumulated() {
  ApiValue value = square();
  return {cumsum(value.tensor, dim()), apiSide * value.bound};
}

ApiValue ApiMaker::cast() {
  ApiValue value = square();
  return {to(to(value.tensor, below(2) ? DType::BF16 : DType::F64), DType::F32), value.bound + 1};
}

ApiValue ApiMaker::masked() {
  ApiValue value = square();
  return {clamp(masked_fill(value.tensor, lt(value.tensor, 0), 0.25), -1, 4), 4};
}

ApiValue ApiMaker::written() {
  ApiValue value = square(), other = square();
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

ApiValue ApiMaker::writtenThroughAView() {
  ApiValue value = square(), other = square();
  Tensor buffer = clone(value.tensor);
  int64_t along = dim();
  add_(slice(buffer, along, 0, apiSide / 2), slice(other.tensor, along, apiSide / 2, apiSide));
  return {buffer, value.bound + other.bound};
}

llvm::Expected<RandomApiProgram> makeRandomApiProgram(Context &context, uint32_t seed) {
  size_t ranks = std::vector<size_t>{2, 4, 8}[seed % 3];
  llvm::Expected<Trace> trace = Trace::begin(context, {.name = "random", .worldSize = static_cast<int64_t>(ranks)});
  if (!trace)
    return trace.takeError();
  ApiMaker maker(*trace, seed, ranks);
  std::vector<Tensor> outputs = maker.make();
  llvm::Expected<std::unique_ptr<Graph>> graph = trace->finish(outputs);
  if (!graph)
    return graph.takeError();
  return RandomApiProgram{std::move(*graph), ranks, maker.differentiates()};
}

} // namespace ccgraph::test

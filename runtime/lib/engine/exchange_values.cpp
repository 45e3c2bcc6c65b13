#include "engine/exchange_values.h"

#include "ccgraph/ir/strides.h"
#include "host_values.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

/// A number has no buffer that is named after it.
StepPlace placeOf(const RankState &state, const PlanInput &input) {
  bool tensor = input.value.kind == PlanValue::Kind::Tensor;
  return state.at(tensor ? state.plan->buffers[input.value.window.buffer].name : Identifier());
}

const Type *typeOf(const PlanInput &input) {
  return input.value.kind == PlanValue::Kind::Tensor ? input.value.window.type : input.value.numberType;
}

llvm::Error noInput(const PlanInput &input, const StepPlace &place) {
  bool attribute = llvm::StringRef(input.name).startswith("attr.");
  return place.error("run.no-input", "got no value " + input.name + ", expected " + typeText(typeOf(input)),
                     attribute ? "values of get_attr nodes are named attr.<target>"
                               : "values are named in.<placeholder>");
}

bool isBrought(const PlanInput &input) {
  return input.value.kind == PlanValue::Kind::Tensor || input.value.kind == PlanValue::Kind::Number;
}

/// Sizes and dtype of a host tensor, without its elements: what a type can be held to.
Tensor shapeOf(const HostTensor &host) {
  Dims sizes = toDims(host.sizes);
  return Tensor::over(nullptr, host.dtype, {sizes, contiguousStrides(sizes), 0});
}

llvm::Error learn(const PlanInput &input, const HostTensor &host, RankState &state) {
  StepPlace place = placeOf(state, input);
  Value value(shapeOf(host));
  if (input.value.kind == PlanValue::Kind::Number) {
    std::optional<Value> number = numberOf(host);
    if (!number)
      return place.error("run.type", "the given input " + input.name + ": got " + value.describe() +
                                         ", expected a number: i64[], f64[], c128[] or bool[]");
    state.slots[input.value.slot] = value = *number;
  }
  if (std::string wrong = conform(typeOf(input), value, state.symbols); !wrong.empty())
    return place.error("run.type", (place.name ? "the given input: " : "the given input " + input.name + ": ") + wrong);
  return llvm::Error::success();
}

llvm::Error fill(const PlanInput &input, const HostTensor &host, RankState &state) {
  llvm::Expected<Tensor> tensor = state.memory.tensorOf(input.value.window, state.symbols, placeOf(state, input));
  if (!tensor)
    return tensor.takeError();
  if (tensor->isContiguous()) {
    if (!host.data.empty())
      std::memcpy(tensor->data(), host.data.data(), host.data.size());
    return llvm::Error::success();
  }
  // Because a window may show what lies between the elements, it is zeros as in memory that is new.
  std::memset(tensor->storage()->data(), 0, static_cast<size_t>(tensor->storage()->size()));
  tensor->copyFrom(Tensor::fromHost(host));
  return llvm::Error::success();
}

} // namespace

llvm::Error bringInputs(RankState &state, const TensorMap &inputs) {
  for (const PlanInput &input : state.plan->inputs) {
    auto found = inputs.find(input.name);
    if (!isBrought(input))
      continue;
    if (found == inputs.end())
      return noInput(input, placeOf(state, input));
    if (llvm::Error error = learn(input, found->second, state))
      return error;
  }
  if (llvm::Error error = state.memory.layOut(state.symbols, state.at({})))
    return error;
  for (const PlanInput &input : state.plan->inputs)
    if (input.value.kind == PlanValue::Kind::Tensor)
      if (llvm::Error error = fill(input, inputs.find(input.name)->second, state))
        return error;
  return llvm::Error::success();
}

llvm::Expected<TensorMap> takeResults(const RankState &state, CopiesForCaller &copies) {
  TensorMap results;
  auto take = [&](std::string name, const PlanValue &value) -> llvm::Error {
    llvm::Expected<Value> held = state.valueOf(value, state.at({}));
    if (!held)
      return held.takeError();
    copies.emplace_back(hostBytes(*held));
    if (std::optional<HostTensor> host = hostValue(*held))
      results[std::move(name)] = std::move(*host);
    return llvm::Error::success();
  };
  for (size_t i = 0; i < state.plan->outputs.size(); ++i)
    if (llvm::Error error = take("out." + std::to_string(i), state.plan->outputs[i]))
      return error;
  for (const PlanInput &input : state.plan->inputs)
    if (llvm::StringRef name = input.name; name.consume_front("in."))
      if (llvm::Error error = take(("after." + name).str(), input.after))
        return error;
  return results;
}

} // namespace ccgraph::runtime

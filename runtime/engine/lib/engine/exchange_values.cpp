#include "engine/exchange_values.h"

#include "ccgraph/ir/strides.h"
#include "ccgraph/ir/value_names.h"
#include "tensor/host_values.h"

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
  bool attribute = isAttributeName(input.name);
  return place.error("run.no-input", "got no value " + input.name + ", expected " + typeText(typeOf(input)),
                     attribute ? "values of get_attr nodes are named attr.<target>"
                               : "values are named in.<placeholder>");
}

bool isBrought(const PlanInput &input) {
  return input.value.kind == PlanValue::Kind::Tensor || input.value.kind == PlanValue::Kind::Number;
}

/// Sizes and dtype of a host tensor, without its elements: what a type can be held to.
Tensor shapeOf(const HostTensor &host) {
  IntList sizes = toIntList(host.sizes);
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

/// The tensor's window onto other memory.
Tensor sameIn(std::shared_ptr<Storage> memory, const Tensor &tensor) {
  return Tensor::over(std::move(memory), tensor.dtype(),
                      {llvm::to_vector<6>(tensor.sizes()), llvm::to_vector<6>(tensor.strides()), tensor.offset()});
}

/// The gaps between the elements are zeros there too.
void fillOnDevice(const Tensor &tensor, const HostTensor &host, DeviceMemory &device) {
  auto whole = std::make_shared<Storage>(tensor.storage()->size());
  sameIn(whole, tensor).copyFrom(Tensor::fromHost(host));
  device.write(tensor.storage()->data(), whole->data(), whole->size());
  device.keep(std::move(whole));
}

llvm::Error fill(const PlanInput &input, const HostTensor &host, RankState &state) {
  llvm::Expected<Tensor> tensor = state.memory.tensorOf(input.value.window, state.symbols, placeOf(state, input));
  if (!tensor)
    return tensor.takeError();
  DeviceMemory *device = state.memory.device();
  if (tensor->isContiguous()) {
    if (device)
      device->write(tensor->data(), host.data.data(), static_cast<int64_t>(host.data.size()));
    else if (!host.data.empty())
      std::memcpy(tensor->data(), host.data.data(), host.data.size());
    return llvm::Error::success();
  }
  if (device) {
    fillOnDevice(*tensor, host, *device);
    return llvm::Error::success();
  }
  // A window may show the bytes between the elements, so they are zeros as in new memory.
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

namespace {

/// The value, of which each tensor looks at a copy of its memory that will be there when the device settles.
Value readAhead(const Value &value, DeviceMemory &device) {
  if (value.is(Value::Kind::List)) {
    Value::List elements;
    for (const Value &element : value.list())
      elements.push_back(readAhead(element, device));
    return Value::list(std::move(elements));
  }
  if (!value.is(Value::Kind::Tensor))
    return value;
  const Tensor &tensor = value.tensor();
  auto copy = std::make_shared<Storage>(tensor.storage()->size());
  device.read(copy->data(), tensor.storage()->data(), copy->size());
  return Value(sameIn(copy, tensor));
}

} // namespace

llvm::Expected<TensorMap> takeResults(const RankState &state, CopiesForCaller &copies) {
  std::vector<std::pair<std::string, Value>> values;
  DeviceMemory *device = state.memory.device();
  auto take = [&](std::string name, const PlanValue &value) -> llvm::Error {
    llvm::Expected<Value> held = state.valueOf(value, state.at({}));
    if (!held)
      return held.takeError();
    values.emplace_back(std::move(name), device ? readAhead(*held, *device) : std::move(*held));
    return llvm::Error::success();
  };
  for (size_t i = 0; i < state.plan->outputs.size(); ++i)
    if (llvm::Error error = take(outputName(i), state.plan->outputs[i]))
      return error;
  for (const PlanInput &input : state.plan->inputs)
    if (std::optional<llvm::StringRef> placeholder = placeholderOfInput(input.name))
      if (llvm::Error error = take(afterName(*placeholder), input.after))
        return error;
  if (llvm::Error error = device ? device->settle() : llvm::Error::success())
    return error;
  TensorMap results;
  for (auto &[name, value] : values) {
    copies.emplace_back(hostBytes(value));
    if (std::optional<HostTensor> host = hostValue(value))
      results[std::move(name)] = std::move(*host);
  }
  return results;
}

} // namespace ccgraph::runtime

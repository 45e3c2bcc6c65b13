#include "interpreter/rank_run.h"
#include "process/memory_limit.h"
#include "tensor/host_values.h"

#include "ccgraph/ir/value_names.h"

namespace ccgraph::runtime {
namespace {

/// The caller's copy, which counts towards what the run holds.
std::optional<HostTensor> countedCopy(const Value &value) {
  CountedBytes::take(hostBytes(value));
  return hostValue(value);
}

// Two runs have different addresses, but equal numbers must mean the same memory in the comparison. Inputs are numbered
// first, then attributes, then results: if the first result is the second input, both have the second input's number.

/// Numbers the storages in the order in which they are met.
class Observer {
public:
  Held tensor(std::string name, const Tensor &tensor) {
    Held held;
    held.name = std::move(name);
    held.dtype = tensor.dtype();
    held.sizes = tensor.sizes().vec();
    held.strides = tensor.strides().vec();
    held.memory = memories_.try_emplace(tensor.storage(), memories_.size()).first->second;
    held.offset = tensor.offset() * tensor.elementSize();
    return held;
  }

  void addOutputs(const Value &value, std::vector<Held> &outputs) {
    if (value.is(Value::Kind::List)) {
      for (const Value &element : value.list())
        addOutputs(element, outputs);
      return;
    }
    std::string name = outputName(numOutputs_++);
    std::optional<HostTensor> host = countedCopy(value);
    if (!host)
      return;
    Held held = value.is(Value::Kind::Tensor) ? tensor(name, value.tensor()) : Held{.name = name, .dtype = host->dtype};
    held.value = std::move(host);
    outputs.push_back(std::move(held));
  }

private:
  llvm::DenseMap<const Storage *, size_t> memories_;
  size_t numOutputs_ = 0;
};

} // namespace

// "[tensor, [int, tensor]]": two programs must agree in this before the tensors themselves are compared.
std::string RankRun::shapeOf(const Value &value) const {
  if (value.is(Value::Kind::Tensor))
    return "tensor";
  if (value.is(Value::Kind::Bool))
    return "bool";
  if (value.is(Value::Kind::Int))
    return "int";
  if (value.is(Value::Kind::Float))
    return "float";
  if (value.is(Value::Kind::List)) {
    std::string text;
    for (const Value &element : value.list())
      text += (text.empty() ? "" : ", ") + shapeOf(element);
    return "[" + text + "]";
  }
  if (!value.is(Value::Kind::Opaque))
    return value.describe();
  // An input that is only passed on is identified by its position, whatever its name.
  size_t position = 0;
  for (const Node *node : *setup_.graph) {
    if (node->opcode() != Opcode::Placeholder)
      continue;
    if (value.opaque().text == node->name().str())
      return "input " + std::to_string(position);
    ++position;
  }
  return value.opaque().text;
}

// An input or attribute that was not written has the caller's value, so only its place in memory is recorded. One that
// was written is a result too, and its bytes are copied.
RankObservation RankRun::observation() const {
  RankObservation observation;
  Observer observer;
  auto held = [&](std::string name, const Value &value) {
    if (!value.is(Value::Kind::Tensor))
      return Held{.name = std::move(name)};
    Held tensor = observer.tensor(std::move(name), value.tensor());
    if (written_.contains(value.tensor().storage()))
      tensor.value = countedCopy(value);
    return tensor;
  };
  for (const Node *node : *setup_.graph)
    if (node->opcode() == Opcode::Placeholder)
      observation.inputs.push_back(
          held(inputName(node->name().str()), scopes_.front().values[node->id()].value_or(Value())));
  for (const auto &[target, value] : attributes_)
    observation.attributes.push_back(held(attributeName(target), value));
  observer.addOutputs(result_, observation.outputs);
  observation.returned = shapeOf(result_);
  return observation;
}

} // namespace ccgraph::runtime

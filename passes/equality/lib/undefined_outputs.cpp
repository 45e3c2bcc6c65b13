#include "undefined_outputs.h"

#include "ccgraph/ir/signature.h"

namespace ccgraph::equality {
namespace {

bool isUndefined(const Array &array) {
  const bool isUnknown = array.digits == 0 && array.count() != 0;
  return array.kind >= Kind::Float && (isUnknown || llvm::is_contained(*asPairs(array).words, notANumber));
}
bool isUndefined(const Value &value) {
  return (value.is(Value::Type::Tensor) && isUndefined(read(value.tensor))) ||
         llvm::any_of(value.list, [](const Value &element) { return isUndefined(element); });
}

} // namespace

std::vector<size_t> undefinedOutputs(const StepComparison &comparison, const Trial &trial) {
  std::vector<size_t> undefined;
  for (size_t i = 0; i != comparison.placements.outputs.size(); ++i)
    if (isUndefined(trial.single.front().outputs[comparison.placements.outputs[i].single]))
      undefined.push_back(i);
  return undefined;
}

const Node *undefinedOrigin(const StepComparison &comparison, const Trial &trial, size_t output) {
  if (!comparison.single)
    return nullptr;
  llvm::ArrayRef<Value> values = trial.single.front().values;
  auto holdsUndefined = [&](const Node *node) { return node->id() < values.size() && isUndefined(values[node->id()]); };
  const Node *origin = outputLeavesOf(*comparison.single)[comparison.placements.outputs[output].single];
  if (!origin || !holdsUndefined(origin))
    return nullptr;
  while (true) {
    auto operands = origin->dataOperands();
    auto from = llvm::find_if(operands, holdsUndefined);
    if (from == operands.end())
      return origin;
    origin = *from;
  }
}

} // namespace ccgraph::equality

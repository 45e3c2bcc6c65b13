#include "cost/roofline.h"

namespace ccgraph {
namespace {

constexpr double picosecondsPerSecond = 1e12;

/// Returns the first tensor of a value that may be a list; null if there is none.
const Type *firstTensor(const Type *type) {
  if (!type || type->isTensor())
    return type;
  for (const Type *element : type->elements())
    if (const Type *tensor = firstTensor(element))
      return tensor;
  return nullptr;
}

} // namespace

DType arithmeticDType(const Node &node) {
  for (const Node *operand : node.dataOperands())
    if (const Type *type = firstTensor(operand->type()))
      return type->dtype();
  const Type *type = firstTensor(node.type());
  return type ? type->dtype() : DType::F32;
}

double memoryPicoseconds(const Machine &machine, double bytes) {
  const double rate = machine.processor.effectiveBytesPerSecond();
  return rate > 0 ? bytes / rate * picosecondsPerSecond : 0;
}

RooflineTime rooflineOf(const Machine &machine, const Work &work, DType dtype) {
  const double rate = machine.processor.effectiveFlopsPerSecond(dtype);
  const double operations = rate > 0 ? work.flops / rate * picosecondsPerSecond : 0;
  const double memory = memoryPicoseconds(machine, work.bytes);
  return operations > memory ? RooflineTime{operations, true} : RooflineTime{memory, false};
}

} // namespace ccgraph

#include "legality/bucket.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

void Bucket::evaluate() {
  for (uint32_t i = 0; i < shipment_.sources.size(); ++i) {
    const Source &source = shipment_.sources[i];
    Layout layout = source.sizes ? whole(i, false, *source.sizes) : wholeUnsized(i, false);
    const Type *type = evidence_.after[source.value].type;
    if (source.sizes && type && type->isTensor() && type->stridesKnown()) {
      layout.strides.clear();
      for (const Dim &stride : type->strides()) {
        layout.stridesKnown &= stride.isStatic();
        layout.strides.push_back(stride.isStatic() ? stride.value() : 0);
      }
    }
    values_[source.value] = {{std::move(layout)}, false};
  }
  llvm::SmallVector<uint32_t, 32> steps{launch_};
  for (const Node *wait : entry_.waits)
    steps.push_back(evidence_.after.indexOf(wait));
  for (const Node *node : entry_.scaffold)
    steps.push_back(evidence_.after.indexOf(node));
  llvm::sort(steps);
  for (uint32_t index : steps) {
    const Step &step = evidence_.after[index];
    auto value = evaluateStep(index, step);
    if (value && fitsType(step, *value))
      values_[index] = std::move(*value);
  }
}

/// New nodes may move data and wait; nothing that anyone else could see.
bool Bucket::isPlain(const Step &step) {
  bool writes = llvm::any_of(evidence_.after.accesses(step),
                             [](Access access) { return has(access, Access::Write | Access::InFlightWrite); });
  if (step.isCall() && step.domain == Domain::None && !step.launches && (step.waits || !writes))
    return true;
  report(*step.node, "merged-scaffold", "has an effect of its own, expected only nodes that move data");
  return false;
}

const Value *Bucket::valueOf(uint32_t operand, const Step &reader) {
  auto value = operand == none ? values_.end() : values_.find(operand);
  if (value != values_.end())
    return &value->second;
  Claim claim = operand == none ? Claim() : evidence_.correspondence.claimAfter(operand);
  if (claim.part != Part::Merged || claim.entry != number_)
    report(*reader.node, "merged-scaffold",
           "reads " + quoted(operand == none ? nullptr : evidence_.after[operand].node) + ", which no member sends");
  return nullptr;
}

std::optional<Value> Bucket::evaluateStep(uint32_t index, const Step &step) {
  if (index != launch_ && !isPlain(step))
    return std::nullopt;
  llvm::SmallVector<const Value *, 8> operands;
  auto inputs = evidence_.after.operands(step);
  if (index == launch_)
    inputs = call_.inputs;
  for (uint32_t operand : inputs) {
    operands.push_back(valueOf(operand, step));
    if (!operands.back())
      return std::nullopt;
    if (index != launch_ && complete_.contains(operand))
      complete_.insert(index);
  }
  if (index == launch_)
    return evaluateLaunch(step, operands);
  if (!step.waits)
    return evaluateMovement(step, operands);
  complete_.insert(index);
  return evaluateWait(step, operands);
}

/// A wait passes its operand on; a wait on a list of values yields that list.
std::optional<Value> Bucket::evaluateWait(const Step &step, llvm::ArrayRef<const Value *> operands) {
  if (!elementwiseList(step))
    return operands.size() == 1 ? std::optional<Value>(*operands[0]) : std::nullopt;
  Value list{{}, true};
  for (const Value *operand : operands) {
    if (operand->isList)
      return std::nullopt;
    list.elements.push_back(operand->elements[0]);
  }
  return list;
}

std::optional<Value> Bucket::evaluateLaunch(const Step &step, llvm::ArrayRef<const Value *> operands) {
  Value sent{{}, call_.spec->coalesced};
  for (const Value *operand : operands) {
    if (operand->isList) {
      report(*step.node, "merged-launch", "sends a list as one of its tensors");
      return std::nullopt;
    }
    sent.elements.push_back(operand->elements[0]);
  }
  Value received{{}, call_.spec->coalesced};
  for (const Layout &layout : sent.elements) {
    auto outcome = exchange(call_, shipment_, layout);
    if (auto *why = std::get_if<std::string>(&outcome)) {
      report(*step.node, "merged-value", *why);
      return std::nullopt;
    }
    received.elements.push_back(std::move(std::get<Layout>(outcome)));
  }
  sent_ = std::move(sent);
  return received;
}

std::optional<Value> Bucket::evaluateMovement(const Step &step, llvm::ArrayRef<const Value *> operands) {
  MovementRule rule = movementOf(step.isGetItem() ? "operator.getitem" : step.op->target.str());
  if (!rule) {
    report(*step.node, "merged-scaffold",
           "calls " + step.op->target.str() + ", which is no movement of data that can be followed");
    return std::nullopt;
  }
  auto value = rule({step, operands});
  if (!value)
    report(
        *step.node, "merged-scaffold",
        "cannot be followed: its arguments do not fit its operand's sizes and strides, or fall into too many pieces");
  return value;
}

namespace {

bool sameDims(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<Dim> dims) {
  return std::equal(values.begin(), values.end(), dims.begin(), dims.end(),
                    [](int64_t value, const Dim &dim) { return dim == Dim(value); });
}

/// Strides of dimensions of size 0 and 1 say nothing.
bool sameStrides(const Layout &layout, const Type &type) {
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    if (layout.sizes[i] > 1 && !(type.strides()[i] == Dim(layout.strides[i])))
      return false;
  return true;
}

} // namespace

/// The declared type must be the one that the value has, because later nodes are compiled against it.
bool Bucket::fitsType(const Step &step, const Value &value) {
  const Type *type = step.type;
  if (!type || value.isList || value.elements[0].unsized)
    return true;
  const Layout &layout = value.elements[0];
  const Type *source = evidence_.after[shipment_.sources[0].value].type;
  bool fits = type->isTensor() && type->dtype() == source->dtype() && sameDims(layout.sizes, type->sizes());
  if (fits && layout.stridesKnown && type->stridesKnown() && layout.numElements() > 0)
    fits = sameStrides(layout, *type);
  if (!fits) {
    std::string sizes;
    for (int64_t size : layout.sizes)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    report(*step.node, "merged-scaffold",
           "is declared " + typeText(type) + ", expected sizes [" + sizes + "] and the strides that follow");
  }
  return fits;
}

} // namespace ccgraph::legality

#include "evaluation.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

void Evaluation::begin(uint32_t step, Layout layout) {
  const Type *type = evidence_.after[step].type;
  like_ = like_ ? like_ : type;
  if (!layout.unsized && type && type->isTensor() && type->stridesKnown()) {
    layout.strides.clear();
    for (const Dim &stride : type->strides()) {
      layout.stridesKnown &= stride.isStatic();
      layout.strides.push_back(stride.isStatic() ? stride.value() : 0);
    }
  }
  values_[step] = {{std::move(layout)}, false};
}

// For a bucket of a = f32[2] and b = f32[3]:
//   buf = cat(a, b)          a[0, 2) b[0, 3)
//   c = all_reduce(buf)      a'[0, 2) b'[0, 3), not complete
//   w = wait(c)              the same, complete
//   v = slice(w, 0, 0, 2)    a'[0, 2), complete: all of a's result, so v may replace it
void Evaluation::run(llvm::ArrayRef<uint32_t> steps, llvm::ArrayRef<uint32_t> launches, EvaluateCall launch) {
  llvm::SmallVector<uint32_t, 32> order(steps.begin(), steps.end());
  llvm::sort(order);
  for (uint32_t index : order) {
    const Step &step = evidence_.after[index];
    auto value = evaluate(index, step, llvm::is_contained(launches, index), launch);
    if (value && fitsType(step, *value))
      values_[index] = std::move(*value);
  }
}

/// New nodes may move data and wait, but must have no observable effect.
bool Evaluation::isPlain(const Step &step) {
  bool writes = llvm::any_of(evidence_.after.accesses(step),
                             [](Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); });
  if (step.isCall() && step.domain == Domain::None && !step.launches && (step.waits || !writes))
    return true;
  report(*step.node, "has an effect of its own, expected only nodes that move data");
  return false;
}

const Contents *Evaluation::operandOf(uint32_t operand, const Step &reader) {
  if (const Contents *value = operand == none ? nullptr : valueOf(operand))
    return value;
  Claim claim = operand == none ? Claim() : evidence_.correspondence.claimAfter(operand);
  if (claim.part != claim_.part || claim.entry != claim_.entry)
    report(*reader.node, "reads " + quoted(operand == none ? nullptr : evidence_.after[operand].node) +
                             ", which is none of the values that it may be made of");
  return nullptr;
}

std::optional<Contents> Evaluation::evaluate(uint32_t index, const Step &step, bool launches, EvaluateCall launch) {
  if (!launches && !isPlain(step))
    return std::nullopt;
  Call call;
  if (launches)
    call = readCall(evidence_.after, index);
  llvm::SmallVector<const Contents *, 8> operands;
  bool complete = true;
  for (uint32_t operand : launches ? llvm::ArrayRef<uint32_t>(call.inputs) : evidence_.after.operands(step)) {
    operands.push_back(operandOf(operand, step));
    if (!operands.back())
      return std::nullopt;
    complete &= isComplete(operand);
  }
  if (step.waits || (!launches && complete && !operands.empty()))
    complete_.insert(index);
  if (launches)
    return launch(call, operands);
  return step.waits ? evaluateWait(step, operands) : evaluateMovement(step, operands);
}

/// Passes the operand of a wait on; a wait on a list of values returns that list.
std::optional<Contents> Evaluation::evaluateWait(const Step &step, llvm::ArrayRef<const Contents *> operands) {
  if (!elementwiseList(step))
    return operands.size() == 1 ? std::optional<Contents>(*operands[0]) : std::nullopt;
  Contents list{{}, true};
  for (const Contents *operand : operands) {
    if (operand->isList)
      return std::nullopt;
    list.elements.push_back(operand->elements[0]);
  }
  return list;
}

std::optional<Contents> Evaluation::evaluateMovement(const Step &step, llvm::ArrayRef<const Contents *> operands) {
  MovementRule rule = movementOf(step.isGetItem() ? "operator.getitem" : step.op->target.str());
  if (!rule) {
    report(*step.node, "calls " + step.op->target.str() + ", which is no movement of data that can be followed");
    return std::nullopt;
  }
  auto value = rule({step, operands});
  if (!value)
    report(
        *step.node,
        "cannot be followed: its arguments do not fit its operand's sizes and strides, or fall into too many pieces");
  return value;
}

namespace {

bool sameDims(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<Dim> dims) {
  return std::equal(values.begin(), values.end(), dims.begin(), dims.end(),
                    [](int64_t value, const Dim &dim) { return dim == Dim(value); });
}

/// Strides of dimensions of size 0 and 1 have no meaning.
bool sameStrides(const Layout &layout, const Type &type) {
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    if (layout.sizes[i] > 1 && !(type.strides()[i] == Dim(layout.strides[i])))
      return false;
  return true;
}

} // namespace

/// Checks that the declared type is the value's own type, because later nodes are compiled against it.
bool Evaluation::fitsType(const Step &step, const Contents &value) {
  const Type *type = step.type;
  if (!type || value.isList || value.elements[0].unsized)
    return true;
  const Layout &layout = value.elements[0];
  bool fits = type->isTensor() && type->dtype() == like_->dtype() && sameDims(layout.sizes, type->sizes());
  if (fits && layout.stridesKnown && type->stridesKnown() && layout.numElements() > 0)
    fits = sameStrides(layout, *type);
  if (!fits) {
    std::string sizes;
    for (int64_t size : layout.sizes)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    report(*step.node,
           "is declared " + typeText(type) + ", expected sizes [" + sizes + "] and the strides that follow");
  }
  return fits;
}

} // namespace ccgraph::legality

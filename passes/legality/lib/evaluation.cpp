#include "evaluation.h"

#include "row_calls.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

void Evaluation::begin(uint32_t step, Layout layout) {
  const Type *type = program()[step].type;
  dtypes_[step] = type && type->isTensor() ? std::optional(type->dtype()) : std::nullopt;
  if (!layout.unsized && type && type->isTensor() && type->stridesKnown()) {
    layout.strides.clear();
    for (const Dim &stride : type->strides()) {
      layout.stridesKnown &= stride.isStatic();
      layout.strides.push_back(stride.isStatic() ? stride.value() : 0);
    }
  }
  values_[step] = {{std::move(layout)}, false};
  complete_.insert(step);
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
    const Step &step = program()[index];
    auto value = evaluate(index, step, llvm::is_contained(launches, index), launch);
    std::optional<DType> dtype = dtypeOf(step);
    if (!value || (side_ == Side::After && !fitsType(step, *value, dtype)))
      continue;
    values_[index] = std::move(*value);
    dtypes_[index] = dtype;
  }
}

/// Returns the dtype of the step's value; empty if it is unknown.
std::optional<DType> Evaluation::dtypeOf(const Step &step) const {
  auto operands = program().operands(step);
  // The verifier has checked the dtypes that these calls promote to.
  auto isRows = [&](const Step &call) { return rows_ && (isRowCall(call) || isTotalCall(call)); };
  if (isRows(step) ||
      (step.isGetItem() && operands.size() == 1 && operands[0] != none && isRows(program()[operands[0]])))
    return step.type && step.type->isTensor() ? std::optional(step.type->dtype()) : std::nullopt;
  if (std::optional<DType> dtype = castOf(step))
    return dtype;
  return operands.empty() ? std::nullopt : dtypes_.lookup(operands[0]);
}

/// The nodes may move data and wait, but must have no observable effect.
bool Evaluation::isPlain(const Step &step) {
  bool writes = llvm::any_of(program().accesses(step),
                             [](Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); });
  if (step.isCall() && step.domain == Domain::None && !step.launches && (step.waits || !writes))
    return true;
  report(*step.node, "has an effect of its own, expected only nodes that move data");
  return false;
}

const Contents *Evaluation::operandOf(uint32_t operand, const Step &reader) {
  if (const Contents *value = operand == none ? nullptr : valueOf(operand))
    return value;
  const Correspondence &claims = evidence_.correspondence;
  Claim claim = operand == none         ? Claim()
                : side_ == Side::Before ? claims.claimBefore(operand)
                                        : claims.claimAfter(operand);
  if (claim.part != claim_.part || claim.entry != claim_.entry)
    report(*reader.node, "reads " + quoted(operand == none ? nullptr : program()[operand].node) +
                             ", which is none of the values that it may be made of");
  return nullptr;
}

std::optional<Contents> Evaluation::evaluate(uint32_t index, const Step &step, bool launches, EvaluateCall launch) {
  if (!launches && !isPlain(step))
    return std::nullopt;
  Call call;
  if (launches)
    call = readCall(program(), index);
  llvm::SmallVector<const Contents *, 8> operands;
  bool complete = true;
  for (uint32_t operand : launches ? llvm::ArrayRef<uint32_t>(call.inputs) : program().operands(step)) {
    operands.push_back(operandOf(operand, step));
    if (!operands.back())
      return std::nullopt;
    complete &= isComplete(operand);
  }
  if (step.waits || (!launches && complete && !operands.empty()))
    complete_.insert(index);
  const bool isRows = rows_ && (isRowCall(step) || isTotalCall(step));
  std::vector<Contents> ordered;
  if ((launches || isRows) && !orderRows(step, operands, ordered))
    return std::nullopt;
  if (launches)
    return launch(call, operands);
  if (isRows)
    return evaluateRows(step, operands);
  if (std::optional<DType> dtype = castOf(step); dtype && cast_)
    return operands[0]->isList ? std::nullopt : std::optional<Contents>(cast_(*operands[0], *dtype));
  if (product_ && isMatrixProduct(step))
    return evaluateProduct(step, operands);
  return step.waits ? evaluateWait(step, operands) : evaluateMovement(step, operands);
}

/// Replaces operands that are permuted by the same values in row-major order, which `ordered` owns.
bool Evaluation::orderRows(const Step &step, llvm::MutableArrayRef<const Contents *> operands,
                           std::vector<Contents> &ordered) {
  ordered.reserve(operands.size());
  for (const Contents *&operand : operands) {
    if (llvm::all_of(operand->elements, [](const Layout &value) { return value.order.empty(); }))
      continue;
    ordered.push_back({{}, operand->isList});
    for (const Layout &value : operand->elements) {
      std::optional<Layout> rows = inRowMajorOrder(value);
      if (!rows) {
        report(*step.node, "reads a permuted value that falls into too many pieces");
        return false;
      }
      ordered.back().elements.push_back(std::move(*rows));
    }
    operand = &ordered.back();
  }
  return true;
}

std::optional<Contents> Evaluation::evaluateProduct(const Step &step, llvm::ArrayRef<const Contents *> operands) {
  std::optional<Contents> value;
  if (!operands[0]->isList && !operands[1]->isList)
    value = product_(*operands[0], *operands[1]);
  if (!value)
    report(*step.node, "is a product of parts of rows, or of matrices that do not fit, expected whole rows");
  return value;
}

std::optional<Contents> Evaluation::evaluateRows(const Step &step, llvm::ArrayRef<const Contents *> operands) {
  std::optional<Contents> value;
  if (llvm::none_of(operands, [](const Contents *operand) { return operand->isList; }))
    value = rows_(step, operands);
  if (!value)
    report(*step.node, "does not compute row by row from whole rows, expected operands with the same rows");
  return value;
}

std::optional<uint32_t> commonValue(const Evidence &evidence, Side side, uint32_t operand) {
  const uint32_t image = operand == none || side == Side::After ? operand : evidence.correspondence.image(operand);
  const uint32_t origin = image == none ? none : evidence.correspondence.origin(image);
  if (origin == none)
    return std::nullopt;
  const Storages &storages = side == Side::Before ? evidence.storagesBefore : evidence.storagesAfter;
  const bool isReshaped =
      llvm::any_of(storages.of(operand), [&](uint32_t storage) { return storages.isReshaped(storage); });
  return isReshaped ? std::nullopt : std::optional(image);
}

bool isMatrixProduct(const Step &step) {
  return step.op && step.op->target.str() == "aten.mm.default" && step.numOperands == 2 &&
         step.arguments->positional.size() == 2 && step.arguments->keyword.empty();
}

// A cast copies its operand in the operand's memory order. An argument beyond the dtype may change the layout, the
// device or the memory format.
std::optional<DType> castOf(const Step &step) {
  if (!step.op || step.numOperands != 1)
    return std::nullopt;
  llvm::StringRef target = step.op->target.str();
  if (target == "aten._to_copy.default" && step.arguments->positional.size() == 1 &&
      step.arguments->keyword.size() == 1) {
    const Argument *dtype = Program::argument(step, step.op->paramIndex("dtype"));
    return dtype && dtype->is(Argument::Kind::DType) ? std::optional(dtype->dtype()) : std::nullopt;
  }
  bool converts = target == "prims.convert_element_type.default" && step.arguments->positional.size() == 2 &&
                  step.arguments->keyword.empty() && step.arguments->positional[1].is(Argument::Kind::DType);
  return converts ? std::optional(step.arguments->positional[1].dtype()) : std::nullopt;
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
  // A product of a transposed matrix has a term, so the order of its runs is kept.
  auto value = product_ && isPermutation(step) ? permutedOf({step, operands}) : rule({step, operands});
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
bool Evaluation::fitsType(const Step &step, const Contents &value, std::optional<DType> dtype) {
  const Type *type = step.type;
  if (!type || value.isList || value.elements[0].unsized)
    return true;
  const Layout &layout = value.elements[0];
  bool fits = type->isTensor() && type->dtype() == dtype && sameDims(layout.sizes, type->sizes());
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

// Calls that compute row by row, of symbolic rows.
#include "symbolic_evaluation.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

/// Returns sizes in which a number below 0 stands for each expression: equal numbers for equal expressions.
class SizesOfRows {
public:
  IntList of(const RowValue &value) {
    IntList sizes;
    for (const Quantity &size : value.sizes)
      sizes.push_back(size.number() ? *size.number() : numberOf(size));
    return sizes;
  }

private:
  int64_t numberOf(const Quantity &size) {
    auto known = llvm::find_if(known_, [&](const Quantity &other) { return other.equals(size); });
    if (known == known_.end())
      known = known_.insert(known, size);
    return -1 - (known - known_.begin());
  }

  Quantities known_;
};

} // namespace

SymbolicEvaluation::Outcome SymbolicEvaluation::rowCall(const Step &step) {
  SizesOfRows numbers;
  std::vector<IntList> sizes;
  llvm::SmallVector<const RowValue *, 4> operands;
  llvm::SmallVector<uint32_t, 4> steps;
  for (const uint32_t operand : program().operands(step)) {
    const auto value = values_.find(operand);
    const auto *rows = value == values_.end() ? nullptr : std::get_if<RowValue>(&value->second);
    const auto *same = value == values_.end() ? nullptr : std::get_if<SameForRows>(&value->second);
    if ((!rows || !hasNoGaps(*rows)) && !same)
      return "reads a value whose rows cannot be followed for every value of the symbol";
    if (rows)
      operands.push_back(rows);
    steps.push_back(rows ? none : same->step);
    sizes.push_back(rows ? numbers.of(*rows) : same->sizes);
  }
  llvm::SmallVector<const IntList *, 4> all;
  for (const IntList &one : sizes)
    all.push_back(&one);
  const std::optional<RowCall> call = addsRows(step) ? std::nullopt : rowCallOf(step, all);
  std::optional<SymbolicTerms::RowValues> results =
      call && !operands.empty() ? scope_.terms.rows(*call, operands, steps) : std::nullopt;
  if (!results)
    return "does not compute row by row for every value of the symbol, expected operands with the same rows";
  if (call->returnsList)
    return Value(std::move(*results));
  if (!step.type || !step.type->isTensor())
    return "has no type";
  // The verifier has checked the dtype that the call promotes to.
  results->front().dtype = step.type->dtype();
  return Value(std::move(results->front()));
}

/// The verifier has checked the dtypes of the results of the call.
std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::element(const Step &step) {
  const auto list = step.numOperands == 1 ? values_.find(program().operands(step)[0]) : values_.end();
  const auto *values = list == values_.end() ? nullptr : std::get_if<SymbolicTerms::RowValues>(&list->second);
  if (!values || step.element >= values->size() || !step.type || !step.type->isTensor())
    return std::nullopt;
  RowValue value = (*values)[step.element];
  value.dtype = step.type->dtype();
  return value;
}

} // namespace ccgraph::legality

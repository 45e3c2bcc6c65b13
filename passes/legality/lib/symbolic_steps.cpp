#include "symbolic_steps.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

bool SymbolicSteps::run(llvm::ArrayRef<uint32_t> steps) {
  llvm::SmallVector<uint32_t, 32> order(steps.begin(), steps.end());
  llvm::sort(order);
  for (const uint32_t index : order) {
    const Step &step = program()[index];
    std::string why = beginOperands(step, steps);
    if (why.empty())
      why = visit(index, step);
    if (why.empty())
      continue;
    scope_.findings.add(*step.node, "equal-pieces", why, claimText({Part::Rule, scope_.entry}));
    return false;
  }
  return true;
}

/// Sets the values that a step reads from outside the entry.
std::string SymbolicSteps::beginOperands(const Step &step, llvm::ArrayRef<uint32_t> steps) {
  for (const uint32_t operand : program().operands(step)) {
    if (operand != none && (llvm::is_contained(steps, operand) || hasValue(operand)))
      continue;
    if (operand == none)
      return "reads a value that is gone";
    if (const std::string why = begin(operand); !why.empty())
      return "reads " + quoted(program()[operand].node) + ", " + why;
    complete_.insert(operand);
  }
  return "";
}

std::string SymbolicSteps::visit(uint32_t index, const Step &step) {
  const bool writes = llvm::any_of(program().accesses(step),
                                   [](Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); });
  const bool isPlain = step.isCall() && step.domain == Domain::None && !step.launches && (step.waits || !writes);
  if (!step.collective() && !isPlain)
    return "has an effect of its own, expected only nodes that compute rows or move data";
  if (std::string why = evaluate(index, step); !why.empty())
    return why;
  const bool complete = llvm::all_of(program().operands(step), [&](uint32_t operand) { return isComplete(operand); });
  if (step.waits || (!step.launches && complete))
    complete_.insert(index);
  return "";
}

std::string SymbolicSteps::whyNoExchange(const Call &call) const {
  const Step &step = program()[call.step];
  if (!isPlainExchange(call) || !saysNothingElse(step))
    return "is no functional collective on one tensor";
  if (std::string why = wrongRanks(call); !why.empty())
    return why;
  return side_ == Side::After && !isComplete(call.inputs[0]) ? "sends what has not been waited for" : "";
}

std::optional<size_t> dimensionOf(const Argument *argument, size_t rank) {
  if (!isLeftOut(argument) && !argument->is(Argument::Kind::Int))
    return std::nullopt;
  const int64_t dim = isLeftOut(argument) ? 0 : argument->integer(), count = static_cast<int64_t>(rank);
  if (dim < -count || dim >= count)
    return std::nullopt;
  return static_cast<size_t>(dim < 0 ? dim + count : dim);
}

} // namespace ccgraph::legality

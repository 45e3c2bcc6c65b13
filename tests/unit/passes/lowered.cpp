#include "unit/passes/lowered.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::test {

static std::string windowText(const Plan &plan, const PlanWindow &window) {
  std::string text = plan.buffers[window.buffer].name.str().str();
  return window.offset == Dim(0) ? text : text + "+" + window.offset.str();
}

static std::string rowText(const Plan &plan, const PlanRow &row) {
  return (row.send ? windowText(plan, *row.send) : "-") + " -> " + (row.receive ? windowText(plan, *row.receive) : "-");
}

std::string valueText(const Plan &plan, const PlanValue &value) {
  std::vector<std::string> parts;
  forEachWindow(value, [&](const PlanWindow &window) { parts.push_back(windowText(plan, window)); });
  forEachSlot(value, [&](SlotId slot) { parts.push_back("#" + std::to_string(slot)); });
  return llvm::join(parts, ",");
}

static std::string workText(const Plan &plan, const PlanStep &step) {
  if (const CopyStep *copy = step.copy())
    return "copy " + windowText(plan, copy->from) + " -> " + windowText(plan, copy->to);
  if (const KernelStep *kernel = step.kernel()) {
    std::vector<std::string> operands;
    for (const PlanOperand &operand : kernel->operands)
      operands.push_back(valueText(plan, operand.value));
    return (kernel->op->target.str() + " " + llvm::join(operands, " ") + " -> " + valueText(plan, kernel->result))
        .str();
  }
  std::vector<std::string> rows;
  for (const PlanCollective &call : step.collective()->calls)
    for (const PlanRow &row : call.rows)
      rows.push_back(collectiveName(call.kind).str() + " " + rowText(plan, row));
  return llvm::join(rows, "; ");
}

std::string stepsText(const Plan &plan) {
  std::string text;
  for (const PlanStep &step : plan.steps) {
    text += plan.streams[step.stream].name + ": " + workText(plan, step);
    for (EventId event : step.waits)
      text += " after e" + std::to_string(event);
    if (step.event)
      text += " e" + std::to_string(*step.event);
    text += "\n";
  }
  return text;
}

} // namespace ccgraph::test

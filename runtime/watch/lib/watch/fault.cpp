#include "ccgraph/runtime/fault.h"

#include "ccgraph/ir/diagnostic.h"
#include "watch/fault_injector.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

constexpr std::pair<FaultKind, llvm::StringLiteral> names[] = {
    {FaultKind::Skip, "skip"},
    {FaultKind::Reorder, "reorder"},
    {FaultKind::WrongSize, "wrong-size"},
    {FaultKind::WrongDType, "wrong-dtype"},
    {FaultKind::Kill, "kill"},
    {FaultKind::Stop, "stop"},
    {FaultKind::Slow, "slow"},
};

bool isOfCollective(FaultKind kind) { return kind <= FaultKind::WrongDType; }

/// "; the plan's are 3, 7 and 12 more"
std::string collectivesText(const Plan &plan) {
  constexpr size_t most = 8;
  std::string text;
  size_t found = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].collective() && ++found <= most)
      text += (text.empty() ? "" : ", ") + std::to_string(i);
  if (found == 0)
    return "the plan has no such step";
  return "such steps are " + text + (found > most ? " and " + std::to_string(found - most) + " more" : "");
}

} // namespace

llvm::StringRef faultName(FaultKind kind) { return names[static_cast<size_t>(kind)].second; }

std::optional<FaultKind> parseFaultKind(llvm::StringRef text) {
  const auto *found = llvm::find_if(names, [&](const auto &entry) { return entry.second == text; });
  return found == std::end(names) ? std::nullopt : std::optional(found->first);
}

llvm::ArrayRef<FaultKind> allFaultKinds() {
  static const std::vector<FaultKind> kinds = [] {
    std::vector<FaultKind> list;
    for (const auto &entry : names)
      list.push_back(entry.first);
    return list;
  }();
  return kinds;
}

llvm::Error checkFault(const Fault &fault, const Plan &plan) {
  auto wrong = [&](const llvm::Twine &message, std::string repair) {
    return makeError(
        diagnose("run.request",
                 ("fault " + faultName(fault.kind) + " on rank " + llvm::Twine(fault.rank) + ": " + message).str(),
                 std::move(repair)));
  };
  if (fault.step >= plan.steps.size())
    return wrong("got step " + llvm::Twine(fault.step) + ", expected less than " + llvm::Twine(plan.steps.size()),
                 "steps are counted from 0, in the order of the plan");
  const PlanStep &step = plan.steps[fault.step];
  std::string name = "step " + std::to_string(fault.step) + " `" + step.name.str().str() + "`";
  if (isOfCollective(fault.kind) && !step.collective())
    return wrong("got " + name + ", expected a step that communicates", collectivesText(plan));
  if (fault.kind == FaultKind::Reorder && !nextOnSameRanks(plan, fault.step, fault.rank))
    return wrong("got " + name + ", expected a collective before another one on the same ranks",
                 "choose an earlier step");
  bool spoils = fault.kind == FaultKind::WrongSize || fault.kind == FaultKind::WrongDType;
  if (spoils && llvm::all_of(step.collective()->calls, [](const PlanCollective &call) { return call.rows.empty(); }))
    return wrong("got " + name + ", which moves nothing, expected a step that does", collectivesText(plan));
  return llvm::Error::success();
}

} // namespace ccgraph::runtime

#include "driver/fault_flag.h"

#include "driver/command_line.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::driver {

using runtime::Fault;
using runtime::FaultKind;

std::string faultKindsText() {
  std::vector<llvm::StringRef> names;
  for (FaultKind kind : runtime::allFaultKinds())
    names.push_back(runtime::faultName(kind));
  return llvm::join(names, ", ");
}

llvm::Expected<FaultFlag> parseFaultFlag(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  text.split(words, ':');
  std::optional<FaultKind> kind = runtime::parseFaultKind(words.front());
  if (!kind)
    return badValue("--fault", text, "KIND:RANK:STEP, where KIND is one of: " + faultKindsText());
  bool slow = *kind == FaultKind::Slow;
  if (words.size() != (slow ? 4 : 3))
    return badValue("--fault", text, slow ? "slow:RANK:STEP:MILLISECONDS" : "KIND:RANK:STEP");
  FaultFlag flag;
  flag.fault.kind = *kind;
  flag.step = words[2].str();
  int64_t delay = 0;
  if (words[1].getAsInteger(10, flag.fault.rank) || flag.fault.rank < 0)
    return badValue("--fault", text, "a rank from 0 on between the colons");
  if (slow && (words[3].getAsInteger(10, delay) || delay < 0))
    return badValue("--fault", text, "milliseconds after the last colon");
  flag.fault.delay = std::chrono::milliseconds(delay);
  return flag;
}

llvm::Expected<Fault> resolveFault(const FaultFlag &flag, const Plan &plan) {
  Fault fault = flag.fault;
  if (!llvm::StringRef(flag.step).getAsInteger(10, fault.step))
    return fault;
  std::optional<size_t> found;
  bool communicates = fault.kind <= FaultKind::WrongDType;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].name.str() == flag.step && (!found || (communicates && !plan.steps[*found].collective())))
      found = i;
  if (!found)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--fault: no step of the plan of rank " + std::to_string(fault.rank) +
                                       " is called '" + flag.step +
                                       "'\n  note: ccgraph-opt --emit plan-text shows the steps");
  fault.step = *found;
  return fault;
}

} // namespace ccgraph::driver

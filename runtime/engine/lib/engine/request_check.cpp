#include "engine/request_check.h"

#include "ccgraph/ir/guard_check.h"
#include "ccgraph/ir/plan_fingerprint.h"
#include "ccgraph/runtime/memory_need.h"
#include "engine/rank_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

using llvm::Twine;

static llvm::Error wrong(const Twine &message) { return makeError(diagnose("run.request", message.str())); }

static llvm::Error checkRank(const Plan &plan, size_t rank) {
  if (!plan.rank || *plan.rank == static_cast<int64_t>(rank))
    return llvm::Error::success();
  return wrong("got the plan of rank " + Twine(*plan.rank) + " for rank " + Twine(rank));
}

static llvm::Error checkPace(const Pace &pace, const PlanRequest &request) {
  if (!request.faults.empty())
    return wrong("got faults and a pace, expected one of them: a run with --pace shows times, not failures");
  if (pace.steps.size() != request.plans.size())
    return wrong("got times of " + Twine(pace.steps.size()) + " plans, expected " + Twine(request.plans.size()));
  for (size_t i = 0; i < pace.steps.size(); ++i) {
    const Plan &plan = *request.plans[i];
    if (pace.steps[i].size() != plan.steps.size())
      return wrong(plan.name + ": got times of " + Twine(pace.steps[i].size()) + " steps, expected " +
                   Twine(plan.steps.size()));
    for (size_t step = 0; step < plan.steps.size(); ++step)
      if (pace.steps[i][step] < 0)
        return wrong("`" + plan.steps[step].name.str() + "`: got a time of " + Twine(pace.steps[i][step]) +
                     " ps, expected 0 or more");
  }
  return llvm::Error::success();
}

static const Plan &planOf(const PlanRequest &request, size_t rank) {
  return *request.plans[request.plans.size() == 1 ? 0 : rank];
}

static int64_t bytesTogether(const PlanRequest &request, llvm::ArrayRef<size_t> ranks) {
  int64_t bytes = 0;
  for (size_t rank : ranks)
    if (rank < request.ranks)
      bytes = saturatingAdd(bytes, RankMemory::bytesNeeded(planOf(request, rank)));
  return bytes;
}

/// Checks the first rank for which a fact differs from the trace of its graph.
static llvm::Error checkFacts(const PlanRequest &request) {
  for (size_t rank = 0; rank < request.ranks; ++rank)
    if (llvm::Error error =
            checkGuards(planOf(request, rank), {{static_cast<int64_t>(rank), static_cast<int64_t>(request.ranks)}}))
      return error;
  return llvm::Error::success();
}

static llvm::Error checkAbilities(const PlanRequest &request, const Engine &engine) {
  Engine::Abilities able = engine.abilities();
  if (request.pace && !able.paces)
    return wrong("engine " + engine.name() + " gives steps no stated times: they take the time of its device");
  if (request.capture && !able.captures)
    return wrong("engine " + engine.name() + " captures no steps: it has no device that could launch them at once");
  if (request.recordCalls && !able.records)
    return wrong("engine " + engine.name() + " records no calls");
  return llvm::Error::success();
}

llvm::Error refuseMemory(const std::string &asked) {
  return makeError(diagnose("run.memory", "inputs and results need " + asked + ", more than this run may hold",
                            "run fewer ranks, or the program with smaller sizes"));
}

llvm::Error checkPlanRequest(const PlanRequest &request, const Engine &engine, llvm::ArrayRef<size_t> hostRanks) {
  if (llvm::Error error = checkAbilities(request, engine))
    return error;
  if (request.ranks == 0)
    return wrong("got 0 ranks, expected at least 1");
  if (request.plans.size() != 1 && request.plans.size() != request.ranks)
    return wrong(Twine("got ") + Twine(request.plans.size()) + " plans for " + Twine(request.ranks) +
                 " ranks, expected one, or one for each");
  for (size_t rank = 0; rank < request.ranks; ++rank)
    if (llvm::Error error = checkRank(planOf(request, rank), rank))
      return error;
  for (const Fault &fault : request.faults) {
    if (fault.rank < 0 || fault.rank >= static_cast<int64_t>(request.ranks))
      return wrong("fault " + faultName(fault.kind) + ": got rank " + Twine(fault.rank) + ", expected 0 to " +
                   Twine(request.ranks - 1));
    if (request.ranks == 1 && fault.kind == FaultKind::Stop)
      return wrong("fault stop: got 1 rank, expected more: no rank waits for the only one");
    if (llvm::Error error = checkFault(fault, planOf(request, static_cast<size_t>(fault.rank))))
      return error;
  }
  if (llvm::Error error = checkFacts(request))
    return error;
  // Such a run holds no memory.
  if (request.pace)
    return checkPace(*request.pace, request);
  return checkMemory(bytesTogether(request, hostRanks), hostRanks.size(), request.memoryLimit);
}

llvm::Error checkPlansAgree(llvm::ArrayRef<const Plan *> plans) {
  bool said = llvm::all_of(plans, [](const Plan *plan) { return plan->rank.has_value(); });
  if (!said || plans.size() < 2)
    return llvm::Error::success();
  std::vector<Diagnostic> findings = verifyAgreement(plans, 1);
  return findings.empty() ? llvm::Error::success() : makeError(std::move(findings.front()));
}

llvm::Error checkInputs(size_t given, size_t ranks) {
  if (given == ranks)
    return llvm::Error::success();
  return wrong("got inputs of " + Twine(given) + " ranks, expected " + Twine(ranks));
}

} // namespace ccgraph::runtime

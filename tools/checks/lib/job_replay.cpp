#include "ccgraph/checks/job_replay.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/jobs/replay_plans.h"
#include "ccgraph/runtime/engine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph {
namespace {

/// Seeds of the engine's order; none: the order for speed. Other seeds than multiples of 4 hold a stream back while its
/// peers get time, which takes seconds on a busy machine and can change no result (job_replay.h).
constexpr std::optional<uint64_t> orders[] = {std::nullopt, 4, 8};

llvm::Error replayError(const llvm::Twine &message, const char *repair) {
  return makeError(diagnose("job.replay", message.str(), repair));
}

/// Takes the text of a deadlock out of the error; returns every other error.
llvm::Expected<std::string> takeDeadlock(llvm::Error error) {
  std::string text;
  bool isDeadlock = false;
  llvm::Error other = llvm::handleErrors(std::move(error), [&](std::unique_ptr<DiagnosticError> wrong) -> llvm::Error {
    const Diagnostic &first = wrong->diagnostics().front();
    isDeadlock = first.rule == "run.deadlock";
    text = first.message;
    return isDeadlock ? llvm::Error::success() : llvm::Error(std::move(wrong));
  });
  if (other)
    return other;
  return text;
}

llvm::Expected<JobReplay> replayOnce(llvm::ArrayRef<std::unique_ptr<Plan>> plans, jobs::Semantics under,
                                     std::optional<uint64_t> seed) {
  runtime::PlanRequest request;
  for (const std::unique_ptr<Plan> &plan : plans)
    request.plans.push_back(plan.get());
  request.ranks = plans.size();
  request.inputs.resize(plans.size());
  request.seed = seed;
  JobReplay replay{under, false, ""};
  llvm::Expected<runtime::RunResult> result = runtime::runPlans(*runtime::findEngine("local"), request);
  if (result)
    return replay;
  llvm::Expected<std::string> text = takeDeadlock(result.takeError());
  if (!text)
    return text.takeError();
  replay.deadlock = true;
  replay.text = std::move(*text);
  return replay;
}

llvm::StringRef endText(bool deadlock) { return deadlock ? "by run.deadlock" : "without an error"; }

llvm::Expected<JobReplay> replayUnder(const jobs::Job &job, jobs::Semantics under) {
  Context context;
  std::vector<std::unique_ptr<Plan>> plans = jobs::replayPlans(context, job, under);
  std::optional<JobReplay> first;
  for (std::optional<uint64_t> seed : orders) {
    llvm::Expected<JobReplay> replay = replayOnce(plans, under, seed);
    if (!replay)
      return replay.takeError();
    if (!first)
      first = std::move(*replay);
    else if (first->deadlock != replay->deadlock)
      return replayError("under " + jobs::semanticsName(under) + ", the job ends " + endText(first->deadlock) +
                             " in one order of the local engine, and " + endText(replay->deadlock) + " in another",
                         "report this job: every order must end alike");
  }
  return std::move(*first);
}

} // namespace

llvm::Expected<std::vector<JobReplay>> replayJob(const jobs::Job &job, llvm::ArrayRef<jobs::Semantics> under) {
  if (job.numRanks() > mostReplayedRanks)
    return replayError("got a job of " + llvm::Twine(job.numRanks()) + " ranks, expected at most " +
                           llvm::Twine(mostReplayedRanks) + ": each rank is a thread of this process",
                       "replay a smaller job of the same program, such as one with fewer data-parallel ranks");
  std::vector<JobReplay> replays;
  for (jobs::Semantics semantics : under) {
    if (job.numRanks() == 0) {
      replays.push_back({semantics, false, ""});
      continue;
    }
    llvm::Expected<JobReplay> replay = replayUnder(job, semantics);
    if (!replay)
      return replay.takeError();
    replays.push_back(std::move(*replay));
  }
  return replays;
}

llvm::Error compareReplays(const jobs::CheckResult &result, llvm::ArrayRef<JobReplay> replays) {
  for (const JobReplay &replay : replays) {
    auto verdict = llvm::find_if(result.verdicts,
                                 [&](const jobs::SemanticsVerdict &verdict) { return verdict.under == replay.under; });
    if (verdict != result.verdicts.end() && verdict->deadlock != replay.deadlock)
      return replayError("under " + jobs::semanticsName(replay.under) + ", the local engine ends the job " +
                             endText(replay.deadlock) + ", and the check expects an end " + endText(verdict->deadlock),
                         "report this job: the check and the engine must agree");
  }
  return llvm::Error::success();
}

} // namespace ccgraph

// Tests the graphs of pipeline schedules against the reference interpreter: it runs those of correct schedules to their
// end, and reports a deadlock for those that the verifier of schedules rejects.
#include "ccgraph/checks/pipeline_graphs.h"

#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "models/pipeline_schedules.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph {
namespace {

using models::PipelineKind;
using models::PipelineRequest;

/// The graphs of all ranks.
class PipelineProgram {
public:
  explicit PipelineProgram(const PipelineSchedule &schedule) {
    for (size_t rank = 0; rank != schedule.ranks.size(); ++rank) {
      graphs_.push_back(pipelineGraph(context_, schedule, rank, {{2}, DType::F32, "cpu"}));
      llvm::cantFail(verifyOrError(*graphs_.back()));
      request_.graphs.push_back(graphs_.back().get());
      request_.inputs.push_back(runtime::seededInputs(*graphs_.back(), static_cast<int64_t>(rank), 1));
    }
    request_.ranks = schedule.ranks.size();
  }
  /// Returns "" if all ranks end, else the error.
  [[nodiscard]] std::string run() const {
    auto result = runtime::interpret(request_);
    return result ? "" : llvm::toString(result.takeError());
  }
  [[nodiscard]] size_t numTransfers(size_t rank) const {
    return static_cast<size_t>(llvm::count_if(*graphs_[rank], [](const Node *node) {
      return node->target().str() == "_c10d_functional.batch_p2p_ops.default";
    }));
  }

private:
  Context context_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  runtime::RunRequest request_;
};

PipelineRequest requestOf(PipelineKind kind, int64_t stages) {
  PipelineRequest request{kind};
  request.ranks = stages / request.stagesOfRank();
  return request;
}

std::string rulesOf(const PipelineSchedule &schedule) {
  std::set<std::string> rules;
  for (const Diagnostic &finding : verifyPipelineSchedule(schedule))
    rules.insert(finding.rule);
  return llvm::join(rules, " ");
}

/// Moves the first backward of stage 0 behind its first forward, so that rank 0 waits for a backward of stage 1, which
/// waits for the next forward of stage 0.
void makeDeadlock(PipelineSchedule &schedule) {
  auto isFirst = [](const PipelineAction &action) {
    return action.stage == 0 && action.kind != PipelineActionKind::Forward &&
           action.kind != PipelineActionKind::BackwardWeight && action.microbatch == 0;
  };
  std::vector<PipelineSlot> &slots = schedule.ranks.front();
  for (PipelineSlot &slot : slots)
    if (auto found = std::find_if(slot.actions.begin(), slot.actions.end(), isFirst); found != slot.actions.end()) {
      PipelineAction moved = *found;
      slot.actions.erase(found);
      slots.insert(slots.begin() + 1, {{moved}});
      return;
    }
}

} // namespace

TEST(PipelineGraphs, CorrectSchedulesRunToTheirEnd) {
  for (const auto &[name, kind] : models::pipelineKinds())
    for (int64_t stages : {4, 8, 16}) {
      PipelineSchedule schedule = withTransfers(llvm::cantFail(makePipelineSchedule(requestOf(kind, stages))));
      EXPECT_EQ(PipelineProgram(schedule).run(), "") << name << " of " << stages << " stages";
    }
}

TEST(PipelineGraphs, DeadlocksOfTheVerifierAreDeadlocksOfTheInterpreter) {
  for (const auto &[name, kind] : models::pipelineKinds())
    for (int64_t stages : {4, 8}) {
      PipelineSchedule schedule = llvm::cantFail(makePipelineSchedule(requestOf(kind, stages)));
      makeDeadlock(schedule);
      EXPECT_EQ(rulesOf(schedule), "pipeline.deadlock") << name;
      std::string error = PipelineProgram(withTransfers(schedule)).run();
      EXPECT_NE(error.find("[run.deadlock]"), std::string::npos) << name << ": " << error;
    }
}

TEST(PipelineGraphs, EachTransferOfTheScheduleIsOneBatch) {
  PipelineSchedule schedule = llvm::cantFail(readPipelineSchedule({"s.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"}));
  PipelineProgram program(withTransfers(schedule));
  EXPECT_EQ(program.numTransfers(0), 4U);
  EXPECT_EQ(program.numTransfers(1), 4U);
}

} // namespace ccgraph

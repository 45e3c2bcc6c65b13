#include "simulated/recorded_engine.h"

#include "calls/gpu_error.h"
#include "engine/rank_threads.h"
#include "engine/request_check.h"
#include "nccl/nccl_rank.h"
#include "simulated/recorded_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ccgraph::runtime {
namespace {

constexpr llvm::StringLiteral engineName = "nccl-recorded";

class RecordedPlans final : public PreparedPlans {
public:
  explicit RecordedPlans(const PlanRequest &request)
      : deadline_(request.deadline), onFailure_(request.onFailure),
        account_(std::make_shared<MemoryAccount>(std::min(request.memoryLimit, largestBytes))),
        model_(request.ranks, request.seed, request.deadline), commTable_(request.plans, request.ranks) {}

  llvm::Error prepare(const PlanRequest &request) {
    MemoryLimit limit(account_);
    auto shared = request.plans.size() == 1 ? std::make_shared<LayoutCache>(*request.plans.front()) : nullptr;
    for (size_t rank = 0; rank < request.ranks; ++rank) {
      calls_.push_back(std::make_unique<RecordedCalls>(model_, rank, request.recordCalls));
      ranks_.push_back(
          std::make_unique<NcclRank>(NcclRank::Setup{static_cast<int64_t>(rank), engineName, RankBody::Thread,
                                                     calls_.back().get(), &commTable_, shared},
                                     request));
      if (llvm::Error error = ranks_.back()->prepare())
        return error;
    }
    return onThreads([this](NcclRank &rank, Standby &) { return open(rank); });
  }

  llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) override {
    if (llvm::Error error = checkInputs(inputs.size(), ranks_.size()))
      return error;
    if (llvm::any_of(ranks_, [](const auto &rank) { return rank->isOver(); }))
      return ncclError("an earlier error has ended the job", "prepare the plans anew");
    MemoryLimit limit(account_);
    llvm::Error error = onThreads(
        [&](NcclRank &rank, Standby &standby) { return rank.run(inputs[static_cast<size_t>(rank.rank())], standby); });
    if (error) {
      if (onFailure_)
        onFailure_(flightRecords());
      return error;
    }
    RunResult results;
    for (const auto &rank : ranks_)
      results.push_back(rank->takeResults());
    return results;
  }

  [[nodiscard]] std::vector<FlightRecord> flightRecords() const override {
    std::vector<FlightRecord> records;
    for (const auto &rank : ranks_)
      if (!rank->prepared().recorder.isLost())
        records.push_back(rank->prepared().recorder.record());
    return records;
  }
  [[nodiscard]] llvm::Expected<RankTraces> gatherTraces() override { return RankTraces{flightRecords(), {}}; }

  [[nodiscard]] std::vector<std::string> recordedCalls() const override {
    std::vector<std::string> texts;
    for (const auto &calls : calls_)
      texts.push_back(calls->record().text());
    return texts;
  }

private:
  llvm::Expected<RankLoop::End> open(NcclRank &rank) {
    llvm::Error error = rank.open({});
    if (!error)
      return RankLoop::End::Finished;
    // Others wait for this rank; the error is the failure of one of them, not the absence of this rank.
    if (model_.end({}) || !model_.ending().why.empty())
      return error;
    llvm::consumeError(std::move(error));
    return RankLoop::End::Stopped;
  }

  llvm::Error onThreads(const std::function<llvm::Expected<RankLoop::End>(NcclRank &, Standby &)> &body) {
    model_.begin();
    RankThreads threads{.ranks = {}, .deadline = deadline_, .account = account_};
    for (const auto &rank : ranks_)
      threads.ranks.push_back({rank.get(), [this, &body, &rank = *rank](Standby &standby) {
                                 llvm::Expected<RankLoop::End> end = body(rank, standby);
                                 model_.leave(static_cast<size_t>(rank.rank()));
                                 return end;
                               }});
    return runOnThreads(threads);
  }

  std::chrono::milliseconds deadline_;
  std::function<void(const std::vector<FlightRecord> &)> onFailure_;
  std::shared_ptr<MemoryAccount> account_;
  StreamModel model_;
  CommTable commTable_;
  std::vector<std::unique_ptr<RecordedCalls>> calls_;
  std::vector<std::unique_ptr<NcclRank>> ranks_;
};

class RecordedEngine final : public Engine {
public:
  [[nodiscard]] llvm::StringRef name() const override { return engineName; }
  [[nodiscard]] Abilities abilities() const override {
    return {.paces = false, .captures = true, .records = true, .registersMemory = true, .enqueues = true};
  }

  [[nodiscard]] llvm::Expected<std::unique_ptr<PreparedPlans>> prepare(const PlanRequest &request) const override {
    if (llvm::Error error = checkPlanRequest(request, *this, llvm::to_vector(llvm::seq<size_t>(0, request.ranks))))
      return error;
    if (llvm::Error error = checkPlansAgree(request.plans))
      return error;
    auto plans = std::make_unique<RecordedPlans>(request);
    if (llvm::Error error = withinMemory([&] { return plans->prepare(request); }, refuseMemory))
      return error;
    return plans;
  }
};

} // namespace

const Engine &recordedEngine() {
  static const RecordedEngine engine;
  return engine;
}

} // namespace ccgraph::runtime

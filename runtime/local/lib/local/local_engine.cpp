#include "local/local_engine.h"

#include "engine/exchange_values.h"
#include "engine/rank_threads.h"
#include "engine/request_check.h"
#include "local/local_transport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ccgraph::runtime {
namespace {

class LocalPlans final : public PreparedPlans {
public:
  explicit LocalPlans(const PlanRequest &request)
      : seed_(request.seed), deadline_(request.deadline), onFailure_(request.onFailure),
        account_(std::make_shared<MemoryAccount>(std::min(request.memoryLimit, largestBytes))) {}

  llvm::Error prepare(const PlanRequest &request) {
    MemoryLimit limit(account_);
    auto shared = request.plans.size() == 1 ? std::make_shared<LayoutCache>(*request.plans.front()) : nullptr;
    for (size_t rank = 0; rank < request.ranks; ++rank) {
      auto number = static_cast<int64_t>(rank);
      transports_.push_back(std::make_unique<LocalTransport>(matches_, number));
      ranks_.push_back(std::make_unique<PreparedRank>(
          PreparedRank::Setup{number, *transports_.back(), "local", RankBody::Thread, shared}, request));
      if (llvm::Error error = ranks_.back()->prepare())
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) override {
    if (llvm::Error error = checkInputs(inputs.size(), ranks_.size()))
      return error;
    MemoryLimit limit(account_);
    llvm::Expected<RunResult> results = withinMemory<RunResult>([&] { return runAll(inputs); }, refuseMemory);
    if (!results && onFailure_)
      onFailure_(flightRecords());
    return results;
  }

  [[nodiscard]] std::vector<FlightRecord> flightRecords() const override {
    std::vector<FlightRecord> records;
    for (const auto &rank : ranks_)
      if (!rank->recorder.isLost())
        records.push_back(rank->recorder.record());
    return records;
  }

  [[nodiscard]] llvm::Expected<RankTraces> gatherTraces() override {
    RankTraces traces{flightRecords(), {}};
    for (const auto &rank : ranks_)
      if (rank->pace)
        traces.statedEnds.push_back(rank->pace->ends());
    return traces;
  }

private:
  llvm::Expected<RunResult> runAll(const std::vector<TensorMap> &inputs) {
    matches_.reset();
    if (isPaced())
      return runPaced();
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank]->begin();
      if (llvm::Error error = bringInputs(ranks_[rank]->state, inputs[rank]))
        return error;
    }
    if (llvm::Error error = runThreads())
      return error;
    RunResult results;
    CopiesForCaller copies;
    for (const auto &rank : ranks_) {
      llvm::Expected<TensorMap> values = takeResults(rank->state, copies);
      if (!values)
        return values.takeError();
      results.push_back(std::move(*values));
    }
    return results;
  }

  [[nodiscard]] bool isPaced() const { return ranks_.front()->pace.has_value(); }

  llvm::Expected<RunResult> runPaced() {
    for (const auto &rank : ranks_)
      rank->begin();
    if (llvm::Error error = runThreads())
      return error;
    return RunResult(ranks_.size());
  }

  llvm::Error runThreads() {
    std::vector<std::unique_ptr<RankLoop>> loops;
    RankThreads threads{.ranks = {}, .deadline = deadline_, .account = account_};
    for (auto [rank, transport] : llvm::zip(ranks_, transports_)) {
      loops.push_back(std::make_unique<RankLoop>(*rank, *transport, seed_));
      threads.ranks.push_back(
          {loops.back().get(), [&loop = *loops.back()](Standby &watch) { return loop.run(watch); }});
    }
    // A clock that starts late would add that time to the rank's own.
    threads.together = isPaced();
    threads.prepare = [this](Watch &watch) {
      for (const auto &transport : transports_)
        transport->begin(watch);
    };
    return runOnThreads(threads);
  }

  std::optional<uint64_t> seed_;
  std::chrono::milliseconds deadline_;
  std::function<void(const std::vector<FlightRecord> &)> onFailure_;
  std::shared_ptr<MemoryAccount> account_;
  LocalMatches matches_;
  std::vector<std::unique_ptr<LocalTransport>> transports_;
  std::vector<std::unique_ptr<PreparedRank>> ranks_;
};

class LocalEngine final : public Engine {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "local"; }

  [[nodiscard]] llvm::Expected<std::unique_ptr<PreparedPlans>> prepare(const PlanRequest &request) const override {
    if (llvm::Error error = checkPlanRequest(request, *this, llvm::to_vector(llvm::seq<size_t>(0, request.ranks))))
      return error;
    auto plans = std::make_unique<LocalPlans>(request);
    if (llvm::Error error = withinMemory([&] { return plans->prepare(request); }, refuseMemory))
      return error;
    return plans;
  }
};

} // namespace

const Engine &localEngine() {
  static const LocalEngine engine;
  return engine;
}

} // namespace ccgraph::runtime

#include "mpi/mpi_engine.h"

#include "ccgraph/runtime/memory_need.h"
#include "engine/exchange_values.h"
#include "engine/rank_loop.h"
#include "engine/request_check.h"
#include "mpi/module_loader.h"
#include "mpi/mpi_transport.h"
#include "mpi/result_gather.h"

namespace ccgraph::runtime {
namespace {

llvm::Error simpleError(llvm::StringRef rule, std::string message, std::string repair = "") {
  return makeError(diagnose(rule, std::move(message), std::move(repair)));
}

/// The memory that MPI may still use after a failed run.
struct RankMemoryOfJob {
  explicit RankMemoryOfJob(MpiJob &job) : transport(job) {}
  MpiTransport transport;
  std::unique_ptr<PreparedRank> rank;
};

class MpiPlans final : public PreparedPlans {
public:
  MpiPlans(const PlanRequest &request, MpiJob &job)
      : seed_(request.seed), deadline_(request.deadline), onFailure_(request.onFailure), job_(job),
        account_(std::make_shared<MemoryAccount>(std::min(request.memoryLimit, largestBytes))),
        memory_(std::make_shared<RankMemoryOfJob>(job)) {}
  ~MpiPlans() override {
    if (job_.isOver())
      job_.keep(memory_);
  }
  MpiPlans(const MpiPlans &) = delete;
  MpiPlans &operator=(const MpiPlans &) = delete;

  llvm::Error prepare(const PlanRequest &request) {
    MpiStandby standby(job_, deadline_);
    MemoryLimit limit(account_);
    if (llvm::Error error = withinMemory([&] { return prepareAll(request, standby); }, refuseMemory))
      standby.fail(std::move(error));
    return standby.settle(nowhere());
  }

  llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) override {
    if (job_.isOver())
      return jobIsOver();
    MpiStandby standby(job_, deadline_);
    MemoryLimit limit(account_);
    RankLoop loop(*memory_->rank, memory_->transport, seed_);
    RunResult results;
    if (llvm::Error error = withinMemory([&] { return runAll(inputs, loop, standby, results); }, refuseMemory))
      standby.fail(std::move(error));
    if (standby.isOver() && onFailure_)
      onFailure_(flightRecords());
    if (llvm::Error error = standby.settle(standingOf(loop, standby)))
      return error;
    return results;
  }

  [[nodiscard]] std::vector<FlightRecord> flightRecords() const override {
    if (!memory_->rank)
      return {};
    return {memory_->rank->recorder.record()};
  }

  [[nodiscard]] llvm::Expected<RankTraces> gatherTraces() override {
    if (job_.isOver())
      return jobIsOver();
    MpiStandby standby(job_, deadline_);
    RankTraces own{flightRecords(), {}};
    if (memory_->rank->pace)
      own.statedEnds.push_back(memory_->rank->pace->ends());
    std::optional<RankTraces> all = ccgraph::runtime::gatherTraces(std::move(own), standby);
    if (llvm::Error error = standby.settle(nowhere()))
      return error;
    return std::move(*all);
  }

private:
  static llvm::Error jobIsOver() {
    return simpleError("run.mpi", "an earlier error has ended the job", "start it anew");
  }

  llvm::Error prepareAll(const PlanRequest &request, MpiStandby &standby) {
    if (llvm::Error error = checkPlanRequest(request, mpiEngine(), job_.hostRanks()))
      return error;
    if (request.ranks != static_cast<size_t>(job_.size()))
      return simpleError("run.request",
                         "got a program for " + std::to_string(request.ranks) + " ranks, and the job has " +
                             std::to_string(job_.size()) + " processes",
                         "start as many processes as the program has ranks: mpirun -n " +
                             std::to_string(request.ranks));
    memory_->rank = std::make_unique<PreparedRank>(
        PreparedRank::Setup{job_.rank(), memory_->transport, "mpi", RankBody::Process}, request);
    if (llvm::Error error = memory_->rank->prepare())
      return error;
    std::optional<ProgramAgreement> agreed = agreeOnProgram(*memory_->rank, standby);
    if (!agreed)
      return llvm::Error::success();
    if (llvm::Error error = job_.makeCommunicators(agreed->communicators, deadline_))
      return error;
    return memory_->transport.open(*agreed, memory_->rank->state.plan->context());
  }

  /// Returns success also where the run is over; the standby has the outcome.
  llvm::Error runAll(const std::vector<TensorMap> &inputs, RankLoop &loop, MpiStandby &standby, RunResult &results) {
    if (llvm::Error error = checkInputs(inputs.size(), static_cast<size_t>(job_.size())))
      return error;
    RankState &state = memory_->rank->state;
    memory_->transport.begin();
    memory_->rank->begin();
    if (memory_->rank->pace)
      return runPaced(loop, standby, results);
    if (llvm::Error error = bringInputs(state, inputs[static_cast<size_t>(job_.rank())]))
      return error;
    if (llvm::Expected<RankLoop::End> end = loop.run(standby); !end)
      return end.takeError();
    if (standby.isOver())
      return llvm::Error::success();
    CopiesForCaller copies;
    llvm::Expected<TensorMap> own = takeResults(state, copies);
    if (!own)
      return own.takeError();
    if (std::optional<RunResult> all = gatherResults(std::move(*own), standby))
      results = std::move(*all);
    return llvm::Error::success();
  }

  llvm::Error runPaced(RankLoop &loop, MpiStandby &standby, RunResult &results) {
    // A clock that starts late would add that time to the rank's own.
    if (!meetAll(standby))
      return llvm::Error::success();
    if (llvm::Expected<RankLoop::End> end = loop.run(standby); !end)
      return end.takeError();
    // A run ends for all ranks together.
    if (!standby.isOver() && meetAll(standby))
      results.resize(static_cast<size_t>(job_.size()));
    return llvm::Error::success();
  }

  /// False where the run is over.
  bool meetAll(MpiStandby &standby) {
    auto request = std::make_shared<MpiRequest>();
    int error = job_.calls().barrier(job_.exchange(), *request);
    if (error != 0)
      standby.fail("joining the other ranks", error);
    return error == 0 && standby.wait(*request, "the other ranks");
  }

  static MpiStandby::Standing nowhere() {
    MpiStandby::Standing standing;
    standing.counts = [] { return LaunchCounts(); };
    standing.learn = [](const auto &) {};
    standing.waits = [] { return std::vector<std::string>(); };
    standing.position = [] { return std::string(); };
    return standing;
  }

  MpiStandby::Standing standingOf(const RankLoop &loop, const MpiStandby &standby) const {
    MpiStandby::Standing standing;
    MpiTransport &transport = memory_->transport;
    standing.counts = [&] { return transport.counts(); };
    standing.learn = [&](std::vector<std::optional<LaunchCounts>> counts) { transport.learn(std::move(counts)); };
    standing.waits = [&] { return standby.isAsleep() ? loop.waitTexts() : std::vector<std::string>(); };
    standing.position = [&] { return standby.isAsleep() ? loop.position() : std::string(); };
    return standing;
  }

  std::optional<uint64_t> seed_;
  std::chrono::milliseconds deadline_;
  std::function<void(const std::vector<FlightRecord> &)> onFailure_;
  MpiJob &job_;
  std::shared_ptr<MemoryAccount> account_;
  std::shared_ptr<RankMemoryOfJob> memory_;
};

class MpiEngine final : public Engine {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "mpi"; }
  [[nodiscard]] llvm::Error checkAvailable() const override { return loadMpiModule().takeError(); }
  [[nodiscard]] bool isSpread() const override { return true; }

  [[nodiscard]] llvm::Expected<ProcessPlace> join(std::chrono::milliseconds deadline) const override {
    llvm::Expected<MpiJob *> job = MpiJob::join(deadline);
    if (!job)
      return job.takeError();
    return ProcessPlace{static_cast<size_t>((*job)->rank()), static_cast<size_t>((*job)->size()),
                        (*job)->hostRanks().vec()};
  }
  [[nodiscard]] bool reports() const override { return !MpiJob::joined() || MpiJob::joined()->reports(); }
  int leave(int exitCode) const override {
    MpiJob *job = MpiJob::joined();
    return job ? job->leave(exitCode) : exitCode;
  }

  [[nodiscard]] llvm::Expected<std::unique_ptr<PreparedPlans>> prepare(const PlanRequest &request) const override {
    llvm::Expected<MpiJob *> job = MpiJob::join(request.deadline);
    if (!job)
      return job.takeError();
    auto plans = std::make_unique<MpiPlans>(request, **job);
    if (llvm::Error error = plans->prepare(request))
      return error;
    return plans;
  }
};

} // namespace

const Engine &mpiEngine() {
  static const MpiEngine engine;
  return engine;
}

} // namespace ccgraph::runtime

#include "nccl/nccl_engine.h"

#include "calls/gpu_error.h"
#include "engine/kernel_choice.h"
#include "engine/request_check.h"
#include "kernels/random.h"
#include "nccl/nccl_job.h"
#include "nccl/nccl_rank.h"
#include "rendezvous/record_bytes.h"
#include "rendezvous/result_bytes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <thread>

namespace ccgraph::runtime {
namespace {

constexpr llvm::StringLiteral engineName = "nccl";

/// The standby of a rank in a process of its own: only the devices inform it about the others.
class OwnStandby final : public Standby {
public:
  [[nodiscard]] uint64_t news() override { return 0; }
  void sleep(const Sleeper &, uint64_t, Since &) override {}
  void rest(uint64_t, Clock::time_point until) override { std::this_thread::sleep_until(until); }
  [[nodiscard]] bool isOver() override { return false; }
};

/// A kernel of the host cannot reach the device's memory.
llvm::Error checkKernels(const Plan &plan, int64_t rank, llvm::ArrayRef<std::string> providers) {
  llvm::Expected<KernelChoice> kernels = KernelChoice::of(providers, KernelChoice::Memory::Device);
  if (!kernels)
    return kernels.takeError();
  auto isMissing = [&](const PlanStep &step) {
    if (!step.kernel() || step.stream == Plan::hostStream || findRandomOp(step.kernel()->op->target.str()))
      return false;
    return !kernels->find(step).device;
  };
  const PlanStep *first = nullptr;
  llvm::SetVector<llvm::StringRef> missing;
  for (const PlanStep &step : plan.steps)
    if (isMissing(step)) {
      first = first ? first : &step;
      missing.insert(step.kernel()->op->target.str());
    }
  if (!first)
    return llvm::Error::success();
  return StepPlace{rank, first->name}.error(
      "run.no-kernel",
      "no kernel of " + kernels->names() + " computes " + llvm::join(missing.getArrayRef(), ", ") + " on a device",
      "name a provider that does (--kernels cuda,torch has most), or register one; "
      "--engine nccl-recorded runs the plan on the CPU");
}

class NcclPlans final : public PreparedPlans {
public:
  NcclPlans(const PlanRequest &request, NcclJob &job)
      : job_(job), commTable_(request.plans, request.ranks), onFailure_(request.onFailure),
        account_(std::make_shared<MemoryAccount>(std::min(request.memoryLimit, largestBytes))),
        rank_({static_cast<int64_t>(NcclJob::place().rank), engineName, RankBody::Process, &job.calls(), &commTable_},
              request) {}

  llvm::Error prepare() {
    MemoryLimit limit(account_);
    if (llvm::Error error = rank_.prepare())
      return error;
    llvm::Expected<GpuJobId> id = job_.makeId();
    return id ? rank_.open(*id) : id.takeError();
  }

  llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) override {
    if (job_.over)
      return ncclError("an earlier error has ended the job", "start it anew");
    if (llvm::Error error = checkInputs(inputs.size(), NcclJob::place().ranks))
      return error;
    MemoryLimit limit(account_);
    OwnStandby standby;
    llvm::Expected<RankLoop::End> end = rank_.run(inputs[NcclJob::place().rank], standby);
    if (!end) {
      job_.over = true;
      if (onFailure_)
        onFailure_(flightRecords());
      return end.takeError();
    }
    return gather();
  }

  [[nodiscard]] std::vector<FlightRecord> flightRecords() const override {
    return {rank_.prepared().recorder.record()};
  }
  [[nodiscard]] llvm::Expected<RankTraces> gatherTraces() override {
    RankTraces traces{flightRecords(), {}};
    ByteWriter own;
    if (NcclJob::place().rank != 0)
      write(own, traces.records.front());
    llvm::Expected<std::vector<std::string>> told = gatherBytes(own.bytes);
    if (!told)
      return told.takeError();
    for (size_t rank = 1; NcclJob::place().rank == 0 && rank < told->size(); ++rank) {
      ByteReader bytes(bytesOf((*told)[rank]));
      traces.records.push_back(readRecord(bytes));
    }
    return traces;
  }

private:
  static llvm::ArrayRef<std::byte> bytesOf(const std::string &text) {
    return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
  }
  llvm::Expected<std::vector<std::string>> gatherBytes(llvm::ArrayRef<std::byte> own) {
    return job_.rendezvous().gather(std::string(reinterpret_cast<const char *>(own.data()), own.size()));
  }
  /// Those of all ranks at rank 0; elsewhere the rank's own.
  llvm::Expected<RunResult> gather() {
    const JobPlace &place = NcclJob::place();
    TensorMap own = rank_.takeResults();
    llvm::Expected<std::vector<std::string>> told =
        gatherBytes(place.rank == 0 ? std::vector<std::byte>() : encodeResults(own));
    if (!told)
      return told.takeError();
    RunResult results(place.ranks);
    for (size_t rank = 1; place.rank == 0 && rank < place.ranks; ++rank)
      results[rank] = decodeResults(bytesOf((*told)[rank]));
    results[place.rank] = std::move(own);
    return results;
  }

  NcclJob &job_;
  CommTable commTable_;
  std::function<void(const std::vector<FlightRecord> &)> onFailure_;
  std::shared_ptr<MemoryAccount> account_;
  NcclRank rank_;
};

class NcclEngine final : public Engine {
public:
  [[nodiscard]] llvm::StringRef name() const override { return engineName; }
  [[nodiscard]] llvm::Error checkAvailable() const override { return loadGpuModule().takeError(); }
  [[nodiscard]] bool isSpread() const override { return true; }
  [[nodiscard]] Abilities abilities() const override {
    return {.paces = false,
            .captures = true,
            .records = false,
            .registersMemory = true,
            .enqueues = true,
            .needsPlace = true};
  }
  void setPlace(const JobPlace &place) const override { NcclJob::setPlace(place); }

  [[nodiscard]] llvm::Expected<ProcessPlace> join(std::chrono::milliseconds deadline) const override {
    llvm::Expected<NcclJob *> job = NcclJob::join(deadline);
    if (!job)
      return job.takeError();
    return ProcessPlace{NcclJob::place().rank, NcclJob::place().ranks, (*job)->hostRanks().vec()};
  }
  [[nodiscard]] bool reports() const override { return NcclJob::place().rank == 0; }
  int leave(int exitCode) const override {
    NcclJob *job = NcclJob::joined();
    if (!job || job->over)
      return exitCode;
    llvm::Expected<std::vector<std::string>> codes = job->rendezvous().gather(std::to_string(exitCode));
    if (!codes) {
      llvm::consumeError(codes.takeError());
      return exitCode;
    }
    for (const std::string &text : *codes) {
      int code = 0;
      llvm::StringRef(text).getAsInteger(10, code);
      exitCode = std::max(exitCode, code);
    }
    return exitCode;
  }

  [[nodiscard]] llvm::Expected<std::unique_ptr<PreparedPlans>> prepare(const PlanRequest &request) const override {
    llvm::Expected<NcclJob *> job = NcclJob::join(request.deadline);
    if (!job)
      return job.takeError();
    if (llvm::Error error = check(request, **job))
      return error;
    auto plans = std::make_unique<NcclPlans>(request, **job);
    if (llvm::Error error = withinMemory([&] { return plans->prepare(); }, refuseMemory))
      return error;
    return plans;
  }

private:
  llvm::Error check(const PlanRequest &request, const NcclJob &job) const {
    const JobPlace &place = NcclJob::place();
    if (llvm::Error error = checkPlanRequest(request, *this, job.hostRanks()))
      return error;
    if (request.ranks != place.ranks)
      return ncclError("got a program for " + std::to_string(request.ranks) + " ranks, and the job has " +
                           std::to_string(place.ranks) + " processes",
                       "start as many processes as the program has ranks");
    if (llvm::Error error = checkPlansAgree(request.plans))
      return error;
    return checkKernels(*request.plans[request.plans.size() == 1 ? 0 : place.rank], static_cast<int64_t>(place.rank),
                        request.kernels);
  }
};

} // namespace

const Engine &ncclEngine() {
  static const NcclEngine engine;
  return engine;
}

} // namespace ccgraph::runtime

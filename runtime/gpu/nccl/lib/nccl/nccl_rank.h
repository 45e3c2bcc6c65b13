// NcclRank: the host of one rank, which enqueues a plan's steps on a device.
//
//   inputs are copied to the device on the stream of computation
//   all other streams wait for that
//   each step, in the order of the list:
//     its stream waits for the events of the step, except events of steps that the host itself has run;
//     a kernel is launched, a copy is enqueued, or a collective is enqueued as in row_calls.h;
//     its event is recorded
//   the stream of computation waits for all others
//   results are copied to the host, which waits for that, once a run
// A step that the host computes, on the host's stream or because it draws random numbers, is an exception: the host
// waits for the step's events, copies the memory that the step uses, computes, and copies it back.
//
// With capture, the steps of the first run become a device graph, which each run launches. Where kernels allocate
// memory (kernel_provider.h), the steps run once without capture before. A plan with data that the host must read
// cannot be captured, nor one whose sizes or numbers change; prepare() names the step (capture_check.h).
//
// While the host waits, it polls for asynchronous errors and for the deadline. After one of them it aborts the work of
// this rank, and the job is over.
//
// Where times are requested, a device takes them around each step (step_clock.h), and they correct the record of the
// run.
//
// Ownership: borrows calls, plans and job; owns the rank's memory, streams, events and communicators. Failure:
// DiagnosticErrors of the rules of engine.h, and run.nccl. Cost: of a step one call, one for each wait and one for its
// event, and some 100 ns of our own.
#pragma once

#include "engine/prepared_rank.h"
#include "engine/rank_loop.h"
#include "nccl/capture_pools.h"
#include "nccl/communicators.h"
#include "nccl/gpu_memory.h"
#include "nccl/row_calls.h"
#include "nccl/self_transfers.h"
#include "nccl/step_clock.h"
#include "nccl/step_scratch.h"

namespace ccgraph::runtime {

class NcclRank final : public Sleeper {
public:
  struct Setup {
    int64_t rank = 0;
    /// of the engine
    llvm::StringRef engine;
    RankBody body = RankBody::Thread;
    GpuCalls *calls = nullptr;
    const CommTable *commTable = nullptr;
    std::shared_ptr<LayoutCache> layouts = nullptr;
  };
  NcclRank(const Setup &setup, const PlanRequest &request);
  ~NcclRank() override;
  NcclRank(const NcclRank &) = delete;
  NcclRank &operator=(const NcclRank &) = delete;

  /// The operations of the rank that need no other rank.
  [[nodiscard]] llvm::Error prepare();
  /// Makes the communicators: a call of all ranks.
  [[nodiscard]] llvm::Error open(const GpuJobId &id);
  /// Runs once; results are there after Finished.
  [[nodiscard]] llvm::Expected<RankLoop::End> run(const TensorMap &inputs, Standby &standby);
  [[nodiscard]] TensorMap takeResults() { return std::move(results_); }

  [[nodiscard]] const PreparedRank &prepared() const { return *prepared_; }
  /// An earlier error has ended the job.
  [[nodiscard]] bool isOver() const { return over_; }

  [[nodiscard]] int64_t rank() const override { return rank_; }
  [[nodiscard]] std::vector<std::string> waitTexts() const override;
  [[nodiscard]] std::string busyText() const override { return ""; }
  [[nodiscard]] std::string position() const override { return ""; }

private:
  /// A kernel as the device is given it.
  class KernelWork final : public GpuWork {
  public:
    KernelWork(NcclRank &rank, PreparedKernel &kernel, const PlanStep &step)
        : rank_(rank), kernel_(kernel), step_(step) {}
    [[nodiscard]] llvm::StringRef name() const override { return step_.kernel()->op->target.str(); }
    [[nodiscard]] bool run() override;

  private:
    NcclRank &rank_;
    PreparedKernel &kernel_;
    const PlanStep &step_;
  };

  [[nodiscard]] llvm::Error makeStreams();
  [[nodiscard]] llvm::Error makeEvents();
  [[nodiscard]] llvm::Error prepareCapture();
  [[nodiscard]] llvm::Expected<RankLoop::End> runSteps(const TensorMap &inputs);
  [[nodiscard]] llvm::Error enqueueSteps();
  [[nodiscard]] llvm::Error launchCaptured();
  [[nodiscard]] llvm::Error rehearse(const TensorMap &inputs);
  [[nodiscard]] llvm::Error capture();
  [[nodiscard]] llvm::Error captureSteps(GpuStream origin);
  [[nodiscard]] llvm::Error fork();
  [[nodiscard]] llvm::Error join();
  [[nodiscard]] bool isJoined(size_t stream) const;
  [[nodiscard]] llvm::Error issueAll();
  [[nodiscard]] llvm::Error issue(size_t index);
  [[nodiscard]] llvm::Error enqueue(size_t index, GpuStream stream);
  [[nodiscard]] llvm::Error enqueueWork(size_t index, GpuStream stream);
  [[nodiscard]] llvm::Error enqueueKernel(size_t index, PreparedKernel &kernel, GpuStream stream);
  [[nodiscard]] llvm::Error enqueueCopy(const PreparedStep &step, const PreparedCopy &copy, GpuStream stream);
  [[nodiscard]] llvm::Error enqueueExchange(const PreparedStep &step, PreparedExchange &exchange, GpuStream stream);
  [[nodiscard]] llvm::Error addCalls(const PreparedStep &step, PreparedExchange &exchange, GpuStream stream);
  [[nodiscard]] llvm::Error addCall(const CallSeat &seat, const Launch &launch, size_t comm, GpuStream stream);
  [[nodiscard]] llvm::Error computeOnHost(size_t index, GpuStream stream);
  [[nodiscard]] llvm::Error await(GpuStream stream);
  [[nodiscard]] llvm::Error awaitEvent(GpuEvent event);
  [[nodiscard]] llvm::Error endOverdue();
  [[nodiscard]] llvm::Error endFailed(int code);
  void abandon();
  void noteIssued(const PreparedStep &step);
  void noteEnded();
  [[nodiscard]] llvm::Error prepareClock();
  [[nodiscard]] llvm::Error placeClock();
  [[nodiscard]] llvm::Error noteTimes();
  [[nodiscard]] llvm::Error check(int code, const char *doing, const PreparedStep *step = nullptr) const;
  [[nodiscard]] const Plan &plan() const { return *prepared_->state.plan; }

  int64_t rank_;
  int ranks_;
  GpuCalls &calls_;
  const CommTable &commTable_;
  std::chrono::milliseconds deadline_;
  bool captures_;
  std::vector<const Plan *> plans_; ///< of all ranks
  /// by stream of the plan; those without a step, and the host's where it needs none, have no number
  std::vector<GpuStream> streams_;
  /// by event of the plan
  std::vector<GpuEvent> events_;
  /// by stream: when it is through with the run
  std::vector<GpuEvent> joined_;
  GpuEvent forked_, awaited_;
  std::vector<bool> byHost_; ///< events of steps that the host computes on its own stream
  std::byte *signal_ = nullptr;
  Communicators communicators_;
  std::unique_ptr<GpuMemory> memory_;
  class CallNumbers;
  std::unique_ptr<CallNumbers> numbers_;
  std::unique_ptr<PreparedRank> prepared_;
  std::vector<size_t> commsOfCalls_;
  std::vector<std::shared_ptr<KernelWork>> workOf_; ///< by step; null where there is none
  RowCalls rows_;
  StepScratch scratch_;
  SelfTransfers selfTransfers_;
  std::optional<StepClock> clock_; ///< present where times are requested
  // --- of a capture ---
  llvm::SmallVector<const DeviceAllocator *, 1> allocators_; ///< of the rank's kernels
  bool rehearses_ = false;
  CapturePools pools_;
  std::optional<GpuGraph> graph_;
  // --- of a run ---
  Standby *standby_ = nullptr;
  bool stopped_ = false;
  bool dead_ = false;
  bool over_ = false;
  /// of work that failed while the device ran it
  llvm::Error workError_ = llvm::Error::success();
  TensorMap results_;
};

} // namespace ccgraph::runtime

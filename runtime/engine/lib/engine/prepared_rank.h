// PreparedRank: one rank's plan, ready to run any number of times.
//
// Ownership: borrows the plan and the register of calls, owns the rank's memory. Failure: DiagnosticErrors, those of
// the first step that cannot be prepared. Cost: linear in the steps.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "engine/collective_call.h"
#include "engine/kernel_call.h"
#include "engine/rank_pace.h"
#include "watch/fault_injector.h"
#include "watch/flight_recorder.h"

namespace ccgraph::runtime {

/// Elements of one window into another.
class PreparedCopy {
public:
  [[nodiscard]] static llvm::Expected<PreparedCopy> prepare(const PlanStep &step, RankState &state);
  [[nodiscard]] llvm::Error run(RankState &state) const;
  /// Source and destination of a copy, of equal sizes and dtypes.
  [[nodiscard]] llvm::Expected<std::pair<Tensor, Tensor>> bind(RankState &state) const;

private:
  const PlanStep *step_ = nullptr;
  std::optional<std::pair<Tensor, Tensor>> fixed_;
};

/// A kernel or copy with a simulated duration: only its time passes.
struct PreparedPause {};

/// A collective step with its calls' tickets; none where a fault has the rank leave it out.
struct PreparedExchange {
  struct Call {
    CallRegister::Ticket ticket = 0;
    /// none of the second message of a transfer that is paced
    std::optional<FlightRecorder::Call> record;
  };
  PreparedCollective collective;
  std::vector<Call> calls;
};

struct PreparedStep {
  const PlanStep *plan = nullptr;
  /// in Plan::steps
  size_t position = 0;
  std::variant<PreparedKernel, PreparedCopy, PreparedExchange, PreparedPause> work;
  /// growing buffers that it touches, each once
  std::vector<BufferId> growing;
  /// of a rank on a device: a kernel that the host computes all the same, a step of the host or one that draws random
  /// numbers
  bool byHost = false;
};

struct PreparedRank {
  /// The settings that are not part of the request.
  struct Setup {
    int64_t rank = 0;
    /// accepts the calls of the plan; borrowed
    CallRegister &calls;
    /// of the engine
    llvm::StringRef engine;
    RankBody body = RankBody::Thread;
    /// of the rank's plan, shared with others that run it; null: of its own
    std::shared_ptr<LayoutCache> layouts = nullptr;
    /// whose memory the rank's is, which must live longer; null: the host's
    DeviceMemory *device = nullptr;
  };
  RankState state;
  FlightRecorder recorder;
  FaultInjector faults;
  /// of a run with simulated durations
  std::optional<RankPace> pace;
  /// in the order in which the host issues them
  std::vector<PreparedStep> steps;
  /// by stream: its steps, in order
  std::vector<std::vector<uint32_t>> byStream;
  /// of one collective step
  size_t mostCalls = 0;
  /// by buffer: how many steps touch it, where it grows; one more where the caller sees it
  std::vector<uint32_t> growingUses;

  /// Not movable, because steps refer to the state.
  PreparedRank(const Setup &setup, const PlanRequest &request);
  PreparedRank(const PreparedRank &) = delete;
  PreparedRank &operator=(const PreparedRank &) = delete;
  [[nodiscard]] llvm::Error prepare();
  /// A run begins.
  void begin();
  /// After prepare(), the kernel choice of a run without simulated durations.
  [[nodiscard]] const KernelChoice &kernels() const { return kernels_; }

private:
  [[nodiscard]] llvm::Error prepareToCompute();
  [[nodiscard]] llvm::Error prepareStep(size_t position);
  [[nodiscard]] llvm::Error add(size_t position, decltype(PreparedStep::work) work);
  [[nodiscard]] llvm::Error prepareKernel(size_t position);
  [[nodiscard]] bool isByHost(const PlanStep &step) const;
  [[nodiscard]] llvm::Error prepareByHost(size_t position);
  [[nodiscard]] llvm::Expected<PreparedExchange> prepareExchange(size_t position);
  void enrol(PreparedExchange &exchange, size_t position);
  void countGrowing(PreparedStep &step);

  CallRegister &calls_;
  std::vector<std::string> providers_;
  KernelChoice kernels_;
  size_t numRanks_;
  /// one plan serves every rank
  bool onePlan_;
};

} // namespace ccgraph::runtime

// PreparedRank: one rank's plan, ready to run any number of times.
//
// Ownership: borrows the plan and the transport, owns the rank's memory. Failure: DiagnosticErrors, those of the first step that
// cannot be prepared. Cost: linear in the steps.
#pragma once

#include "engine/collective_call.h"
#include "engine/kernel_call.h"

namespace ccgraph::runtime {

/// Elements of one window into another.
class PreparedCopy {
public:
  [[nodiscard]] static llvm::Expected<PreparedCopy> prepare(const PlanStep &step, RankState &state);
  [[nodiscard]] llvm::Error run(RankState &state) const;

private:
  const PlanStep *step_ = nullptr;
  std::optional<std::pair<Tensor, Tensor>> fixed_;
};

/// A collective step with its calls' tickets.
struct PreparedExchange {
  PreparedCollective collective;
  std::vector<Transport::Ticket> tickets;
};

struct PreparedStep {
  const PlanStep *plan = nullptr;
  std::variant<PreparedKernel, PreparedCopy, PreparedExchange> work;
  /// growing buffers that it touches, each once
  std::vector<BufferId> growing;
};

struct PreparedRank {
  struct Setup {
    const Plan *plan = nullptr;
    int64_t rank = 0;
    size_t numRanks = 1;
    Transport *transport = nullptr;
  };
  RankState state;
  Transport *transport = nullptr;
  std::vector<PreparedStep> steps;
  /// by stream: its steps, in order
  std::vector<std::vector<uint32_t>> byStream;
  /// of one collective step
  size_t mostCalls = 0;
  /// by buffer: how many steps touch it, where it grows; one more where the caller sees it
  std::vector<uint32_t> growingUses;

  /// Not movable, because steps refer to the state.
  explicit PreparedRank(const Setup &setup) : state(*setup.plan, setup.rank), transport(setup.transport) {}
  PreparedRank(const PreparedRank &) = delete;
  PreparedRank &operator=(const PreparedRank &) = delete;
  [[nodiscard]] llvm::Error prepare(size_t numRanks);

private:
  [[nodiscard]] llvm::Error prepareStep(const PlanStep &step, size_t numRanks);
  void countGrowing(PreparedStep &step);
};

} // namespace ccgraph::runtime

// PreparedCollective: a collective step with its groups resolved and its rows found.
//
// Each call of the step becomes a Launch, which is what ranks compare and transports move; rows that never move are
// found once.
//
// Ownership: borrows plan and state, keeps the launches. Failure: DiagnosticErrors of rule run.collective about a call
// that makes no sense for its group, and run.plan about rows that cannot be sent as they are. Cost: linear in the rows.
#pragma once

#include "engine/rank_state.h"
#include "engine/ticks.h"
#include "engine/transport.h"

namespace ccgraph::runtime {

class PreparedCollective {
public:
  struct Ranks {
    size_t number = 1;
    /// the step's place in the plan that all of them run; none where each has a plan of its own
    std::optional<size_t> position;
  };
  [[nodiscard]] static llvm::Expected<PreparedCollective> prepare(const PlanStep &step, RankState &state,
                                                                  const Ranks &ranks);

  /// With simulated durations: the rank enrols and launches the messages of ticks, one tick a call.
  [[nodiscard]] static llvm::Expected<PreparedCollective> prepareTicks(const PlanStep &step, RankState &state,
                                                                       const Ranks &ranks);

  /// One for each call, in order.
  [[nodiscard]] llvm::ArrayRef<CallSeat> seats() const { return seats_; }
  /// empty without simulated durations
  [[nodiscard]] llvm::ArrayRef<Tick> ticks() const { return ticks_; }
  /// Its rows and counts are the same in every run, and known.
  [[nodiscard]] bool isFixed() const { return fixed_; }
  /// The rows of this run; call when the step begins.
  [[nodiscard]] llvm::Error bind(RankState &state);
  [[nodiscard]] llvm::ArrayRef<Launch> launches() const { return launches_; }

private:
  [[nodiscard]] static llvm::Expected<PreparedCollective> prepareSeats(const PlanStep &step, const RankState &state,
                                                                       const Ranks &ranks);
  [[nodiscard]] llvm::Error seat(const PlanCollective &call, const RankState &state, const Ranks &ranks);
  [[nodiscard]] llvm::Error bindCall(size_t index, RankState &state);
  [[nodiscard]] llvm::Error bindRow(const PlanRow &row, size_t index, Launch &launch, RankState &state) const;
  [[nodiscard]] llvm::Error bindEnd(const std::optional<PlanWindow> &window, Buffer &buffer,
                                    const RankState &state) const;
  [[nodiscard]] llvm::Expected<std::vector<int64_t>> countsOf(llvm::ArrayRef<Dim> dims, const RankState &state) const;
  [[nodiscard]] bool isFixed(const RankState &state) const;
  [[nodiscard]] StepPlace place(const RankState &state) const { return state.at(step_->name); }

  const PlanStep *step_ = nullptr;
  const CollectiveStep *work_ = nullptr;
  std::vector<CallSeat> seats_;
  std::vector<Launch> launches_;
  std::vector<Tick> ticks_;
  bool fixed_ = false;
  bool bound_ = false;
};

} // namespace ccgraph::runtime

// Communication: one collective or transfer of one group, with the launch of each member.
//
// Ranks join it one by one. It is ready once all have joined. Its results are computed at the first request for them,
// so sent values are read as late as the rules allow. Launches match by order of issue: the k-th collective that a rank
// launches on a group is the k-th of every other member. A transfer matches the oldest one of its sender, receiver and
// tag. A group is its ordered ranks; its name is local to one rank and does not count.
//
// Ownership: Communications owns its communications together with the ranks that take part in them.
// Failure: launches that disagree end in a DiagnosticError which names both ranks, both nodes and
// each difference. Cost: O(log groups) to join.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "collectives/launch.h"

#include <deque>
#include <map>
#include <memory>

namespace ccgraph::runtime {

/// Global ranks, in the group's order.
using Members = std::vector<int64_t>;

class Communication {
public:
  Communication(Members members, size_t sequence)
      : members_(std::move(members)), sequence_(sequence), launches_(members_.size()) {}

  [[nodiscard]] const Members &members() const { return members_; }
  /// The number of this collective in its group, from 1.
  [[nodiscard]] size_t sequence() const { return sequence_; }
  /// Null until that member has launched.
  [[nodiscard]] const Launch *launch(size_t member) const { return launches_[member] ? &*launches_[member] : nullptr; }
  [[nodiscard]] bool isReady() const { return numMissing() == 0; }
  /// Members that have not launched.
  [[nodiscard]] Members missing() const;
  /// Any launch; one has joined when others see a communication.
  [[nodiscard]] const Launch &anyLaunch() const;
  /// Error: the launch disagrees with those before it.
  [[nodiscard]] llvm::Error join(size_t member, Launch launch);
  /// Computes all results, once. Call when ready. Fails on splits of an all_to_all that do not match.
  [[nodiscard]] llvm::Error settle();
  /// 1-d; valid after settle().
  [[nodiscard]] const Tensor &result(size_t member, size_t row) const { return results_[row][member]; }

private:
  [[nodiscard]] size_t numMissing() const;
  [[nodiscard]] bool isTransfer() const;

  Members members_;
  size_t sequence_;
  std::vector<std::optional<Launch>> launches_;
  /// by row, then member
  std::vector<std::vector<Tensor>> results_;
  bool settled_ = false;
};

/// One rank's seat in a communication.
struct Seat {
  std::shared_ptr<Communication> communication;
  size_t member = 0;

  [[nodiscard]] const Launch &launch() const { return *communication->launch(member); }
};

/// Matches the launches of ranks.
class Communications {
public:
  [[nodiscard]] llvm::Expected<Seat> joinCollective(const Members &group, Launch launch);

  /// Sender and receiver as global ranks, both members of `group`.
  struct Channel {
    Members group;
    int64_t from = 0;
    int64_t to = 0;
    int64_t tag = 0;
    friend auto operator<=>(const Channel &, const Channel &) = default; // NOLINT(modernize-use-nullptr): no pointer
  };
  [[nodiscard]] llvm::Expected<Seat> joinTransfer(const Channel &channel, Launch launch);

  /// Number of collectives that a rank has launched on a group.
  [[nodiscard]] size_t numLaunched(const Members &group, int64_t rank) const;

private:
  struct Group {
    std::vector<std::shared_ptr<Communication>> communications;
    /// by rank
    std::map<int64_t, size_t> launched;
  };
  std::map<Members, Group> groups_;
  /// transfers that lack one end
  std::map<Channel, std::deque<std::shared_ptr<Communication>>> open_;
};

} // namespace ccgraph::runtime

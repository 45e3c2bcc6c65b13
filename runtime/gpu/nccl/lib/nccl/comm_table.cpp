#include "nccl/comm_table.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <set>

namespace ccgraph::runtime {
namespace {

/// Walks one rank's calls and finds the communicator of each.
class CommWalk {
public:
  CommWalk(const Plan &plan, int64_t rank) : plan_(plan), rank_(rank) {}

  void visit(llvm::function_ref<void(const CommKey &, const PlanCollective &)> visit) {
    for (const PlanStep &step : plan_.steps)
      if (const CollectiveStep *work = step.collective())
        for (const PlanCollective &call : work->calls)
          visit(keyOf(call, step.stream), call);
  }

private:
  CommKey keyOf(const PlanCollective &call, StreamId stream) {
    llvm::ArrayRef<int64_t> members = plan_.groups[call.group].members(rank_);
    if (!isPointToPoint(call.kind)) {
      auto &streams = streams_[members.vec()];
      return {members.vec(), streams.try_emplace(stream, static_cast<int64_t>(streams.size())).first->second, 0};
    }
    // An error in a call is reported when the call is prepared.
    bool known = call.peer >= 0 && call.peer < static_cast<int64_t>(members.size());
    int64_t peer = known ? members[static_cast<size_t>(call.peer)] : -1;
    bool sends = call.kind == CollectiveKind::Send;
    return {{sends ? rank_ : peer, sends ? peer : rank_}, -1, call.tag};
  }

  const Plan &plan_;
  int64_t rank_;
  std::map<std::vector<int64_t>, std::map<StreamId, int64_t>> streams_;
};

bool isInArena(const std::optional<PlanWindow> &window, const Plan &plan) {
  return !window || plan.buffers[window->buffer].home == Home::Communication;
}

bool isInArena(const PlanCollective &call, const Plan &plan) {
  return llvm::all_of(call.rows,
                      [&](const PlanRow &row) { return isInArena(row.send, plan) && isInArena(row.receive, plan); });
}

bool isToItself(const CommKey &key) { return key.stream < 0 && key.members[0] == key.members[1]; }

bool isWhole(const CommKey &key, size_t ranks) {
  std::vector<int64_t> all(ranks);
  std::iota(all.begin(), all.end(), int64_t{0});
  return key.stream == 0 && key.members == all;
}

} // namespace

CommTable::CommTable(llvm::ArrayRef<const Plan *> plans, size_t ranks) {
  for (size_t rank = 0; rank < ranks; ++rank) {
    const Plan &plan = *plans[plans.size() == 1 ? 0 : rank];
    std::map<CommKey, bool> seen;
    CommWalk(plan, static_cast<int64_t>(rank)).visit([&](const CommKey &key, const PlanCollective &call) {
      auto &registered = seen.try_emplace(key, true).first->second;
      registered = registered && isInArena(call, plan);
    });
    for (const auto &[key, registered] : seen) {
      size_t &index = byKey_.try_emplace(key, entries_.size()).first->second;
      if (index == entries_.size())
        entries_.push_back({key, true});
      entries_[index].registered &= registered;
    }
  }
  // The order must be that of the keys, and not that of their first use.
  llvm::sort(entries_, [](const Entry &a, const Entry &b) { return a.key < b.key; });
  std::vector<std::set<int64_t>> taken;
  for (size_t index = 0; index < entries_.size(); ++index) {
    const CommKey &key = entries_[index].key;
    byKey_[key] = index;
    if (isWhole(key, ranks))
      whole_ = index;
    else if (!isToItself(key)) {
      auto meets = [&](const std::set<int64_t> &ranksOf) {
        return llvm::any_of(key.members, [&](int64_t member) { return ranksOf.count(member) != 0; });
      };
      auto round = static_cast<size_t>(llvm::find_if_not(taken, meets) - taken.begin());
      if (round == taken.size()) {
        taken.emplace_back();
        rounds_.emplace_back();
      }
      taken[round].insert(key.members.begin(), key.members.end());
      rounds_[round].push_back(index);
    }
  }
}

std::vector<size_t> CommTable::commsOf(const Plan &plan, int64_t rank) const {
  std::vector<size_t> comms;
  CommWalk(plan, rank).visit([&](const CommKey &key, const PlanCollective &) { comms.push_back(byKey_.at(key)); });
  return comms;
}

} // namespace ccgraph::runtime

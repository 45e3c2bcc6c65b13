#include "accounts.h"

#include "causes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace ccgraph::measured {
namespace {

/// Adds up the items of one rank.
class RankCounter {
public:
  RankCounter(const MatchedJob &job, const JobLanes &lanes, size_t rank) : job_(job), lanes_(lanes), rank_(rank) {}

  RankAccount run() {
    const RankLane &lane = lanes_.ranks[rank_];
    for (size_t step = 0; step != lane.steps.size(); ++step)
      for (const Item &item : lane.steps[step])
        add(step, item);
    const auto steps = static_cast<int64_t>(std::max<size_t>(1, lane.steps.size()));
    for (int64_t *time :
         {&sum_.step, &sum_.compute, &sum_.stallWaiting, &sum_.stallTransfer, &sum_.host, &sum_.unmatched})
      *time /= steps;
    sum_.rank = lane.rank;
    sum_.clockOffset = lane.clockOffset;
    return sum_;
  }

private:
  void add(size_t step, const Item &item) {
    if (item.key.kind == ItemKey::Kind::Between)
      return;
    sum_.step += item.duration();
    sum_.unmatched += item.unmatched;
    if (item.key.kind == ItemKey::Kind::Compute) {
      sum_.compute += item.duration();
    } else if (item.key.kind == ItemKey::Kind::Wait) {
      const StallParts parts = partsOf(item, awaited(job_, lanes_, step, rank_, item));
      sum_.stallWaiting += parts.waiting;
      sum_.stallTransfer += parts.transfer;
      sum_.host += parts.after;
    } else {
      sum_.host += item.duration() - item.unmatched;
    }
  }

  const MatchedJob &job_;
  const JobLanes &lanes_;
  size_t rank_;
  RankAccount sum_;
};

/// The stalls of all members of a collective, added up.
using Stalls = llvm::DenseMap<const JointTransfer *, StallParts>;

Stalls stallsOf(const MatchedJob &job, const JobLanes &lanes) {
  Stalls stalls;
  for (size_t rank = 0; rank != lanes.ranks.size(); ++rank)
    for (size_t step = 0; step != lanes.steps; ++step)
      for (const Item &item : lanes.ranks[rank].steps[step])
        if (item.key.kind == ItemKey::Kind::Wait)
          if (const JointTransfer *joint = awaited(job, lanes, step, rank, item)) {
            const StallParts parts = partsOf(item, joint);
            StallParts &sum = stalls[joint];
            sum = {sum.waiting + parts.waiting, sum.transfer + parts.transfer, sum.after + parts.after};
          }
  return stalls;
}

/// One collective on one set of ranks in all steps.
class CollectiveCounter {
public:
  CollectiveCounter(const MatchedJob &job, const JobLanes &lanes, const CauseFinder &causes, const Stalls &stalls)
      : job_(job), lanes_(lanes), causes_(causes), stalls_(stalls) {}

  CollectiveAccount run(llvm::ArrayRef<const JointTransfer *> joints) {
    const JointTransfer &first = *joints.front();
    account_.node = job_.calls[first.node].name;
    account_.kind = *job_.calls[first.node].kind;
    account_.bytes = job_.calls[first.node].bytes;
    for (size_t rank : first.members)
      account_.members.push_back(lanes_.ranks[rank].rank);
    account_.steps = joints.size();
    std::vector<int64_t> waiting, transfer;
    for (const JointTransfer *joint : joints) {
      waiting.push_back(joint->lastArrival() - joint->firstArrival());
      transfer.push_back(std::max<int64_t>(0, joint->end - joint->lastArrival()));
    }
    account_.waiting = medianOf(std::move(waiting));
    account_.transfer = medianOf(std::move(transfer));
    addLast(joints);
    addStalls(joints);
    return std::move(account_);
  }

private:
  void addLast(llvm::ArrayRef<const JointTransfer *> joints) {
    if (account_.members.size() < 2)
      return;
    std::map<size_t, size_t> counts;
    for (const JointTransfer *joint : joints)
      ++counts[joint->members[joint->last]];
    size_t last = 0;
    for (auto [rank, count] : counts)
      if (count > account_.lastSteps)
        account_.lastSteps = count, last = rank;
    account_.lastRank = lanes_.ranks[last].rank;
    std::map<std::tuple<Cause::Kind, int64_t, std::string>, std::vector<Cause>> causes;
    for (const JointTransfer *joint : joints)
      if (joint->members[joint->last] == last) {
        Cause cause = causes_.causeOf(*joint);
        causes[{cause.kind, cause.rank, cause.node}].push_back(std::move(cause));
      }
    // The first steps of a trace do not show what came before them, so a cause precedes none of equal frequency.
    auto frequency = [](const auto &entry) {
      return std::pair(entry.second.size(), std::get<0>(entry.first) != Cause::Kind::None);
    };
    auto most = std::max_element(causes.begin(), causes.end(),
                                 [&](const auto &a, const auto &b) { return frequency(a) < frequency(b); });
    account_.cause = most->second.front();
    std::vector<int64_t> times;
    for (const Cause &cause : most->second)
      times.push_back(cause.nanoseconds);
    account_.cause.nanoseconds = medianOf(std::move(times));
  }

  void addStalls(llvm::ArrayRef<const JointTransfer *> joints) {
    std::vector<int64_t> waiting, transfer, after;
    for (const JointTransfer *joint : joints) {
      const auto members = static_cast<int64_t>(joint->members.size());
      auto found = stalls_.find(joint);
      const StallParts sum = found == stalls_.end() ? StallParts() : found->second;
      waiting.push_back(sum.waiting / members);
      transfer.push_back(sum.transfer / members);
      after.push_back(sum.after / members);
    }
    account_.stallWaiting = medianOf(std::move(waiting));
    account_.stallTransfer = medianOf(std::move(transfer));
    account_.stallAfter = medianOf(std::move(after));
  }

  const MatchedJob &job_;
  const JobLanes &lanes_;
  const CauseFinder &causes_;
  const Stalls &stalls_;
  CollectiveAccount account_;
};

std::vector<MatchedShare> sortedShares(const llvm::StringMap<int64_t> &times) {
  std::vector<MatchedShare> shares;
  for (const auto &entry : times)
    shares.push_back({entry.first().str(), entry.second});
  llvm::sort(shares, [](const MatchedShare &a, const MatchedShare &b) {
    return std::tuple(-a.nanoseconds, a.name) < std::tuple(-b.nanoseconds, b.name);
  });
  return shares;
}

using NodePlace = std::pair<uint32_t, std::string>; ///< a graph, and the name of a node
using NodeTimes = std::map<NodePlace, std::vector<int64_t>>;

NodePlace placeOf(const Call &call) { return {call.graph, call.node}; }

/// Returns the median times of each computing node, one for each rank and execution.
NodeTimes computeTimes(const MatchedJob &job) {
  NodeTimes times;
  for (const RankSteps &rank : job.ranks) {
    std::vector<std::vector<int64_t>> own(job.calls.size());
    for (const Step &step : rank.steps) {
      std::map<NodeIndex, int64_t> sums; // because a call may launch several kernels
      for (const LaneEntry &entry : step.lane)
        for (NodeIndex node : entry.nodes)
          if (entry.kind == LaneEntry::Kind::Compute && !job.calls[node].kind)
            sums[node] += (entry.end - entry.begin) / static_cast<int64_t>(entry.nodes.size());
      for (auto [node, time] : sums)
        own[node].push_back(time);
    }
    for (size_t node = 0; node != own.size(); ++node)
      if (!own[node].empty())
        times[placeOf(job.calls[node])].push_back(medianOf(std::move(own[node])));
  }
  return times;
}

/// Returns the executions of a step. If the graphs are one program, each is executed from its first node to its last.
std::vector<Execution> executionsOf(const MatchedJob &job, const Step &step) {
  if (!step.executions.empty())
    return step.executions;
  if (job.graphs.size() == 1)
    return {{0, step.begin, step.end}};
  std::map<uint32_t, Execution> found;
  for (const LaneEntry &entry : step.lane)
    if (entry.kind == LaneEntry::Kind::Compute && !entry.nodes.empty()) {
      const uint32_t graph = job.calls[entry.nodes.front()].graph;
      Execution &own = found.try_emplace(graph, Execution{graph, entry.begin, entry.end}).first->second;
      own.begin = std::min(own.begin, entry.begin);
      own.end = std::max(own.end, entry.end);
    }
  std::vector<Execution> executions;
  for (const auto &[graph, execution] : found)
    executions.push_back(execution);
  return executions;
}

/// Adds how often and how long the graphs are executed.
void addExecutions(const MatchedJob &job, std::vector<GraphAccount> &accounts) {
  std::vector<size_t> counts(accounts.size());
  int64_t steps = 0;
  for (const RankSteps &rank : job.ranks)
    for (const Step &step : rank.steps) {
      ++steps;
      for (const Execution &execution : executionsOf(job, step)) {
        ++counts[execution.graph];
        accounts[execution.graph].time += execution.end - execution.begin;
      }
    }
  for (size_t i = 0; steps != 0 && i != accounts.size(); ++i) {
    accounts[i].executions = counts[i] / static_cast<size_t>(steps);
    accounts[i].time /= steps;
  }
}

} // namespace

StallParts partsOf(const Item &wait, const JointTransfer *joint) {
  if (!joint)
    return {0, wait.duration(), 0};
  const int64_t arrived = std::clamp(joint->lastArrival(), wait.begin, wait.end);
  const int64_t ended = std::clamp(joint->end, arrived, wait.end);
  return {arrived - wait.begin, ended - arrived, wait.end - ended};
}

const JointTransfer *awaited(const MatchedJob &job, const JobLanes &lanes, size_t step, size_t rank, const Item &wait) {
  const JointTransfer *latest = nullptr;
  for (NodeIndex launch : job.calls[wait.key.node].launches)
    if (const JointTransfer *joint = lanes.find(step, launch, rank))
      if (!latest || joint->end > latest->end)
        latest = joint;
  return latest;
}

std::vector<RankAccount> rankAccounts(const MatchedJob &job, const JobLanes &lanes) {
  std::vector<RankAccount> accounts;
  for (size_t rank = 0; rank != lanes.ranks.size(); ++rank)
    accounts.push_back(RankCounter(job, lanes, rank).run());
  return accounts;
}

std::vector<CollectiveAccount> collectiveAccounts(const MatchedJob &job, const JobLanes &lanes) {
  std::map<std::pair<NodeIndex, std::vector<size_t>>, std::vector<const JointTransfer *>> byCell;
  for (const JointTransfer &joint : lanes.joint)
    byCell[{joint.node, joint.members}].push_back(&joint);
  const CauseFinder causes(job, lanes);
  const Stalls stalls = stallsOf(job, lanes);
  std::vector<CollectiveAccount> accounts;
  for (const auto &[cell, joints] : byCell)
    accounts.push_back(CollectiveCounter(job, lanes, causes, stalls).run(joints));
  return accounts;
}

void addShares(const MatchedJob &job, JobExplanation &explanation) {
  llvm::StringMap<int64_t> rules, unmatched;
  for (const RankSteps &rank : job.ranks)
    for (const Step &step : rank.steps) {
      int64_t inEvents = 0;
      auto add = [&](llvm::StringMap<int64_t> &times, llvm::StringRef name, int64_t time) {
        if (time != 0)
          times[name] += time;
        inEvents += time;
      };
      for (const LaneEntry &entry : step.lane)
        add(rules, ruleName(entry.rule), entry.end - entry.begin);
      for (const Unmatched &event : step.rest)
        add(unmatched, event.name, event.end - event.begin);
      explanation.hostTime += std::max<int64_t>(0, step.end - step.begin - inEvents);
      if (rank.onDevice)
        for (const Transfer &transfer : step.transfers)
          add(rules, ruleName(Rule::Collective), transfer.end - transfer.begin);
    }
  explanation.rules = sortedShares(rules);
  explanation.unmatched = sortedShares(unmatched);
}

std::vector<GraphAccount> graphAccounts(const MatchedJob &job, const JobLanes &lanes) {
  std::vector<GraphAccount> accounts;
  for (const std::string &label : job.graphs)
    accounts.push_back({job.graphs.size() > 1 ? label : "", 0, 0, {}});
  addExecutions(job, accounts);
  NodeTimes times = computeTimes(job);
  for (const JointTransfer &joint : lanes.joint)
    times[placeOf(job.calls[joint.node])].push_back(std::max<int64_t>(0, joint.end - joint.lastArrival()));
  std::set<NodePlace> added; // because a graph that is executed twice has its calls twice
  for (const Call &call : job.calls)
    if (auto found = times.find(placeOf(call)); found != times.end() && added.insert(found->first).second)
      accounts[call.graph].durations.emplace_back(call.node, medianOf(found->second));
  return accounts;
}

} // namespace ccgraph::measured

#include "witness.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {
namespace {

class WitnessSearch {
public:
  WitnessSearch(const JobData &job, const Classes &classes, const Progress &progress)
      : job_(job), classes_(classes), progress_(progress), fronts_(classes.size()) {
    for (Id rankClass = 0; rankClass < classes.size(); ++rankClass)
      for (Id launch = 0; launch < progress.states[rankClass].size(); ++launch)
        if (isFront(rankClass, launch))
          fronts_[rankClass].push_back(launch);
  }

  std::vector<WitnessStep> run() {
    std::vector<Front> starts = orderedStarts();
    for (const Front &start : starts)
      if (waitsForNothing(start))
        return {{start, none}};
    for (const Front &start : starts) {
      search(start);
      if (best_.size() == 2)
        break;
    }
    return steps();
  }

private:
  /// What a front waits for: all launches of one collective, or one other end.
  struct Meeting {
    Id set = none;
    Id place = 0;
    friend auto operator<=>(const Meeting &, const Meeting &) = default;
  };

  [[nodiscard]] LaunchState state(Id rankClass, Id launch) const { return progress_.states[rankClass][launch]; }
  [[nodiscard]] bool isFront(Id rankClass, Id launch) const {
    return state(rankClass, launch).arrived && !state(rankClass, launch).completed;
  }
  [[nodiscard]] Id classOf(Id rank) const { return classes_.members[rank].rankClass; }
  [[nodiscard]] const Role &roleOf(Id rank) const { return classes_.roles[classes_.members[rank].role]; }
  [[nodiscard]] const Launch &launchOf(const Front &front) const {
    return job_.programOf(job_.ranks[front.rank]).launches[front.launch];
  }

  /// Returns all fronts; ranks of small classes first, because a rank that differs from the others is in a circle.
  std::vector<Front> orderedStarts() const {
    std::vector<Id> order;
    for (Id rankClass = 0; rankClass < classes_.size(); ++rankClass)
      order.push_back(rankClass);
    llvm::stable_sort(order, [&](Id a, Id b) { return classes_.ranksOf[a].size() < classes_.ranksOf[b].size(); });
    std::vector<Front> starts;
    for (Id rankClass : order)
      for (Id rank : classes_.ranksOf[rankClass])
        for (Id launch : fronts_[rankClass])
          starts.push_back({rank, launch});
    return starts;
  }

  /// Visits each launch that the front waits for, and that has not arrived: its rank and the launch, none if it does
  /// not exist.
  template <typename Visit>
  void forEachMissing(const Front &front, Visit visit) {
    const Launch &launch = launchOf(front);
    const Role &role = roleOf(front.rank);
    if (!launch.isTransfer) {
      Id local = role.localOf[launch.group];
      const std::vector<Id> &sequence = role.sequences[local];
      auto place = static_cast<Id>(llvm::lower_bound(sequence, front.launch) - sequence.begin());
      return forEachMissing(classes_.members[front.rank].sets[local], place, visit);
    }
    llvm::SmallVector<Id, 4> used;
    for (const Move &move : job_.programOf(job_.ranks[front.rank]).movesOf(launch)) {
      Id channel = role.channelOf[move.transfer];
      Id place = placeInChannel(role, channel, front.launch, used);
      used.push_back(channel);
      if (role.receives[channel] || progress_.under != Semantics::BlockingBuffered)
        visitEnd(classes_.members[front.rank].ends[channel], place, visit);
    }
  }

  static Id placeInChannel(const Role &role, Id channel, Id launch, llvm::ArrayRef<Id> used) {
    const auto &passages = role.channels[channel];
    auto first = llvm::partition_point(passages, [&](const Role::Passage &passage) { return passage.launch < launch; });
    return static_cast<Id>(first - passages.begin() + llvm::count(used, channel));
  }

  template <typename Visit>
  void visitEnd(const Member::End &end, Id place, Visit visit) {
    if (end.rank == none)
      return;
    const Role &role = roleOf(end.rank);
    if (end.channel == none || place >= role.channels[end.channel].size())
      return visit(end.rank, none);
    Id launch = role.channels[end.channel][place].launch;
    if (!state(classOf(end.rank), launch).arrived)
      visit(end.rank, launch);
  }

  template <typename Visit>
  void forEachMissing(Id set, Id place, Visit visit) {
    for (size_t i = 0; i < job_.sets[set].size(); ++i) {
      auto found = job_.rankIds.find(job_.sets[set][i]);
      if (found == job_.rankIds.end())
        continue;
      Id rank = found->second, local = classes_.locals[set][i];
      const Role &role = roleOf(rank);
      if (local == none || place >= role.sequences[local].size())
        visit(rank, none);
      else if (Id launch = role.sequences[local][place]; !state(classOf(rank), launch).arrived)
        visit(rank, launch);
    }
  }

  bool waitsForNothing(const Front &front) {
    auto [known, isNew] = lacksLaunch_.try_emplace({classOf(front.rank), front.launch}, false);
    bool &lacksOne = known->second;
    if (isNew)
      forEachMissing(front, [&](Id, Id launch) { lacksOne |= launch == none; });
    return lacksOne;
  }

  /// Returns the fronts of a class that a launch needs first, which has not arrived.
  llvm::ArrayRef<Id> blockers(Id rankClass, Id launch) {
    auto [known, isNew] = blockers_.try_emplace({rankClass, launch});
    if (isNew)
      known->second = findBlockers(rankClass, launch);
    return known->second;
  }

  std::vector<Id> findBlockers(Id rankClass, Id launch) const {
    const Precedence &precedence = progress_.precedence[classes_.representative(rankClass).role];
    std::vector<Id> found, todo = {launch};
    std::vector<bool> seen(progress_.states[rankClass].size());
    Id stopsSeen = 0;
    auto visit = [&](Id before) {
      if (seen[before] || state(rankClass, before).completed)
        return;
      seen[before] = true;
      (isFront(rankClass, before) ? found : todo).push_back(before);
    };
    while (!todo.empty()) {
      Id next = todo.back();
      todo.pop_back();
      llvm::for_each(precedence.before[next], visit);
      for (; stopsSeen < precedence.gates[next]; ++stopsSeen)
        llvm::for_each(precedence.stops[stopsSeen], visit);
      visitCollectivesBefore(precedence, rankClass, next, visit);
    }
    llvm::sort(found);
    return found;
  }

  /// A collective that is not admitted follows the collectives before it.
  template <typename Visit>
  void visitCollectivesBefore(const Precedence &precedence, Id rankClass, Id launch, Visit visit) const {
    const Program &program = *job_.programs[classes_.roleOf(rankClass).program];
    if (precedence.mostResident == 0 || program.launches[launch].isTransfer)
      return;
    for (Id before = 0; before < launch; ++before)
      if (!program.launches[before].isTransfer)
        visit(before);
  }

  std::vector<WitnessStep> steps() {
    std::vector<WitnessStep> steps;
    for (size_t i = 0; i < best_.size(); ++i) {
      steps.push_back({best_[i], none});
      const Front &before = best_[(i + best_.size() - 1) % best_.size()];
      forEachMissing(before, [&](Id rank, Id missing) {
        if (rank == best_[i].rank && missing != none &&
            llvm::is_contained(blockers(classOf(rank), missing), best_[i].launch))
          steps.back().awaited = missing;
      });
    }
    return steps;
  }

  /// Searches a circle through `start` that is shorter than the best so far.
  void search(const Front &start) {
    std::map<Front, Front> from;
    std::map<Meeting, bool> visited;
    std::vector<Front> level = {start}, next;
    for (size_t length = 1; !level.empty() && (best_.empty() || length < best_.size()); ++length) {
      next.clear();
      for (const Front &front : level)
        if (expand(front, start, from, visited, next))
          return keep(front, start, from);
      level.swap(next);
    }
  }

  /// Adds the fronts that `front` points to; returns true if `start` is one of them.
  bool expand(const Front &front, const Front &start, std::map<Front, Front> &from, std::map<Meeting, bool> &visited,
              std::vector<Front> &next) {
    const Launch &launch = launchOf(front);
    if (!launch.isTransfer) {
      const Role &role = roleOf(front.rank);
      Id local = role.localOf[launch.group];
      auto place =
          static_cast<Id>(llvm::lower_bound(role.sequences[local], front.launch) - role.sequences[local].begin());
      if (!visited.try_emplace({classes_.members[front.rank].sets[local], place}, true).second)
        return false;
    }
    bool closes = false;
    forEachMissing(front, [&](Id rank, Id missing) {
      if (missing == none)
        return;
      for (Id blocker : blockers(classOf(rank), missing)) {
        Front to{rank, blocker};
        closes |= to == start;
        if (to != start && from.try_emplace(to, front).second)
          next.push_back(to);
      }
    });
    return closes;
  }

  void keep(const Front &last, const Front &start, const std::map<Front, Front> &from) {
    best_ = {last};
    while (best_.back() != start)
      best_.push_back(from.at(best_.back()));
    std::reverse(best_.begin(), best_.end());
  }

  const JobData &job_;
  const Classes &classes_;
  const Progress &progress_;
  /// by class
  std::vector<std::vector<Id>> fronts_;
  std::map<std::pair<Id, Id>, bool> lacksLaunch_;
  std::map<std::pair<Id, Id>, std::vector<Id>> blockers_;
  std::vector<Front> best_;
};

} // namespace

std::vector<WitnessStep> shortestWitness(const JobData &job, const Classes &classes, const Progress &progress) {
  return WitnessSearch(job, classes, progress).run();
}

} // namespace ccgraph::jobs

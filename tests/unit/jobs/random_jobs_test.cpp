// Compares the verdicts of random jobs with a simulation of this file, which knows each rank by itself and repeats the
// definitions of ccgraph/jobs/semantics.h until nothing changes: no classes, no worklist.
#include "ccgraph/checks/job_replay.h"
#include "unit/jobs/job_bench.h"

#include <random>

namespace ccgraph::test {
namespace {

using jobs::Semantics;

struct Action {
  enum class Kind : uint8_t { Collective, Send, Receive, Barrier, Wait, Read };
  Kind kind = Kind::Collective;
  /// of a collective: index of groups; of a transfer: the other rank
  size_t target = 0;
  /// of a wait or a read: the action that launched; of a collective: the launch whose value it reads, or none
  size_t launch = none;
  static constexpr size_t none = ~size_t{0};

  [[nodiscard]] bool isLaunch() const { return kind != Kind::Wait && kind != Kind::Read; }
  [[nodiscard]] bool isTransfer() const { return kind == Kind::Send || kind == Kind::Receive; }
};

using Programs = std::vector<std::vector<Action>>;
using Kind = Action::Kind;

class NaiveSimulation {
public:
  NaiveSimulation(const Programs &programs, llvm::ArrayRef<std::vector<int64_t>> groups, Semantics under)
      : programs_(programs), groups_(groups), under_(under) {
    for (const auto &program : programs) {
      arrived_.emplace_back(program.size());
      done_.emplace_back(program.size());
    }
  }

  bool deadlocks() {
    while (step()) {
    }
    for (size_t rank = 0; rank < programs_.size(); ++rank)
      for (size_t i = 0; i < programs_[rank].size(); ++i)
        if (programs_[rank][i].isLaunch() && !done_[rank][i])
          return true;
    return false;
  }

private:
  bool step() {
    bool changed = false;
    for (size_t rank = 0; rank < programs_.size(); ++rank)
      for (size_t i = 0; i < programs_[rank].size(); ++i) {
        if (!programs_[rank][i].isLaunch())
          continue;
        if (!arrived_[rank][i] && mayArrive(rank, i))
          changed = arrived_[rank][i] = true;
        if (arrived_[rank][i] && !done_[rank][i] && mayComplete(rank, i))
          changed = done_[rank][i] = true;
      }
    return changed;
  }

  bool mayArrive(size_t rank, size_t at) const {
    const auto &program = programs_[rank];
    for (size_t i = 0; i < at; ++i)
      if (mustPrecede(program, i, at) && !done_[rank][program[i].isLaunch() ? i : program[i].launch])
        return false;
    return under_ != Semantics::Dataflow || program[at].launch == Action::none || done_[rank][program[at].launch];
  }

  bool mustPrecede(const std::vector<Action> &program, size_t i, size_t at) const {
    const Action &before = program[i], &action = program[at];
    if (under_ == Semantics::Blocking || under_ == Semantics::BlockingBuffered)
      return before.isLaunch();
    if (before.kind == Kind::Barrier || isSameStream(before, action))
      return true;
    if (under_ == Semantics::Dataflow)
      return before.kind == Kind::Read;
    bool isOneAtATime = under_ == Semantics::OneAtATime && before.isLaunch() && !before.isTransfer();
    return before.kind == Kind::Wait || (isOneAtATime && !action.isTransfer());
  }

  static bool isSameStream(const Action &a, const Action &b) {
    if (!a.isLaunch() || a.target != b.target)
      return false;
    return a.isTransfer() ? a.kind == b.kind : !b.isTransfer();
  }

  bool mayComplete(size_t rank, size_t at) const {
    const Action &action = programs_[rank][at];
    size_t place = 0;
    for (size_t i = 0; i < at; ++i)
      place += isSameStream(programs_[rank][i], action);
    if (action.isTransfer())
      return (action.kind == Kind::Send && under_ == Semantics::BlockingBuffered) || otherEnd(rank, action, place);
    return llvm::all_of(groups_[action.target], [&](int64_t member) {
      return arrives(static_cast<size_t>(member), place,
                     [&](const Action &other) { return isSameStream(other, action); });
    });
  }

  bool otherEnd(size_t rank, const Action &action, size_t place) const {
    Kind wanted = action.kind == Kind::Send ? Kind::Receive : Kind::Send;
    return arrives(action.target, place,
                   [&](const Action &other) { return other.kind == wanted && other.target == rank; });
  }

  template <typename Test>
  bool arrives(size_t rank, size_t place, Test test) const {
    for (size_t i = 0; i < programs_[rank].size(); ++i)
      if (programs_[rank][i].isLaunch() && test(programs_[rank][i]) && place-- == 0)
        return arrived_[rank][i];
    return false;
  }

  const Programs &programs_;
  llvm::ArrayRef<std::vector<int64_t>> groups_;
  Semantics under_;
  std::vector<std::vector<bool>> arrived_, done_;
};

/// Programs that agree, in which one rank may then exchange two launches.
class RandomJob {
public:
  explicit RandomJob(unsigned seed) : random_(seed), programs_(2 + pick(4)) {
    for (size_t size = 0; size < 3; ++size) {
      std::vector<int64_t> group;
      for (size_t rank = 0; rank < programs_.size(); ++rank)
        if (size == 0 || pick(2) == 0)
          group.push_back(static_cast<int64_t>(rank));
      groups_.push_back(group.size() > 1 ? group : groups_.front());
    }
    for (size_t launch = 0; launch < 6; ++launch)
      pick(4) == 0 ? addTransfer() : addCollective();
    for (size_t changes = pick(3); changes > 0; --changes)
      exchange(programs_[pick(programs_.size())]);
  }

  [[nodiscard]] JobBench bench() const {
    JobBench bench(programs_.size());
    for (size_t i = 0; i < groups_.size(); ++i)
      bench.group("g" + std::to_string(i), groups_[i]);
    for (size_t rank = 0; rank < programs_.size(); ++rank)
      write(programs_[rank], bench.texts[rank]);
    return bench;
  }
  [[nodiscard]] const Programs &programs() const { return programs_; }
  [[nodiscard]] llvm::ArrayRef<std::vector<int64_t>> groups() const { return groups_; }

private:
  size_t pick(size_t below) { return random_() % below; }

  void addCollective() {
    Action action;
    action.kind = pick(8) == 0 ? Kind::Barrier : Kind::Collective;
    action.target = pick(groups_.size());
    // Two names of one set are one group.
    while (action.target > 0 && groups_[action.target] == groups_[0])
      action.target = 0;
    if (action.target == 2 && groups_[2] == groups_[1])
      action.target = 1;
    for (int64_t member : groups_[action.target])
      add(programs_[static_cast<size_t>(member)], action);
  }
  void addTransfer() {
    size_t from = pick(programs_.size()), to = (from + 1 + pick(programs_.size() - 1)) % programs_.size();
    add(programs_[from], {Kind::Send, to});
    add(programs_[to], {Kind::Receive, from});
  }

  /// Adds a launch, mostly with its wait, and perhaps a read of its value.
  void add(std::vector<Action> &program, Action action) {
    size_t at = program.size();
    if (action.kind == Kind::Collective && pick(3) == 0)
      action.launch = lastWaited(program);
    program.push_back(action);
    if (action.kind == Kind::Barrier)
      return;
    if (pick(3) != 0)
      program.push_back({Kind::Wait, 0, at});
    if (program.back().kind == Kind::Wait && action.kind == Kind::Collective && pick(3) == 0)
      program.push_back({Kind::Read, 0, at});
  }
  static size_t lastWaited(const std::vector<Action> &program) {
    for (size_t i = program.size(); i-- > 0;)
      if (program[i].kind == Kind::Wait && program[program[i].launch].kind == Kind::Collective)
        return program[i].launch;
    return Action::none;
  }

  /// Exchanges the targets of two collectives.
  void exchange(std::vector<Action> &program) {
    std::vector<Action *> collectives;
    for (Action &action : program)
      if (action.kind == Kind::Collective)
        collectives.push_back(&action);
    if (collectives.size() > 1)
      std::swap(collectives[pick(collectives.size())]->target, collectives[pick(collectives.size())]->target);
  }

  static void write(const std::vector<Action> &program, RankText &text) {
    std::vector<int> launches;
    for (const Action &action : program) {
      int launch = -1;
      switch (action.kind) {
      case Kind::Collective:
        launch = text.allReduce("g" + std::to_string(action.target), "sum",
                                action.launch == Action::none ? -1 : launches[action.launch]);
        break;
      case Kind::Send:
        launch = text.send(static_cast<int>(action.target));
        break;
      case Kind::Receive:
        launch = text.receive(static_cast<int>(action.target));
        break;
      case Kind::Barrier:
        text.barrier("g" + std::to_string(action.target));
        break;
      case Kind::Wait:
        text.wait(launches[action.launch]);
        break;
      case Kind::Read:
        text.read(launches[action.launch]);
        break;
      }
      launches.push_back(launch);
    }
  }

  std::mt19937 random_;
  Programs programs_;
  std::vector<std::vector<int64_t>> groups_;
};

TEST(RandomJobs, VerdictsAreThoseOfANaiveSimulation) {
  std::array<size_t, jobs::allSemantics.size()> deadlocks{};
  constexpr unsigned count = 1000;
  for (unsigned seed = 0; seed < count; ++seed) {
    RandomJob random(seed);
    JobBench bench = random.bench();
    jobs::CheckResult result = bench.check();
    ASSERT_EQ(result.verdicts.size(), jobs::allSemantics.size()) << "seed " << seed;
    for (size_t i = 0; i < jobs::allSemantics.size(); ++i) {
      bool expected = NaiveSimulation(random.programs(), random.groups(), jobs::allSemantics[i]).deadlocks();
      EXPECT_EQ(result.verdicts[i].deadlock, expected)
          << "seed " << seed << " under " << jobs::semanticsName(jobs::allSemantics[i]).str();
      deadlocks[i] += expected;
    }
  }
  // The jobs must contain both verdicts, else the comparison shows nothing.
  for (size_t deadlock : deadlocks) {
    EXPECT_GT(deadlock, count / 50);
    EXPECT_LT(deadlock, count - count / 50);
  }
}

TEST(RandomJobs, TheLocalEngineEndsThemAsTheVerdictsSay) {
  std::array<size_t, jobs::allSemantics.size()> deadlocks{};
  constexpr unsigned count = 60;
  for (unsigned seed = 0; seed < count; ++seed) {
    RandomJob random(seed);
    JobBench bench = random.bench();
    llvm::Expected<jobs::Job> job = bench.job();
    ASSERT_TRUE(static_cast<bool>(job)) << llvm::toString(job.takeError());
    llvm::Expected<std::vector<JobReplay>> replays = replayJob(*job, jobs::allSemantics);
    ASSERT_TRUE(static_cast<bool>(replays)) << "seed " << seed << ": " << llvm::toString(replays.takeError());
    jobs::CheckResult result = jobs::checkJob(*job);
    llvm::Error error = compareReplays(result, *replays);
    EXPECT_FALSE(static_cast<bool>(error)) << "seed " << seed << ": " << llvm::toString(std::move(error));
    for (size_t i = 0; i < replays->size(); ++i)
      deadlocks[i] += (*replays)[i].deadlock;
  }
  for (size_t deadlock : deadlocks) {
    EXPECT_GT(deadlock, 0U);
    EXPECT_LT(deadlock, count);
  }
}

} // namespace
} // namespace ccgraph::test

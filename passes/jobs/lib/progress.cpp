#include "progress.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {
namespace {

class PrecedenceReader {
public:
  PrecedenceReader(const Program &program, const Role &role, const Rules &rules)
      : program_(program), role_(role), under_(rules.under), lastOfLocal_(role.numLocals, none),
        lastOfChannel_(role.numChannels, none) {
    made_.before.resize(program.launches.size());
    made_.gates.resize(program.launches.size());
    made_.mostResident = rules.under == Semantics::OneAtATime ? 1 : rules.mostResident;
  }

  Precedence read() {
    for (const Step &step : program_.steps)
      if (step.kind == Step::Kind::Launch)
        addLaunch(program_.launchesOf(step).front());
      else if (step.kind == stopKind())
        made_.stops.push_back(program_.launchesOf(step).vec());
    return std::move(made_);
  }

private:
  [[nodiscard]] std::optional<Step::Kind> stopKind() const {
    switch (under_) {
    case Semantics::Dataflow:
      return Step::Kind::HostRead;
    case Semantics::Streams:
    case Semantics::OneAtATime:
      return Step::Kind::Wait;
    case Semantics::Blocking:
    case Semantics::BlockingBuffered:
      return std::nullopt;
    }
    return std::nullopt;
  }

  void addLaunch(Id id) {
    const Launch &launch = program_.launches[id];
    made_.gates[id] = static_cast<Id>(made_.stops.size());
    std::vector<Id> &before = made_.before[id];
    if (!stopKind()) {
      if (id > 0)
        before.push_back(id - 1);
      return;
    }
    follow(launch, id, before);
    if (under_ == Semantics::Dataflow)
      before.insert(before.end(), program_.inputsOf(launch).begin(), program_.inputsOf(launch).end());
    llvm::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    if (launch.stopsHost)
      made_.stops.push_back({id});
  }

  /// Adds the previous launch of the group, or of each channel, and becomes the previous launch. Launches on groups
  /// without this rank follow each other.
  void follow(const Launch &launch, Id id, std::vector<Id> &before) {
    auto next = [&](Id &last) {
      if (last != none && last != id)
        before.push_back(last);
      last = id;
    };
    if (role_.localOf[launch.group] == none)
      return next(lastOutside_);
    if (!launch.isTransfer)
      return next(lastOfLocal_[role_.localOf[launch.group]]);
    for (const Move &move : program_.movesOf(launch))
      next(lastOfChannel_[role_.channelOf[move.transfer]]);
  }

  const Program &program_;
  const Role &role_;
  Semantics under_;
  Precedence made_;
  std::vector<Id> lastOfLocal_, lastOfChannel_;
  Id lastOutside_ = none;
};

/// The representative of a class while it runs.
struct Runner {
  const Program *program = nullptr;
  const Role *role = nullptr;
  const Precedence *precedence = nullptr;
  /// by launch: launches before that are incomplete, other ends of transfers that have not arrived
  std::vector<Id> pending, missingEnds;
  /// by launch: the launches that it precedes, and the stops that contain it
  std::vector<std::vector<Id>> after, stopsOf;
  /// by stop: incomplete launches
  std::vector<Id> incomplete;
  /// stops passed, and launches that follow them
  Id passed = 0, opened = 0;
  /// place of each launch in its group's sequence; by move of the program: place in its channel
  std::vector<Id> placeOf, placeOfMove;
  /// the collectives in order; of these, the first `admitted` may be issued
  std::vector<Id> collectives;
  Id admitted = 0;
  /// by local group, and last for groups without this rank: admitted collectives that are incomplete
  std::vector<Id> inFlight;
  /// groups with collectives in flight
  Id resident = 0;
  std::vector<bool> isAdmitted;
};

class Simulation {
public:
  Simulation(const JobData &job, const Classes &classes, const Rules &rules, Progress &progress)
      : job_(job), classes_(classes), rules_(rules), progress_(progress), runners_(classes.size()) {}

  void run() {
    for (const Role &role : classes_.roles)
      progress_.precedence.push_back(precedenceOf(*job_.programs[role.program], role, rules_));
    for (const Form &form : classes_.forms)
      arrivals_.emplace_back(lengthOf(form), 0);
    for (Id i = 0; i < runners_.size(); ++i)
      prepare(i);
    for (Id i = 0; i < runners_.size(); ++i) {
      admit(i);
      pass(i);
    }
    while (!todo_.empty()) {
      auto [rankClass, launch] = todo_.back();
      todo_.pop_back();
      arrive(rankClass, launch);
    }
    progress_.deadlock = llvm::any_of(progress_.states, [](const auto &states) {
      return llvm::any_of(states, [](LaunchState state) { return !state.completed; });
    });
  }

private:
  size_t lengthOf(const Form &form) const {
    size_t length = 0;
    for (const Seat &seat : form.seats)
      if (seat.local != none)
        length = std::max(length, classes_.roleOf(seat.rankClass).sequences[seat.local].size());
    return length;
  }

  void prepare(Id rankClass) {
    Runner &runner = runners_[rankClass];
    const Member &member = classes_.representative(rankClass);
    runner.role = &classes_.roles[member.role];
    runner.program = job_.programs[runner.role->program];
    runner.precedence = &progress_.precedence[member.role];
    size_t count = runner.program->launches.size();
    progress_.states.emplace_back(count);
    progress_.completedAt.emplace_back(count);
    runner.inFlight.resize(runner.role->numLocals + 1);
    runner.pending.resize(count);
    runner.missingEnds.resize(count);
    runner.after.resize(count);
    runner.stopsOf.resize(count);
    runner.placeOf.resize(count);
    runner.placeOfMove.resize(runner.program->moves.size());
    runner.isAdmitted.resize(count);
    for (Id i = 0; i < count; ++i)
      prepareLaunch(runner, member, i);
    for (Id stop = 0; stop < runner.precedence->stops.size(); ++stop) {
      runner.incomplete.push_back(static_cast<Id>(runner.precedence->stops[stop].size()));
      for (Id launch : runner.precedence->stops[stop])
        runner.stopsOf[launch].push_back(stop);
    }
  }

  void prepareLaunch(Runner &runner, const Member &member, Id id) {
    const Launch &launch = runner.program->launches[id];
    runner.pending[id] = static_cast<Id>(runner.precedence->before[id].size()) + 1;
    for (Id before : runner.precedence->before[id])
      runner.after[before].push_back(id);
    if (!launch.isTransfer) {
      ++runner.pending[id];
      runner.collectives.push_back(id);
    }
    if (runner.role->localOf[launch.group] == none)
      return;
    if (!launch.isTransfer) {
      const std::vector<Id> &sequence = runner.role->sequences[runner.role->localOf[launch.group]];
      runner.placeOf[id] = static_cast<Id>(llvm::lower_bound(sequence, id) - sequence.begin());
      return;
    }
    llvm::ArrayRef<Move> moves = runner.program->movesOf(launch);
    for (size_t i = 0; i < moves.size(); ++i) {
      Id channel = runner.role->channelOf[moves[i].transfer];
      runner.placeOfMove[launch.moves.begin + i] = nextOf(*runner.role, channel, id, moves.take_front(i));
      if (needsOtherEnd(*runner.role, channel) && member.ends[channel].rank != none)
        ++runner.missingEnds[id];
    }
  }

  /// Returns the place in the channel of the next transfer of `id`, which may use a channel several times.
  static Id nextOf(const Role &role, Id channel, Id id, llvm::ArrayRef<Move> earlier) {
    const auto &passages = role.channels[channel];
    auto first = llvm::partition_point(passages, [&](const Role::Passage &passage) { return passage.launch < id; });
    auto used = llvm::count_if(earlier, [&](const Move &move) { return role.channelOf[move.transfer] == channel; });
    return static_cast<Id>(first - passages.begin() + used);
  }

  [[nodiscard]] bool needsOtherEnd(const Role &role, Id channel) const {
    return progress_.under != Semantics::BlockingBuffered || role.receives[channel];
  }

  LaunchState &state(Id rankClass, Id launch) { return progress_.states[rankClass][launch]; }

  void release(Id rankClass, Id launch) {
    if (--runners_[rankClass].pending[launch] == 0)
      todo_.push_back({rankClass, launch});
  }

  /// Admits collectives in order while their communicators fit the limit.
  void admit(Id rankClass) {
    Runner &runner = runners_[rankClass];
    Id most = runner.precedence->mostResident;
    while (runner.admitted < runner.collectives.size()) {
      Id launch = runner.collectives[runner.admitted];
      Id &ofGroup = inFlightOf(runner, launch);
      if (most != 0 && ofGroup == 0 && runner.resident >= most)
        return;
      runner.resident += ofGroup++ == 0 ? 1 : 0;
      ++runner.admitted;
      release(rankClass, launch);
    }
  }

  static Id &inFlightOf(Runner &runner, Id launch) {
    Id local = runner.role->localOf[runner.program->launches[launch].group];
    return runner.inFlight[local == none ? runner.role->numLocals : local];
  }

  /// Moves on over stops whose launches have completed, and opens the launches after them.
  void pass(Id rankClass) {
    Runner &runner = runners_[rankClass];
    while (runner.passed < runner.incomplete.size() && runner.incomplete[runner.passed] == 0)
      ++runner.passed;
    const std::vector<Id> &gates = runner.precedence->gates;
    while (runner.opened < gates.size() && gates[runner.opened] <= runner.passed)
      release(rankClass, runner.opened++);
  }

  void arrive(Id rankClass, Id id) {
    const Runner &runner = runners_[rankClass];
    const Launch &launch = runner.program->launches[id];
    state(rankClass, id).arrived = true;
    if (runner.role->localOf[launch.group] == none)
      return completeAlone(rankClass, id);
    if (!launch.isTransfer)
      return arriveAtCollective(rankClass, runner.role->localOf[launch.group], runner.placeOf[id]);
    llvm::ArrayRef<Move> moves = runner.program->movesOf(launch);
    for (size_t i = 0; i < moves.size(); ++i)
      arriveAtChannel(rankClass, runner.role->channelOf[moves[i].transfer], runner.placeOfMove[launch.moves.begin + i]);
    if (runner.missingEnds[id] == 0 && !state(rankClass, id).completed)
      completeAlone(rankClass, id);
  }

  void arriveAtCollective(Id rankClass, Id local, Id place) {
    Id form = classes_.formOf[rankClass][local];
    const std::vector<Seat> &seats = classes_.forms[form].seats;
    if (++arrivals_[form][place] != seats.size())
      return;
    ++now_;
    for (const Seat &seat : seats)
      complete(seat.rankClass, classes_.roleOf(seat.rankClass).sequences[seat.local][place]);
  }

  /// Tells the other end that this end has arrived.
  void arriveAtChannel(Id rankClass, Id channel, Id place) {
    const Member::End &end = classes_.representative(rankClass).ends[channel];
    if (end.rank == none || end.channel == none)
      return;
    Id other = classes_.members[end.rank].rankClass;
    const Role &role = classes_.roleOf(other);
    if (place >= role.channels[end.channel].size() || !needsOtherEnd(role, end.channel))
      return;
    Id launch = role.channels[end.channel][place].launch;
    if (--runners_[other].missingEnds[launch] == 0 && state(other, launch).arrived)
      completeAlone(other, launch);
  }

  void completeAlone(Id rankClass, Id id) {
    ++now_;
    complete(rankClass, id);
  }

  void complete(Id rankClass, Id id) {
    Runner &runner = runners_[rankClass];
    state(rankClass, id).completed = true;
    progress_.completedAt[rankClass][id] = now_;
    for (Id after : runner.after[id])
      release(rankClass, after);
    for (Id stop : runner.stopsOf[id])
      --runner.incomplete[stop];
    pass(rankClass);
    if (!runner.program->launches[id].isTransfer) {
      runner.resident -= --inFlightOf(runner, id) == 0 ? 1 : 0;
      admit(rankClass);
    }
  }

  const JobData &job_;
  const Classes &classes_;
  const Rules &rules_;
  Progress &progress_;
  std::vector<Runner> runners_;
  /// the number of the last completion
  Id now_ = 0;
  /// by form and place: seats that have arrived
  std::vector<std::vector<Id>> arrivals_;
  std::vector<std::pair<Id, Id>> todo_;
};

} // namespace

Precedence precedenceOf(const Program &program, const Role &role, const Rules &rules) {
  return PrecedenceReader(program, role, rules).read();
}

Progress simulate(const JobData &job, const Classes &classes, const Rules &rules) {
  Progress progress;
  progress.under = rules.under;
  Simulation(job, classes, rules, progress).run();
  return progress;
}

} // namespace ccgraph::jobs

#include "ccgraph/jobs/timeline.h"

#include "progress.h"

namespace ccgraph::jobs {
namespace {

std::string textOf(const JobData &job, const Launch &launch) {
  if (launch.isTransfer)
    return "transfer";
  const Call &call = job.calls[launch.call];
  return collectiveName(call.kind).str() + " " + callText(call);
}

std::vector<int64_t> groupOf(const JobData &job, const Rank &rank, const Launch &launch) {
  Id order = rank.orders[launch.group];
  return order == none ? std::vector<int64_t>() : job.sets[job.orders[order].set];
}

RankTimeline timelineOf(const JobData &job, const Rank &rank, llvm::ArrayRef<LaunchState> states,
                        llvm::ArrayRef<Id> completedAt) {
  using State = TimelineLaunch::State;
  RankTimeline timeline{rank.rank, {}};
  const Program &program = job.programOf(rank);
  ProgramText text = job.textOf(rank);
  for (Id i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    State state = states[i].completed ? State::Completed : states[i].arrived ? State::Standing : State::NotReached;
    LaunchText &own = text.launches[launch.text];
    timeline.launches.push_back({std::move(own.name), job.places()[own.place].str(), textOf(job, launch),
                                 groupOf(job, rank, launch), state, completedAt[i]});
  }
  return timeline;
}

} // namespace

std::vector<RankTimeline> timelinesOf(const Job &job, Semantics under, llvm::ArrayRef<int64_t> ranks) {
  const JobData &data = job.data();
  Classes classes = divideRanks(data);
  Progress progress = simulate(data, classes, under);
  std::vector<RankTimeline> timelines;
  for (int64_t rank : ranks) {
    auto found = data.rankIds.find(rank);
    if (found == data.rankIds.end())
      continue;
    Id rankClass = classes.members[found->second].rankClass;
    timelines.push_back(
        timelineOf(data, data.ranks[found->second], progress.states[rankClass], progress.completedAt[rankClass]));
  }
  return timelines;
}

} // namespace ccgraph::jobs

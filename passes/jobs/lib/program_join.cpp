#include "program_join.h"

namespace ccgraph::jobs {
namespace {

class ProgramJoin {
public:
  RankProgram join(const RankProgram &first, const RankProgram &second) {
    const RankProgram *parts[] = {&first, &second};
    // The used groups of both come before the groups of the tables.
    for (const RankProgram *part : parts)
      for (Id group = 0; group < part->program.usedGroups; ++group)
        addGroup(*part, group);
    joined_.program.usedGroups = static_cast<Id>(joined_.text.groups.size());
    for (const RankProgram *part : parts)
      for (Id group = part->program.usedGroups; group < part->program.numGroups; ++group)
        addGroup(*part, group);
    joined_.program.numGroups = static_cast<Id>(joined_.text.groups.size());
    for (const RankProgram *part : parts)
      addProgram(*part);
    return std::move(joined_);
  }

private:
  Id addGroup(const RankProgram &part, Id group) {
    auto [entry, isNew] =
        groups_.try_emplace({part.text.groups[group], part.orders[group]}, static_cast<Id>(joined_.text.groups.size()));
    if (isNew) {
      joined_.text.groups.push_back(part.text.groups[group]);
      joined_.orders.push_back(part.orders[group]);
    }
    return entry->second;
  }

  Id addTransfer(Transfer transfer) {
    auto [entry, isNew] = transfers_.try_emplace(transfer, static_cast<Id>(joined_.program.transfers.size()));
    if (isNew)
      joined_.program.transfers.push_back(transfer);
    return entry->second;
  }

  static Slice shifted(Slice slice, size_t by) { return {slice.begin + static_cast<Id>(by), slice.count}; }

  void addProgram(const RankProgram &part) {
    Program &to = joined_.program;
    const Program &from = part.program;
    const size_t moves = to.moves.size(), inputs = to.inputs.size(), stepLaunches = to.stepLaunches.size();
    const auto launches = static_cast<Id>(to.launches.size()), texts = static_cast<Id>(joined_.text.launches.size());
    for (Move move : from.moves) {
      Transfer transfer = from.transfers[move.transfer];
      transfer.group = addGroup(part, transfer.group);
      to.moves.push_back({addTransfer(transfer), move.call});
    }
    for (Launch launch : from.launches) {
      launch.text += texts;
      launch.group = addGroup(part, launch.group);
      launch.moves = shifted(launch.moves, moves);
      launch.inputs = shifted(launch.inputs, inputs);
      to.launches.push_back(launch);
    }
    joined_.text.launches.insert(joined_.text.launches.end(), part.text.launches.begin(), part.text.launches.end());
    for (Id input : from.inputs)
      to.inputs.push_back(launches + input);
    for (Id launch : from.stepLaunches)
      to.stepLaunches.push_back(launches + launch);
    for (Step step : from.steps)
      to.steps.push_back({step.kind, shifted(step.launches, stepLaunches)});
  }

  RankProgram joined_;
  /// by name and order
  std::map<std::pair<Id, Id>, Id> groups_;
  std::map<Transfer, Id> transfers_;
};

} // namespace

RankProgram joinPrograms(const RankProgram &first, const RankProgram &second) {
  return ProgramJoin().join(first, second);
}

} // namespace ccgraph::jobs

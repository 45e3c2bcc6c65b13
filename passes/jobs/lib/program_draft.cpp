#include "program_draft.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {
namespace {

template <typename T>
Slice append(std::vector<T> &list, const std::vector<T> &more) {
  Slice slice{static_cast<Id>(list.size()), static_cast<Id>(more.size())};
  list.insert(list.end(), more.begin(), more.end());
  return slice;
}

/// Writes the items of a draft as a program, with new numbers of launches.
class ProgramWriter {
public:
  explicit ProgramWriter(const ProgramDraft &draft)
      : draft_(draft), numberOf_(draft.launches.size(), none), isWaited_(draft.launches.size()) {
    made_.numGroups = draft.base.numGroups;
    made_.usedGroups = draft.base.usedGroups;
    made_.transfers = draft.base.transfers;
  }

  std::optional<Program> write() {
    for (const ProgramDraft::Item &item : draft_.items)
      if (!write(item))
        return std::nullopt;
    return std::move(made_);
  }

private:
  bool write(const ProgramDraft::Item &item) {
    if (item.kind == Step::Kind::Launch) {
      if (!writeLaunch(item.launches.front()))
        return false;
    } else if (!llvm::all_of(item.launches, [&](Id launch) {
                 return item.kind == Step::Kind::Wait ? numberOf_[launch] != none : isUsable(launch);
               })) {
      return false;
    }
    std::vector<Id> numbers;
    for (Id launch : item.launches) {
      numbers.push_back(numberOf_[launch]);
      if (item.kind == Step::Kind::Wait)
        isWaited_[launch] = true;
    }
    made_.steps.push_back({item.kind, append(made_.stepLaunches, numbers)});
    return true;
  }

  bool writeLaunch(Id id) {
    const ProgramDraft::DraftLaunch &from = draft_.launches[id];
    std::vector<Id> inputs;
    for (Id input : from.inputs) {
      if (!isUsable(input))
        return false;
      inputs.push_back(numberOf_[input]);
    }
    Launch launch = from.launch;
    launch.moves = append(made_.moves, from.moves);
    launch.inputs = append(made_.inputs, inputs);
    numberOf_[id] = static_cast<Id>(made_.launches.size());
    made_.launches.push_back(launch);
    return true;
  }

  /// Returns whether the value of a launch can be read here.
  bool isUsable(Id launch) const { return numberOf_[launch] != none && isWaited_[launch]; }

  const ProgramDraft &draft_;
  Program made_;
  std::vector<Id> numberOf_;
  std::vector<bool> isWaited_;
};

} // namespace

ProgramDraft::ProgramDraft(const Program &program) {
  base.numGroups = program.numGroups;
  base.usedGroups = program.usedGroups;
  base.transfers = program.transfers;
  for (const Launch &launch : program.launches)
    launches.push_back({launch, program.movesOf(launch).vec(), program.inputsOf(launch).vec()});
  for (const Step &step : program.steps)
    items.push_back({step.kind, program.launchesOf(step).vec()});
}

std::optional<Program> ProgramDraft::make() const { return ProgramWriter(*this).write(); }

void ProgramDraft::erase(Id launch) {
  for (Item &item : items)
    llvm::erase_value(item.launches, launch);
  llvm::erase_if(items, [](const Item &item) { return item.launches.empty(); });
  for (DraftLaunch &other : launches)
    llvm::erase_value(other.inputs, launch);
}

void ProgramDraft::insert(size_t position, DraftLaunch launch) {
  auto id = static_cast<Id>(launches.size());
  launches.push_back(std::move(launch));
  auto at = items.begin() + static_cast<std::ptrdiff_t>(position);
  at = items.insert(at, {Step::Kind::Wait, {id}});
  items.insert(at, {Step::Kind::Launch, {id}});
}

void ProgramDraft::exchange(Id a, Id b) {
  for (Item &item : items)
    for (Id &launch : item.launches)
      if (item.kind != Step::Kind::HostRead)
        launch = launch == a ? b : launch == b ? a : launch;
}

void ProgramDraft::moveTo(Id launch, size_t position) {
  size_t from = positionOf(launch);
  Item item = std::move(items[from]);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(from));
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(position - (from < position ? 1 : 0)), std::move(item));
}

void ProgramDraft::batch(Id first, Id second) {
  launches[first].moves.insert(launches[first].moves.end(), launches[second].moves.begin(),
                               launches[second].moves.end());
  launches[first].inputs.insert(launches[first].inputs.end(), launches[second].inputs.begin(),
                                launches[second].inputs.end());
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(positionOf(second)));
  auto rename = [&](std::vector<Id> &list) { std::replace(list.begin(), list.end(), second, first); };
  for (Item &item : items)
    rename(item.launches);
  for (DraftLaunch &launch : launches)
    rename(launch.inputs);
}

void ProgramDraft::waitFor(Id launch) {
  launches[launch].launch.neverWaited = false;
  items.push_back({Step::Kind::Wait, {launch}});
}

size_t ProgramDraft::positionOf(Id launch) const {
  auto found = llvm::find_if(
      items, [&](const Item &item) { return item.kind == Step::Kind::Launch && item.launches.front() == launch; });
  return static_cast<size_t>(found - items.begin());
}

size_t ProgramDraft::waitOf(Id launch) const {
  auto found = llvm::find_if(items, [&](const Item &item) {
    return item.kind == Step::Kind::Wait && llvm::is_contained(item.launches, launch);
  });
  return static_cast<size_t>(found - items.begin());
}

} // namespace ccgraph::jobs

#include "schedule/overlap/cut_problem.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

using Steps = std::vector<uint32_t>;

void sortUnique(Steps &steps) {
  llvm::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
}

class Cutter {
public:
  explicit Cutter(const Problem &problem)
      : problem_(problem), regionOf_(problem.steps.size(), none), result_(problem), inside_(problem.steps.size()),
        outside_(problem.steps.size()) {}
  Problem make(llvm::ArrayRef<CutRegion> regions);

private:
  void join(llvm::ArrayRef<CutRegion> regions);
  void close(const Steps &members);
  void takeTimes(llvm::ArrayRef<CutRegion> regions);
  void addEdges();
  void visitMember(uint32_t step);
  /// Returns the steps that are before `step`, each once or more: its edges, and the launches that it completes.
  [[nodiscard]] auto before(uint32_t step) const {
    return llvm::concat<const uint32_t>(problem_.before[step], problem_.completes[step]);
  }
  /// Adds what a step outside the region of `step` needs if it needs this step.
  void addWhole(Steps &steps, uint32_t step) const;

  const Problem &problem_;
  /// by step: its region, a number
  std::vector<uint32_t> regionOf_;
  Problem result_;
  /// by member: itself and the members of its region before it; and what is before any of them and no member
  std::vector<Steps> inside_, outside_;
};

/// Makes one region of all that share a step.
void Cutter::join(llvm::ArrayRef<CutRegion> regions) {
  llvm::IntEqClasses classes(static_cast<unsigned>(regions.size()));
  std::vector<uint32_t> first(problem_.steps.size(), none);
  for (uint32_t region = 0; region < regions.size(); ++region)
    for (uint32_t step : regions[region].steps) {
      if (first[step] == none)
        first[step] = region;
      classes.join(first[step], region);
    }
  classes.compress();
  std::vector<Steps> members(classes.getNumClasses());
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    if (first[step] != none) {
      regionOf_[step] = classes[first[step]];
      members[regionOf_[step]].push_back(step);
    }
  for (const Steps &steps : members)
    if (!steps.empty())
      close(steps);
}

/// Makes the steps on paths between two members members too.
void Cutter::close(const Steps &members) {
  const uint32_t region = regionOf_[members.front()], first = members.front(), last = members.back();
  std::vector<bool> follows(last - first + 1), leads(last - first + 1);
  auto isIn = [&](const std::vector<bool> &set, uint32_t step) { return step >= first && set[step - first]; };
  for (uint32_t step = first; step <= last; ++step)
    follows[step - first] =
        regionOf_[step] == region || llvm::any_of(before(step), [&](uint32_t other) { return isIn(follows, other); });
  for (uint32_t step = last + 1; step-- > first;) {
    if (!leads[step - first] && regionOf_[step] != region)
      continue;
    for (uint32_t other : before(step))
      if (isIn(follows, other))
        leads[other - first] = true;
  }
  for (uint32_t step = first; step <= last; ++step)
    if (regionOf_[step] == none && follows[step - first] && leads[step - first]) {
      regionOf_[step] = region;
      result_.steps[step].picoseconds = 0;
    }
}

void Cutter::takeTimes(llvm::ArrayRef<CutRegion> regions) {
  for (const CutRegion &region : regions) {
    for (uint32_t step : region.steps) {
      Step &it = result_.steps[step];
      it.cut = it.kind == StepKind::Launch;
      if (it.kind == StepKind::Compute)
        it.picoseconds = std::clamp<int64_t>(problem_.steps[step].picoseconds - region.mostPieces, 0, it.picoseconds);
    }
    for (uint32_t step : region.absent)
      result_.steps[step].picoseconds = 0;
  }
}

void Cutter::addWhole(Steps &steps, uint32_t step) const {
  if (regionOf_[step] == none)
    steps.push_back(step);
  else
    llvm::append_range(steps, inside_[step]);
}

void Cutter::visitMember(uint32_t step) {
  Steps &inside = inside_[step], &outside = outside_[step];
  for (uint32_t other : before(step)) {
    if (regionOf_[other] != regionOf_[step]) {
      addWhole(outside, other);
      continue;
    }
    llvm::append_range(inside, inside_[other]);
    llvm::append_range(outside, outside_[other]);
  }
  inside.push_back(step);
  sortUnique(inside);
  sortUnique(outside);
}

void Cutter::addEdges() {
  result_.before = {};
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    Steps row;
    if (regionOf_[step] == none) {
      for (uint32_t other : problem_.before[step])
        addWhole(row, other);
    } else {
      visitMember(step);
      row = outside_[step];
      llvm::append_range(row, problem_.completes[step]);
    }
    result_.before.appendSet(row);
  }
}

Problem Cutter::make(llvm::ArrayRef<CutRegion> regions) {
  join(regions);
  takeTimes(regions);
  addEdges();
  return std::move(result_);
}

} // namespace

Problem withCuts(const Problem &problem, llvm::ArrayRef<CutRegion> regions) { return Cutter(problem).make(regions); }

} // namespace ccgraph::overlap

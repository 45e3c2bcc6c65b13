#include "schedule/overlap/before_after.h"

#include "schedule/overlap/step_set.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ccgraph::overlap {

namespace {

/// The number of gates before a step that are examined: the last ones.
constexpr size_t maxGates = 8;

/// A gate before a step, and the computation between the two, including the step.
struct Passed {
  uint32_t gate = none;
  int64_t picoseconds = 0;
};
using Gates = llvm::SmallVector<Passed, maxGates>;

/// The direction of traversal, from the front or from the back; in the latter, "before" means "after".
struct Direction {
  /// by step: the steps that are visited before it
  const NumberLists &before;
  /// by step: a wait's launches, or from the back a launch's waits: between partners lies a collective
  const NumberLists &partners;
  bool forward = true;
};

/// One direction of one problem. A *gate* is a step with partners: the compute stream cannot pass it before a
/// collective has ended.
class Path {
public:
  Path(const Problem &problem, const std::vector<Moments> &transfers, const Direction &direction)
      : problem_(problem), transfers_(transfers), direction_(direction), value_(problem.steps.size()),
        gates_(value_.size()), needs_(value_.size()), numberOf_(value_.size()) {}
  std::vector<Moments> run() {
    for (size_t i = 0; i < value_.size(); ++i)
      visit(static_cast<uint32_t>(direction_.forward ? i : value_.size() - 1 - i));
    return std::move(value_);
  }

private:
  [[nodiscard]] int64_t computing(uint32_t step) const {
    const Step &it = problem_.steps[step];
    return it.kind == StepKind::Compute ? it.picoseconds : 0;
  }
  [[nodiscard]] bool isGate(uint32_t step) const { return !direction_.partners[step].empty(); }
  void raise(uint32_t step, uint32_t from, int64_t by) {
    for (size_t i = 0; i < value_[step].size(); ++i)
      value_[step][i] = std::max(value_[step][i], value_[from][i] + by);
  }
  void visit(uint32_t step);
  [[nodiscard]] uint32_t heaviest(uint32_t step) const;
  void join(uint32_t step, uint32_t other);
  void passGate(uint32_t step);
  void note(uint32_t step);

  const Problem &problem_;
  const std::vector<Moments> &transfers_;
  Direction direction_;
  std::vector<Moments> value_;
  /// by step: the last gates that it needs, the latest first
  std::vector<Gates> gates_;
  VisitedSteps visited_;
  /// by step: computing steps that it needs, including itself
  std::vector<StepSet> needs_;
  /// by step of a gate: its number; and by number the computing steps that need it
  std::vector<uint32_t> numberOf_;
  std::vector<StepSet> needers_;
};

/// Returns, of the steps that it needs, the one with the most computation, including itself.
uint32_t Path::heaviest(uint32_t step) const {
  uint32_t best = none;
  for (uint32_t other : direction_.before[step])
    if (best == none || needs_[other].picoseconds() > needs_[best].picoseconds())
      best = other;
  return best;
}

/// Adds the needs of the other step: its gates, and its computation after all known gates.
void Path::join(uint32_t step, uint32_t other) {
  Gates &gates = gates_[step];
  StepSet added = visited_.difference(needs_[other], needs_[step]);
  if (added.picoseconds() > 0)
    for (Passed &passed : gates)
      passed.picoseconds += visited_.shared(added, needers_[numberOf_[passed.gate]]);
  visited_.unite(needs_[step], needs_[other]);
  size_t known = gates.size();
  for (const Passed &passed : gates_[other])
    if (llvm::none_of(llvm::ArrayRef<Passed>(gates).take_front(known),
                      [&](Passed it) { return it.gate == passed.gate; }))
      gates.push_back({passed.gate, visited_.shared(needs_[step], needers_[numberOf_[passed.gate]])});
}

void Path::passGate(uint32_t step) {
  for (uint32_t partner : direction_.partners[step]) {
    uint32_t launch = direction_.forward ? partner : step;
    for (size_t i = 0; i < value_[step].size(); ++i)
      value_[step][i] = std::max(value_[step][i], value_[partner][i] + transfers_[launch][i]);
  }
}

/// Records the properties of this step for later ones.
void Path::note(uint32_t step) {
  Gates &gates = gates_[step];
  if (int64_t time = computing(step); time > 0) {
    uint32_t number = visited_.add(time);
    visited_.insert(needs_[step], number);
    for (Passed &passed : gates) {
      visited_.insert(needers_[numberOf_[passed.gate]], number);
      passed.picoseconds += time;
    }
  }
  if (isGate(step)) {
    numberOf_[step] = static_cast<uint32_t>(needers_.size());
    needers_.emplace_back();
    gates.push_back({step, 0});
  }
  llvm::sort(gates, [&](Passed a, Passed b) { return direction_.forward ? a.gate > b.gate : a.gate < b.gate; });
  gates.resize(std::min(gates.size(), maxGates));
}

void Path::visit(uint32_t step) {
  if (uint32_t first = heaviest(step); first != none) {
    needs_[step] = needs_[first];
    gates_[step] = gates_[first];
    for (uint32_t other : direction_.before[step]) {
      raise(step, other, computing(other));
      if (other != first && (needs_[other].picoseconds() > 0 || !gates_[other].empty()))
        join(step, other);
    }
  }
  for (int64_t &value : value_[step])
    value = std::max(value, needs_[step].picoseconds());
  for (const Passed &passed : gates_[step])
    raise(step, passed.gate, passed.picoseconds);
  if (isGate(step))
    passGate(step);
  note(step);
}

} // namespace

std::vector<Moments> earliest(const Problem &problem, const std::vector<Moments> &transfers) {
  return Path(problem, transfers, {problem.before, problem.completes, true}).run();
}

std::vector<Moments> remaining(const Problem &problem, const std::vector<Moments> &transfers) {
  size_t steps = problem.steps.size();
  NumberLists after = problem.before.inverse(steps), waits = problem.completes.inverse(steps);
  return Path(problem, transfers, {after, waits, false}).run();
}

} // namespace ccgraph::overlap

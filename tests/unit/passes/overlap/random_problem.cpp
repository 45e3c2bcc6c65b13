#include "unit/passes/overlap/random_problem.h"

#include <random>
#include <set>

namespace ccgraph::overlap::test {

namespace {

class Maker {
public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  Problem run(unsigned links, size_t mostSteps) {
    uint32_t input = add({.input = true}, {}, {}, below(4));
    uint32_t chain = input;
    std::vector<uint32_t> results;
    for (unsigned link = 0; link < links && steps_.size() < mostSteps; ++link) {
      std::set<uint32_t> reads = {chain};
      if (below(2))
        reads.insert(transfer(input));
      if (below(4) == 0)
        reads.insert(transfer(chain));
      uint32_t before = chain;
      chain = add(compute(), reads, {}, 1 + below(8));
      if (uint32_t made = below(2) ? aside(before) : 0; made != 0 && below(8) > 0)
        results.push_back(made);
    }
    results.push_back(chain);
    add({}, {results.begin(), results.end()}, {}, 0);
    return finish();
  }

private:
  struct Made {
    Step step;
    std::set<uint32_t> before, completes;
    int64_t bytes;
  };
  int64_t below(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit)); }
  Step compute() { return {.picoseconds = 10 * (1 + below(10))}; }

  uint32_t add(Step step, std::set<uint32_t> before, std::set<uint32_t> completes, int64_t bytes) {
    steps_.push_back({step, std::move(before), std::move(completes), bytes});
    return static_cast<uint32_t>(steps_.size() - 1);
  }

  /// Adds a launch and its wait; returns the wait.
  uint32_t transfer(uint32_t of) {
    Step step{.kind = StepKind::Launch, .stream = static_cast<uint32_t>(below(2)), .picoseconds = 10 * (1 + below(10))};
    step.bytes = 1 + below(8);
    uint32_t launch = add(step, {of}, {}, step.bytes);
    return add({.kind = StepKind::Wait}, {launch}, {launch}, 0);
  }

  /// Adds computation on which the chain does not depend, reduced or not.
  uint32_t aside(uint32_t of) {
    uint32_t gradient = add(compute(), {of}, {}, 1 + below(8));
    return below(2) ? transfer(gradient) : gradient;
  }

  /// Storage i is the result of step i; a wait has no result, and holds what its launch reads and makes.
  Problem finish() {
    Problem problem;
    problem.streams = 2;
    for (uint32_t number = 0; number < steps_.size(); ++number) {
      const Made &made = steps_[number];
      problem.steps.push_back(made.step);
      problem.before.append(std::vector<uint32_t>(made.before.begin(), made.before.end()));
      problem.completes.append(std::vector<uint32_t>(made.completes.begin(), made.completes.end()));
      problem.storages.push_back({made.bytes, made.step.input, made.step.input});
      problem.holds.append(holds(number));
    }
    problem.estimatedTime = [](uint32_t, int64_t bytes) { return 10 * bytes; };
    return problem;
  }

  std::vector<uint32_t> holds(uint32_t number) {
    std::set<uint32_t> held = {number};
    for (uint32_t from : steps_[number].before) {
      held.insert(from);
      // A wait's value is in the storage of its launch, so each reader of the wait holds that storage.
      if (steps_[from].step.kind == StepKind::Wait)
        held.insert(*steps_[from].completes.begin());
    }
    for (uint32_t launch : steps_[number].completes)
      held.insert(steps_[launch].before.begin(), steps_[launch].before.end());
    return {held.begin(), held.end()};
  }

  std::mt19937_64 random_;
  std::vector<Made> steps_;
};

} // namespace

Problem randomProblem(uint64_t seed, unsigned links, size_t mostSteps) { return Maker(seed).run(links, mostSteps); }

} // namespace ccgraph::overlap::test

#include "ccgraph/passes/exposure.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/passes/remark.h"
#include "schedule/overlap/graph_problem.h"
#include "schedule/overlap/memory_curve.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/tasks.h"

namespace ccgraph {

llvm::StringRef beginPinName(BeginPin pin) {
  switch (pin) {
  case BeginPin::Group:
    return "group";
  case BeginPin::Input:
    return "input";
  case BeginPin::Fixed:
    return "fixed";
  case BeginPin::Budget:
    return "budget";
  case BeginPin::Order:
    return "order";
  }
  llvm_unreachable("no such pin");
}

namespace {

using overlap::none;

class Explainer {
public:
  Explainer(const overlap::GraphProblem &given, std::optional<int64_t> budget)
      : given_(given), problem_(given.problem), budget_(budget), order_(overlap::asItStands(problem_)),
        replay_(overlap::replay(problem_, order_)), memory_(overlap::memoryByPlace(problem_, order_)), tasks_(problem_),
        needed_(problem_.steps.size()) {}
  [[nodiscard]] std::vector<uint32_t> longest(size_t count) const;
  Exposure explain(uint32_t launch);

private:
  [[nodiscard]] std::string nameOf(uint32_t step) const { return given_.nodes[step]->name().str().str(); }
  [[nodiscard]] int64_t timeOf(uint32_t step) const {
    const overlap::Step &it = problem_.steps[step];
    return it.kind == overlap::StepKind::Compute ? it.picoseconds : 0;
  }
  void explainBegin(uint32_t launch, Exposure &exposure);
  void explainEnd(uint32_t launch, Exposure &exposure) const;
  [[nodiscard]] uint32_t transferBefore(uint32_t launch) const;
  [[nodiscard]] uint32_t anchorOf(uint32_t launch) const;
  [[nodiscard]] int64_t slackAfter(uint32_t anchor, uint32_t launch);
  [[nodiscard]] uint32_t readerOf(uint32_t wait) const;

  const overlap::GraphProblem &given_;
  const overlap::Problem &problem_;
  std::optional<int64_t> budget_;
  overlap::Schedule order_;
  overlap::Replay replay_;
  overlap::MemoryCurve memory_;
  overlap::Tasks tasks_;
  /// by step: the last launch that was found to need it, plus one
  std::vector<uint32_t> needed_;
};

std::vector<uint32_t> Explainer::longest(size_t count) const {
  std::vector<uint32_t> exposed;
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    if (replay_.exposedBy[step] > 0)
      exposed.push_back(step);
  llvm::stable_sort(exposed, [&](uint32_t a, uint32_t b) { return replay_.exposedBy[a] > replay_.exposedBy[b]; });
  exposed.resize(std::min(count, exposed.size()));
  return exposed;
}

/// Returns the collective of its group that ends when it begins; none if the group was free before the compute stream
/// reached it.
uint32_t Explainer::transferBefore(uint32_t launch) const {
  if (replay_.begin[launch] <= replay_.at[launch])
    return none;
  for (uint32_t step = launch; step-- > 0;)
    if (const overlap::Step &it = problem_.steps[step];
        it.kind == overlap::StepKind::Launch && it.stream == problem_.steps[launch].stream)
      return step;
  return none;
}

/// Returns the last step that it needs and that is more than cheap computation on inputs.
uint32_t Explainer::anchorOf(uint32_t launch) const {
  uint32_t anchor = none, task = tasks_.taskOf(launch);
  for (uint32_t before : tasks_.before(task)) {
    if (tasks_.leaf(before))
      continue;
    uint32_t step = tasks_.stepOf(before);
    if (llvm::is_contained(tasks_.completed(task), before))
      for (uint32_t wait : tasks_.waitsOf(step))
        if (wait < launch)
          step = std::max(step, wait);
    anchor = anchor == none ? step : std::max(anchor, step);
  }
  return anchor;
}

/// Returns the computation between the two, and stalls at waits, without the computation that the launch needs.
int64_t Explainer::slackAfter(uint32_t anchor, uint32_t launch) {
  uint32_t first = anchor == none ? 0 : anchor + 1;
  int64_t needs = 0;
  needed_[launch] = launch + 1;
  for (uint32_t step = launch; step-- > first;)
    for (uint32_t follower : tasks_.followers(step))
      if (needed_[follower] == launch + 1) {
        needed_[step] = launch + 1;
        needs += timeOf(step);
        break;
      }
  int64_t from = anchor == none ? 0 : replay_.at[anchor] + timeOf(anchor);
  if (anchor != none && problem_.steps[anchor].kind == overlap::StepKind::Wait)
    for (uint32_t completed : problem_.completes[anchor])
      from = std::max(from, replay_.end[completed]);
  return std::max<int64_t>(0, replay_.at[launch] - from - needs);
}

void Explainer::explainBegin(uint32_t launch, Exposure &exposure) {
  if (uint32_t before = transferBefore(launch); before != none) {
    exposure.begin = BeginPin::Group;
    exposure.needs = nameOf(before);
    return;
  }
  uint32_t anchor = anchorOf(launch);
  exposure.needs = anchor == none ? "" : nameOf(anchor);
  exposure.slack = slackAfter(anchor, launch);
  if (exposure.slack == 0)
    return;
  exposure.begin = problem_.steps[launch].fixed ? BeginPin::Fixed : BeginPin::Order;
  if (exposure.begin == BeginPin::Fixed || !budget_)
    return;
  int64_t more = tasks_.allocates(tasks_.taskOf(launch));
  exposure.lacks = std::max<int64_t>(0, memory_.largest(anchor == none ? 0 : anchor, launch) + more - *budget_);
  if (exposure.lacks > 0)
    exposure.begin = BeginPin::Budget;
}

/// Returns the first step that needs a wait, through views and other waits; none if only the end of the program does.
uint32_t Explainer::readerOf(uint32_t wait) const {
  uint32_t reader = none;
  llvm::SmallVector<uint32_t, 8> open = {wait};
  while (!open.empty())
    for (uint32_t follower : tasks_.followers(open.pop_back_val()))
      if (problem_.steps[follower].kind == overlap::StepKind::Free)
        open.push_back(follower);
      else
        reader = std::min(reader, follower);
  return reader;
}

void Explainer::explainEnd(uint32_t launch, Exposure &exposure) const {
  if (tasks_.waitsOf(launch).empty())
    return;
  uint32_t wait = tasks_.waitsOf(launch).front(), reader = readerOf(wait);
  if (reader == none)
    return;
  exposure.reader = nameOf(reader);
  for (uint32_t step = wait; step < reader; ++step)
    exposure.waitsEarly += timeOf(step);
}

Exposure Explainer::explain(uint32_t launch) {
  const Node &node = *given_.nodes[launch];
  Exposure exposure;
  exposure.time.node = node.name().str().str();
  exposure.time.bytes = problem_.steps[launch].bytes;
  exposure.time.begin = replay_.begin[launch];
  exposure.time.end = replay_.end[launch];
  exposure.time.exposed = replay_.exposedBy[launch];
  exposure.shared = exposure.time.end - exposure.time.begin - problem_.steps[launch].picoseconds;
  if (std::optional<CollectiveCall> call = collectiveCall(node))
    exposure.kind = collectiveName(call->spec->kind).str();
  exposure.source = sourceOf(node);
  explainBegin(launch, exposure);
  explainEnd(launch, exposure);
  return exposure;
}

} // namespace

std::vector<Exposure> explainExposed(Graph &graph, Analyses &analyses, const CostModel &costs,
                                     std::optional<int64_t> budget, const BoundRules &rules, size_t count) {
  const ProgramFacts &facts = analyses.facts();
  CommGroups groups(graph, rules.spmd);
  Dependences dependences(facts, groups);
  overlap::GraphProblem given = overlap::problemOf(graph, {facts, groups, dependences, costs, rules.spmd});
  Explainer explainer(given, budget);
  std::vector<Exposure> exposures;
  for (uint32_t launch : explainer.longest(count)) {
    exposures.push_back(explainer.explain(launch));
    exposures.back().time.group = overlap::streamName(groups, given.problem.steps[launch].stream);
  }
  return exposures;
}

} // namespace ccgraph

#include "schedule/overlap/ordered_problem.h"

#include "schedule/overlap/places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace ccgraph::overlap {

namespace {

void mapRow(NumberLists &rows, llvm::ArrayRef<uint32_t> row, const std::vector<size_t> &numberOf) {
  llvm::SmallVector<uint32_t, 16> mapped;
  for (uint32_t step : row)
    mapped.push_back(static_cast<uint32_t>(numberOf[step]));
  llvm::sort(mapped);
  rows.append(mapped);
}

/// Gives the renumbered program the times of the problem.
void takeTimes(Problem &result, const Problem &problem, const std::vector<uint32_t> &order) {
  result.estimatedTime = [&problem, order](uint32_t launch, int64_t bytes) {
    return problem.estimatedTime(order[launch], bytes);
  };
  if (problem.timePieces)
    result.timePieces = [&problem, order](uint32_t launch) { return problem.timePieces(order[launch]); };
}

/// Returns the edges of the problem and these, by the later step.
NumberLists joined(const Problem &problem, const std::vector<StepPair> &edges) {
  std::vector<llvm::SmallVector<uint32_t, 2>> more(problem.steps.size());
  for (auto [earlier, later] : edges)
    more[later].push_back(earlier);
  NumberLists rows;
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    llvm::append_range(more[step], problem.before[step]);
    rows.appendSet(more[step]);
  }
  return rows;
}

/// Returns the first order, by number, that has all edges; fewer steps if there is none.
std::vector<uint32_t> orderOf(const NumberLists &before) {
  const size_t size = before.size();
  NumberLists followers = before.inverse(size);
  std::vector<size_t> missing(size);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t step = 0; step < size; ++step)
    if ((missing[step] = before[step].size()) == 0)
      ready.push(step);
  std::vector<uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (uint32_t follower : followers[order.back()])
      if (--missing[follower] == 0)
        ready.push(follower);
  }
  return order;
}

} // namespace

Problem renumbered(const Problem &problem, const std::vector<uint32_t> &order) {
  std::vector<size_t> numberOf = placesOf(order);
  Problem result;
  result.storages = problem.storages;
  result.streams = problem.streams;
  result.crowding = problem.crowding;
  result.steps.reserve(order.size());
  for (uint32_t step : order) {
    result.steps.push_back(problem.steps[step]);
    result.holds.append(problem.holds[step]);
    mapRow(result.before, problem.before[step], numberOf);
    mapRow(result.completes, problem.completes[step], numberOf);
  }
  takeTimes(result, problem, order);
  return result;
}

std::optional<OrderedProblem> withEdges(const Problem &problem, const std::vector<StepPair> &edges) {
  Problem more = problem;
  more.before = joined(problem, edges);
  if (llvm::all_of(edges, [](const StepPair &edge) { return edge.first < edge.second; })) {
    std::vector<size_t> numberOf(problem.steps.size());
    std::iota(numberOf.begin(), numberOf.end(), size_t{0});
    return OrderedProblem{std::move(more), std::move(numberOf)};
  }
  const std::vector<uint32_t> order = orderOf(more.before);
  if (order.size() < problem.steps.size())
    return std::nullopt;
  OrderedProblem result{renumbered(more, order), placesOf(order)};
  takeTimes(result.problem, problem, order); // `more` ends here
  return result;
}

} // namespace ccgraph::overlap

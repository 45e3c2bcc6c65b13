#include "completeness/slow_program.h"

#include <algorithm>

namespace ccgraph::test {

namespace {

bool contains(const std::vector<int> &list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string text(const SlowStep &step) { return step.node->name().str().str(); }

/// Can the wait, with the views of it that stand before `obstacle`, stand behind it?
bool mayPass(const SlowProgram &program, int wait, int obstacle, const std::set<int> &along) {
  const auto &steps = program.steps();
  const SlowStep &other = steps[obstacle];
  if (other.node->opcode() == Opcode::Output || other.domain == Domain::All)
    return false;
  for (int operand : other.operands)
    if (along.count(operand) != 0)
      return false;
  for (auto [mine, ignored] : steps[wait].accesses)
    for (auto [theirs, access] : other.accesses)
      if (mine == theirs && touchesElements(access))
        return false;
  for (int launch : steps[wait].flights)
    for (auto [mine, flight] : steps[launch].accesses)
      for (auto [theirs, access] : other.accesses) {
        if (mine != theirs)
          continue;
        if ((has(flight, Access::InFlightWrite) && touchesElements(access)) ||
            (has(flight, Access::InFlightRead) && writesElements(access)))
          return false;
      }
  return true;
}

bool sharesStorage(const SlowStep &a, const SlowStep &b) {
  for (auto [mine, x] : a.accesses)
    for (auto [theirs, y] : b.accesses)
      if (mine == theirs)
        return true;
  return false;
}

/// The order with these positions, in their order, right behind or before another.
std::vector<int> rearranged(const SlowProgram &program, const std::set<int> &moved, int anchor, bool behind) {
  std::vector<int> order;
  for (int i : program.order()) {
    if (i == anchor && !behind)
      order.insert(order.end(), moved.begin(), moved.end());
    if (moved.count(i) == 0)
      order.push_back(i);
    if (i == anchor && behind)
      order.insert(order.end(), moved.begin(), moved.end());
  }
  return order;
}

/// The first step behind a wait that it does not pass for nothing, and what goes along; -1 if a wait on the same value stands between.
int nextObstacle(const SlowProgram &program, int wait, std::set<int> &along) {
  const auto &steps = program.steps();
  along = {wait};
  for (int i = wait + 1; i < program.size(); ++i) {
    if (!steps[i].passes())
      return i;
    bool reads = std::any_of(steps[i].operands.begin(), steps[i].operands.end(),
                             [&](int operand) { return along.count(operand) != 0; });
    if (steps[i].wait && (reads || sharesStorage(steps[i], steps[wait])))
      return -1;
    if (reads)
      along.insert(i);
  }
  return -1;
}

} // namespace

Left waitsThatCouldSink(const Graph &graph, int64_t budget) {
  SlowProgram program(graph);
  Left left;
  for (int i = 0; i < program.size(); ++i) {
    std::set<int> along;
    int obstacle = program.steps()[i].wait ? nextObstacle(program, i, along) : -1;
    if (obstacle < 0 || !mayPass(program, i, obstacle, along))
      continue;
    if (program.peak(rearranged(program, along, obstacle, true)) <= budget)
      left.push_back(text(program.steps()[i]) + " behind " + text(program.steps()[obstacle]));
  }
  return left;
}

namespace {

/// The last step before a launch that is neither view nor launch, and which views feed the launch in between; -1 if a launch between must stay before it.
int previousObstacle(const SlowProgram &program, int launch, std::set<int> &along) {
  const auto &steps = program.steps();
  along = {launch};
  std::set<int> needed(steps[launch].operands.begin(), steps[launch].operands.end());
  for (int i = launch - 1; i >= 0; --i) {
    if (!steps[i].view && !steps[i].launch)
      return i;
    if (steps[i].launch && (needed.count(i) != 0 || program.keepOrder(steps[i], steps[launch])))
      return -1;
    if (steps[i].view && needed.count(i) != 0) {
      along.insert(i);
      needed.insert(steps[i].operands.begin(), steps[i].operands.end());
    }
  }
  return -1;
}

bool mayRise(const SlowProgram &program, int launch, int obstacle, const std::set<int> &along) {
  const auto &steps = program.steps();
  const SlowStep &other = steps[obstacle];
  if (other.node->opcode() == Opcode::Placeholder || other.domain == Domain::All)
    return false;
  if (other.communicates && program.keepOrder(other, steps[launch]))
    return false;
  for (int moved : along)
    if (contains(steps[moved].operands, obstacle))
      return false;
  auto conflicts = [&](Access mine, Access theirs, bool ended) {
    bool theyWrite = ended || writesElements(theirs);
    return theyWrite || (touchesElements(theirs) && writesElements(mine));
  };
  for (auto [mine, access] : steps[launch].accesses) {
    for (auto [theirs, otherAccess] : other.accesses)
      if (mine == theirs && conflicts(access, otherAccess, other.wait))
        return false;
    for (int flight : other.wait ? other.flights : std::vector<int>())
      for (auto [theirs, flying] : steps[flight].accesses)
        if (mine == theirs && has(flying, Access::InFlightRead | Access::InFlightWrite) &&
            conflicts(access, flying, false))
          return false;
  }
  return true;
}

} // namespace

Left launchesThatCouldRise(const Graph &graph, int64_t budget) {
  SlowProgram program(graph);
  Left left;
  for (int i = 0; i < program.size(); ++i) {
    std::set<int> along;
    int obstacle = program.steps()[i].launch ? previousObstacle(program, i, along) : -1;
    if (obstacle < 0 || !mayRise(program, i, obstacle, along))
      continue;
    if (program.peak(rearranged(program, along, obstacle, false)) <= budget)
      left.push_back(text(program.steps()[i]) + " before " + text(program.steps()[obstacle]));
  }
  return left;
}

} // namespace ccgraph::test

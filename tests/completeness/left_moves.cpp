#include "completeness/slow_program.h"

#include <algorithm>

namespace ccgraph::test {

namespace {

std::string text(const SlowStep &step) { return step.node->name().str().str(); }

/// Returns true if the wait may copy the storage again: gloo's wait on one result of a list of reduce_scatters copies
/// all results.
bool copiesAgain(const SlowProgram &program, int wait, StorageId storage) {
  auto writes = [&](const SlowStep &step) {
    return !step.wait && std::any_of(step.accesses.begin(), step.accesses.end(), [&](auto access) {
      return access.first == storage && writesElements(access.second);
    });
  };
  for (int launch : program.steps()[wait].asyncPairs)
    if (const Node *node = program.steps()[launch].node;
        collectiveOf(*node) != nullptr && collectiveOf(*node)->waitsRewriteAll)
      for (StorageId result : program.storages().storages(node))
        if (result == storage && std::any_of(program.steps().begin(), program.steps().end(), writes))
          return true;
  return false;
}

/// Returns true if both waits may copy some storage again. They keep their order, as all writes to a storage do.
bool copyTheSame(const SlowProgram &program, int wait, int other) {
  for (int launch : program.steps()[wait].asyncPairs)
    for (StorageId result : program.storages().storages(program.steps()[launch].node))
      if (copiesAgain(program, wait, result) && copiesAgain(program, other, result))
        return true;
  return false;
}

/// Returns true if the wait, with its views before `obstacle`, may be moved after `obstacle`.
bool mayPass(const SlowProgram &program, int wait, int obstacle, const std::set<int> &along) {
  const auto &steps = program.steps();
  const SlowStep &other = steps[obstacle];
  if (other.node->opcode() == Opcode::Output || other.domain == Domain::All)
    return false;
  for (int operand : other.operands)
    if (along.count(operand) != 0)
      return false;
  for (int mover : along)
    for (auto [mine, ignored] : steps[mover].accesses)
      for (auto [theirs, access] : other.accesses)
        if (mine == theirs && has(access, Access::Reshape))
          return false;
  for (auto [mine, ignored] : steps[wait].accesses)
    for (auto [theirs, access] : other.accesses)
      if (mine == theirs && touchesElements(access))
        return false;
  for (auto [theirs, access] : other.accesses)
    if (touchesElements(access) && copiesAgain(program, wait, theirs))
      return false;
  for (int launch : steps[wait].asyncPairs)
    for (auto [mine, pair] : steps[launch].accesses)
      for (auto [theirs, access] : other.accesses) {
        if (mine != theirs)
          continue;
        if ((has(pair, Access::InFlightWrite) && touchesElements(access)) ||
            (has(pair, Access::InFlightRead) && writesElements(access)))
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

/// Returns the order with these positions moved, in their order, right after another.
std::vector<int> rearranged(const SlowProgram &program, const std::set<int> &moved, int anchor) {
  std::vector<int> order;
  for (int i : program.order()) {
    if (moved.count(i) == 0)
      order.push_back(i);
    if (i == anchor)
      order.insert(order.end(), moved.begin(), moved.end());
  }
  return order;
}

/// Returns the first step after a wait that is neither a wait nor a view, and in `along` the views that move with the
/// wait; -1 if a related wait is in between.
int nextObstacle(const SlowProgram &program, int wait, std::set<int> &along) {
  const auto &steps = program.steps();
  along = {wait};
  for (int i = wait + 1; i < program.size(); ++i) {
    if (!steps[i].passes())
      return i;
    bool reads = std::any_of(steps[i].operands.begin(), steps[i].operands.end(),
                             [&](int operand) { return along.count(operand) != 0; });
    bool copies = std::any_of(steps[wait].accesses.begin(), steps[wait].accesses.end(),
                              [&](auto access) { return copiesAgain(program, i, access.first); });
    if (steps[i].wait && (reads || copies || copyTheSame(program, wait, i) || sharesStorage(steps[i], steps[wait])))
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
    if (program.peak(rearranged(program, along, obstacle)) <= budget)
      left.push_back(text(program.steps()[i]) + " after " + text(program.steps()[obstacle]));
  }
  return left;
}

} // namespace ccgraph::test

#include "completeness/slow_program.h"

#include <algorithm>
#include <map>

namespace ccgraph::test {

bool touchesElements(Access access) {
  return hasAny(access, Access::Read | Access::Write | Access::InFlightRead | Access::InFlightWrite);
}
bool writesElements(Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); }

namespace {

bool isNamed(const Node &node, llvm::StringRef prefix) {
  return node.opcode() == Opcode::Placeholder && node.target().str().startswith(prefix);
}

} // namespace

SlowProgram::SlowProgram(const Graph &graph) : graph_(graph), storages_(graph), position_(graph.idLimit(), -1) {
  for (Node *node : graph)
    read(node);
  matchFlights();
  isOfAotAutograd_ = std::any_of(steps_.begin(), steps_.end(), [&](const SlowStep &step) {
    return isNamed(*step.node, "primals") || isNamed(*step.node, "tangents");
  });
}

void SlowProgram::read(Node *node) {
  position_[node->id()] = size();
  SlowStep step;
  step.node = node;
  Effects effects = effectsOf(*node);
  for (unsigned i = 0; i < node->numOperands(); ++i)
    for (StorageId storage : storages_.storages(node->operand(i)))
      step.accesses.emplace_back(storage, effects.operands[i]);
  for (const Use &use : node->operandUses())
    step.operands.push_back(position_[use.def()->id()]);
  if (effects.launches) // tensors that exchanged storages are not distinguished, so other readers may read its result
    for (StorageId storage : storages_.storages(node))
      if (storages_.isPool(storage))
        step.accesses.emplace_back(storage, Access::InFlightWrite);
  step.domain = effects.domain;
  step.wait = effects.waits;
  step.launch = effects.launches;
  step.view = !step.wait && !step.launch && (isGetItem(*node) || isViewLike(*node));
  steps_.push_back(std::move(step));
}

void SlowProgram::matchFlights() {
  /// The launches in flight in one storage, or the last that were.
  struct Together {
    std::set<int> launches;
    bool completed = false;
  };
  std::map<StorageId, Together> open;
  auto launchIn = [&](StorageId storage, int launch) {
    if (open[storage].completed)
      open[storage] = {};
    open[storage].launches.insert(launch);
  };
  for (int i = 0; i < size(); ++i) {
    std::set<int> ended;
    for (auto [storage, access] : steps_[i].accesses) {
      if (!has(access, Access::Complete))
        continue;
      for (int launch : open[storage].launches) {
        steps_[launch].heldTo.insert(i);
        if (!open[storage].completed)
          ended.insert(launch);
      }
      open[storage].completed = true;
    }
    for (int launch : ended) {
      steps_[i].asyncPairs.push_back(launch);
      steps_[launch].asyncPairs.push_back(i);
    }
    if (steps_[i].launch) {
      for (StorageId storage : storages_.storages(steps_[i].node))
        launchIn(storage, i);
      for (auto [storage, access] : steps_[i].accesses)
        if (has(access, Access::InFlightWrite))
          launchIn(storage, i);
    }
  }
}

/// See ccgraph/ir/lifetimes.h: the names that AOTAutograd gives state which placeholders the caller owns.
bool SlowProgram::givenAway(const Node &owner) const {
  return isOfAotAutograd_ && owner.opcode() == Opcode::Placeholder && !isNamed(owner, "primals");
}

int SlowProgram::positionOf(const Node *node) const { return position_[node->id()]; }

std::vector<int> SlowProgram::order() const {
  std::vector<int> order(steps_.size());
  for (int i = 0; i < size(); ++i)
    order[i] = i;
  return order;
}

int64_t SlowProgram::peak(const std::vector<int> &order) const {
  int count = size();
  std::vector<int> place(count);
  for (int i = 0; i < count; ++i)
    place[order[i]] = i;
  std::vector<int> first(storages_.numStorages(), 0), last(storages_.numStorages(), 0);
  for (StorageId id = 0; id < storages_.numStorages(); ++id) {
    const Node *owner = storages_.owner(id);
    bool input = owner->opcode() != Opcode::CallFunction;
    first[id] = input ? 0 : place[positionOf(owner)];
    last[id] = input && !givenAway(*owner) ? count - 1 : place[positionOf(owner)];
  }
  auto hold = [&](StorageId id, int until) { last[id] = std::max(last[id], until); };
  for (int i = 0; i < count; ++i) {
    const SlowStep &step = steps_[i];
    const std::set<int> &waits = step.heldTo;
    auto holdToWaits = [&](StorageId storage, bool inFlight) {
      for (int wait : waits)
        hold(storage, place[wait]);
      if (waits.empty() && inFlight)
        hold(storage, count - 1);
    };
    for (auto [storage, access] : step.accesses) {
      hold(storage, step.node->opcode() == Opcode::Output ? count - 1 : place[i]);
      if (step.launch && access != Access::Nothing)
        holdToWaits(storage, hasAny(access, Access::InFlightRead | Access::InFlightWrite));
    }
    if (step.launch)
      for (StorageId storage : storages_.storages(step.node))
        holdToWaits(storage, true);
  }
  std::vector<int64_t> change(count + 1);
  for (StorageId id = 0; id < storages_.numStorages(); ++id) {
    int64_t bytes = storages_.numBytes(id).value_or(0);
    change[first[id]] += bytes;
    change[last[id] + 1] -= bytes;
  }
  int64_t alive = 0, most = 0;
  for (int i = 0; i < count; ++i)
    most = std::max(most, alive += change[i]);
  return most;
}

} // namespace ccgraph::test

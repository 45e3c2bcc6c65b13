#include "completeness/slow_program.h"

#include "ccgraph/ir/group_nesting.h"

#include <algorithm>
#include <map>

namespace ccgraph::test {

bool touchesElements(Access access) {
  return hasAny(access, Access::Read | Access::Write | Access::InFlightRead | Access::InFlightWrite);
}
bool writesElements(Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); }

SlowProgram::SlowProgram(const Graph &graph) : graph_(graph), storages_(graph), position_(graph.idLimit(), -1) {
  for (Node *node : graph)
    read(node);
  matchFlights();
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
  if (effects
          .launches) // because tensors that exchanged storages are not told apart, its result may be what others read
    for (StorageId storage : storages_.storages(node))
      if (storages_.isPool(storage))
        step.accesses.emplace_back(storage, Access::InFlightWrite);
  step.domain = effects.domain;
  step.wait = effects.waits;
  step.launch = effects.launches;
  step.view = !step.wait && !step.launch && (isGetItem(*node) || isViewLike(*node));
  // Because a control_deps may hold several calls, its effects say that it communicates, and its one call on what.
  bool wrapper = node->op() != nullptr && node->op()->role == OpRole::ControlDeps && effects.domain == Domain::Comm;
  const Node *call = wrapper ? wrappedCall(*node) : node;
  const CollectiveSpec *spec = call == nullptr ? nullptr : collectiveOf(*call);
  step.communicates = wrapper || spec != nullptr;
  step.fence = spec != nullptr && (isPointToPoint(spec->kind) || spec->kind == CollectiveKind::Barrier);
  if (step.communicates)
    step.group = groupIdOf(*node).text;
  steps_.push_back(std::move(step));
}

void SlowProgram::matchFlights() {
  /// What flies in one storage, or flew there last.
  struct Together {
    std::set<int> launches;
    bool landed = false;
  };
  std::map<StorageId, Together> flown;
  auto fly = [&](StorageId storage, int launch) {
    if (flown[storage].landed)
      flown[storage] = {};
    flown[storage].launches.insert(launch);
  };
  for (int i = 0; i < size(); ++i) {
    std::set<int> ended;
    for (auto [storage, access] : steps_[i].accesses) {
      if (!has(access, Access::Land))
        continue;
      for (int launch : flown[storage].launches) {
        steps_[launch].heldTo.insert(i);
        if (!flown[storage].landed)
          ended.insert(launch);
      }
      flown[storage].landed = true;
    }
    for (int launch : ended) {
      steps_[i].flights.push_back(launch);
      steps_[launch].flights.push_back(i);
    }
    if (steps_[i].launch) {
      for (StorageId storage : storages_.storages(steps_[i].node))
        fly(storage, i);
      for (auto [storage, access] : steps_[i].accesses)
        if (has(access, Access::InFlightWrite))
          fly(storage, i);
    }
  }
}

/// See ccgraph/ir/lifetimes.h: names that AOTAutograd gives tell which placeholders the caller holds.
bool SlowProgram::givenAway(const Node &owner) const {
  auto named = [](const Node *node, llvm::StringRef name) {
    return node->opcode() == Opcode::Placeholder && node->target().str().startswith(name);
  };
  if (owner.opcode() != Opcode::Placeholder || named(&owner, "primals"))
    return false;
  return std::any_of(steps_.begin(), steps_.end(),
                     [&](const SlowStep &step) { return named(step.node, "primals") || named(step.node, "tangents"); });
}

int SlowProgram::positionOf(const Node *node) const { return position_[node->id()]; }

std::vector<int> SlowProgram::order() const {
  std::vector<int> order(steps_.size());
  for (int i = 0; i < size(); ++i)
    order[i] = i;
  return order;
}

int64_t SlowProgram::peak(const std::vector<int> &order, const std::set<int> &together) const {
  int count = size();
  std::vector<int> place(count);
  for (int i = 0; i < count; ++i)
    place[order[i]] = i;
  int joint = -1;
  for (int member : together)
    joint = std::max(joint, place[member]);
  std::set<int> jointWaits;
  for (int member : together) {
    place[member] = joint;
    jointWaits.insert(steps_[member].heldTo.begin(), steps_[member].heldTo.end());
  }
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
    std::set<int> waits = together.count(i) != 0 ? jointWaits : step.heldTo;
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

bool SlowProgram::mayShareTwo(const Node &a, const Node &b) const {
  auto cells = [&](const Node &node) -> std::vector<std::vector<int64_t>> {
    const Node *inner = wrappedCall(node);
    if (inner == nullptr || collectiveOf(*inner) == nullptr)
      return {};
    CollectiveCall call = *collectiveCall(*inner);
    if (!call.ranks.empty())
      return {call.ranks};
    const Group *group = graph_.groups().find(call.group);
    if (group == nullptr)
      return {};
    return group->ranks.empty() ? group->partition : std::vector<std::vector<int64_t>>{group->ranks};
  };
  auto left = cells(a), right = cells(b);
  for (const auto &x : left)
    for (const auto &y : right) {
      int64_t common = 0;
      for (int64_t rank : x)
        common += std::count(y.begin(), y.end(), rank);
      if (common >= 2)
        return true;
    }
  return left.empty() || right.empty();
}

bool SlowProgram::isOpen(const SlowStep &step) const {
  if (open_.empty()) {
    std::vector<GroupId> groups;
    for (const SlowStep &other : steps_)
      if (GroupId group = other.communicates ? groupIdOf(*other.node) : GroupId();
          other.communicates && !llvm::is_contained(groups, group))
        groups.push_back(std::move(group));
    std::vector<bool> open = openGroups(graph_.groups(), groups, knownWorldSize(graph_));
    for (size_t i = 0; i < groups.size(); ++i)
      open_[groups[i].text] = open[i];
  }
  return open_.at(step.group);
}

bool SlowProgram::keepOrder(const SlowStep &a, const SlowStep &b) const {
  return a.group == b.group || isOpen(a) || isOpen(b) || ((a.fence || b.fence) && mayShareTwo(*a.node, *b.node));
}

std::vector<std::vector<int>> SlowProgram::needs() const {
  struct Resource {
    int writer = -1;
    std::vector<int> readers;
  };
  std::vector<Resource> storages(storages_.numStorages());
  std::vector<Resource> shapes(storages_.numStorages());
  std::set<StorageId> reshaped;
  for (const SlowStep &step : steps_)
    for (auto [storage, access] : step.accesses)
      if (has(access, Access::Reshape))
        reshaped.insert(storage);
  Resource random, host;
  std::vector<std::vector<int>> needs(steps_.size());
  std::vector<int> communication;
  auto read = [&](Resource &resource, int step) {
    if (resource.writer >= 0 && resource.writer != step)
      needs[step].push_back(resource.writer);
    resource.readers.push_back(step);
  };
  auto write = [&](Resource &resource, int step) {
    read(resource, step);
    for (int reader : resource.readers)
      if (reader != step)
        needs[step].push_back(reader);
    resource = {step, {}};
  };
  for (int i = 0; i < size(); ++i) {
    const SlowStep &step = steps_[i];
    needs[i] = step.operands;
    for (auto [storage, access] : step.accesses) {
      if (has(access, Access::Reshape))
        write(shapes[storage], i);
      else if (reshaped.count(storage) != 0)
        read(shapes[storage], i);
      if (step.wait || writesElements(access))
        write(storages[storage], i);
      else if (touchesElements(access))
        read(storages[storage], i);
    }
    for (int launch : step.wait ? step.flights : std::vector<int>())
      for (auto [storage, access] : steps_[launch].accesses) {
        if (has(access, Access::InFlightWrite))
          write(storages[storage], i);
        else if (has(access, Access::InFlightRead))
          read(storages[storage], i);
      }
    if (step.domain == Domain::Rng)
      write(random, i);
    if (step.domain == Domain::Host)
      write(host, i);
    if (!step.communicates)
      continue;
    for (int other : communication)
      if ((step.fence || steps_[other].fence || steps_[other].group != step.group) && keepOrder(steps_[other], step))
        needs[i].push_back(other);
    communication.push_back(i);
  }
  return needs;
}

} // namespace ccgraph::test

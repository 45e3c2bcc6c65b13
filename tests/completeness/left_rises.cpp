#include "completeness/slow_program.h"

#include <algorithm>

namespace ccgraph::test {

namespace {

/// A step that makes tensors out of tensors, or out of nothing, without an operation on an element and without a trace elsewhere.
bool movesBytes(const SlowStep &step) {
  const Node &node = *step.node;
  if (node.op() == nullptr || node.op()->role != OpRole::Compute || node.op()->work == nullptr ||
      node.type() == nullptr)
    return false;
  if (step.domain != Domain::None || step.view || step.wait || step.launch)
    return false;
  bool writesNothing = std::none_of(step.accesses.begin(), step.accesses.end(),
                                    [](auto access) { return writesElements(access.second); });
  std::vector<const Type *> results = {node.type()};
  if (node.type()->isList())
    results.assign(node.type()->elements().begin(), node.type()->elements().end());
  bool tensors = std::all_of(results.begin(), results.end(), [](const Type *type) { return type->isTensor(); });
  std::optional<Work> work = node.op()->work(node);
  return writesNothing && tensors && work && work->flops == 0;
}

/// Looks for higher places, one launch after another.
class RiseCheck {
public:
  RiseCheck(const Graph &graph, int64_t budget) : program_(graph), budget_(budget), feeds_(program_.size()) {
    std::vector<bool> reaches(program_.size());
    for (int i = program_.size() - 1; i >= 0; --i) {
      const SlowStep &step = steps()[i];
      bool read = false;
      for (const Use &use : step.node->uses()) {
        int user = program_.positionOf(use.user());
        read |= !use.isOrdering() && (steps()[user].launch || reaches[user]);
      }
      feeds_[i] = read && movesBytes(step);
      reaches[i] = read && (feeds_[i] || step.view);
    }
  }

  /// How many places of one launch may be tried: all for a small program, the nearest for one that is large.
  [[nodiscard]] int64_t triesEach() const {
    auto launches = std::count_if(steps().begin(), steps().end(), [](const SlowStep &step) { return step.launch; });
    return std::max<int64_t>(1, 200'000'000 / (int64_t{program_.size()} * std::max<int64_t>(1, launches)));
  }

  [[nodiscard]] Left run() const {
    Left left;
    int64_t tries = triesEach();
    for (int i = 0; i < program_.size(); ++i)
      if (int place = steps()[i].launch ? higherPlace(i, tries) : -1; place >= 0)
        left.push_back(steps()[i].node->name().str().str() + " before " + steps()[place].node->name().str().str());
    return left;
  }

private:
  /// What rises, and what it may not rise above.
  struct Unit {
    std::set<int> members;
    std::set<int> read;
    std::set<int> ordered;

    void add(int position, const SlowStep &step) {
      members.insert(position);
      for (size_t i = 0; i < step.operands.size(); ++i)
        (i < step.node->numOperands() ? read : ordered).insert(step.operands[i]);
    }
  };

  [[nodiscard]] const std::vector<SlowStep> &steps() const { return program_.steps(); }

  /// A step that would run after the launch instead of before it, with memory for that; -1 if there is none. Views, launches and feeders
  /// above a launch are passed on the way to such a step only.
  [[nodiscard]] int higherPlace(int launch, int64_t tries) const {
    Unit unit;
    unit.add(launch, steps()[launch]);
    for (int i = launch - 1; i >= 0 && tries > 0; --i) {
      const SlowStep &step = steps()[i];
      bool read = unit.read.count(i) != 0;
      if (unit.ordered.count(i) != 0 || (read && !step.view && !feeds_[i]))
        return -1;
      if (read) {
        unit.add(i, step);
        continue;
      }
      if (mustStayAbove(step, launch, unit))
        return -1;
      if (step.view || step.launch || feeds_[i])
        continue;
      --tries;
      if (program_.peak(withUnitBefore(i, unit)) <= budget_)
        return i;
    }
    return -1;
  }

  /// Something that no operand says: values in storages, the order of collectives, inputs and opaque steps.
  [[nodiscard]] bool mustStayAbove(const SlowStep &other, int launch, const Unit &unit) const {
    if (other.node->opcode() == Opcode::Placeholder || other.domain == Domain::All)
      return true;
    if (other.communicates && program_.keepOrder(other, steps()[launch]))
      return true;
    return std::any_of(unit.members.begin(), unit.members.end(),
                       [&](int member) { return conflict(steps()[member], other); });
  }

  [[nodiscard]] bool conflict(const SlowStep &mover, const SlowStep &other) const {
    auto clash = [](Access mine, Access theirs) {
      return touchesElements(mine) && touchesElements(theirs) && (writesElements(mine) || writesElements(theirs));
    };
    for (auto [mine, access] : mover.accesses) {
      for (auto [theirs, otherAccess] : other.accesses)
        if (mine == theirs && (has(otherAccess, Access::Reshape) ||
                               (touchesElements(access) && (other.wait || clash(access, otherAccess)))))
          return true;
      for (int flight : other.wait ? other.flights : std::vector<int>())
        for (auto [theirs, flying] : steps()[flight].accesses)
          if (mine == theirs && hasAny(flying, Access::InFlightRead | Access::InFlightWrite) && clash(access, flying))
            return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<int> withUnitBefore(int place, const Unit &unit) const {
    std::vector<int> order;
    for (int i : program_.order()) {
      if (i == place)
        order.insert(order.end(), unit.members.begin(), unit.members.end());
      if (unit.members.count(i) == 0)
        order.push_back(i);
    }
    return order;
  }

  SlowProgram program_;
  int64_t budget_;
  /// by position: moves bytes only, for a launch
  std::vector<bool> feeds_;
};

} // namespace

Left launchesThatCouldRise(const Graph &graph, int64_t budget) { return RiseCheck(graph, budget).run(); }

} // namespace ccgraph::test

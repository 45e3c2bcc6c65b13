#include "size_system.h"

#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace ccgraph::equality {

SizeSystem::SizeSystem() { (void)constant(1); }

SizeVariable SizeSystem::add(int64_t value) {
  if (value <= 1)
    return constant(value);
  values_.push_back(value);
  parents_.push_back(static_cast<SizeVariable>(parents_.size()));
  return parents_.back();
}

SizeVariable SizeSystem::constant(int64_t value) {
  auto [place, isNew] = constants_.try_emplace(value, 0);
  if (isNew) {
    place->second = static_cast<SizeVariable>(values_.size());
    values_.push_back(value);
    parents_.push_back(place->second);
  }
  return place->second;
}

SizeVariable SizeSystem::rootOf(SizeVariable variable) const {
  while (parents_[variable] != variable)
    variable = parents_[variable] = parents_[parents_[variable]];
  return variable;
}

void SizeSystem::equate(SizeVariable a, SizeVariable b) {
  a = rootOf(a);
  b = rootOf(b);
  assert(values_[a] == values_[b] && "equal sizes");
  auto isConstant = [&](SizeVariable variable) {
    auto known = constants_.find(values_[variable]);
    return known != constants_.end() && known->second == variable;
  };
  // A constant stays the root of its class, so that the search finds its number there.
  if (isConstant(b))
    std::swap(a, b);
  parents_[b] = a;
}

void SizeSystem::relateProducts(llvm::ArrayRef<SizeVariable> left, llvm::ArrayRef<SizeVariable> right) {
  if (left.size() == 1 && right.size() == 1)
    return equate(left.front(), right.front());
  relations_.push_back({Relation::Kind::Product, left.vec(), right.vec()});
}

void SizeSystem::relateSum(SizeVariable total, llvm::ArrayRef<SizeVariable> parts) {
  if (parts.size() == 1)
    return equate(total, parts.front());
  relations_.push_back({Relation::Kind::Sum, {total}, parts.vec()});
}

void SizeSystem::relateBelow(SizeVariable less, SizeVariable more) {
  relations_.push_back({Relation::Kind::Below, {less}, {more}});
}

/// In which order numbers are tried.
struct SearchOrder {
  int64_t smallest = 2;
  /// numbers that stand for the same value come first
  bool repeatsNumbers = false;
};

/// Assigns numbers in turn, and takes back the last ones where a relation fails.
class SizeSearch {
public:
  SizeSearch(const SizeSystem &system, const std::map<SizeVariable, int64_t> &chosen, SearchOrder by)
      : system_(system), by_(by) {
    numbers_.assign(system.values_.size(), 0);
    relationsOf_.resize(system.values_.size());
    addRelations();
    for (const auto &[value, variable] : system.constants_)
      fixed_.emplace_back(system.rootOf(variable), value);
    for (const auto &[variable, number] : chosen)
      fixed_.emplace_back(system.rootOf(variable), number);
    for (SizeVariable variable = 0; variable != numbers_.size(); ++variable)
      if (system.rootOf(variable) == variable)
        order_.push_back(variable);
    llvm::stable_sort(order_, [&](SizeVariable a, SizeVariable b) {
      return std::pair(isShare(a), system.values_[a]) < std::pair(isShare(b), system.values_[b]);
    });
  }

  std::optional<std::vector<int64_t>> run() {
    for (auto [variable, number] : fixed_)
      if (assigned_[variable] ? numbers_[variable] != number : !assign(variable, number))
        return std::nullopt;
    if (!propagate() || !choose(0))
      return std::nullopt;
    std::vector<int64_t> result;
    for (SizeVariable variable = 0; variable != numbers_.size(); ++variable)
      result.push_back(numbers_[system_.rootOf(variable)]);
    return result;
  }

private:
  using Relation = SizeSystem::Relation;

  /// Replaces variables by those of their classes, and leaves out what is on both sides of a product.
  void addRelations() {
    std::set<Relation> distinct;
    for (Relation relation : system_.relations_) {
      for (SizeVariables *side : {&relation.left, &relation.right}) {
        for (SizeVariable &variable : *side)
          variable = system_.rootOf(variable);
        llvm::sort(*side);
      }
      if (relation.kind == Relation::Kind::Product)
        cancel(relation);
      distinct.insert(relation);
    }
    relations_.assign(distinct.begin(), distinct.end());
    for (size_t i = 0; i != relations_.size(); ++i)
      for (const SizeVariables *side : {&relations_[i].left, &relations_[i].right})
        for (SizeVariable variable : *side)
          if (relationsOf_[variable].empty() || relationsOf_[variable].back() != i)
            relationsOf_[variable].push_back(i);
  }
  static void cancel(Relation &relation) {
    SizeVariables left, right;
    std::set_difference(relation.left.begin(), relation.left.end(), relation.right.begin(), relation.right.end(),
                        std::back_inserter(left));
    std::set_difference(relation.right.begin(), relation.right.end(), relation.left.begin(), relation.left.end(),
                        std::back_inserter(right));
    relation.left = std::move(left);
    relation.right = std::move(right);
  }

  /// Returns whether the variable is only a quotient of others by numbers that are known from the start. Such variables
  /// come last, since the others often determine them.
  [[nodiscard]] bool isShare(SizeVariable variable) const {
    auto isKnown = [&](SizeVariable other) {
      return other == variable || llvm::any_of(fixed_, [&](const auto &entry) { return entry.first == other; });
    };
    return !relationsOf_[variable].empty() && llvm::all_of(relationsOf_[variable], [&](size_t index) {
      const Relation &relation = relations_[index];
      return relation.kind == Relation::Kind::Product && relation.left.size() == 1 && relation.right.size() > 1 &&
             llvm::all_of(relation.right, isKnown) && relation.left.front() != variable;
    });
  }

  /// Returns false if the number is not allowed.
  bool assign(SizeVariable variable, int64_t number) {
    const int64_t value = system_.values_[variable];
    if (number < 0 || number > value || (number < 2) != (value < 2))
      return false;
    auto [place, isNew] = valueOfNumber_.try_emplace(number, std::pair(value, 0));
    if (place->second.first != value)
      return false;
    ++place->second.second;
    numbers_[variable] = number;
    assigned_[variable] = true;
    trail_.push_back(variable);
    pending_.insert(pending_.end(), relationsOf_[variable].begin(), relationsOf_[variable].end());
    return true;
  }
  void takeBack(size_t length) {
    for (; trail_.size() > length; trail_.pop_back()) {
      SizeVariable variable = trail_.back();
      if (auto place = valueOfNumber_.find(numbers_[variable]); --place->second.second == 0)
        valueOfNumber_.erase(place);
      numbers_[variable] = 0;
      assigned_[variable] = false;
    }
    pending_.clear();
  }

  bool propagate() {
    while (!pending_.empty()) {
      size_t relation = pending_.back();
      pending_.pop_back();
      if (!check(relations_[relation]))
        return false;
    }
    return true;
  }

  /// The known part of one side of a relation.
  struct Side {
    int64_t known = 0;
    size_t unknown = 0;
    SizeVariable variable = 0;
    /// two different variables are unknown
    bool isOpen = false;
  };
  template <class Combine>
  Side sideOf(llvm::ArrayRef<SizeVariable> variables, int64_t start, Combine combine) {
    Side side{start, 0, 0, false};
    for (SizeVariable variable : variables)
      if (assigned_[variable])
        side.known = combine(side.known, numbers_[variable]);
      else {
        side.isOpen |= side.unknown != 0 && side.variable != variable;
        side.variable = variable;
        ++side.unknown;
      }
    return side;
  }

  /// Computes the only unknown of a relation; returns false if the relation fails.
  bool check(const Relation &relation) {
    switch (relation.kind) {
    case Relation::Kind::Below:
      return !assigned_[relation.left[0]] || !assigned_[relation.right[0]] ||
             numbers_[relation.left[0]] < numbers_[relation.right[0]];
    case Relation::Kind::Product: {
      Side left = sideOf(relation.left, 1, saturatingMultiply), right = sideOf(relation.right, 1, saturatingMultiply);
      if (left.unknown == 0 && right.unknown == 0)
        return left.known == right.known;
      if (right.unknown == 0)
        std::swap(left, right);
      return left.unknown != 0 || right.isOpen || setRoot(right, left.known);
    }
    case Relation::Kind::Sum: {
      Side total = sideOf(relation.left, 0, saturatingAdd), parts = sideOf(relation.right, 0, saturatingAdd);
      if (parts.unknown == 0)
        return total.unknown == 0 ? total.known == parts.known : assign(relation.left[0], parts.known);
      if (total.unknown != 0 || parts.isOpen)
        return true;
      auto count = static_cast<int64_t>(parts.unknown);
      int64_t rest = total.known - parts.known;
      return rest > 0 && rest % count == 0 && assign(parts.variable, rest / count);
    }
    }
    return true;
  }
  /// Sets the unknown of a product, which may occur several times.
  bool setRoot(const Side &side, int64_t product) {
    if (side.known == 0 || product % side.known != 0)
      return false;
    int64_t power = product / side.known;
    for (int64_t root = 1;; ++root) {
      int64_t result = 1;
      for (size_t i = 0; i != side.unknown; ++i)
        result = saturatingMultiply(result, root);
      if (side.unknown == 1)
        return assign(side.variable, power);
      if (result >= power)
        return result == power && assign(side.variable, root);
    }
  }

  bool choose(size_t next) {
    while (next != order_.size() && assigned_[order_[next]])
      ++next;
    if (next == order_.size())
      return true;
    const SizeVariable variable = order_[next];
    for (int64_t number : candidatesOf(system_.values_[variable])) {
      if (++choices_ > SizeSystem::mostChoices)
        return false;
      const size_t before = trail_.size();
      if (assign(variable, number) && propagate() && choose(next + 1))
        return true;
      takeBack(before);
    }
    return false;
  }

  /// The numbers to try for a size: ascending ones that stand for no other value, and the value itself.
  [[nodiscard]] std::vector<int64_t> candidatesOf(int64_t value) const {
    constexpr int64_t largest = 96;
    std::vector<int64_t> numbers;
    auto add = [&](int64_t number) {
      auto use = valueOfNumber_.find(number);
      if (use == valueOfNumber_.end() || use->second.first == value)
        numbers.push_back(number);
    };
    for (const auto &[number, use] : valueOfNumber_)
      if (by_.repeatsNumbers && use.first == value)
        numbers.push_back(number);
    for (int64_t number = std::min(by_.smallest, value); number <= std::min(largest, value); ++number)
      add(number);
    if (value > largest)
      add(value);
    return numbers;
  }

  const SizeSystem &system_;
  SearchOrder by_;
  std::vector<Relation> relations_;
  std::vector<std::vector<size_t>> relationsOf_;
  std::vector<std::pair<SizeVariable, int64_t>> fixed_;
  /// roots by value
  SizeVariables order_;
  /// by root: its number
  std::vector<int64_t> numbers_;
  std::vector<bool> assigned_ = std::vector<bool>(system_.values_.size(), false);
  /// by number: the value that it stands for, and how many variables have it
  std::map<int64_t, std::pair<int64_t, int64_t>> valueOfNumber_;
  SizeVariables trail_;
  std::vector<size_t> pending_;
  size_t choices_ = 0;
};

/// Equates variables that two relations compute alike from the same others; returns whether there were any.
bool SizeSystem::equateDetermined() {
  using Key = std::pair<Relation, bool>;
  std::map<Key, SizeVariable> known;
  bool changes = false;
  auto note = [&](Relation others, bool isLeft, SizeVariable variable) {
    auto [place, isNew] = known.try_emplace(Key(std::move(others), isLeft), variable);
    if (isNew || rootOf(place->second) == rootOf(variable) || valueOf(place->second) != valueOf(variable))
      return;
    equate(place->second, variable);
    changes = true;
  };
  std::set<Relation> distinct;
  for (Relation &relation : relations_) {
    for (SizeVariables *side : {&relation.left, &relation.right}) {
      for (SizeVariable &variable : *side)
        variable = rootOf(variable);
      llvm::sort(*side);
    }
    distinct.insert(relation);
  }
  relations_.assign(distinct.begin(), distinct.end());
  for (const Relation &relation : relations_) {
    if (relation.kind == Relation::Kind::Below)
      continue;
    for (const bool isLeft : {true, false})
      for (size_t i = 0; i != (isLeft ? relation.left : relation.right).size(); ++i) {
        Relation others = relation;
        SizeVariables &side = isLeft ? others.left : others.right;
        const SizeVariable variable = side[i];
        side.erase(side.begin() + static_cast<int64_t>(i));
        note(std::move(others), isLeft, variable);
      }
  }
  return changes;
}

/// Equates variables that differ neither in their values nor in the form of their relations, by refinement of classes:
/// two variables stay in one class as long as they have equal relations to equal classes.
void SizeSystem::equateAlike() {
  std::vector<int64_t> classes(values_.begin(), values_.end());
  for (size_t before = 0;;) {
    std::vector<std::vector<std::vector<int64_t>>> forms(values_.size());
    for (const Relation &relation : relations_)
      addForms(relation, classes, forms);
    std::map<std::pair<int64_t, std::vector<std::vector<int64_t>>>, int64_t> known;
    for (SizeVariable variable = 0; variable != values_.size(); ++variable)
      if (rootOf(variable) == variable) {
        llvm::sort(forms[variable]);
        // Relations of one form count once: a size has a part on each rank.
        forms[variable].erase(std::unique(forms[variable].begin(), forms[variable].end()), forms[variable].end());
        auto place = known.try_emplace({classes[variable], std::move(forms[variable])}, known.size()).first;
        classes[variable] = place->second;
      }
    if (known.size() == before)
      break;
    before = known.size();
  }
  std::map<int64_t, SizeVariable> first;
  for (SizeVariable variable = 0; variable != values_.size(); ++variable)
    if (rootOf(variable) == variable)
      if (auto [place, isNew] = first.try_emplace(classes[variable], variable); !isNew)
        equate(place->second, variable);
}

/// Adds the classes of a relation to what is known of each of its variables.
void SizeSystem::addForms(const Relation &relation, const std::vector<int64_t> &classes,
                          std::vector<std::vector<std::vector<int64_t>>> &forms) {
  std::vector<int64_t> form = {static_cast<int64_t>(relation.kind)};
  for (const SizeVariables *side : {&relation.left, &relation.right}) {
    std::vector<int64_t> sorted;
    for (SizeVariable variable : *side)
      sorted.push_back(classes[variable]);
    llvm::sort(sorted);
    form.push_back(-1);
    form.insert(form.end(), sorted.begin(), sorted.end());
  }
  for (const SizeVariables *side : {&relation.left, &relation.right})
    for (SizeVariable variable : *side) {
      forms[variable].push_back(form);
      forms[variable].back().push_back(side == &relation.left ? -2 : -3);
    }
}

void SizeSystem::equateValues(const std::map<SizeVariable, int64_t> &chosen) {
  std::map<int64_t, SizeVariable> first;
  for (SizeVariable variable = 0; variable != values_.size(); ++variable)
    if (!chosen.count(variable))
      if (auto [place, isNew] = first.try_emplace(values_[variable], variable); !isNew)
        equate(place->second, variable);
}

/// Equates variables at the same place of relations between the same values.
void SizeSystem::equateForms(const std::map<SizeVariable, int64_t> &chosen) {
  using Form = std::vector<int64_t>;
  std::map<std::pair<Form, int64_t>, SizeVariable> known;
  for (const Relation &relation : relations_) {
    Form form = {static_cast<int64_t>(relation.kind)};
    std::map<int64_t, SizeVariable> variables;
    bool isClear = relation.kind != Relation::Kind::Below;
    for (const SizeVariables *side : {&relation.left, &relation.right}) {
      Form sorted;
      for (SizeVariable variable : *side) {
        sorted.push_back(valueOf(variable));
        auto place = variables.try_emplace(valueOf(variable), variable).first;
        isClear &= rootOf(place->second) == rootOf(variable) && !chosen.count(variable);
      }
      llvm::sort(sorted);
      form.push_back(-1);
      form.insert(form.end(), sorted.begin(), sorted.end());
    }
    for (auto [value, variable] : variables)
      if (isClear)
        if (auto [place, isNew] = known.try_emplace({form, value}, variable); !isNew)
          equate(place->second, variable);
  }
}

std::optional<std::vector<int64_t>> SizeSystem::solve(const std::map<SizeVariable, int64_t> &chosen, int64_t smallest,
                                                      SizeTies ties) const {
  SizeSystem system = *this;
  while (system.equateDetermined()) {
  }
  if (ties == SizeTies::Values)
    system.equateValues(chosen);
  if (ties == SizeTies::Forms)
    system.equateForms(chosen);
  for (const auto &[variable, number] : chosen)
    system.relations_.push_back({Relation::Kind::Below, {system.rootOf(variable)}, {}}); // stays apart from other sizes
  system.equateAlike();
  llvm::erase_if(system.relations_, [](const Relation &relation) { return relation.right.empty(); });
  while (system.equateDetermined()) {
  }
  return SizeSearch(system, chosen, {smallest, ties == SizeTies::Numbers}).run();
}

} // namespace ccgraph::equality

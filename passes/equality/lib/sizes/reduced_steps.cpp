#include "reduced_steps.h"

#include "distribute.h"
#include "step_nodes.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ccgraph::equality {
namespace {

/// Gives a copy of a graph other sizes and numbers.
class GraphReduction {
public:
  GraphReduction(const GraphSizes &sizes, llvm::ArrayRef<int64_t> numbers, const std::map<double, double> &arithmetic)
      : sizes_(sizes), numbers_(numbers), arithmetic_(arithmetic), copy_(sizes.graph->clone()) {}

  std::unique_ptr<Graph> run() {
    std::vector<Node *> copies = copy_->nodes();
    size_t next = 0;
    for (const Node *node : *sizes_.graph) {
      Node &copy = *copies[next++];
      size_t tensor = 0;
      copy_->setType(&copy, typeOf(node->type(), sizes_.values[node->id()], tensor));
      if (node->opcode() == Opcode::CallFunction)
        setLiterals(*node, copy);
    }
    return std::move(copy_);
  }

private:
  const Type *typeOf(const Type *type, const ValueSizes &sizes, size_t &tensor) {
    if (type && type->isList()) {
      std::vector<const Type *> elements;
      for (const Type *element : type->elements())
        elements.push_back(typeOf(element, sizes, tensor));
      return copy_->context().list(elements);
    }
    const SizeVariables &dims = sizes[tensor++];
    if (!type || !type->isTensor())
      return type;
    DimList reduced;
    for (SizeVariable dim : dims)
      reduced.emplace_back(numbers_[dim]);
    return copy_->context().tensor(type->dtype(), {reduced, {}, false}, type->device());
  }

  void setLiterals(const Node &node, Node &copy) {
    bool changes = false;
    ArgumentBuilder builder(*copy_);
    std::vector<Argument> positional;
    std::vector<NamedArgument> keyword;
    const bool isArithmetic = readsNumbers(node);
    for (const Argument &argument : node.args())
      positional.push_back(rewritten(argument, copy, builder, isArithmetic, changes));
    for (const NamedArgument &argument : node.kwargs())
      keyword.push_back({argument.name, rewritten(argument.value, copy, builder, isArithmetic, changes)});
    if (changes)
      copy_->setArguments(&copy, std::move(builder), {positional, keyword});
  }

  Argument rewritten(const Argument &argument, Node &copy, ArgumentBuilder &builder, bool isArithmetic, bool &changes) {
    if (auto term = sizes_.literals.find(&argument); term != sizes_.literals.end()) {
      changes = true;
      return Argument::integer(term->second.valueIn(numbers_));
    }
    if (argument.is(Argument::Kind::List) || argument.is(Argument::Kind::Tuple)) {
      std::vector<Argument> elements;
      for (const Argument &element : argument.elements())
        elements.push_back(rewritten(element, copy, builder, false, changes));
      return builder.sequence(argument.kind(), elements);
    }
    if (isArithmetic)
      if (std::optional<double> number = numberOf(argument))
        if (auto known = arithmetic_.find(*number); known != arithmetic_.end() && known->second != *number) {
          changes = true;
          return argument.is(Argument::Kind::Int) ? Argument::integer(static_cast<int64_t>(known->second))
                                                  : Argument::floating(known->second);
        }
    return builder.copy(argument, [&](uint32_t operand) { return copy.operand(operand); });
  }

  const GraphSizes &sizes_;
  llvm::ArrayRef<int64_t> numbers_;
  const std::map<double, double> &arithmetic_;
  std::unique_ptr<Graph> copy_;
};

} // namespace

bool SizeReduction::tryRanks(const std::map<int64_t, int64_t> &ranks, SizeTies ties) {
  Found found;
  found.mesh = comparison_.placements.mesh;
  std::map<SizeVariable, int64_t> numbers;
  for (size_t axis = 0; axis != found.mesh.size(); ++axis)
    if (const AxisSize &size = sizes_.axes()[axis]; size.isSymmetric) {
      auto known = ranks.find(found.mesh[axis].size);
      found.mesh[axis].size = numbers[size.variable] = known == ranks.end() ? found.mesh[axis].size : known->second;
    }
  std::optional<std::vector<int64_t>> solved = sizes_.system().solve(numbers, found_.empty() ? 2 : 3, ties);
  if (!solved)
    return false;
  found.numbers = std::move(*solved);
  found_.push_back(std::move(found));
  return true;
}

bool SizeReduction::find(SizeTies ties) {
  found_.clear();
  ways_.clear();
  std::set<int64_t> symmetric;
  for (size_t axis = 0; axis != sizes_.axes().size(); ++axis)
    if (sizes_.axes()[axis].isSymmetric)
      symmetric.insert(comparison_.placements.mesh[axis].size);
  // Axes of different sizes keep different sizes. The second assignment has other ranks and other sizes.
  constexpr int64_t fewest = 2, most = 6;
  for (int64_t first = fewest; !symmetric.empty() && first != most && found_.size() != 2; ++first) {
    std::map<int64_t, int64_t> ranks;
    int64_t next = first;
    for (int64_t size : symmetric)
      ranks[size] = std::min(size, next++);
    tryRanks(ranks, ties);
  }
  if (found_.empty() && tryRanks({}, ties))
    tryRanks({}, ties);
  findWays();
  return !found_.empty();
}

void SizeReduction::addKnownNumbers(NumberWays &ways) const {
  auto addProduct = [&](llvm::ArrayRef<SizeVariable> factors) {
    int64_t value = 1;
    std::vector<int64_t> reduced(found_.size(), 1);
    for (SizeVariable factor : factors) {
      value = saturatingMultiply(value, sizes_.system().valueOf(factor));
      for (size_t i = 0; i != found_.size(); ++i)
        reduced[i] *= found_[i].numbers[factor];
    }
    ways.add(value, std::move(reduced));
  };
  SizeVariables axes;
  for (const AxisSize &axis : sizes_.axes()) {
    addProduct(axis.variable);
    axes.push_back(axis.variable);
  }
  addProduct(axes);
  for (const GraphSizes &graph : sizes_.graphs())
    for (const ValueSizes &value : graph.values)
      for (const SizeVariables &dims : value)
        for (size_t first = 0; first != dims.size(); ++first)
          for (size_t count = 1; first + count <= dims.size(); ++count)
            addProduct(llvm::ArrayRef(dims).slice(first, count));
}

/// One assignment alone cannot tell families of programs apart, so numbers then stay what they are.
void SizeReduction::findWays() {
  if (found_.size() < 2)
    return;
  NumberWays ways;
  addKnownNumbers(ways);
  for (const GraphSizes &graph : sizes_.graphs()) {
    auto note = [&](const Argument &argument) {
      std::optional<double> number = numberOf(argument);
      if (number && !graph.literals.count(&argument) && !ways_.count(*number))
        ways_[*number] = ways.of(*number, argument.is(Argument::Kind::Int));
    };
    for (const Node *node : *graph.graph)
      if (readsNumbers(*node)) {
        llvm::for_each(node->args(), note);
        for (const NamedArgument &argument : node->kwargs())
          note(argument.value);
      }
  }
}

size_t SizeReduction::numWays() const {
  size_t most = 0;
  for (const auto &[number, ways] : ways_)
    most = std::max(most, ways.size());
  return most + 1;
}

std::string SizeReduction::noteOf(const Found &found) const {
  std::map<int64_t, int64_t, std::greater<>> sizes;
  for (const ValueSizes &value : sizes_.graphs().front().values)
    for (const SizeVariables &dims : value)
      for (SizeVariable dim : dims)
        sizes.try_emplace(sizes_.system().valueOf(dim), found.numbers[dim]);
  constexpr size_t mostListed = 4;
  std::string text;
  size_t listed = 0;
  for (auto [size, number] : sizes)
    if (size != number && listed++ < mostListed)
      text += (text.empty() ? "" : ", ") + std::to_string(size) + " as " + std::to_string(number);
  for (size_t axis = 0; axis != found.mesh.size(); ++axis)
    if (int64_t ranks = comparison_.placements.mesh[axis].size; ranks != found.mesh[axis].size)
      text += ", " + std::to_string(ranks) + " ranks of " + found.mesh[axis].name + " as " +
              std::to_string(found.mesh[axis].size);
  return text;
}

GroupTable SizeReduction::groupsOf(const Found &found, int64_t reducedRank, int64_t rank) const {
  const std::vector<int64_t> mine = coordinatesOf(reducedRank, found.mesh);
  GroupTable groups;
  for (Group group : comparison_.ranks[static_cast<size_t>(rank)].groups.groups()) {
    if (std::optional<std::vector<size_t>> axes = sizes_.axesOf(group, rank)) {
      group.partition.clear();
      group.ranks.clear();
      for (int64_t other = 0; other != numRanks(found.mesh); ++other) {
        std::vector<int64_t> its = coordinatesOf(other, found.mesh);
        for (size_t axis : *axes)
          its[axis] = mine[axis];
        if (its == mine)
          group.ranks.push_back(other);
      }
    }
    groups.set(std::move(group));
  }
  return groups;
}

ReducedSteps SizeReduction::apply(size_t index, size_t way) {
  const Found &found = found_[index];
  std::map<double, double> arithmetic;
  for (const auto &[number, ways] : ways_)
    if (way != 0 && !ways.empty())
      arithmetic[number] = ways[std::min(way, ways.size()) - 1][index];
  ReducedSteps reduced;
  reduced.comparison = comparison_;
  reduced.note = noteOf(found);
  std::map<const Graph *, const Graph *> copies;
  for (const GraphSizes &graph : sizes_.graphs()) {
    reduced.graphs.push_back(GraphReduction(graph, found.numbers, arithmetic).run());
    copies.try_emplace(graph.graph, reduced.graphs.back().get());
  }
  StepComparison &steps = reduced.comparison;
  steps.single = reduced.graphs.front().get();
  steps.placements.mesh = found.mesh;
  size_t next = 0;
  for (std::vector<TensorPlacement> *list : {&steps.placements.inputs, &steps.placements.outputs})
    for (TensorPlacement &placement : *list) {
      const SizeVariables &shape = sizes_.shapes()[next++];
      for (size_t i = 0; i != shape.size(); ++i)
        (placement.parts.empty() ? placement.as : placement.parts)[i] = found.numbers[shape[i]];
    }
  steps.ranks.clear();
  for (int64_t rank = 0; rank != numRanks(found.mesh); ++rank) {
    const int64_t whole = rankAt(coordinatesOf(rank, found.mesh), comparison_.placements.mesh);
    const RankStep &of = comparison_.ranks[static_cast<size_t>(whole)];
    steps.ranks.push_back({copies.at(of.graph), groupsOf(found, rank, whole)});
    reduced.rankOf.push_back(whole);
  }
  return reduced;
}

} // namespace ccgraph::equality

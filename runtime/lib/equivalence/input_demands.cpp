#include "equivalence/input_demands.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph::runtime {
namespace {

using Into = IndexUse::Into;

/// Do the results hold values of the operands and no others?
bool keeps(const Node &node) { return node.op()->keepsValues || isViewLike(node); }

// embedding(w, view(ids)) with w = f32[100, 8] asks for indices below 100. The walk meets the embedding first, and
// demands that of the view; when it comes to the view, which hands values on as they are, the demand goes on to ids.
// Through an add the number 100 says nothing any more, and ids are only told that an index is computed from them: small
// numbers will do.

/// Walks the program backwards and hands each node's demand on to what it reads.
class DemandWalk {
public:
  DemandWalk(const Graph &graph, DimNumber size) : graph_(graph), size_(size), demands_(graph.idLimit()) {}

  std::vector<InputDemand> run() {
    for (const Node *node = graph_.back(); node; node = node->prev())
      if (node->opcode() == Opcode::CallFunction)
        visit(*node);
    return std::move(demands_);
  }

private:
  void visit(const Node &node) {
    const InputDemand mine = demands_[node.id()];
    bool passes = keeps(node), positive = node.op()->wantsPositive;
    positive |= mine.positive && (passes || node.op()->keepsPositive);
    for (unsigned i = 0; i < node.numOperands(); ++i) {
      InputDemand &theirs = demands_[node.operand(i)->id()];
      theirs.positive |= positive;
      theirs.feedsIndex |= mine.feedsIndex || mine.below.has_value();
      if (passes && mine.below)
        limit(theirs, *mine.below);
    }
    if (node.op()->indices)
      apply(*node.op()->indices, node);
  }

  static void limit(InputDemand &demand, int64_t below) {
    demand.below = std::min(demand.below.value_or(below), below);
  }

  void apply(const IndexUse &use, const Node &node) {
    const Argument *indices = argumentAt(node, use.index);
    if (indices == nullptr)
      return;
    if (indices->is(Argument::Kind::Operand))
      demand(use, node, *indices, 0);
    for (size_t i = 0; i < indices->elements().size(); ++i)
      if (indices->elements()[i].is(Argument::Kind::Operand))
        demand(use, node, indices->elements()[i], static_cast<int64_t>(i));
  }

  void demand(const IndexUse &use, const Node &node, const Argument &index, int64_t position) {
    if (std::optional<int64_t> below = bound(use, node, position))
      limit(demands_[node.operand(index)->id()], *below);
  }

  [[nodiscard]] std::optional<int64_t> bound(const IndexUse &use, const Node &node, int64_t position) const {
    const Argument *data = argumentAt(node, use.data);
    if (data && use.into == Into::Number)
      return data->is(Argument::Kind::Int) ? std::optional(data->integer()) : std::nullopt;
    if (data == nullptr || !data->is(Argument::Kind::Operand))
      return std::nullopt;
    const Type *type = node.operand(*data)->type();
    if (type == nullptr || !type->isTensor() || type->sizes().empty())
      return std::nullopt;
    auto rank = static_cast<int64_t>(type->sizes().size());
    int64_t dim = dimensionOf(use, node, position, rank);
    dim = dim < 0 ? dim + rank : dim;
    return dim >= 0 && dim < rank ? size_(type->sizes()[static_cast<size_t>(dim)]) : std::nullopt;
  }

  static int64_t dimensionOf(const IndexUse &use, const Node &node, int64_t position, int64_t rank) {
    switch (use.into) {
    case Into::First:
    case Into::Number:
      return 0;
    case Into::Second:
      return rank > 1 ? 1 : 0;
    case Into::Each:
      return position;
    case Into::Stated:
      break;
    }
    const Argument *dim = argumentAt(node, 1);
    return dim && dim->is(Argument::Kind::Int) ? dim->integer() : 0;
  }

  const Graph &graph_;
  DimNumber size_;
  std::vector<InputDemand> demands_;
};

} // namespace

std::vector<InputDemand> inputDemands(const Graph &graph, DimNumber size) { return DemandWalk(graph, size).run(); }

} // namespace ccgraph::runtime

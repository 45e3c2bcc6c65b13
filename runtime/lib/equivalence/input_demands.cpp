#include "equivalence/input_demands.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph::runtime {
namespace {

/// Parameter `index` holds indices into a dimension of parameter `data`.
struct IndexRule {
  llvm::StringLiteral op; ///< name without overload
  int8_t index;
  int8_t data;
  enum class Dimension : uint8_t { First, Second, Argument1, EachOfList, LimitArgument } dimension;
};
using Where = IndexRule::Dimension;

constexpr IndexRule indexRules[] = {
    {"aten._unsafe_index", 1, 0, Where::EachOfList},
    {"aten._unsafe_index_put", 1, 0, Where::EachOfList},
    {"aten._unsafe_masked_index", 2, 0, Where::EachOfList},
    {"aten._unsafe_masked_index_put_accumulate", 2, 0, Where::EachOfList},
    {"aten.embedding", 1, 0, Where::First},
    {"aten.embedding_dense_backward", 1, 2, Where::LimitArgument},
    {"aten.gather", 2, 0, Where::Argument1},
    {"aten.index", 1, 0, Where::EachOfList},
    {"aten.index_add", 2, 0, Where::Argument1},
    {"aten.index_copy", 2, 0, Where::Argument1},
    {"aten.index_put", 1, 0, Where::EachOfList},
    {"aten.index_put_", 1, 0, Where::EachOfList},
    {"aten.index_select", 2, 0, Where::Argument1},
    {"aten.nll_loss_backward", 2, 1, Where::Second},
    {"aten.nll_loss_forward", 1, 0, Where::Second},
    {"aten.scatter", 2, 0, Where::Argument1},
    {"aten.scatter_add", 2, 0, Where::Argument1},
    {"aten.scatter_reduce", 2, 0, Where::Argument1},
};

/// Operators whose result holds values of these operands and no others.
constexpr llvm::StringLiteral keepsValues[] = {
    "aten._to_copy",
    "aten.cat",
    "aten.clone",
    "aten.contiguous",
    "aten.copy",
    "aten.stack",
    "prims.convert_element_type",
};

/// Operators that are asked for numbers above zero, and those that keep them so often enough to look through.
constexpr llvm::StringLiteral needsPositive[] = {"aten.log", "aten.log2", "aten.rsqrt", "aten.sqrt"};
constexpr llvm::StringLiteral keepsPositive[] = {
    "aten._foreach_add", "aten._foreach_mul", "aten.add", "aten.addcmul", "aten.div", "aten.lerp", "aten.mul",
};

llvm::StringRef withoutOverload(const Node &node) {
  llvm::StringRef target = node.target().str();
  return target.count('.') > 1 ? target.rsplit('.').first : target;
}

bool contains(llvm::ArrayRef<llvm::StringLiteral> names, llvm::StringRef name) {
  return llvm::is_contained(names, name);
}

const IndexRule *ruleOf(const Node &node) {
  llvm::StringRef op = withoutOverload(node);
  const auto *rule = llvm::find_if(indexRules, [&](const IndexRule &r) { return r.op == op; });
  return rule == std::end(indexRules) ? nullptr : rule;
}

bool keeps(const Node &node) {
  return isViewLike(node) || isWait(node) || isGetItem(node) || node.op()->role == OpRole::Collective ||
         contains(keepsValues, withoutOverload(node));
}

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
    bool passes = keeps(node), positive = contains(needsPositive, withoutOverload(node));
    positive |= mine.positive && (passes || contains(keepsPositive, withoutOverload(node)));
    for (unsigned i = 0; i < node.numOperands(); ++i) {
      InputDemand &theirs = demands_[node.operand(i)->id()];
      theirs.positive |= positive;
      theirs.feedsIndex |= mine.feedsIndex || mine.below.has_value();
      if (passes && mine.below)
        limit(theirs, *mine.below);
    }
    if (const IndexRule *rule = ruleOf(node))
      apply(*rule, node);
  }

  static void limit(InputDemand &demand, int64_t below) {
    demand.below = std::min(demand.below.value_or(below), below);
  }

  void apply(const IndexRule &rule, const Node &node) {
    const Argument *indices = argumentAt(node, rule.index);
    if (indices == nullptr)
      return;
    if (indices->is(Argument::Kind::Operand))
      demand(rule, node, *indices, 0);
    for (size_t i = 0; i < indices->elements().size(); ++i)
      if (indices->elements()[i].is(Argument::Kind::Operand))
        demand(rule, node, indices->elements()[i], static_cast<int64_t>(i));
  }

  void demand(const IndexRule &rule, const Node &node, const Argument &index, int64_t position) {
    if (std::optional<int64_t> below = bound(rule, node, position))
      limit(demands_[node.operand(index)->id()], *below);
  }

  [[nodiscard]] std::optional<int64_t> bound(const IndexRule &rule, const Node &node, int64_t position) const {
    const Argument *data = argumentAt(node, rule.data);
    if (data && rule.dimension == Where::LimitArgument)
      return data->is(Argument::Kind::Int) ? std::optional(data->integer()) : std::nullopt;
    if (data == nullptr || !data->is(Argument::Kind::Operand))
      return std::nullopt;
    const Type *type = node.operand(*data)->type();
    if (type == nullptr || !type->isTensor() || type->sizes().empty())
      return std::nullopt;
    auto rank = static_cast<int64_t>(type->sizes().size());
    int64_t dim = dimensionOf(rule, node, position, rank);
    dim = dim < 0 ? dim + rank : dim;
    return dim >= 0 && dim < rank ? size_(type->sizes()[static_cast<size_t>(dim)]) : std::nullopt;
  }

  static int64_t dimensionOf(const IndexRule &rule, const Node &node, int64_t position, int64_t rank) {
    switch (rule.dimension) {
    case Where::First:
    case Where::LimitArgument:
      return 0;
    case Where::Second:
      return rank > 1 ? 1 : 0;
    case Where::EachOfList:
      return position;
    case Where::Argument1:
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

#include "equivalence/input_demands.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/internal/sign_rule.h"
#include "ccgraph/ir/subgraph_calls.h"

namespace ccgraph::runtime {
namespace {

using Into = IndexUse::Into;

// embedding(w, view(ids)) with w = f32[100, 8] needs indices below 100. The walk visits the embedding first, and
// records this condition for the view. The view passes values on unchanged, so the condition moves on to ids. After an
// add, the number 100 has no meaning, and ids only records that an index is computed from it: small numbers suffice.

/// Something that a call reads: where its demands are kept, and its type.
struct Read {
  llvm::SmallVector<size_t, 1> places;
  const Type *type = nullptr;
};

/// One call, of a graph or of a plan.
struct Call {
  const OpDef &op;
  /// do the results hold values of the operands and no others?
  bool passes;
  /// of the results
  InputDemand mine;
  /// by operand index
  llvm::SmallVector<Read, 4> operands = {};
  /// by parameter; null where left out
  llvm::function_ref<const Argument *(int)> argument;
};

/// The conditions on signs alone, which pass through arithmetic.
struct Signs {
  bool positive = false;
  bool negative = false;
  bool belowOne = false;
};

void join(InputDemand &demand, const Signs &signs) {
  demand.positive |= signs.positive;
  demand.negative |= signs.negative;
  demand.belowOne |= signs.belowOne;
}

Signs signsOf(const InputDemand &demand) { return {demand.positive, demand.negative, demand.belowOne}; }

/// The number that an argument is.
std::optional<double> numberAt(const Call &call, int place) {
  const Argument *argument = call.argument(place);
  if (argument && argument->is(Argument::Kind::Float))
    return argument->floating();
  if (argument && argument->is(Argument::Kind::Int))
    return static_cast<double>(argument->integer());
  return std::nullopt;
}

/// Both factors are one tensor, so the product is a square.
bool isSquare(const Call &call) {
  return call.operands.size() == 2 && !call.operands[0].places.empty() &&
         call.operands[0].places == call.operands[1].places;
}

/// Returns the conditions on operands that follow from those on the result.
Signs signsOfOperands(const Call &call) {
  const InputDemand &mine = call.mine;
  if (call.passes)
    return signsOf(mine);
  const Signs kept{.positive = mine.positive && call.op.keepsPositive};
  std::optional<double> first = numberAt(call, 0), second = numberAt(call, 1);
  switch (signRuleOf(call.op)) {
  case SignRule::Product:
    if (isSquare(call))
      return {};
    if (!second)
      return kept;
    return *second < 0 ? Signs{.positive = mine.negative, .negative = mine.positive}
                       : Signs{.positive = mine.positive, .negative = mine.negative};
  case SignRule::Negation:
    return {.positive = mine.negative, .negative = mine.positive};
  case SignRule::Exponential:
    return {.negative = mine.belowOne};
  case SignRule::OtherMinus:
    return {.belowOne = mine.positive && second == 1.0};
  case SignRule::MinusOther:
    return {.belowOne = mine.negative && second == 1.0};
  case SignRule::PowerOf:
    return {.positive = mine.belowOne && first && *first < 1};
  case SignRule::None:
    return kept;
  }
  return kept;
}

/// The tighter of both.
void join(InputDemand &demand, const InputDemand &other) {
  join(demand, signsOf(other));
  demand.feedsIndex |= other.feedsIndex;
  if (other.below)
    demand.below = std::min(demand.below.value_or(*other.below), *other.below);
}

/// Hands the demands of results on to what made them, call by call, from the last one.
class DemandWalk {
public:
  DemandWalk(size_t places, DimNumber size) : size_(size), demands_(places) {}

  [[nodiscard]] const InputDemand &at(size_t place) const { return demands_[place]; }
  [[nodiscard]] std::vector<InputDemand> take() { return std::move(demands_); }

  void add(size_t place, const InputDemand &demand) { join(demands_[place], demand); }

  /// Passes the demand on to an operand whose values the result keeps.
  void pass(size_t from, size_t to) {
    const InputDemand mine = demands_[from];
    InputDemand &theirs = demands_[to];
    join(theirs, signsOf(mine));
    theirs.feedsIndex |= mine.feedsIndex || mine.below.has_value();
    if (mine.below)
      limit(theirs, *mine.below);
  }

  void visit(const Call &call) {
    const InputDemand &mine = call.mine;
    Signs signs = signsOfOperands(call);
    signs.positive |= call.op.wantsPositive;
    for (const Read &operand : call.operands)
      for (size_t place : operand.places) {
        InputDemand &theirs = demands_[place];
        join(theirs, signs);
        theirs.feedsIndex |= mine.feedsIndex || mine.below.has_value();
        if (call.passes && mine.below)
          limit(theirs, *mine.below);
      }
    if (call.op.indices)
      apply(*call.op.indices, call);
  }

private:
  static void limit(InputDemand &demand, int64_t below) {
    demand.below = std::min(demand.below.value_or(below), below);
  }

  void apply(const IndexUse &use, const Call &call) {
    const Argument *indices = call.argument(use.index);
    if (indices == nullptr)
      return;
    if (indices->is(Argument::Kind::Operand))
      demand(use, call, *indices, 0);
    for (size_t i = 0; i < indices->elements().size(); ++i)
      if (indices->elements()[i].is(Argument::Kind::Operand))
        demand(use, call, indices->elements()[i], static_cast<int64_t>(i));
  }

  void demand(const IndexUse &use, const Call &call, const Argument &index, int64_t position) {
    if (std::optional<int64_t> below = bound(use, call, position))
      for (size_t place : call.operands[index.operandIndex()].places)
        limit(demands_[place], *below);
  }

  [[nodiscard]] std::optional<int64_t> bound(const IndexUse &use, const Call &call, int64_t position) const {
    const Argument *data = call.argument(use.data);
    if (data && use.into == Into::Number)
      return data->is(Argument::Kind::Int) ? std::optional(data->integer()) : std::nullopt;
    if (data == nullptr || !data->is(Argument::Kind::Operand))
      return std::nullopt;
    const Type *type = call.operands[data->operandIndex()].type;
    if (type == nullptr || !type->isTensor() || type->sizes().empty())
      return std::nullopt;
    auto rank = static_cast<int64_t>(type->sizes().size());
    int64_t dim = dimensionOf(use, call, position, rank);
    dim = dim < 0 ? dim + rank : dim;
    return dim >= 0 && dim < rank ? size_(type->sizes()[static_cast<size_t>(dim)]) : std::nullopt;
  }

  static int64_t dimensionOf(const IndexUse &use, const Call &call, int64_t position, int64_t rank) {
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
    const Argument *dim = call.argument(1);
    return dim && dim->is(Argument::Kind::Int) ? dim->integer() : 0;
  }

  DimNumber size_;
  std::vector<InputDemand> demands_;
};

void walkGraph(DemandWalk &walk, const Graph &graph, DimNumber size);

void visitCall(DemandWalk &walk, const Node &node) {
  auto argument = [&](int index) { return argumentAt(node, index); };
  Call call{*node.op(), node.op()->keepsValues || isViewLike(node), walk.at(node.id()), {}, argument};
  for (unsigned i = 0; i < node.numOperands(); ++i)
    call.operands.push_back({{node.operand(i)->id()}, node.operand(i)->type()});
  walk.visit(call);
}

/// A node of control_deps demands what its body does: control_deps((p,), body, x, y) calls body(x, y).
void visitBody(DemandWalk &walk, const Node &node, const Graph &body, DimNumber size) {
  DemandWalk inside(body.idLimit(), size);
  for (const Node *result : body.back()->dataOperands())
    inside.add(result->id(), walk.at(node.id()));
  walkGraph(inside, body, size);
  size_t parameter = 2;
  for (const Node *placeholder : body)
    if (placeholder->opcode() == Opcode::Placeholder && parameter < node.args().size())
      if (const Argument &given = node.args()[parameter++]; given.is(Argument::Kind::Operand))
        walk.add(node.operand(given)->id(), inside.at(placeholder->id()));
}

const Graph *bodyOf(const Node &node) {
  const Argument *body = node.op()->role == OpRole::ControlDeps ? argumentAt(node, 1) : nullptr;
  return body && body->is(Argument::Kind::Operand) ? namedSubgraph(*node.operand(*body)) : nullptr;
}

void visit(DemandWalk &walk, const Node &node, DimNumber size) {
  if (const Graph *body = bodyOf(node); body && body->back())
    return visitBody(walk, node, *body, size);
  visitCall(walk, node);
}

void walkGraph(DemandWalk &walk, const Graph &graph, DimNumber size) {
  for (const Node *node = graph.back(); node; node = node->prev())
    if (node->opcode() == Opcode::CallFunction)
      visit(walk, *node, size);
}

void visit(DemandWalk &walk, const KernelStep &kernel) {
  auto argument = [&](int index) -> const Argument * {
    if (index < 0)
      return nullptr;
    auto place = static_cast<size_t>(index);
    if (place < kernel.args.size())
      return &kernel.args[place];
    for (const NamedArgument &named : kernel.kwargs)
      if (place < kernel.op->params.size() && named.name.str() == kernel.op->params[place].name)
        return &named.value;
    return nullptr;
  };
  Call call{*kernel.op, kernel.op->keepsValues, {}, {}, argument};
  forEachWindow(kernel.result, [&](const PlanWindow &window) { join(call.mine, walk.at(window.buffer)); });
  for (const PlanOperand &operand : kernel.operands) {
    Read read;
    forEachWindow(operand.value, [&](const PlanWindow &window) { read.places.push_back(window.buffer); });
    if (operand.value.kind == PlanValue::Kind::Tensor)
      read.type = operand.value.window.type;
    call.operands.push_back(std::move(read));
  }
  walk.visit(call);
}

void visit(DemandWalk &walk, const CollectiveStep &collective) {
  for (const PlanCollective &call : collective.calls)
    for (const PlanRow &row : call.rows)
      if (row.send && row.receive)
        walk.pass(row.receive->buffer, row.send->buffer);
}

} // namespace

std::vector<InputDemand> inputDemands(const Graph &graph, DimNumber size) {
  DemandWalk walk(graph.idLimit(), size);
  walkGraph(walk, graph, size);
  return walk.take();
}

std::vector<InputDemand> inputDemands(const Plan &plan, DimNumber size) {
  DemandWalk walk(plan.buffers.size(), size);
  for (const PlanStep &step : llvm::reverse(plan.steps)) {
    if (const KernelStep *kernel = step.kernel())
      visit(walk, *kernel);
    else if (const CollectiveStep *collective = step.collective())
      visit(walk, *collective);
    else if (const CopyStep *copy = step.copy())
      walk.pass(copy->to.buffer, copy->from.buffer);
  }
  return walk.take();
}

} // namespace ccgraph::runtime

#include "models/recompute.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/frame_place.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/work.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::models {
namespace {

constexpr int64_t noLayer = -1;

/// Returns N for a node of module "layers.N" or of a module in it.
int64_t layerOf(const Node &node) {
  std::string module = moduleOf(node.graph()->frames()[node.frame()]);
  llvm::StringRef rest = module;
  int64_t layer = noLayer;
  return rest.consume_front("layers.") && !rest.consumeInteger(10, layer) ? layer : noLayer;
}

bool isParameter(const Node &node) {
  return node.opcode() == Opcode::Placeholder && node.type()->isTensor() && isFloat(node.type()->dtype()) &&
         node.name().str() != arrivedStates;
}

class Recomputation {
public:
  Recomputation(Graph &graph, llvm::ArrayRef<NodeRange> backwards, const RecomputePolicy &policy)
      : graph_(graph), policy_(policy) {
    for (const NodeRange &range : backwards)
      for (Node *node = range.first; node != range.last->next(); node = node->next()) {
        isBackward_.insert(node);
        // What the step returns, such as the state that a stage sends on, is not computed again.
        if (node->opcode() != Opcode::Output)
          backward_.push_back(node);
      }
    for (Node *node : graph)
      if (!isBackward_.contains(node))
        addForward(*node);
    for (const Node *kept : layerResults())
      repeated_.erase(kept);
  }

  void run() {
    for (Node *node : backward_)
      for (unsigned i = 0; i != node->numOperands(); ++i)
        if (repeated_.contains(node->operand(i)))
          graph_.setOperand(node, i, again(node->operand(i), node));
  }

private:
  void addForward(Node &node) {
    if (node.opcode() != Opcode::CallFunction)
      return;
    int64_t layer = layerOf(node);
    layers_[&node] = layer;
    if (isOfWeight(node))
      weights_.insert(&node);
    bool repeats = weights_.contains(&node) ? policy_.gathersWeightsAgain : !keepsActivation(node);
    if (layer == noLayer || !repeats)
      return;
    repeated_.insert(&node);
    candidates_.push_back(&node);
  }

  /// Returns true for a step between a parameter and the weight that products read: cast, gather, wait, slice.
  [[nodiscard]] bool isOfWeight(const Node &node) const {
    return node.numOperands() > 0 && llvm::all_of(node.dataOperands(), [&](const Node *operand) {
             return weights_.contains(operand) || isParameter(*operand);
           });
  }

  [[nodiscard]] bool keepsActivation(const Node &node) const {
    switch (policy_.activations) {
    case Recompute::None:
      return true;
    case Recompute::Full:
      return false;
    case Recompute::Selective:
      return isCostly(node);
    }
    llvm_unreachable("no such choice");
  }

  /// Returns true for products, attention, and collectives that are no all_gather, each with its wait and its elements.
  [[nodiscard]] static bool isCostly(const Node &node) {
    const OpDef &op = *node.op();
    if (op.role == OpRole::GetItem || op.role == OpRole::Wait)
      return isCostly(*node.operand(0));
    if (op.collective)
      return op.collective->kind != CollectiveKind::AllGather;
    return isProduct(workFamily(op));
  }

  /// Returns the values that the next layer, or the program outside of the layers, reads.
  [[nodiscard]] std::vector<const Node *> layerResults() const {
    std::vector<const Node *> results;
    for (const Node *node : candidates_)
      if (llvm::any_of(node->uses(), [&](const Use &use) {
            auto user = layers_.find(use.user());
            return user != layers_.end() && user->second != layers_.lookup(node);
          }))
        results.push_back(node);
    return results;
  }

  /// Returns the repetition of a node, before `position` if it is new.
  Node *again(Node *node, Node *position) {
    if (!repeated_.contains(node))
      return node;
    if (Node *known = again_.lookup(node))
      return known;
    llvm::SmallVector<Node *, 4> operands;
    for (Node *operand : node->dataOperands())
      operands.push_back(again(operand, position));
    return again_[node] = copy(*node, operands, position);
  }

  Node *copy(const Node &node, llvm::ArrayRef<Node *> operands, Node *position) {
    ArgumentBuilder builder(graph_);
    auto map = [&](uint32_t index) { return operands[index]; };
    std::vector<Argument> positional;
    std::vector<NamedArgument> keyword;
    for (const Argument &argument : node.args())
      positional.push_back(builder.copy(argument, map));
    for (const NamedArgument &argument : node.kwargs())
      keyword.push_back({argument.name, builder.copy(argument.value, map)});
    std::string name = node.name().str().str() + "_recompute";
    NodeSpec spec{node.opcode(), name, node.target(), node.type(), node.frame(), &node.provenance()};
    return graph_.create(spec, std::move(builder), Arguments{positional, keyword}, position);
  }

  Graph &graph_;
  const RecomputePolicy &policy_;
  std::vector<Node *> backward_; ///< in the order of the program
  llvm::DenseSet<const Node *> isBackward_;
  llvm::DenseMap<const Node *, int64_t> layers_; ///< of all other nodes; looked up, never iterated
  llvm::DenseSet<const Node *> weights_;
  llvm::DenseSet<const Node *> repeated_;
  std::vector<Node *> candidates_;             ///< what was in repeated_ at first, in the order of the program
  llvm::DenseMap<const Node *, Node *> again_; ///< looked up, never iterated
};

} // namespace

const std::vector<std::pair<std::string, Recompute>> &recomputeChoices() {
  static const std::vector<std::pair<std::string, Recompute>> choices = {
      {"none", Recompute::None}, {"selective", Recompute::Selective}, {"full", Recompute::Full}};
  return choices;
}

void recomputeForward(Graph &graph, llvm::ArrayRef<NodeRange> backwards, const RecomputePolicy &policy) {
  if (!policy.isNone())
    Recomputation(graph, backwards, policy).run();
}

} // namespace ccgraph::models

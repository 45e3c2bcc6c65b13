#include "microbatches.h"

#include "form_run.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/signature.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::equality {
namespace {

/// Tensors of one list of placements that are one tensor of the joined graph: all microbatches of it, or itself.
using Members = std::vector<const TensorPlacement *>;

/// Returns whether two microbatches are of one tensor.
bool areOfOne(const TensorPlacement &a, const TensorPlacement &b) {
  return a.microbatch && b.microbatch && a.microbatch->count == b.microbatch->count && a.single == b.single &&
         a.axes == b.axes && a.splitOrder == b.splitOrder && a.as == b.as && a.asAxes == b.asAxes && a.parts == b.parts;
}

/// Returns the tensors in the order of their first members.
std::vector<Members> joinedTensorsOf(llvm::ArrayRef<TensorPlacement> list) {
  std::vector<const TensorPlacement *> ordered;
  for (const TensorPlacement &placement : list)
    ordered.push_back(&placement);
  llvm::stable_sort(ordered, [](const auto *a, const auto *b) { return a->position < b->position; });
  std::vector<Members> tensors;
  for (const TensorPlacement *placement : ordered) {
    auto known = llvm::find_if(tensors, [&](const Members &of) { return areOfOne(*of.front(), *placement); });
    if (known != tensors.end())
      known->push_back(placement);
    else
      tensors.push_back({placement});
  }
  return tensors;
}

/// Returns the placements of the joined tensors.
std::vector<TensorPlacement> joinedPlacements(llvm::ArrayRef<Members> tensors) {
  std::vector<TensorPlacement> joined;
  for (const Members &members : tensors) {
    joined.push_back(*members.front());
    joined.back().position = joined.size() - 1;
    joined.back().microbatch = std::nullopt;
  }
  return joined;
}

/// Joins the microbatches of one graph.
class GraphJoin {
public:
  explicit GraphJoin(Graph &graph) : graph_(graph) {}

  llvm::Error joinInputs(llvm::ArrayRef<Members> tensors) {
    std::vector<Node *> inputs;
    for (Node *node : graph_.nodes())
      if (node->opcode() == Opcode::Placeholder)
        inputs.push_back(node);
    Node *begin = graph_.front();
    while (begin && begin->opcode() == Opcode::Placeholder)
      begin = begin->next();
    for (const Members &members : tensors) {
      if (!members.front()->microbatch) {
        graph_.moveBefore(inputs[members.front()->position], begin);
        continue;
      }
      llvm::Expected<Node *> whole = wholeOf(members, *inputs[members.front()->position]);
      if (!whole)
        return whole.takeError();
      graph_.moveBefore(*whole, begin);
      for (const TensorPlacement *member : members)
        cut(*inputs[member->position], **whole, *member->microbatch);
    }
    return llvm::Error::success();
  }

  llvm::Error joinOutputs(llvm::ArrayRef<Members> tensors) {
    const std::vector<const Node *> leaves = outputLeavesOf(graph_);
    GraphBuilder builder(graph_, graph_.output());
    std::vector<Actual> outputs;
    for (const Members &members : tensors) {
      std::vector<Node *> parts;
      for (const TensorPlacement *member : inOrder(members))
        if (const Node *leaf = leaves[member->position])
          parts.push_back(graph_.byId(leaf->id()));
      if (parts.size() != members.size() && members.front()->microbatch)
        return placementError("a microbatch of output '" + members.front()->of + "' is no tensor",
                              "correct the positions of this output");
      if (const std::optional<Microbatch> &batch = members.front()->microbatch;
          batch && static_cast<int64_t>(parts.size()) != batch->count)
        return placementError("output '" + members.front()->of + "' has " + llvm::Twine(parts.size()) + " of its " +
                                  llvm::Twine(batch->count) + " microbatches",
                              "list all microbatches of an output");
      if (parts.empty())
        outputs.push_back(Actual::none());
      else
        outputs.push_back(members.front()->microbatch ? builder.call("aten.cat.default", {parts, 0}) : parts.front());
    }
    ArgumentBuilder arguments(graph_);
    const Argument all = Actual::tuple(std::move(outputs)).build(arguments);
    graph_.setArguments(graph_.output(), std::move(arguments), {{all}, {}});
    return llvm::Error::success();
  }

private:
  static Members inOrder(Members members) {
    llvm::stable_sort(members, [](const TensorPlacement *a, const TensorPlacement *b) {
      return a->microbatch && b->microbatch && a->microbatch->index < b->microbatch->index;
    });
    return members;
  }

  /// Makes the input of which the members are parts.
  llvm::Expected<Node *> wholeOf(const Members &members, Node &first) {
    const Type *type = first.type();
    std::optional<IntList> sizes = type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
    if (!sizes || sizes->empty())
      return placementError("input '" + members.front()->of + "' is " + typeText(type) +
                                ", expected a tensor of known sizes with a dimension for its microbatches",
                            "leave \"microbatch\" out, or capture the step with static shapes");
    sizes->front() *= members.front()->microbatch->count;
    GraphBuilder builder(graph_, &first);
    return builder.input(first.name().str(), builder.tensorLike(*type, *sizes));
  }
  /// Replaces an input by its part, which has its name.
  void cut(Node &input, Node &whole, const Microbatch &microbatch) {
    Node *begin = whole.next();
    while (begin && begin->opcode() == Opcode::Placeholder)
      begin = begin->next();
    const int64_t rows = (*staticDims(whole.type()->sizes()))[0] / microbatch.count;
    const int64_t start = microbatch.index * rows;
    Node *part = GraphBuilder(graph_, begin).call("aten.slice.Tensor", {&whole, 0, start, start + rows}, input.type());
    const std::string name = input.name().str().str();
    graph_.replaceAllUses(&input, part);
    graph_.erase(&input);
    graph_.rename(part, name);
  }

  Graph &graph_;
};

} // namespace

llvm::Error joinMicrobatches(llvm::ArrayRef<Graph *> graphs, StepPlacements &placements) {
  const std::vector<Members> inputs = joinedTensorsOf(placements.inputs), outputs = joinedTensorsOf(placements.outputs);
  for (Graph *graph : graphs) {
    GraphJoin join(*graph);
    if (llvm::Error error = join.joinOutputs(outputs))
      return error;
    if (llvm::Error error = join.joinInputs(inputs))
      return error;
  }
  for (const TensorPlacement &input : placements.inputs)
    if (input.microbatch && !llvm::is_contained(placements.microbatches, input.microbatch->count))
      placements.microbatches.push_back(input.microbatch->count);
  std::vector<TensorPlacement> joinedInputs = joinedPlacements(inputs), joinedOutputs = joinedPlacements(outputs);
  placements.inputs = std::move(joinedInputs);
  placements.outputs = std::move(joinedOutputs);
  return llvm::Error::success();
}

} // namespace ccgraph::equality

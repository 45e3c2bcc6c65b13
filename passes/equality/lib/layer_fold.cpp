#include "layer_fold.h"

#include "inputs.h"
#include "layer_runs.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace ccgraph::equality {
namespace {

/// Steps of fewer layers are evaluated whole.
constexpr int64_t fewestLayers = 12;

/// The layers that are left out: `first` to `last`, by index.
struct Removal {
  int64_t first = 0, last = -1;
  [[nodiscard]] int64_t count() const { return last - first + 1; }
  [[nodiscard]] bool holds(int64_t layer) const { return layer >= first && layer <= last; }
};

/// The families of inputs whose names differ in the layer alone.
struct Families {
  /// numbers of the layers, ascending
  std::vector<int64_t> layers;
  /// by family and layer index: the entry of StepPlacements::inputs
  std::vector<std::vector<size_t>> entries;

  [[nodiscard]] std::optional<int64_t> indexOf(int64_t layer) const {
    auto place = llvm::find(layers, layer);
    return place == layers.end() ? std::nullopt : std::optional<int64_t>(place - layers.begin());
  }
};

std::optional<Families> familiesOf(const StepPlacements &placements) {
  std::map<std::string, std::map<int64_t, size_t>> byName;
  std::set<int64_t> layers;
  for (size_t i = 0; i != placements.inputs.size(); ++i)
    if (std::optional<LayerName> name = layerNameOf(placements.inputs[i].of)) {
      byName[name->family][name->layer] = i;
      layers.insert(name->layer);
    }
  Families families;
  families.layers.assign(layers.begin(), layers.end());
  for (const auto &[name, members] : byName) {
    if (members.size() != layers.size())
      return std::nullopt;
    families.entries.emplace_back();
    for (const auto &[layer, entry] : members)
      families.entries.back().push_back(entry);
  }
  if (static_cast<int64_t>(layers.size()) < fewestLayers)
    return std::nullopt;
  return families;
}

bool samePlacement(const TensorPlacement &a, const TensorPlacement &b) {
  return a.axes == b.axes && a.splitOrder == b.splitOrder && a.as == b.as && a.asAxes == b.asAxes && a.parts == b.parts;
}

LayerRuns runsOf(const Graph &graph, const StepPlacements &placements, const Families &families, bool isSingle) {
  std::vector<const Node *> placeholders = placeholdersOf(graph);
  std::vector<std::vector<Node *>> inputs;
  for (const std::vector<size_t> &members : families.entries) {
    inputs.emplace_back();
    for (size_t entry : members) {
      const TensorPlacement &placement = placements.inputs[entry];
      inputs.back().push_back(graph.byId(placeholders[isSingle ? placement.single : placement.position]->id()));
    }
  }
  return {graph, inputs};
}

/// The longest stretch of layers that repeat, without all but `kept` of them: the first one and the last ones stay.
Removal longestStretch(llvm::ArrayRef<bool> repeats, int64_t kept) {
  Removal best;
  for (size_t begin = 0; begin < repeats.size();) {
    size_t end = begin;
    while (end != repeats.size() && repeats[end])
      ++end;
    Removal removal{static_cast<int64_t>(begin) + 1, static_cast<int64_t>(end) - kept + 1};
    if (removal.count() > best.count())
      best = removal;
    begin = end + 1;
  }
  return best;
}

/// Removes layers from a copy of one graph.
class GraphFold {
public:
  GraphFold(Graph &graph, const LayerRuns &runs, const Removal &removal)
      : graph_(graph), runs_(runs), removal_(removal) {}

  /// Returns false if the layers cannot be removed. Sets `kept` to the indices of the outputs that stay.
  bool run(std::vector<size_t> &kept) {
    std::vector<Node *> nodes = graph_.nodes();
    for (Node *node : nodes)
      if (!isRemoved(*node) && !reconnect(*node, kept))
        return false;
    for (Node *node : llvm::reverse(nodes))
      if (isRemoved(*node)) {
        if (node->hasUses())
          return false;
        graph_.erase(node);
      }
    return true;
  }

private:
  [[nodiscard]] bool isRemoved(const Node &node) const {
    const LayerPlace &place = runs_.placeOf(node);
    return place.run >= 0 && removal_.holds(place.layer);
  }

  /// Gives a node that stays operands that stay.
  bool reconnect(Node &node, std::vector<size_t> &kept) {
    if (node.opcode() == Opcode::Output || runs_.collectsLayers(node))
      return dropElements(node, kept);
    for (unsigned i = 0; i != node.numOperands(); ++i)
      if (Node *operand = node.operand(i); isRemoved(*operand)) {
        Node *other = replacement(node, *operand);
        if (!other || isRemoved(*other))
          return false;
        graph_.setOperand(&node, i, other);
      }
    return true;
  }

  /// Returns the node that is to the reader's layer what the operand would be without the removed layers.
  [[nodiscard]] Node *replacement(const Node &reader, const Node &operand) const {
    const LayerPlace &mine = runs_.placeOf(reader);
    LayerPlace place = runs_.placeOf(operand);
    if (mine.run < 0)
      return nullptr;
    place.layer += mine.layer > removal_.last ? -removal_.count() : removal_.count();
    return runs_.at(place);
  }

  /// Leaves out the elements of lists that are removed.
  bool dropElements(Node &node, std::vector<size_t> &kept) {
    ArgumentBuilder builder(graph_);
    std::vector<Argument> arguments;
    size_t leaf = 0;
    for (const Argument &argument : node.args()) {
      std::optional<Argument> rest = withoutRemoved(node, argument, builder, leaf, kept);
      if (!rest)
        return false;
      arguments.push_back(*rest);
    }
    if (!node.kwargs().empty())
      return false;
    graph_.setArguments(&node, std::move(builder), {arguments, {}});
    return true;
  }
  std::optional<Argument> withoutRemoved(const Node &node, const Argument &argument, ArgumentBuilder &builder,
                                         size_t &leaf, std::vector<size_t> &kept) {
    if (argument.is(Argument::Kind::List) || argument.is(Argument::Kind::Tuple)) {
      std::vector<Argument> elements;
      for (const Argument &element : argument.elements()) {
        if (element.is(Argument::Kind::Operand) && isRemoved(*node.operand(element))) {
          ++leaf;
          continue;
        }
        std::optional<Argument> rest = withoutRemoved(node, element, builder, leaf, kept);
        if (!rest)
          return std::nullopt;
        elements.push_back(*rest);
      }
      return builder.sequence(argument.kind(), elements);
    }
    if (node.opcode() == Opcode::Output)
      kept.push_back(leaf);
    ++leaf;
    if (argument.is(Argument::Kind::Operand) && isRemoved(*node.operand(argument)))
      return std::nullopt;
    return builder.copy(argument, [&](uint32_t operand) { return node.operand(operand); });
  }

  Graph &graph_;
  const LayerRuns &runs_;
  const Removal &removal_;
};

/// Removes one stretch of layers from all graphs of a comparison.
class StepFold {
public:
  StepFold(const StepComparison &comparison, int64_t kept) : comparison_(comparison), kept_(kept) {}

  std::optional<FoldedSteps> run() {
    std::optional<Families> families = familiesOf(comparison_.placements);
    if (!families)
      return std::nullopt;
    families_ = std::move(*families);
    copyGraphs();
    if (!choose())
      return std::nullopt;
    for (size_t i = 0; i != copies_.size(); ++i)
      if (!GraphFold(*copies_[i].graph, copies_[i].runs, removal_).run(copies_[i].keptOutputs))
        return std::nullopt;
    return assemble();
  }

private:
  struct Copy {
    const Graph *of;
    std::unique_ptr<Graph> graph;
    LayerRuns runs;
    std::vector<size_t> keptOutputs;
  };

  void copyGraphs() {
    auto add = [&](const Graph *graph, bool isSingle) {
      std::unique_ptr<Graph> copy = graph->clone();
      LayerRuns runs = runsOf(*copy, comparison_.placements, families_, isSingle);
      copies_.push_back({graph, std::move(copy), std::move(runs), {}});
    };
    add(comparison_.single, true);
    for (const RankStep &rank : comparison_.ranks)
      if (llvm::none_of(copies_, [&](const Copy &copy) { return copy.of == rank.graph; }))
        add(rank.graph, false);
  }

  /// Chooses the layers that are left out; returns false if there are none.
  bool choose() {
    llvm::SmallVector<bool, 0> repeats(families_.layers.size() - 1, true);
    for (const Copy &copy : copies_) {
      std::vector<bool> mine = copy.runs.repeats();
      for (size_t i = 0; i != repeats.size(); ++i)
        repeats[i] = repeats[i] && mine[i];
    }
    for (const std::vector<size_t> &members : families_.entries)
      for (size_t i = 0; i != repeats.size(); ++i)
        repeats[i] = repeats[i] && samePlacement(comparison_.placements.inputs[members[i]],
                                                 comparison_.placements.inputs[members[i + 1]]);
    removal_ = longestStretch(repeats, kept_);
    return removal_.count() > 0;
  }

  /// Returns where each kept index goes; -1 for the others.
  static std::vector<int64_t> newIndices(size_t count, llvm::function_ref<bool(size_t)> isKept) {
    std::vector<int64_t> indices(count, -1);
    int64_t next = 0;
    for (size_t i = 0; i != count; ++i)
      if (isKept(i))
        indices[i] = next++;
    return indices;
  }
  static std::vector<int64_t> newOutputs(const Copy &copy) {
    size_t count = copy.keptOutputs.empty() ? 0 : copy.keptOutputs.back() + 1;
    return newIndices(count, [&](size_t i) { return llvm::is_contained(copy.keptOutputs, i); });
  }
  static std::vector<int64_t> newInputs(const Copy &copy) {
    std::vector<const Node *> before = placeholdersOf(*copy.of);
    return newIndices(before.size(), [&](size_t i) { return copy.graph->find(before[i]->name().str()) != nullptr; });
  }
  static int64_t at(llvm::ArrayRef<int64_t> indices, size_t i) { return i < indices.size() ? indices[i] : -1; }

  std::optional<FoldedSteps> assemble() {
    FoldedSteps folded;
    folded.comparison = comparison_;
    const Copy &parallel = *llvm::find_if(copies_, [&](const Copy &copy) {
      return copy.of == comparison_.ranks.front().graph && &copy != &copies_.front();
    });
    StepPlacements &placements = folded.comparison.placements;
    if (!renumber(placements.inputs, newInputs(copies_.front()), newInputs(parallel), nullptr) ||
        !renumber(placements.outputs, newOutputs(copies_.front()), newOutputs(parallel), &folded))
      return std::nullopt;
    folded.comparison.single = copies_.front().graph.get();
    for (RankStep &rank : folded.comparison.ranks)
      for (const Copy &copy : llvm::ArrayRef(copies_).drop_front())
        if (copy.of == rank.graph) {
          rank.graph = copy.graph.get();
          break;
        }
    folded.notes.push_back("layers " + std::to_string(layerAt(removal_.first)) + " to " +
                           std::to_string(layerAt(removal_.last)) + " repeat layer " +
                           std::to_string(layerAt(removal_.first - 1)) + " on both sides, and are not evaluated again");
    for (Copy &copy : copies_)
      folded.graphs.push_back(std::move(copy.graph));
    return folded;
  }
  [[nodiscard]] int64_t layerAt(int64_t index) const { return families_.layers[static_cast<size_t>(index)]; }

  /// Leaves out the entries of removed tensors; returns false if one is removed on one side alone.
  bool renumber(std::vector<TensorPlacement> &list, llvm::ArrayRef<int64_t> single, llvm::ArrayRef<int64_t> parallel,
                FoldedSteps *folded) const {
    std::vector<TensorPlacement> kept;
    for (TensorPlacement &placement : list) {
      int64_t ofSingle = at(single, placement.single), ofParallel = at(parallel, placement.position);
      if ((ofSingle < 0) != (ofParallel < 0))
        return false;
      if (ofParallel >= 0) {
        placement.single = static_cast<size_t>(ofSingle);
        placement.position = static_cast<size_t>(ofParallel);
        kept.push_back(placement);
      } else if (folded) {
        folded->dropped.push_back({placement.of, neighboursOf(placement.of)});
      }
    }
    list = std::move(kept);
    return true;
  }
  /// The names of the same output of the layers beside the removed ones.
  [[nodiscard]] std::vector<std::string> neighboursOf(llvm::StringRef of) const {
    std::vector<std::string> names;
    std::optional<LayerName> name = layerNameOf(of);
    for (int64_t layer : {removal_.first - 1, removal_.last + 1})
      if (name) {
        auto [before, after] = llvm::StringRef(name->family).split('#');
        names.push_back((before + std::to_string(layerAt(layer)) + after).str());
      }
    return names;
  }

  const StepComparison &comparison_;
  int64_t kept_;
  Families families_;
  Removal removal_;
  /// the single graph, then the different graphs of the ranks
  std::vector<Copy> copies_;
};

} // namespace

std::optional<FoldedSteps> foldLayers(const StepComparison &comparison, int64_t kept) {
  std::optional<FoldedSteps> folded = StepFold(comparison, kept).run();
  while (folded) {
    std::optional<FoldedSteps> further = StepFold(folded->comparison, kept).run();
    if (!further)
      break;
    further->dropped.insert(further->dropped.end(), folded->dropped.begin(), folded->dropped.end());
    further->notes.insert(further->notes.begin(), folded->notes.begin(), folded->notes.end());
    folded = std::move(further);
  }
  return folded;
}

} // namespace ccgraph::equality

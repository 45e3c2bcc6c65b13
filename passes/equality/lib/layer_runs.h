// LayerRuns: the layers of a step as windows of its program.
//
// Inputs are grouped by name: "layers.3.wq" is layer 3 of the family "layers.#.wq". The users of a family are at
// positions that grow (forward, update) or shrink (backward) by a constant from layer to layer; these positions cut the
// program into windows, one for each layer, and the values of the windows are families in turn. So a step has a few
// runs of windows: forward, backward, reductions, update.
//
// Layer k + 1 repeats layer k if each node of its windows has the same operator, literals and type as the node at the
// same place of layer k, and the same operands, each one layer further, or one node that all layers read.
//
// Ownership: borrows the graph, which must not change. Failure: none; a step without such a structure repeats nothing.
// Cost: linear in the nodes and edges.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::equality {

/// A name whose first number is a layer.
struct LayerName {
  /// with "#" in place of the number
  std::string family;
  int64_t layer = 0;
};
/// Empty if the name has no number, or one by which a tracer counts inputs (arg3_1, primals_4).
[[nodiscard]] std::optional<LayerName> layerNameOf(llvm::StringRef name);

/// Where a node is: `offset` in the window of a layer of a run. A family of inputs is a run whose windows have one
/// node.
struct LayerPlace {
  /// negative: in no window
  int run = -1;
  int64_t layer = 0;
  int64_t offset = 0;
};

class LayerRuns {
public:
  /// `inputs`: the placeholders of each family by layer; each family has all `layers`.
  LayerRuns(const Graph &graph, llvm::ArrayRef<std::vector<Node *>> inputs);

  [[nodiscard]] int64_t numLayers() const { return layers_; }
  [[nodiscard]] const LayerPlace &placeOf(const Node &node) const { return places_[node.id()]; }
  /// Returns the node at a place; null if there is none.
  [[nodiscard]] Node *at(const LayerPlace &place) const;
  /// Returns whether the node reads one value of at least three layers, such as a stack of norms or the output.
  [[nodiscard]] bool collectsLayers(const Node &node) const;
  /// Returns, for each layer k but the last, whether layer k + 1 repeats it.
  [[nodiscard]] std::vector<bool> repeats() const;

private:
  struct Run {
    /// position of the window of each layer; negative: there is none
    std::vector<int64_t> start;
    int64_t width = 1;
  };
  void discover();
  void addRunsFrom(int run, int64_t offset);
  [[nodiscard]] std::vector<std::vector<int64_t>> usersByLayer(int run, int64_t offset) const;
  void addRun(std::vector<int64_t> positions);
  void label(const Run &run);
  [[nodiscard]] bool isFree(int64_t start, int64_t width) const;
  [[nodiscard]] bool isShifted(const Node &node, const Node &next) const;

  int64_t layers_ = 0;
  std::vector<Node *> nodes_;
  /// by id
  std::vector<int64_t> position_;
  std::vector<LayerPlace> places_;
  std::vector<uint64_t> keys_;
  std::vector<Run> runs_;
};

} // namespace ccgraph::equality

// foldLayers: a step of fewer layers that is equal to its single step if the whole one is.
//
// Where layers A to B of the single step and of every rank repeat one another (layer_runs.h) and hold their tensors
// alike, the step without some of them in the middle is the same program of fewer layers. If the layer maps inputs of
// the two steps that correspond to outputs that correspond, any number of layers does; and two numbers of layers,
// compared in two trials, exclude that a mistake of one layer is undone by the next.
//
// Ownership: the folded graphs belong to the result; those that need no change, and the groups, are those of the
// comparison. Failure: none; a step without repeated layers is not folded. Cost: linear in the nodes of the different
// graphs.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

struct FoldedSteps {
  StepComparison comparison;
  std::vector<std::unique_ptr<Graph>> graphs;
  /// An output of a layer that was left out, and the same outputs of the layers beside it that stay.
  struct Dropped {
    std::string of;
    std::vector<std::string> like;
  };
  std::vector<Dropped> dropped;
  /// "layers 3 to 124 repeat layer 2": one text for each stretch
  std::vector<std::string> notes;
};

/// Leaves `kept` layers, at least 2, of each stretch of repeated layers. Empty if nothing can be left out.
[[nodiscard]] std::optional<FoldedSteps> foldLayers(const StepComparison &comparison, int64_t kept);

} // namespace ccgraph::equality

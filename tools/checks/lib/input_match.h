// matchInputs: which inputs of a parallel step are those of the step of one device, and the ways in which the ranks can
// hold them, by names and sizes.
//
// Ownership: borrows the graphs. Failure: none; what cannot be matched is a text. Cost: inputs that have no name of
// their own are compared with one another, so quadratic in their number.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph {

struct MatchedInput {
  size_t position = 0;
  size_t single = 0;
  /// the name in the single step
  std::string name;
  DType dtype = DType::F32;
  /// not empty
  std::vector<TensorPlacement> candidates;
};

struct InputMatches {
  std::vector<MatchedInput> inputs;
  /// inputs that have no counterpart, or several: what they are, and the candidates
  std::vector<std::string> unmatched;
  /// inputs that were matched by position, though other ones fit as well
  std::vector<std::string> guesses;
};

[[nodiscard]] InputMatches matchInputs(const Graph &single, llvm::ArrayRef<equality::RankStep> ranks,
                                       llvm::ArrayRef<NamedAxis> mesh);

/// Returns the cuts that make a value of one device that of the ranks; empty for other dtypes or unknown sizes.
[[nodiscard]] std::vector<TensorPlacement> cutsOf(const Node *single, llvm::ArrayRef<const Node *> ofRanks,
                                                  llvm::ArrayRef<NamedAxis> mesh);

} // namespace ccgraph

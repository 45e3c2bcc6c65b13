// OutputMatcher: which outputs of a parallel step are those of the step of one device, and how the ranks hold them.
//
// An output corresponds to the one that is computed element by element from the same inputs of its sizes, as updated
// parameters and optimizer states are, else to the one at its position among the others. Values decide how the ranks
// hold it.
//
// Ownership: borrows the comparison's graphs and the matches. Failure: DiagnosticErrors of the comparison. Cost: one
// evaluation of both steps for each call.
#pragma once

#include "input_match.h"

namespace ccgraph {

class OutputMatcher {
public:
  OutputMatcher(const equality::StepComparison &comparison, const InputMatches &inputs);

  /// Returns why outputs cannot correspond; "" if they can.
  [[nodiscard]] const std::string &problem() const { return problem_; }

  /// Returns the number of outputs.
  [[nodiscard]] size_t count() const { return partners_.size(); }

  /// Returns the placements of all outputs if one holds for each. The comparison has the placements of the inputs.
  [[nodiscard]] llvm::Expected<std::optional<std::vector<TensorPlacement>>>
  heldOutputs(const equality::StepComparison &comparison) const;

  struct Explanation {
    /// of one that differs, replicas or shards; fewer than the outputs if one has no placement that fits
    std::vector<TensorPlacement> placements;
    /// outputs that are equal in another order, or as partial sums
    std::vector<std::string> hints;
  };
  /// Returns how outputs differ, and what would make them equal.
  [[nodiscard]] llvm::Expected<Explanation> explain(const equality::StepComparison &comparison) const;

  /// States how the ranks hold the outputs that may be held otherwise.
  [[nodiscard]] std::vector<std::string> assumptions(llvm::ArrayRef<TensorPlacement> outputs,
                                                     llvm::ArrayRef<NamedAxis> mesh) const;

private:
  enum class Partials { None, All };
  void matchUpdates(const equality::StepComparison &comparison, const InputMatches &inputs);
  void matchPositions();
  /// Returns the placements that the sizes allow; with `partials`, those in which uncut axes hold a sum or a mean.
  [[nodiscard]] std::vector<TensorPlacement> candidates(size_t position, size_t single, Partials partials) const;
  /// Returns whether the output may be a partial sum or mean without a statement.
  [[nodiscard]] bool mayBePartial(size_t position) const;
  [[nodiscard]] std::string textOf(size_t position) const;
  /// Returns the placements as any output of the single step.
  [[nodiscard]] std::vector<TensorPlacement> allCandidates(size_t position) const;
  [[nodiscard]] bool isExpected(const TensorPlacement &placement) const;
  [[nodiscard]] std::string hintText(const TensorPlacement &placement) const;
  void explainOutput(size_t position, llvm::ArrayRef<TensorPlacement> holding, Explanation &result) const;

  std::vector<NamedAxis> mesh_;
  std::vector<const Node *> ones_;
  /// by rank and position
  std::vector<std::vector<const Node *>> ofRanks_;
  /// by position: the output of the single step
  std::vector<std::optional<size_t>> partners_;
  /// by position: it is computed element by element from inputs of its sizes
  std::vector<bool> isUpdate_;
  /// An input is one number, so an output of one number may be its gradient.
  bool hasNumberInput_ = false;
  std::string problem_;
};

} // namespace ccgraph

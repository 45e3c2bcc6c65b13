// compareSteps: does a parallel training step compute what the step of one device computes?
//
// Both are evaluated on equal pseudo-random inputs, the step of one device whole and the parallel step on all its ranks
// together, and their outputs are compared by placement. The inputs of the ranks are cut from those of the single step.
// Floats are integers modulo the third power of a prime, so that sums may be reordered and nothing is rounded; ring.h
// states the arithmetic and its sources. So there is no tolerance: two outputs are equal or they are not, however small
// a learning rate makes the difference.
//
// Equal by evaluation means: unless a difference vanished by accident in every trial, the probability of which
// `errorProbability` bounds. Different means that some input exists on which the outputs differ, for functions of which
// only the stated laws are used (exp, log, sqrt, products). Roundings, dtypes of floats and overflows are not modelled.
//
// Ownership: borrows the graphs for the call; an answer owns its texts. Failure: a DiagnosticError for placements that
// do not fit the graphs. A step that cannot be decided is an answer. Cost: each trial evaluates both steps once; equal
// calls of several ranks count once.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/placement.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::equality {

/// What one rank of the parallel step runs. Several ranks may share a graph.
struct RankStep {
  const Graph *graph = nullptr;
  GroupTable groups;
};

/// A parallel step beside another one (parallel_forms.h): its ranks, and how they hold the tensors of both.
struct ParallelForm {
  /// by rank
  std::vector<RankStep> ranks;
  StepPlacements placements;
};

/// At which sizes the steps are evaluated.
enum class StepSizesChoice : uint8_t {
  /// at smaller ones where their own take much time or memory
  Automatic,
  Own,
  /// at smaller ones if there are any that keep all relations between sizes
  Reduced,
};

struct StepComparison {
  /// null where the step is compared with another parallel form
  const Graph *single = nullptr;
  /// in place of `single`; in both placements, `single` is then the index of a tensor that both forms hold
  const ParallelForm *reference = nullptr;
  /// by rank
  std::vector<RankStep> ranks;
  /// The sizes of its mesh must be known.
  StepPlacements placements;
  /// evaluations with different numbers, at least 1
  unsigned trials = 2;
  uint64_t seed = 1;
  StepSizesChoice sizes = StepSizesChoice::Automatic;
  /// A step whose evaluation needs more memory cannot be decided.
  int64_t mostBytes = int64_t{8} << 30;
};

/// A node of a rank.
struct StepPlace {
  int64_t rank = 0;
  std::string node;
  /// the line of the user's program: "model.py:12 in forward: y = x @ w"; empty if the graph does not state it
  std::string source;
};

/// An output that differs, with a counter-example.
struct WrongOutput {
  /// what it is, as the placements name it
  std::string of;
  /// the first rank whose part differs
  int64_t rank = 0;
  /// index of the first element that differs on this rank
  std::vector<int64_t> element;
  /// It should be equal on several ranks and differs among them.
  bool replicasDiffer = false;
  /// It differs among the ranks of the reference, a parallel form; `rank` and `element` are those of the reference.
  bool inReference = false;
};

struct StepAnswer {
  /// The reference is a parallel form.
  bool ofForms = false;
  /// empty: cannot be decided
  std::optional<bool> equal;
  std::vector<WrongOutput> wrong;
  /// where the difference arises, the most likely node first
  std::vector<StepPlace> where;
  /// the same for the reference, where it is a parallel form, since the mistake may be there
  std::vector<StepPlace> whereInReference;
  /// what was assumed, and why it cannot be decided
  std::vector<std::string> assumed;
  /// of an answer that is not empty
  double errorProbability = 0;
};

[[nodiscard]] llvm::Expected<StepAnswer> compareSteps(const StepComparison &comparison);

} // namespace ccgraph::equality

// fitMachine: the numbers of a machine with linear rules, fitted to timed collectives.
//
// Inside a node, each kind gets three numbers of its own: time = base + steps * step + bytes on the wire / bandwidth
// (docs/cost-model.md). Across nodes, all kinds together give the latency and the bandwidth of the link. Each fit
// minimizes the sum of relative errors, with no number below zero, by repeated least squares in which each sample has
// the inverse of its error as weight, so that one outlier has little influence (iteratively reweighted least squares:
// P. Holland and R. Welsch, Robust regression using iteratively reweighted least-squares, 1977).
//
// Every second size of a kind, number of ranks and placement is held out of the fit and shows its error, if there are
// at least three sizes.
//
// Ownership: plain values. Failure: none; a kind without samples keeps the numbers of the base. Cost: about 1,000
// operations a sample.
#pragma once

#include "ccgraph/ir/machine.h"

namespace ccgraph {

/// Relative errors of predictions, 0.1 for a tenth.
struct FitErrors {
  size_t samples = 0;
  double median = 0;
  double ninetieth = 0; ///< nine of ten are no larger
};

/// One line of the table.
struct FittedCollectives {
  std::optional<CollectiveKind> kind; ///< empty: all kinds, across nodes
  LinkLevel level = LinkLevel::Intra;
  double baseUs = 0;
  double stepUs = 0;
  int64_t bytesPerSecond = 0;
  FitErrors fitted;
  FitErrors heldOut;
};

struct FittedMachine {
  Machine machine;
  std::vector<FittedCollectives> collectives;
};

/// `base` states everything that is not fitted; its rules become linear. Of equal samples the shortest counts.
[[nodiscard]] FittedMachine fitMachine(std::vector<CollectiveSample> samples, Machine base);

} // namespace ccgraph

// Ignored labels: labels of a loss that it leaves out, such as -100.
//
// Integers that are drawn for labels are classes, so how a step treats ignored labels shows only where some are
// ignored. A label may be ignored where the single step and all ranks compare it with one negative number, or pass it
// to a loss that ignores this number. A mean over the labels of each rank is the mean over all labels only if all ranks
// ignore as many, so both are tried: labels of which all ranks ignore the same ones of their part, and any ones.
//
// Ownership: plain values. Failure: none. Cost: linear in the graphs.
#pragma once

#include "array.h"

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

/// Which labels are ignored.
enum class LabelChoice : uint8_t { None, Alike, First };

struct IgnoredLabels {
  /// position of the input in the single step
  size_t single = 0;
  /// the number that is ignored
  int64_t value = -100;
  /// A step reads parts of the labels, such as those of a microbatch, and may take a mean over each.
  bool areCut = false;
};

/// Returns the inputs that may hold ignored labels.
[[nodiscard]] std::vector<IgnoredLabels> ignoredLabelsOf(const StepComparison &comparison);

/// Returns the input with ignored labels. Alike: every second label along the last dimension of each rank's part, none
/// where the ranks hold parts of different sizes or of one label. First: the first label, which one rank holds.
[[nodiscard]] Array withIgnoredLabels(const Array &input, const IgnoredLabels &labels, LabelChoice choice,
                                      const StepPlacements &placements);

} // namespace ccgraph::equality

// Calibration: what durations say against what the machine predicts, as one factor for each thing that can be faster
// or slower by itself.
//
// The factor is the weighted median of the ratios duration / prediction, weighted by the prediction: half of the time
// is in nodes whose ratio is no larger, half in nodes whose ratio is no smaller. So neither a few odd nodes nor many
// tiny ones decide it, and where all ratios are one number, it is that number.
//
// Ownership: a plain value. Failure: none; without samples the factor is 1. Cost: a sort.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

class RatioSamples {
public:
  /// Both in picoseconds; ignored unless both are above zero.
  void add(double predicted, double measured);
  [[nodiscard]] Scale scale() const;
  [[nodiscard]] bool empty() const { return samples_.empty(); }

private:
  struct Sample {
    double ratio = 1;
    double weight = 0;
  };
  std::vector<Sample> samples_;
};

} // namespace ccgraph

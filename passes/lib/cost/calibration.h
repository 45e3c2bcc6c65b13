// Calibration: the ratio of given durations to the machine's predictions, as one factor for each part of the machine
// that can be faster or slower independently.
//
// The factor is the weighted median of the ratios duration / prediction, weighted by the prediction: half of the time
// is in nodes whose ratio is no larger, half in nodes whose ratio is no smaller. So neither a few outliers nor many
// tiny nodes decide it. If all ratios are one number, the factor is that number.
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

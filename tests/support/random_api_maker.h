// ApiMaker: draws the calls of a random program in the tracing API, and the values on which they work.
//
// Each function without arguments adds one call, or a few that belong together, and returns the value. Operators are in
// random_api_program.cpp; collectives, in each of their forms, are in random_api_collectives.cpp.
//
// Ownership: borrows the trace. Failure: a failed call is reported when the trace ends. Cost: one call a step.
#pragma once

#include "ccgraph/tracer/distributed.h"
#include "ccgraph/tracer/trace.h"

#include <random>
#include <vector>

namespace ccgraph::test {

/// Rows and columns of most matrices.
inline constexpr int64_t apiSide = 8;

/// A matrix of 8 or 16 rows and columns, and a bound of the absolute values of its elements.
struct ApiValue {
  tracer::Tensor tensor;
  double bound = 1;
};

struct ApiGroup {
  tracer::GroupLike group;
  int64_t size = 1;
};

class ApiMaker {
public:
  ApiMaker(tracer::Trace &trace, uint32_t seed, size_t ranks)
      : trace_(trace), random_(seed), mesh_("cpu", {2, static_cast<int64_t>(ranks) / 2}, {"dp", "tp"}),
        ranks_(static_cast<int64_t>(ranks)), differentiates_(seed % 4 == 3) {
    trace.addGroup({.name = "neighbours", .partition = neighbours()});
  }

  [[nodiscard]] bool differentiates() const { return differentiates_; }
  std::vector<tracer::Tensor> make();

private:
  using Step = ApiValue (ApiMaker::*)();

  // No call may draw two numbers in its arguments, because compilers differ in which they draw first.
  size_t below(size_t limit) { return random_() % limit; }
  int64_t dim() { return static_cast<int64_t>(below(2)); }
  const ApiValue &any() { return values_[below(values_.size())]; }
  /// Of 8 rows and columns, whatever a collective made of it.
  ApiValue square();
  ApiValue cut(const tracer::Tensor &grown, double bound);
  ApiValue grown(const tracer::Tensor &share, double bound);
  /// Pairs of ranks, the second one first.
  [[nodiscard]] tracer::Cells neighbours() const;
  ApiGroup group();

  ApiValue sum();
  ApiValue product();
  ApiValue scaled();
  ApiValue activated();
  ApiValue squashed();
  ApiValue transposed();
  ApiValue joined();
  ApiValue stacked();
  ApiValue normalized();
  ApiValue attended();
  ApiValue averaged();
  ApiValue chosen();
  ApiValue triangle();
  ApiValue rows();
  ApiValue batched();
  ApiValue viewed();
  ApiValue accumulated();
  ApiValue cast();
  ApiValue masked();
  ApiValue written();
  ApiValue writtenThroughAView();

  ApiValue reduced();
  ApiValue gathered();
  ApiValue scattered();
  ApiValue broadcasted();
  ApiValue exchanged();
  ApiValue reducedList();
  ApiValue gatheredList();
  ApiValue scatteredList();
  ApiValue autograd();
  ApiValue reducedByMost();
  ApiValue inPlace();
  ApiValue wrapped();
  ApiValue wrappedList();

  static const std::vector<Step> &differentiable();
  static const std::vector<Step> &all();

  tracer::Trace &trace_;
  std::mt19937 random_;
  tracer::DeviceMesh mesh_;
  int64_t ranks_;
  bool differentiates_;
  std::vector<ApiValue> values_;
};

} // namespace ccgraph::test

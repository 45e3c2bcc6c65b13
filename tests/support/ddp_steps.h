// Plans of a data-parallel step: with DataParallel, and with buckets written by hand. A test compares their steps, and
// a program their times.
//
// Ownership: plans belong to the caller and refer to the context. Failure: aborts. Cost: that of tracing and lowering.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/optimizers.h"
#include "ccgraph/tracer/trace.h"

#include <functional>

namespace ccgraph::test {

/// Returns the reduced gradients of a loss.
using ReduceGradients = std::function<std::vector<tracer::Tensor>(const tracer::Tensor &loss,
                                                                  const std::vector<tracer::Tensor> &parameters)>;

/// The plan of one rank of two, of a step of gradient descent on a perceptron of three layers of this width.
inline std::unique_ptr<Plan> planOfDdpStep(Context &context, int64_t width, const ReduceGradients &reduce) {
  using namespace tracer;
  Trace trace = llvm::cantFail(Trace::begin(context, {.worldSize = 2}));
  Tensor value = trace.input("x", {DType::F32, {8, width}});
  for (int layer = 0; layer != 3; ++layer) {
    std::string name = std::to_string(layer);
    Tensor weight = trace.parameter("w" + name, {DType::F32, {width, width}});
    value = relu(mm(value, weight) + trace.parameter("b" + name, {DType::F32, {width}}));
  }
  std::vector<Tensor> parameters = trace.parameters();
  std::vector<Tensor> gradients = reduce(sum(value), parameters);
  auto graph = llvm::cantFail(trace.finish(sgd(parameters, gradients, {.lr = 0.1})));
  return llvm::cantFail(lowerGraph(*graph));
}

/// Buckets of `limit` bytes, from the last parameter to the first, as a program without DataParallel writes them.
inline std::vector<tracer::Tensor> reduceByHand(const tracer::Tensor &loss,
                                                const std::vector<tracer::Tensor> &parameters, int64_t limit) {
  using namespace tracer;
  TensorList gradients = backward(loss, parameters);
  std::vector<Tensor> results(parameters.size());
  for (size_t end = parameters.size(); end != 0;) {
    std::vector<Tensor> pieces;
    size_t begin = end;
    for (int64_t bytes = 0; begin != 0 && bytes < limit; bytes += 4 * pieces.back().numel()) {
      const Tensor &gradient = gradients[--begin];
      pieces.push_back(gradient.dim() == 1 ? gradient : reshape(gradient, {-1}));
    }
    Tensor flat = pieces.size() == 1 ? pieces.front() : cat(pieces);
    Tensor mean = collectives::all_reduce(flat * 0.5, "sum", "0");
    int64_t at = 0;
    for (size_t i = end; i != begin; --i) {
      int64_t elements = parameters[i - 1].numel();
      Tensor part = pieces.size() == 1 ? mean : slice(mean, 0, at, at + elements);
      results[i - 1] = view(part, parameters[i - 1].sizes());
      at += elements;
    }
    end = begin;
  }
  return results;
}

/// DataParallel with buckets of as many bytes, in the order of the parameters reversed.
inline std::vector<tracer::Tensor> reduceByDdp(const tracer::Tensor &loss,
                                               const std::vector<tracer::Tensor> &parameters, int64_t limit) {
  tracer::DataParallelOptions options;
  options.buckets.capMegabytes = static_cast<double>(limit) / (1 << 20);
  for (size_t i = parameters.size(); i != 0; --i)
    options.readyOrder.push_back(i - 1);
  return tracer::DataParallel(parameters, options).backward(loss).tensors();
}

} // namespace ccgraph::test

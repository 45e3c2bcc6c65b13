// Traced: a trace in a test, what it records as text, and how it runs.
//
//   Traced t;
//   Tensor x = t.input("x", {4});
//   EXPECT_EQ(t.finishText({x + 1}), "add = aten.add.Tensor(x, 1) : f32[4][1]cpu\n");
//
// Ownership: owns context, trace and graph. Failure: a trace that does not begin, or a graph that a run refuses, ends the
// test. Cost: a run interprets.
#pragma once

#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/trace.h"

#include <gtest/gtest.h>

namespace ccgraph::test {

using tracer::Tensor;

/// A diagnostic as it is printed, "" where there is none; the test's report notes it (support/noted.h).
[[nodiscard]] std::string noted(const Diagnostic *error);
/// The first diagnostic of a failed tensor, so; "" where it has not failed.
[[nodiscard]] std::string errorOf(const Tensor &tensor);
[[nodiscard]] std::string errorOf(llvm::Error error);

/// A line for each call: name = target(arguments) : type.
[[nodiscard]] std::string callsOf(const Graph &graph);

class Traced {
public:
  explicit Traced(const tracer::TraceOptions &options = {.worldSize = 4});

  [[nodiscard]] tracer::Trace &trace() { return trace_; }
  [[nodiscard]] Context &context() { return context_; }
  [[nodiscard]] Tensor input(llvm::StringRef name, std::vector<int64_t> sizes, DType dtype = DType::F32) {
    return trace_.input(name, {dtype, std::move(sizes)});
  }
  /// The calls recorded so far.
  [[nodiscard]] std::string text() const { return callsOf(trace_.graph()); }
  /// The calls of the finished graph, or the error. The test's report notes what is recorded, and errors.
  [[nodiscard]] std::string finishText(const std::vector<Tensor> &outputs);
  /// The finished graph; an error ends the test.
  Graph &finish(const std::vector<Tensor> &outputs);

private:
  Graph &keep(std::unique_ptr<Graph> graph);

  Context context_;
  std::unique_ptr<Graph> graph_;
  tracer::Trace trace_;
};

/// What is different after -O2 on seeded inputs, to the bit; "" where nothing is. A pipeline that fails gives its error.
[[nodiscard]] std::string differencesAfterO2(const Graph &graph, size_t ranks);

} // namespace ccgraph::test

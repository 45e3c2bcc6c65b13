// Traced holds a trace in a test, with its recorded calls as text, and runs it.
//
//   Traced t;
//   Tensor x = t.input("x", {4});
//   EXPECT_EQ(t.finishText({x + 1}), "add = aten.add.Tensor(x, 1) : f32[4][1]cpu\n");
//
// Ownership: owns context, trace and graph. Failure: a trace that does not begin, or a graph that a run refuses, ends
// the test. Cost: a run interprets the graph.
#pragma once

#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/trace.h"

#include <gtest/gtest.h>

namespace ccgraph::test {

using tracer::Tensor;

/// Returns a diagnostic as it is printed, "" if there is none; the test's report notes it (support/noted.h).
[[nodiscard]] std::string noted(const Diagnostic *error);
/// Returns the first diagnostic of a failed tensor in this form; "" if it has not failed.
[[nodiscard]] std::string errorOf(const Tensor &tensor);
[[nodiscard]] std::string errorOf(llvm::Error error);

/// Returns a line for each call: name = target(arguments) : type.
[[nodiscard]] std::string callsOf(const Graph &graph);

class Traced {
public:
  explicit Traced(const tracer::TraceOptions &options = {.worldSize = 4});

  [[nodiscard]] tracer::Trace &trace() { return trace_; }
  [[nodiscard]] Context &context() { return context_; }
  [[nodiscard]] Tensor input(llvm::StringRef name, std::vector<int64_t> sizes, DType dtype = DType::F32) {
    return trace_.input(name, {dtype, std::move(sizes)});
  }
  /// Returns the calls recorded so far.
  [[nodiscard]] std::string text() const { return callsOf(trace_.graph()); }
  /// Returns the calls of the finished graph, or the error. The test's report notes the recorded calls, and errors.
  [[nodiscard]] std::string finishText(const std::vector<Tensor> &outputs);
  /// Returns the finished graph; an error ends the test.
  Graph &finish(const std::vector<Tensor> &outputs);

private:
  Graph &keep(std::unique_ptr<Graph> graph);

  Context context_;
  std::unique_ptr<Graph> graph_;
  tracer::Trace trace_;
};

/// Returns the bitwise difference after -O2 on seeded inputs; "" if there is none. If the pipeline fails, returns its
/// error.
[[nodiscard]] std::string differencesAfterO2(const Graph &graph, size_t ranks);

} // namespace ccgraph::test

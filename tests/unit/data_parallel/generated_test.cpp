// Tests generated steps whose replicas reduce gradients in buckets, or shard the optimizer, against the plain ones.
#include "training_run.h"

#include "ccgraph/ir/diagnostic.h"
#include "models/bucketed_gradients.h"
#include "models/training_step.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace models;

GenerateRequest smallRequest() {
  GenerateRequest request;
  request.model = findModel("llama3-8b")->config;
  request.model.layers = 1;
  request.model.setHeads(2);
  llvm::cantFail(setWidth(request.model, 32));
  request.model.kvHeads = 2;
  request.model.vocab = 64;
  request.parallel.replicas = 2;
  request.shape.sequence = 8;
  request.dtype = DType::F32;
  request.device = "cpu";
  return request;
}

/// Returns the inputs of a rank: its own tokens, parameters of one value, so that a shard of them is known, and zeros.
TensorMap inputsOf(const Graph &graph, int64_t rank) {
  TensorMap inputs;
  for (const Node *node : graph) {
    if (node->opcode() != Opcode::Placeholder)
      continue;
    std::vector<int64_t> sizes;
    for (const Dim &size : node->type()->sizes())
      sizes.push_back(size.value());
    llvm::StringRef name = node->name().str();
    bool isState = name.startswith("average") || name.startswith("square") || name.startswith("optimizer") ||
                   name.startswith("powersgd_error");
    std::vector<double> values;
    for (int64_t i = 0; i != node->type()->numElements(); ++i)
      values.push_back(node->type()->dtype() == DType::I64 ? static_cast<double>((7 * i + 3 * rank + 1) % 64)
                       : isState                           ? 0
                       : name.startswith("powersgd_q")     ? static_cast<double>(1 + i % 5)
                                                           : 0.02);
    inputs["in." + name.str()] = hostTensor(node->type()->dtype(), sizes, values);
  }
  return inputs;
}

struct GeneratedRun {
  size_t allReduces = 0;
  std::vector<TensorMap> results;
};

/// Runs the step on all ranks; each has its own graph where the request makes graphs of one rank.
GeneratedRun run(GenerateRequest request) {
  Context context;
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<const Graph *> each;
  std::vector<TensorMap> inputs;
  for (int64_t rank = 0; rank != request.parallel.world(); ++rank) {
    if (request.parallel.isOfOneRank())
      request.rank = rank;
    if (request.rank || rank == 0) {
      graphs.push_back(llvm::cantFail(generate(context, request)));
      each.push_back(graphs.back().get());
    }
    inputs.push_back(inputsOf(*graphs.back(), rank / request.parallel.tensor));
  }
  GeneratedRun run;
  for (const Node *node : *graphs.front())
    run.allReduces += node->target().str() == "_c10d_functional.all_reduce.default" ? 1 : 0;
  run.results = runGraphs(Runner::Local, each, inputs);
  return run;
}

double difference(const GeneratedRun &a, const GeneratedRun &b, size_t results) {
  double largest = 0;
  for (size_t rank = 0; rank != a.results.size(); ++rank)
    for (size_t i = 0; i != results; ++i) {
      std::string name = "out." + std::to_string(i);
      largest = std::max(largest, largestDifference(a.results[rank].at(name), b.results[rank].at(name)));
    }
  return largest;
}

TEST(GeneratedHooks, ExactHooksChangeNoGradient) {
  GenerateRequest request = smallRequest();
  GeneratedRun plain = run(request);
  for (const char *hook : {"none", "allreduce"}) {
    request.hook = hook;
    GeneratedRun bucketed = run(request);
    EXPECT_EQ(difference(plain, bucketed, plain.results[0].size()), 0) << hook;
    EXPECT_LT(bucketed.allReduces, plain.allReduces);
    EXPECT_EQ(bucketed.allReduces, 1U); // all gradients are smaller than the first bucket
  }
}

/// Two replicas, each of two ranks with tensor parallelism, which have the same tokens.
GenerateRequest tensorParallelRequest() {
  GenerateRequest request = smallRequest();
  request.parallel.tensor = 2;
  return request;
}

TEST(GeneratedHooks, WithTensorParallelismExactHooksChangeNoGradient) {
  GenerateRequest request = tensorParallelRequest();
  GeneratedRun plain = run(request);
  ASSERT_EQ(plain.results.size(), 4U);
  request.hook = "allreduce";
  GeneratedRun bucketed = run(request);
  EXPECT_EQ(difference(plain, bucketed, plain.results[0].size()), 0);
  EXPECT_LT(bucketed.allReduces, plain.allReduces);
  request.hook = "bf16";
  EXPECT_GT(difference(plain, run(request), plain.results[0].size()), 0);
}

TEST(GeneratedHooks, OthersComeNear) {
  GenerateRequest request = smallRequest();
  GeneratedRun plain = run(request);
  double largest = 0;
  for (const HostTensor &tensor : llvm::make_second_range(plain.results[0]))
    for (double value : numbersOf(tensor))
      largest = std::max(largest, std::abs(value));
  for (const char *hook : {"fp16", "bf16", "quantize-per-tensor", "quantize-per-channel"}) {
    request.hook = hook;
    double off = difference(plain, run(request), plain.results[0].size());
    EXPECT_LT(off, 0.05 * largest) << hook;
    EXPECT_GT(off, 0) << hook;
  }
}

TEST(GeneratedHooks, PowerSgdReturnsItsState) {
  for (const char *hook : {"powersgd", "batched-powersgd"}) {
    GenerateRequest request = smallRequest();
    size_t plain = run(request).results[0].size();
    request.hook = hook;
    EXPECT_EQ(run(request).results[0].size(), plain + 2) << hook; // error and Q of the one bucket
  }
}

TEST(GeneratedHooks, AllNamesGenerateEachPart) {
  for (const std::string &hook : stepHooks())
    for (Part part : {Part::Joint, Part::Forward, Part::Backward, Part::Step}) {
      GenerateRequest request = smallRequest();
      request.hook = hook;
      request.part = part;
      Context context;
      llvm::Expected<std::unique_ptr<Graph>> graph = generate(context, request);
      EXPECT_TRUE(bool(graph)) << hook << ": " << (graph ? "" : llvm::toString(graph.takeError()));
    }
}

TEST(GeneratedZero, GivesTheParametersOfAnUnshardedStep) {
  for (Optimizer optimizer : {Optimizer::Sgd, Optimizer::AdamW}) {
    GenerateRequest request = smallRequest();
    request.part = Part::Step;
    request.optimizer = optimizer;
    GeneratedRun plain = run(request);
    request.shardsOptimizer = true;
    GeneratedRun sharded = run(request);
    // AdamW returns the two averages of each parameter and the count too; SGD returns parameters alone.
    size_t all = plain.results[0].size();
    size_t parameters = optimizer == Optimizer::Sgd ? all - 1 : (all - 2) / 3;
    EXPECT_EQ(difference(plain, sharded, 1 + parameters), 0);
    EXPECT_EQ(sharded.allReduces, 0U);
  }
}

TEST(GeneratedZero, WithTensorParallelismGivesTheParametersOfAnUnshardedStep) {
  GenerateRequest request = tensorParallelRequest();
  request.part = Part::Step;
  request.optimizer = Optimizer::Sgd;
  GeneratedRun plain = run(request);
  request.shardsOptimizer = true;
  GeneratedRun sharded = run(request);
  EXPECT_EQ(difference(plain, sharded, plain.results[0].size()), 0);
  EXPECT_LT(sharded.allReduces, plain.allReduces);
}

std::string errorOf(const GenerateRequest &request) {
  Context context;
  llvm::Expected<std::unique_ptr<Graph>> graph = generate(context, request);
  return graph ? "" : llvm::toString(graph.takeError());
}

TEST(GeneratedHookErrors, WhatDoesNotFit) {
  GenerateRequest request = smallRequest();
  request.hook = "fp8";
  EXPECT_EQ(errorOf(request), "error: llama3-8b: got the hook 'fp8' [gen.hook]\n"
                              "  note: the hooks are allreduce, batched-powersgd, bf16, fp16, none, noop, powersgd, "
                              "quantize-per-channel, quantize-per-tensor\n");
  request.hook = "bf16";
  request.shardsOptimizer = true;
  EXPECT_EQ(errorOf(request), "error: llama3-8b: --zero 1 with --hook, expected one of them [gen.hook]\n"
                              "  note: a sharded optimizer reduces buckets by a reduce_scatter of its own\n");
  request.hook = "";
  EXPECT_EQ(errorOf(request), "error: llama3-8b: --zero 1 without an optimizer, expected a step with one [gen.hook]\n"
                              "  note: add --part step\n");
  request.parallel.replicas = 1;
  EXPECT_EQ(errorOf(request), "error: llama3-8b: --zero 1 with 1 replica, expected 2 or more [gen.hook]\n"
                              "  note: state the replicas by --ddp N or --hsdp RxS\n");
}

} // namespace
} // namespace ccgraph::test

// Measures how the legality checker and -O2 scale with the size of programs of one shape. `BigO` must stay linear, with
// a few microseconds an element; tests/evidence/scaling measures the same through the tool.
#include "support/one_pass.h"
#include "support/program_builder.h"

#include "ccgraph/ir/snapshot.h"
#include "ccgraph/legality/legality.h"
#include "ccgraph/passes/cost.h"
#include "ccgraph/passes/pass_manager.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;
using namespace ccgraph::test;
using llvm::StringRef;

namespace {

/// Builds a program whose values are all f32[4] on the CPU.
class Program {
public:
  explicit Program(int64_t size) : graph(context), size(size), build(graph), type(build.f32({4})) {}

  Node *reduce(Node *value, StringRef group = "0") {
    return build.call("_c10d_functional.all_reduce.default", type, {value, StringRef("sum"), group});
  }
  Node *wait(Node *value) { return build.call("_c10d_functional.wait_tensor.default", type, {value}); }
  Node *negate(Node *value) { return build.call("aten.neg.default", type, {value}); }

  Context context;
  Graph graph;
  int64_t size;
  ProgramBuilder build;
  const Type *type;
};

/// Adds the members of one list collective, each with an input of its own.
void list(Program &program) {
  std::vector<Node *> values;
  for (int64_t i = 0; i < program.size; ++i)
    values.push_back(program.build.input("x" + std::to_string(i), program.type));
  for (Node *&value : values)
    value = program.reduce(value);
  for (Node *&value : values)
    value = program.wait(value);
  for (Node *&value : values)
    value = program.negate(value);
  program.build.output({values.back()});
}

/// Adds values that may each share the storage of all values before. A collective before them has a wait that may sink.
void chain(Program &program, StringRef target, const Type *type) {
  Node *x = program.build.input("x", program.type);
  Node *wait = program.wait(program.reduce(x));
  Node *value = x;
  for (int64_t i = 0; i < program.size; ++i) {
    bool sized = target == "aten.reshape.default";
    value = sized ? program.build.call(target, type, {value, ProgramBuilder::Numbers{4}})
                  : program.build.call(target, type, {value});
  }
  Node *sum = program.build.call("aten.add.Tensor", program.type, {program.negate(x), wait});
  program.build.output({sum, value});
}
void opaque(Program &program) { chain(program, "mylib.f.default", nullptr); }
void reshapes(Program &program) { chain(program, "aten.reshape.default", nullptr); }

/// Adds a collective on each of many groups, and a table of them.
void groups(Program &program) {
  Node *x = program.build.input("x", program.type);
  std::vector<Node *> values;
  for (int64_t i = 0; i < program.size; ++i) {
    std::string name = "g" + std::to_string(i);
    program.graph.groups().set({.name = name, .ranks = {i, i + 1}});
    values.push_back(program.reduce(x, name));
  }
  for (Node *&value : values)
    value = program.wait(value);
  for (Node *&value : values)
    value = program.negate(value);
  program.build.output({values.back()});
}

/// Adds one operator with many results.
void split(Program &program) {
  Node *x = program.build.input("x", program.build.f32({program.size}));
  Node *y = program.build.input("y", program.type);
  Node *wait = program.wait(program.reduce(y));
  Node *all = program.build.call("aten.split.Tensor", nullptr, {x, int64_t{1}});
  Node *last = nullptr;
  for (int64_t i = 0; i < program.size; ++i)
    last = program.build.call("aten.neg.default", program.build.f32({1}),
                              {program.build.call("operator.getitem", program.build.f32({1}), {all, i})});
  program.build.output({program.build.call("aten.add.Tensor", program.type, {program.negate(y), wait}), last});
}

using Make = void (*)(Program &);

/// Runs only the checker, after one pass.
void checkAfter(benchmark::State &state, Make make, const std::string &pipeline) {
  Program program(state.range(0));
  make(program);
  GraphSnapshot before(program.graph);
  OnePass pass = runOnePass(program.graph, pipeline);
  pass.options.memoryBudget = INT64_MAX;
  for (auto _ : state)
    llvm::cantFail(checkLegality(before, program.graph, pass.certificate, pass.options));
  state.SetComplexityN(state.range(0));
}

/// Runs -O2 with all checks, on a new program each time.
void optimize(benchmark::State &state, Make make) {
  for (auto _ : state) {
    state.PauseTiming();
    auto program = std::make_unique<Program>(state.range(0));
    make(*program);
    state.ResumeTiming();
    llvm::cantFail(runPipeline(program->graph, pipelineOfLevel(2)));
    state.PauseTiming();
    program.reset();
    state.ResumeTiming();
  }
  state.SetComplexityN(state.range(0));
}

/// Builds the cost model and computes the cost of every node.
void priceAll(benchmark::State &state, Make make) {
  Program program(state.range(0));
  make(program);
  for (auto _ : state) {
    const CostModel model(program.graph, *machinePreset(defaultMachine));
    int64_t sum = 0;
    for (const Node *node : program.graph)
      sum += model.estimatedTime(*node).picoseconds;
    benchmark::DoNotOptimize(sum);
  }
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->RangeMultiplier(4)->Range(800, 51200)->Complexity();
}

const char *const grouped = "coalesce-collectives{max-count=unlimited max-bytes=unlimited}";
const char *const flat = "coalesce-collectives{layout=flat max-count=unlimited max-bytes=unlimited}";

BENCHMARK_CAPTURE(checkAfter, listGrouped, list, grouped)->Apply(sizes);
BENCHMARK_CAPTURE(checkAfter, listFlat, list, flat)->Apply(sizes);
BENCHMARK_CAPTURE(checkAfter, opaqueChain, opaque, "sink-waits")->Apply(sizes);
BENCHMARK_CAPTURE(checkAfter, reshapeChain, reshapes, "sink-waits")->Apply(sizes);
BENCHMARK_CAPTURE(checkAfter, groups, groups, "sink-waits")->Apply(sizes);
BENCHMARK_CAPTURE(checkAfter, split, split, "sink-waits")->Apply(sizes);
BENCHMARK_CAPTURE(optimize, list, list)->Apply(sizes);
BENCHMARK_CAPTURE(optimize, opaqueChain, opaque)->Apply(sizes);
BENCHMARK_CAPTURE(optimize, reshapeChain, reshapes)->Apply(sizes);
BENCHMARK_CAPTURE(optimize, groups, groups)->Apply(sizes);
BENCHMARK_CAPTURE(optimize, split, split)->Apply(sizes);
BENCHMARK_CAPTURE(priceAll, list, list)->Apply(sizes);
BENCHMARK_CAPTURE(priceAll, opaqueChain, opaque)->Apply(sizes);
BENCHMARK_CAPTURE(priceAll, reshapeChain, reshapes)->Apply(sizes);
BENCHMARK_CAPTURE(priceAll, groups, groups)->Apply(sizes);
BENCHMARK_CAPTURE(priceAll, split, split)->Apply(sizes);

} // namespace

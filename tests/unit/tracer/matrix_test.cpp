// Each collective, from the trace to its values: the graph verifies, dead-code elimination leaves the collective, the
// consumer waits on it, values equal those of an eager session on 4 ranks, and inputs are no constants of the graph.
#include "traced.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/distributed.h"
#include "ccgraph/tracer/eager.h"
#include "support/rank_program.h"

namespace ccgraph::test {
namespace {

using namespace tracer;
using Values = std::vector<std::vector<double>>;

constexpr size_t ranks = 4;

struct MatrixCase {
  const char *name;
  /// of an f32[8, 4]
  Tensor (*collective)(const Tensor &x);
};

/// The input of every rank: no two elements alike, and other ones for another seed.
std::vector<HostTensor> inputsOf(double seed) {
  std::vector<HostTensor> values;
  for (size_t rank = 0; rank != ranks; ++rank) {
    std::vector<double> row;
    for (size_t i = 0; i != 32; ++i)
      row.push_back(seed + static_cast<double>(100 * rank + i));
    values.push_back(hostTensor(DType::F32, {8, 4}, row));
  }
  return values;
}

/// What every rank has of the traced program.
Values valuesOf(const Graph &graph, const std::vector<HostTensor> &inputs) {
  runtime::RunRequest request{.graphs = {&graph}, .ranks = ranks};
  for (const HostTensor &input : inputs)
    request.inputs.push_back({{"in.x", input}});
  Values values;
  for (const TensorMap &results : llvm::cantFail(runtime::interpret(request)))
    values.push_back(numbersOf(results.at("out.0")));
  return values;
}

Values eagerValuesOf(const MatrixCase &checked, const std::vector<HostTensor> &inputs) {
  Context context;
  auto run = [](const Graph &graph, std::vector<TensorMap> given) {
    return runtime::interpret({.graphs = {&graph}, .ranks = given.size(), .inputs = std::move(given)});
  };
  Eager eager = llvm::cantFail(Eager::begin(context, {.ranks = ranks, .execute = run}));
  Tensor result = checked.collective(eager.tensor(inputs)) + 1;
  Values values;
  for (const HostTensor &value : llvm::cantFail(eager.values(result)))
    values.push_back(numbersOf(value));
  return values;
}

/// Walks from the consumer through what only passes elements on, to a wait on a collective.
bool waitsOnACollective(const Node *node) {
  while (node->op() && node->numOperands() != 0) {
    const Node *before = node->operand(0);
    if (node->op()->role == OpRole::Wait)
      return before->op() && (before->op()->collective || waitsOnACollective(before) ||
                              (before->op()->role == OpRole::GetItem && before->operand(0)->op()->collective));
    node = node->target().str() == "aten.copy_.default" ? node->operand(1) : before;
  }
  return false;
}

const MatrixCase cases[] = {
    {"all_reduce", [](const Tensor &x) { return collectives::all_reduce(x, "sum", "0"); }},
    {"broadcast", [](const Tensor &x) { return collectives::broadcast(x, 2, "0"); }},
    {"all_gather", [](const Tensor &x) { return collectives::all_gather_tensor(x, 0, "0"); }},
    {"all_gather_other_dim", [](const Tensor &x) { return collectives::all_gather_tensor(x, 1, "0"); }},
    {"reduce_scatter", [](const Tensor &x) { return collectives::reduce_scatter_tensor(x, "max", 0, "0"); }},
    {"reduce_scatter_other_dim", [](const Tensor &x) { return collectives::reduce_scatter_tensor(x, "sum", 1, "0"); }},
    {"all_to_all", [](const Tensor &x) { return collectives::all_to_all_single(x, std::nullopt, std::nullopt, "0"); }},
    {"all_reduce_coalesced",
     [](const Tensor &x) {
       return collectives::all_reduce_coalesced({x * 2, x}, "sum", "0")[1];
     }},
    {"all_gather_coalesced",
     [](const Tensor &x) {
       return collectives::all_gather_into_tensor_coalesced({x * 2, x}, "0")[0];
     }},
    {"reduce_scatter_coalesced",
     [](const Tensor &x) {
       return collectives::reduce_scatter_tensor_coalesced({x, x * 2}, "sum", {0, 1}, "0")[1];
     }},
    {"two_consecutive",
     [](const Tensor &x) {
       return collectives::all_reduce(collectives::all_reduce(x, "sum", "0"), "max", std::vector<int64_t>{0, 1, 2, 3});
     }},
    {"all_reduce_in_place", [](const Tensor &x) { return distributed::all_reduce(clone(x)); }},
    {"all_gather_in_place",
     [](const Tensor &x) {
       return distributed::all_gather_into_tensor(zeros({32, 4}), x);
     }},
    {"all_gather_list_in_place",
     [](const Tensor &x) {
       return distributed::all_gather({clone(x), clone(x), clone(x), clone(x)}, x)[3];
     }},
    {"reduce_scatter_in_place",
     [](const Tensor &x) {
       return distributed::reduce_scatter_tensor(zeros({2, 4}), x, "avg");
     }},
    {"all_to_all_in_place",
     [](const Tensor &x) {
       return distributed::all_to_all_single(zeros({8, 4}), x);
     }},
};

class CollectiveMatrix : public testing::TestWithParam<MatrixCase> {};

TEST_P(CollectiveMatrix, FromTheTraceToItsValues) {
  Traced t({.worldSize = ranks});
  Tensor consumer = GetParam().collective(t.input("x", {8, 4})) + 1;
  Graph &graph = t.finish({consumer});
  llvm::cantFail(runPipeline(graph, llvm::cantFail(Pipeline::parse("eliminate-dead-collectives"))));
  EXPECT_TRUE(waitsOnACollective(graph.output()->operand(0))) << callsOf(graph);
  EXPECT_TRUE(llvm::none_of(graph, [](const Node *node) { return node->opcode() == Opcode::GetAttr; }));
  Values first = valuesOf(graph, inputsOf(0.5)), second = valuesOf(graph, inputsOf(7));
  EXPECT_EQ(first, eagerValuesOf(GetParam(), inputsOf(0.5)));
  EXPECT_EQ(second, eagerValuesOf(GetParam(), inputsOf(7)));
  EXPECT_NE(first, second);
}

INSTANTIATE_TEST_SUITE_P(All, CollectiveMatrix, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace ccgraph::test

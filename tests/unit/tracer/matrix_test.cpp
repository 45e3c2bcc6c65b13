// Tests each collective from the trace to its values: the graph verifies, dead-code elimination keeps the collective,
// the consumer waits for it, values equal those of an eager session on 4 ranks, and inputs are not constants of the
// graph.
#include "traced.h"

#include "ccgraph/frontend/object_file.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/distributed.h"
#include "ccgraph/tracer/eager.h"
#include "support/noted.h"
#include "support/rank_program.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::test {
namespace {

using namespace tracer;
using Values = std::vector<std::vector<double>>;

constexpr size_t ranks = 4;

struct MatrixCase {
  const char *name;
  /// collective of an f32[8, 4]
  Tensor (*collective)(const Tensor &x);
};

/// Returns the input of every rank: all elements differ, and other seeds give other elements.
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

/// Returns the results of the traced program on every rank.
Values valuesOf(const Graph &graph, const std::vector<HostTensor> &inputs) {
  runtime::RunRequest request{.graphs = {&graph}, .ranks = ranks};
  request.objects = objectsOf(graph);
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

/// Returns whether the awaited value comes from a collective. Elements of lists, and waits on results of waits, only
/// pass it on.
bool isOfACollective(const Node *node) {
  while (node->op() && (node->op()->role == OpRole::Wait || node->op()->role == OpRole::GetItem))
    node = node->operand(0);
  return node->op() && node->op()->collective;
}

/// The node that pairs a collective's output with its Work is not a wait, although the graph's rules give it that role.
bool isWait(const Node *node) {
  return node->op()->role == OpRole::Wait && !node->target().str().endswith("._wrap_comm_result");
}

/// Follows nodes that only pass elements on from the consumer to a wait on a collective.
bool waitsOnACollective(const Node *node) {
  while (node->op() && node->numOperands() != 0) {
    if (isWait(node))
      return isOfACollective(node->operand(0));
    node = node->operand(node->target().str() == "aten.copy_.default" ? 1 : 0);
  }
  return false;
}

size_t collectivesOf(const Graph &graph) {
  return llvm::count_if(graph, [](const Node *node) { return node->op() && node->op()->collective; });
}

/// Returns f32[2, 4] tensors that collectives write while a trace records.
c10d::Tensors buffers(size_t number) {
  c10d::Tensors all;
  for (size_t i = 0; i != number; ++i)
    all.push_back(comm_tensor(zeros({2, 4})));
  return all;
}

c10d::Tensors piecesOf(const Tensor &x) {
  c10d::Tensors all;
  for (const Tensor &piece : split(x, 2))
    all.push_back(contiguous(piece));
  return all;
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
    {"wrapped_all_reduce",
     [](const Tensor &x) {
       Tensor y = comm_tensor(x * 2);
       c10d::allreduce_({y}, "0");
       return y;
     }},
    {"wrapped_all_gather_list",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(ranks);
       c10d::allgather_({out}, {piecesOf(x)[1]}, "0");
       return cat(out);
     }},
    {"wrapped_all_gather_into_tensor",
     [](const Tensor &x) {
       Tensor out = comm_tensor(zeros({32, 4}));
       c10d::_allgather_base_(out, x, "0");
       return out;
     }},
    {"wrapped_reduce_scatter_list",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(1);
       c10d::reduce_scatter_(out, {piecesOf(x)}, "0", "max");
       return out[0];
     }},
    {"wrapped_reduce_scatter_tensor",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(1);
       c10d::_reduce_scatter_base_(out[0], x, "0");
       return out[0];
     }},
    {"wrapped_broadcast",
     [](const Tensor &x) {
       Tensor y = comm_tensor(x * 2);
       c10d::broadcast_({y}, "0", 1);
       return y;
     }},
    {"wrapped_scatter",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(1);
       c10d::scatter_(out, {piecesOf(x)}, "0", 3);
       return out[0];
     }},
    {"wrapped_all_to_all",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(ranks);
       c10d::alltoall_(out, piecesOf(x), "0");
       return cat(out);
     }},
    {"wrapped_twice",
     [](const Tensor &x) {
       Tensor y = comm_tensor(comm_tensor(x * 2));
       c10d::allreduce_({y}, "0");
       return y;
     }},
    {"wrapped_two_consecutive",
     [](const Tensor &x) {
       Tensor y = comm_tensor(x * 2);
       c10d::allreduce_({y}, "0", "max");
       c10d::allreduce_({y}, "0");
       return y;
     }},
};

class CollectiveMatrix : public testing::TestWithParam<MatrixCase> {
protected:
  /// Checks one step of the test; all steps are noted, as "verified yes, ...".
  void expect(const std::string &step, bool holds, const std::string &otherwise = "") {
    EXPECT_TRUE(holds) << step << "\n" << otherwise;
    steps_.push_back(step + (holds ? ": yes" : ": no"));
  }
  void TearDown() override { note("matrix", llvm::join(steps_, "\n")); }

private:
  std::vector<std::string> steps_;
};

TEST_P(CollectiveMatrix, FromTheTraceToItsValues) {
  Traced t({.worldSize = ranks});
  Tensor consumer = GetParam().collective(t.input("x", {8, 4})) + 1;
  Graph &graph = t.finish({consumer});
  expect("verified", verify(graph).empty(), toString(verify(graph)));
  size_t launched = collectivesOf(graph);
  llvm::cantFail(runPipeline(graph, llvm::cantFail(Pipeline::parse("eliminate-dead-collectives"))));
  expect("kept by dead-code elimination", launched != 0 && collectivesOf(graph) == launched, callsOf(graph));
  expect("its consumer waits on it", waitsOnACollective(graph.output()->operand(0)), callsOf(graph));
  Values first = valuesOf(graph, inputsOf(0.5)), second = valuesOf(graph, inputsOf(7));
  expect("equal to eager on 4 ranks",
         first == eagerValuesOf(GetParam(), inputsOf(0.5)) && second == eagerValuesOf(GetParam(), inputsOf(7)));
  bool hasConstants = llvm::any_of(graph, [&](const Node *node) {
    return node->opcode() == Opcode::GetAttr && !objectsOf(graph).count(node->target().str().str());
  });
  expect("no input is a constant", !hasConstants && first != second);
}

INSTANTIATE_TEST_SUITE_P(All, CollectiveMatrix, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace ccgraph::test

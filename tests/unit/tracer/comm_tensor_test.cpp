// Tests wrapped tensors: the trace of each in-place collective, the position of its wait, its later forms, and
// refusals.
#include "traced.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/eager.h"
#include "support/noted.h"
#include "support/rank_program.h"
#include "support/seeded_run.h"

namespace ccgraph::test {
namespace {

using namespace tracer;
constexpr size_t ranks = 4;

TEST(CommTensor, RecordsThePairAndWaitsAtTheFirstUse) {
  Traced t;
  Tensor x = comm_tensor(t.input("x", {4}) * 2);
  c10d::Work work = c10d::allreduce_({x}, "0", "sum");
  Tensor beside = relu(t.input("y", {4}));
  work.wait();
  Tensor first = x + beside;
  Tensor second = x * 3;
  EXPECT_EQ(t.finishText({first, second}),
            "mul = aten.mul.Tensor(x, 2) : f32[4][1]cpu\n"
            "allreduce_ = c10d.allreduce_.default([mul], _torchbind_obj0, _torchbind_obj1, None) : -\n"
            "_wrap_comm_result = torch.distributed._spmd.comm_tensor._wrap_comm_result(allreduce_) : -\n"
            "getitem = operator.getitem(_wrap_comm_result, 0) : -\n"
            "getitem_1 = operator.getitem(getitem, 0) : f32[4][1]cpu\n"
            "relu = aten.relu.default(y) : f32[4][1]cpu\n"
            "_wait_comm = torch.distributed._spmd.comm_tensor._wait_comm(getitem_1) : f32[4][1]cpu\n"
            "add = aten.add.Tensor(_wait_comm, relu) : f32[4][1]cpu\n"
            "mul_1 = aten.mul.Tensor(_wait_comm, 3) : f32[4][1]cpu\n");
}

TEST(CommTensor, EveryHandleWaitsAndTwiceIsOnce) {
  Traced t;
  Tensor x = t.input("x", {4}) * 2;
  Tensor same = x;
  c10d::allreduce_({comm_tensor(comm_tensor(x))}, "0");
  std::string text = t.finishText({same + 1});
  EXPECT_NE(text.find("add = aten.add.Tensor(_wait_comm, 1)"), std::string::npos) << text;
  EXPECT_EQ(llvm::StringRef(text).count("_wrap_comm_result("), 1U) << text;
}

TEST(CommTensor, ALaunchWaitsForTheOneBefore) {
  Traced t;
  Tensor x = comm_tensor(t.input("x", {4}) * 2);
  c10d::allreduce_({x}, "0");
  c10d::broadcast_({x}, "0", 1);
  std::string text = t.finishText({x});
  EXPECT_NE(text.find("broadcast_ = c10d.broadcast_.default([_wait_comm], _torchbind_obj0, 1, 0)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("_wait_comm_1 = "), std::string::npos) << text;
}

TEST(CommTensor, ElementsOfAListWaitEachForItself) {
  Traced t;
  Tensor x = t.input("x", {2}) * 2;
  c10d::Tensors all;
  for (size_t rank = 0; rank != ranks; ++rank)
    all.push_back(comm_tensor(zeros({2})));
  c10d::allgather_({all}, {x}, "0");
  std::string text = t.finishText({all[2] + 1, all[0] * 2});
  EXPECT_NE(text.find("_wait_comm = torch.distributed._spmd.comm_tensor._wait_comm(getitem_4)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("_wait_comm_1 = torch.distributed._spmd.comm_tensor._wait_comm(getitem_2)"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("_wait_comm_2"), std::string::npos) << text;
}

/// One of the eight collectives: launches it on `x`, f32[8], and returns what it wrote.
struct InPlace {
  std::string name;
  Tensor (*launch)(const Tensor &x);
  bool hasFunctionalForm = true;
};

c10d::Tensors pieces(const Tensor &x) {
  c10d::Tensors all;
  for (const Tensor &piece : split(x, 2))
    all.push_back(contiguous(piece * 3));
  return all;
}
c10d::Tensors buffers(size_t number) {
  c10d::Tensors all;
  for (size_t i = 0; i != number; ++i)
    all.push_back(comm_tensor(zeros({2})));
  return all;
}

const InPlace inPlace[] = {
    {"allreduce_premul_",
     [](const Tensor &x) {
       c10d::allreduce_({comm_tensor(x)}, "0", collectives::premul_sum(1.5));
       return x;
     }},
    {"_reduce_scatter_base_premul_",
     [](const Tensor &x) {
       Tensor out = comm_tensor(zeros({2}));
       c10d::_reduce_scatter_base_(out, x, "0", collectives::premul_sum(0.5));
       return out + slice(x, 0, 0, 2);
     }},
    {"reduce_scatter_premul_",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(1), in = pieces(x);
       c10d::reduce_scatter_(out, {in}, "0", collectives::premul_sum(0.5));
       return out[0] + in[0];
     }},
    {"_allgather_base_",
     [](const Tensor &x) {
       Tensor out = comm_tensor(zeros({32}));
       c10d::_allgather_base_(out, x, "0");
       return out;
     }},
    {"_reduce_scatter_base_",
     [](const Tensor &x) {
       Tensor out = comm_tensor(zeros({2}));
       c10d::_reduce_scatter_base_(out, x, "0", "sum");
       return out;
     }},
    {"allreduce_",
     [](const Tensor &x) {
       c10d::allreduce_({comm_tensor(x)}, "0", "max");
       return x;
     }},
    {"allgather_",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(ranks);
       c10d::allgather_({out}, {pieces(x)[0]}, "0");
       return cat(out);
     }},
    {"alltoall_",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(ranks);
       c10d::alltoall_(out, pieces(x), "0");
       return cat(out);
     }},
    {"broadcast_",
     [](const Tensor &x) {
       c10d::broadcast_({comm_tensor(x)}, "0", 2);
       return x;
     }},
    {"reduce_scatter_",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(1);
       c10d::reduce_scatter_(out, {pieces(x)}, "0", "sum");
       return out[0];
     }},
    {"scatter_",
     [](const Tensor &x) {
       c10d::Tensors out = buffers(1);
       c10d::scatter_(out, {pieces(x)}, "0", 2);
       return out[0];
     },
     false},
};

class InPlaceComm : public testing::TestWithParam<InPlace> {
protected:
  /// y = 5 * the collective's result for 2 x.
  std::unique_ptr<Graph> traced() {
    Trace trace = llvm::cantFail(Trace::begin(context_, {.name = "f", .worldSize = ranks}));
    Tensor x = trace.input("x", {DType::F32, {8}});
    Tensor y = GetParam().launch(x * 2) * 5;
    return llvm::cantFail(trace.finish({y}));
  }
  static runtime::RunRequest requestOf(const Graph &graph) {
    runtime::RunRequest request = seededRequest(graph, ranks);
    request.objects = objectsOf(graph);
    return request;
  }
  static std::string textOf(const Graph &graph) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::cantFail(writeFxText(os, graph));
    return os.str();
  }

  Context context_;
};

// A wait on a completed collective is not reported as redundant.
TEST_P(InPlaceComm, GivesNoWarning) {
  std::unique_ptr<Graph> graph = traced();
  note("records", callsOf(*graph));
  EXPECT_EQ(toString(verify(*graph)), "");
}

TEST_P(InPlaceComm, IsWrittenAndReadBack) {
  std::unique_ptr<Graph> graph = traced();
  std::string text = textOf(*graph), json;
  llvm::raw_string_ostream os(json);
  writeJsonGraph(os, *graph);
  GraphList fromText = llvm::cantFail(readFxText(context_, {"f.py", text}));
  EXPECT_EQ(textOf(*fromText.front()), text);
  std::unique_ptr<Graph> fromJson = llvm::cantFail(readJsonGraph(context_, {"f.json", os.str()}));
  EXPECT_EQ(textOf(*fromJson), text);
  EXPECT_EQ(objectsOf(*fromJson).size(), objectsOf(*graph).size());
  // A written graph is its own object file.
  EXPECT_EQ(llvm::cantFail(readObjectFile({"f.json", json})).size(), objectsOf(*graph).size());
}

TEST_P(InPlaceComm, BecomesFunctionalWithAWaitAndTheSameValues) {
  std::unique_ptr<Graph> graph = traced(), after = graph->clone();
  ObjectMeanings objects = objectsOf(*graph);
  PassManagerOptions options;
  options.objects = &objects;
  llvm::cantFail(runPipeline(*after, pipelineOfLevel(2), options));
  std::string calls = callsOf(*after);
  note("records, after -O2", calls);
  bool isFunctional = calls.find("_c10d_functional.wait_tensor.default(") != std::string::npos &&
                      calls.find("comm_tensor") == std::string::npos && calls.find("= c10d.") == std::string::npos;
  EXPECT_EQ(isFunctional, GetParam().hasFunctionalForm) << calls;
  runtime::EquivalenceReport report = runtime::checkEquivalence(requestOf(*graph), {after.get()}, {});
  EXPECT_EQ(report.verdict, runtime::Verdict::Equal) << differencesIn(report);
}

TEST_P(InPlaceComm, ComputesWhatEagerDoes) {
  std::unique_ptr<Graph> graph = traced();
  runtime::RunRequest request = requestOf(*graph);
  runtime::RunResult expected = llvm::cantFail(runtime::interpret(request));
  auto run = [](const Graph &one, std::vector<TensorMap> inputs) {
    return runtime::interpret({.graphs = {&one}, .ranks = ranks, .inputs = std::move(inputs)});
  };
  Eager eager = llvm::cantFail(Eager::begin(context_, {.ranks = ranks, .execute = run}));
  std::vector<HostTensor> inputs;
  for (const TensorMap &ofRank : request.inputs)
    inputs.push_back(ofRank.at("in.x"));
  Tensor y = GetParam().launch(eager.tensor(inputs) * 2) * 5;
  std::vector<HostTensor> got = llvm::cantFail(eager.values(y));
  for (size_t rank = 0; rank != ranks; ++rank)
    EXPECT_EQ(numbersOf(got[rank]), numbersOf(expected[rank].at("out.0"))) << "rank " << rank;
}

INSTANTIATE_TEST_SUITE_P(All, InPlaceComm, testing::ValuesIn(inPlace), [](const auto &instance) {
  return llvm::StringRef(instance.param.name).ltrim('_').rtrim('_').str();
});

// --- Refusals --------------------------------------------------------------------------------------------------------

std::string errorOf(const c10d::Work &work) { return noted(work.error()); }

TEST(CommTensorErrors, ATensorThatIsNotWrapped) {
  Traced t;
  EXPECT_EQ(errorOf(c10d::allreduce_({t.input("x", {4})}, "0")),
            "error: c10d.allreduce_.default: writes f32[4][1]cpu, which is not wrapped: its readers would not wait "
            "[trace.not-wrapped]\n"
            "  note: give it comm_tensor(tensor)\n");
}

TEST(CommTensorErrors, OutsideATraceAndOfUnknownGroups) {
  EXPECT_EQ(errorOf(c10d::allreduce_({Tensor()}, "0")),
            "error: c10d.allreduce_.default: is called while no trace is open on this thread [trace.none]\n"
            "  note: open one with Trace::begin, and finish it after the last call\n");
  Traced t;
  Tensor x = comm_tensor(t.input("x", {4}) * 2);
  EXPECT_EQ(errorOf(c10d::allreduce_({x}, "tp")),
            "error: group tp: Could not resolve the process group registered under the name tp [trace.group]\n"
            "  note: Trace::addGroup states its ranks, TraceOptions::worldSize those of \"0\"\n");
  EXPECT_EQ(t.text(), "mul = aten.mul.Tensor(x, 2) : f32[4][1]cpu\n");
}

TEST(CommTensorErrors, SeveralDevicesAndAbsentTensors) {
  Traced t;
  Tensor x = t.input("x", {2});
  EXPECT_EQ(errorOf(c10d::allgather_({buffers(2), buffers(2)}, {x}, "0")),
            "error: c10d.allgather_.default: is given 2 lists, expected one: that of the rank's device "
            "[trace.devices]\n"
            "  note: give [[a, b]] for the tensors a and b\n");
  Tensor y = t.input("y", {2});
  for (c10d::Work work : {c10d::allreduce_({comm_tensor(x), comm_tensor(y)}, "0"),
                          c10d::broadcast_({comm_tensor(x), comm_tensor(y)}, "0", 0)})
    EXPECT_NE(errorOf(work).find("is given 2 tensors, one for each device of the rank; expected one [trace.devices]\n"
                                 "  note: make one call for each tensor\n"),
              std::string::npos);
  EXPECT_EQ(errorOf(c10d::_allgather_base_(comm_tensor(zeros({8})), Tensor(), "0")),
            "error: c10d._allgather_base_.default: is given a tensor that was never given a value [trace.absent]\n");
}

TEST(CommTensorErrors, OutputsThatDoNotHoldWhatArrives) {
  Traced t;
  Tensor x = t.input("x", {4});
  EXPECT_EQ(errorOf(c10d::_allgather_base_(comm_tensor(zeros({8})), x, "0")),
            "error: c10d._allgather_base_.default: output tensor size must be equal to world_size times input tensor "
            "size: got f32[8][1]cpu and f32[4][1]cpu for 4 ranks [trace.comm-size]\n");
  EXPECT_EQ(errorOf(c10d::_allgather_base_(comm_tensor(zeros({16}, DType::F64)), x, "0")),
            "error: c10d._allgather_base_.default: output tensor must have the same type as input tensor "
            "[trace.comm-dtype]\n");
  EXPECT_EQ(errorOf(c10d::_reduce_scatter_base_(comm_tensor(zeros({2})), x, "0")),
            "error: c10d._reduce_scatter_base_.default: input tensor must be the same size as output size times world "
            "size: got f32[4][1]cpu and f32[2][1]cpu for 4 ranks [trace.comm-size]\n");
  EXPECT_EQ(errorOf(c10d::allgather_({buffers(3)}, {t.input("y", {2})}, "0")),
            "error: c10d.allgather_.default: invalid output tensor list at index 0 (expected length 4, got 3) "
            "[trace.comm-list]\n");
  EXPECT_EQ(errorOf(c10d::allgather_({buffers(4)}, {x}, "0")),
            "error: c10d.allgather_.default: invalid tensor size at index 0 (expected [4], got [2]) "
            "[trace.comm-size]\n");
  EXPECT_EQ(errorOf(c10d::alltoall_(buffers(4), pieces(t.input("z", {4})), "0")),
            "error: c10d.alltoall_.default: invalid tensor list (expected length 4, got 2) [trace.comm-list]\n");
}

TEST(CommTensorErrors, RootsOutsideOfTheGroup) {
  Traced t;
  Tensor x = comm_tensor(t.input("x", {8}) * 2);
  EXPECT_EQ(errorOf(c10d::broadcast_({x}, "0", 4)),
            "error: c10d.broadcast_.default: invalid root rank: 4 in a group of 4 ranks [trace.root]\n");
  EXPECT_EQ(errorOf(c10d::broadcast_({x}, "0", 1, 1)),
            "error: c10d.broadcast_.default: invalid root tensor: 1 [trace.root]\n");
  EXPECT_EQ(errorOf(c10d::scatter_(buffers(1), {pieces(x)}, "0", -1)),
            "error: c10d.scatter_.default: invalid root rank: -1 in a group of 4 ranks [trace.root]\n");
  EXPECT_EQ(errorOf(c10d::broadcast_({x}, "0", 3)), "");
}

TEST(CommTensorErrors, AGroupThatLacksTheRank) {
  Traced t({.worldSize = 4, .rank = 3});
  t.trace().addGroup({.name = "front", .ranks = {0, 1}});
  EXPECT_EQ(errorOf(c10d::allreduce_({comm_tensor(t.input("x", {4}) * 2)}, "front")),
            "error: group front: rankset doesn't include the current node: the trace is of rank 3, and the group is "
            "[0, 1] [trace.group]\n  note: a rank calls collectives of its own groups alone\n");
}

TEST(CommTensorErrors, AFactorThatItsTensorCannotHold) {
  Traced t;
  Tensor whole = comm_tensor(t.input("x", {4}, DType::I64) * 2);
  EXPECT_EQ(errorOf(c10d::allreduce_({whole}, "0", collectives::premul_sum(1.5))),
            "error: aten.mul_.Tensor: result type Float can't be cast to the desired output type Long "
            "[trace.written]\n  note: call the operator that writes nothing\n");
}

TEST(CommTensorErrors, ScatteringNothingEagerly) {
  Context context;
  auto run = [](const Graph &one, std::vector<TensorMap> inputs) {
    return runtime::interpret({.graphs = {&one}, .ranks = 1, .inputs = std::move(inputs)});
  };
  Eager eager = llvm::cantFail(Eager::begin(context, {.ranks = 1, .execute = run}));
  Tensor x = eager.tensor({hostTensor(DType::F32, {2}, {1, 2})});
  EXPECT_EQ(errorOf(c10d::scatter_({x}, {}, "0", 0)),
            "error: c10d.scatter_.default: is given nothing to scatter, though one call is the root's too "
            "[eager.scatter]\n  note: give the tensors that the root scatters\n");
}

} // namespace
} // namespace ccgraph::test

// Tests the host code of the nccl engine with recorded calls: orders, capture, refusals, and runs that fail.
#include "recorded_run.h"

#include <set>

namespace ccgraph::test {
namespace {

using runtime::Fault;
using runtime::FaultKind;
using namespace std::chrono_literals;

TEST(NcclRecorded, GivesTheValuesInEachOrder) {
  Overlap program;
  runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
  for (uint64_t seed = 0; seed < 20; ++seed) {
    request.seed = seed;
    Overlap::expect(resultsOf(runRecorded(request)));
  }
}

/// Computes r = -c, whether or not the collective that makes c is complete.
double readTooEarly(uint64_t seed) {
  PlanBuilder b;
  PlanWindow a = b.input("a", {2}), c = b.comm("c", {2}), r = b.compute("r", {2});
  StreamId comm = b.collectives(b.group("alone", {0}));
  b.collective("c", comm, {b.call(CollectiveKind::AllReduce, comm, a, c)});
  b.kernel("r", "aten.neg.default", {c}, r);
  b.returns(r);
  runtime::PlanRequest request = requestOf(b.plan, {{{"in.a", f32({2}, {1, 2})}}});
  request.seed = seed;
  return numbersOf(resultsOf(runRecorded(request))[0].at("out.0"))[0];
}

TEST(NcclRecorded, AMissingEventShows) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    wrong += readTooEarly(seed) != -1;
  EXPECT_GT(wrong, 5);
  EXPECT_LT(wrong, 20);
}

/// Copies on three streams into one number; the last copy determines it.
double lastOfRace(uint64_t seed) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {9}), y = b.compute("y", {1});
  uint32_t alone = b.group("alone", {0});
  std::vector<StreamId> streams = {Plan::computeStream, b.collectives(alone), b.collectives(alone)};
  for (int i = 0; i < 9; ++i)
    b.copy("c" + std::to_string(i), b.part(x, {1}, i), y).stream = streams[static_cast<size_t>(i) % 3];
  b.returns(y);
  runtime::PlanRequest request = requestOf(b.plan, {{{"in.x", f32({9}, {0, 1, 2, 3, 4, 5, 6, 7, 8})}}});
  request.seed = seed;
  return numbersOf(resultsOf(runRecorded(request))[0].at("out.0"))[0];
}

TEST(NcclRecorded, ASeedRepeatsItsOrder) {
  std::set<double> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    seen.insert(lastOfRace(seed));
    EXPECT_EQ(lastOfRace(seed), lastOfRace(seed));
  }
  EXPECT_EQ(seen, (std::set<double>{6, 7, 8})) << "any stream's last copy may come last, and no other";
}

// --- Registration -----------------------------------------------------------------------------------------------

/// All ranks send from the communication arena, except one rank that sends memory of the caller.
runtime::PlanRequest sendingFromElsewhere(std::vector<std::unique_ptr<PlanBuilder>> &builders, int64_t elsewhere) {
  runtime::PlanRequest request{.ranks = 2, .recordCalls = true};
  for (int64_t rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = *builders.emplace_back(std::make_unique<PlanBuilder>());
    PlanWindow x = b.input("x", {2}), n = b.comm("n", {2}), y = b.comm("y", {2});
    StreamId comm = b.collectives(b.group("tp", {0, 1}));
    b.copy("n", x, n);
    b.collective("ar", comm, {b.call(CollectiveKind::AllReduce, comm, rank == elsewhere ? x : n, y)});
    if (rank != elsewhere)
      b.order("n", "ar");
    b.returns(y);
    request.plans.push_back(&b.plan);
    request.inputs.push_back({{"in.x", f32({2}, {1, 2})}});
  }
  return request;
}

TEST(NcclRecorded, MemoryIsRegisteredByAllRanksOrByNone) {
  for (int64_t elsewhere : {-1, 0, 1}) {
    std::vector<std::unique_ptr<PlanBuilder>> builders;
    runtime::PlanRequest request = sendingFromElsewhere(builders, elsewhere);
    auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
    EXPECT_EQ(numbersOf(resultsOf(plans->run(request.inputs))[1].at("out.0")), (Row{2, 4}));
    for (const std::string &calls : plans->recordedCalls())
      EXPECT_EQ(llvm::StringRef(calls).count("register communication"), elsewhere == -1 ? 1U : 0U);
  }
}

// --- Reductions that the library lacks ------------------------------------------------------------------------

TEST(NcclRecorded, ASumOfBoolsIsOr) {
  PlanBuilder b;
  const Type *type = b.type({3}, DType::Bool);
  PlanWindow x = b.input("x", type), y = b.buffer(Home::Communication, "y", type);
  StreamId comm = b.collectives(b.group("tp", {0, 1}));
  b.collective("ar", comm, {b.call(CollectiveKind::AllReduce, comm, x, y)});
  b.returns(y);
  auto bools = [](const Row &values) { return hostTensor(DType::Bool, {3}, values); };
  runtime::PlanRequest request = requestOf(b.plan, {{{"in.x", bools({0, 0, 1})}}, {{"in.x", bools({0, 1, 1})}}});
  EXPECT_EQ(resultsOf(runRecorded(request))[0].at("out.0").data, bools({0, 1, 1}).data);
}

/// Runs two all_reduces at the same time, on unordered streams.
TEST(NcclRecorded, WhatIsGatheredHasMemoryOfItsOwn) {
  PlanBuilder b;
  const Type *type = b.type({2}, DType::I64);
  std::vector<PlanWindow> sums;
  for (const char *name : {"x", "y"}) {
    PlanWindow row = b.input(name, type), sum = b.buffer(Home::Communication, name, type);
    StreamId comm = b.collectives(b.group(name, {0, 1}));
    PlanCollective call = b.call(CollectiveKind::AllReduce, comm, row, sum);
    call.reduceOp = ReduceOp::Bor;
    b.collective(name, comm, {call});
    b.plan.outputs.push_back(PlanValue::tensor(sum));
  }
  auto i64 = [](const Row &values) { return hostTensor(DType::I64, {2}, values); };
  runtime::PlanRequest request = requestOf(
      b.plan, {{{"in.x", i64({1, 2})}, {"in.y", i64({16, 32})}}, {{"in.x", i64({4, 8})}, {"in.y", i64({64, 128})}}});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    request.seed = seed;
    runtime::RunResult results = resultsOf(runRecorded(request));
    EXPECT_EQ(numbersOf(results[1].at("out.0")), (Row{5, 10}));
    EXPECT_EQ(numbersOf(results[1].at("out.1")), (Row{80, 160}));
  }
}

// --- Steps that the host computes -----------------------------------------------------------------------------

/// Expects the results of the local engine, in some orders, and again in a second run.
void expectAsLocally(const Plan &plan, const std::vector<TensorMap> &inputs) {
  runtime::RunResult expected = resultsOf(runLocally(plan, inputs));
  for (uint64_t seed = 0; seed < 8; ++seed) {
    runtime::PlanRequest request = requestOf(plan, inputs);
    request.seed = seed;
    auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
    for (int run = 0; run < 2; ++run) {
      runtime::RunResult results = resultsOf(plans->run(inputs));
      for (size_t rank = 0; rank < inputs.size(); ++rank)
        for (const auto &[name, tensor] : expected[rank]) {
          EXPECT_EQ(results[rank].at(name).sizes, tensor.sizes) << name;
          EXPECT_EQ(results[rank].at(name).data, tensor.data) << name << ", seed " << seed;
        }
    }
  }
}

TEST(NcclRecorded, RandomNumbersComeToTheDevice) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {4}), d = b.compute("d", {4}), y = b.compute("y", {4});
  b.kernel("d", "aten.rand_like.default", {x}, d);
  b.kernel("y", "aten.add.Tensor", {d, x}, y);
  b.returns(y);
  expectAsLocally(b.plan, {{{"in.x", f32({4}, {1, 2, 3, 4})}}});
}

TEST(NcclRecorded, TheHostSeesWhatTheDeviceHasMade) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1}), z = b.compute("z", {1});
  b.plan.numSlots = 1;
  b.kernel("y", "aten.neg.default", {x}, y);
  b.host("n", "aten.item.default", {y}, PlanValue::number(0, nullptr));
  b.kernel("z", "aten.mul.Tensor", {x, PlanValue::number(0, nullptr)}, z);
  b.order("y", "n");
  b.returns(z);
  expectAsLocally(b.plan, {{{"in.x", f32({1}, {3})}}});
}

// --- Capture ------------------------------------------------------------------------------------------------

TEST(NcclRecorded, CapturedStepsAreLaunchedAtOnceInEachRun) {
  Overlap program;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
    request.seed = seed;
    request.capture = request.recordCalls = true;
    auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
    for (int run = 0; run < 3; ++run)
      Overlap::expect(resultsOf(plans->run(request.inputs)));
    for (const std::string &calls : plans->recordedCalls()) {
      EXPECT_EQ(llvm::StringRef(calls).count("launch the graph on compute"), 3U);
      EXPECT_EQ(llvm::StringRef(calls).count("allReduce"), 1U);
      EXPECT_EQ(llvm::StringRef(calls).count("launch aten"), 3U);
    }
  }
}

std::string captureError(const Plan &plan, std::vector<TensorMap> inputs) {
  runtime::PlanRequest request = requestOf(plan, std::move(inputs));
  request.capture = true;
  return errorOf(runRecorded(request));
}

TEST(NcclRecorded, WhatTheHostComputesIsNotCaptured) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.compute("y", {1});
  b.plan.numSlots = 1;
  b.host("n", "aten.item.default", {x}, PlanValue::number(0, nullptr));
  b.kernel("y", "aten.mul.Tensor", {x, PlanValue::number(0, nullptr)}, y);
  b.returns(y);
  EXPECT_EQ(captureError(b.plan, {{{"in.x", f32({1}, {3})}}}),
            "error: n: rank 0: cannot be captured: the host computes it, and looks at what the device has made "
            "[run.request]\n  note: leave --capture out, or take the step out of the program\n");
}

TEST(NcclRecorded, RandomNumbersAreNotCaptured) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {4}), y = b.compute("y", {4});
  b.kernel("y", "aten.rand_like.default", {x}, y);
  b.returns(y);
  EXPECT_EQ(captureError(b.plan, {{{"in.x", f32({4}, {1, 2, 3, 4})}}}),
            "error: y: rank 0: cannot be captured: it draws random numbers, which would be the same in each run "
            "[run.request]\n  note: leave --capture out, or take the step out of the program\n");
}

TEST(NcclRecorded, MemoryWhoseSizeOnlyTheRunTellsIsNotCaptured) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.buffer(Home::Growing, "y", b.type({2}));
  b.kernel("y", "aten.neg.default", {x}, y);
  b.returns(y);
  EXPECT_EQ(captureError(b.plan, {{{"in.x", f32({2}, {1, 2})}}}),
            "error: y: rank 0: cannot be captured: it has memory whose size is known only in the run [run.request]\n"
            "  note: leave --capture out, or take the step out of the program\n");
}

TEST(NcclRecorded, FaultsAreNotCaptured) {
  Overlap program;
  runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
  request.capture = true;
  request.faults = {{FaultKind::Kill, 1, 1}};
  EXPECT_EQ(errorOf(runRecorded(request)),
            "error: rank 1: cannot be captured: faults are injected besides [run.request]\n"
            "  note: leave --capture out, or take the step out of the program\n");
}

// --- Unsupported by engines -----------------------------------------------------------------------------------

TEST(NcclRecorded, IsAskedForNoTimesAndOthersForNoCapture) {
  Overlap program;
  runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
  request.pace = runtime::Pace{{{1, 1, 1, 1}}};
  EXPECT_EQ(errorOf(runRecorded(request)),
            "error: engine nccl-recorded gives steps no stated times: they take the time "
            "of its device [run.request]\n");
  request.pace.reset();
  request.capture = true;
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: engine local captures no steps: it has no device that could launch them at once [run.request]\n");
  request.capture = false;
  request.recordCalls = true;
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: engine local records no calls [run.request]\n");
}

// --- Runs that fail -------------------------------------------------------------------------------------------

/// Each rank has a plan: rank 1 does not launch.
TEST(NcclRecorded, ADeadlockIsSaidAtOnce) {
  PlanBuilder first, second;
  PlanWindow x = first.input("x", {1}), y = first.comm("y", {1});
  StreamId comm = first.collectives(first.group("tp", {0, 1}));
  first.collective("ar", comm, {first.call(CollectiveKind::AllReduce, comm, x, y)});
  runtime::PlanRequest request = requestOf(first.plan, {{{"in.x", f32({1}, {1})}}, {}});
  request.plans = {&first.plan, &second.plan};
  EXPECT_EQ(
      errorOf(runRecorded(request)),
      "error: rank 0: waiting for the device: no device can go on: rank 0: allReduce sum f32[1] on comm0 (call 1) "
      "waits for ranks [1] [run.deadlock]\n");
}

/// Each rank has a plan: rank 1 sends two elements, and rank 0 one.
TEST(NcclRecorded, RanksThatDisagreeAreToldApart) {
  std::vector<std::unique_ptr<PlanBuilder>> builders;
  runtime::PlanRequest request{.ranks = 2};
  for (int64_t rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = *builders.emplace_back(std::make_unique<PlanBuilder>());
    PlanWindow x = b.input("x", {rank + 1}), y = b.comm("y", {rank + 1});
    StreamId comm = b.collectives(b.group("tp", {0, 1}));
    b.collective("ar", comm, {b.call(CollectiveKind::AllReduce, comm, x, y)});
    request.plans.push_back(&b.plan);
    request.inputs.push_back({{"in.x", f32({rank + 1}, Row(static_cast<size_t>(rank + 1)))}});
  }
  EXPECT_EQ(
      errorOf(runRecorded(request)),
      "error: rank 0: waiting for the device: ranks 0 and 1 disagree about call 1 on comm0: allReduce sum f32[1], "
      "and allReduce sum f32[2] [run.ranks-disagree]\n");
}

TEST(NcclRecorded, AKernelThatFailsIsTheErrorOfItsRank) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {2});
  b.kernel("y", "aten.cat.default", {x}, y);
  b.returns(y);
  std::vector<TensorMap> inputs(1, {{"in.x", f32({2}, {1, 2})}});
  std::string local = errorOf(runLocally(b.plan, inputs));
  EXPECT_NE(local, "");
  EXPECT_EQ(errorOf(runRecorded(requestOf(b.plan, inputs))), local);
}

TEST(NcclRecorded, AnErrorEndsTheJob) {
  Overlap program;
  runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
  auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
  std::vector<TensorMap> inputs = Overlap::inputs();
  inputs[1].erase("in.x");
  EXPECT_EQ(errorOf(plans->run(inputs)), "error: x: rank 1: got no value in.x, expected f32[2][1]cpu [run.no-input]\n"
                                         "  note: values are named in.<placeholder>\n");
  EXPECT_EQ(errorOf(plans->run(Overlap::inputs())),
            "error: an earlier error has ended the job [run.nccl]\n  note: prepare the plans anew\n");
}

TEST(NcclRecorded, FaultsEndTheRun) {
  auto errorWith = [](Fault fault, std::chrono::milliseconds deadline = 30s) {
    Overlap program;
    runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs());
    request.faults = {fault};
    request.deadline = deadline;
    return errorOf(runRecorded(request));
  };
  EXPECT_EQ(errorWith({FaultKind::Kill, 1, 1}), "error: rank 1 has ended before its program did [run.rank-lost]\n");
  EXPECT_EQ(errorWith({FaultKind::Stop, 1, 1}, 300ms),
            "error: rank 0 has waited for 300 ms: rank 0 waits for all_reduce `c` [run.deadline]\n");
  EXPECT_EQ(
      errorWith({FaultKind::Skip, 1, 1}),
      "error: rank 0: waiting for the device: no device can go on: rank 0: allReduce sum f32[2] on comm0 (call 1) "
      "waits for ranks [1] [run.deadlock]\n");
  EXPECT_EQ(
      errorWith({FaultKind::WrongDType, 1, 1}),
      "error: rank 0: waiting for the device: ranks 0 and 1 disagree about call 1 on comm0: allReduce sum f32[2], "
      "and allReduce sum i32[2] [run.ranks-disagree]\n");
  EXPECT_EQ(errorWith({FaultKind::Slow, 1, 1, 5ms}), "");
}

// --- Transfers ------------------------------------------------------------------------------------------------

/// Rank 0 sends x with tag 1, then y with tag 2; rank 1 receives y first.
TEST(NcclRecorded, TagsTellTransfersApart) {
  std::vector<std::unique_ptr<PlanBuilder>> builders;
  runtime::PlanRequest request{.ranks = 2};
  for (int64_t rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = *builders.emplace_back(std::make_unique<PlanBuilder>());
    uint32_t group = b.group("pp", {0, 1});
    for (int64_t tag : {1 + rank, 2 - rank}) {
      std::string name = "t" + std::to_string(tag);
      PlanWindow row = rank == 0 ? b.input(name, {2}) : b.comm(name, {2});
      StreamId stream = b.transfers(group);
      PlanCollective call = rank == 0 ? b.call(CollectiveKind::Send, stream, row, std::nullopt)
                                      : b.call(CollectiveKind::Recv, stream, std::nullopt, row);
      call.peer = 1 - rank;
      call.tag = tag;
      b.collective(name, stream, {call});
      if (rank == 1)
        b.plan.outputs.push_back(PlanValue::tensor(row));
    }
    request.plans.push_back(&b.plan);
  }
  request.inputs = {{{"in.t1", f32({2}, {1, 1})}, {"in.t2", f32({2}, {2, 2})}}, {}};
  for (uint64_t seed = 0; seed < 8; ++seed) {
    request.seed = seed;
    runtime::RunResult results = resultsOf(runRecorded(request));
    EXPECT_EQ(numbersOf(results[1].at("out.0")), (Row{2, 2}));
    EXPECT_EQ(numbersOf(results[1].at("out.1")), (Row{1, 1}));
  }
}

// --- Transfers of a rank to itself ----------------------------------------------------------------------------

/// One rank sends to itself and receives.
struct Mirror : PlanBuilder {
  explicit Mirror(bool sendsFirst) {
    PlanWindow x = input("x", {2}), y = comm("y", {2});
    uint32_t alone = group("alone", {0});
    StreamId out = transfers(alone), in = transfers(alone);
    auto end = [&](CollectiveKind kind, StreamId stream, std::optional<PlanWindow> send,
                   std::optional<PlanWindow> receive) {
      PlanCollective made = call(kind, stream, send, receive);
      made.peer = 0;
      collective(kind == CollectiveKind::Send ? "s" : "r", stream, {made});
    };
    if (sendsFirst)
      end(CollectiveKind::Send, out, x, std::nullopt);
    end(CollectiveKind::Recv, in, std::nullopt, y);
    if (!sendsFirst)
      end(CollectiveKind::Send, out, x, std::nullopt);
    returns(y);
  }
};

TEST(NcclRecorded, WhatARankSendsItselfComesWhenItHasBeenSent) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Mirror mirror(true);
    runtime::PlanRequest request = requestOf(mirror.plan, {{{"in.x", f32({2}, {5, 6})}}});
    request.seed = seed;
    EXPECT_EQ(numbersOf(resultsOf(runRecorded(request))[0].at("out.0")), (Row{5, 6}));
  }
  EXPECT_EQ(errorOf(runRecorded(requestOf(Mirror(false).plan, {{{"in.x", f32({2}, {5, 6})}}}))),
            "error: r: rank 0: receives from itself what it has not sent yet [run.collective]\n"
            "  note: put the send before the receive\n");
}

} // namespace
} // namespace ccgraph::test

// Tests what DataParallel records: the buckets, their places in the backward pass, hooks, agreement of ranks, and
// errors.
#include "list_message.h"
#include "training_run.h"

#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/trace.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

/// A chain of square matrices on 2 ranks, traced.
class Chain {
public:
  explicit Chain(size_t layers = 3) : trace_(cantFail(Trace::begin(context_, {.worldSize = 2}))) {
    Tensor value = trace_.input("x", {DType::F32, {4, 4}});
    for (size_t i = 0; i != layers; ++i)
      value = relu(mm(value, trace_.parameter("w" + std::to_string(i), {DType::F32, {4, 4}})));
    loss_ = sum(value);
  }

  Trace &trace() { return trace_; }
  const Tensor &loss() const { return loss_; }
  const std::vector<Tensor> &parameters() const { return trace_.parameters(); }
  /// Returns the targets of the calls, without namespace, in program order.
  std::string targets() const {
    std::string text;
    for (const Node *node : trace_.graph())
      if (node->opcode() == Opcode::CallFunction) {
        llvm::StringRef target = node->target().str();
        text += (text.empty() ? "" : " ") + target.rsplit('.').first.rsplit('.').second.str();
      }
    return text;
  }

private:
  Context context_;
  Trace trace_;
  Tensor loss_;
};

size_t countOf(llvm::StringRef text, llvm::StringRef word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

// --- Buckets and places ----------------------------------------------------------------------------------------------

TEST(DataParallel, OneBucketOfSmallGradientsIsLaunchedAtTheEnd) {
  Chain chain;
  DataParallel ddp(chain.parameters());
  TensorList gradients = ddp.backward(chain.loss());
  EXPECT_EQ(messageOf(gradients), "");
  ASSERT_EQ(ddp.buckets().size(), 1U);
  EXPECT_EQ(ddp.buckets()[0].parameters, (std::vector<size_t>{2, 1, 0}));
  EXPECT_TRUE(ddp.buckets()[0].isLast);
  std::string text = chain.targets();
  EXPECT_EQ(countOf(text, "all_reduce"), 1U);
  EXPECT_GT(text.find("all_reduce"), text.rfind("mm"));
}

TEST(DataParallel, EachBucketIsLaunchedWhenItsLastGradientIsReady) {
  Chain chain;
  DataParallel ddp(chain.parameters(), {.buckets = {.capMegabytes = 0}});
  TensorList gradients = ddp.backward(chain.loss());
  ASSERT_EQ(ddp.buckets().size(), 3U);
  std::string text = chain.targets();
  // Each of the two earlier launches is followed by the rest of the backward pass.
  llvm::StringRef rest = text;
  for (size_t launch = 0; launch != 3; ++launch) {
    rest = rest.substr(rest.find("all_reduce") + 1);
    EXPECT_EQ(rest.contains("mm"), launch != 2) << text;
  }
  EXPECT_EQ(countOf(text, "all_reduce"), 3U);
  EXPECT_TRUE(bool(chain.trace().finish(gradients.tensors())));
}

TEST(DataParallel, TheFirstIterationHasTheBucketsBeforeTheRebuild) {
  auto bucketsOf = [](int64_t iteration) {
    Chain chain;
    DataParallel ddp(chain.parameters(), {.buckets = {.capMegabytes = 0}, .iteration = iteration});
    (void)ddp.backward(chain.loss());
    return ddp.buckets();
  };
  ASSERT_EQ(bucketsOf(0).size(), 1U);
  EXPECT_EQ(bucketsOf(0)[0].parameters, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(bucketsOf(1).size(), 3U);
}

TEST(DataParallel, BucketsAreLaunchedInTheOrderOfTheirIndices) {
  Chain chain;
  // The stated order is the reverse of the one in which gradients are ready, so all launches wait for the last
  // gradient.
  DataParallel ddp(chain.parameters(), {.buckets = {.capMegabytes = 0}, .readyOrder = {0, 1, 2}});
  TensorList gradients = ddp.backward(chain.loss());
  ASSERT_EQ(ddp.buckets().size(), 3U);
  EXPECT_EQ(ddp.buckets()[0].parameters, (std::vector<size_t>{0}));
  std::string text = chain.targets();
  EXPECT_GT(text.find("all_reduce"), text.rfind("mm"));
}

TEST(DataParallel, ASharedParameterIsReadyAfterItsLastUse) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  Tensor x = trace.input("x", {DType::F32, {4, 4}}), w = trace.parameter("w", {DType::F32, {4, 4}});
  DataParallel ddp(trace.parameters());
  TensorList gradients = ddp.backward(sum(mm(relu(mm(x, w)), w)));
  auto graph = cantFail(trace.finish(gradients.tensors()));
  const Node *launch = nullptr, *addition = nullptr;
  for (const Node *node : *graph) {
    launch = node->target().str().contains("all_reduce") ? node : launch;
    addition = node->target().str() == "aten.add.Tensor" ? node : addition;
  }
  ASSERT_TRUE(launch && addition);
  EXPECT_TRUE(addition->isBefore(launch));
}

TEST(DataParallel, ResultsAreMeansOverTheRanks) {
  Chain chain(1);
  TensorList gradients = DataParallel(chain.parameters()).backward(chain.loss());
  auto graph = cantFail(chain.trace().finish(gradients.tensors()));
  std::vector<TensorMap> inputs;
  for (double rank : {1.0, 3.0})
    inputs.push_back({{"in.x", hostTensor(DType::F32, {4, 4}, std::vector<double>(16, rank))},
                      {"in.w0", hostTensor(DType::F32, {4, 4}, std::vector<double>(16, 1))}});
  for (Runner runner : {Runner::Interpreter, Runner::Local, Runner::LocalAfterO2}) {
    std::vector<TensorMap> results = runGraphs(runner, {graph.get()}, inputs);
    for (const TensorMap &result : results)
      EXPECT_EQ(numbersOf(result.at("out.0")), std::vector<double>(16, 8)); // 4 (1 + 3) / 2
  }
}

// --- Hooks -----------------------------------------------------------------------------------------------------------

TEST(DataParallelHooks, SeeIndexSlicesAndGroup) {
  Chain chain;
  std::vector<GradBucket> seen;
  CommHook hook = [&](const GradBucket &bucket) -> HookResult {
    seen.push_back(bucket);
    return allReduceHook(bucket);
  };
  DataParallel ddp(chain.parameters(), {.buckets = {.capMegabytes = 0.0001}, .hook = hook});
  (void)ddp.backward(chain.loss());
  ASSERT_EQ(seen.size(), 2U); // 104 bytes: two matrices of 64 bytes, then one
  EXPECT_EQ(seen[0].parameters, (std::vector<size_t>{2, 1}));
  EXPECT_EQ(seen[0].slices[1], (BucketSlice{16, 16}));
  EXPECT_EQ(seen[0].buffer.typeText(), "f32[32][1]cpu");
  EXPECT_FALSE(seen[0].isLast);
  EXPECT_EQ(seen[1].index, 1U);
  EXPECT_TRUE(seen[1].isLast);
  EXPECT_EQ(seen[1].group, "0");
  EXPECT_EQ(seen[1].ranks, 2);
}

TEST(DataParallelHooks, AResultOfAnotherDTypeOrShapeIsConverted) {
  Chain chain;
  CommHook hook = [](const GradBucket &bucket) -> HookResult {
    return view(to(bucket.buffer, DType::F64), {2, bucket.buffer.numel() / 2});
  };
  TensorList gradients = DataParallel(chain.parameters(), {.hook = hook}).backward(chain.loss());
  EXPECT_EQ(gradients[0].typeText(), "f32[4, 4][4, 1]cpu");
}

TEST(DataParallelHooks, TheFirstTensorOfAListCounts) {
  Chain chain;
  CommHook hook = [](const GradBucket &bucket) -> HookResult {
    return TensorList({bucket.buffer, neg(bucket.buffer)});
  };
  TensorList gradients = DataParallel(chain.parameters(), {.hook = hook}).backward(chain.loss());
  EXPECT_EQ(messageOf(gradients), "");
  EXPECT_TRUE(gradients[2].isValid());
}

TEST(DataParallelHookErrors, NameWhatWasFound) {
  auto errorOfResult = [](const HookResult &result) {
    Chain chain;
    return messageOf(
        DataParallel(chain.parameters(), {.hook = [&](const GradBucket &) { return result; }}).backward(chain.loss()));
  };
  EXPECT_EQ(errorOfResult(Tensor()),
            "error: bucket 0: the hook returned no tensor, expected the reduced buffer [hook.result]\n"
            "  note: return the reduced buffer, or a list that begins with it\n");
  EXPECT_EQ(errorOfResult(TensorList()),
            "error: bucket 0: the hook returned an empty list, expected a tensor [hook.result]\n"
            "  note: return the reduced buffer, or a list that begins with it\n");
  Chain chain;
  CommHook half = [](const GradBucket &bucket) -> HookResult { return slice(bucket.buffer, 0, 0, 24); };
  EXPECT_EQ(messageOf(DataParallel(chain.parameters(), {.hook = half}).backward(chain.loss())),
            "error: bucket 0: the hook returned f32[24][1]cpu, expected 48 elements as in the bucket f32[48][1]cpu "
            "[hook.result]\n"
            "  note: return a tensor of the bucket's number of elements\n");
}

TEST(DataParallelHookErrors, UnknownNameAndRowSize) {
  EXPECT_EQ(llvm::toString(hookOfName("fp8").takeError()),
            "error: DataParallel: no hook 'fp8' [hook.name]\n"
            "  note: the hooks are allreduce, bf16, fp16, none, noop, quantize-per-channel, quantize-per-tensor\n");
  Chain chain;
  EXPECT_EQ(messageOf(DataParallel(chain.parameters(), {.hook = quantizePerChannelHook(0)}).backward(chain.loss())),
            "error: bucket 0: got rows of 0 elements, expected 1 or more [hook.row-size]\n");
}

// --- A sharded optimizer ---------------------------------------------------------------------------------------------

/// Returns the parameters of two ranks after one step, by ZeRO or by DDP.
std::vector<TensorMap> stepped(bool sharded) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  Tensor x = trace.input("x", {DType::F32, {3, 3}}), w = trace.parameter("w", {DType::F32, {3, 3}});
  Tensor loss = sum(mm(x, w) * 2);
  constexpr double rate = 0.5;
  std::vector<Tensor> results;
  if (sharded) {
    Tensor shard = trace.input("shard", {DType::F32, {5}}); // 9 elements, padded to 10, over 2 ranks
    CommHook hook = shardedOptimizerHook([&](const GradBucket &, const Tensor &g) { return shard - g * rate; });
    results = DataParallel(trace.parameters(), {.hook = hook}).backward(loss).tensors();
  } else {
    results = {w - DataParallel(trace.parameters()).backward(loss)[0] * rate};
  }
  auto graph = cantFail(trace.finish(results));
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
  std::vector<TensorMap> inputs(2);
  for (size_t rank = 0; rank != 2; ++rank) {
    inputs[rank]["in.x"] = hostTensor(DType::F32, {3, 3}, std::vector<double>(9, 1 + static_cast<double>(rank)));
    inputs[rank]["in.w"] = hostTensor(DType::F32, {3, 3}, {values.begin(), values.begin() + 9});
    auto begin = values.begin() + static_cast<std::ptrdiff_t>(5 * rank);
    inputs[rank]["in.shard"] = hostTensor(DType::F32, {5}, {begin, begin + 5});
  }
  return runGraphs(Runner::Local, {graph.get()}, inputs);
}

TEST(ShardedOptimizer, GivesTheParametersOfAnUnshardedStep) {
  std::vector<TensorMap> whole = stepped(false), sharded = stepped(true);
  for (size_t rank = 0; rank != 2; ++rank)
    EXPECT_EQ(numbersOf(sharded[rank].at("out.0")), numbersOf(whole[rank].at("out.0")));
}

TEST(ShardedOptimizerErrors, OfUpdatesThatReturnNoShard) {
  Chain chain(1);
  CommHook hook = shardedOptimizerHook([](const GradBucket &bucket, const Tensor &) { return bucket.buffer; });
  EXPECT_EQ(messageOf(DataParallel(chain.parameters(), {.hook = hook}).backward(chain.loss())),
            "error: bucket 0: the update returned f32[16][1]cpu, expected the shard of 8 elements [hook.shard]\n"
            "  note: return this rank's shard of the new parameters\n");
}

// --- Ranks that differ -----------------------------------------------------------------------------------------------

GradientUse useOfTwo(bool second) {
  return {{{"a", "f32[4][1]cpu", true}, {"b", "f32[4][1]cpu", second}},
          second ? std::vector<size_t>{1, 0} : std::vector<size_t>{0}};
}

/// Traces rank 0, which uses both parameters, with what all ranks know.
std::string errorWith(std::vector<GradientUse> ranks, GradientBucketOptions buckets = {}) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2, .rank = 0}));
  Tensor a = trace.parameter("a", {DType::F32, {4}}), b = trace.parameter("b", {DType::F32, {4}});
  DataParallelOptions options{.buckets = std::move(buckets)};
  options.ranks = std::move(ranks);
  return messageOf(DataParallel(trace.parameters(), options).backward(sum(a * b)));
}

TEST(RankAgreement, RanksThatUseTheSameParametersAgree) { EXPECT_EQ(errorWith({useOfTwo(true), useOfTwo(true)}), ""); }

TEST(RankAgreement, AParameterThatOneRankDoesNotUse) {
  EXPECT_EQ(errorWith({useOfTwo(true), useOfTwo(false)}),
            "error: rank 1: computes no gradient of `b` f32[4][1]cpu, so its bucket would never be ready [ddp.unused]\n"
            "  note: set findUnused, or staticGraph if the same parameters are unused in each step\n");
  EXPECT_EQ(errorWith({useOfTwo(true), useOfTwo(false)}, {.findUnused = true}), "");
}

TEST(RankAgreement, ParametersThatDiffer) {
  GradientUse other = useOfTwo(true);
  other.parameters[1].type = "f64[4][1]cpu";
  EXPECT_EQ(
      errorWith({useOfTwo(true), other}),
      "error: rank 1: parameter 1 is `b` f64[4][1]cpu, expected `b` f32[4][1]cpu as on rank 0 [ddp.ranks-differ]\n"
      "  note: all ranks must declare the same trained parameters in the same order\n");
  GradientUse fewer = useOfTwo(true), more = useOfTwo(true);
  fewer.parameters.pop_back();
  more.parameters.push_back({"c", "f32[1][1]cpu", true});
  EXPECT_EQ(errorWith({useOfTwo(true), fewer}),
            "error: rank 1: lacks parameter 1, `b` f32[4][1]cpu, which rank 0 has [ddp.ranks-differ]\n"
            "  note: all ranks must declare the same trained parameters in the same order\n");
  EXPECT_EQ(errorWith({useOfTwo(true), more}),
            "error: rank 1: has parameter 2, `c` f32[1][1]cpu, which rank 0 lacks [ddp.ranks-differ]\n"
            "  note: all ranks must declare the same trained parameters in the same order\n");
}

TEST(RankAgreement, OneUseForEachRank) {
  EXPECT_EQ(errorWith({useOfTwo(true)}),
            "error: DataParallel: got the parameters of 1 ranks for a group of 2 [ddp.ranks-differ]\n"
            "  note: gather the GradientUse of every rank of the group\n");
}

TEST(RankAgreement, UsesAreSentAsText) {
  GradientUse use = useOfTwo(false);
  std::string text = gradientUseText(use);
  EXPECT_EQ(text, "ready 0\nused a f32[4][1]cpu\nunused b f32[4][1]cpu\n");
  GradientUse read = cantFail(parseGradientUse(text));
  EXPECT_EQ(gradientUseText(read), text);
  EXPECT_EQ(errorWith({useOfTwo(true), read}, {.findUnused = true}), "");
}

TEST(RankAgreementErrors, TextsThatAreNoUse) {
  const char *repair = "  note: exchange the text of gradientUseText unchanged\n";
  for (auto [text, line] : {std::pair("", "line 1: got ''"),
                            {"ready 0 x\n", "line 1: got 'ready 0 x'"},
                            {"ready 0\nused a\n", "line 2: got 'used a'"},
                            {"ready 0\nmaybe a f32[4][1]cpu\n", "line 2: got 'maybe a f32[4][1]cpu'"},
                            {"ready 1\nused a f32[4][1]cpu\n", "line 1: got 'ready 1'"}})
    EXPECT_EQ(llvm::toString(parseGradientUse(text).takeError()),
              std::string("error: gradient use: ") + line +
                  ", expected 'ready' with positions of parameters, then 'used NAME TYPE' or 'unused NAME TYPE' "
                  "[ddp.use]\n" +
                  repair);
}

TEST(RankAgreement, AllRanksUseTheOrderOfRankZero) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2, .rank = 1}));
  Tensor a = trace.parameter("a", {DType::F32, {4}}), b = trace.parameter("b", {DType::F32, {4}});
  GradientUse rankZero = useOfTwo(true), own = useOfTwo(true);
  rankZero.readyOrder = {0, 1};
  DataParallelOptions options{.buckets = {.capMegabytes = 0}};
  options.ranks = {rankZero, own};
  DataParallel ddp(trace.parameters(), options);
  (void)ddp.backward(sum(a * b));
  ASSERT_EQ(ddp.buckets().size(), 2U);
  EXPECT_EQ(ddp.buckets()[0].parameters, (std::vector<size_t>{0}));
}

TEST(DataParallelErrors, UnusedParametersOfAllRanks) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  Tensor a = trace.parameter("a", {DType::F32, {4}}), b = trace.parameter("b", {DType::F32, {4}});
  EXPECT_EQ(messageOf(DataParallel(trace.parameters()).backward(sum(a))),
            "error: DataParallel: computes no gradient of `b` f32[4][1]cpu, so its bucket would never be ready "
            "[ddp.unused]\n"
            "  note: set findUnused, or staticGraph if the same parameters are unused in each step\n");
}

TEST(DataParallel, UnusedParametersHaveNoGradient) {
  for (GradientBucketOptions buckets : {GradientBucketOptions{.findUnused = true}, {.staticGraph = true}}) {
    Context context;
    Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
    Tensor a = trace.parameter("a", {DType::F32, {4}}), b = trace.parameter("b", {DType::F32, {4}});
    TensorList gradients = DataParallel(trace.parameters(), {.buckets = buckets}).backward(sum(a));
    EXPECT_TRUE(gradients[0].isValid());
    EXPECT_TRUE(gradients[1].isAbsent());
  }
}

// --- Misuse ----------------------------------------------------------------------------------------------------------

TEST(DataParallelErrors, WithoutATrace) {
  EXPECT_EQ(messageOf(DataParallel({Tensor()}).reduceNothing()),
            "error: DataParallel: is called while no trace is open on this thread [trace.none]\n"
            "  note: open one with Trace::begin, and finish it after the last call\n");
}

TEST(DataParallelErrors, NumbersOfGradients) {
  Chain chain(2);
  EXPECT_EQ(messageOf(DataParallel(chain.parameters()).reduce({chain.loss()})),
            "error: DataParallel: got 1 gradients of 2 parameters [ddp.gradients]\n"
            "  note: give one gradient for each parameter, absent where there is none\n");
  EXPECT_EQ(messageOf(DataParallel(chain.parameters()).backward(chain.loss(), {chain.loss()})),
            "error: DataParallel: got 1 accumulated gradients of 2 parameters [ddp.gradients]\n"
            "  note: give one gradient for each parameter, absent where there is none\n");
}

TEST(DataParallelErrors, TheErrorsOfBackwardAndOfTheGroup) {
  Chain chain(1);
  EXPECT_NE(messageOf(DataParallel(chain.parameters()).backward(chain.parameters()[0])).find("[gradient.loss]"),
            std::string::npos);
  EXPECT_NE(messageOf(DataParallel(chain.parameters(), {.group = "dp"}).backward(chain.loss())), "");
}

// --- Broadcasts ------------------------------------------------------------------------------------------------------

TEST(BroadcastCoalesced, SendsBucketsOfOneDTypeFromOneRank) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  std::vector<Tensor> tensors = {trace.input("a", {DType::F32, {2}}), trace.input("b", {DType::F64, {2}}),
                                 trace.input("c", {DType::F32, {2, 2}}), trace.input("empty", {DType::F32, {0}})};
  TensorList sent = broadcastCoalesced(tensors, "0", 1);
  auto graph = cantFail(trace.finish(sent.tensors()));
  size_t broadcasts = 0;
  for (const Node *node : *graph)
    broadcasts += node->target().str() == "_c10d_functional.broadcast.default" ? 1 : 0;
  EXPECT_EQ(broadcasts, 2U);
  std::vector<TensorMap> inputs(2);
  for (size_t rank = 0; rank != 2; ++rank) {
    double value = static_cast<double>(rank) + 1;
    inputs[rank] = {{"in.a", hostTensor(DType::F32, {2}, {value, 2 * value})},
                    {"in.b", hostTensor(DType::F64, {2}, {3 * value, 4 * value})},
                    {"in.c", hostTensor(DType::F32, {2, 2}, {value, value, value, 9 * value})},
                    {"in.empty", hostTensor(DType::F32, {0}, {})}};
  }
  std::vector<TensorMap> results = runGraphs(Runner::Local, {graph.get()}, inputs);
  for (const TensorMap &result : results) {
    EXPECT_EQ(numbersOf(result.at("out.0")), (std::vector<double>{2, 4}));
    EXPECT_EQ(numbersOf(result.at("out.1")), (std::vector<double>{6, 8}));
    EXPECT_EQ(numbersOf(result.at("out.2")), (std::vector<double>{2, 2, 2, 18}));
  }
}

TEST(BroadcastCoalesced, ASmallLimitGivesSeveralBuckets) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  std::vector<Tensor> tensors;
  for (int i = 0; i != 4; ++i)
    tensors.push_back(trace.input("t" + std::to_string(i), {DType::F32, {4}}));
  (void)broadcastCoalesced(tensors, "0", 0, 32);
  size_t broadcasts = 0;
  for (const Node *node : trace.graph())
    broadcasts += node->target().str() == "_c10d_functional.broadcast.default" ? 1 : 0;
  EXPECT_EQ(broadcasts, 2U);
}

TEST(SyncBatchNormErrors, SizesThatDoNotFit) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  Tensor x = trace.input("x", {DType::F32, {2, 3}}), w = trace.input("w", {DType::F32, {2}});
  Tensor result = syncBatchNorm(x, w, w, "0").output;
  ASSERT_NE(result.error(), nullptr);
  EXPECT_EQ(result.error()->message,
            "got the input f32[2, 3][3, 1]cpu, the weight f32[2][1]cpu and the bias f32[2][1]cpu");
}

} // namespace
} // namespace ccgraph::test

// Tests times from nccl-tests, traces of PyTorch's profiler, and Inductor's estimates.
#include "ccgraph/frontend/collective_samples_file.h"
#include "ccgraph/frontend/durations_file.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

constexpr int64_t ranksPerNode = 8;

std::vector<CollectiveSample> samplesOf(llvm::StringRef text) {
  return llvm::cantFail(readCollectiveSamples({"t.json", text}, ranksPerNode));
}
std::string errorOf(llvm::StringRef text) {
  auto samples = readCollectiveSamples({"t.json", text}, ranksPerNode);
  return samples ? "none" : llvm::toString(samples.takeError());
}
Durations durationsOf(llvm::StringRef text) { return llvm::cantFail(readDurationsFile({"t.json", text})); }
std::string durationsError(llvm::StringRef text) {
  auto durations = readDurationsFile({"t.json", text});
  return durations ? "none" : llvm::toString(durations.takeError());
}

// Two processes with two threads of two GPUs each, on two hosts; the config precedes the results, as in real files.
const char *const ncclTests = R"({"version":2,"args":["./build/all_gather_perf","-J","o.json"],"nccl_version":22803,
 "config":{"nthreads":2,"ngpus":2,"devices":[{"rank":0,"hostname":"a"},{"rank":4,"hostname":"b"}]},
 "results":[{"size":1024,"count":32,"type":"float","redop":"none","root":"    -1",
             "out_of_place":{"time":12.500000,"alg_bw":0.08,"bus_bw":0.07,"nwrong":0.0},
             "in_place":{"time":11.0,"alg_bw":0.09,"bus_bw":0.08,"nwrong":null}},
            {"size":2048,"count":64,"out_of_place":null,"in_place":{"time":13}}],
 "out_of_bounds":{"count":0,"okay":"true"}})";

} // namespace

TEST(NcclTests, ResultsBecomeSamples) {
  const std::vector<CollectiveSample> expected = {{CollectiveKind::AllGather, 8, 2, 1024, 12'500'000},
                                                  {CollectiveKind::AllGather, 8, 2, 2048, 13'000'000}};
  EXPECT_EQ(samplesOf(ncclTests), expected);
}

TEST(NcclTests, ProgramsThatGraphsDoNotCall) {
  std::string text = llvm::StringRef(ncclTests).str();
  text.replace(text.find("all_gather"), 10, "gather");
  EXPECT_EQ(errorOf(text), "t.json:1:1: error: expected timed collectives, got none that a graph may hold\n"
                           "  note: give what nccl-tests writes with -J, or a trace of PyTorch's profiler with NCCL "
                           "kernels\n");
}

TEST(NcclTests, ResultsWithoutTimesAreErrors) {
  const std::string message =
      errorOf(R"({"nccl_version":1,"args":["all_reduce_perf"],"results":[{"size":8,"out_of_place":{"cpu_time":5}}]})");
  EXPECT_NE(message.find("t.json:1:57: error: /results/0: expected a result with 'size'"), std::string::npos)
      << message;
}

TEST(KinetoCollectives, KernelsBecomeSamples) {
  const std::vector<CollectiveSample> samples = samplesOf(R"({"schemaVersion":1,"traceEvents":[
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather_RING_LL","ts":1.0,"dur":80.25,"args":{"Collective name":"_allgather_base",
     "In msg nelems":512,"Out msg nelems":4096,"dtype":"BFloat16","Group size":8,"Process Group Ranks":"[0, 8, 16, 24, 32, 40, 48, 56]"}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","dur":90,"args":{"Collective name":"allreduce",
     "In msg nelems":512,"Out msg nelems":512,"dtype":"Float","Group size":64,"Process Group Ranks":"[0, 1, 2, ...]"}},
    {"ph":"X","cat":"kernel","name":"gemm","dur":5,"args":{"stream":7}},
    {"ph":"X","cat":"cpu_op","name":"nccl:all_reduce","dur":3,"args":{"Collective name":"allreduce","dtype":"Float","Group size":8,"In msg nelems":1}}]})");
  const std::vector<CollectiveSample> expected = {{CollectiveKind::AllGather, 8, 8, 8192, 80'250'000},
                                                  {CollectiveKind::AllReduce, 64, 8, 2048, 90'000'000}};
  EXPECT_EQ(samples, expected);
}

TEST(TimedFiles, OtherTextsAreRefused) {
  EXPECT_NE(errorOf("{}").find("this is no file of timed collectives"), std::string::npos);
  EXPECT_NE(errorOf("all_gather 5").find("this is no file of timed collectives"), std::string::npos);
  EXPECT_NE(durationsError("{}").find("this JSON holds no durations of a known form"), std::string::npos);
  EXPECT_NE(durationsError(R"({"traceEvents":[]})").find("expected durations of nodes, got none"), std::string::npos);
  EXPECT_NE(durationsError(R"({"traceEvents":[{]})").find("t.json:1:"), std::string::npos);
}

TEST(SortedSamples, EachQuestionHasOneAnswer) {
  const CollectiveSample slow{CollectiveKind::Recv, 2, 1, 64, 9};
  const CollectiveSample fast{CollectiveKind::Send, 2, 1, 64, 5};
  const CollectiveSample other{CollectiveKind::AllReduce, 2, 1, 64, 7};
  const std::vector<CollectiveSample> expected = {other, fast};
  EXPECT_EQ(sortedSamples({slow, fast, other}), expected);
}

// The time on the GPU takes precedence over that on the host, and of several events with one name the median counts.
TEST(KinetoDurations, EventsNamedAsNodes) {
  const Durations durations = durationsOf(R"([
    {"ph":"X","cat":"user_annotation","name":"mm","dur":1},
    {"ph":"X","cat":"gpu_user_annotation","name":"mm","dur":30},
    {"ph":"X","cat":"gpu_user_annotation","name":"mm","dur":10.5},
    {"ph":"X","cat":"gpu_user_annotation","name":"mm","dur":20},
    {"ph":"X","cat":"cpu_op","name":"aten::add","dur":2},
    {"ph":"i","cat":"kernel","name":"instant"}])");
  EXPECT_EQ(*durations.find("mm"), (Duration{20'000'000, DurationSource::Measured}));
  EXPECT_EQ(durations.find("aten::add")->picoseconds, 2'000'000);
  EXPECT_EQ(durations.find("instant"), nullptr);
}

TEST(InductorEstimates, AreLabelledAndCollectivesComeInOrder) {
  const Durations durations = durationsOf(R"({"ops":[
    {"name":"op1_op2","type":"compute","estimated_runtime_ns":1500.5,"outputs":[]},
    {"name":"torch.ops._c10d_functional.all_reduce_.default","type":"collective","estimated_runtime_ns":30070.5},
    {"name":"torch.ops._c10d_functional.all_reduce_.default","type":"collective","estimated_runtime_ns":40000}]})");
  EXPECT_EQ(*durations.find("op1_op2"), (Duration{1'500'500, DurationSource::Estimated}));
  const std::vector<Duration> expected = {{30'070'500, DurationSource::Estimated},
                                          {40'000'000, DurationSource::Estimated}};
  ASSERT_NE(durations.calls("_c10d_functional.all_reduce_.default"), nullptr);
  EXPECT_EQ(*durations.calls("_c10d_functional.all_reduce_.default"), expected);
}

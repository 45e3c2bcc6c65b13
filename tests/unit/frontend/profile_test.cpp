// Tests the reader of profiler traces and of Inductor's mapping of kernels to nodes.
#include "ccgraph/frontend/profile_file.h"

#include "ccgraph/ir/diagnostic.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

std::vector<RankProfile> profilesOf(llvm::StringRef text) {
  auto profiles = readProfiles({"t.json", text});
  EXPECT_TRUE(static_cast<bool>(profiles)) << llvm::toString(profiles.takeError());
  return profiles ? std::move(*profiles) : std::vector<RankProfile>();
}

std::string profileError(llvm::StringRef text) {
  auto profiles = readProfiles({"t.json", text});
  return profiles ? "" : llvm::toString(profiles.takeError());
}

TEST(Profile, KernelsHaveTheirLaunchAndTheirCollective) {
  const auto profiles = profilesOf(R"({"distributedInfo": {"rank": 3, "pg_config": [{"pg_name": "0", "ranks": [1, 3]}]},
    "traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 20.5, "dur": 4.25, "pid": 0, "tid": 9, "args":
     {"stream": 20, "correlation": 5, "Collective name": "allreduce", "In msg nelems": 256, "Out msg nelems": 256,
      "dtype": "BFloat16", "Group size": 2, "Process Group Name": "0", "Process Group Ranks": "[1, 3]", "Seq": 7}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 10, "dur": 1, "pid": 4, "tid": 4,
     "args": {"correlation": 5}},
    {"ph": "X", "cat": "gpu_user_annotation", "name": "nccl:all_reduce", "ts": 20, "dur": 5, "pid": 0, "tid": 20},
    {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 5, "ts": 10, "pid": 4, "tid": 4},
    {"ph": "X", "cat": "user_annotation", "name": "gloo:all_gather", "ts": 30, "dur": 1, "pid": 4, "tid": 8}]})");
  ASSERT_EQ(profiles.size(), 1U);
  const RankProfile &it = profiles.front();
  ASSERT_EQ(it.events.size(), 3U);
  EXPECT_EQ(it.rank, 3);
  EXPECT_EQ(it.groups.front().ranks, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(it.events[0].kind, ProfileEventKind::Launch);
  EXPECT_EQ(it.events[0].correlation, it.events[1].correlation);
  EXPECT_EQ(it.events[1].lane, 20);
  EXPECT_EQ(it.events[1].begin, 20500);
  EXPECT_EQ(it.events[1].end, 24750);
  const ProfiledCollective expected{CollectiveKind::AllReduce, "0", {1, 3}, 2, 7, 512};
  EXPECT_EQ(it.collectives.at(static_cast<size_t>(it.events[1].collective)), expected);
  const ProfiledCollective gloo{CollectiveKind::AllGather, "", {}, 0, std::nullopt, std::nullopt};
  EXPECT_EQ(it.collectives.at(static_cast<size_t>(it.events[2].collective)), gloo);
  EXPECT_EQ(it.events[0].collective, noCollective);
}

TEST(Profile, TraceOfARunHoldsAllRanks) {
  const auto profiles = profilesOf(R"({"traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "rank 0"}},
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "rank 4"}},
    {"ph": "X", "cat": "kernel", "name": "mm", "ts": 1, "dur": 1, "pid": 0, "tid": 0, "args": {"stream": 0, "node": "a"}},
    {"ph": "X", "cat": "kernel", "name": "mm", "ts": 1, "dur": 1, "pid": 1, "tid": 0, "args": {"stream": 0, "node": "a"}}]})");
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0].rank, 0);
  EXPECT_EQ(profiles[1].rank, 4);
  EXPECT_EQ(profiles[1].names.at(static_cast<size_t>(profiles[1].events.front().node)), "a");
}

// Older traces write the stream as "stream 7", and a list of more than 30 ranks is abbreviated.
TEST(Profile, OlderForms) {
  const auto profiles = profilesOf(R"({"traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "pid": 0, "tid": "stream 7"},
    {"ph": "X", "cat": "kernel", "name": "k", "ts": 2, "dur": 1, "pid": 0, "tid": "stream 7", "args":
     {"Collective name": "_allgather_base", "Process Group Ranks": "[0, 1, ..., 63]"}}]})");
  EXPECT_EQ(profiles.front().events[0].lane, profiles.front().events[1].lane);
  EXPECT_FALSE(profiles.front().rank.has_value());
  EXPECT_TRUE(profiles.front().collectives.front().ranks.empty());
}

TEST(Profile, BadTextsAreErrors) {
  EXPECT_NE(profileError("{").find("t.json:1:"), std::string::npos);
  EXPECT_NE(profileError("{}").find("it has no list 'traceEvents'"), std::string::npos);
  EXPECT_NE(profileError(R"({"traceEvents": []})").find("has no event of an operator or a kernel"), std::string::npos);
  const std::string noTime = profileError(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1}]})");
  EXPECT_NE(noTime.find("t.json:1:18: error: /traceEvents/0: expected an event with 'name', and 'ts' and 'dur'"),
            std::string::npos)
      << noTime;
  EXPECT_NE(profileError(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": -1}]})")
                .find("expected an event with 'name'"),
            std::string::npos);
  EXPECT_NE(profileError(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1},
    {"ph": "X", "cat": "cpu_op", "name": "b", "ts": 3e15, "dur": 1}]})")
                .find("the events of this trace lie more than 11 days apart"),
            std::string::npos);
  EXPECT_NE(profileError(R"({"traceEvents": [7]})").find("expected an event, which is an object"), std::string::npos);
}

TEST(KernelProvenance, KernelsInTheOrderOfTheirCalls) {
  auto mapping = readKernelProvenance(
      {"m.json", R"({"preToPost": {"a": ["b"]}, "cppCodeToPost": {"cpp_fused_add_0:3": ["add", "mul"],
        "cpp_fused_relu_1:1": ["relu"], "without a call": ["x"]}})"});
  ASSERT_TRUE(static_cast<bool>(mapping));
  ASSERT_EQ(mapping->kernels.size(), 2U);
  EXPECT_EQ(mapping->kernels[0].kernel, "cpp_fused_relu_1");
  EXPECT_EQ(mapping->kernels[1].nodes, (std::vector<std::string>{"add", "mul"}));
  auto none = readKernelProvenance({"m.json", R"({"preToPost": {}})"});
  EXPECT_NE(llvm::toString(none.takeError()).find("expected a mapping with 'cppCodeToPost', got none"),
            std::string::npos);
}

} // namespace
} // namespace ccgraph::test

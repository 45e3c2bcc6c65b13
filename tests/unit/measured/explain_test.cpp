// Tests the match of events to nodes and the explanation of a small job whose times are known.
#include "ccgraph/measured/explain.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/source_text.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <map>

namespace ccgraph::test {
namespace {

using measured::Cause;
using measured::JobExplanation;

constexpr const char *program = R"(def forward(self, x: "f32[4, 4][4, 1]cpu"):
    mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, x)
    all_reduce: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm, "sum", "0")
    mm_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, mm)
    wait_tensor: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
    relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(wait_tensor)
    return (relu,)
)";
constexpr const char *scatterProgram = R"(def forward(self, x: "f32[4, 4][4, 1]cpu"):
    mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, x)
    scatter: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm, "sum", 2, "0")
    mm_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, mm)
    wait_tensor: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(scatter)
    relu: "f32[2, 4][4, 1]cpu" = torch.ops.aten.relu.default(wait_tensor)
    return (relu,)
)";

/// Writes the events of one rank, one after another, in nanoseconds.
struct ProfileWriter {
  RankProfile profile;
  int64_t now = 0;

  explicit ProfileWriter(int64_t rank) {
    profile.rank = rank;
    profile.origin = "rank" + std::to_string(rank) + ".json";
  }
  ProfileEvent &add(const std::string &name, int64_t begin, int64_t end) {
    profile.names.push_back(name);
    ProfileEvent event{static_cast<uint32_t>(profile.names.size() - 1)};
    event.begin = begin;
    event.end = end;
    profile.events.push_back(event);
    return profile.events.back();
  }
  void run(const std::string &name, int64_t duration) {
    add(name, now, now + duration);
    now += duration;
  }
  void gloo(int64_t begin, int64_t end) {
    ProfileEvent &event = add("gloo:all_reduce", begin, end);
    event.kind = ProfileEventKind::Annotation;
    event.lane = 9;
    event.collective = static_cast<int32_t>(profile.collectives.size());
    profile.collectives.push_back({CollectiveKind::AllReduce, "", {}, 0, std::nullopt, std::nullopt});
  }
  RankProfile take() {
    llvm::stable_sort(profile.events, [](const ProfileEvent &a, const ProfileEvent &b) {
      return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
    });
    return profile;
  }
};

struct ExplainTest : testing::Test {
  Context context;
  std::unique_ptr<Graph> graph = std::move(llvm::cantFail(readFxText(context, {"step.py", program})).front());
  std::vector<RankProfile> profiles;
  std::string launch = "_c10d_functional::all_reduce";
  int64_t slowStart = 0; ///< nanoseconds that mm takes longer in the first step
  int64_t scattered = 0; ///< nanoseconds that mm takes longer in the first step, and relu in the second

  /// Writes three steps of a job: mm takes 1,000 ns and on one rank longer; the data of the collective takes 500 ns.
  void writeJob(std::vector<int64_t> longer) {
    std::vector<ProfileWriter> writers;
    for (size_t rank = 0; rank != longer.size(); ++rank)
      writers.emplace_back(static_cast<int64_t>(rank)).now = 7'000 * static_cast<int64_t>(rank);
    for (int step = 0; step != 3; ++step) {
      int64_t last = 0;
      std::vector<int64_t> begins;
      for (size_t rank = 0; rank != writers.size(); ++rank) {
        begins.push_back(writers[rank].now);
        writers[rank].run("aten::mm", 1'000 + longer[rank] + (step == 0 ? scattered + slowStart : 0));
        last = std::max(last, writers[rank].now - 7'000 * static_cast<int64_t>(rank));
      }
      for (size_t rank = 0; rank != writers.size(); ++rank) {
        ProfileWriter &it = writers[rank];
        const int64_t clock = 7'000 * static_cast<int64_t>(rank), arrival = it.now;
        it.run(launch, 10);
        it.gloo(arrival, last + 500 + clock);
        it.run("aten::mm", 100);
        it.run("_c10d_functional::wait_tensor", last + 500 + clock - it.now);
        it.run("aten::relu", 200 + (step == 1 ? scattered : 0));
        it.add("## Call CompiledFxGraph f ##", begins[rank], it.now);
        it.now += 50;
      }
    }
    for (ProfileWriter &writer : writers)
      profiles.push_back(writer.take());
  }

  JobExplanation explain() {
    auto job = measured::matchJob({{{*graph, "forward"}}, profiles, {}});
    EXPECT_TRUE(static_cast<bool>(job)) << llvm::toString(job.takeError());
    return measured::explainJob(*job);
  }
  std::string matchError() {
    auto job = measured::matchJob({{{*graph, "forward"}}, profiles, {}});
    return job ? "" : llvm::toString(job.takeError());
  }
};

TEST_F(ExplainTest, SlowNodeOfOneRank) {
  writeJob({0, 0, 3'000});
  const JobExplanation it = explain();
  ASSERT_EQ(it.collectives.size(), 1U);
  EXPECT_EQ(it.collectives.front().waiting, 3'000);
  EXPECT_EQ(it.collectives.front().transfer, 500);
  EXPECT_EQ(it.collectives.front().cause, (Cause{Cause::Kind::Compute, 2, "mm", "mm", 3'000}));
  EXPECT_EQ(it.collectives.front().lastSteps, 3U);
  EXPECT_EQ(it.step, 4'700);
  EXPECT_EQ(it.period, 4'750);
  EXPECT_EQ(it.replayed, 4'750);
  ASSERT_FALSE(it.mends.empty());
  EXPECT_EQ(it.mends.front().saved, 3'000);
  EXPECT_EQ(it.mends.front().change, "mm of rank 2 as fast as on the other ranks");
  EXPECT_EQ(it.unmatchedTime(), 0);
  EXPECT_EQ(it.ranks[2].clockOffset, -14'000);
  EXPECT_EQ(it.ranks[2].stallWaiting, 0);
  EXPECT_EQ(it.ranks[0].stallWaiting, 2'890); // the launch and mm_1 take 110 ns
  EXPECT_EQ(it.ranks[0].stallTransfer, 500);
}

std::string textOf(const measured::JobTimeline &timeline, size_t rank) {
  const char *const kinds[] = {"compute", "late", "data", "host", "unmatched"};
  std::string text;
  for (const measured::TimelineSpan &span : timeline.ranks[rank].lane)
    text += std::string(kinds[static_cast<size_t>(span.kind)]) + " " +
            (span.name < 0 ? "" : timeline.names[static_cast<size_t>(span.name)]) + " " + std::to_string(span.begin) +
            "-" + std::to_string(span.end) + "; ";
  return text;
}

TEST_F(ExplainTest, TimelineDividesStallsAtTheLastArrival) {
  writeJob({0, 0, 3'000});
  const JobExplanation it = explain();
  EXPECT_EQ(it.timeline.step, 0U);
  EXPECT_EQ(it.timeline.duration, 4'700);
  ASSERT_EQ(it.timeline.ranks.size(), 3U);
  EXPECT_EQ(textOf(it.timeline, 0), "compute mm 0-1000; host all_reduce 1000-1010; compute mm_1 1010-1110; "
                                    "late all_reduce 1110-4000; data all_reduce 4000-4500; compute relu 4500-4700; ");
  EXPECT_EQ(textOf(it.timeline, 2), "compute mm 0-4000; host all_reduce 4000-4010; compute mm_1 4010-4110; "
                                    "data all_reduce 4110-4500; compute relu 4500-4700; ");
  ASSERT_EQ(it.timeline.ranks[1].transfers.size(), 1U);
  const measured::TimelineTransfer &transfer = it.timeline.ranks[1].transfers.front();
  EXPECT_EQ(transfer.begin, 1'000);
  EXPECT_EQ(transfer.lastArrival, 4'000);
  EXPECT_EQ(transfer.end, 4'500);
  EXPECT_EQ(transfer.lastRank, 2);
  EXPECT_EQ(transfer.account, 0);
}

TEST_F(ExplainTest, TimelineIsOfTheStepNearestToTheMedian) {
  slowStart = 3'000;
  writeJob({0, 0});
  const JobExplanation it = explain();
  EXPECT_EQ(it.timeline.step, 1U);
  EXPECT_EQ(it.timeline.duration, 1'700);
}

TEST_F(ExplainTest, DelaysThatDifferFromStepToStepAreInNoMedian) {
  scattered = 3'000;
  writeJob({0, 0});
  const JobExplanation it = explain();
  EXPECT_EQ(it.period, 4'750);
  EXPECT_EQ(it.replayed, 1'750);
  ASSERT_EQ(it.notes.size(), 1U);
  EXPECT_EQ(it.notes.front(), "delays that differ from step to step take 63 % of the time; what a change would save "
                              "leaves them out");
}

TEST_F(ExplainTest, NoRankIsLate) {
  writeJob({0, 0});
  const JobExplanation it = explain();
  EXPECT_EQ(it.collectives.front().waiting, 0);
  EXPECT_EQ(it.collectives.front().cause.kind, Cause::Kind::None);
  for (const measured::Mend &mend : it.mends)
    EXPECT_EQ(mend.change.find("rank"), std::string::npos) << mend.change;
}

// A rank without a trace is stated, and a single rank waits for no one.
TEST_F(ExplainTest, OneRankAlone) {
  writeJob({0, 500});
  profiles.pop_back();
  for (ProfiledCollective &collective : profiles.front().collectives)
    collective.ranks = {0, 1};
  const JobExplanation it = explain();
  EXPECT_EQ(it.collectives.front().waiting, 0);
  EXPECT_EQ(it.collectives.front().transfer, 1'000);
  ASSERT_EQ(it.notes.size(), 1U);
  EXPECT_EQ(it.notes.front(), "no trace of rank 1, so waiting for it counts as the time of the data");
}

TEST_F(ExplainTest, CollectiveOfAnotherSizeIsNotMatched) {
  writeJob({0, 0});
  for (RankProfile &profile : profiles)
    for (ProfiledCollective &collective : profile.collectives)
      collective.bytes = 999;
  const JobExplanation it = explain();
  EXPECT_TRUE(it.collectives.empty());
  ASSERT_FALSE(it.notes.empty());
  EXPECT_EQ(it.notes.front(), "rank 0: all_reduce moves 64 bytes in the graph, and 999 in the trace");
}

// Gloo records a reduce_scatter as the all_reduce that it executes.
TEST_F(ExplainTest, ReduceScatterOfGlooIsMatched) {
  graph = std::move(llvm::cantFail(readFxText(context, {"step.py", scatterProgram})).front());
  launch = "_c10d_functional::reduce_scatter_tensor";
  writeJob({0, 0});
  const JobExplanation it = explain();
  ASSERT_EQ(it.collectives.size(), 1U);
  EXPECT_EQ(it.collectives.front().transfer, 500);
}

constexpr const char *fusedProgram = R"(def forward(self, x: "f32[4, 4][4, 1]cpu"):
    mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, x)
    exp: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(mm)
    t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(exp)
    add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(exp, mm)
    mm_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(t, add)
    relu: "f32[4, 4][4, 1]cpu" = torch.ops.aten.relu.default(mm_1)
    return (relu,)
)";

/// Two steps, whose kernels between the products are called so.
RankProfile profileOfKernels(const std::vector<std::string> &between) {
  ProfileWriter writer(0);
  for (int step = 0; step != 2; ++step) {
    const int64_t begin = writer.now;
    writer.run("aten::mm", 1'000);
    for (const std::string &name : between)
      writer.run(name, 400);
    writer.run("aten::mm", 1'000);
    writer.run("graph_0_cpp_fused_relu_1", 200);
    writer.add("## Call CompiledFxGraph f ##", begin, writer.now);
    writer.now += 50;
  }
  return writer.take();
}

using Durations = std::map<std::string, int64_t>;
Durations durationsOf(const JobExplanation &it) {
  return {it.graphs.front().durations.begin(), it.graphs.front().durations.end()};
}

// A kernel between two matched calls computes the nodes between them; a view is none of them.
TEST_F(ExplainTest, KernelsOfNoMappingFollowFromTheOrderOfLaunches) {
  graph = std::move(llvm::cantFail(readFxText(context, {"step.py", fusedProgram})).front());
  profiles = {profileOfKernels({"graph_0_cpp_fused_add_exp_0"})};
  const JobExplanation it = explain();
  EXPECT_EQ(it.unmatchedTime(), 0);
  EXPECT_EQ(it.rules.back().name, "order");
  EXPECT_EQ(it.rules.back().nanoseconds, 2 * (400 + 200));
  EXPECT_EQ(durationsOf(it), (Durations{{"mm", 1'000}, {"exp", 200}, {"add", 200}, {"mm_1", 1'000}, {"relu", 200}}));
  EXPECT_NE(llvm::join(it.notes, "\n").find("no file states the nodes of Inductor's kernels"), std::string::npos);
  profiles = {profileOfKernels({"graph_0_cpp_fused_exp_0", "triton_poi_fused_add_0"})};
  EXPECT_EQ(durationsOf(explain()),
            (Durations{{"mm", 1'000}, {"exp", 400}, {"add", 400}, {"mm_1", 1'000}, {"relu", 200}}));
  // A name that Inductor does not give, and a kernel in a graph whose mapping does not list it, stay unmatched.
  profiles = {profileOfKernels({"memcpy"})};
  EXPECT_EQ(explain().unmatchedTime(), 2 * 400);
  profiles = {profileOfKernels({"graph_0_cpp_fused_add_exp_0"})};
  const std::vector<KernelProvenance> mapping = {{"log", {{"cpp_fused_relu_1", 0, {"relu"}}}}};
  auto job = llvm::cantFail(measured::matchJob({{{*graph, "forward"}}, profiles, mapping}));
  EXPECT_EQ(measured::explainJob(job).unmatchedTime(), 2 * 400);
}

// The order of launches does not show that a profile is of this graph.
TEST_F(ExplainTest, KernelsAloneMatchNoGraph) {
  graph = std::move(llvm::cantFail(readFxText(context, {"step.py", fusedProgram})).front());
  ProfileWriter writer(0);
  writer.run("graph_0_cpp_fused_add_exp_0", 400);
  writer.add("## Call CompiledFxGraph f ##", 0, writer.now);
  profiles = {writer.take()};
  EXPECT_NE(matchError().find("no event of this trace matches a node"), std::string::npos) << matchError();
}

TEST_F(ExplainTest, BadProfilesAreErrors) {
  writeJob({0, 0});
  profiles[1].rank = 0;
  EXPECT_NE(matchError().find("this is a second trace of rank 0, the first is rank0.json"), std::string::npos);
  profiles.resize(1);
  for (std::string &name : profiles.front().names)
    name = "aten::other";
  EXPECT_NE(matchError().find("no event of this trace matches a node of graph"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test

// Tests the names and source lines of launches: ranks whose programs differ in names alone are checked as one program,
// and each finding still has the names of its own rank.
#include "ccgraph/ir/builder.h"
#include "ccgraph/jobs/check.h"
#include "ccgraph/jobs/timeline.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

struct NamedRank {
  /// one all_reduce each
  std::vector<std::string> names;
  std::string group = "world";
  const char *lastReduction = "sum";
  /// source lines of the launches; empty: a line each, in their order
  std::vector<int64_t> lines = {};
};

llvm::Error add(jobs::Job &job, int64_t rank, const NamedRank &from) {
  Context context;
  Graph graph(context);
  Group group;
  group.name = from.group;
  group.ranks = {0, 1, 2};
  graph.groups().set(group);
  GraphBuilder builder(graph);
  Node *x = builder.input("x", builder.tensor(DType::F32, {4}));
  for (size_t i = 0; i != from.names.size(); ++i) {
    const char *reduction = i + 1 == from.names.size() ? from.lastReduction : "sum";
    Node *launch = builder.call(
        {.target = "_c10d_functional.all_reduce.default", .args = {x, reduction, from.group}, .name = from.names[i]});
    Frame frame;
    frame.file = context.identifier("train.py");
    frame.line = from.lines.empty() ? static_cast<int64_t>(i * 7 + 1) : from.lines[i];
    graph.setFrame(launch, graph.addFrame(frame));
    builder.call("_c10d_functional.wait_tensor.default", {launch});
  }
  builder.output({});
  return job.add(graph, {rank});
}

/// Names of many forms, more than one block of packed texts.
std::vector<std::string> manyNames(const std::string &suffix) {
  std::vector<std::string> names = {"a007" + suffix,
                                    "n00" + suffix,
                                    "x_9999999999999999999" + suffix,
                                    std::string("mark\1") + suffix,
                                    std::string("\2whole12") + suffix,
                                    "12" + suffix,
                                    "0" + suffix};
  for (int i = 0; i != 150; ++i)
    names.push_back("all_reduce_" + std::to_string(i * i) + (i % 3 == 0 ? "_" + std::to_string(1000 - i) : "") +
                    suffix);
  return names;
}

TEST(JobTexts, EveryNameAndLineComesBack) {
  jobs::Job job;
  for (int64_t rank : {0, 1, 2})
    llvm::cantFail(add(job, rank, {manyNames("_r" + std::to_string(rank))}));
  for (const jobs::RankTimeline &timeline : jobs::timelinesOf(job, jobs::Semantics::Streams, {0, 1, 2})) {
    std::vector<std::string> names = manyNames("_r" + std::to_string(timeline.rank));
    ASSERT_EQ(timeline.launches.size(), names.size());
    for (size_t i = 0; i != names.size(); ++i) {
      EXPECT_EQ(timeline.launches[i].node, names[i]);
      EXPECT_EQ(timeline.launches[i].place, "train.py:" + std::to_string(i * 7 + 1));
    }
  }
}

TEST(JobTexts, RanksThatDifferInNamesAloneAreOneClass) {
  jobs::Job job;
  for (int64_t rank : {0, 1, 2})
    llvm::cantFail(add(job, rank, {manyNames("_r" + std::to_string(rank)), "group" + std::to_string(rank)}));
  jobs::CheckResult result = jobs::checkJob(job);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.programs, 3U);
  EXPECT_EQ(result.classes, 1U);
}

TEST(JobTexts, AFindingHasTheNamesOfItsRank) {
  jobs::Job job;
  for (int64_t rank : {0, 1, 2})
    llvm::cantFail(add(job, rank, {manyNames("_r" + std::to_string(rank)), "world", rank == 2 ? "max" : "sum"}));
  jobs::CheckResult result = jobs::checkJob(job);
  ASSERT_EQ(result.findings.size(), 1U);
  const jobs::Finding &finding = result.findings.front();
  ASSERT_EQ(finding.nodes.size(), 1U);
  EXPECT_EQ(finding.nodes.front().node, manyNames("_r2").back());
  ASSERT_TRUE(finding.others);
  EXPECT_EQ(finding.others->node, manyNames("_r" + std::to_string(finding.others->rank)).back());
  EXPECT_EQ(finding.repair, "sum in " + manyNames("_r2").back() + " of rank 2");
}

/// Three ranks that launch three equal collectives from these lines; returns the assumptions of the verdict.
std::vector<std::string> assumptionsOf(const std::vector<std::vector<int64_t>> &lines) {
  jobs::Job job;
  for (size_t rank = 0; rank != lines.size(); ++rank)
    llvm::cantFail(add(job, static_cast<int64_t>(rank), {{"a", "b", "c"}, "world", "sum", lines[rank]}));
  jobs::CheckResult result = jobs::checkJob(job);
  EXPECT_TRUE(result.findings.empty());
  return result.assumptions;
}

TEST(JobSources, EqualCollectivesFromExchangedLinesAreAnAssumption) {
  EXPECT_EQ(assumptionsOf({{10, 20, 30}, {10, 20, 30}, {10, 30, 20}}),
            (std::vector<std::string>{"collective 2 of the group of ranks 0-2 is train.py:20 on rank 0 and train.py:30 "
                                      "on rank 2, and these belong together"}));
}

TEST(JobSources, ProgramsOfOtherLinesAreNone) {
  EXPECT_TRUE(assumptionsOf({{10, 20, 30}, {10, 20, 30}, {10, 20, 30}}).empty());
  EXPECT_TRUE(assumptionsOf({{10, 20, 30}, {11, 21, 31}, {10, 20, 40}}).empty()) << "ranks of other programs";
}

} // namespace
} // namespace ccgraph::test

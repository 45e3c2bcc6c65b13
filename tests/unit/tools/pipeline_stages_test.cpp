// Tests the user's graphs of a pipeline's stages: the ranks of each schedule compute what one rank computes that runs
// the stages one after the other, and collectives of the stages belong to the job.
#include "ccgraph/checks/pipeline_stages.h"

#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/jobs/check.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "models/pipeline_schedules.h"

#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using models::PipelineKind;

constexpr const char *forwardText = R"(class f(torch.nn.Module):
    def forward(self, w: "f32[4, 4][4, 1]cpu", x: "f32[2, 4][4, 1]cpu"):
        mm: "f32[2, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, w)
        y: "f32[2, 4][4, 1]cpu" = torch.ops.aten.tanh.default(mm)
        return (y, x, w)
)";
constexpr const char *backwardText = R"(class b(torch.nn.Module):
    def forward(self, w: "f32[4, 4][4, 1]", x: "f32[2, 4][4, 1]", y: "f32[2, 4][4, 1]", dy: "f32[2, 4][4, 1]"):
        gradient: "f32[2, 4][4, 1]cpu" = torch.ops.aten.tanh_backward.default(dy, y)
        t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(w)
        dx: "f32[2, 4][4, 1]cpu" = torch.ops.aten.mm.default(gradient, t)
        t_1: "f32[4, 2][1, 4]cpu" = torch.ops.aten.t.default(x)
        dw: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(t_1, gradient)
        return (dw, dx)
)";
constexpr const char *backwardInputText = R"(class i(torch.nn.Module):
    def forward(self, w: "f32[4, 4][4, 1]cpu", y: "f32[2, 4][4, 1]cpu", dy: "f32[2, 4][4, 1]cpu"):
        gradient: "f32[2, 4][4, 1]cpu" = torch.ops.aten.tanh_backward.default(dy, y)
        t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(w)
        dx: "f32[2, 4][4, 1]cpu" = torch.ops.aten.mm.default(gradient, t)
        return (gradient, dx)
)";
constexpr const char *backwardWeightText = R"(class w(torch.nn.Module):
    def forward(self, x: "f32[2, 4][4, 1]cpu", gradient: "f32[2, 4][4, 1]cpu"):
        t_1: "f32[4, 2][1, 4]cpu" = torch.ops.aten.t.default(x)
        dw: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(t_1, gradient)
        return (dw,)
)";
constexpr const char *entry = R"({"forward": "f.py", "backward": "b.py", "backward_input": "i.py",
    "backward_weight": "w.py", "output_gradient": "dy", "input_gradient": )";

class PipelineStagesTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("ccgraph-stages", folder_));
    write("f.py", forwardText);
    write("b.py", backwardText);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }

  [[nodiscard]] std::string path(llvm::StringRef name) const { return (folder_ + "/" + name).str(); }
  void write(llvm::StringRef name, const std::string &text) const { std::ofstream(path(name)) << text; }

  /// Writes a stages file with equal stages, and reads it for the schedule.
  PipelineStages load(const PipelineSchedule &schedule, const std::string &stage, const std::string &more = "") {
    std::string text;
    for (int64_t i = 0; i != schedule.stages; ++i)
      text += (i ? ", " : "") + stage;
    write("stages.json", "{\"stages\": [" + text + "]" + more + "}");
    Diagnostics warnings;
    return llvm::cantFail(loadPipelineStages(context_, schedule, path("stages.json"), warnings));
  }

  llvm::SmallString<128> folder_;
  Context context_;
};

/// Each stage's gradients of weights by name of the backward action, "0B1.dw": bytes.
using Gradients = std::map<std::string, std::vector<std::byte>>;

Gradients gradientsOf(Context &context, const PipelineSchedule &schedule, const PipelineStages &stages) {
  std::vector<std::unique_ptr<Graph>> graphs;
  runtime::RunRequest request;
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank) {
    graphs.push_back(llvm::cantFail(pipelineGraph(context, schedule, rank, stages)));
    llvm::cantFail(verifyOrError(*graphs.back()));
    request.graphs.push_back(graphs.back().get());
    // The values of an input depend on its name and the rank; all ranks take those of rank 0.
    request.inputs.push_back(runtime::seededInputs(*graphs.back(), 0, 1));
  }
  request.ranks = schedule.ranks.size();
  runtime::RunResult result = llvm::cantFail(runtime::interpret(request));
  Gradients gradients;
  for (size_t rank = 0; rank != graphs.size(); ++rank) {
    size_t place = 0;
    for (const Node *node : graphs[rank]->output()->dataOperands()) {
      std::string name = node->name().str().str(), out = "out." + std::to_string(place++);
      if (llvm::StringRef(name).endswith(".dw")) {
        std::replace(name.begin(), name.end(), 'W', 'B');
        gradients[name] = result[rank].at(out).data;
      }
    }
  }
  return gradients;
}

/// One rank that runs all stages.
PipelineSchedule oneRank(const PipelineSchedule &of) {
  PipelineSchedule schedule{"one", of.stages, of.microbatches, {{}}};
  for (int64_t i = 0; i != of.microbatches; ++i)
    for (int64_t stage = 0; stage != of.stages; ++stage)
      schedule.ranks[0].push_back({{{PipelineActionKind::Forward, stage, i}}});
  for (int64_t i = 0; i != of.microbatches; ++i)
    for (int64_t stage = of.stages; stage != 0; --stage)
      schedule.ranks[0].push_back({{{PipelineActionKind::Backward, stage - 1, i}}});
  return schedule;
}

} // namespace

TEST_F(PipelineStagesTest, EveryScheduleComputesTheGradientsOfOneRank) {
  write("i.py", backwardInputText);
  write("w.py", backwardWeightText);
  for (const auto &[name, kind] : models::pipelineKinds()) {
    models::PipelineRequest request{kind};
    request.ranks = 4 / request.stagesOfRank();
    PipelineSchedule schedule = withTransfers(llvm::cantFail(makePipelineSchedule(request)));
    PipelineStages stages = load(schedule, std::string(entry) + "1}");
    Gradients expected = gradientsOf(context_, oneRank(schedule), stages);
    EXPECT_EQ(expected.size(), static_cast<size_t>(schedule.stages * schedule.microbatches));
    EXPECT_EQ(gradientsOf(context_, schedule, stages), expected) << name;
  }
}

TEST_F(PipelineStagesTest, ARankOfTheScheduleStandsForOneRankOfEachPipeline) {
  PipelineSchedule schedule =
      withTransfers(llvm::cantFail(models::makePipelineSchedule({PipelineKind::GPipe, 2, 0, 2})));
  write("groups.json", R"({"groups": {"pp": {"partition": [[0, 3], [2, 1]]}}})");
  PipelineStages stages = load(schedule, R"({"forward": "f.py", "backward": "b.py", "output_gradient": "dy"})",
                               R"(, "groups": "groups.json")");
  EXPECT_EQ(stages.ranksOf(0), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(stages.ranksOf(1), (std::vector<int64_t>{1, 3}));
  jobs::Job job;
  llvm::cantFail(addPipeline(job, context_, schedule, stages));
  EXPECT_EQ(job.ranks(), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(jobs::checkJob(job).findings.empty());
}

TEST_F(PipelineStagesTest, ACallOnAnotherGroupIsAFindingOfTheJob) {
  PipelineSchedule schedule =
      withTransfers(llvm::cantFail(models::makePipelineSchedule({PipelineKind::GPipe, 2, 0, 2})));
  std::string text = forwardText;
  text.replace(text.find("torch.ops.aten.tanh.default(mm)"), 31,
               "torch.ops._c10d_functional.all_reduce.default(mm, 'sum', 'tp')");
  write("f.py", text);
  write("groups.json", R"({"groups": {"tp": {"ranks": [0, 1]}}})");
  PipelineStages stages = load(schedule, R"({"forward": "f.py", "backward": "b.py", "output_gradient": "dy"})",
                               R"(, "groups": "groups.json")");
  jobs::Job job;
  llvm::cantFail(addPipeline(job, context_, schedule, stages));
  jobs::CheckResult result = jobs::checkJob(job);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings.front().rule, jobs::Rule::Deadlock);
}

namespace {

/// Gathers the weight, which is in flight when the graph returns it.
std::string unshardText(llvm::StringRef group) {
  return R"(class u(torch.nn.Module):
    def forward(self, shard: "f32[2, 4][4, 1]cpu"):
        w: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(shard, 2, ')" +
         group.str() + R"(')
        return (w,)
)";
}
constexpr const char *reduceText = R"(class r(torch.nn.Module):
    def forward(self, dw: "f32[4, 4][4, 1]cpu"):
        s: "f32[2, 4][4, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(dw, 'sum', 2, 'dp')
        return (s,)
)";
constexpr const char *shardedStage = R"({"forward": "f.py", "backward": "b.py", "output_gradient": "dy",
    "unshard": "u.py", "reduce_grad": "r.py"})";
/// Two pipelines of ranks 0, 1 and 2, 3; groups of two ranks across the pipelines, and along them.
constexpr const char *shardedGroups = R"({"groups": {"pp": {"partition": [[0, 1], [2, 3]]},
    "dp": {"partition": [[0, 2], [1, 3]]}, "wrong": {"partition": [[0, 1], [2, 3]]}}})";

PipelineSchedule shardedSchedule() {
  SourceText text{"s.csv", "0UNSHARD,0F0,0F1,0B0,0B1,0REDUCE_GRAD\n1UNSHARD,1F0,1F1,1B0,1B1,1REDUCE_GRAD\n"};
  return withTransfers(llvm::cantFail(readPipelineSchedule(text)));
}

size_t countTargets(const Graph &graph, llvm::StringRef target) {
  return static_cast<size_t>(
      llvm::count_if(graph, [&](const Node *node) { return node->target() && node->target().str().contains(target); }));
}

} // namespace

TEST_F(PipelineStagesTest, ActionsOfShardedStagesLaunchWhatTheirGraphsLaunch) {
  write("u.py", unshardText("dp"));
  write("r.py", reduceText);
  write("groups.json", shardedGroups);
  PipelineSchedule schedule = shardedSchedule();
  PipelineStages stages = load(schedule, shardedStage, R"(, "groups": "groups.json")");
  std::unique_ptr<Graph> graph = llvm::cantFail(pipelineGraph(context_, schedule, 0, stages));
  llvm::cantFail(verifyOrError(*graph));
  EXPECT_EQ(countTargets(*graph, "all_gather_into_tensor"), 1U);
  EXPECT_EQ(countTargets(*graph, "reduce_scatter_tensor"), 1U);
  EXPECT_EQ(countTargets(*graph, "wait_tensor.default"), 1U) << "the gather is waited for once, at its first use";
  EXPECT_EQ(countTargets(*graph, "add.Tensor"), 1U) << "the gradients of two microbatches are summed";
  jobs::Job job;
  llvm::cantFail(addPipeline(job, context_, schedule, stages));
  EXPECT_TRUE(jobs::checkJob(job).findings.empty());
}

TEST_F(PipelineStagesTest, AGatherAlongThePipelineIsAFinding) {
  write("u.py", unshardText("wrong"));
  write("r.py", reduceText);
  write("groups.json", shardedGroups);
  PipelineSchedule schedule = shardedSchedule();
  schedule.ranks[1].erase(schedule.ranks[1].begin()); // its stage never gathers
  PipelineStages stages = load(schedule, shardedStage, R"(, "groups": "groups.json")");
  jobs::Job job;
  llvm::cantFail(addPipeline(job, context_, schedule, stages));
  jobs::CheckResult result = jobs::checkJob(job);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings.front().rule, jobs::Rule::Missing);
}

TEST_F(PipelineStagesTest, GraphsOfShardedStagesAreBoundByNameAndType) {
  write("groups.json", shardedGroups);
  auto failureOf = [&](const std::string &unshard, const std::string &reduce) {
    write("u.py", unshard);
    write("r.py", reduce);
    write("stages.json",
          std::string("{\"stages\": [") + shardedStage + ", " + shardedStage + "], \"groups\": \"groups.json\"}");
    Diagnostics warnings;
    return llvm::toString(loadPipelineStages(context_, shardedSchedule(), path("stages.json"), warnings).takeError());
  };
  std::string renamed = unshardText("dp");
  renamed.replace(renamed.find("w: "), 3, "v: ");
  renamed.replace(renamed.find("(w,"), 3, "(v,");
  EXPECT_NE(failureOf(renamed, reduceText).find("no result of \"unshard\" has the name of a placeholder"),
            std::string::npos);
  std::string unused = reduceText;
  unused.replace(unused.find("dw:"), 3, "dv:");
  unused.replace(unused.find("(dw,"), 4, "(dv,");
  EXPECT_NE(failureOf(unshardText("dp"), unused).find("no placeholder of \"reduce_grad\" has the name"),
            std::string::npos);
  std::string wide = reduceText;
  for (size_t at = wide.find("4, 4]"); at != std::string::npos; at = wide.find("4, 4]"))
    wide.replace(at, 5, "8, 4]");
  wide.replace(wide.find("2, 4]"), 5, "4, 4]");
  std::string wrong = failureOf(unshardText("dp"), wide);
  EXPECT_NE(wrong.find("the graph takes dw: f32[8, 4]"), std::string::npos) << wrong;
}

} // namespace ccgraph

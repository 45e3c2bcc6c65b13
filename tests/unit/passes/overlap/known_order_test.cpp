// Tests what a pipeline does with the order of another scheduler, which is given by name.
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Two reductions with readers. Each is issued when its input is computed, and never waits for the other.
constexpr const char *text = R"py(class G(torch.nn.Module):
    def forward(self, x: "f32[64, 64][64, 1]cuda:0", y: "f32[64, 64][64, 1]cuda:0"):
        a: "f32[64, 64][64, 1]cuda:0" = torch.ops.aten.mm.default(x, y)
        r: "f32[64, 64][64, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')
        w: "f32[64, 64][64, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r)
        c: "f32[64, 64][64, 1]cuda:0" = torch.ops.aten.mm.default(w, x)
        b: "f32[64, 64][64, 1]cuda:0" = torch.ops.aten.mm.default(y, x)
        s: "f32[64, 64][64, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(b, 'sum', '0')
        v: "f32[64, 64][64, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(s)
        d: "f32[64, 64][64, 1]cuda:0" = torch.ops.aten.mm.default(v, c)
        return (d,)
)py";

struct KnownOrderTest : testing::Test {
  Context context;
  std::unique_ptr<Graph> graph = readGraph();
  int64_t peak = peakMemory(*graph).bytes;
  PassManagerOptions options;

  std::unique_ptr<Graph> readGraph() {
    std::unique_ptr<Graph> read = llvm::cantFail(loadGraph(context, InputFile::ofText("g.py", text, {})));
    Group world;
    world.name = "0";
    world.ranks = {0, 1, 2, 3};
    read->groups().set(std::move(world));
    return read;
  }
  PipelineRun run(const char *pipeline = "schedule-overlap{walks=1 beam=0}") {
    options.predictTimes = true;
    Pipeline parsed = llvm::cantFail(Pipeline::parse(pipeline));
    return llvm::cantFail(runPipeline(*graph, parsed, options));
  }
};

TEST_F(KnownOrderTest, ItsMemoryIsTheBudgetIfTheGraphNeedsLess) {
  options.knownOrders = {{{}, {}, peak + 4096}, {{}, {}, 1}};
  EXPECT_EQ(run().memoryBudget, peak + 4096);
}

TEST_F(KnownOrderTest, ItsMemoryIsNoBudgetBesideThatOfTheCaller) {
  options.knownOrders = {{{}, {}, peak + 4096}};
  options.memoryBudget = peak;
  EXPECT_EQ(run().memoryBudget, peak);
}

TEST_F(KnownOrderTest, ItsMemoryIsNoLimitWhereMemoryIsNone) {
  options.knownOrders = {{{}, {}, peak + 4096}};
  options.limitMemory = false;
  EXPECT_EQ(run().memoryBudget, std::nullopt);
}

TEST_F(KnownOrderTest, TheResultIsNoSlower) {
  options.limitMemory = false;
  PipelineRun alone = run();
  EXPECT_EQ(alone.timeAfter->collectives.size(), 2U);
  graph = readGraph();
  options.knownOrders = {{{"x", "y", "a", "b", "r", "s", "w", "c", "v", "d"}, {{"r", "s"}}, 0}};
  PipelineRun known = run();
  EXPECT_LT(known.timeAfter->total, alone.timeAfter->total);
  EXPECT_EQ(known.timeAfter->collectives.size(), 1U);
}

TEST_F(KnownOrderTest, NamesThatTheGraphDoesNotHaveAreIgnored) {
  options.knownOrders = {{{"a", "gone", "a", "v"}, {{"gone", "r", "a", "r"}, {"s"}, {}}, 0}};
  EXPECT_TRUE(run().timeAfter);
}

} // namespace
} // namespace ccgraph::test

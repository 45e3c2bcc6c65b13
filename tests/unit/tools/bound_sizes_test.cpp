#include "ccgraph/toolkit/bound_sizes.h"

#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

/// Two reductions of s0 rows, which could be one bucket if their sizes were numbers, and two of a fixed size.
constexpr const char *text = R"py(class G(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", x: "f32[s0, 8][8, 1]cuda:0", y: "f32[8][1]cuda:0"):
        r0: "f32[s0, 8][8, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(x, 'max', '0')
        w0: "f32[s0, 8][8, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r0)
        r1: "f32[s0, 8][8, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(x, 'max', '0')
        w1: "f32[s0, 8][8, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r1)
        r2: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(y, 'max', '0')
        w2: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r2)
        n: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(y)
        r3: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(n, 'max', '0')
        w3: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r3)
        return (w0, w1, w2, w3)
)py";

std::unique_ptr<Graph> read(Context &context) {
  return llvm::cantFail(loadGraph(context, InputFile::ofText("g.py", text, {})));
}

} // namespace

TEST(BoundSizes, ReadsSymbolsAndTheirSizes) {
  EXPECT_EQ(llvm::cantFail(parseSymbolValues("s0=4096, s1=8")), (SymbolValues{{"s0", 4096}, {"s1", 8}}));
  for (const char *bad : {"", "s0", "s0=", "=4", "s0=x", "s0=-1", "4=4", "s0=1,,s1=2"})
    EXPECT_TRUE(llvm::errorToBool(parseSymbolValues(bad).takeError())) << bad;
}

TEST(BoundSizes, NamesTheSymbolsOfAGraph) {
  Context context;
  EXPECT_EQ(symbolsOf(*read(context)), std::vector<std::string>{"s0"});
}

TEST(BoundSizes, BindsTypesAndLeavesUnknownSymbols) {
  Context context;
  std::unique_ptr<Graph> graph = read(context);
  bindSizes(*graph, {{"s1", 3}});
  EXPECT_EQ(graph->find("x")->type()->str(), "f32[s0, 8][8, 1]cuda:0");
  bindSizes(*graph, {{"s0", 4}});
  EXPECT_EQ(graph->find("x")->type()->str(), "f32[4, 8][8, 1]cuda:0");
  EXPECT_EQ(graph->find("r0")->type()->numBytes(), 128);
  EXPECT_EQ(graph->find("w0")->type()->numBytes(), 128);
}

TEST(BoundSizes, TheGraphKeepsItsSymbolsAndMergesNoneOfTheirCollectives) {
  Context context;
  std::unique_ptr<Graph> graph = read(context);
  Pipeline pipeline = llvm::cantFail(Pipeline::parse("coalesce-collectives,sink-waits"));
  PassManagerOptions options;
  options.limitMemory = false;
  BoundRewrite bound = llvm::cantFail(rewriteWithSizes(*graph, {{"s0", 4}}, {pipeline, nullptr, options}));
  ASSERT_TRUE(graph->find("r0") && graph->find("r1"));
  EXPECT_EQ(graph->find("r0")->type()->str(), "f32[s0, 8][8, 1]cuda:0");
  EXPECT_FALSE(graph->find("r2")); // r1 and r2 are in one bucket
  EXPECT_TRUE(bound.result.run.changed());
}

#include "ccgraph/toolkit/bound_sizes.h"

#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

namespace {

/// A product whose result is reduced.
constexpr const char *product = R"py(class G(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", x: "bf16[{0}, 4096][4096, 1]cuda:0", b: "bf16[4096, 8192][8192, 1]cuda:0"):
        p: "bf16[{0}, 8192][8192, 1]cuda:0" = torch.ops.aten.mm.default(x, b)
        s: "bf16[{0}, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(p, 'sum', '0')
        w: "bf16[{0}, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(s)
        return (w,)
)py";

/// The gradient of a weight, which adds over the rows.
constexpr const char *gradient = R"py(class G(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", t: "bf16[8192, {0}][1, 8192]cuda:0", x: "bf16[{0}, 8192][8192, 1]cuda:0"):
        p: "bf16[8192, 8192][8192, 1]cuda:0" = torch.ops.aten.mm.default(t, x)
        c: "f32[8192, 8192][8192, 1]cuda:0" = torch.ops.prims.convert_element_type.default(p, torch.float32)
        s: "f32[8192, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(c, 'sum', '0')
        w: "f32[8192, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(s)
        return (w,)
)py";

/// A reduce_scatter and an all_gather with a sum between them.
constexpr const char *chain = R"py(class G(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", x: "bf16[{1}, 4096][4096, 1]cuda:0", b: "bf16[4096, 8192][8192, 1]cuda:0",
                r: "bf16[{0}, 8192][8192, 1]cuda:0", d: "bf16[8192, 4096][4096, 1]cuda:0"):
        p: "bf16[{1}, 8192][8192, 1]cuda:0" = torch.ops.aten.mm.default(x, b)
        s: "bf16[{0}, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.reduce_scatter_tensor.default(p, 'sum', 2, '0')
        w: "bf16[{0}, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(s)
        y: "bf16[{0}, 8192][8192, 1]cuda:0" = torch.ops.aten.add.Tensor(r, w)
        g: "bf16[{1}, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
        v: "bf16[{1}, 8192][8192, 1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(g)
        z: "bf16[{1}, 4096][4096, 1]cuda:0" = torch.ops.aten.mm.default(v, d)
        return (z,)
)py";

/// `rows`, `all`: the rows of a rank, and of both.
std::unique_ptr<Graph> readSized(Context &context, const char *program, llvm::StringRef rows,
                                 llvm::StringRef all = "") {
  return llvm::cantFail(loadGraph(context, InputFile::ofText("p.py", llvm::formatv(program, rows, all).str(), {})));
}

PassManagerOptions predicting() {
  PassManagerOptions options;
  options.predictTimes = true;
  options.limitMemory = false;
  return options;
}

} // namespace

TEST(BoundSizes, PiecesOfSymbolicRowsTakeTheTimeOfAsManyRows) {
  const Pipeline pipeline = llvm::cantFail(Pipeline::parse("chunk-collectives,schedule-overlap"));
  for (int64_t size : {1, 2, 4, 16}) {
    Context context;
    std::unique_ptr<Graph> symbolic = readSized(context, product, "2048*s0");
    std::unique_ptr<Graph> numbers = readSized(context, product, llvm::utostr(2048 * size));
    const BoundRewrite bound =
        llvm::cantFail(rewriteWithSizes(*symbolic, {{"s0", size}}, {pipeline, nullptr, predicting()}));
    const PipelineRun run = llvm::cantFail(runPipeline(*numbers, pipeline, predicting()));
    EXPECT_EQ(bound.result.run.timeAfter->total, run.timeAfter->total) << size;
    EXPECT_LT(run.timeAfter->total, run.timeBefore->total) << size;
    EXPECT_EQ(bound.result.run.passes[0].statistics, run.passes[0].statistics) << size;
    ASSERT_TRUE(bound.result.run.bounds && bound.result.run.bounds->anyChange);
    EXPECT_LE(bound.result.run.bounds->anyChange->picoseconds, run.timeAfter->total) << size;
  }
}

TEST(BoundSizes, ColumnsOfASumOverSymbolicRowsAreThoseOfASumOverAsManyRows) {
  const Pipeline pipeline = llvm::cantFail(Pipeline::parse("chunk-collectives,schedule-overlap"));
  for (int64_t size : {1, 4096, 16384}) {
    Context context;
    std::unique_ptr<Graph> symbolic = readSized(context, gradient, "s0");
    std::unique_ptr<Graph> numbers = readSized(context, gradient, llvm::utostr(size));
    const BoundRewrite bound =
        llvm::cantFail(rewriteWithSizes(*symbolic, {{"s0", size}}, {pipeline, nullptr, predicting()}));
    const PipelineRun run = llvm::cantFail(runPipeline(*numbers, pipeline, predicting()));
    EXPECT_EQ(bound.result.run.timeAfter->total, run.timeAfter->total) << size;
    EXPECT_EQ(bound.result.run.passes[0].statistics, run.passes[0].statistics) << size;
  }
}

TEST(BoundSizes, AChainOfSymbolicRowsIsAsFastAsOneOfAsManyRows) {
  const Pipeline pipeline = llvm::cantFail(Pipeline::parse("chunk-collectives,schedule-overlap"));
  for (int64_t size : {1, 4, 16}) {
    Context context;
    std::unique_ptr<Graph> symbolic = readSized(context, chain, "2048*s0", "4096*s0");
    std::unique_ptr<Graph> numbers = readSized(context, chain, llvm::utostr(2048 * size), llvm::utostr(4096 * size));
    const BoundRewrite bound =
        llvm::cantFail(rewriteWithSizes(*symbolic, {{"s0", size}}, {pipeline, nullptr, predicting()}));
    const PipelineRun run = llvm::cantFail(runPipeline(*numbers, pipeline, predicting()));
    EXPECT_EQ(bound.result.run.timeAfter->total, run.timeAfter->total) << size;
    EXPECT_LT(run.timeAfter->total, run.timeBefore->total) << size;
    EXPECT_EQ(bound.result.run.passes[0].statistics, run.passes[0].statistics) << size;
  }
}

TEST(BoundSizes, TheGraphGetsTheNodesOfTheCopyInTheirOrder) {
  Context context;
  std::unique_ptr<Graph> graph = readSized(context, product, "3*s0");
  const Pipeline pipeline = llvm::cantFail(Pipeline::parse("chunk-collectives{pieces=3},schedule-overlap"));
  const BoundRewrite bound = llvm::cantFail(rewriteWithSizes(*graph, {{"s0", 7}}, {pipeline, nullptr, predicting()}));
  std::vector<Node *> nodes = graph->nodes(), ofCopy = bound.after->nodes();
  ASSERT_EQ(nodes.size(), ofCopy.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    EXPECT_EQ(nodes[i]->name(), ofCopy[i]->name());
  EXPECT_EQ(graph->find("mm")->type()->str(), "bf16[s0, 8192][8192, 1]cuda:0");
  EXPECT_EQ(bound.after->find("mm")->type()->str(), "bf16[7, 8192][8192, 1]cuda:0");
}

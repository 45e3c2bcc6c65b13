// Tests that the order and the buckets of a rewritten graph are found in terms of the graph from which it was made.
#include "ccgraph/toolkit/order_of_result.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/step_graphs.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::unique_ptr<Graph> read(Context &context, const std::string &body) {
  std::string text =
      "class G(torch.nn.Module):\n    def forward(self, x: \"f32[8][1]cuda:0\", y: \"f32[8][1]cuda:0\"):\n";
  return llvm::cantFail(loadGraph(context, InputFile::ofText("g.py", text + body, {})));
}

std::string textOf(const KnownOrder &known) {
  std::string text = llvm::join(known.order, " ");
  for (const std::vector<std::string> &bucket : known.buckets)
    text += " [" + llvm::join(bucket, " ") + "]";
  return text;
}

constexpr const char *twoReductions = R"py(
        a: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(x)
        d0: "f32[8][1]cuda:0" = torch.ops.aten.div.Tensor(a, 2)
        r0: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(d0, 'sum', '0')
        w0: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r0)
        b: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(y)
        d1: "f32[8][1]cuda:0" = torch.ops.aten.div.Tensor(b, 2)
        r1: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(d1, 'sum', '0')
        w1: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r1)
        return (w0, w1)
)py";

} // namespace

TEST(OrderOfResult, NodesOfOneNameHaveThePlaceThatTheResultGivesThem) {
  Context context;
  auto start = read(context, twoReductions), result = read(context, R"py(
        a: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(x)
        b: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(y)
        d1: "f32[8][1]cuda:0" = torch.ops.aten.div.Tensor(b, 2)
        r1: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce_.default(d1, 'sum', '0')
        d0: "f32[8][1]cuda:0" = torch.ops.aten.div.Tensor(a, 2)
        r0: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce_.default(d0, 'sum', '0')
        v1: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r1)
        v0: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r0)
        return (v0, v1)
)py");
  KnownOrder known = orderOfResult(*start, *result);
  EXPECT_EQ(textOf(known), "x y a b d1 r1 d0 r0 w1 w0 output");
  EXPECT_EQ(known.peakBytes, peakMemory(*result).bytes);
}

TEST(OrderOfResult, ABucketHasTheCollectivesThatItReplaced) {
  Context context;
  auto start = read(context, twoReductions), result = read(context, R"py(
        a: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(x)
        b: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(y)
        c: "f32[16][1]cuda:0" = torch.ops.aten.cat.default([a, b])
        d: "f32[16][1]cuda:0" = torch.ops.aten.div.Tensor(c, 2)
        r: "f32[16][1]cuda:0" = torch.ops._c10d_functional.all_reduce_.default(d, 'sum', '0')
        w: "f32[16][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r)
        s = torch.ops.aten.split.Tensor(w, 8)
        g0: "f32[8][1]cuda:0" = s[0]
        g1: "f32[8][1]cuda:0" = s[1]
        return (g0, g1)
)py");
  EXPECT_EQ(textOf(orderOfResult(*start, *result)), "x y a b r0 r1 w0 w1 output [r0 r1]");
}

TEST(OrderOfResult, ACollectiveOfAnotherKindOrOfOtherNodesHasNoPlace) {
  Context context;
  auto start = read(context, twoReductions), result = read(context, R"py(
        a: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(x)
        r: "f32[8][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')
        w: "f32[8][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r)
        b: "f32[8][1]cuda:0" = torch.ops.aten.neg.default(y)
        r1: "f32[16][1]cuda:0" = torch.ops._c10d_functional.all_gather_into_tensor.default(b, 2, '0')
        v: "f32[16][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r1)
        return (w, v)
)py");
  EXPECT_EQ(textOf(orderOfResult(*start, *result)), "x y a r0 w0 b output");
}

// Inductor's pass for DDP replaces ten reductions, each with its division, by one.
TEST(OrderOfResult, OfALogOfDdpIsOneBucket) {
  Context context;
  Diagnostics warnings;
  auto input = llvm::cantFail(openGraphs(CCGRAPH_TEST_DATA "/logs/ddp4-python-reducer.log.gz", "", warnings));
  const TrainingStepGraph &own = input.step->graphs[input.step->chosen];
  ASSERT_EQ(own.inductor.size(), 1U);
  GraphList graphs = llvm::cantFail(readStepGraphs(context, input, {own.start, own.inductor.front()}));
  KnownOrder known = orderOfResult(*graphs[0], *graphs[1]);
  ASSERT_EQ(known.buckets.size(), 1U);
  EXPECT_EQ(known.buckets.front().size(), 10U);
}

// Tests the result of each collective in the operator table, on a group of 4 ranks: functional, autograd, in-place,
// _out and list forms, the older c10d_functional with tag, ranks and size, and c10d's own. A collective without a line
// here fails the test.
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/type_inference.h"
#include "support/noted.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::test {
namespace {

/// A call with x, f32[8, 6], and y, i64[4]; with `out`, which has the type of the result; and with an object, a group
/// or a reduction.
struct ShapeCase {
  const char *call;
  const char *type;
};

constexpr const char *same = "f32[8, 6][6, 1]cpu";
constexpr const char *gathered = "f32[32, 6][6, 1]cpu";
constexpr const char *share = "f32[2, 6][6, 1]cpu";
/// The received rows: 1 + 2 + 3 + 4.
constexpr const char *exchanged = "f32[10, 6][6, 1]cpu";
constexpr const char *sameList = "(f32[8, 6][6, 1]cpu, i64[4][1]cpu)";
constexpr const char *gatheredList = "(f32[32, 6][6, 1]cpu, i64[16][1]cpu)";
constexpr const char *shareList = "(f32[2, 6][6, 1]cpu, i64[1][1]cpu)";
/// c10d's own collectives return their buffers and a Work, for which there is no type.
constexpr const char *buffer = "(f32[8, 6][6, 1]cpu, -)";
constexpr const char *bufferList = "((f32[8, 6][6, 1]cpu,), -)";
constexpr const char *transfers = "(f32[0][1]cpu, i64[4][1]cpu)";

const ShapeCase cases[] = {
    {"_c10d_functional.all_gather_into_tensor.default(x, 4, '0')", gathered},
    {"_c10d_functional.all_gather_into_tensor_coalesced.default([x, y], 4, '0')", gatheredList},
    {"_c10d_functional.all_gather_into_tensor_out.default(x, 4, '0', out = out)", gathered},
    {"_c10d_functional.all_reduce.default(x, 'sum', '0')", same},
    {"_c10d_functional.all_reduce_.default(x, 'sum', '0')", same},
    {"_c10d_functional.all_reduce_coalesced.default([x, y], 'sum', '0')", sameList},
    {"_c10d_functional.all_reduce_coalesced_.default([x, y], 'sum', '0')", sameList},
    {"_c10d_functional.all_to_all_single.default(x, [1, 2, 3, 4], [2, 2, 2, 2], '0')", exchanged},
    {"_c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [1, 1], [0, 0], [x, y], '0')", transfers},
    {"_c10d_functional.broadcast.default(x, 0, '0')", same},
    {"_c10d_functional.broadcast_.default(x, 0, '0')", same},
    {"_c10d_functional.irecv.default(x, 1, 0, '0')", same},
    {"_c10d_functional.isend.default(x, 1, 0, '0')", "f32[0][1]cpu"},
    {"_c10d_functional.reduce_scatter_tensor.default(x, 'sum', 4, '0')", share},
    {"_c10d_functional.reduce_scatter_tensor_coalesced.default([x, y], 'sum', 4, '0')", shareList},
    {"_c10d_functional.reduce_scatter_tensor_out.default(x, 'sum', 4, '0', out = out)", share},
    {"_c10d_functional_autograd.all_gather_into_tensor.default(x, 4, '0')", gathered},
    {"_c10d_functional_autograd.all_to_all_single.default(x, [1, 2, 3, 4], [2, 2, 2, 2], '0')", exchanged},
    {"_c10d_functional_autograd.reduce_scatter_tensor.default(x, 'sum', 4, '0')", share},
    {"_dtensor.shard_dim_alltoall.default(x, 0, 1, '0')", "-"},
    {"_dtensor.shard_dim_alltoall.default(x, 1, 0, '0')", "f32[2, 24][24, 1]cpu"},
    {"c10d._allgather_base_.default(out, x, object)", buffer},
    {"c10d._reduce_scatter_base_.default(out, x, object, object)", buffer},
    {"c10d.allgather_.default([[out]], [x], object)", "-"},
    {"c10d.allgather_coalesced_.default([[out]], [x], object)", "-"},
    {"c10d.allgather_into_tensor_coalesced_.default([out], [x], object)", "-"},
    {"c10d.allreduce_.default([x], object, object, None)", bufferList},
    {"c10d.allreduce_coalesced_.default([x], object, object)", "-"},
    {"c10d.alltoall_.default([out], [x], object)", bufferList},
    {"c10d.alltoall_base_.default(out, x, object, [1, 2, 3, 4], [2, 2, 2, 2])", "-"},
    {"c10d.barrier.default(x, object, [0])", "-"},
    {"c10d.broadcast_.default([x], object, 0, 0)", bufferList},
    {"c10d.recv_.default([x], object, 1, 0)", "-"},
    {"c10d.reduce_scatter_.default([out], [[x]], object, object)", bufferList},
    {"c10d.reduce_scatter_tensor_coalesced_.default([out], [x], object, object)", "-"},
    {"c10d.scatter_.default([out], [[x]], object, 0)", bufferList},
    {"c10d.send.default([x], object, 1, 0)", "-"},
    {"c10d_functional.all_gather_into_tensor.default(x, '', [0, 1, 2, 3], 4)", gathered},
    {"c10d_functional.all_gather_into_tensor_coalesced.default([x, y], '', [0, 1, 2, 3], 4)", gatheredList},
    {"c10d_functional.all_reduce.default(x, 'sum', '', [0, 1, 2, 3], 4)", same},
    {"c10d_functional.all_reduce_coalesced.default([x, y], 'sum', '', [0, 1, 2, 3], 4)", sameList},
    {"c10d_functional.all_to_all_single.default(x, [1, 2, 3, 4], [2, 2, 2, 2], '', [0, 1, 2, 3], 4)", exchanged},
    {"c10d_functional.all_to_all_single.default(x, None, None, '', [0, 1, 2, 3], 4)", same},
    {"c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [1, 1], [0, 0], [x, y], '0')", transfers},
    {"c10d_functional.broadcast.default(x, 0, '', [0, 1, 2, 3], 4)", same},
    {"c10d_functional.irecv.default(x, 1, 0, '0')", same},
    {"c10d_functional.isend.default(x, 1, 0, '0')", "f32[0][1]cpu"},
    {"c10d_functional.reduce_scatter_tensor.default(x, 'sum', '', [0, 1, 2, 3], 4)", share},
    {"c10d_functional.reduce_scatter_tensor_coalesced.default([x, y], 'sum', '', [0, 1, 2, 3], 4)", shareList},
};

/// Returns the call of a program that consists of this call.
std::unique_ptr<Graph> programOf(Context &context, const ShapeCase &one) {
  llvm::StringRef out = llvm::StringRef(one.type).startswith("f32") ? one.type : same;
  std::string text = llvm::formatv("class f(torch.nn.Module):\n"
                                   "    def forward(self, x: \"{0}\", y: \"i64[4][1]cpu\", out: \"{1}\"):\n"
                                   "        object = self.object\n"
                                   "        n = torch.ops.{2}\n"
                                   "        return (n,)\n",
                                   same, out, one.call);
  std::unique_ptr<Graph> graph = std::move(llvm::cantFail(readFxText(context, {"f.py", text})).front());
  graph->groups().set({.name = "0", .ranks = {0, 1, 2, 3}});
  return graph;
}

TEST(CollectiveShapes, OfEveryCollective) {
  Context context;
  std::set<std::string> shown;
  std::string table;
  for (const ShapeCase &one : cases) {
    std::unique_ptr<Graph> graph = programOf(context, one);
    const Node *node = graph->find("n");
    std::string type = typeText(llvm::cantFail(certainType(*node)));
    EXPECT_EQ(type, one.type) << one.call;
    table += std::string(one.call) + "\n    -> " + type + "\n";
    shown.insert(node->target().str().str());
  }
  note("types", table);
  for (const OpDef *op : context.ops().described())
    EXPECT_TRUE(!op->collective || shown.count(op->target.str().str())) << op->target.str().str() << " has no line";
}

} // namespace
} // namespace ccgraph::test

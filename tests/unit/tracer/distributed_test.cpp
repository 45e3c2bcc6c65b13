// Tests synchronous in-place collectives: each is recorded as functional collective, wait and copy, and computes the
// same after -O2; asynchronous ones and lists of unequal size are refused.
#include "traced.h"

#include "ccgraph/tracer/distributed.h"

namespace ccgraph::test {
namespace {

struct InPlaceCall {
  const char *name;
  /// sizes of the tensor that is written
  std::vector<int64_t> output;
  /// writes `output` from an f32[8, 4], asynchronously if requested
  Tensor (*make)(const Tensor &output, const Tensor &input, bool async_op);
  const char *collective;
};

const InPlaceCall calls[] = {
    {"all_gather_into_tensor",
     {32, 4},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       return distributed::all_gather_into_tensor(output, input, "0", async_op);
     },
     "_c10d_functional.all_gather_into_tensor.default"},
    {"_all_gather_base",
     {8, 16},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       return distributed::_all_gather_base(output, input, "0", async_op, "", 1);
     },
     "_c10d_functional.all_gather_into_tensor.default"},
    {"reduce_scatter_tensor",
     {2, 4},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       return distributed::reduce_scatter_tensor(output, input, "avg", "0", async_op);
     },
     "_c10d_functional.reduce_scatter_tensor.default"},
    {"_reduce_scatter_base",
     {8, 1},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       return distributed::_reduce_scatter_base(output, input, "sum", "0", async_op, 1);
     },
     "_c10d_functional.reduce_scatter_tensor.default"},
    {"all_reduce",
     {8, 4},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       return distributed::all_reduce(copy_(output, input), "max", "0", async_op);
     },
     "_c10d_functional.all_reduce.default"},
    {"all_to_all_single",
     {8, 4},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       return distributed::all_to_all_single(output, input, std::nullopt, std::nullopt, "0", async_op);
     },
     "_c10d_functional.all_to_all_single.default"},
    {"all_gather",
     {8, 4},
     [](const Tensor &output, const Tensor &input, bool async_op) {
       std::vector<Tensor> list = {output, clone(output), clone(output), clone(output)};
       return distributed::all_gather(list, input, "0", async_op)[0];
     },
     "_c10d_functional.all_gather_into_tensor.default"},
};

class InPlaceCollectives : public testing::TestWithParam<InPlaceCall> {};

TEST_P(InPlaceCollectives, AreFunctionalCollectiveWaitAndCopy) {
  Traced t;
  Tensor input = t.input("x", {8, 4});
  Tensor output = clone(t.input("out", GetParam().output));
  Tensor same = output;
  (void)GetParam().make(output, input, false);
  std::string text = t.text();
  size_t collective = text.find(GetParam().collective);
  size_t wait = text.find("_c10d_functional.wait_tensor.default", collective);
  size_t copy = text.find("aten.copy_.default", wait);
  EXPECT_NE(copy, std::string::npos) << text;
  // Every handle of the output now refers to the copy.
  EXPECT_EQ(differencesAfterO2(t.finish({same * 2}), 4), "");
}

TEST_P(InPlaceCollectives, AreRefusedWhereTheyAreAsynchronous) {
  Traced t;
  Tensor input = t.input("x", {8, 4});
  Tensor output = clone(t.input("out", GetParam().output));
  std::string function = llvm::StringRef(GetParam().name).startswith("_all_gather") ? "all_gather_into_tensor"
                         : GetParam().name[0] == '_'                                ? "reduce_scatter_tensor"
                                                                                    : GetParam().name;
  EXPECT_EQ(errorOf(GetParam().make(output, input, true)),
            "error: " + function +
                ": Can't remap async version of inplace op to functional collective [trace.async-op]\n"
                "  note: call the functional collective, whose wait is placed by the passes\n");
}

INSTANTIATE_TEST_SUITE_P(All, InPlaceCollectives, testing::ValuesIn(calls),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(InPlaceCollectiveErrors, AListOfUnequalSizes) {
  Traced t;
  Tensor x = t.input("x", {8, 4}), y = t.input("y", {6, 4});
  EXPECT_EQ(errorOf(distributed::all_gather({clone(x), clone(x), clone(x), clone(y)}, x)[0]),
            "error: all_gather: Remapping variable size all_gather is not yet supported [trace.variable-size]\n"
            "  note: gather tensors with as many rows\n");
}

} // namespace
} // namespace ccgraph::test

// Which nodes compareSteps names where elements are in the place of others, or a term is missing.
#include "compared_steps.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::equality {
namespace {

struct LocatedMovesTest : ComparedSteps {
  static std::string program(llvm::StringRef size, llvm::StringRef lines) {
    return ("class M(torch.nn.Module):\n    def forward(self, x: \"" + size + "\"):\n" + lines).str();
  }
  void place(AxisPlacement input, AxisPlacement output) {
    comparison.placements.inputs = {{0, 0, "x", {input}, {}, {}}};
    comparison.placements.outputs = {{0, 0, "y", {output}, {}, {}}};
  }
  /// Sets steps whose first lines differ: `mul` is x x in the single step, and x (x + 1) on the ranks.
  void setCopyOfAProduct(llvm::StringRef single, llvm::StringRef ranks) {
    setSteps(program("f32[4]", (R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, x))" +
                                single)
                                   .str()),
             program("f32[4]", (R"(
        shift: "f32[4]" = torch.ops.aten.add.Tensor(x, 1)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, shift))" +
                                ranks)
                                   .str()));
    place({}, {});
  }
  /// Returns the name of the first place.
  std::string firstPlace() {
    const StepAnswer result = answer();
    return result.where.empty() ? "" : result.where.front().node;
  }
};

AxisPlacement shard(int64_t dim) {
  AxisPlacement placement;
  placement.kind = AxisPlacement::Kind::Shard;
  placement.dim = dim;
  return placement;
}

constexpr const char *tanhOfAll = R"(
        tanh: "f32[4]" = torch.ops.aten.tanh.default(x)
        sin: "f32[4]" = torch.ops.aten.sin.default(tanh)
        return (sin,)
)";
constexpr const char *gathered = R"(
        tanh: "f32[2]" = torch.ops.aten.tanh.default(slice_1)
        gather: "f32[4]" = torch.ops._c10d_functional.all_gather_into_tensor.default(tanh, 2, '0')
        wait: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(gather)
        sin: "f32[4]" = torch.ops.aten.sin.default(wait)
        return (sin,)
)";

TEST_F(LocatedMovesTest, APartThatAllRanksTakeIsNamedFirst) {
  setSteps(program("f32[4]", tanhOfAll), program("f32[4]", std::string(R"(
        slice_1: "f32[2]" = torch.ops.aten.slice.Tensor(x, 0, 0, 2))") +
                                                               gathered));
  place({}, {});
  EXPECT_EQ(firstPlace(), "slice_1");
}

// Two parts are wrong, and each is named with its index.
TEST_F(LocatedMovesTest, TheIndexOfAPartIsNamedAfterIt) {
  setSteps(program("f32[4]", R"(
        tanh: "f32[4]" = torch.ops.aten.tanh.default(x)
        cos: "f32[4]" = torch.ops.aten.cos.default(x)
        return (tanh, cos)
)"),
           program("f32[4]", R"(
        arange: "i64[2]" = torch.ops.aten.arange.start(0, 2)
        part: "f32[2]" = torch.ops.aten.index_select.default(x, 0, arange)
        tanh: "f32[2]" = torch.ops.aten.tanh.default(part)
        arange_1: "i64[2]" = torch.ops.aten.arange.start(0, 2)
        part_1: "f32[2]" = torch.ops.aten.index_select.default(x, 0, arange_1)
        cos: "f32[2]" = torch.ops.aten.cos.default(part_1)
        return (tanh, cos)
)"));
  place({}, shard(0));
  comparison.placements.outputs.push_back({1, 1, "z", {shard(0)}, {}, {}});
  std::string names;
  const StepAnswer result = answer();
  for (const StepPlace &place : llvm::ArrayRef(result.where).take_front(4))
    names += place.node + " ";
  EXPECT_EQ(names, "part arange part_1 arange_1 ");
}

TEST_F(LocatedMovesTest, AJoinOfRotatedPartsIsNamedFirst) {
  setSteps(program("f32[4]", tanhOfAll), program("f32[2]", R"(
        gather: "f32[4]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
        wait: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(gather)
        split = torch.ops.aten.split.Tensor(wait, 2)
        first: "f32[2]" = split[0]
        second: "f32[2]" = split[1]
        cat: "f32[4]" = torch.ops.aten.cat.default([second, first])
        tanh: "f32[4]" = torch.ops.aten.tanh.default(cat)
        sin: "f32[4]" = torch.ops.aten.sin.default(tanh)
        return (sin,)
)"));
  place(shard(0), {});
  EXPECT_EQ(firstPlace(), "cat");
}

// The blocks of the rows become columns by the first exchange; the second one is missing.
TEST_F(LocatedMovesTest, ACopyInPlaceOfAnExchangeIsNamedFirst) {
  setSteps(program("f32[2, 2]", R"(
        tanh: "f32[2, 2]" = torch.ops.aten.tanh.default(x)
        sin: "f32[2, 2]" = torch.ops.aten.sin.default(tanh)
        return (sin,)
)"),
           program("f32[1, 2]", R"(
        view: "f32[2, 1]" = torch.ops.aten.view.default(x, [2, 1])
        exchange: "f32[2, 1]" = torch.ops._c10d_functional.all_to_all_single.default(view, [1, 1], [1, 1], '0')
        wait: "f32[2, 1]" = torch.ops._c10d_functional.wait_tensor.default(exchange)
        tanh: "f32[2, 1]" = torch.ops.aten.tanh.default(wait)
        clone: "f32[2, 1]" = torch.ops.aten.clone.default(tanh)
        view_1: "f32[1, 2]" = torch.ops.aten.view.default(clone, [1, 2])
        sin: "f32[1, 2]" = torch.ops.aten.sin.default(view_1)
        return (sin,)
)"));
  place(shard(0), shard(0));
  EXPECT_EQ(firstPlace(), "clone");
}

TEST_F(LocatedMovesTest, AnOffsetOfOneMoreIsNamedFirst) {
  const auto shifted = [](llvm::StringRef by) {
    return program("i64[4]", ("\n        sub: \"i64[4]\" = torch.ops.aten.sub.Tensor(x, " + by + R"()
        ge: "b8[4]" = torch.ops.aten.ge.Scalar(sub, 1)
        where: "i64[4]" = torch.ops.aten.where.ScalarOther(ge, sub, 0)
        to: "f32[4]" = torch.ops.aten._to_copy.default(where, dtype = torch.float32)
        sin: "f32[4]" = torch.ops.aten.sin.default(to)
        return (sin,)
)")
                                 .str());
  };
  setSteps(shifted("1"), shifted("0"));
  place({}, {});
  EXPECT_EQ(firstPlace(), "sub");
}

constexpr const char *lookups = R"(
        sub: "i64[4]" = torch.ops.aten.sub.Tensor(x, 0)
        clamp: "i64[4]" = torch.ops.aten.clamp.default(sub, 0, 1)
        rows: "f32[4, 2]" = torch.ops.aten.embedding.default(w, clamp)
        lt: "b8[4]" = torch.ops.aten.lt.Scalar(sub, 2)
        mask: "b8[4, 1]" = torch.ops.aten.unsqueeze.default(lt, 1)
        held: "f32[4, 2]" = torch.ops.aten.mul.Tensor(rows, mask)
        all_reduce: "f32[4, 2]" = torch.ops._c10d_functional.all_reduce.default(held, 'sum', '0')
        wait: "f32[4, 2]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        sub_1: "i64[4]" = torch.ops.aten.sub.Tensor(x, 0)
        clamp_1: "i64[4]" = torch.ops.aten.clamp.default(sub_1, 0, 1)
        rows_1: "f32[4, 2]" = torch.ops.aten.embedding.default(w, clamp_1)
        lt_1: "b8[4]" = torch.ops.aten.lt.Scalar(sub_1, 2)
        mask_1: "b8[4, 1]" = torch.ops.aten.unsqueeze.default(lt_1, 1)
        held_1: "f32[4, 2]" = torch.ops.aten.mul.Tensor(rows_1, mask_1)
        all_reduce_1: "f32[4, 2]" = torch.ops._c10d_functional.all_reduce.default(held_1, 'sum', '0')
        wait_1: "f32[4, 2]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1)
        mul: "f32[4, 2]" = torch.ops.aten.mul.Tensor(wait, wait_1)
        return (mul,)
)";

// All ranks have the offset 0 of the first one, in two steps, so that no change of one step makes the output right.
TEST_F(LocatedMovesTest, OffsetsOfZeroAreNamed) {
  setSteps(program("i64[4]\", w: \"f32[4, 2]", R"(
        rows: "f32[4, 2]" = torch.ops.aten.embedding.default(w, x)
        mul: "f32[4, 2]" = torch.ops.aten.mul.Tensor(rows, rows)
        return (mul,)
)"),
           program("i64[4]\", w: \"f32[2, 2]", lookups));
  place({}, {});
  comparison.placements.inputs.push_back({1, 1, "w", {shard(0)}, {}, {}});
  std::vector<std::string> names;
  const StepAnswer result = answer();
  for (const StepPlace &place : result.where)
    names.push_back(place.node);
  names.resize(std::min<size_t>(names.size(), 4));
  EXPECT_TRUE(llvm::is_contained(names, "sub")) << llvm::join(names, " ");
}

/// Four ranks of the axes dp and tp; x is cut by tp.
TEST_F(LocatedMovesTest, AGatherOverAnotherAxisIsNamedFirst) {
  setSteps(program("f32[4]", tanhOfAll), program("f32[2]", R"(
        gather: "f32[4]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, 'dp')
        wait: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(gather)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(wait)
        sin: "f32[4]" = torch.ops.aten.sin.default(tanh)
        return (sin,)
)"));
  comparison.placements.mesh = {{"dp", 2}, {"tp", 2}};
  comparison.ranks.resize(4, comparison.ranks.front());
  for (int64_t rank = 0; rank != 4; ++rank) {
    Group dp, tp;
    dp.name = "dp";
    dp.ranks = {rank % 2, rank % 2 + 2};
    tp.name = "tp";
    tp.ranks = {rank / 2 * 2, rank / 2 * 2 + 1};
    comparison.ranks[static_cast<size_t>(rank)].groups.set(dp);
    comparison.ranks[static_cast<size_t>(rank)].groups.set(tp);
  }
  comparison.placements.inputs = {{0, 0, "x", {{}, shard(0)}, {}, {}}};
  comparison.placements.outputs = {{0, 0, "y", {{}, {}}, {}, {}}};
  EXPECT_EQ(firstPlace(), "gather");
}

// The gradient of the second use of a parameter is not computed.
TEST_F(LocatedMovesTest, AValueToWhichNothingIsAddedIsNamedFirst) {
  setSteps(program("f32[4]", R"(
        sin: "f32[4]" = torch.ops.aten.sin.default(x)
        cos: "f32[4]" = torch.ops.aten.cos.default(x)
        add: "f32[4]" = torch.ops.aten.add.Tensor(sin, cos)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(add, x)
        return (mul,)
)"),
           program("f32[4]", R"(
        sin: "f32[4]" = torch.ops.aten.sin.default(x)
        all_reduce: "f32[4]" = torch.ops._c10d_functional.all_reduce.default(sin, 'avg', '0')
        wait: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(wait, x)
        return (mul,)
)"));
  place({}, {});
  EXPECT_EQ(firstPlace(), "sin");
}

// No value of the ranks before the result is one of the single step; x (x + 1) - x is.
TEST_F(LocatedMovesTest, ACopyInPlaceOfASumWithAnUnreadTermIsNamedFirst) {
  setCopyOfAProduct(R"(
        tanh: "f32[4]" = torch.ops.aten.tanh.default(mul)
        return (tanh,)
)",
                    R"(
        neg: "f32[4]" = torch.ops.aten.neg.default(x)
        clone: "f32[4]" = torch.ops.aten.clone.default(mul)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(clone)
        return (tanh,)
)");
  EXPECT_EQ(firstPlace(), "clone");
}

TEST_F(LocatedMovesTest, ACopyInPlaceOfAScaleOfTheSingleStepIsNamedFirst) {
  setCopyOfAProduct(R"(
        div: "f32[4]" = torch.ops.aten.div.Tensor(mul, 2.5)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(div)
        return (tanh,)
)",
                    R"(
        clone: "f32[4]" = torch.ops.aten.clone.default(mul)
        mul_1: "f32[4]" = torch.ops.aten.mul.Tensor(x, 0.4)
        sub: "f32[4]" = torch.ops.aten.sub.Tensor(clone, mul_1)
        tanh: "f32[4]" = torch.ops.aten.tanh.default(sub)
        return (tanh,)
)");
  EXPECT_EQ(firstPlace(), "clone");
}

} // namespace
} // namespace ccgraph::equality

// foldLayers: which layers are left out, and that a mistake of one layer or of all layers is found all the same.
#include "layer_fold.h"
#include "layer_runs.h"

#include "compared_steps.h"
#include "inputs.h"
#include "trial.h"

namespace ccgraph::equality {
namespace {

/// How the ranks compute the sums of one layer.
enum class Sum : uint8_t { Reduced, Local };

struct LayerFoldTest : ComparedSteps {
  static constexpr int64_t layers = 20;

  /// Each layer is tanh(h w); the step returns the sums of its rows, and the last h.
  static std::string text(int64_t rows, llvm::function_ref<std::string(const std::string &k)> sumOf) {
    std::string size = "\"f32[" + std::to_string(rows) + ", 4]\"";
    std::string inputs = "x: " + size, body, outputs, h = "x";
    for (int64_t layer = 0; layer != layers; ++layer) {
      std::string k = std::to_string(layer);
      inputs += ", w" + k + ": \"f32[4, 4]\"";
      body += "        mm" + k + ": " + size + " = torch.ops.aten.mm.default(" + h + ", w" + k + ")\n";
      h = "h" + k;
      body += "        " + h + ": " + size + " = torch.ops.aten.tanh.default(mm" + k + ")\n";
      body += "        s" + k + ": \"f32[4]\" = torch.ops.aten.sum.dim_IntList(" + h + ", [0])\n";
      body += sumOf(k);
      outputs += "y" + k + ", ";
    }
    return "class f(torch.nn.Module):\n    def forward(self, " + inputs + "):\n" + body + "        return (" + outputs +
           h + ")\n";
  }
  static std::string copied(const std::string &k) {
    return "        y" + k + ": \"f32[4]\" = torch.ops.aten.alias.default(s" + k + ")\n";
  }
  static std::string summed(const std::string &k, Sum how) {
    if (how == Sum::Local)
      return copied(k);
    return "        r" + k + ": \"f32[4]\" = torch.ops._c10d_functional.all_reduce.default(s" + k + ", 'sum', '0')\n" +
           "        y" + k + ": \"f32[4]\" = torch.ops._c10d_functional.wait_tensor.default(r" + k + ")\n";
  }

  /// Two ranks share the rows of x.
  void compare(llvm::function_ref<Sum(int64_t layer)> how) {
    setSteps(text(4, copied), text(2, [&](const std::string &k) { return summed(k, how(std::stoll(k))); }));
    AxisPlacement rows{AxisPlacement::Kind::Shard, 0};
    comparison.placements.inputs = {{0, 0, "x", {rows}, {}, {}}};
    for (size_t layer = 0; layer != layers; ++layer) {
      std::string k = std::to_string(layer);
      comparison.placements.inputs.push_back({layer + 1, layer + 1, "layers." + k + ".w", {AxisPlacement()}, {}, {}});
      comparison.placements.outputs.push_back({layer, layer, "layers." + k + ".sum", {AxisPlacement()}, {}, {}});
    }
    comparison.placements.outputs.push_back({layers, layers, "h", {rows}, {}, {}});
  }
};

TEST_F(LayerFoldTest, RepeatedLayersAreLeftOutOnBothSides) {
  compare([](int64_t) { return Sum::Reduced; });
  std::optional<FoldedSteps> folded = foldLayers(comparison, 2);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->notes.size(), 1U);
  size_t left = folded->comparison.placements.inputs.size();
  EXPECT_LT(left, 6U);
  EXPECT_EQ(placeholdersOf(*folded->comparison.single).size(), left);
  EXPECT_EQ(placeholdersOf(*folded->comparison.ranks[1].graph).size(), left);
  EXPECT_EQ(folded->comparison.placements.outputs.size() + folded->dropped.size(),
            comparison.placements.outputs.size());
  std::optional<FoldedSteps> more = foldLayers(comparison, 3);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->comparison.placements.inputs.size(), left + 1);
}

TEST_F(LayerFoldTest, AnAnswerSaysWhichLayersWereLeftOut) {
  compare([](int64_t) { return Sum::Reduced; });
  StepAnswer result = answer();
  EXPECT_EQ(result.equal, true);
  ASSERT_FALSE(result.assumed.empty());
  EXPECT_NE(result.assumed.front().find("repeat layer"), std::string::npos) << result.assumed.front();
}

TEST_F(LayerFoldTest, AMistakeOfOneLayerStays) {
  compare([](int64_t layer) { return layer == 9 ? Sum::Local : Sum::Reduced; });
  StepAnswer result = answer();
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_EQ(result.wrong.front().of, "layers.9.sum");
}

TEST_F(LayerFoldTest, AMistakeOfAllLayersIsOneOfThoseLeftOutToo) {
  compare([](int64_t) { return Sum::Local; });
  EXPECT_EQ(answer().wrong.size(), static_cast<size_t>(layers));
}

TEST_F(LayerFoldTest, LayersThatAreHeldDifferentlyAreNotLeftOut) {
  compare([](int64_t) { return Sum::Reduced; });
  for (size_t layer = 0; layer < layers; layer += 2)
    comparison.placements.inputs[layer + 1].splitOrder = {0};
  EXPECT_FALSE(foldLayers(comparison, 2));
}

TEST_F(LayerFoldTest, ATrialThatKeepsNoValuesHasTheSameOutputs) {
  compare([](int64_t) { return Sum::Reduced; });
  auto countOfTensors = [&](Trial &trial) {
    llvm::cantFail(runTrial(comparison, trial));
    EXPECT_FALSE(trial.problem || trial.differs());
    return llvm::count_if(trial.ranks[1].values, [](const Value &value) { return value.is(Value::Type::Tensor); });
  };
  Trial keeping(1), freeing(1);
  freeing.keepsValues = false;
  EXPECT_GT(countOfTensors(keeping), 4 * layers);
  EXPECT_EQ(countOfTensors(freeing), 0);
}

TEST(LayerNames, AreNotThoseByWhichATracerCountsInputs) {
  for (const char *name : {"arg25_1", "primals_4", "tangents_12", "weight"})
    EXPECT_FALSE(layerNameOf(name)) << name;
  std::optional<LayerName> layer = layerNameOf("layers.12.w1");
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->layer, 12);
  EXPECT_EQ(layer->family, "layers.#.w1");
}

} // namespace
} // namespace ccgraph::equality

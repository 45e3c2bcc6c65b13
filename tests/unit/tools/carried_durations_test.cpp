// Tests that durations of one graph apply to equal calls of another graph, and to no other calls.
#include "ccgraph/toolkit/carried_durations.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/source_text.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

struct Carried : testing::Test {
  Context context;
  std::vector<std::unique_ptr<Graph>> kept;
  Durations durations;

  const Graph &graph(const std::string &lines) {
    std::string text =
        "def forward(self, x: \"f32[4, 4][4, 1]cpu\", y: \"f32[8, 4][4, 1]cpu\"):\n" + lines + "    return (x,)\n";
    kept.push_back(std::move(llvm::cantFail(readFxText(context, {"step.py", text})).front()));
    return *kept.back();
  }
  void took(const char *node, int64_t picoseconds) { durations.add(node, {picoseconds, DurationSource::Measured}); }
  /// Returns "name: picoseconds" of each node with a duration.
  std::string carried(const Graph &timed, const Graph &other) {
    Durations found = CarriedDurations(timed, durations).of(other);
    std::string text;
    for (llvm::StringRef name : found.names()) {
      EXPECT_EQ(found.find(name)->source, DurationSource::Estimated);
      text += name.str() + ": " + std::to_string(found.find(name)->picoseconds) + "\n";
    }
    return text;
  }
};

const std::string small = ": \"f32[4, 4][4, 1]cpu\" = torch.ops.";
const std::string large = ": \"f32[8, 4][4, 1]cpu\" = torch.ops.";

TEST_F(Carried, TheNodeOfTheSameNameThenTheMedianOfEqualCalls) {
  took("a", 10);
  took("b", 90);
  took("c", 30);
  const Graph &timed = graph("    a" + small + "aten.mm.default(x, x)\n    b" + small + "aten.mm.default(x, a)\n    c" +
                             small + "aten.mm.default(a, b)\n");
  const Graph &other = graph("    b" + small + "aten.mm.default(x, x)\n    d" + small + "aten.mm.default(x, b)\n");
  EXPECT_EQ(carried(timed, other), "b: 90\nd: 30\n");
}

TEST_F(Carried, CallsOfOtherOperatorsTypesOrGroupsHaveNone) {
  took("a", 10);
  took("r", 20);
  const Graph &timed = graph("    a" + small + "aten.mm.default(x, x)\n    r" + small +
                             "_c10d_functional.all_reduce.default(x, 'sum', '0')\n    w" + small +
                             "_c10d_functional.wait_tensor.default(r)\n");
  const Graph &other = graph("    a" + large + "aten.mm.default(y, x)\n    n" + small + "aten.relu.default(x)\n    r" +
                             small + "_c10d_functional.all_reduce.default(x, 'sum', '1')\n    w" + small +
                             "_c10d_functional.wait_tensor.default(r)\n    s" + small +
                             "_c10d_functional.all_reduce.default(x, 'sum', '0')\n    v" + small +
                             "_c10d_functional.wait_tensor.default(s)\n");
  EXPECT_EQ(carried(timed, other), "s: 20\n");
}

TEST_F(Carried, DurationsByOperatorAreThoseOfItsCallsInOrder) {
  durations.addCall("aten.relu.default", {10, DurationSource::Estimated});
  durations.addCall("aten.relu.default", {20, DurationSource::Estimated});
  durations.addCall("aten.mm.default", {30, DurationSource::Estimated});
  const Graph &timed = graph("    a" + small + "aten.relu.default(x)\n    b" + large + "aten.relu.default(y)\n    c" +
                             small + "aten.mm.default(x, x)\n    d" + small + "aten.mm.default(x, x)\n");
  const Graph &other = graph("    z" + large + "aten.relu.default(y)\n    c" + small + "aten.mm.default(x, x)\n");
  EXPECT_EQ(carried(timed, other), "z: 20\n") << "two calls of mm and one duration do not fit";
}

} // namespace
} // namespace ccgraph::test

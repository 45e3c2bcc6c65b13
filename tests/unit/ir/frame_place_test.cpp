#include "ccgraph/ir/frame_place.h"

#include "ccgraph/ir/context.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::string moduleOfPrefix(const char *prefix) {
  Context context;
  Frame frame;
  frame.prefix = context.identifier(prefix);
  return moduleOf(frame);
}

/// Builds a -> b -> c, of which only one has a frame of the user's code.
struct Chain {
  Context context;
  Graph graph{context};
  std::vector<Node *> nodes;

  explicit Chain(std::vector<const char *> files) {
    for (const char *file : files) {
      ArgumentBuilder builder(graph);
      std::vector<Argument> positional;
      if (!nodes.empty())
        positional.push_back(builder.operand(nodes.back()));
      NodeSpec spec;
      spec.opcode = nodes.empty() ? Opcode::Placeholder : Opcode::CallFunction;
      spec.name = "n";
      spec.target = context.identifier(nodes.empty() ? "n" : "aten.relu.default");
      if (file) {
        Frame frame;
        frame.file = context.identifier(file);
        frame.line = 7;
        spec.frame = graph.addFrame(frame);
      }
      nodes.push_back(graph.create(spec, std::move(builder), {positional}));
    }
  }

  std::string fileOf(size_t node) const { return userFrameOf(*nodes[node]).file.str().str(); }
};

constexpr const char *torchFile = "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py";

} // namespace

TEST(FramePlace, KnowsPyTorchsOwnFiles) {
  EXPECT_TRUE(isPyTorchFile(torchFile));
  EXPECT_TRUE(isPyTorchFile("<eval_with_key>.5"));
  EXPECT_FALSE(isPyTorchFile("/venv/site-packages/torchtitan/models/llama3/model.py"));
  EXPECT_FALSE(isPyTorchFile("/job/torch/model.py"));
}

TEST(FramePlace, ReadsTheInnermostModuleOfAStack) {
  EXPECT_EQ(moduleOfPrefix("nn_module_stack: {'1': (\"L['s'].layers.0\", <class 'Block'>), '2': "
                           "(\"L['s'].layers.0.up\", <class 'torch.nn.modules.linear.Linear'>)} #"),
            "layers.0.up");
  EXPECT_EQ(moduleOfPrefix("nn_module_stack: {'L__self__': ('', 'Net'), 'L__self__layers.0': ('layers.0', 'Block')} #"),
            "layers.0");
  EXPECT_EQ(
      moduleOfPrefix("nn_module_stack: {'1': (\"L['self']._modules['layers']._modules['0'].up\", <class 'B'>)} #"),
      "layers.0.up");
  EXPECT_EQ(moduleOfPrefix("recompute: MUST_SAVE"), "");
  EXPECT_EQ(moduleOfPrefix("nn_module_stack: {"), "");
  EXPECT_EQ(moduleOfPrefix("nn_module_stack: {'1': ("), "");
}

TEST(FramePlace, TakesTheUsersFrameThatIsNearest) {
  EXPECT_EQ(Chain({"/job/a.py", torchFile, torchFile}).fileOf(2), "/job/a.py");
  EXPECT_EQ(Chain({"/job/a.py", torchFile, "/job/c.py"}).fileOf(1), "/job/a.py"); // the frame of its operand takes
                                                                                  // precedence
  EXPECT_EQ(Chain({nullptr, torchFile, "/job/c.py"}).fileOf(1), "/job/c.py");
  EXPECT_EQ(Chain({torchFile, torchFile}).fileOf(1), torchFile);
  EXPECT_EQ(Chain({"/job/a.py", "/job/b.py"}).fileOf(1), "/job/b.py");
}

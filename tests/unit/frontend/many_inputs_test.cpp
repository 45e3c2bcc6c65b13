// Tests graphs of 10,000 inputs, as in steps that take each parameter separately: they are read completely, in each
// form that PyTorch writes.
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr int count = 10'000;

/// Joins `text` for each of the numbers below `count` with `separator`.
std::string each(llvm::function_ref<std::string(const std::string &)> text, const char *separator) {
  std::string all;
  for (int i : llvm::seq(0, count))
    all += (i == 0 ? "" : separator) + text(std::to_string(i));
  return all;
}

/// Returns the text of print_readable; `type` follows each name.
std::string printed(const std::string &type) {
  return "class Step(torch.nn.Module):\n    def forward(self, " +
         each([&](const std::string &i) { return "x" + i + type; }, ", ") + "):\n        y0" + type +
         " = torch.ops.aten.relu.default(x9999)\n        return (y0, " +
         each([](const std::string &i) { return "x" + i; }, ", ") + ")\n";
}

std::string fxText() { return printed(": \"f32[2, 3][3, 1]cpu\""); }

std::string logText() {
  std::string graph = "TRACED GRAPH\n" + fxText(), text;
  llvm::SmallVector<llvm::StringRef, 8> lines;
  llvm::StringRef(graph).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "V1121 08:54:34.206000 27731 torch/x.py:28] [0/0] [__aot_graphs] " + line.str() + "\n";
  return text;
}

std::string runnable() {
  return "import torch\n" + printed("") + "\ndef load_args(reader):\n" +
         each(
             [](const std::string &i) {
               return "    buf" + i + " = reader.storage(None, 24)\n    reader.tensor(buf" + i +
                      ", (2, 3), is_leaf=True)  # x" + i;
             },
             "\n") +
         "\nload_args._version = 0\nmod = Step()\n";
}

std::string exported() {
  auto tensor = [](const std::string &name) { return R"({"as_tensor": {"name": ")" + name + R"("}})"; };
  std::string inputs = each([&](const std::string &i) { return tensor("x" + i); }, ", ");
  std::string type = R"(: {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 3}], "requires_grad": false,
      "device": {"type": "cpu", "index": null}, "strides": [{"as_int": 3}, {"as_int": 1}],
      "storage_offset": {"as_int": 0}, "layout": 7})";
  return R"({"graph_module": {"graph": {"inputs": [)" + inputs + R"(], "outputs": [)" + tensor("y0") + ", " + inputs +
         R"(], "nodes": [{"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": )" +
         tensor("x9999") + R"(, "kind": 1}], "outputs": [)" + tensor("y0") +
         R"(], "metadata": {}, "name": "y0"}], "tensor_values": {"y0")" + type + ", " +
         each([&](const std::string &i) { return "\"x" + i + "\"" + type; }, ", ") +
         R"(}, "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false},
             "signature": {"input_specs": [], "output_specs": []}}, "schema_version": {"major": 8, "minor": 20}})";
}

class ManyInputs : public testing::TestWithParam<std::string (*)()> {};

TEST_P(ManyInputs, AreReadWhole) {
  Context context;
  std::string text = GetParam()();
  GraphList graphs = llvm::cantFail(readGraphs(context, {"step", text}));
  ASSERT_EQ(graphs.size(), 1U);
  Graph &graph = *graphs[0];
  EXPECT_EQ(llvm::toString(verifyOrError(graph)), "");
  EXPECT_EQ(llvm::count_if(graph.nodes(), [](const Node *node) { return node->opcode() == Opcode::Placeholder; }),
            count);
  for (const char *name : {"x0", "x5000", "x9999"})
    EXPECT_EQ(typeText(graph.find(name)->type()), "f32[2, 3][3, 1]cpu") << name;
  EXPECT_EQ(graph.find("y0")->operand(0), graph.find("x9999"));
}

INSTANTIATE_TEST_SUITE_P(Forms, ManyInputs, testing::Values(fxText, logText, runnable, exported));

} // namespace
} // namespace ccgraph::test

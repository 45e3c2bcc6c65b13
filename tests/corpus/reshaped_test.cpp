// Tests programs that reshape a tensor in place and then read it by its first name (tests/torch/reshaped_programs.py):
// the interpreter and each engine of plans compute PyTorch's results, with and without types in the text.
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/interpreter.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cstring>

namespace ccgraph::test {
namespace {

constexpr size_t numRanks = 2;
constexpr size_t fewestPrograms = 2000;

std::string dataFile(llvm::StringRef name) { return (CCGRAPH_TEST_DATA "/reshaped/" + name).str(); }

HostTensor inputOf(const Type &type, size_t rank) {
  HostTensor tensor;
  for (const Dim &size : type.sizes())
    tensor.sizes.push_back(size.value());
  std::vector<float> values(static_cast<size_t>(tensor.numElements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i + 1 + 100 * rank);
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

template <typename T>
std::string numbersOf(const HostTensor &tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  std::string text;
  for (T value : values)
    text += (text.empty() ? "" : " ") + std::to_string(static_cast<int64_t>(value));
  return text;
}

/// Returns sizes and numbers in the form of the values file: "[2, 3] 1 2 3 4 5 6".
std::string textOf(const HostTensor &tensor) {
  std::string sizes;
  for (int64_t size : tensor.sizes)
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return "[" + sizes + "] " + (tensor.dtype == DType::I64 ? numbersOf<int64_t>(tensor) : numbersOf<float>(tensor));
}

/// The outputs of each program in their order, as PyTorch computes them.
using Values = llvm::StringMap<std::vector<std::string>>;

Values readValues() {
  InputFile file = llvm::cantFail(InputFile::open(dataFile("values.txt.gz")));
  Values values;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  file.text().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [name, rest] = line.split(' ');
    values[name].push_back(rest.split(' ').second.str());
  }
  return values;
}

std::string differenceFrom(const std::vector<std::string> &wanted, llvm::Expected<runtime::RunResult> got) {
  if (!got)
    return llvm::toString(got.takeError());
  for (const TensorMap &rank : *got)
    for (size_t i = 0; i < wanted.size(); ++i) {
      auto found = rank.find("out." + std::to_string(i));
      std::string text = found == rank.end() ? "nothing" : textOf(found->second);
      if (text != wanted[i])
        return "output " + std::to_string(i) + " is " + text + ", expected " + wanted[i];
    }
  return "";
}

class Reshaped {
public:
  explicit Reshaped(Graph &graph) : graph_(graph) {
    Group group;
    group.name = "0";
    group.ranks = {0, 1};
    graph.groups().set(group);
    for (size_t rank = 0; rank < numRanks; ++rank)
      for (const Node *node : graph)
        if (node->opcode() == Opcode::Placeholder)
          inputs_[rank]["in." + node->name().str().str()] = inputOf(*node->type(), rank);
  }

  void dropTypes() {
    for (Node *node : graph_.nodes())
      if (node->opcode() == Opcode::CallFunction)
        graph_.setType(node, nullptr);
    inferTypes(graph_);
  }

  [[nodiscard]] llvm::Expected<runtime::RunResult> interpret() const {
    return runtime::interpret({.graphs = {&graph_}, .ranks = numRanks, .inputs = {inputs_[0], inputs_[1]}});
  }

  [[nodiscard]] llvm::Expected<runtime::RunResult> runOn(llvm::StringRef engine, const Plan &plan) const {
    runtime::PlanRequest request{.plans = {&plan}, .ranks = numRanks, .inputs = {inputs_[0], inputs_[1]}};
    return runPlans(*runtime::findEngine(engine), request);
  }

private:
  Graph &graph_;
  TensorMap inputs_[numRanks];
};

/// The interpreter lacks kernels for some readers that only make views, for which a plan needs no kernel.
bool lacksKernel(const std::string &difference) { return difference.find("[run.no-kernel]") != std::string::npos; }

/// Calls `visit` with each program and PyTorch's outputs.
void forEachProgram(llvm::function_ref<void(Graph &, const std::vector<std::string> &)> visit) {
  Context context;
  InputFile file = llvm::cantFail(InputFile::open(dataFile("programs.py.gz")));
  GraphList graphs = llvm::cantFail(readGraphs(context, file.source()));
  Values values = readValues();
  EXPECT_GT(graphs.size(), fewestPrograms);
  for (const auto &graph : graphs) {
    ASSERT_FALSE(values[graph->name()].empty()) << graph->name().str();
    visit(*graph, values[graph->name()]);
  }
}

TEST(ReshapedTest, FirstNamesReadWhatPyTorchReads) {
  size_t interpreted = 0, number = 0;
  forEachProgram([&](Graph &graph, const std::vector<std::string> &wanted) {
    Reshaped reshaped(graph);
    std::string difference = differenceFrom(wanted, reshaped.interpret());
    interpreted += difference.empty();
    EXPECT_TRUE(difference.empty() || lacksKernel(difference)) << graph.name().str() << ": " << difference;
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(graph);
    if (!plan) {
      ADD_FAILURE() << graph.name().str() << ": " << llvm::toString(plan.takeError());
      return;
    }
    EXPECT_TRUE(verifyPlan(**plan).empty()) << graph.name().str();
    // Both engines take their windows from the plan, so each runs half of the programs.
    llvm::StringRef engine = number++ % 2 == 0 ? "local" : "nccl-recorded";
    EXPECT_EQ(differenceFrom(wanted, reshaped.runOn(engine, **plan)), "")
        << graph.name().str() << " on " << engine.str();
  });
  EXPECT_GT(5 * interpreted, 4 * number);
}

/// No rule infers how an operator changes its operand in place, so a text without types must have no plan rather than a
/// plan with other results.
TEST(ReshapedTest, WithoutTypesNothingElseIsComputed) {
  forEachProgram([&](Graph &graph, const std::vector<std::string> &wanted) {
    Reshaped reshaped(graph);
    reshaped.dropTypes();
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(graph);
    if (plan)
      EXPECT_EQ(differenceFrom(wanted, reshaped.runOn("local", **plan)), "") << graph.name().str();
    else
      EXPECT_NE(llvm::toString(plan.takeError()).find("[lower."), std::string::npos) << graph.name().str();
  });
}

} // namespace
} // namespace ccgraph::test

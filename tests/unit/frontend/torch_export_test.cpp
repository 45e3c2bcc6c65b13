// Tests exported programs: the graph that is read from a .pt2 file equals what PyTorch prints for the same program,
// node for node and type for type.
#include "ccgraph/frontend/torch_export.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/verifier.h"

#include "torch_export/archive.h"
#include "torch_export/srepr.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class TorchExport : public testing::TestWithParam<const char *> {
protected:
  GraphList read(const std::string &name) {
    InputFile file = llvm::cantFail(InputFile::open(std::string(CCGRAPH_SOURCE_DIR) + "/tests/data/export/" + name));
    return llvm::cantFail(readGraphs(context_, file.source()));
  }
  static std::string textOf(Graph &graph) {
    graph.setName("program");
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::cantFail(writeFxText(os, graph));
    return text;
  }
  Context context_;
};

TEST_P(TorchExport, IsWhatPyTorchPrints) {
  GraphList archive = read(GetParam() + std::string(".pt2"));
  GraphList printed = read(GetParam() + std::string(".py"));
  ASSERT_EQ(archive.size(), 1U);
  ASSERT_EQ(printed.size(), 1U);
  EXPECT_EQ(archive[0]->name(), "model");
  EXPECT_EQ(textOf(*archive[0]), textOf(*printed[0]));
  EXPECT_EQ(llvm::toString(verifyOrError(*archive[0])), "");
}

INSTANTIATE_TEST_SUITE_P(Programs, TorchExport, testing::Values("tensor_parallel", "lists", "dynamic", "branches"));

using ExportedProgram = TorchExport;

TEST_F(ExportedProgram, KeepsWhatIsNotKnown) {
  GraphList graphs = read("tensor_parallel.pt2");
  const Graph &graph = *graphs[0];
  EXPECT_TRUE(
      llvm::any_of(graph.attributes, [](const auto &entry) { return entry.first.str() == "export.torch_version"; }));
  llvm::ArrayRef<NamedArgument> ofInput = graph.find("p_up")->provenance().attributes;
  ASSERT_EQ(ofInput.size(), 1U);
  EXPECT_EQ(ofInput[0].name.str(), "export.parameter");
  EXPECT_EQ(ofInput[0].value.text(), "\"up\"");
  const Node &linear = *graph.find("linear");
  EXPECT_TRUE(llvm::any_of(linear.provenance().attributes,
                           [](const NamedArgument &entry) { return entry.name.str() == "export.nn_module_stack"; }));
  EXPECT_EQ(graph.frames()[linear.frame()].function.str(), "forward");
}

TEST_F(ExportedProgram, TakesHintsOfSymbols) {
  GraphList graphs = read("dynamic.pt2");
  ASSERT_EQ(graphs[0]->symbolHints.size(), 2U);
  EXPECT_EQ(graphs[0]->symbolHints[0].second, 4);
}

TEST(Sympy, PrintsWhatSreprSpells) {
  EXPECT_EQ(sympyText("Symbol('s0', positive=True, integer=True)"), "s0");
  EXPECT_EQ(sympyText("Add(Mul(Integer(2), Symbol('s17', integer=True)), Symbol('u0'), Integer(-1))"),
            "2*s17 + u0 - 1");
  EXPECT_EQ(sympyText("Mul(Integer(-1), Symbol('s0'), Add(Symbol('s1'), Integer(3)))"), "-s0*(s1 + 3)");
  EXPECT_EQ(sympyText("FloorDiv(Add(Symbol('s0'), Integer(1)), Integer(2))"), "(s0 + 1)//2");
  EXPECT_EQ(sympyText("Max(Integer(1), Pow(Symbol('s0'), Integer(2)))"), "Max(1, s0**2)");
  EXPECT_EQ(sympyText("StrictGreaterThan(Symbol('s0'), Integer(3))"), "s0 > 3");
  EXPECT_EQ(sympyText("Equality(Mod(Symbol('s0'), Integer(4)), Integer(0))"), "Eq(Mod(s0, 4), 0)");
  EXPECT_EQ(sympyText("Mul(Rational(1, 2), Symbol('s0'))"), "1/2*s0");
}

TEST(Sympy, LeavesWhatIsNoSrepr) {
  for (const char *text :
       {"", "Add(", "Add(Symbol('s0'", "2*s0", "Symbol()", "Integer(x", "Add(Symbol('a') Symbol('b'))"})
    EXPECT_EQ(sympyText(text), std::nullopt) << text;
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "Add(";
  EXPECT_EQ(sympyText(deep), std::nullopt);
}

/// Changes one byte of an archive after another, and truncates it at every length: each result is read or refused
/// without a crash.
TEST(ExportArchive, SurvivesDamage) {
  InputFile file = llvm::cantFail(InputFile::open(std::string(CCGRAPH_SOURCE_DIR) + "/tests/data/export/branches.pt2"));
  std::string bytes = file.text().str();
  for (size_t i = 0; i < bytes.size(); i += 7) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    for (const std::string &text : {damaged, bytes.substr(0, i)}) {
      llvm::Expected<std::vector<ArchivedModel>> models = readModels({"a.pt2", text});
      if (models)
        EXPECT_FALSE(models->empty());
      else
        EXPECT_NE(llvm::toString(models.takeError()), "");
    }
  }
}

} // namespace
} // namespace ccgraph::test

#include "ccgraph/frontend/json_graph.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/snapshot.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

class JsonGraph : public ::testing::Test {
protected:
  Context context;
  Diagnostics warnings;

  std::unique_ptr<Graph> read(llvm::StringRef text) {
    auto graph = readJsonGraph(context, {"t.json", text}, {.warnings = &warnings});
    if (graph)
      return std::move(*graph);
    ADD_FAILURE() << llvm::toString(graph.takeError());
    return nullptr;
  }

  static std::string write(const Graph &graph) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeJsonGraph(os, graph);
    return text;
  }

  std::string rewrite(llvm::StringRef text) {
    auto graph = read(text);
    return graph ? write(*graph) : "";
  }

  /// Returns a file with these nodes.
  static std::string file(llvm::StringRef nodes, llvm::StringRef head = "") {
    return (R"({"format": "ccgraph.graph", "version": "1.0", )" + head + "\"nodes\": [" + nodes + "]}").str();
  }
};

std::string everyFeature() {
  auto file = InputFile::open(CCGRAPH_TEST_DATA "/json/every-feature.json");
  return file ? file->text().str() : llvm::toString(file.takeError());
}

} // namespace

TEST_F(JsonGraph, ACanonicalFileIsWrittenBackToTheByte) { EXPECT_EQ(rewrite(everyFeature()), everyFeature()); }

TEST_F(JsonGraph, BlanksAndKeyOrderDoNotMatter) {
  auto loose = file("{\"kwargs\":{\"alpha\":\"%b\"}, \"args\":\n[ \"%a\" ],\"type\" : "
                    "\"f32[2][1]cpu\",\r\n\t\"target\":\"aten.add.Tensor\","
                    "\"op\":\"call_function\",\"name\":\"c\"}");
  loose.insert(loose.find("[{") + 1, R"({"op":"placeholder","name":"a"},{"op":"placeholder","name":"b","meta":{}},)");
  auto graph = read(loose);
  ASSERT_TRUE(graph);
  Node *c = graph->find("c");
  ASSERT_EQ(c->numOperands(), 2U);
  EXPECT_EQ(c->operand(0)->name().str(), "a")
      << "positional arguments are mentioned first, whatever the order of the keys";
  EXPECT_EQ(c->operand(c->kwargs()[0].value)->name().str(), "b");
  std::string canonical = write(*graph);
  EXPECT_EQ(rewrite(canonical), canonical);
}

TEST_F(JsonGraph, ReadsWhatItSays) {
  auto graph = read(everyFeature());
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->name(), "every_feature");
  EXPECT_EQ(graph->rank, 0);
  EXPECT_EQ(graph->worldSize, 4);
  ASSERT_EQ(graph->groups().groups().size(), 3U);
  EXPECT_EQ(graph->groups().find("tp")->members(3), llvm::ArrayRef<int64_t>({2, 3}));
  EXPECT_EQ(graph->groups().find("tp")->axis, 1);
  EXPECT_TRUE(graph->groups().find("x")->assumed);
  ASSERT_EQ(graph->subgraphs().size(), 2U);
  EXPECT_EQ(graph->subgraphs()[0].second->name(), "<lambda>");
  EXPECT_EQ(graph->subgraphs()[1].second->name(), "empty");
  EXPECT_EQ(graph->subgraphs()[0].second->front()->target().str(), "arg0_1");
  EXPECT_EQ(graph->size(), 8U);
}

TEST_F(JsonGraph, ReadsNodes) {
  auto graph = read(everyFeature());
  ASSERT_TRUE(graph);
  const Node *ar = graph->find("ar");
  EXPECT_EQ(ar->provenance().durationPs, 1234567);
  ASSERT_EQ(ar->provenance().origins.size(), 2U);
  EXPECT_EQ(ar->provenance().origins[1].str(), "mm_1");
  EXPECT_EQ(graph->frames()[ar->frame()].line, 12);
  EXPECT_EQ(ar->args()[1].text(), "sum");
  const Node *w = graph->find("w");
  ASSERT_EQ(w->numOrdering(), 2U);
  EXPECT_EQ(w->ordering(1)->name().str(), "seed");
  EXPECT_EQ(graph->find("seed")->args()[0].text(), "default");
  EXPECT_EQ(graph->find("score_mod_0")->opcode(), Opcode::GetAttr);
}

TEST_F(JsonGraph, ReadsEveryKindOfArgument) {
  auto graph = read(everyFeature());
  ASSERT_TRUE(graph);
  const Node *many = graph->find("many");
  auto args = many->args();
  std::vector<Argument::Kind> kinds;
  for (const Argument &argument : args)
    kinds.push_back(argument.kind());
  using K = Argument::Kind;
  EXPECT_EQ(kinds, (std::vector<K>{K::None,   K::Bool,   K::Bool,         K::Int,      K::Int,   K::Float,
                                   K::Float,  K::Float,  K::Float,        K::Float,    K::Float, K::Float,
                                   K::Float,  K::String, K::String,       K::Symbolic, K::DType, K::Device,
                                   K::Device, K::Layout, K::MemoryFormat, K::Python,   K::List,  K::List,
                                   K::Tuple,  K::Tuple,  K::Dict,         K::Dict,     K::Slice}));
  EXPECT_TRUE(std::signbit(args[9].floating()));
  EXPECT_TRUE(std::isnan(args[12].floating()));
  EXPECT_EQ(args[13].text(), "%w") << "text that looks like a reference is text";
  EXPECT_EQ(args[16].dtype(), DType::BF16);
  EXPECT_EQ(args[17].device().index, 0);
  EXPECT_EQ(args[18].device().index, -1);
  EXPECT_EQ(many->operand(args[23].elements()[1].elements()[0])->name().str(), "x_1");
  EXPECT_EQ(args[28].elements().size(), 3U);
  EXPECT_EQ(many->numOperands(), 6U);
  EXPECT_EQ(many->type()->str(), "(f32[2][1]cpu, -, (i64[][]cpu, Sym(u0)))");
}

TEST_F(JsonGraph, ANewerMinorVersionWarnsAndKeepsItsKeys) {
  auto text = everyFeature();
  text.replace(text.find("\"1.0\""), 5, "\"1.7\"");
  EXPECT_TRUE(read(text));
  auto found = warnings.take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].where, "/version");
  EXPECT_EQ(found[0].line, 3U);
}

TEST_F(JsonGraph, FramesMayStandTwiceAndAreMerged) {
  auto graph = read(file(R"({"name": "x", "op": "placeholder", "meta": {"frame": 1}})",
                         R"("frames": [{"file": "a.py", "line": 1}, {"file": "a.py", "line": 1}], )"));
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->frames().size(), 2U);
  EXPECT_EQ(graph->front()->frame(), 1U);
}

TEST_F(JsonGraph, DoublesHaveTheirShortestSpelling) {
  for (const char *text : {"0.1", "1e-45", "1.7976931348623157e+308", "123456789012345680.0", "0.30000000000000004"}) {
    auto graph = read(
        file(("{\"name\": \"f\", \"op\": \"call_function\", \"target\": \"t\", \"args\": [" + llvm::Twine(text) + "]}")
                 .str()));
    ASSERT_TRUE(graph);
    double value = graph->front()->args()[0].floating();
    auto again = read(write(*graph));
    EXPECT_EQ(value, again->front()->args()[0].floating()) << text;
    EXPECT_EQ(write(*graph), write(*again)) << text;
  }
}

TEST_F(JsonGraph, BytesThatAreNoUtf8AreReplacedSoThatReadersTakeTheFile) {
  Graph graph(context, "bad \xff name");
  EXPECT_NE(write(graph).find("bad \xef\xbf\xbd name"), std::string::npos);
  EXPECT_TRUE(read(write(graph)));
}

TEST_F(JsonGraph, AnEmptyGraphAndAByteOrderMarkAreFine) {
  auto text = "\xef\xbb\xbf" + file("");
  auto graph = read(text);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->size(), 0U);
  EXPECT_EQ(rewrite(write(*graph)), write(*graph));
}

TEST_F(JsonGraph, AValueThatManyNodesShareIsReadOnce) {
  std::string nodes;
  for (int i = 0; i < 1000; ++i)
    nodes += (i ? "," : "") +
             (R"({"name": "p)" + std::to_string(i) + R"(", "op": "placeholder", "type": "f32[2, 2][2, 1]cpu"})");
  auto graph = read(file(nodes));
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->front()->type(), graph->back()->type());
  EXPECT_EQ(graph->size(), 1000U);
}

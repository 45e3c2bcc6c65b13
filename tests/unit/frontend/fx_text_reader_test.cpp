#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

/// A fixture that reads one graph, whose body is given without indentation.
class FxTextReaderTest : public testing::Test {
protected:
  Graph &body(llvm::StringRef inputs, llvm::StringRef lines) {
    std::string text = ("class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs + "):\n").str();
    llvm::SmallVector<llvm::StringRef, 8> split;
    lines.split(split, '\n');
    for (llvm::StringRef line : split)
      text += ("        " + line + "\n").str();
    return file(text);
  }

  Graph &file(llvm::StringRef text) {
    auto read = readFxText(context_, {"test.py", text});
    if (!read) {
      ADD_FAILURE() << llvm::toString(read.takeError());
      graphs_.emplace_back(std::make_unique<Graph>(context_));
    } else {
      graphs_ = std::move(*read);
    }
    return *graphs_.front();
  }

  static std::string target(const Graph &graph, llvm::StringRef name) { return graph.find(name)->target().str().str(); }

  Context context_;
  GraphList graphs_;
};

} // namespace

TEST_F(FxTextReaderTest, ReadsTypesTargetsAndOperands) {
  Graph &graph = body("a: \"f32[4, 2][2, 1]cpu\", b",
                      "mm: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.mm.default(a, b);  a = b = None\nreturn (mm, None)");
  EXPECT_EQ(graph.name(), "GraphModule");
  ASSERT_EQ(graph.size(), 4U);
  const Node *mm = graph.find("mm");
  EXPECT_EQ(mm->target().str(), "aten.mm.default");
  EXPECT_EQ(typeText(mm->type()), "f32[4, 4][4, 1]cpu");
  EXPECT_EQ(mm->operand(0), graph.find("a"));
  EXPECT_EQ(mm->operand(1), graph.find("b"));
  EXPECT_EQ(typeText(graph.find("b")->type()), "-");
  EXPECT_EQ(graph.output()->operand(0), mm);
}

TEST_F(FxTextReaderTest, ReadsEveryKindOfArgument) {
  using Kind = Argument::Kind;
  Graph &graph = body("a", "x = torch.ops.a.b.c(None, True, 7, -1, 1e-05, -inf, nan, 'it\\'s', torch.bfloat16, "
                           "device(type='cuda', index=1), "
                           "torch.strided, torch.channels_last, [a, 1], (a,), (), {'k': a}, slice(None, 2, None), 2*s0 "
                           "+ 1, s0, torch.ops.aten.add.Tensor, "
                           "99999999999999999999, 1j)\nreturn x");
  const Kind kinds[] = {Kind::None,     Kind::Bool,   Kind::Int,    Kind::Int,    Kind::Float,  Kind::Float,
                        Kind::Float,    Kind::String, Kind::DType,  Kind::Device, Kind::Layout, Kind::MemoryFormat,
                        Kind::List,     Kind::Tuple,  Kind::Tuple,  Kind::Dict,   Kind::Slice,  Kind::Symbolic,
                        Kind::Symbolic, Kind::Python, Kind::Python, Kind::Python};
  llvm::ArrayRef<Argument> args = graph.find("x")->args();
  ASSERT_EQ(args.size(), std::size(kinds));
  for (size_t i = 0; i != args.size(); ++i)
    EXPECT_EQ(args[i].kind(), kinds[i]) << i;
  EXPECT_EQ(args[4].floating(), 1e-05);
  EXPECT_EQ(args[7].text(), "it's");
  EXPECT_EQ(args[9].device().index, 1);
  EXPECT_EQ(args[13].elements().size(), 1U);
  EXPECT_EQ(args[17].symbolic()->text(), "2*s0 + 1");
}

TEST_F(FxTextReaderTest, ReadsKeywordArguments) {
  Graph &graph = body("a", "x = torch.ops.a.b.c(a, dtype = torch.float32, pin_memory = False);  a = None\nreturn x");
  const Node *x = graph.find("x");
  EXPECT_EQ(x->args().size(), 1U);
  EXPECT_EQ(x->kwarg("dtype")->dtype(), DType::F32);
  EXPECT_FALSE(x->kwarg("pin_memory")->boolean());
}

TEST_F(FxTextReaderTest, NamesPythonOperators) {
  Graph &graph = body("a, b", "le = a <= 7\nmul = 2 * a\nfloordiv = a // b\nneg = -a\neq = a == b\ngetitem = "
                              "a[0]\npart = a[(slice(None, 2, None), 0)]\n"
                              "sliced = a[1:, 0]\nsym_sum = torch.sym_sum((a, b))\nsym_not = sym_not(le)\nshape = "
                              "a.shape\na += b;  iadd = a\na[0] = b;  setitem = a\nreturn le");
  const std::pair<const char *, const char *> expected[] = {
      {"le", "operator.le"},          {"mul", "operator.mul"},        {"floordiv", "operator.floordiv"},
      {"neg", "operator.neg"},        {"eq", "operator.eq"},          {"getitem", "operator.getitem"},
      {"part", "operator.getitem"},   {"sliced", "operator.getitem"}, {"sym_sum", "torch.sym_sum"},
      {"sym_not", "sym_not"},         {"shape", "builtins.getattr"},  {"iadd", "operator.iadd"},
      {"setitem", "operator.setitem"}};
  for (auto [name, function] : expected)
    EXPECT_EQ(target(graph, name), function);
  EXPECT_EQ(graph.find("mul")->args()[0].integer(), 2);
  EXPECT_EQ(graph.find("getitem")->args()[1].integer(), 0);
  EXPECT_EQ(graph.find("sliced")->args()[1].elements()[0].kind(), Argument::Kind::Slice);
  EXPECT_EQ(graph.find("setitem")->args().size(), 3U);
}

TEST_F(FxTextReaderTest, GivesAnInputTheNameOfItsNode) {
  Graph &graph = body("x_1, W_1", "w_1 = W_1\nmm = torch.ops.aten.mm.default(x_1, w_1)\nreturn mm");
  EXPECT_EQ(graph.find("w_1")->target().str(), "W_1");
  EXPECT_EQ(graph.find("W_1"), nullptr);
}

TEST_F(FxTextReaderTest, ACommentHoldsUntilTheNextOne) {
  Graph &graph = body(
      "a",
      "# Annotation: {'module_fqn': 'a', 'k': '}'} recompute: MUST_SAVE File: /x/y.py:12 in <lambda>, code: f(a)  # b\n"
      "p = torch.ops.aten.neg.default(a)\nq = torch.ops.aten.neg.default(p)\n\n# No stacktrace found for following "
      "nodes\nr = torch.ops.aten.neg.default(q)\nreturn r");
  const Frame &frame = graph.frames()[graph.find("q")->frame()];
  EXPECT_EQ(graph.find("p")->frame(), graph.find("q")->frame());
  EXPECT_EQ(frame.file.str(), "/x/y.py");
  EXPECT_EQ(frame.line, 12);
  EXPECT_EQ(frame.function.str(), "<lambda>");
  EXPECT_EQ(frame.code.str(), "f(a)  # b");
  EXPECT_EQ(frame.annotation.str(), "{'module_fqn': 'a', 'k': '}'}");
  EXPECT_EQ(frame.prefix.str(), "recompute: MUST_SAVE");
  EXPECT_EQ(graph.find("r")->frame(), 0U);
}

TEST_F(FxTextReaderTest, ReadsOrderingEdges) {
  Graph &graph = body(
      "a",
      "p = torch.ops.aten.neg.default(a)\nq = torch.ops.aten.neg.default(a);  a = None  # after: p\nreturn (p, q)");
  ASSERT_EQ(graph.find("q")->numOrdering(), 1U);
  EXPECT_EQ(graph.find("q")->ordering(0), graph.find("p"));
}

TEST_F(FxTextReaderTest, ReadsAHeaderOverSeveralLines) {
  Graph &graph = file("class f(torch.nn.Module):\n  def forward(\n      self,\n      a: \"f32[2]\",  # the input\n     "
                      " b : torch.Tensor = None,\n  ) -> object:\n    return (a, b)\n");
  EXPECT_EQ(typeText(graph.find("a")->type()), "f32[2]");
  EXPECT_TRUE(graph.find("b")->args()[0].is(Argument::Kind::None));
}

TEST_F(FxTextReaderTest, ReadsNestedClassesAsSubgraphs) {
  Graph &graph =
      file("class f(torch.nn.Module):\n    def forward(self, a):\n        body_0 = self.body_0\n        x = "
           "torch.ops.higher_order.invoke_subgraph(body_0, 'b', a)\n        return (x,)\n\n"
           "    class body_0(torch.nn.Module):\n        def forward(self, a):\n            inner = self.inner\n        "
           "    return (a,)\n\n"
           "        class inner(torch.nn.Module):\n            def forward(self, a):\n                return a\n\n"
           "    class body_1(torch.nn.Module):\n        def forward(self):\n            return ()\n");
  EXPECT_EQ(graph.find("body_0")->opcode(), Opcode::GetAttr);
  EXPECT_EQ(target(graph, "x"), "higher_order.invoke_subgraph");
  ASSERT_EQ(graph.subgraphs().size(), 2U);
  EXPECT_EQ(graph.subgraphs()[0].first.str(), "body_0");
  EXPECT_EQ(graph.subgraphs()[0].second->subgraphs().size(), 1U);
  EXPECT_EQ(graph.subgraphs()[1].second->size(), 1U);
}

TEST_F(FxTextReaderTest, ReadsSeveralGraphsBetweenOtherText) {
  file("import torch\n\nclass One(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n\n    def "
       "forward(self, a):\n        return a\n\n"
       "def load_args(reader):\n    buf0 = reader.storage(None, 4)\n\nclass Two(torch.nn.Module):\n    def "
       "forward(self, b):\n        return b\n");
  ASSERT_EQ(graphs_.size(), 2U);
  EXPECT_EQ(graphs_[0]->name(), "One");
  EXPECT_EQ(graphs_[1]->name(), "Two");
}

TEST_F(FxTextReaderTest, MakesTheMembersOfARunnableItsSubgraphs) {
  const std::string init = "    def __init__(self) -> None:\n        super().__init__()\n";
  file("import torch\n\nclass inner_0_0(torch.nn.Module):\n" + init +
       "    def forward(self, b):\n        neg = torch.ops.aten.neg.default(b)\n        return (neg,)\n\n"
       "class true_graph_0_1(torch.nn.Module):\n" +
       init + "        self.inner_0 = inner_0_0()\n" +
       "    def forward(self, a):\n        inner_0 = self.inner_0\n"
       "        call = torch.ops.higher_order.invoke_subgraph(inner_0, 'inner_0', a)\n"
       "        item = call[0]\n        return (item,)\n\n"
       "class Repro(torch.nn.Module):\n" +
       init + "        self.true_graph_0 = true_graph_0_1()\n        self.absent = torch.nn.Linear(2, 2)\n" +
       "    def forward(self, x):\n        true_graph_0 = self.true_graph_0\n"
       "        call = torch.ops.higher_order.invoke_subgraph(true_graph_0, 'true_graph_0', x)\n"
       "        item = call[0]\n        return (item,)\n\n"
       "def load_args(reader):\n    buf0 = reader.storage(None, 8)\n"
       "    reader.tensor(buf0, (2,), is_leaf=True)  # x\nload_args._version = 0\n");
  ASSERT_EQ(graphs_.size(), 1U);
  EXPECT_EQ(graphs_.front()->name(), "Repro");
  const Graph *body = graphs_.front()->subgraph(context_.identifier("true_graph_0"));
  ASSERT_NE(body, nullptr);
  const Graph *inner = body->subgraph(context_.identifier("inner_0"));
  ASSERT_NE(inner, nullptr);
  EXPECT_NE(inner->find("neg"), nullptr);
  EXPECT_EQ(graphs_.front()->subgraphs().size(), 1U);
}

TEST_F(FxTextReaderTest, ReadsASumWithItsNegativeNumberFirstAsTheProgramPrintsIt) {
  file("import torch\n\nclass Repro(torch.nn.Module):\n    def forward(self, n, x):\n        return (x,)\n\n"
       "def load_args(reader):\n    reader.symint(5, expr='2*s77 - 1')  # n\n"
       "    buf0 = reader.storage(None, (-8) + 16*s77)\n"
       "    reader.tensor(buf0, ((-1) + 2*s77, 1), is_leaf=True)  # x\nload_args._version = 0\n");
  EXPECT_EQ(typeText(graphs_.front()->find("x")->type()), "f32[2*s77 - 1, 1][1, 1]cpu");
}

TEST_F(FxTextReaderTest, DropsTheLoggersPrefixesAndColours) {
  const std::string prefix = "[rank0]:V0205 12:00:00.000000 2345 torch/_functorch/x.py:253] [0/0] [__aot_graphs] ";
  file(prefix + "TRACED GRAPH\n" + prefix +
       " /venv/torch/fx/_lazy_graph_module.py class GraphModule(torch.nn.Module):\n" + prefix +
       "    def forward(self, a: \"\x1b[31mf32\x1b[0m[\x1b[34m2\x1b[0m]\"):\n" + prefix + "        return (a,)\n" +
       prefix + "\n");
  EXPECT_EQ(graphs_.front()->name(), "GraphModule");
  EXPECT_EQ(typeText(graphs_.front()->find("a")->type()), "f32[2]");
}

TEST_F(FxTextReaderTest, TakesApartWhatSeveralRanksPrintedAtOnce) {
  const std::string logger = "V0205 12:00:00.000000 2345 x.py:253] [0/0] [__aot_graphs] ";
  for (const std::string &zero : {"[rank0]:" + logger, std::string("[default0]:"), "[default0]:[rank0]:" + logger}) {
    std::string one = zero;
    std::replace(one.begin(), one.begin() + std::min<ptrdiff_t>(one.size(), 19), '0', '1');
    file(zero + "class Zero(torch.nn.Module):\n" + one + "class One(torch.nn.Module):\n" + zero +
         "    def forward(self, a: \"f32[2]\"):\n" + "/x.py:12: UserWarning: out of date\n  warn(\n" + one +
         "    def forward(self, b: \"f32[3]\"):\n" + one + "        c: \"f32[3]\" = torch.ops.aten.neg.default(b)\n" +
         zero + "        return (a,)\n" + one + "        return (c,)");
    ASSERT_EQ(graphs_.size(), 2U) << zero;
    EXPECT_EQ(graphs_[0]->name(), "Zero");
    EXPECT_EQ(graphs_[0]->size(), 2U);
    EXPECT_EQ(graphs_[1]->name(), "One");
    EXPECT_EQ(graphs_[1]->size(), 3U);
  }
}

TEST_F(FxTextReaderTest, LeavesLinesInPlaceWhereOnlyTheFirstIsMarked) {
  Graph &graph = file("V0205 12:00:00.000000 2345 x.py:253] [0/0] class Old(torch.nn.Module):\n"
                      "    def forward(self, a):\n        return (a,)\n"
                      "V0205 12:00:00.000000 2345 x.py:253] [0/0] class Next(torch.nn.Module):\n"
                      "    def forward(self, b):\n        return (b,)\n");
  EXPECT_EQ(graph.name(), "Old");
  ASSERT_EQ(graphs_.size(), 2U);
  EXPECT_EQ(graphs_[1]->name(), "Next");
}

TEST_F(FxTextReaderTest, ReadsAnUnmarkedGraphInAMarkedLog) {
  file("[default0]:class Marked(torch.nn.Module):\n[default0]:    def forward(self, a):\n[default0]:        return "
       "(a,)\n"
       "class Plain(torch.nn.Module):\n    def forward(self, b):\n        return (b,)\n");
  ASSERT_EQ(graphs_.size(), 2U);
  EXPECT_EQ(graphs_[1]->name(), "Plain");
}

TEST_F(FxTextReaderTest, EndsCodeWithoutAClassAtTheNextClass) {
  file("\tdef forward(self, a):\n\t    return (a,)\n\tclass Next(torch.nn.Module):\n\t    def forward(self, b):\n"
       "\t        return (b,)\n\tclass Last(torch.nn.Module):\n\t    def forward(self, c):\n\t        return (c,)\n");
  ASSERT_EQ(graphs_.size(), 3U);
  EXPECT_EQ(graphs_[1]->name(), "Next");
  EXPECT_TRUE(graphs_[0]->subgraphs().empty());
}

TEST_F(FxTextReaderTest, TakesNoCodeForAMark) {
  Graph &graph =
      file("class f(torch.nn.Module):\n    def forward(self, a):\n        x = torch.ops.aten.neg.default(a)\n"
           "        return [x]\n");
  EXPECT_EQ(graph.size(), 3U);
}

TEST_F(FxTextReaderTest, ReadsWindowsLineEndsAndCodeWithoutAClass) {
  Graph &graph = file("def forward(self, a):\r\n    # No stacktrace found for following nodes\r\n    x = "
                      "torch.ops.aten.neg.default(a);  a = None\r\n    return x\r\n");
  EXPECT_EQ(graph.size(), 3U);
}

TEST_F(FxTextReaderTest, ReadsTheLeavesOfTreesAsInputs) {
  Graph &graph = body(
      "primals, k", "p: \"f32[2]\"; k: \"Sym(s0)\";\n\n"
                    "p, q  , k, = fx_pytree.tree_flatten_spec(([primals], {'k':k}), self._in_spec)\n"
                    "x = torch.ops.aten.add.Tensor(p, q)\nreturn pytree.tree_unflatten([x, None, k], self._out_spec)");
  ASSERT_EQ(graph.size(), 5U);
  EXPECT_EQ(graph.find("primals"), nullptr);
  EXPECT_EQ(typeText(graph.find("p")->type()), "f32[2]");
  EXPECT_EQ(typeText(graph.find("q")->type()), "-");
  EXPECT_EQ(typeText(graph.find("k")->type()), "Sym(s0)");
  EXPECT_EQ(graph.nodes()[2], graph.find("k"));
  EXPECT_EQ(graph.output()->operand(1), graph.find("k"));
}

TEST_F(FxTextReaderTest, ReadsWhatTheTraceDescribesLineByLine) {
  Graph &graph = body("primals", "p: \"f32[2]\"  # PlainAOTInput(idx=0)\nq: \"f32[3]\"  # it's 'the second\n"
                                 "p, q, = fx_pytree.tree_flatten_spec([primals], self._in_spec)\n"
                                 "# File: a.py:1 in f, code: x\nx = torch.ops.aten.add.Tensor(p, q)\n"
                                 "return pytree.tree_unflatten([\n    x,  # PlainAOTOutput(idx=0)\n"
                                 "    None,  # grad of L['it']'s)\n], self._out_spec)");
  EXPECT_EQ(typeText(graph.find("q")->type()), "f32[3]");
  ASSERT_NE(graph.output(), nullptr);
  EXPECT_EQ(graph.output()->args()[0].elements().size(), 2U);
}

TEST_F(FxTextReaderTest, ReadsAReturnOverSeveralLinesAndTheGraphAfterIt) {
  file("class One(torch.nn.Module):\n    def forward(self, a):\n        return (\n            a,  # "
       "PlainAOTOutput(idx=0)\n"
       "            a,  # None\n        )\n\n"
       "    class body_0(torch.nn.Module):\n        def forward(self, b):\n            return (\n                b,\n"
       "            )\n");
  EXPECT_EQ(graphs_.front()->output()->numOperands(), 2U);
  ASSERT_EQ(graphs_.front()->subgraphs().size(), 1U);
  EXPECT_EQ(graphs_.front()->subgraphs()[0].second->output()->numOperands(), 1U);
}

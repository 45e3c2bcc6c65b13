#include "ccgraph/frontend/fx_text.h"

#include "fx_text/python.h"

#include <gtest/gtest.h>

#include <limits>

using namespace ccgraph;

namespace {

std::string rewritten(llvm::StringRef text, const FxTextOptions &options = {}) {
  Context context;
  auto read = readFxText(context, {"g.py", text});
  if (!read)
    return llvm::toString(read.takeError());
  std::string out;
  llvm::raw_string_ostream os(out);
  llvm::cantFail(writeFxText(os, *read->front(), options));
  return os.str();
}

std::string floatText(double value) {
  std::string out;
  llvm::raw_string_ostream os(out);
  fx::printPythonFloat(os, value);
  return os.str();
}

std::string stringText(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  fx::printPythonString(os, text);
  return os.str();
}

Node *append(Graph &graph, Opcode opcode, llvm::StringRef name, llvm::StringRef target) {
  NodeSpec spec;
  spec.opcode = opcode;
  spec.name = name;
  spec.target = graph.context().identifier(target);
  return graph.create(spec, ArgumentBuilder(graph), {});
}

} // namespace

TEST(FxTextWriterTest, GivesBackWhatPyTorchPrints) {
  const char *text = R"fx(class f(torch.nn.Module):
    def forward(self, x_1: "f32[2, 4][4, 1]cpu", W_1, s = 1):
        w_1 = W_1

        # Annotation: {'module_fqn': 'a'} recompute: MUST_SAVE Backward of forward node: File: /x.py:1 in f, code: a
        g0 = self.g0
        h = torch.ops.higher_order.flex_attention(x_1, g0, (1,), {'K': 'v', 'f': 1e-05});  x_1 = g0 = None

        # No stacktrace found for following nodes
        getitem: "f32[2][1]cuda:0" = h[0];  h = None
        le: "Sym(u0 <= 7)" = getitem <= 7
        neg = -le;  le = None
        sym_sum = torch.sym_sum((neg, w_1));  neg = w_1 = sym_sum = None
        getitem[(slice(None, 2, None), 0)] = 3;  setitem = getitem;  setitem = None
        empty = torch.ops.aten.empty.memory_format([2], dtype = torch.bfloat16, layout = torch.strided, device = device(type='cuda', index=0), memory_format = torch.contiguous_format)
        return (getitem, [empty, None], s)

    class g0(torch.nn.Module):
        def forward(self, a: "f32[][]cpu"):
            return a

    class g1(torch.nn.Module):
        def forward(self):
            # File: b.py:2 in g, code: b
            c = torch.ops.aten.full.default([], -inf);  c = None
            return ()
)fx";
  EXPECT_EQ(rewritten(text), text);
}

TEST(FxTextWriterTest, LeavesOutWhatIsNotWanted) {
  FxTextOptions bare;
  bare.comments = false;
  bare.liveness = false;
  const char *text = R"fx(def forward(self, a):
    # File: a.py:1 in f, code: x
    b = torch.ops.aten.neg.default(a);  a = None
    return b
)fx";
  const char *expected = R"fx(class graph(torch.nn.Module):
    def forward(self, a):
        b = torch.ops.aten.neg.default(a)
        return b
)fx";
  EXPECT_EQ(rewritten(text, bare), expected);
}

TEST(FxTextWriterTest, KeepsOrderingEdgesAndListTypes) {
  FxTextOptions whole;
  whole.comments = false;
  whole.listTypes = true;
  const char *text = R"fx(class f(torch.nn.Module):
    def forward(self, a):
        p: "(f32[2][1]cpu, -)" = torch.ops.x.y.z(a)
        q = torch.ops.aten.neg.default(a);  a = None  # after: p
        return (p, q)
)fx";
  EXPECT_EQ(rewritten(text, whole), text);
}

TEST(FxTextWriterTest, NumbersReadAsPythonPrintsThem) {
  const std::pair<double, const char *> cases[] = {{0.5, "0.5"},
                                                   {2, "2.0"},
                                                   {1e-5, "1e-05"},
                                                   {1e16, "1e+16"},
                                                   {1e15, "1000000000000000.0"},
                                                   {0.0001, "0.0001"},
                                                   {-0.0, "-0.0"},
                                                   {1.5e300, "1.5e+300"},
                                                   {0.1, "0.1"},
                                                   {123456.789, "123456.789"},
                                                   {1e-7, "1e-07"},
                                                   {std::numeric_limits<double>::infinity(), "inf"},
                                                   {std::numeric_limits<double>::quiet_NaN(), "nan"}};
  for (auto [value, text] : cases)
    EXPECT_EQ(floatText(value), text);
}

TEST(FxTextWriterTest, StringsAreQuotedAsPythonQuotesThem) {
  EXPECT_EQ(stringText("sum"), "'sum'");
  EXPECT_EQ(stringText("it's"), "\"it's\"");
  EXPECT_EQ(stringText("it's \"x\""), "'it\\'s \"x\"'");
  EXPECT_EQ(stringText("a\n\t\\\x01"), "'a\\n\\t\\\\\\x01'");
  EXPECT_EQ(fx::unescapePython("a\\n\\x41\\u00e9\\101\\'\\q"), "a\nA\xc3\xa9"
                                                               "A'\\q");
  EXPECT_EQ(fx::unescapePython("\\x4"), std::nullopt);
}

TEST(FxTextWriterTest, NamesClassesAsPythonTakesThemAndReadsTheGraphsNameBack) {
  const char *body = "(torch.nn.Module):\n    def forward(self, a):\n        return a\n";
  for (llvm::StringRef name : {"<lambda>", "a b", "7", "", "x.y:z"}) {
    Context context;
    Graph graph(context, name);
    append(graph, Opcode::Output, "output", "output");
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::cantFail(writeFxText(os, graph));
    auto word = llvm::StringRef(os.str()).drop_front(6).take_until([](char c) { return c == '('; });
    EXPECT_TRUE(!word.empty() && !llvm::isDigit(word.front()) && llvm::all_of(word, fx::isWordChar)) << text;
    EXPECT_EQ(rewritten("class " + word.str() + "(torch.nn.Module):  # " + name.str() + (body + 18)),
              "class " + word.str() + "(torch.nn.Module):" + (name.empty() ? "" : "  # " + name.str()) + (body + 18));
  }
  EXPECT_EQ(rewritten("class <lambda>" + std::string(body)),
            "class _lambda_(torch.nn.Module):  # <lambda>" + std::string(body + 18));
  for (const char *damaged : {"class ", "class   "}) {
    std::string once = rewritten(damaged + std::string(body));
    EXPECT_EQ(rewritten(once), once) << "a class without a name";
  }
  EXPECT_EQ(rewritten("class f(torch.nn.Module):  # no name of it" + std::string(body + 18)),
            "class f" + std::string(body));
}

namespace {

/// Returns the writer's error for a graph with this call, and checks that nothing was written.
std::string refusal(const NodeSpec &spec, const Argument &argument, llvm::StringRef keyword) {
  Context context;
  Graph graph(context);
  ArgumentBuilder builder(graph);
  NodeSpec own = spec;
  own.target = context.identifier(spec.target.str());
  const NamedArgument keywords[] = {{context.identifier(keyword), Argument::integer(1)}};
  graph.create(own, std::move(builder), {argument, keywords});
  append(graph, Opcode::Output, "output", "output");
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Error error = writeFxText(os, graph);
  EXPECT_EQ(static_cast<bool>(error), os.str().empty()) << text;
  return error ? llvm::toString(std::move(error)) : "";
}

} // namespace

// A graph that was made in C++ or through the C ABI may have any name.
TEST(FxTextWriterTest, RefusesWhatItCouldNotReadBack) {
  Context words;
  auto spec = [&](llvm::StringRef name, llvm::StringRef target, Opcode opcode = Opcode::CallFunction) {
    NodeSpec made;
    made.opcode = opcode;
    made.name = name;
    made.target = words.identifier(target);
    return made;
  };
  auto word = [&](Argument::Kind kind, llvm::StringRef text) { return Argument::word(kind, words.identifier(text)); };
  using Kind = Argument::Kind;
  EXPECT_EQ(refusal(spec("y", "aten.relu.default"), word(Kind::Layout, "strided"), "out"), "");
  EXPECT_EQ(refusal(spec("y", "layers.0.w", Opcode::GetAttr), Argument::none(), "out"), "");
  EXPECT_NE(refusal(spec("y\n        import os", "aten.relu.default"), Argument::none(), "out").find("the name 'y\\n"),
            std::string::npos);
  EXPECT_NE(refusal(spec("y", "aten.relu.default(x)\n#"), Argument::none(), "out").find("the target"),
            std::string::npos);
  EXPECT_NE(refusal(spec("y", "w\nimport os", Opcode::GetAttr), Argument::none(), "out").find("the attribute"),
            std::string::npos);
  EXPECT_NE(refusal(spec("y", "x=1", Opcode::Placeholder), Argument::none(), "out").find("the parameter"),
            std::string::npos);
  EXPECT_NE(refusal(spec("y", "aten.relu.default"), Argument::none(), "a=1\n").find("the keyword"), std::string::npos);
  EXPECT_NE(refusal(spec("y", "aten.relu.default"), word(Kind::Layout, "os.system"), "out").find("the layout"),
            std::string::npos);
  EXPECT_NE(refusal(spec("y", "aten.relu.default"), word(Kind::MemoryFormat, "x\n"), "out").find("the memory format"),
            std::string::npos);
  for (const char *text : {"eval('1')", "(f)(1)", "a\n", "1, 2", "y", "lambda: 1", "f'{x}'"})
    EXPECT_NE(refusal(spec("y", "aten.relu.default"), word(Kind::Python, text), "out").find("the constant"),
              std::string::npos)
        << text;
}

TEST(FxTextWriterTest, WritesAttributesOfListsAsTorchDoes) {
  const std::string text =
      "class f(torch.nn.Module):\n    def forward(self):\n"
      "        w = getattr(getattr(self.layers, \"0\").inner, \"1\").weight\n        return (w,)\n";
  EXPECT_EQ(rewritten(text, {.comments = false, .liveness = false}), text);
}

// Such graphs are not valid, but a program may write a graph before it verifies it.
TEST(FxTextWriterTest, RefusesAnOrderThatNoFunctionOfPythonHas) {
  using Nodes = std::vector<std::pair<Opcode, const char *>>;
  auto refusalOf = [](const Nodes &nodes, llvm::StringRef outputTarget = "output") {
    Context context;
    Graph graph(context, "f");
    for (auto [opcode, name] : nodes)
      append(graph, opcode, name, opcode == Opcode::Output ? outputTarget : "aten.relu.default");
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::Error error = writeFxText(os, graph);
    EXPECT_EQ(static_cast<bool>(error), os.str().empty()) << text;
    return error ? llvm::toString(std::move(error)) : "";
  };
  auto order = [](const std::string &where, const std::string &expected) {
    return "error: " + where + ": FX text cannot contain this order of nodes, expected " + expected +
           "\n  note: make parameters first, then calls, then one output, or write JSON (-o FILE.json)\n";
  };
  EXPECT_EQ(refusalOf({{Opcode::CallFunction, "y"}, {Opcode::Output, "output"}}), "");
  EXPECT_EQ(refusalOf({{Opcode::CallFunction, "y"}, {Opcode::Placeholder, "x"}, {Opcode::Output, "output"}}),
            order("x", "parameters before calls"));
  EXPECT_EQ(refusalOf({{Opcode::Output, "first"}, {Opcode::Output, "output"}}),
            order("first", "one output, at the end"));
  EXPECT_EQ(refusalOf({{Opcode::CallFunction, "y"}}), order("f", "an output at its end"));
  EXPECT_EQ(refusalOf({}), order("f", "an output at its end"));
  EXPECT_NE(refusalOf({{Opcode::Output, "output"}}, "outputs").find("the target 'outputs', expected output"),
            std::string::npos);
}

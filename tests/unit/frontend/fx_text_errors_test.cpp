#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::string errorsOf(llvm::StringRef text, size_t limit = 20) {
  Context context;
  ReadOptions options;
  options.errorLimit = limit;
  auto read = readFxText(context, {"g.py", text}, options);
  return read ? "no error" : llvm::toString(read.takeError());
}

/// Returns the errors of a body whose first line is line 3, column 9.
std::string bodyErrors(const std::string &lines) {
  return errorsOf("class f(torch.nn.Module):\n    def forward(self, a, b):\n        " + lines + "\n        return a\n");
}

testing::AssertionResult says(const std::string &text, llvm::ArrayRef<const char *> pieces) {
  for (const char *piece : pieces)
    if (!llvm::StringRef(text).contains(piece))
      return testing::AssertionFailure() << "no \"" << piece << "\" in\n" << text;
  return testing::AssertionSuccess();
}

} // namespace

TEST(FxTextErrorsTest, NamesPlaceGotExpectedAndRepair) {
  struct Case {
    const char *line;
    std::vector<const char *> pieces;
  };
  const Case cases[] = {
      {"x = torch.ops.aten.mm.default(a, c)",
       {"g.py:3:42: error: got the name 'c', which no line above defines", "note:"}},
      {"x = torch.ops.aten.mm.default(a, x)", {"got the name 'x'"}},
      {"x = torch.ops.aten.mm.default(a, b", {"got the end of the line, expected ',' or ')'"}},
      {"x = torch.ops.aten.mm.default(a b)", {"got 'b)', expected ',' or ')'"}},
      {"x = torch.ops.aten.mm.default(a, b) b", {"expected the end of the line"}},
      {"x = torch.ops.aten.mm.default(a, b); y = f(x)", {"expected the end of the line or ';  name = None'"}},
      {"a = torch.ops.aten.neg.default(b)", {"got the name 'a' twice"}},
      {"x = self.layer1(a)", {"module 'self.layer1' (call_module)", "make_fx"}},
      {"x = self._guards_fn(a)", {"module 'self._guards_fn' (call_module)", "program.graph_module.print_readable()"}},
      {"x: \"f32[2]\"", {"g.py:3:10: error: got the end of the statement, expected '=' after the name 'x'"}},
      {"x, = fx_pytree.tree_flatten(a)", {"got ', = fx_py", "x = pair[0]"}},
      {"x, x, = fx_pytree.tree_flatten_spec([a, b], self._in_spec)", {"g.py:3:12", "got the input 'x' twice"}},
      {"return (\n            a,  # b", {"got the end of the line"}},
      {"return pytree.tree_unflatten([a], spec)", {"expected ', self._out_spec)'"}},
      {"x = a.view(2)", {"method 'view' of 'a' (call_method)", "make_fx"}},
      {"x = einops.rearrange(a, 'b')", {"got a call of 'einops.rearrange', expected torch.ops."}},
      {"x, y = torch.ops.aten.split.Tensor(a, 2)", {"got ', y =", "x = pair[0]"}},
      {"x = torch.ops.aten.neg.default(a)\n        y = x", {"g.py:4:13", "got no call"}},
      {"x = 3", {"got no call"}},
      {"torch.ops.aten.copy_.default(a, b)", {"expected '=' after the name 'torch'"}},
      {"x: \"f33[2]\" = torch.ops.aten.neg.default(a)",
       {"g.py:3:13: error: type 'f33[2]', column 1: expected a dtype", "note:"}},
      {"x: \"f32[2 = torch.ops.aten.neg.default(a)", {"without its closing quote"}},
      {"x = torch.ops.a.b.c('abc)", {"a string without its closing quote"}},
      {"x = torch.ops.a.b.c('\\xzz')", {"malformed escape"}},
      {"x = torch.ops.a.b.c(1, k = 2, 3)", {"expected a keyword argument"}},
      {"x = torch.ops.a.b.c(k = 1, k = 2)", {"got the keyword 'k' twice"}},
      {"x = torch.ops.a.b.c(1.2.3)", {"expected a number"}},
      {"x = torch.ops.a.b.c({1: a})", {"dictionary key that is no string"}},
      {"x = torch.ops.a.b.c(a + 1)", {"got the expression 'a + 1' over nodes"}},
      {"x = torch.ops.a.b.c(f(a))", {"got the expression 'f(a)' over nodes"}},
      {"x = torch.ops.a.b.c(a==1)", {"got the expression 'a==1' over nodes"}},
      {"x = torch.ops.a.b.c(device(kind=3))", {"malformed device"}},
      {"x = torch.ops.a.b.c(slice(1, 2, 3, 4))", {"slice of 4 parts"}},
      {"x = torch.ops.aten.neg.default(a)  # after: z", {"after '# after:', expected the name of a node above"}},
      {"= 3", {"expected a statement"}},
      {"b: \"f32[2]\"[0] = a", {"expected '='"}},
      {"a: \"f32[2]\" += b;  x = a", {"expected '='"}},
  };
  for (const Case &broken : cases)
    EXPECT_TRUE(says(bodyErrors(broken.line), broken.pieces)) << broken.line;
}

TEST(FxTextErrorsTest, ReportsEachMistakeOnceAndAllOfThem) {
  std::string text = bodyErrors("x = torch.ops.aten.neg.default(c)\n        y = torch.ops.aten.neg.default(x)\n        "
                                "z = torch.ops.aten.neg.default(d)");
  EXPECT_TRUE(says(text, {"g.py:3:40", "g.py:5:40"}));
  EXPECT_FALSE(llvm::StringRef(text).contains("g.py:4")); // y is wrong only because it reads x.
}

TEST(FxTextErrorsTest, StopsAtTheLimitAndCountsTheRest) {
  std::string text = "class f(torch.nn.Module):\n    def forward(self, a):\n";
  for (int i = 0; i != 5; ++i)
    text += "        = 3\n";
  std::string errors = errorsOf(text + "        return a\n", 2);
  EXPECT_EQ(llvm::StringRef(errors).count("g.py:"), 2U) << errors;
  EXPECT_TRUE(says(errors, {"3 more"}));
}

TEST(FxTextErrorsTest, SaysWhatIsMissingInAFile) {
  EXPECT_TRUE(says(errorsOf(""), {"got no graph", "print_readable()"}));
  EXPECT_TRUE(says(errorsOf("hello\n"), {"got no graph"}));
  EXPECT_TRUE(says(
      errorsOf("class f(torch.nn.Module):\n    def forward(self, a):\n        x = torch.ops.aten.neg.default(a)\n"),
      {"g.py:2:5", "without a return", "cut off"}));
  EXPECT_TRUE(says(errorsOf("class f(torch.nn.Module):\n    def forward(self, a; b):\n        return a\n"),
                   {"g.py:2:24", "expected ',' or ')'"}));
  EXPECT_TRUE(says(errorsOf("class f(torch.nn.Module):\n    def forward(self, a, a):\n        return a\n"),
                   {"got the input 'a' twice"}));
  EXPECT_TRUE(says(errorsOf("class f(torch.nn.Module):\n    def forward(self):\n        return ()\n\n    class "
                            "g(torch.nn.Module):\n        def forward(self):\n            return ()\n\n"
                            "    class g(torch.nn.Module):\n        def forward(self):\n            return ()\n"),
                   {"g.py:10:9", "second subgraph named 'g'"}));
}

TEST(FxTextErrorsTest, CountsColumnsOfTheLogThatTheUserHas) {
  const std::string prefix = "V0205 12:00:00.000000 1 a.py:2] [0/0] ";
  std::string errors = errorsOf(prefix + "class f(torch.nn.Module):\n" + prefix + "    def forward(self, a):\n" +
                                prefix + "        return c\n");
  EXPECT_TRUE(says(errors, {"g.py:3:54: error: got the name 'c'"}));
}

TEST(FxTextErrorsTest, DeepNestingIsAnErrorNotACrash) {
  std::string deep(100000, '[');
  EXPECT_TRUE(says(bodyErrors("x = torch.ops.a.b.c(" + deep + ")"), {"nest more than 200 deep"}));
}

namespace {

constexpr const char *dynamosGraph = "class Early(torch.nn.Module):\n    def forward(self, a):\n"
                                     "        b: \"DTensor(f32[4], S(0))\" = torch.ops.aten.neg.default(a)\n"
                                     "        x = a.relu()\n        y = torch.ops.aten.neg.default(missing)\n"
                                     "        return (y,)\n";
constexpr const char *plainGraph = "class Late(torch.nn.Module):\n    def forward(self, a):\n        return (a,)\n";

} // namespace

TEST(FxTextErrorsTest, SetsDynamosGraphsAsideWhereThereAreOthers) {
  Context context;
  Diagnostics warnings;
  std::string text = std::string(plainGraph) + dynamosGraph + plainGraph;
  auto read = readFxText(context, {"g.py", text}, {.warnings = &warnings});
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->size(), 2U);
  EXPECT_EQ(toString(warnings.take()),
            "g.py:5:5: warning: left out the graph 'Early': got the type 'DTensor(f32[4], S(0))' "
            "of a tensor subclass, expected a plain tensor\n  note: it is Dynamo's own graph\n");
}

TEST(FxTextErrorsTest, DynamosGraphAloneIsAnError) {
  EXPECT_TRUE(says(errorsOf(dynamosGraph), {"got the type 'DTensor(f32[4], S(0))'", "the method 'relu' of 'a'",
                                            "got the name 'missing'", "make_fx"}));
}

TEST(FxTextErrorsTest, ATypeRefusedInAGraphSetAsideIsRefusedAgain) {
  const std::string line = "    def forward(self, a):\n        b: \"f33[4]\" = torch.ops.aten.neg.default(a)\n";
  std::string other = "class Late(torch.nn.Module):\n" + line + "        return (b,)\n";
  std::string early = "class Early(torch.nn.Module):\n" + line + "        x = a.relu()\n        return (x,)\n";
  std::string errors = errorsOf(early + other);
  EXPECT_TRUE(says(errors, {"g.py:8:13: error: type 'f33[4]', column 1: expected a dtype"}));
  EXPECT_FALSE(llvm::StringRef(errors).contains("g.py:3")) << "that graph is set aside";
}

TEST(FxTextErrorsTest, NamesTheLineOfTheFileWhereRanksAreTakenApart) {
  std::string errors = errorsOf("[rank0]:class f(torch.nn.Module):\n[rank1]:class f(torch.nn.Module):\n"
                                "[rank1]:    def forward(self, a):\n[rank0]:    def forward(self, a):\n"
                                "[rank1]:        x = torch.ops.aten.neg.default(b)\n[rank0]:        return (a,)\n"
                                "[rank1]:        return (x,)\n");
  EXPECT_TRUE(says(errors, {"g.py:5:48: error: got the name 'b', which no line above defines"}));
}

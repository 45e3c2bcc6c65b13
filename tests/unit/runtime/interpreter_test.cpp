// Tests the interpreter apart from collectives: inputs, attributes, symbols, subgraphs, results, and refusals.
#include "support/rank_program.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/runtime/kernel_provider.h"
#include "ccgraph/runtime/kernels.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;

TEST(Inputs, GetTheStridesThatTheGraphDeclares) {
  RankProgram program(1, R"(x: "f32[2, 3][1, 2]cpu"
    t = aten.t.default(x)
    v = aten.view.default(t, [6])
    return (v,))");
  program.legibleInput({2, 3});
  EXPECT_EQ(program.output(0), (Row{100, 103, 101, 104, 102, 105}));
}

TEST(Inputs, AreNeverWrittenByARun) {
  RankProgram program(1, "x: \"f32[2]\"\n a = aten.add_.Scalar(x, 1)\n return (a,)");
  program.legibleInput({2});
  EXPECT_EQ(program.output(0, "after.x"), (Row{101, 102}));
  EXPECT_EQ(program.output(0, "after.x"), (Row{101, 102}));
}

TEST(Inputs, ThatAreNoTensorsPassThrough) {
  RankProgram program(2, R"(x: "f32[1]", mesh
    c = _c10d_functional.all_reduce.default(x, 'sum', '0')
    w = _c10d_functional.wait_tensor.default(c)
    return (mesh, None, w))");
  program.legibleInput({1});
  llvm::Expected<runtime::RunResult> result = program.run();
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->front().size(), 1U);
  EXPECT_EQ(program.output(1, "out.2"), Row{300});
}

TEST(Inputs, MustBeThereAndFit) {
  RankProgram program(2, "x: \"f32[2]\"\n return (x,)");
  EXPECT_EQ(program.error(), "error: x: rank 0: got no value in.x, expected f32[2] [run.no-input]\n  note: values are "
                             "named in.<placeholder>\n");
  program.legibleInput({3});
  EXPECT_EQ(program.error(),
            "error: x: rank 0: the given input: got f32[3][1], expected f32[2] as its type states [run.type]\n");
}

/// Returns the memory error of a program with one input without values.
std::string memoryError(const char *text) {
  RankProgram program(1, text);
  program.legibleInput({2});
  return program.error();
}

TEST(Memory, IsNotTakenWithoutBound) {
  EXPECT_EQ(memoryError("x: \"f32[2]\"\n a = aten.zeros.default([1000000, 1000000])\n return (a,)"),
            "error: a: rank 0: needs 4000000000000 bytes, more than this run may hold [run.memory]\n"
            "  note: run fewer ranks, or the program with smaller sizes\n");
}

TEST(Memory, OfMoreBytesThanCanBeCountedIsRefused) {
  for (const char *call :
       {"zeros.default([4294967296, 4294967296, 4294967296])", "expand.default(x, [4294967296, 4294967296, 2])",
        "empty_strided.default([2, 2], [9223372036854775807, 1])",
        "as_strided.default(x, [4294967296, 4294967296], [0, 0])"}) {
    std::string text = memoryError(("x: \"f32[2]\"\n a = aten." + std::string(call) + "\n return (a,)").c_str());
    EXPECT_NE(text.find("a: rank 0: needs at least 1152921504606846975 bytes"), std::string::npos) << call << text;
  }
}

TEST(Memory, IsThatOfAllTensorsTogether) {
  RankProgram program(2, "x: \"f32[2]\"\n a = aten.zeros.default([100])\n b = aten.zeros.default([100])\n"
                         " c = aten.slice.Tensor(a, 0, 0, 0)\n d = aten.slice.Tensor(b, 0, 0, 0)\n return (c, d)");
  program.legibleInput({2});
  runtime::RunRequest request = program.request();
  request.memoryLimit = 2 * (2 * 400 + 8);
  EXPECT_TRUE(static_cast<bool>(runtime::interpret(request)));
  --request.memoryLimit;
  llvm::Expected<runtime::RunResult> result = runtime::interpret(request);
  ASSERT_FALSE(static_cast<bool>(result));
  EXPECT_NE(llvm::toString(result.takeError()).find("b: rank 1: needs 400 bytes"), std::string::npos);
}

TEST(Inputs, WithNegativeStridesAreRefused) {
  RankProgram program(1, "x: \"f32[4, 4][4, -1]cpu\"\n return (x,)");
  program.legibleInput({4, 4});
  EXPECT_NE(program.error().find("x: rank 0: has strides [4, -1], expected none negative [run.type]"),
            std::string::npos)
      << program.error();
}

TEST(Attributes, ComeFromTheValues) {
  RankProgram program(1, "x: \"f32[2]\"\n k: \"f32[2]\" = self.k\n a = aten.add.Tensor(x, k)\n return (a,)");
  program.legibleInput({2});
  EXPECT_NE(program.error().find("k: rank 0: got no value attr.k, expected f32[2]"), std::string::npos);
  runtime::RunRequest request = program.request();
  request.inputs[0]["attr.k"] = hostTensor(DType::F32, {2}, {1, 2});
  llvm::Expected<runtime::RunResult> result = runtime::interpret(request);
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(numbersOf(result->front().at("out.0")), (Row{101, 103}));
}

TEST(Symbols, AreLearntFromInputsAndData) {
  RankProgram program(2, R"fx(s: "Sym(s0)", x: "f32[s0, 2]", n: "i64[]"
    u: "Sym(u0)" = aten._local_scalar_dense.default(n)
    c: "f32[2*u0, 2]" = _c10d_functional.all_to_all_single.default(x, [u, u], [u, u], '0')
    w: "f32[s0, 2]" = _c10d_functional.wait_tensor.default(c)
    return (w, s))fx");
  program.legibleInput({4, 2});
  for (size_t rank = 0; rank < 2; ++rank)
    program.input(rank, "s", hostTensor(DType::I64, {}, {4})).input(rank, "n", hostTensor(DType::I64, {}, {2}));
  EXPECT_EQ(program.output(1), (Row{104, 105, 106, 107, 204, 205, 206, 207}));
  program.input(1, "s", hostTensor(DType::I64, {}, {5}));
  EXPECT_EQ(
      program.error(),
      "error: x: rank 1: the given input: got f32[4, 2][2, 1], expected f32[s0, 2] as its type states [run.type]\n");
}

TEST(Symbols, OfDataHoldSizesToThem) {
  RankProgram program(1, R"fx(x: "f32[4]", n: "i64[]"
    u: "Sym(u0)" = aten._local_scalar_dense.default(n)
    v: "f32[u0]" = aten.view.default(x, [4])
    return (v,))fx");
  program.legibleInput({4}).input(0, "n", hostTensor(DType::I64, {}, {3}));
  EXPECT_EQ(program.error(), "error: v: rank 0: got f32[4][1], expected f32[u0] as its type states [run.type]\n");
}

TEST(Symbols, MayDifferFromRankToRank) {
  RankProgram program(2, R"fx(x: "f32[s0]"
    n: "Sym(s0)" = aten.sym_size.int(x, 0)
    c = _c10d_functional.all_to_all_single.default(x, [n, 1], [n, 1], '0')
    w = _c10d_functional.wait_tensor.default(c)
    return (w, n))fx");
  program.input(0, "x", hostTensor(DType::F32, {2}, {1, 2})).input(1, "x", hostTensor(DType::F32, {3}, {3, 4, 5}));
  EXPECT_NE(program.error().find("got input splits of 3 elements together, expected 2"), std::string::npos);
}

/// Adds a subgraph to the program, from the text of a program.
void addBody(RankProgram &program, llvm::StringRef name, llvm::StringRef text) {
  Graph &graph = program.graph();
  Graph &subgraph = graph.addSubgraph(graph.context().identifier(name));
  std::unique_ptr<Graph> parsed = programGraph(graph.context(), text);
  std::map<const Node *, Node *> copies;
  for (Node *node : parsed->nodes()) {
    ArgumentBuilder builder(subgraph);
    std::vector<Argument> arguments;
    for (const Argument &argument : node->args())
      arguments.push_back(builder.copy(argument, [&](uint32_t index) { return copies[node->operand(index)]; }));
    NodeSpec spec{.opcode = node->opcode(), .name = node->name().str(), .target = node->target(), .type = node->type()};
    copies[node] = subgraph.create(spec, std::move(builder), {arguments, {}});
  }
}

TEST(Subgraphs, OfControlDepsRunInTheirPlace) {
  RankProgram program(2, R"(x: "f32[2]"
    m = aten.mul.Tensor(x, 2)
    body = self.body
    c = higher_order.control_deps((m,), body, x)
    last = self.last
    w = higher_order.control_deps((c,), last, c)
    return (w,))");
  addBody(program, "body", "a: \"f32[2]\"\n r = _c10d_functional.all_reduce.default(a, 'sum', '0')\n return r");
  addBody(program, "last", "a: \"f32[2]\"\n r = _c10d_functional.wait_tensor.default(a)\n return r");
  program.legibleInput({2});
  EXPECT_EQ(program.output(0), (Row{300, 302}));
  EXPECT_EQ(program.output(1), (Row{300, 302}));
}

constexpr const char *reducedBody = R"(a: "f32[2]", b: "f32[2]"
    r = _c10d_functional.all_reduce.default(a, 'sum', '0')
    w = _c10d_functional.wait_tensor.default(r)
    s = aten.add.Tensor(w, b)
    return (s, a))";

TEST(Subgraphs, OfInvokeSubgraphRunAtEachCall) {
  RankProgram program(2, R"(x: "f32[2]"
    body = self.body
    c = higher_order.invoke_subgraph(body, 'body', x, x)
    first = operator.getitem(c, 0)
    d = higher_order.invoke_subgraph(body, 'body', first, x)
    second = operator.getitem(d, 0)
    return (first, second))");
  addBody(program, "body", reducedBody);
  program.legibleInput({2});
  EXPECT_EQ(program.output(0, "out.0"), (Row{400, 403}));
  EXPECT_EQ(program.output(1, "out.1"), (Row{1100, 1107}));
}

TEST(Subgraphs, OfCondAreChosenByTheCondition) {
  RankProgram program(2, R"(x: "f32[2]", p: "b8[]"
    yes = self.yes
    no = self.no
    c = higher_order.cond(p, yes, no, (x, x))
    first = operator.getitem(c, 0)
    return (first,))");
  addBody(program, "yes", reducedBody);
  addBody(program, "no", "a: \"f32[2]\", b: \"f32[2]\"\n n = aten.neg.default(a)\n return (n, b)");
  program.legibleInput({2});
  for (double condition : {0.0, 1.0}) {
    for (size_t rank : {0U, 1U})
      program.input(rank, "p", hostTensor(DType::Bool, {}, {condition}));
    EXPECT_EQ(program.output(0), condition == 0 ? (Row{-100, -101}) : (Row{400, 403}));
  }
}

TEST(Subgraphs, OfWhileLoopRunUntilTheTestFails) {
  RankProgram program(2, R"(x: "f32[2]", n: "i64[]", zero: "i64[]"
    test = self.test
    body = self.body
    c = higher_order.while_loop(test, body, (zero, x), (n,))
    count = operator.getitem(c, 0)
    value = operator.getitem(c, 1)
    return (count, value))");
  addBody(program, "test", R"(i: "i64[]", a: "f32[2]", n: "i64[]"
    t = aten.lt.Tensor(i, n)
    return t)");
  addBody(program, "body", R"(i: "i64[]", a: "f32[2]", n: "i64[]"
    j = aten.add.Tensor(i, 1)
    r = _c10d_functional.all_reduce.default(a, 'sum', '0')
    w = _c10d_functional.wait_tensor.default(r)
    return (j, w))");
  program.legibleInput({2});
  for (double count : {0.0, 3.0}) {
    for (size_t rank : {0U, 1U})
      program.input(rank, "n", hostTensor(DType::I64, {}, {count}))
          .input(rank, "zero", hostTensor(DType::I64, {}, {0}));
    EXPECT_EQ(program.output(0, "out.0"), Row{count});
    EXPECT_EQ(program.output(0, "out.1"), count == 0 ? (Row{100, 101}) : (Row{1200, 1208}));
  }
}

TEST(Subgraphs, NeedAConditionOfOneElement) {
  RankProgram program(1, R"(x: "f32[2]"
    yes = self.yes
    c = higher_order.cond(x, yes, yes, (x,))
    return (c,))");
  addBody(program, "yes", "a: \"f32[2]\"\n n = aten.neg.default(a)\n return (n,)");
  program.legibleInput({2});
  EXPECT_EQ(program.error(),
            "error: c: rank 0: got f32[2][1] as its condition, expected a bool or one number [run.arguments]\n");
}

TEST(Results, AreNumberedThroughNestedLists) {
  RankProgram program(1, "x: \"f32[2]\"\n s = aten.split.Tensor(x, 1)\n return (x, s, 7, None, 2.5, True)");
  program.legibleInput({2});
  EXPECT_EQ(program.output(0, "out.1"), Row{100});
  EXPECT_EQ(program.output(0, "out.2"), Row{101});
  EXPECT_EQ(program.output(0, "out.3"), Row{7});
  EXPECT_EQ(program.output(0, "out.5"), Row{2.5});
  EXPECT_EQ(program.output(0, "out.6"), Row{1});
}

TEST(Results, AreHeldToTheTypesOfTheirNodes) {
  RankProgram program(1, "x: \"f32[2]\"\n a: \"f32[3]\" = aten.add.Tensor(x, 1)\n return (a,)");
  program.legibleInput({2});
  EXPECT_EQ(program.error(), "error: a: rank 0: got f32[2][1], expected f32[3] as its type states [run.type]\n");
}

TEST(Kernels, ThatDoNotExistAreNamed) {
  RankProgram program(1, "x: \"f32[2]\"\n a = aten.no_such_operator.default(x)\n return (a,)");
  program.legibleInput({2});
  EXPECT_NE(program.error().find(
                "error: a: rank 0: no builtin kernel computes aten.no_such_operator.default [run.no-kernel]"),
            std::string::npos);
}

TEST(Kernels, OfSubgraphsAndOfOtherLibrariesAreNotExpectedOfPyTorch) {
  RankProgram scan(1, "x: \"f32[2]\"\n f = self.f\n a = higher_order.scan(f, (x,), (x,), ())\n return (a,)");
  scan.legibleInput({2});
  EXPECT_EQ(scan.error(),
            "error: a: rank 0: no kernel computes higher_order.scan [run.no-kernel]\n  note: a graph with "
            "this operator can be read, transformed and written, but not executed\n");
  RankProgram library(1, "x: \"f32[2]\"\n a = aten.no_such_operator.default(x)\n return (a,)");
  library.legibleInput({2});
  EXPECT_NE(library.error().find("note: --kernels torch computes it if the installed PyTorch has it"),
            std::string::npos);
}

/// mylib.fill_(self, value): writes the value, and yields a tensor object of its own over the same storage.
class Fill final : public runtime::ProvidedKernel {
public:
  [[nodiscard]] llvm::StringRef parameters() const override { return "self,value"; }
  [[nodiscard]] llvm::Expected<runtime::Value> compute(llvm::ArrayRef<runtime::Value> values,
                                                       llvm::ArrayRef<runtime::Tensor>) const override {
    const runtime::Tensor &self = values[0].tensor();
    for (int64_t i = 0; i < self.numElements(); ++i)
      reinterpret_cast<float *>(self.data())[i] = static_cast<float>(values[1].isNone() ? 7 : values[1].integer());
    return self.asStrided({toIntList(self.sizes()), toIntList(self.strides()), self.offset()});
  }
};

class FillProvider final : public runtime::KernelProvider {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "fills"; }
  [[nodiscard]] const runtime::ProvidedKernel *find(llvm::StringRef target) const override {
    static const Fill fill;
    return target == "mylib.fill_.default" ? &fill : nullptr;
  }
};

/// What t_ after an in-place operator shows under the operand's own name.
class ProvidedKernels : public testing::Test {
protected:
  static void SetUpTestSuite() {
    static const FillProvider provider;
    llvm::cantFail(runtime::registerKernelProvider(provider));
  }
  static llvm::Expected<runtime::RunResult> run(llvm::StringRef call, std::vector<std::string> kernels) {
    RankProgram program(1);
    llvm::cantFail(
        program.context().ops().declare({.schema = "mylib::fill_(Tensor(a!) self, int? value=None) -> Tensor(a!)"}));
    program.addGraph(("x: \"f32[2, 1]\"\n f = " + call + "\n t = aten.t_.default(f)\n return (x,)").str());
    program.legibleInput({2, 1});
    runtime::RunRequest request = program.request();
    request.kernels = std::move(kernels);
    return interpret(request);
  }
};

TEST_F(ProvidedKernels, ComputeWhatNoBuiltinKernelDoes) {
  llvm::Expected<runtime::RunResult> result = run("torch.ops.mylib.fill_.default(x, value = 3)", {"builtin", "fills"});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(numbersOf(result->front().at("out.0")), (Row{3, 3}));
  EXPECT_EQ(result->front().at("out.0").sizes, (std::vector<int64_t>{1, 2})) << "fill_ yields its operand itself";
}

TEST_F(ProvidedKernels, TakeTheDefaultOfAnArgumentThatIsLeftOut) {
  llvm::Expected<runtime::RunResult> result = run("torch.ops.mylib.fill_.default(x)", {"fills"});
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(numbersOf(result->front().at("out.0")), (Row{7, 7}));
}

TEST_F(ProvidedKernels, AreNamedByTheRequest) {
  EXPECT_EQ(llvm::toString(run("torch.ops.mylib.fill_.default(x)", {}).takeError()),
            "error: f: rank 0: no builtin kernel computes mylib.fill_.default [run.no-kernel]\n"
            "  note: --kernels torch computes every operator that PyTorch has\n");
  EXPECT_EQ(llvm::toString(run("torch.ops.mylib.fill_.default(x)", {"filled"}).takeError()).substr(0, 46),
            "error: kernels: got 'filled', expected one of:");
}

TEST(Kernels, FailWithTheNodeThatCalledThem) {
  RankProgram program(2, "x: \"f32[2]\"\n a = aten.view.default(x, [3])\n return (a,)");
  program.legibleInput({2});
  EXPECT_NE(program.error().find("error: a: rank 0: aten.view.default"), std::string::npos);
}

TEST(Requests, ThatMakeNoSenseAreRefused) {
  RankProgram program(2, "x: \"f32[2]\"\n return (x,)");
  runtime::RunRequest request = program.request();
  request.ranks = 3;
  auto errorOf = [&] { return llvm::toString(runtime::interpret(request).takeError()); };
  EXPECT_EQ(errorOf(), "error: got inputs of 2 ranks, expected 3 [run.request]\n");
  request.graphs.push_back(request.graphs.front());
  EXPECT_EQ(errorOf(), "error: got 2 graphs for 3 ranks, expected one, or one for each [run.request]\n");
  request.ranks = 0;
  EXPECT_EQ(errorOf(), "error: got 0 ranks, expected at least 1 [run.request]\n");
}

TEST(Runs, AreDeterministic) {
  RankProgram program(5, "x: \"f32[3]\"\n c = _c10d_functional.all_reduce.default(x, 'avg', '0')\n w = "
                         "_c10d_functional.wait_tensor.default(c)\n return (w,)");
  program.legibleInput({3});
  EXPECT_EQ(program.output(4), program.output(4));
}

TEST(Interpreter, SeesAnInPlaceChangeOfShapeUnderEveryName) {
  const std::string body = R"(x: "f32[2, 3]"
    c = aten.clone.default(x)
    w = _c10d_functional.wait_tensor.default(c)
    older = aten.view.default(c, [6])
    t_ = aten.t_.default(w)
    s = aten.select.int(c, 0, 1)
    o = aten.select.int(older, 0, 1)
    z = aten.zeros_like.default(c)
    return (s, c, o, z))";
  RankProgram program(1, body);
  program.legibleInput({2, 3});
  EXPECT_EQ(program.output(0, "out.0"), (std::vector<double>{101, 104}));
  EXPECT_EQ(program.output(0, "out.1"), (std::vector<double>{100, 103, 101, 104, 102, 105}));
  EXPECT_EQ(program.output(0, "out.2"), (std::vector<double>{101}));
  EXPECT_EQ(llvm::cantFail(program.run())[0].at("out.3").sizes, (std::vector<int64_t>{3, 2}));
}

TEST(Interpreter, ReportsAnInputThatGotAnotherShapeOrStorage) {
  RankProgram program(1, R"(x: "f32[2, 3]"
    y = aten.mul.Tensor(x, 2)
    r_ = aten.resize_.default(y, [8])
    s_ = aten.set_.source_Tensor(x, y)
    m_ = aten.mul_.Tensor(x, 10)
    return (y,))");
  program.legibleInput({2, 3});
  const std::vector<double> expected{2000, 2020, 2040, 2060, 2080, 2100, 0, 0};
  EXPECT_EQ(program.output(0, "out.0"), expected);
  EXPECT_EQ(program.output(0, "after.x"), expected);
}

TEST(Interpreter, ReadsComplexNumbersAsPythonPrintsThem) {
  RankProgram program(1, R"(x: "f32[2]"
    a = aten.mul.Tensor(x, 1j)
    b = aten.add.Tensor(a, (1-2j))
    c = aten.mul.Tensor(b, complex(0.0, -1.0))
    d = aten.add.Tensor(c, -1.5e1+2e-1j)
    r = aten.view_as_real.default(d)
    return (r,))");
  program.legibleInput({2});
  Row row = program.output(0);
  const Row expected{100 - 2 - 15, -1 + 0.2, 101 - 2 - 15, -1 + 0.2};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(row[i], expected[i], 1e-5);
}

} // namespace
} // namespace ccgraph::test

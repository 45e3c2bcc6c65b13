// Tests hooks of modules: the positions of their calls, their operands, and how such a graph is written, refused and
// run.
#include "traced.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/ir/digest.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/backward_hooks.h"
#include "support/rank_program.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

/// y = 3 x in a module with these hooks, between other operators: the gradient of -sin(3 cos(x)).
Graph &program(Traced &t, const std::string &preHooks, const std::string &hooks) {
  BackwardState state = BackwardState::input();
  Tensor x = t.input("x", {2}, DType::F64);
  Tensor y = withHooks({state, "mod0", preHooks, hooks}, cos(x), [](const Tensor &in) { return in * 3; });
  return t.finish({backward(sum(neg(sin(y))), {x})[0]});
}

const std::string call = "torch._dynamo.external_utils.call_module_hooks_from_backward_state";

TEST(BackwardHooks, StandAroundTheGradientOfTheirModule) {
  Traced t;
  std::string text = callsOf(program(t, "hook1", "hook2")), backward = text.substr(text.find("neg_1"));
  EXPECT_EQ(backward,
            "neg_1 = aten.neg.default(expand) : f64[2][1]cpu\n"
            "cos_1 = aten.cos.default(alias_1) : f64[2][1]cpu\n"
            "mul_1 = aten.mul.Tensor(neg_1, cos_1) : f64[2][1]cpu\n"
            "call_module_hooks_from_backward_state = " +
                call +
                "(None, [mul_1], bw_state=bw_state, hooks_name=hook1, module_name=mod0) : (f64[2][1]cpu,)\n"
                "getitem = operator.getitem(call_module_hooks_from_backward_state, 0) : f64[2][1]cpu\n"
                "mul_2 = aten.mul.Tensor(getitem, 3) : f64[2][1]cpu\n"
                "call_module_hooks_from_backward_state_1 = " +
                call +
                "(None, [mul_2], [getitem], bw_state=bw_state, hooks_name=hook2, module_name=mod0) : (f64[2][1]cpu,)\n"
                "getitem_1 = operator.getitem(call_module_hooks_from_backward_state_1, 0) : f64[2][1]cpu\n"
                "sin_1 = aten.sin.default(x) : f64[2][1]cpu\n"
                "neg_2 = aten.neg.default(getitem_1) : f64[2][1]cpu\n"
                "mul_3 = aten.mul.Tensor(neg_2, sin_1) : f64[2][1]cpu\n");
}

TEST(BackwardHooks, OfOneKindAreOneCall) {
  for (bool pre : {true, false}) {
    Traced t;
    std::string text = callsOf(program(t, pre ? "hook1" : "", pre ? "" : "hook1"));
    size_t first = text.find(call), module = text.find(", 3)", text.find("ones_like"));
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find(call, first + 1), std::string::npos) << text;
    EXPECT_EQ(first < module, pre) << text;
  }
}

TEST(BackwardHooks, AreNotCalledWhereThereAreNone) {
  Traced t;
  std::string text = callsOf(program(t, "", ""));
  EXPECT_EQ(text.find(call), std::string::npos) << text;
}

// --- Files -----------------------------------------------------------------------------------------------------------

TEST(BackwardHooks, AreWrittenAndReadBack) {
  Traced t;
  Graph &graph = program(t, "hook1", "hook2");
  std::string json, fx, again;
  llvm::raw_string_ostream jsonStream(json), fxStream(fx), againStream(again);
  writeJsonGraph(jsonStream, graph);
  std::unique_ptr<Graph> fromJson = cantFail(readJsonGraph(t.context(), {"g.json", jsonStream.str()}, {}));
  EXPECT_EQ(digestOf(*fromJson).str(), digestOf(graph).str());
  llvm::cantFail(writeFxText(fxStream, graph));
  std::unique_ptr<Graph> fromFx = std::move(cantFail(readFxText(t.context(), {"g.py", fxStream.str()})).front());
  llvm::cantFail(writeFxText(againStream, *fromFx));
  EXPECT_EQ(againStream.str(), fx);
  // tests/torch/module_hooks.py runs this file with PyTorch's own function.
  auto file = llvm::MemoryBuffer::getFile(CCGRAPH_TEST_DATA "/tracer/module_hooks.py");
  ASSERT_TRUE(file);
  EXPECT_EQ(fx, (*file)->getBuffer().str());
}

/// Returns the names of the calls, without those that only take elements of a list.
std::vector<std::string> stepsOf(const Graph &graph) {
  std::vector<std::string> names;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::CallFunction && node->op()->role != OpRole::GetItem)
      names.push_back(node->name().str().str());
  return names;
}

TEST(BackwardHooks, StayWhereTheyAreAfterO2) {
  Traced t;
  std::unique_ptr<Graph> after = program(t, "hook1", "hook2").clone();
  std::vector<std::string> before = stepsOf(*after);
  cantFail(runPipeline(*after, pipelineOfLevel(2)));
  EXPECT_EQ(stepsOf(*after), before);
}

// --- Runs ------------------------------------------------------------------------------------------------------------

TEST(BackwardHookErrors, WhoHasNoKernelForThemRefusesThemByName) {
  Traced t;
  Graph &graph = program(t, "hook1", "");
  runtime::RunRequest request{
      .graphs = {&graph}, .ranks = 1, .inputs = {{{"in.x", hostTensor(DType::F64, {2}, {1, 2})}}}};
  std::string refused = errorOf(runtime::interpret(request).takeError());
  EXPECT_NE(refused.find("no builtin kernel computes " + call + " [run.no-kernel]"), std::string::npos) << refused;
  std::string notLowered = errorOf(lowerGraph(graph).takeError());
  EXPECT_NE(notLowered.find("the effects of " + call + " are unknown [lower.operator]"), std::string::npos)
      << notLowered;
}

/// Pre-hooks add 100 to the gradient; hooks multiply it by the gradient of the result.
class Hooks final : public runtime::ProvidedKernel {
public:
  [[nodiscard]] llvm::StringRef parameters() const override {
    return "module,result,args,bw_state,hooks_name,module_name";
  }
  [[nodiscard]] llvm::Expected<runtime::Value> compute(llvm::ArrayRef<runtime::Value> values,
                                                       llvm::ArrayRef<runtime::Tensor>) const override {
    const runtime::Tensor &gradient = values[1].list().front().tensor();
    runtime::Tensor result = runtime::Tensor::zeros(DType::F64, gradient.sizes());
    const auto *in = reinterpret_cast<const double *>(gradient.data());
    auto *out = reinterpret_cast<double *>(result.data());
    bool pre = values[4].string() == "hook1";
    for (int64_t i = 0; i < result.numElements(); ++i)
      out[i] =
          pre ? in[i] + 100 : in[i] * reinterpret_cast<const double *>(values[2].list().front().tensor().data())[i];
    return runtime::Value::tensors({result});
  }
};

class HooksProvider final : public runtime::KernelProvider {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "hooks"; }
  [[nodiscard]] const runtime::ProvidedKernel *find(llvm::StringRef target) const override {
    static const Hooks hooks;
    return target == call ? &hooks : nullptr;
  }
};

TEST(BackwardHooks, RunWhereTheirOperatorIsDeclaredAndAProviderHasIt) {
  static const HooksProvider provider;
  cantFail(runtime::registerKernelProvider(provider));
  Traced t;
  cantFail(t.context().ops().declare(
      {call + "(Any? module, Tensor[] result, Tensor[]? args=None, *, Any bw_state, str hooks_name, "
              "str module_name) -> Tensor[]",
       /*pure=*/false}));
  std::unique_ptr<Plan> plan = cantFail(lowerGraph(program(t, "hook1", "hook2")));
  runtime::PlanRequest request{.plans = {plan.get()}, .ranks = 1};
  request.inputs = {{{"in.x", hostTensor(DType::F64, {2}, {1, 2})}}};
  request.kernels = {"builtin", "hooks"};
  auto values = numbersOf(cantFail(runPlans(*runtime::findEngine("local"), request))[0].at("out.0"));
  ASSERT_EQ(values.size(), 2U);
  for (size_t i : {0U, 1U}) {
    double x = i + 1.0, result = -std::cos(3 * std::cos(x)) + 100;
    EXPECT_NEAR(values[i], result * 3 * result * -std::sin(x), 1e-9);
  }
}

// --- Misuse ----------------------------------------------------------------------------------------------------------

TEST(BackwardHookErrors, AStateOfNoTraceOrOfAnotherOne) {
  BackwardState none = BackwardState::input();
  EXPECT_NE(errorOf(none.object()).find("[trace.none]"), std::string::npos);
  BackwardState finished = none;
  {
    Traced t;
    finished = BackwardState::input();
    (void)t.finish({t.input("x", {1})});
  }
  Traced t;
  Tensor x = t.input("x", {2});
  Tensor y = withHooks({finished, "mod0", "hook1", ""}, x, [](const Tensor &in) { return in * 2; });
  std::string error = errorOf(backward(sum(y), {x})[0]);
  EXPECT_NE(error.find("[trace.finished-tensor]"), std::string::npos) << error;
}

} // namespace
} // namespace ccgraph::test

// Tests that the steps of a plan allocate no memory in steady state: a kernel writes results to the buffers of the plan
// and reuses its temporary memory. The tensors here are larger than the temporary memory that a rank keeps, so an extra
// allocation would be counted.
#include "allocations/allocation_count.h"
#include "support/rank_program.h"
#include "support/recorded.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/toolkit/group_assumption.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr size_t numRanks = 2;

/// Returns the value; an error ends the test.
template <typename T>
T valueOf(llvm::Expected<T> value) {
  if (!value)
    llvm::report_fatal_error(value.takeError());
  return std::move(*value);
}

using Plans = std::vector<const Plan *>;

/// Returns the allocations of the ranks' threads in one run, after a few runs.
size_t allocationsOfARun(const Plans &plans, const std::vector<TensorMap> &inputs) {
  runtime::PlanRequest request{.plans = plans, .ranks = inputs.size()};
  std::unique_ptr<runtime::PreparedPlans> prepared = valueOf(runtime::findEngine("local")->prepare(request));
  size_t before = 0;
  for (int run = 0; run < 4; ++run) {
    before = allocationsElsewhere();
    valueOf(prepared->run(inputs));
  }
  return allocationsElsewhere() - before;
}

/// Returns the allocations of the steps: the allocations of an empty plan, which every run needs, are subtracted.
size_t allocationsOfSteps(const Plans &plans, const std::vector<TensorMap> &inputs) {
  Plan idle(plans.front()->context());
  return allocationsOfARun(plans, inputs) - allocationsOfARun({&idle}, inputs);
}

struct Family {
  const char *name;
  /// the program after its inputs
  const char *body;
};

std::ostream &operator<<(std::ostream &os, const Family &family) { return os << family.name; }

class Steps : public testing::TestWithParam<Family> {
protected:
  void SetUp() override {
    if (!countsAllocations())
      GTEST_SKIP() << "the sanitizer has a malloc of its own";
  }
};

std::unique_ptr<Plan> planOf(Context &context, llvm::StringRef body) {
  std::string text = R"(class Step(torch.nn.Module):
    def forward(self, x: "f32[300, 300][300, 1]cpu", y: "f32[300, 300][300, 1]cpu", b: "f32[300][1]cpu", )"
                     R"(h: "bf16[300, 300][300, 1]cpu", i: "i64[40][1]cpu"):
)" + body.str();
  GraphList graphs = valueOf(readFxText(context, {"step.py", text}));
  assumeGroups(*graphs.front(), numRanks);
  return valueOf(lowerGraph(*graphs.front()));
}

TEST_P(Steps, AllocateNothing) {
  Context context;
  std::unique_ptr<Plan> plan = planOf(context, GetParam().body);
  std::vector<TensorMap> inputs;
  for (size_t rank = 0; rank < numRanks; ++rank)
    inputs.push_back(runtime::seededInputs(*plan, static_cast<int64_t>(rank), 1));
  EXPECT_EQ(allocationsOfSteps({plan.get()}, inputs), 0U);
}

constexpr Family families[] = {
    {"pointwise", R"(
        add: "f32[300, 300][300, 1]cpu" = torch.ops.aten.add.Tensor(x, y, alpha = 2)
        mul: "f32[300, 300][300, 1]cpu" = torch.ops.aten.mul.Tensor(add, b)
        gelu: "f32[300, 300][300, 1]cpu" = torch.ops.aten.gelu.default(mul)
        gt: "b8[300, 300][300, 1]cpu" = torch.ops.aten.gt.Scalar(gelu, 0.5)
        where: "f32[300, 300][300, 1]cpu" = torch.ops.aten.where.self(gt, gelu, x)
        div: "bf16[300, 300][300, 1]cpu" = torch.ops.aten.div.Scalar(h, 3)
        mul_1: "f32[300, 300][300, 1]cpu" = torch.ops.aten.mul.Tensor(where, div)
        tanh_: "f32[300, 300][300, 1]cpu" = torch.ops.aten.tanh_.default(mul_1)
        add_: "f32[300, 300][300, 1]cpu" = torch.ops.aten.add_.Tensor(y, tanh_)
        return (add_, div)
)"},
    {"matmul", R"(
        t: "f32[300, 300][1, 300]cpu" = torch.ops.aten.t.default(y)
        mm: "f32[300, 300][300, 1]cpu" = torch.ops.aten.mm.default(x, t)
        addmm: "f32[300, 300][300, 1]cpu" = torch.ops.aten.addmm.default(b, mm, y)
        view: "f32[10, 30, 300][9000, 300, 1]cpu" = torch.ops.aten.view.default(addmm, [10, 30, 300])
        transpose: "f32[10, 300, 30][9000, 1, 300]cpu" = torch.ops.aten.transpose.int(view, 1, 2)
        bmm: "f32[10, 300, 300][90000, 300, 1]cpu" = torch.ops.aten.bmm.default(transpose, view)
        mm_1: "bf16[300, 300][300, 1]cpu" = torch.ops.aten.mm.default(h, h)
        return (bmm, mm_1)
)"},
    {"reduction", R"(
        sum_1: "f32[300][1]cpu" = torch.ops.aten.sum.dim_IntList(x, [0])
        sum_2: "f32[300, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(y, [1], True)
        mean: "f32[][]cpu" = torch.ops.aten.mean.default(x)
        amax: "bf16[300][1]cpu" = torch.ops.aten.amax.default(h, [-1])
        sum_3: "f32[300][1]cpu" = torch.ops.aten.sum.dim_IntList(h, [0], False, dtype = torch.float32)
        linalg_vector_norm: "f32[][]cpu" = torch.ops.aten.linalg_vector_norm.default(x)
        var: "f32[300][1]cpu" = torch.ops.aten.var.correction(x, [1], correction = 0)
        return (sum_1, sum_2, mean, amax, sum_3, linalg_vector_norm, var)
)"},
    {"copies", R"(
        t: "f32[300, 300][1, 300]cpu" = torch.ops.aten.t.default(x)
        clone: "f32[300, 300][300, 1]cpu" = torch.ops.aten.clone.default(t, memory_format = torch.contiguous_format)
        convert: "bf16[300, 300][300, 1]cpu" = torch.ops.prims.convert_element_type.default(y, torch.bfloat16)
        cat: "f32[600, 300][300, 1]cpu" = torch.ops.aten.cat.default([clone, y])
        stack: "f32[300, 2, 300][600, 300, 1]cpu" = torch.ops.aten.stack.default([x, y], 1)
        slice_1: "f32[200, 300][300, 1]cpu" = torch.ops.aten.slice.Tensor(cat, 0, 100, 300)
        slice_2: "f32[200, 300][300, 1]cpu" = torch.ops.aten.slice.Tensor(y, 0, 100, 300)
        copy_: "f32[200, 300][300, 1]cpu" = torch.ops.aten.copy_.default(slice_1, slice_2)
        constant_pad_nd: "f32[300, 310][310, 1]cpu" = torch.ops.aten.constant_pad_nd.default(x, [5, 5], 0.5)
        split_with_sizes_copy = torch.ops.aten.split_with_sizes_copy.default(y, [100, 200])
        getitem: "f32[100, 300][300, 1]cpu" = split_with_sizes_copy[0]
        getitem_1: "f32[200, 300][300, 1]cpu" = split_with_sizes_copy[1]
        return (convert, cat, stack, constant_pad_nd, getitem, getitem_1)
)"},
    {"fills", R"(
        full: "f32[300, 300][300, 1]cpu" = torch.ops.aten.full.default([300, 300], 0.5, dtype = torch.float32)
        ones_like: "f32[300, 300][300, 1]cpu" = torch.ops.aten.ones_like.default(x)
        zeros: "f32[300, 300][300, 1]cpu" = torch.ops.aten.zeros.default([300, 300])
        arange: "i64[90000][1]cpu" = torch.ops.aten.arange.default(90000)
        fill_: "f32[300, 300][300, 1]cpu" = torch.ops.aten.fill_.Scalar(ones_like, 2.0)
        return (full, fill_, zeros, arange)
)"},
    {"collectives", R"(
        all_reduce: "f32[300, 300][300, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        all_gather_into_tensor: "bf16[600, 300][300, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(h, 2, '0')
        reduce_scatter_tensor: "f32[150, 300][300, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(y, 'avg', 2, '0')
        wait_tensor: "f32[300, 300][300, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        wait_tensor_1: "bf16[600, 300][300, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor)
        wait_tensor_2: "f32[150, 300][300, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor)
        all_to_all_single: "f32[300, 300][300, 1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(x, [150, 150], [150, 150], '0')
        wait_tensor_3: "f32[300, 300][300, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_single)
        return (wait_tensor, wait_tensor_1, wait_tensor_2, wait_tensor_3)
)"},
    {"normalization", R"(
        _softmax: "f32[300, 300][300, 1]cpu" = torch.ops.aten._softmax.default(x, -1, False)
        _softmax_backward_data: "f32[300, 300][300, 1]cpu" = torch.ops.aten._softmax_backward_data.default(y, _softmax, -1, torch.float32)
        _log_softmax: "f32[300, 300][300, 1]cpu" = torch.ops.aten._log_softmax.default(y, 0, False)
        native_layer_norm = torch.ops.aten.native_layer_norm.default(x, [300], b, b, 1e-05)
        getitem: "f32[300, 300][300, 1]cpu" = native_layer_norm[0]
        getitem_1: "f32[300, 1][1, 1]cpu" = native_layer_norm[1]
        getitem_2: "f32[300, 1][1, 1]cpu" = native_layer_norm[2]
        native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default(y, x, [300], getitem_1, getitem_2, b, b, [True, True, True])
        getitem_3: "f32[300, 300][300, 1]cpu" = native_layer_norm_backward[0]
        getitem_4: "f32[300][1]cpu" = native_layer_norm_backward[1]
        getitem_5: "f32[300][1]cpu" = native_layer_norm_backward[2]
        return (_softmax_backward_data, _log_softmax, getitem, getitem_3, getitem_4, getitem_5)
)"},
    {"losses", R"(
        embedding: "f32[40, 300][300, 1]cpu" = torch.ops.aten.embedding.default(x, i)
        _log_softmax: "f32[40, 300][300, 1]cpu" = torch.ops.aten._log_softmax.default(embedding, 1, False)
        nll_loss_forward = torch.ops.aten.nll_loss_forward.default(_log_softmax, i, None, 1, -100)
        getitem: "f32[][]cpu" = nll_loss_forward[0]
        getitem_1: "f32[][]cpu" = nll_loss_forward[1]
        nll_loss_backward: "f32[40, 300][300, 1]cpu" = torch.ops.aten.nll_loss_backward.default(getitem, _log_softmax, i, None, 1, -100, getitem_1)
        mse_loss_backward: "f32[300, 300][300, 1]cpu" = torch.ops.aten.mse_loss_backward.default(getitem, x, y, 1)
        return (getitem, nll_loss_backward, mse_loss_backward)
)"},
    {"optimizers", R"(
        full: "f32[][]cpu" = torch.ops.aten.full.default([], 3, dtype = torch.float32)
        abs_1: "f32[300, 300][300, 1]cpu" = torch.ops.aten.abs.default(y)
        clone: "f32[300, 300][300, 1]cpu" = torch.ops.aten.clone.default(y)
        _fused_adamw_ = torch.ops.aten._fused_adamw_.default([x], [y], [clone], [abs_1], [], [full], lr = 0.1, beta1 = 0.9, beta2 = 0.99, weight_decay = 0.1, eps = 1e-08, amsgrad = False, maximize = False)
        _foreach_mul_ = torch.ops.aten._foreach_mul_.Scalar([x, y], 0.5)
        _foreach_add = torch.ops.aten._foreach_add.List([x, y], [y, x], alpha = 2)
        getitem: "f32[300, 300][300, 1]cpu" = _foreach_add[0]
        getitem_1: "f32[300, 300][300, 1]cpu" = _foreach_add[1]
        return (getitem, getitem_1)
)"},
};

INSTANTIATE_TEST_SUITE_P(Of, Steps, testing::ValuesIn(families),
                         [](const auto &given) { return std::string(given.param.name); });

constexpr const char *sized = R"py(class Step(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", x: "f32[s0, 300][300, 1]cpu"):
        relu: "f32[s0, 300][300, 1]cpu" = torch.ops.aten.relu.default(x)
        all_reduce: "f32[s0, 300][300, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(relu, 'sum', '0')
        wait_tensor: "f32[s0, 300][300, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        add: "f32[s0, 300][300, 1]cpu" = torch.ops.aten.add.Tensor(wait_tensor, relu)
        tanh: "f32[s0, 300][300, 1]cpu" = torch.ops.aten.tanh.default(add)
        return (tanh,)
)py";

std::vector<TensorMap> sizedInputs(int64_t s0) {
  std::vector<TensorMap> inputs;
  for (size_t rank = 0; rank < numRanks; ++rank)
    inputs.push_back(
        {{"in.s0", hostTensor(DType::I64, {}, {static_cast<double>(s0)})},
         {"in.x", hostTensor(DType::F32, {s0, 300}, std::vector<double>(static_cast<size_t>(s0) * 300, 1))}});
  return inputs;
}

/// Runs three bindings in turn: a second run with a known binding allocates nothing.
TEST(SizedSteps, AllocateNothingAtAKnownBinding) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Context context;
  GraphList graphs = valueOf(readFxText(context, {"step.py", sized}));
  assumeGroups(*graphs.front(), numRanks);
  std::unique_ptr<Plan> plan = valueOf(lowerGraph(*graphs.front(), {.symbols = {{"s0", 250}}}));
  std::unique_ptr<runtime::PreparedPlans> prepared =
      valueOf(runtime::findEngine("local")->prepare({.plans = {plan.get()}, .ranks = numRanks}));
  Plan idle(context);
  size_t toRunAtAll = allocationsOfARun({&idle}, sizedInputs(1));
  for (int64_t s0 : {250, 300, 200})
    valueOf(prepared->run(sizedInputs(s0)));
  for (int64_t s0 : {250, 300, 200}) {
    size_t before = allocationsElsewhere();
    valueOf(prepared->run(sizedInputs(s0)));
    EXPECT_EQ(allocationsElsewhere() - before, toRunAtAll) << "s0 = " << s0;
  }
}

/// Returns true if sizes depend on data or symbols: each run then computes sizes, windows and lists of them, and memory
/// may grow.
bool isTold(const Plan &plan) {
  return !plan.layout.symbols.empty() || plan.numSlots != 0 ||
         llvm::any_of(plan.buffers, [](const PlanBuffer &buffer) { return buffer.home == Home::Growing; });
}

/// Returns the plans of a program's ranks; none if lowering refuses one of them.
std::vector<std::unique_ptr<Plan>> plansOf(const LoadedProgram &program) {
  std::vector<std::unique_ptr<Plan>> plans;
  for (const std::unique_ptr<Graph> &graph : program.graphs) {
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(*graph, {.objects = program.request.objects});
    if (!plan) {
      llvm::consumeError(plan.takeError());
      return {};
    }
    plans.push_back(std::move(*plan));
  }
  return plans;
}

/// The sorts, scatters and resampling of these programs still allocate lists.
constexpr llvm::StringLiteral allocating[] = {"moe_top2_shared_expert_w2/fw", "small/unet_fx_w2"};

/// The training steps that PyTorch captured allocate nothing either.
TEST(CapturedSteps, AllocateNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has a malloc of its own";
  size_t counted = 0;
  for (const RecordedProgram &program : recordedPrograms()) {
    Context context;
    LoadedProgram loaded = valueOf(load(context, program, program.values.front()));
    std::vector<std::unique_ptr<Plan>> owned = plansOf(loaded);
    Plans plans;
    for (const std::unique_ptr<Plan> &plan : owned)
      plans.push_back(plan.get());
    if (plans.empty() || llvm::is_contained(allocating, program.name) ||
        llvm::any_of(plans, [](const Plan *plan) { return isTold(*plan); }))
      continue;
    ++counted;
    EXPECT_EQ(allocationsOfSteps(plans, loaded.request.inputs), 0U) << program.name;
  }
  EXPECT_GT(counted, 100U);
}

} // namespace
} // namespace ccgraph::test

// PlanBuilder is a PlanDraft for plans that run: with tensors of any type, literal arguments, and named steps.
//
//   PlanBuilder b;
//   PlanWindow x = b.input("x", {4}), y = b.compute("y", {4});
//   b.kernel("y", "aten.relu.default", {x}, y);
//   b.output(y);
//
// Buffers are placed one after another in their arena, in the order of their creation. Tensors are f32 and row-major by
// default.
//
// Ownership: owns context and plan. Failure: none; the engine reports an invalid plan. Cost: that of the plan.
#pragma once

#include "ccgraph/ir/strides.h"
#include "ccgraph/runtime/engine.h"
#include "support/plan_draft.h"

namespace ccgraph::test {

/// An argument of a kernel step.
struct PlanActual {
  PlanActual(const PlanWindow &window) : operand(PlanOperand{PlanValue::tensor(window)}) {} // NOLINT
  PlanActual(PlanOperand given) : operand(std::move(given)) {}                              // NOLINT
  PlanActual(PlanValue value) : operand(PlanOperand{std::move(value)}) {}                   // NOLINT
  PlanActual(int64_t number) : literal(Argument::integer(number)) {}                        // NOLINT
  PlanActual(double number) : literal(Argument::floating(number)) {}                        // NOLINT
  PlanActual(int number) : literal(Argument::integer(number)) {}                            // NOLINT
  PlanActual(Argument argument) : literal(argument) {}                                      // NOLINT
  std::optional<PlanOperand> operand;
  Argument literal;
};

class PlanBuilder : public PlanDraft {
public:
  Identifier name(llvm::StringRef text) { return context.identifier(text); }

  // --- Memory -----------------------------------------------------------------------------------------
  const Type *type(IntListRef sizes, DType dtype = DType::F32) {
    return stridedType(sizes, contiguousStrides(sizes), dtype);
  }
  const Type *stridedType(IntListRef sizes, IntListRef strides, DType dtype = DType::F32) {
    std::vector<Dim> sizeDims(sizes.begin(), sizes.end()), strideDims(strides.begin(), strides.end());
    return context.tensor(dtype, {sizeDims, strideDims}, {name("cpu")});
  }
  PlanWindow buffer(Home home, llvm::StringRef text, const Type *type) {
    IntList sizes = *staticDims(type->sizes()), strides = *staticDims(type->strides());
    int64_t bytes = extentOf(sizes, strides) * static_cast<int64_t>(sizeInBytes(type->dtype()));
    return rawBuffer(home, text, type, bytes);
  }
  PlanWindow rawBuffer(Home home, llvm::StringRef text, const Type *type, Dim bytes) {
    plan.buffers.push_back({name(text), home, bytes});
    bool arena = home == Home::Compute || home == Home::Communication;
    int64_t &end = home == Home::Communication ? plan.layout.communicationBytes : plan.layout.computeBytes;
    plan.layout.offsets.push_back(arena ? end : 0);
    if (arena)
      end += (bytes.value() + 63) / 64 * 64;
    return {static_cast<BufferId>(plan.buffers.size() - 1), type, Dim(0)};
  }
  PlanWindow input(llvm::StringRef text, const Type *type) {
    PlanWindow window = buffer(Home::Input, text, type);
    plan.inputs.push_back({("in." + text).str(), PlanValue::tensor(window), {}});
    return window;
  }
  PlanWindow input(llvm::StringRef text, IntListRef sizes) { return input(text, type(sizes)); }
  PlanWindow compute(llvm::StringRef text, IntListRef sizes) { return buffer(Home::Compute, text, type(sizes)); }
  PlanWindow comm(llvm::StringRef text, IntListRef sizes) { return buffer(Home::Communication, text, type(sizes)); }
  /// Returns row-major elements from `offset` on.
  PlanWindow part(const PlanWindow &whole, IntListRef sizes, int64_t offset) {
    return {whole.buffer, type(sizes, whole.type->dtype()), Dim(offset)};
  }

  // --- Steps ------------------------------------------------------------------------------------------
  PlanStep &kernel(llvm::StringRef text, llvm::StringRef target, std::vector<PlanActual> actuals, PlanValue result) {
    KernelStep work;
    work.op = context.ops().lookup(target);
    std::vector<Argument> args;
    for (PlanActual &actual : actuals) {
      args.push_back(actual.operand ? Argument::operand(static_cast<uint32_t>(work.operands.size())) : actual.literal);
      if (actual.operand)
        work.operands.push_back(std::move(*actual.operand));
    }
    work.args = plan.keep(args);
    work.result = std::move(result);
    return named(text, Plan::computeStream, std::move(work));
  }
  PlanStep &kernel(llvm::StringRef text, llvm::StringRef target, std::vector<PlanActual> actuals,
                   const PlanWindow &to) {
    return kernel(text, target, std::move(actuals), PlanValue::tensor(to));
  }
  PlanStep &host(llvm::StringRef text, llvm::StringRef target, std::vector<PlanActual> actuals, PlanValue result) {
    PlanStep &made = kernel(text, target, std::move(actuals), std::move(result));
    made.stream = Plan::hostStream;
    return made;
  }
  PlanStep &copy(llvm::StringRef text, const PlanWindow &from, const PlanWindow &to) {
    return named(text, Plan::computeStream, CopyStep{from, to});
  }
  PlanStep &collective(llvm::StringRef text, StreamId stream, std::vector<PlanCollective> calls) {
    CollectiveStep work;
    work.calls.assign(calls.begin(), calls.end());
    return named(text, stream, std::move(work));
  }

  // --- Order ------------------------------------------------------------------------------------------
  /// Orders two steps, given by name: `second` begins after `first` has completed.
  void order(llvm::StringRef first, llvm::StringRef second) {
    wait(static_cast<size_t>(&find(second) - plan.steps.data()), static_cast<size_t>(&find(first) - plan.steps.data()));
  }
  PlanStep &find(llvm::StringRef text) {
    return *llvm::find_if(plan.steps, [&](const PlanStep &step) { return step.name.str() == text; });
  }

private:
  PlanStep &named(llvm::StringRef text, StreamId stream, decltype(PlanStep::work) work) {
    return plan.steps[add(text, stream, std::move(work))];
  }
};

/// Runs one plan on the local engine, on as many ranks as there are inputs. Without a seed, the engine uses its fast
/// order.
inline llvm::Expected<runtime::RunResult> runLocally(const Plan &plan, std::vector<TensorMap> inputs,
                                                     std::optional<uint64_t> seed = 0) {
  runtime::PlanRequest request;
  request.plans = {&plan};
  request.ranks = inputs.size();
  request.inputs = std::move(inputs);
  request.seed = seed;
  return runPlans(*runtime::findEngine("local"), request);
}
/// Returns the results of a run that must succeed; an error ends the test.
inline runtime::RunResult resultsOf(llvm::Expected<runtime::RunResult> results) {
  if (!results)
    llvm::report_fatal_error(results.takeError());
  return std::move(*results);
}
/// Returns the text of the error; "" if there is none.
inline std::string errorOf(llvm::Expected<runtime::RunResult> result) {
  return result ? "" : llvm::toString(result.takeError());
}

} // namespace ccgraph::test

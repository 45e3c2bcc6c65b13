#include "kernels/pointwise.h"

#include "kernels/layout.h"

namespace ccgraph::runtime {
namespace {

/// torch._prims_common.compute_elementwise_output_strides: plainly row-major or plainly channels-last operands give
/// that layout, else the operands' order of dimensions is kept. 0-d operands have no say.
Dims stridesOf(DimsRef sizes, llvm::ArrayRef<Tensor> operands) {
  std::vector<Tensor> stretched;
  for (const Tensor &operand : operands)
    if (operand.rank() > 0)
      stretched.push_back(llvm::cantFail(operand.expand(sizes)));
  bool rowMajor = llvm::all_of(stretched, [](const Tensor &t) { return t.isContiguous(); });
  bool channelsLast = llvm::all_of(stretched, [](const Tensor &t) { return isChannelsLast(t.sizes(), t.strides()); });
  if (rowMajor && !channelsLast)
    return contiguousStrides(sizes);
  if (channelsLast && !rowMajor)
    return channelsLastStrides(sizes);
  llvm::SmallVector<DimsRef, 4> strides;
  for (const Tensor &operand : stretched)
    strides.push_back(operand.strides());
  return denseStridesLike(sizes, strides);
}

/// What one run of an operator needs to know, decided once before the loop.
struct Plan {
  const PointwiseOp *op;
  DType common; ///< of the arithmetic
  DType result;
};

std::optional<Plan> planFor(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  Plan plan{&op, resultType(operands.take_front(op.promoting)), DType::Bool};
  if (op.result == ResultType::Floating)
    plan.common = floatTypeOf(plan.common);
  plan.result = op.result == ResultType::Truth ? DType::Bool : plan.common;
  DTypeClass kind = classOf(plan.common);
  bool known = kind == DTypeClass::Complex ? op.complex != nullptr
               : kind == DTypeClass::Float ? op.real && op.result != ResultType::Integral
                                           : op.integer != nullptr;
  for (const Operand &operand : operands)
    known &= computable(operand.tensor.dtype());
  if (!args.check(known && computable(plan.common),
                  "got dtype " + shortName(plan.common) + ", which it does not compute with"))
    return std::nullopt;
  return plan;
}

/// Operand `index` as the loop reads it: rounded to the common dtype, stretched to `sizes`. A number beside f16 or bf16
/// is the exception: PyTorch's CPU kernels keep it in f32. So x * 0.1 with x in bf16 multiplies by 0.1, not by the bf16
/// next to it, 0.10009765625.
Tensor prepare(llvm::ArrayRef<Operand> operands, size_t index, const Plan &plan, DimsRef sizes) {
  const Operand &operand = operands[index];
  bool reduced = plan.common == DType::F16 || plan.common == DType::BF16;
  bool wide = index < plan.op->promoting ? plan.op->scalarsInF32 : plan.op->weightsInF32;
  bool inF32 = wide && reduced && operand.tensor.rank() == 0;
  return llvm::cantFail(toDType(operand.tensor, inF32 ? DType::F32 : plan.common).expand(sizes));
}

// All arithmetic is done in the widest type of its class and rounded when a row is stored. For f32, one +, -, *, / or
// square root in double, rounded to f32, is just what f32 arithmetic gives; f16 and bf16 go through f32 on their way to
// memory, as in PyTorch's CPU kernels. Rows are widened as a whole, so that the dtype is asked once a row.
template <typename T>
void loop(const Tensor &out, llvm::ArrayRef<Tensor> inputs, T (*compute)(const T *)) {
  std::vector<Tensor> tensors{out};
  tensors.insert(tensors.end(), inputs.begin(), inputs.end());
  Scratch<Scratch<T>> columns(inputs.size());
  Scratch<T> x(inputs.size());
  Scratch<T> result;
  forEachRow(tensors, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    auto length = static_cast<size_t>(count);
    result.resize(length);
    for (size_t k = 0; k < inputs.size(); ++k) {
      columns[k].resize(length);
      readRow<T>(inputs[k].dtype(), rows[k + 1], columns[k]);
    }
    for (size_t i = 0; i < length; ++i) {
      for (size_t k = 0; k < inputs.size(); ++k)
        x[k] = columns[k][i];
      result[i] = compute(x.data());
    }
    writeRow<T>(out.dtype(), rows[0], result);
  });
}

void run(const Tensor &out, llvm::ArrayRef<Tensor> inputs, const Plan &plan) {
  switch (classOf(plan.common)) {
  case DTypeClass::Bool:
  case DTypeClass::Integer:
    return loop<int64_t>(out, inputs, plan.op->integer);
  case DTypeClass::Float:
    return loop<double>(out, inputs, plan.op->real);
  case DTypeClass::Complex:
    return loop<Complex>(out, inputs, plan.op->complex);
  }
}

// Elementwise in place is safe where an operand is the very window that is written: element i is read before it is
// stored. Any other overlap would read what the loop wrote before, as x[1:] += x[:-1] does; such an operand is copied
// first.
bool sameWindow(const Tensor &a, const Tensor &b) {
  return a.offset() == b.offset() && a.strides() == b.strides() && a.dtype() == b.dtype();
}

} // namespace

Tensor toDType(const Tensor &tensor, DType dtype) {
  if (tensor.dtype() == dtype)
    return tensor;
  Tensor result = pointwiseResult(dtype, tensor);
  copyElements(result, tensor);
  return result;
}

Tensor pointwiseResult(DType dtype, llvm::ArrayRef<Tensor> operands) {
  Dims sizes(operands.front().sizes().begin(), operands.front().sizes().end());
  for (const Tensor &operand : operands.drop_front())
    sizes = *broadcastSizes(sizes, operand.sizes());
  return Tensor::zeros(dtype, sizes, stridesOf(sizes, operands));
}

Dims broadcastOf(KernelArgs &args, llvm::ArrayRef<Operand> operands) {
  Dims sizes;
  for (const Operand &operand : operands) {
    std::optional<Dims> joined = broadcastSizes(sizes, operand.tensor.sizes());
    if (args.check(joined.has_value(), "got sizes " + dimsText(sizes) + " and " + dimsText(operand.tensor.sizes()) +
                                           ", expected sizes that broadcast"))
      sizes = *joined;
  }
  return sizes;
}

Tensor pointwise(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  std::optional<Plan> plan = args.failed() ? std::nullopt : planFor(args, operands, op);
  Dims sizes = broadcastOf(args, operands);
  if (args.failed())
    return {};
  std::vector<Tensor> shapes;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    inputs.push_back(prepare(operands, i, *plan, sizes));
    // Because a number has no layout, it neither sets strides nor takes the fast path away.
    if (!operands[i].isNumber)
      shapes.push_back(operands[i].tensor);
  }
  if (shapes.empty())
    shapes = inputs;
  Tensor out = pointwiseResult(plan->result, shapes);
  run(out, inputs, *plan);
  return out;
}

void pointwiseInto(KernelArgs &args, const Tensor &out, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  std::optional<Plan> plan = args.failed() ? std::nullopt : planFor(args, operands, op);
  Dims sizes = broadcastOf(args, operands);
  if (args.failed())
    return;
  bool fits = llvm::ArrayRef<int64_t>(sizes) == out.sizes() && canStore(plan->result, out.dtype());
  if (!args.check(fits, "got a result " + shortName(plan->result) + dimsText(sizes) + ", which cannot be stored in " +
                            out.typeText()))
    return;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    Tensor input = prepare(operands, i, *plan, sizes);
    bool clashes = input.aliases(out) && !sameWindow(input, out);
    inputs.push_back(clashes ? input.cloneContiguous() : input);
  }
  run(out, inputs, *plan);
}

Operand numberOperand(double value) {
  Operand number{Tensor::zeros(DType::F64, {}), true};
  writeElement<double>(DType::F64, number.tensor.data(), value);
  return number;
}

Operand integerOperand(int64_t value) {
  Operand number{Tensor::zeros(DType::I64, {}), true};
  writeElement<int64_t>(DType::I64, number.tensor.data(), value);
  return number;
}

Operands operandsOf(KernelArgs &args, unsigned count) {
  Operands operands;
  for (unsigned i = 0; i < count; ++i)
    operands.push_back(args.operand(i));
  return operands;
}

Operands operandsAndFactor(KernelArgs &args, unsigned count) {
  Operands operands = operandsOf(args, count);
  operands.push_back(args.operand(count, 1));
  return operands;
}

Value pointwiseIntoFirst(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  pointwiseInto(args, operands[0].tensor, operands, op);
  return operands[0].tensor;
}

} // namespace ccgraph::runtime

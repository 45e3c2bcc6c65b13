#include "kernels/pointwise.h"

#include "kernels/memory_format.h"

namespace ccgraph::runtime {
namespace {

Tensor stretched(const Tensor &tensor, IntListRef sizes) {
  return tensor.sizes() == sizes ? tensor : llvm::cantFail(tensor.expand(sizes));
}

/// torch._prims_common.compute_elementwise_output_strides: operands that are all row-major or all channels-last give
/// that layout; otherwise the operands' order of dimensions is kept. 0-d operands do not count.
IntList stridesOf(IntListRef sizes, llvm::ArrayRef<Tensor> operands) {
  llvm::SmallVector<Tensor, 4> wide;
  for (const Tensor &operand : operands)
    if (operand.rank() > 0)
      wide.push_back(stretched(operand, sizes));
  bool rowMajor = llvm::all_of(wide, [](const Tensor &t) { return t.isContiguous(); });
  bool channelsLast = llvm::all_of(wide, [](const Tensor &t) { return isChannelsLast(t.sizes(), t.strides()); });
  if (rowMajor && !channelsLast)
    return contiguousStrides(sizes);
  if (channelsLast && !rowMajor)
    return channelsLastStrides(sizes);
  llvm::SmallVector<IntListRef, 4> strides;
  for (const Tensor &operand : wide)
    strides.push_back(operand.strides());
  return denseStridesLike(sizes, strides);
}

IntList sizesOf(llvm::ArrayRef<Tensor> operands) {
  IntList sizes = toIntList(operands.front().sizes());
  for (const Tensor &operand : operands.drop_front())
    sizes = *broadcastSizes(sizes, operand.sizes());
  return sizes;
}

/// The facts that one run of an operator needs, determined once before the loop.
struct Arithmetic {
  const PointwiseOp *op;
  DType common; ///< of the arithmetic
  DType result;
};

std::optional<Arithmetic> arithmeticFor(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  Arithmetic arithmetic{&op, resultType(operands.take_front(op.promoting)), DType::Bool};
  if (op.result == ResultType::Floating)
    arithmetic.common = floatTypeOf(arithmetic.common);
  arithmetic.result = op.result == ResultType::Truth ? DType::Bool : arithmetic.common;
  DTypeClass kind = classOf(arithmetic.common);
  bool known = kind == DTypeClass::Complex ? op.complex != nullptr
               : kind == DTypeClass::Float ? op.real && op.result != ResultType::Integral
                                           : op.integer != nullptr;
  for (const Operand &operand : operands)
    known &= computable(operand.tensor.dtype());
  if (!args.check(known && computable(arithmetic.common),
                  "got dtype " + shortName(arithmetic.common) + ", which it does not compute with"))
    return std::nullopt;
  return arithmetic;
}

/// An operand in the form of the loop: expanded to the result's sizes, and rounded to `dtype`. A single number is read
/// once, and not with each row.
struct Input {
  Tensor tensor;
  DType dtype;
  [[nodiscard]] bool isOne() const { return tensor.numElements() == 1; }
};
using Inputs = llvm::SmallVector<Input, 4>;

/// Rounded to the common dtype. A number beside f16 or bf16 is the exception: PyTorch's CPU kernels keep it in f32. So
/// x * 0.1 with x in bf16 multiplies by 0.1, not by the bf16 next to it, 0.10009765625.
Input prepare(llvm::ArrayRef<Operand> operands, size_t index, const Arithmetic &arithmetic, IntListRef sizes) {
  const Operand &operand = operands[index];
  bool reduced = arithmetic.common == DType::F16 || arithmetic.common == DType::BF16;
  bool wide = index < arithmetic.op->promoting ? arithmetic.op->scalarsInF32 : arithmetic.op->weightsInF32;
  bool inF32 = wide && reduced && operand.tensor.rank() == 0;
  DType dtype = inF32 ? DType::F32 : arithmetic.common;
  return {operand.tensor.numElements() == 1 ? operand.tensor : stretched(operand.tensor, sizes), dtype};
}

// Elementwise in place is safe where an operand is the very window that is written: element i is read before it is
// stored. Any other overlap would read what the loop wrote before, as x[1:] += x[:-1] does; such an operand is copied
// first.
bool sameWindow(const Tensor &a, const Tensor &b) {
  return a.offset() == b.offset() && a.strides() == b.strides() && a.dtype() == b.dtype();
}

Inputs inputsOf(llvm::ArrayRef<Operand> operands, const Arithmetic &arithmetic, const Tensor &out) {
  Inputs inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    Input input = prepare(operands, i, arithmetic, out.sizes());
    if (!input.isOne() && input.tensor.overlaps(out) && !sameWindow(input.tensor, out))
      input.tensor = input.tensor.cloneContiguous();
    inputs.push_back(std::move(input));
  }
  return inputs;
}

template <typename T>
void readInput(const Input &input, Row row, llvm::MutableArrayRef<T> out) {
  DType from = input.tensor.dtype();
  if (from == input.dtype)
    return readRow<T>(from, row, out);
  alignas(64) std::byte rounded[blockSize * sizeof(Complex)];
  Row place{rounded, sizeInBytes(input.dtype)};
  convertRow(input.dtype, place, from, row, static_cast<int64_t>(out.size()));
  readRow<T>(input.dtype, place, out);
}

/// No operator takes more operands.
constexpr size_t mostOperands = 6;

/// The operands' elements of one block, widened.
template <typename T>
class Columns {
public:
  explicit Columns(llvm::ArrayRef<Input> inputs) : inputs_(inputs) {
    assert(inputs.size() <= mostOperands && "more operands than there is room for");
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].isOne())
        fill(k);
  }
  /// `rows`: of the operands that are more than a number.
  void read(llvm::ArrayRef<Row> rows, int64_t count) {
    for (size_t k = 0; k < inputs_.size(); ++k)
      if (!inputs_[k].isOne()) {
        readInput<T>(inputs_[k], rows.front(), columns_[k].first(count));
        rows = rows.drop_front();
      }
  }
  void gather(int64_t i, T *x) const {
    for (size_t k = 0; k < inputs_.size(); ++k)
      x[k] = columns_[k].values[i];
  }

private:
  void fill(size_t k) {
    T value;
    readInput<T>(inputs_[k], {inputs_[k].tensor.data(), 0}, value);
    std::fill_n(columns_[k].values, blockSize, value);
  }

  llvm::ArrayRef<Input> inputs_;
  Block<T> columns_[mostOperands];
};

// All arithmetic uses the widest type of its class and is rounded when a row is stored. For f32, one +, -, *, / or
// square root in double, rounded to f32, equals f32 arithmetic. f16 and bf16 go through f32 on their way to memory, as
// in PyTorch's CPU kernels. Rows are widened as a whole, so the dtype is tested once a row.
template <typename T>
void loop(const Tensor &out, llvm::ArrayRef<Input> inputs, T (*compute)(const T *)) {
  llvm::SmallVector<Tensor, mostOperands + 1> tensors{out};
  for (const Input &input : inputs)
    if (!input.isOne())
      tensors.push_back(input.tensor);
  Columns<T> columns(inputs);
  T x[mostOperands];
  Block<T> result;
  forEachBlock(tensors, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    columns.read(rows.drop_front(), count);
    for (int64_t i = 0; i < count; ++i) {
      columns.gather(i, x);
      result.values[i] = compute(x);
    }
    writeRow<T>(out.dtype(), rows[0], result.first(count));
  });
}

void run(const Tensor &out, llvm::ArrayRef<Input> inputs, const Arithmetic &arithmetic) {
  switch (classOf(arithmetic.common)) {
  case DTypeClass::Bool:
  case DTypeClass::Integer:
    return loop<int64_t>(out, inputs, arithmetic.op->integer);
  case DTypeClass::Float:
    return loop<double>(out, inputs, arithmetic.op->real);
  case DTypeClass::Complex:
    return loop<Complex>(out, inputs, arithmetic.op->complex);
  }
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
  IntList sizes = sizesOf(operands);
  return Tensor::zeros(dtype, sizes, stridesOf(sizes, operands));
}

IntList broadcastOf(KernelArgs &args, llvm::ArrayRef<Operand> operands) {
  IntList sizes;
  for (const Operand &operand : operands) {
    std::optional<IntList> joined = broadcastSizes(sizes, operand.tensor.sizes());
    if (args.check(joined.has_value(), "got sizes " + dimsOf(sizes) + " and " + dimsOf(operand.tensor.sizes()) +
                                           ", expected sizes that broadcast"))
      sizes = *joined;
  }
  return sizes;
}

Tensor pointwise(KernelArgs &args, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  std::optional<Arithmetic> arithmetic = args.failed() ? std::nullopt : arithmeticFor(args, operands, op);
  IntList sizes = broadcastOf(args, operands);
  if (args.failed())
    return {};
  llvm::SmallVector<Tensor, 4> shapes;
  // A number has no layout, so it neither sets strides nor prevents the fast path.
  for (const Operand &operand : operands)
    if (!operand.isNumber)
      shapes.push_back(operand.tensor);
  Tensor out = args.result(arithmetic->result, sizes, stridesOf(sizes, shapes));
  run(out, inputsOf(operands, *arithmetic, out), *arithmetic);
  return out;
}

void pointwiseInto(KernelArgs &args, const Tensor &out, llvm::ArrayRef<Operand> operands, const PointwiseOp &op) {
  std::optional<Arithmetic> arithmetic = args.failed() ? std::nullopt : arithmeticFor(args, operands, op);
  IntList sizes = broadcastOf(args, operands);
  if (args.failed())
    return;
  bool fits = IntListRef(sizes) == out.sizes() && canStore(arithmetic->result, out.dtype());
  if (args.check(fits, "got a result " + shortName(arithmetic->result) + dimsOf(sizes) +
                           ", which cannot be stored in " + typeOf(out)))
    run(out, inputsOf(operands, *arithmetic, out), *arithmetic);
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

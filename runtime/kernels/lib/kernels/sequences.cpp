#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <cmath>

// Tensors that only numbers make: even steps, and the places of a matrix.
namespace ccgraph::runtime {
namespace {

double numberOf(const Operand &operand) { return readElement<double>(operand.tensor.dtype(), operand.tensor.data()); }

/// From start to end in even steps (torch.linspace), the second half counted from the end, so that both ends are met:
/// start + 9 * ((end - start) / 9) need not be end, end - 0 is.
struct Steps {
  double start = 0;
  double end = 0;
  int64_t count = 0;

  [[nodiscard]] double at(int64_t i) const {
    if (count == 1)
      return start;
    double step = (end - start) / static_cast<double>(count - 1);
    return i < count / 2 ? start + step * static_cast<double>(i) : end - step * static_cast<double>(count - i - 1);
  }
};

/// (start, end, steps, ...): numbers or 0-d tensors. Whole dtypes cut both ends first.
Steps stepsOf(KernelArgs &args, DType dtype) {
  Operand start = args.operand(0), end = args.operand(1);
  Steps steps{.count = args.integer(2)};
  bool fits = args.failed() || (start.tensor.numElements() == 1 && end.tensor.numElements() == 1 && steps.count >= 0 &&
                                computable(dtype) && !isComplex(dtype));
  if (!args.check(fits, "got steps " + llvm::Twine(steps.count) + " of " + shortName(dtype)) || args.failed())
    return {};
  steps.start = numberOf(start);
  steps.end = numberOf(end);
  if (!isFloat(dtype)) {
    steps.start = std::trunc(steps.start);
    steps.end = std::trunc(steps.end);
  }
  return steps;
}

Tensor tensorOf(llvm::ArrayRef<double> values, DType dtype) {
  Tensor result = Tensor::zeros(dtype, {static_cast<int64_t>(values.size())});
  writeRow<double>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

Value linearSteps(KernelArgs &args) {
  DType dtype = args.dtype(3, DType::F32);
  Steps steps = stepsOf(args, dtype);
  Scratch<double> values;
  for (int64_t i = 0; i < steps.count; ++i)
    values.push_back(steps.at(i));
  return args.failed() ? Value() : Value(tensorOf(values, dtype));
}

/// (start, end, steps, base, ...)
Value powersInSteps(KernelArgs &args) {
  DType dtype = args.dtype(4, DType::F32);
  double base = args.number(3, 10);
  Steps steps = stepsOf(args, dtype);
  Scratch<double> values;
  for (int64_t i = 0; i < steps.count; ++i)
    values.push_back(std::pow(base, steps.at(i)));
  return args.failed() ? Value() : Value(tensorOf(values, dtype));
}

Value identity(KernelArgs &args, int64_t rows, int64_t columns, DType dtype) {
  if (args.failed() || !args.check(rows >= 0 && columns >= 0 && computable(dtype), "got sizes below 0"))
    return {};
  Tensor result = Tensor::zeros(dtype, {rows, columns});
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    writeElement<int64_t>(dtype, result.data() + i * (columns + 1) * result.elementSize(), 1);
  return result;
}
Value square(KernelArgs &args) { return identity(args, args.integer(0), args.integer(0), args.dtype(1, DType::F32)); }
Value oblong(KernelArgs &args) { return identity(args, args.integer(0), args.integer(1), args.dtype(2, DType::F32)); }

/// (row, col, offset, dtype): rows and columns of the places on one side of a diagonal, [2, n].
template <bool lower>
Value triangle(KernelArgs &args) {
  int64_t rows = args.integer(0), columns = args.integer(1), offset = args.integer(2, 0);
  DType dtype = args.dtype(3, DType::I64);
  if (args.failed() || !args.check(rows >= 0 && columns >= 0 && computable(dtype), "got sizes below 0"))
    return {};
  Scratch<int64_t> places[2];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (lower ? column - row <= offset : column - row >= offset) {
        places[0].push_back(row);
        places[1].push_back(column);
      }
  Tensor result = Tensor::zeros(dtype, {2, static_cast<int64_t>(places[0].size())});
  for (int64_t i = 0; i < 2; ++i)
    writeRow<int64_t>(dtype, {result.select(0, i).data(), result.elementSize()}, places[i]);
  return result;
}

constexpr llvm::StringLiteral linearNames = "start,end,steps,dtype,layout,device,pin_memory";
constexpr llvm::StringLiteral powerNames = "start,end,steps,base,dtype,layout,device,pin_memory";
constexpr llvm::StringLiteral triangleNames = "row,col,offset,dtype,layout,device,pin_memory";

const Kernel sequenceTable[] = {
    {"aten.eye.default", "n,dtype,layout,device,pin_memory", square},
    {"aten.eye.m", "n,m,dtype,layout,device,pin_memory", oblong},
    {"aten.linspace.Scalar_Tensor", linearNames, linearSteps},
    {"aten.linspace.Tensor_Scalar", linearNames, linearSteps},
    {"aten.linspace.Tensor_Tensor", linearNames, linearSteps},
    {"aten.linspace.default", linearNames, linearSteps},
    {"aten.logspace.Scalar_Tensor", powerNames, powersInSteps},
    {"aten.logspace.Tensor_Scalar", powerNames, powersInSteps},
    {"aten.logspace.Tensor_Tensor", powerNames, powersInSteps},
    {"aten.logspace.default", powerNames, powersInSteps},
    {"aten.tril_indices.default", triangleNames, triangle<true>},
    {"aten.triu_indices.default", triangleNames, triangle<false>},
};

} // namespace

llvm::ArrayRef<Kernel> sequenceKernels() { return sequenceTable; }

} // namespace ccgraph::runtime

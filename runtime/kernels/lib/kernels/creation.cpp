#include "kernels/families.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cmath>

namespace ccgraph::runtime {

namespace {

/// torch.full(sizes, 2.5) is f32, PyTorch's default dtype; of 2 it is i64, of True bool: only Python floats lose width.
DType dtypeOfNumber(const Operand &number) {
  DType dtype = number.tensor.dtype();
  return number.isNumber && dtype == DType::F64 ? DType::F32 : dtype;
}

bool checkSizes(KernelArgs &args, IntListRef sizes) {
  auto isNegative = [](int64_t size) { return size < 0; };
  return args.check(llvm::none_of(sizes, isNegative), "got sizes " + dimsOf(sizes) + ", expected none negative") &&
         !args.failed();
}

// --- (size, [value], dtype, ...): argument `at` is the size -------------------------------------
Tensor filled(KernelArgs &args, IntListRef sizes, DType dtype, const Operand &value) {
  if (!checkSizes(args, sizes))
    return {};
  Tensor result = args.result(dtype, sizes);
  fill(args, result, value.tensor);
  return result;
}

Value zeros(KernelArgs &args) {
  IntList sizes = args.integers(0);
  DType dtype = args.dtype(1, DType::F32);
  return checkSizes(args, sizes) ? Value(args.zeroResult(dtype, sizes)) : Value();
}

Value ones(KernelArgs &args) {
  return filled(args, args.integers(0), args.dtype(1, DType::F32), args.operand(noArgument, 1));
}

Value full(KernelArgs &args) {
  Operand value = args.operand(1);
  return filled(args, args.integers(0), args.dtype(2, dtypeOfNumber(value)), value);
}

Value newZeros(KernelArgs &args) {
  IntList sizes = args.integers(1);
  DType dtype = args.dtype(2, args.tensor(0).dtype());
  return checkSizes(args, sizes) ? Value(args.zeroResult(dtype, sizes)) : Value();
}

Value newOnes(KernelArgs &args) {
  DType dtype = args.dtype(2, args.tensor(0).dtype());
  return filled(args, args.integers(1), dtype, args.operand(noArgument, 1));
}

Value newFull(KernelArgs &args) {
  DType dtype = args.dtype(3, args.tensor(0).dtype());
  return filled(args, args.integers(1), dtype, args.operand(2));
}

Value strided(KernelArgs &args, unsigned at, DType otherwise) {
  IntList sizes = args.integers(at);
  IntList strides = args.integers(at + 1);
  DType dtype = args.dtype(at + 2, otherwise);
  args.check(sizes.size() == strides.size(),
             "got sizes " + dimsOf(sizes) + " and strides " + dimsOf(strides) + ", expected equally many");
  if (!checkSizes(args, sizes) || !checkSizes(args, strides))
    return {};
  return args.zeroResult(dtype, sizes, strides);
}

Value emptyStrided(KernelArgs &args) { return strided(args, 0, DType::F32); }
Value newEmptyStrided(KernelArgs &args) { return strided(args, 1, args.tensor(0).dtype()); }

Value scalarTensor(KernelArgs &args) { return filled(args, {}, args.dtype(1, DType::F32), args.operand(0)); }

// --- (self, [value], dtype, layout, device, pin_memory, memory_format) --------------------------
Value zerosLike(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor result = emptyLike(args, self, args.dtype(1, self.dtype()), 5);
  setToZeros(result);
  return result;
}

Value onesLike(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor result = emptyLike(args, self, args.dtype(1, self.dtype()), 5);
  fill(args, result, args.operand(noArgument, 1).tensor);
  return result;
}

Value fullLike(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Tensor result = emptyLike(args, self, args.dtype(2, self.dtype()), 6);
  fill(args, result, args.operand(1).tensor);
  return result;
}

// --- Sequences -------------------------------------------------------------------------------
/// start, start + step, ...; integers never pass through double.
Tensor sequence(KernelArgs &args, int64_t length, llvm::ArrayRef<Operand> startStep, DType dtype) {
  if (args.failed() ||
      !args.check(length >= 0 && computable(dtype), "got length " + llvm::Twine(length) + " of " + shortName(dtype)))
    return {};
  bool whole = llvm::all_of(startStep, [](const Operand &o) { return !isFloat(o.tensor.dtype()); });
  Tensor result = args.result(dtype, length);
  auto value = [&](unsigned k, auto zero) {
    const Tensor &t = startStep[k].tensor;
    return readElement<decltype(zero)>(t.dtype(), t.data());
  };
  for (int64_t i = 0; i < length; ++i) {
    std::byte *at = result.data() + i * result.elementSize();
    if (whole)
      writeElement<int64_t>(dtype, at, wrapAdd(value(0, int64_t()), wrapMul(i, value(1, int64_t()))));
    else
      writeElement<double>(dtype, at, value(0, 0.0) + static_cast<double>(i) * value(1, 0.0));
  }
  return result;
}

double numberOf(const Operand &operand) { return readElement<double>(operand.tensor.dtype(), operand.tensor.data()); }

/// arange([start,] end[, step], dtype, ...): argument `dtypeIndex` follows the numbers. The length is ceil((end -
/// start) / step) of the numbers as given (torch.arange): arange(0, 1, 0.4) has 3 elements.
Value arange(KernelArgs &args, Operands bounds, unsigned dtypeIndex) {
  if (args.failed())
    return {};
  auto isFloating = [](const Operand &o) { return isFloat(o.tensor.dtype()); };
  DType dtype = args.dtype(dtypeIndex, llvm::any_of(bounds, isFloating) ? DType::F32 : DType::I64);
  double start = numberOf(bounds[0]);
  double end = numberOf(bounds[1]);
  double step = numberOf(bounds[2]);
  if (!args.check(
          step != 0 && std::isfinite(end - start) && (end - start) / step >= 0,
          llvm::formatv("got bounds {0:f6}, {1:f6} and step {2:f6}, expected the step to lead from start to end", start,
                        end, step)))
    return {};
  auto length = static_cast<int64_t>(std::ceil((end - start) / step));
  // PyTorch truncates the numbers to the dtype before it counts.
  if (!isFloat(dtype) && llvm::any_of(bounds, isFloating))
    for (size_t i : {0, 2})
      bounds[i] = integerOperand(static_cast<int64_t>(numberOf(bounds[i])));
  return sequence(args, length, {bounds[0], bounds[2]}, dtype);
}

Value arangeEnd(KernelArgs &args) {
  return arange(args, {args.operand(noArgument, 0), args.operand(0), args.operand(noArgument, 1)}, 1);
}
Value arangeStart(KernelArgs &args) {
  return arange(args, {args.operand(0), args.operand(1), args.operand(noArgument, 1)}, 2);
}
Value arangeStep(KernelArgs &args) { return arange(args, {args.operand(0), args.operand(1), args.operand(2, 1)}, 3); }

Value iota(KernelArgs &args) {
  return sequence(args, args.integer(0), {args.operand(1, 0), args.operand(2, 1)}, args.dtype(3, DType::I64));
}

/// Ones on the diagonal.
Value eye(KernelArgs &args, int64_t rows, int64_t columns, unsigned dtypeIndex) {
  DType dtype = args.dtype(dtypeIndex, DType::F32);
  if (!checkSizes(args, {rows, columns}))
    return {};
  Tensor result = args.zeroResult(dtype, {rows, columns});
  int64_t length = std::min(rows, columns);
  Tensor diagonal = result.reinterpret(dtype, {{length}, {columns + 1}, result.offset()});
  fill(args, diagonal, args.operand(noArgument, 1).tensor);
  return result;
}
Value square(KernelArgs &args) { return eye(args, args.integer(0), args.integer(0), 1); }
Value rectangle(KernelArgs &args) { return eye(args, args.integer(0), args.integer(1), 2); }

/// (row, col, offset, dtype, ...): the places of a triangle, rows above columns.
Value triangleIndices(KernelArgs &args, bool lower) {
  int64_t rows = args.integer(0), columns = args.integer(1), offset = args.integer(2, 0);
  DType dtype = args.dtype(3, DType::I64);
  if (!checkSizes(args, {rows, columns}))
    return {};
  Scratch<int64_t> places[2];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (lower ? column - row <= offset : column - row >= offset) {
        places[0].push_back(row);
        places[1].push_back(column);
      }
  auto count = static_cast<int64_t>(places[0].size());
  Tensor result = args.result(dtype, {2, count});
  for (int64_t i = 0; i < 2; ++i)
    writeRow<int64_t>(dtype, {result.data() + i * count * result.elementSize(), result.elementSize()}, places[i]);
  return result;
}
Value trilIndices(KernelArgs &args) { return triangleIndices(args, true); }
Value triuIndices(KernelArgs &args) { return triangleIndices(args, false); }

/// Returns zeros except in the kept triangle of the last two dimensions.
Value triangle(KernelArgs &args, bool (*keeps)(int64_t columnMinusRow, int64_t diagonal)) {
  const Tensor &self = args.tensor(0);
  int64_t diagonal = args.integer(1, 0);
  if (args.failed() || !args.check(self.rank() >= 2, "got " + typeOf(self) + ", expected at least 2 dimensions"))
    return {};
  Tensor result = args.zeroResult(self.dtype(), self.sizes());
  int64_t rows = self.size(self.rank() - 2);
  int64_t columns = self.size(self.rank() - 1);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (keeps(column - row, diagonal)) {
        auto cell = [&](const Tensor &t) { return t.select(t.rank() - 2, row).select(t.rank() - 2, column); };
        copyElements(cell(result), cell(self));
      }
  return result;
}

Value tril(KernelArgs &args) {
  return triangle(args, [](int64_t difference, int64_t diagonal) { return difference <= diagonal; });
}
Value triu(KernelArgs &args) {
  return triangle(args, [](int64_t difference, int64_t diagonal) { return difference >= diagonal; });
}

const Kernel creationTable[] = {
    {"aten.arange.default", "end,dtype,layout,device,pin_memory", arangeEnd},
    {"aten.arange.start", "start,end,dtype,layout,device,pin_memory", arangeStart},
    {"aten.arange.start_step", "start,end,step,dtype,layout,device,pin_memory", arangeStep},
    {"aten.empty.memory_format", "size,dtype,layout,device,pin_memory,memory_format", zeros},
    {"aten.empty_like.default", "self,dtype,layout,device,pin_memory,memory_format", zerosLike},
    {"aten.empty_strided.default", "size,stride,dtype,layout,device,pin_memory", emptyStrided},
    {"aten.eye.default", "n,dtype,layout,device,pin_memory", square},
    {"aten.eye.m", "n,m,dtype,layout,device,pin_memory", rectangle},
    {"aten.full.default", "size,fill_value,dtype,layout,device,pin_memory", full},
    {"aten.full_like.default", "self,fill_value,dtype,layout,device,pin_memory,memory_format", fullLike},
    {"aten.new_empty.default", "self,size,dtype,layout,device,pin_memory", newZeros},
    {"aten.new_empty_strided.default", "self,size,stride,dtype,layout,device,pin_memory", newEmptyStrided},
    {"aten.new_full.default", "self,size,fill_value,dtype,layout,device,pin_memory", newFull},
    {"aten.new_ones.default", "self,size,dtype,layout,device,pin_memory", newOnes},
    {"aten.new_zeros.default", "self,size,dtype,layout,device,pin_memory", newZeros},
    {"aten.ones.default", "size,dtype,layout,device,pin_memory", ones},
    {"aten.ones_like.default", "self,dtype,layout,device,pin_memory,memory_format", onesLike},
    {"aten.scalar_tensor.default", "s,dtype,layout,device,pin_memory", scalarTensor},
    {"aten.tril.default", "self,diagonal", tril},
    {"aten.tril_indices.default", "row,col,offset,dtype,layout,device,pin_memory", trilIndices},
    {"aten.triu.default", "self,diagonal", triu},
    {"aten.triu_indices.default", "row,col,offset,dtype,layout,device,pin_memory", triuIndices},
    {"aten.zeros.default", "size,dtype,layout,device,pin_memory", zeros},
    {"aten.zeros_like.default", "self,dtype,layout,device,pin_memory,memory_format", zerosLike},
    {"prims.iota.default", "length,start,step,dtype,device,requires_grad", iota},
};

} // namespace

llvm::ArrayRef<Kernel> creationKernels() { return creationTable; }

} // namespace ccgraph::runtime

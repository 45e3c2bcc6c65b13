#include "collectives/reduce.h"

#include "collectives/combine.h"
#include "tensor/elements.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::runtime {
namespace {

constexpr ReduceOp all[] = {ReduceOp::Sum, ReduceOp::Avg,  ReduceOp::Product, ReduceOp::Min,
                            ReduceOp::Max, ReduceOp::Band, ReduceOp::Bor,     ReduceOp::Bxor};

template <typename T>
T divide(T sum, int64_t ranks) {
  return sum / static_cast<T>(ranks);
}
Complex divide(Complex sum, int64_t ranks) { return sum / static_cast<double>(ranks); }

Row rowOf(const Tensor &tensor) { return {tensor.data(), tensor.elementSize()}; }

// Sums are computed in f64 and rounded once: the bf16 numbers 256, 1 and 1 add up to 258. A sum in bf16 would stay at
// 256, since 257 is not a bf16. An average is that sum, rounded, divided by the number of ranks and rounded again: an
// f16 sum beyond 65504 is infinite, and so is its average.
template <typename T>
void reduceInto(ReduceOp op, const Tensor &result, llvm::ArrayRef<Tensor> rows) {
  auto count = static_cast<size_t>(result.numElements());
  Scratch<T> sum(count), next(count);
  readRow<T>(result.dtype(), rowOf(result), sum);
  for (const Tensor &row : rows) {
    readRow<T>(row.dtype(), rowOf(row), next);
    for (size_t i = 0; i < count; ++i)
      sum[i] = combine(op, sum[i], next[i]);
  }
  writeRow<T>(result.dtype(), rowOf(result), sum);
  if (op != ReduceOp::Avg)
    return;
  readRow<T>(result.dtype(), rowOf(result), sum);
  for (T &value : sum)
    value = divide(value, static_cast<int64_t>(rows.size()) + 1);
  writeRow<T>(result.dtype(), rowOf(result), sum);
}

bool reducible(ReduceOp op, DType dtype) {
  if (!computable(dtype))
    return false;
  // A bool cannot be halved, nor can a sum of bools be divided by their number.
  return isDefinedOn(op, dtype) && !(op == ReduceOp::Avg && dtype == DType::Bool);
}

} // namespace

ReduceOp operatorOn(ReduceOp op, DType dtype) {
  if (dtype != DType::Bool)
    return op;
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Max:
    return ReduceOp::Bor;
  case ReduceOp::Product:
  case ReduceOp::Min:
    return ReduceOp::Band;
  case ReduceOp::Avg:
  case ReduceOp::Band:
  case ReduceOp::Bor:
  case ReduceOp::Bxor:
    return op;
  }
  return op;
}

llvm::Error checkReducible(ReduceOp op, DType dtype) {
  if (reducible(op, dtype))
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef, 8> has;
  for (ReduceOp other : all)
    if (reducible(other, dtype))
      has.push_back(reduceOpName(other));
  std::string expected = has.empty() ? "no reduction at all" : "one of " + llvm::join(has, ", ");
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "reduction %s on %s: expected %s",
                                 reduceOpName(op).str().c_str(), shortName(dtype).str().c_str(), expected.c_str());
}

Tensor reduceInOrder(ReduceOp op, llvm::ArrayRef<Tensor> rows) {
  Tensor result = rows.front().cloneContiguous();
  if (result.numElements() == 0)
    return result;
  llvm::ArrayRef<Tensor> rest = rows.drop_front();
  switch (classOf(result.dtype())) {
  case DTypeClass::Bool:
    reduceInto<int64_t>(operatorOn(op, result.dtype()), result, rest);
    break;
  case DTypeClass::Integer:
    reduceInto<int64_t>(op, result, rest);
    break;
  case DTypeClass::Float:
    reduceInto<double>(op, result, rest);
    break;
  case DTypeClass::Complex:
    reduceInto<Complex>(op, result, rest);
    break;
  }
  return result;
}

} // namespace ccgraph::runtime

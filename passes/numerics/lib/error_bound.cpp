#include "error_bound.h"

#include "exact_steps.h"

#include <cmath>
#include <limits>

namespace ccgraph::numerics {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
/// Deeper expressions have an unknown error, so that the recursion ends.
constexpr size_t mostDepth = 4000;

/// The weight of one rounding to a dtype.
double roundingTo(DType dtype) {
  const int digits = digitsOf(dtype);
  return digits == 0 ? unknown : -std::log1p(-std::ldexp(1.0, -digits));
}

DType widerThan(DType dtype) { return dtype == DType::F32 || dtype == DType::F64 ? DType::F64 : DType::F32; }

/// One operation in the wider dtype, and a rounding to this one.
double operationIn(DType dtype) { return roundingTo(dtype) + roundingTo(widerThan(dtype)); }

/// The least precise dtype in which a kernel adds within a rank.
DType accumulatorOf(const Operation &operation) {
  if (operation.addsInF64 || operation.dtype == DType::F64)
    return DType::F64;
  return DType::F32;
}

} // namespace

int digitsOf(DType dtype) {
  switch (dtype) {
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
    return 3;
  case DType::F8E4M3FN:
  case DType::F8E4M3FNUZ:
    return 4;
  case DType::BF16:
    return 8;
  case DType::F16:
    return 11;
  case DType::F32:
    return 24;
  case DType::F64:
    return 53;
  case DType::U8:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
  case DType::U16:
  case DType::U32:
  case DType::U64:
  case DType::C32:
  case DType::C64:
  case DType::C128:
  case DType::Bool:
  case DType::F8E8M0FNU:
  case DType::F4E2M1FNX2:
    return 0;
  }
  return 0;
}

ErrorBounds::Weight ErrorBounds::ofOperation(const Operation &operation, llvm::ArrayRef<Weight> operands) const {
  double largest = 0, total = 0;
  bool areProducts = true;
  for (const Weight &operand : operands) {
    largest = std::max(largest, operand.weight);
    total += operand.weight;
    areProducts &= operand.isProduct;
  }
  const DType dtype = operation.dtype;
  const auto addends = static_cast<double>(operation.addends);
  const double once = operationIn(dtype);
  switch (operation.rule) {
  case Rule::Given: {
    // A number that f32 does not hold is rounded before it is used.
    const bool isExact =
        !operation.number || static_cast<double>(static_cast<float>(*operation.number)) == *operation.number;
    return {isExact ? 0 : roundingTo(DType::F32), true};
  }
  case Rule::Add:
  case Rule::Subtract:
    return {largest + once, false};
  case Rule::Negate:
    return {largest, areProducts};
  case Rule::Multiply:
    return {total + once, areProducts};
  case Rule::Divide:
    return operands.back().isProduct ? Weight{total + once, areProducts} : Weight{unknown, false};
  case Rule::Cast:
    if (digitsOf(operation.from) == 0)
      return {unknown, false};
    return {largest + (isExactCast(operation.from, dtype) ? 0 : roundingTo(dtype)), areProducts};
  case Rule::Clip:
  case Rule::Extreme:
    return {largest, false};
  case Rule::RankSum:
  case Rule::RankMean: {
    const double sum =
        operation.addsInF64 ? (addends - 1) * roundingTo(DType::F64) + roundingTo(dtype) : (addends - 1) * once;
    return {largest + sum + (operation.rule == Rule::RankMean ? 2 * once : 0), false};
  }
  case Rule::DimSum:
  case Rule::DimMean: {
    const double sum = std::max(addends - 1, 0.0) * roundingTo(accumulatorOf(operation)) + roundingTo(dtype);
    return {largest + sum + (operation.rule == Rule::DimMean ? 2 * once : 0), false};
  }
  case Rule::Product:
    // Each number of a product is one of a, one of b, or a bias: at most two of the weights of all operands.
    return {2 * largest + (addends + 1) * roundingTo(accumulatorOf(operation)) + 2 * once, false};
  case Rule::Unknown:
    return {unknown, false};
  }
  return {unknown, false};
}

ErrorBounds::Weight ErrorBounds::computed(const Run &run) {
  std::vector<Weight> operands;
  table_.forEachOperand(run, [&](const Run &operand) { operands.push_back(weightOf(operand)); });
  return ofOperation(table_.operationOf(run.term), operands);
}

ErrorBounds::Weight ErrorBounds::weightOf(const Run &run) {
  if (table_.operationOf(run.term).rule != Rule::Given && isLeaf_(run.term))
    return {0, true};
  const std::tuple<TermId, int64_t, int64_t> key(run.term, run.start, run.repeats ? 1 : run.length);
  if (auto known = known_.find(key); known != known_.end())
    return known->second;
  if (depth_ > mostDepth)
    return {unknown, false};
  ++depth_;
  const Weight weight = computed(run);
  --depth_;
  known_[key] = weight;
  return weight;
}

std::optional<double> ErrorBounds::ulps(const RunList &elements, DType dtype) {
  double largest = 0;
  for (const Run &run : elements.runs())
    largest = std::max(largest, weightOf(run).weight);
  const int digits = digitsOf(dtype);
  if (std::isinf(largest) || digits == 0)
    return std::nullopt;
  // The sums of weights are rounded themselves; rounding up is far above their error.
  constexpr double digitsKept = 1e4;
  return std::ceil(std::ldexp(std::expm1(largest) * (1 + 1e-9), digits) * digitsKept) / digitsKept;
}

} // namespace ccgraph::numerics

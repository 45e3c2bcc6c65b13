#include "ccgraph/ir/internal/promotion.h"
#include "cuda/planner.h"

namespace ccgraph::runtime::cuda {
namespace {

using device::Arithmetic;
using device::MapOp;

/// The operands of an operator and the type of its arithmetic.
struct MapRow {
  llvm::StringLiteral target;
  MapOp op;
  /// the first so many arguments are operands,
  unsigned operands = 1;
  /// and so many of them, from `firstPromoting` on, decide about the dtype
  unsigned promoting = 1;
  unsigned firstPromoting = 0;
  /// integers become floats
  bool floating = false;
  /// one more operand follows, which is 1 where it is left out
  bool weighted = false;
};

constexpr MapRow unary(llvm::StringLiteral target, MapOp op) { return {target, op}; }
/// exp of integers is a float.
constexpr MapRow function(llvm::StringLiteral target, MapOp op) { return {target, op, 1, 1, 0, true}; }
constexpr MapRow binary(llvm::StringLiteral target, MapOp op) { return {target, op, 2, 2}; }
constexpr MapRow weighted(llvm::StringLiteral target, MapOp op, unsigned operands) {
  return {target, op, operands, operands, 0, false, true};
}

const MapRow rows[] = {
    unary("aten.abs.default", MapOp::Abs),
    weighted("aten.add.Scalar", MapOp::Add, 2),
    weighted("aten.add.Tensor", MapOp::Add, 2),
    weighted("aten.addcdiv.default", MapOp::Addcdiv, 3),
    weighted("aten.addcmul.default", MapOp::Addcmul, 3),
    binary("aten.bitwise_and.Scalar", MapOp::BitAnd),
    binary("aten.bitwise_and.Tensor", MapOp::BitAnd),
    binary("aten.bitwise_or.Scalar", MapOp::BitOr),
    binary("aten.bitwise_or.Tensor", MapOp::BitOr),
    binary("aten.bitwise_xor.Scalar", MapOp::BitXor),
    binary("aten.bitwise_xor.Tensor", MapOp::BitXor),
    unary("aten.ceil.default", MapOp::Ceil),
    function("aten.cos.default", MapOp::Cos),
    {"aten.div.Scalar", MapOp::Div, 2, 2, 0, true},
    {"aten.div.Tensor", MapOp::Div, 2, 2, 0, true},
    {"aten.true_divide.Tensor", MapOp::Div, 2, 2, 0, true},
    binary("aten.eq.Scalar", MapOp::Eq),
    binary("aten.eq.Tensor", MapOp::Eq),
    function("aten.erf.default", MapOp::Erf),
    function("aten.exp.default", MapOp::Exp),
    function("aten.expm1.default", MapOp::Expm1),
    unary("aten.floor.default", MapOp::Floor),
    binary("aten.ge.Scalar", MapOp::Ge),
    binary("aten.ge.Tensor", MapOp::Ge),
    binary("aten.gt.Scalar", MapOp::Gt),
    binary("aten.gt.Tensor", MapOp::Gt),
    unary("aten.isnan.default", MapOp::Isnan),
    binary("aten.le.Scalar", MapOp::Le),
    binary("aten.le.Tensor", MapOp::Le),
    {"aten.lerp.Scalar", MapOp::Lerp, 3, 2},
    {"aten.lerp.Tensor", MapOp::Lerp, 3, 2},
    function("aten.log.default", MapOp::Log),
    function("aten.log1p.default", MapOp::Log1p),
    binary("aten.logical_and.default", MapOp::LogicalAnd),
    unary("aten.logical_not.default", MapOp::LogicalNot),
    binary("aten.logical_or.default", MapOp::LogicalOr),
    binary("aten.logical_xor.default", MapOp::LogicalXor),
    binary("aten.lt.Scalar", MapOp::Lt),
    binary("aten.lt.Tensor", MapOp::Lt),
    {"aten.masked_fill.Scalar", MapOp::MaskedFill, 3, 1},
    {"aten.masked_fill.Tensor", MapOp::MaskedFill, 3, 1},
    binary("aten.maximum.default", MapOp::Maximum),
    binary("aten.minimum.default", MapOp::Minimum),
    binary("aten.mul.Scalar", MapOp::Mul),
    binary("aten.mul.Tensor", MapOp::Mul),
    binary("aten.ne.Scalar", MapOp::Ne),
    binary("aten.ne.Tensor", MapOp::Ne),
    unary("aten.neg.default", MapOp::Neg),
    binary("aten.pow.Scalar", MapOp::Pow),
    binary("aten.pow.Tensor_Scalar", MapOp::Pow),
    binary("aten.pow.Tensor_Tensor", MapOp::Pow),
    function("aten.reciprocal.default", MapOp::Reciprocal),
    unary("aten.relu.default", MapOp::Relu),
    function("aten.rsqrt.default", MapOp::Rsqrt),
    weighted("aten.rsub.Scalar", MapOp::ReverseSub, 2),
    weighted("aten.rsub.Tensor", MapOp::ReverseSub, 2),
    function("aten.sigmoid.default", MapOp::Sigmoid),
    binary("aten.sigmoid_backward.default", MapOp::SigmoidGrad),
    unary("aten.sign.default", MapOp::Sign),
    function("aten.silu.default", MapOp::Silu),
    binary("aten.silu_backward.default", MapOp::SiluGrad),
    function("aten.sin.default", MapOp::Sin),
    function("aten.sqrt.default", MapOp::Sqrt),
    unary("aten.square.default", MapOp::Square),
    weighted("aten.sub.Scalar", MapOp::Sub, 2),
    weighted("aten.sub.Tensor", MapOp::Sub, 2),
    function("aten.tanh.default", MapOp::Tanh),
    binary("aten.tanh_backward.default", MapOp::TanhGrad),
    {"aten.threshold_backward.default", MapOp::Threshold, 3, 2},
    {"aten.where.ScalarOther", MapOp::Where, 3, 2, 1},
    {"aten.where.ScalarSelf", MapOp::Where, 3, 2, 1},
    {"aten.where.self", MapOp::Where, 3, 2, 1},
    {"prims.fma.default", MapOp::Fma, 3, 3},
};

PromotedOperand promotedOf(const Value &value) {
  if (value.is(Value::Kind::Tensor))
    return {value.tensor().dtype(), value.tensor().rank() == 0 ? OperandKind::ZeroDim : OperandKind::Tensor};
  if (value.is(Value::Kind::Float))
    return {DType::F64, OperandKind::Number};
  return {value.is(Value::Kind::Bool) ? DType::Bool : DType::I64, OperandKind::Number};
}

bool isOperand(const Value &value) {
  using Kind = Value::Kind;
  return value.is(Kind::Tensor) || value.is(Kind::Bool) || value.is(Kind::Int) || value.is(Kind::Float);
}

/// A number of Python, or a tensor; an error where it is neither.
std::optional<Source> sourceAt(Planner &planner, unsigned index) {
  const Value &value = planner.args.at(index);
  if (!planner.args.check(isOperand(value), "got " + value.describe() + ", expected a tensor or a real number"))
    return std::nullopt;
  return value.is(Value::Kind::Tensor) ? Source(value.tensor()) : Source::number(value);
}

DType commonType(Planner &planner, unsigned first, unsigned count) {
  llvm::SmallVector<PromotedOperand, 4> operands;
  for (unsigned i = first; i < first + count; ++i)
    operands.push_back(promotedOf(planner.args.at(i)));
  return resultType(operands);
}

/// Sums and products keep a number in float beside f16 and bf16, as PyTorch does; all others round it first.
bool keepsNumbers(MapOp op) {
  switch (op) {
  case MapOp::Add:
  case MapOp::Sub:
  case MapOp::ReverseSub:
  case MapOp::Mul:
  case MapOp::Div:
  case MapOp::Addcmul:
  case MapOp::Addcdiv:
  case MapOp::Lerp:
    return true;
  default: // NOLINT: the many others
    return false;
  }
}

double roundedTo(DType dtype, double number) {
  if (dtype == DType::F16)
    return device::fromHalf(device::toHalf(static_cast<float>(number)));
  if (dtype == DType::BF16)
    return device::fromBFloat16(device::toBFloat16(static_cast<float>(number)));
  return number;
}

/// Reads a tensor without dimensions as an integer of the common dtype, so -1 is 255 beside u8. Devices store the
/// lowest bytes of an integer first, and these are that number.
void convertInteger(DType common, Source &source) {
  const Tensor &tensor = source.tensor;
  if (source.kind != device::OperandKind::Tensor || tensor.rank() != 0)
    return;
  const DType dtype = tensor.dtype();
  const bool areIntegers = classOf(common) == DTypeClass::Integer && classOf(dtype) == DTypeClass::Integer;
  if (!areIntegers || sizeInBytes(dtype) < sizeInBytes(common))
    return;
  const int64_t ratio = sizeInBytes(dtype) / sizeInBytes(common);
  source.tensor = tensor.reinterpret(common, {{}, {}, tensor.offset() * ratio});
}

/// Plans the row's arithmetic with the result `out`.
void plan(Planner &planner, const MapRow &row, const Tensor &out) {
  if (row.op == MapOp::Mul && isComplex(out.dtype()))
    return planner.complex(out, device::ComplexOp::Multiply, {planner.args.tensor(0), planner.args.tensor(1)});
  llvm::SmallVector<Source, 4> sources;
  for (unsigned i = 0; i < row.operands + (row.weighted ? 1 : 0); ++i) {
    bool leftOut = i == row.operands && !planner.args.has(i);
    std::optional<Source> source = leftOut ? Source(1.0) : sourceAt(planner, i);
    if (!source)
      return;
    sources.push_back(std::move(*source));
  }
  DType common = commonType(planner, row.firstPromoting, row.promoting);
  if (row.floating)
    common = floatTypeOf(common);
  for (Source &source : sources)
    if (source.kind == device::OperandKind::Number && !keepsNumbers(row.op))
      source.real = roundedTo(common, source.real);
  for (Source &source : sources)
    convertInteger(common, source);
  planner.map(out, {row.op, arithmeticOf(common)}, sources);
}

/// The name of the operator that writes into its first argument.
std::string inPlaceName(llvm::StringRef target) {
  auto [name, overload] = target.rsplit('.');
  return (name + "_." + overload).str();
}

// --- Operators whose operands need a word more --------------------------------------------------------------

/// rounding_mode: None divides, "floor" and "trunc" are for integers here.
void divideByMode(Planner &planner) {
  if (!planner.args.has(2))
    return plan(planner, {"", MapOp::Div, 2, 2, 0, true}, planner.result());
  MapOp op = planner.args.text(2, "") == "floor" ? MapOp::FloorDivide : MapOp::TruncateDivide;
  plan(planner, {"", op, 2, 2}, planner.result());
}

/// ~ of a bool is its negation.
void bitwiseNot(Planner &planner) {
  bool truth = planner.args.tensor(0).dtype() == DType::Bool;
  plan(planner, {"", truth ? MapOp::LogicalNot : MapOp::BitNot}, planner.result());
}

/// The conjugate of a real tensor is the tensor itself.
void conjugate(Planner &planner) {
  Tensor out = planner.result();
  if (planner.args.failed())
    return;
  if (isComplex(out.dtype()))
    return planner.complex(out, device::ComplexOp::Conjugate, {planner.args.tensor(0)});
  planner.copy(out, planner.args.tensor(0));
}

/// (output, buffer): what PyTorch's kernel of the CPU keeps for the gradient, of no elements where a graph was made for
/// devices.
void logSigmoid(Planner &planner) {
  std::optional<Tensor> out = planner.destination(0), buffer = planner.destination(1);
  if (buffer && buffer->numElements() != 0)
    plan(planner, {"", MapOp::ExpNegAbs}, *buffer);
  if (out)
    plan(planner, {"", MapOp::LogSigmoid}, *out);
}

void gelu(Planner &planner) {
  bool byTanh = planner.args.text(1, "none") == "tanh";
  plan(planner, {"", byTanh ? MapOp::GeluTanh : MapOp::Gelu}, planner.result());
}
void geluBackward(Planner &planner) {
  bool byTanh = planner.args.text(2, "none") == "tanh";
  plan(planner, {"", byTanh ? MapOp::GeluTanhGrad : MapOp::GeluGrad, 2, 2}, planner.result());
}

/// A bound that is left out is no operand.
void clampBetween(Planner &planner, std::optional<unsigned> low, std::optional<unsigned> high) {
  llvm::SmallVector<PromotedOperand, 3> promoted = {promotedOf(planner.args.at(0))};
  llvm::SmallVector<Source, 3> sources = {planner.args.tensor(0)};
  for (std::optional<unsigned> bound : {low, high})
    if (bound && planner.args.has(*bound)) {
      std::optional<Source> source = sourceAt(planner, *bound);
      if (!source)
        return;
      promoted.push_back(promotedOf(planner.args.at(*bound)));
      sources.push_back(std::move(*source));
    }
  bool onlyLow = low && planner.args.has(*low);
  MapOp op = sources.size() == 3 ? MapOp::Clamp : onlyLow ? MapOp::Maximum : MapOp::Minimum;
  const DType common = resultType(promoted);
  for (Source &source : sources)
    convertInteger(common, source);
  if (planner.args.check(sources.size() > 1, "got neither min nor max, expected one of them"))
    planner.map(planner.result(), {op, arithmeticOf(common)}, sources);
}
void clamp(Planner &planner) { clampBetween(planner, 1, 2); }
void clampMin(Planner &planner) { clampBetween(planner, 1, std::nullopt); }
void clampMax(Planner &planner) { clampBetween(planner, std::nullopt, 1); }

// --- Lists --------------------------------------------------------------------------------------------------

/// (self, other, alpha): each tensor of the list, with the one at its place in the other list, or with one number.
void foreachOf(Planner &planner, const MapRow &row, bool inPlace) {
  Tensors selves = planner.args.tensors(0);
  bool isList = row.operands > 1 && planner.args.at(1).is(Value::Kind::List);
  Tensors others = isList ? planner.args.tensors(1) : Tensors();
  if (planner.args.failed() ||
      !planner.args.check(!isList || others.size() == selves.size(), "got lists of unequal lengths"))
    return;
  for (unsigned i = 0; i < selves.size(); ++i) {
    std::optional<Tensor> out = inPlace ? std::optional(selves[i]) : planner.destination(i);
    llvm::SmallVector<PromotedOperand, 2> promoted = {promotedOf(selves[i])};
    llvm::SmallVector<Source, 3> sources = {selves[i]};
    if (row.operands > 1) {
      std::optional<Source> other = isList ? std::optional<Source>(others[i]) : sourceAt(planner, 1);
      if (!other)
        return;
      promoted.push_back(isList ? promotedOf(others[i]) : promotedOf(planner.args.at(1)));
      sources.push_back(std::move(*other));
    }
    if (row.weighted)
      sources.push_back(planner.args.has(2) ? Source::number(planner.args.at(2)) : Source(1.0));
    DType common = row.floating ? floatTypeOf(resultType(promoted)) : resultType(promoted);
    if (out)
      planner.map(*out, {row.op, arithmeticOf(common)}, sources);
  }
}

const MapRow listRows[] = {
    weighted("aten._foreach_add.List", MapOp::Add, 2),     weighted("aten._foreach_add.Scalar", MapOp::Add, 2),
    {"aten._foreach_div.List", MapOp::Div, 2, 2, 0, true}, {"aten._foreach_div.Scalar", MapOp::Div, 2, 2, 0, true},
    binary("aten._foreach_mul.List", MapOp::Mul),          binary("aten._foreach_mul.Scalar", MapOp::Mul),
    unary("aten._foreach_neg.default", MapOp::Neg),        function("aten._foreach_sqrt.default", MapOp::Sqrt),
    weighted("aten._foreach_sub.List", MapOp::Sub, 2),     weighted("aten._foreach_sub.Scalar", MapOp::Sub, 2),
};

} // namespace

std::vector<DeviceOperator> mapOperators() {
  std::vector<DeviceOperator> operators = {
      {"aten._conj.default", conjugate, Accepted::Complex},
      {"aten._conj_physical.default", conjugate, Accepted::Complex},
      {"aten.bitwise_not.default", bitwiseNot},
      {"aten.clamp.Tensor", clamp},
      {"aten.clamp.default", clamp},
      {"aten.clamp_max.Tensor", clampMax},
      {"aten.clamp_max.default", clampMax},
      {"aten.clamp_min.Tensor", clampMin},
      {"aten.clamp_min.default", clampMin},
      {"aten.div.Scalar_mode", divideByMode},
      {"aten.div.Tensor_mode", divideByMode},
      {"aten.floor_divide.default",
       [](Planner &p) {
         plan(p, {"", MapOp::FloorDivide, 2, 2}, p.result());
       }},
      {"aten.gelu.default", gelu},
      {"aten.gelu_backward.default", geluBackward},
      {"aten.log_sigmoid_forward.default", logSigmoid},
  };
  for (const MapRow &row : rows) {
    Accepted takes = row.target == "aten.mul.Tensor" ? Accepted::Complex : Accepted::Elements;
    operators.push_back({row.target.str(), [&row](Planner &p) { plan(p, row, p.result()); }, takes});
    operators.push_back({inPlaceName(row.target), [&row](Planner &p) { plan(p, row, p.args.tensor(0)); }, takes});
  }
  for (const MapRow &row : listRows) {
    operators.push_back({row.target.str(), [&row](Planner &p) { foreachOf(p, row, false); }});
    operators.push_back({inPlaceName(row.target), [&row](Planner &p) { foreachOf(p, row, true); }});
  }
  return operators;
}

} // namespace ccgraph::runtime::cuda

#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "kernels/python_operators.h"
#include "tensor/elements.h"

#include <algorithm>
#include <cmath>

namespace ccgraph::runtime {
namespace {

bool isReal(const Value &value) { return value.is(Value::Kind::Float); }
bool isWhole(const Value &value) { return value.is(Value::Kind::Int) || value.is(Value::Kind::Bool); }

/// A Python operator on two numbers, and the operator that it means on tensors.
struct PythonOp {
  llvm::StringRef target;
  llvm::StringRef onTensors;
  Value (*whole)(KernelArgs &args, int64_t a, int64_t b);
  Value (*real)(double a, double b);
};

// Numbers follow Python, not C: -7 // 2 is -4, -7 % 2 is 1, 7 / 2 is 3.5, and 2 ** -1 is 0.5. Python's integers are
// unlimited; ours have 64 bits, so a result that does not fit is an error instead of a wrong number.
Value floorDivide(KernelArgs &args, int64_t a, int64_t b) {
  if (!args.check(b != 0, "division by zero"))
    return {};
  return Value::integer(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

Value modulo(KernelArgs &args, int64_t a, int64_t b) {
  if (!args.check(b != 0, "division by zero"))
    return {};
  int64_t rest = a % b;
  return Value::integer(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

Value trueDivide(KernelArgs &args, int64_t a, int64_t b) {
  args.check(b != 0, "division by zero");
  return Value::floating(static_cast<double>(a) / static_cast<double>(b));
}

Value power(KernelArgs &args, int64_t a, int64_t b) {
  if (b < 0)
    return Value::floating(std::pow(static_cast<double>(a), static_cast<double>(b)));
  int64_t result = 1;
  for (int64_t i = 0; i < b && !args.failed(); ++i)
    args.check(!__builtin_mul_overflow(result, a, &result), "the power does not fit in 64 bits");
  return Value::integer(result);
}

template <bool (*overflows)(int64_t, int64_t, int64_t *)>
Value checked(KernelArgs &args, int64_t a, int64_t b) {
  int64_t result = 0;
  args.check(!overflows(a, b, &result), "the result does not fit in 64 bits");
  return Value::integer(result);
}
bool addOverflows(int64_t a, int64_t b, int64_t *out) { return __builtin_add_overflow(a, b, out); }
bool subOverflows(int64_t a, int64_t b, int64_t *out) { return __builtin_sub_overflow(a, b, out); }
bool mulOverflows(int64_t a, int64_t b, int64_t *out) { return __builtin_mul_overflow(a, b, out); }

#define CCGRAPH_COMPARE(NAME, OVERLOAD, OP)                                                                            \
  {                                                                                                                    \
    "operator." NAME, "aten." NAME OVERLOAD,                                                                           \
        [](KernelArgs &, int64_t a, int64_t b) { return Value::boolean(a OP b); },                                     \
        [](double a, double b) { return Value::boolean(a OP b); }                                                      \
  }
constexpr PythonOp pythonOps[] = {
    {"operator.add", "aten.add.Tensor", checked<addOverflows>,
     [](double a, double b) { return Value::floating(a + b); }},
    {"operator.and_", "aten.bitwise_and.Tensor",
     [](KernelArgs &, int64_t a, int64_t b) { return Value::integer(a & b); }, nullptr},
    CCGRAPH_COMPARE("eq", ".Tensor", ==),
    {"operator.floordiv", "aten.floor_divide.default", floorDivide,
     [](double a, double b) { return Value::floating(std::floor(a / b)); }},
    CCGRAPH_COMPARE("ge", ".Tensor", >=),
    CCGRAPH_COMPARE("gt", ".Tensor", >),
    CCGRAPH_COMPARE("le", ".Tensor", <=),
    CCGRAPH_COMPARE("lt", ".Tensor", <),
    {"operator.mod", "aten.remainder.Tensor", modulo, nullptr},
    {"operator.mul", "aten.mul.Tensor", checked<mulOverflows>,
     [](double a, double b) { return Value::floating(a * b); }},
    CCGRAPH_COMPARE("ne", ".Tensor", !=),
    {"operator.or_", "aten.bitwise_or.Tensor", [](KernelArgs &, int64_t a, int64_t b) { return Value::integer(a | b); },
     nullptr},
    {"operator.pow", "aten.pow.Tensor_Tensor", power,
     [](double a, double b) { return Value::floating(std::pow(a, b)); }},
    {"operator.sub", "aten.sub.Tensor", checked<subOverflows>,
     [](double a, double b) { return Value::floating(a - b); }},
    {"operator.truediv", "aten.div.Tensor", trueDivide, [](double a, double b) { return Value::floating(a / b); }},
    {"torch.sym_max", "aten.maximum.default",
     [](KernelArgs &, int64_t a, int64_t b) { return Value::integer(std::max(a, b)); },
     [](double a, double b) { return Value::floating(std::max(a, b)); }},
    {"torch.sym_min", "aten.minimum.default",
     [](KernelArgs &, int64_t a, int64_t b) { return Value::integer(std::min(a, b)); },
     [](double a, double b) { return Value::floating(std::min(a, b)); }},
};
#undef CCGRAPH_COMPARE

/// bool op bool stays bool for & and |, and only there.
bool keepsBool(const PythonOp &op, const Value &a, const Value &b) {
  return (op.target == "operator.and_" || op.target == "operator.or_") && a.is(Value::Kind::Bool) &&
         b.is(Value::Kind::Bool);
}

Value pythonOperator(KernelArgs &args) {
  const auto *op = llvm::find_if(pythonOps, [&](const PythonOp &o) { return o.target == args.target(); });
  const Value &a = args.at(0);
  const Value &b = args.at(1);
  if (a.is(Value::Kind::Tensor) || b.is(Value::Kind::Tensor)) {
    llvm::Expected<Value> result = runKernel(*findKernel(op->onTensors), {{a, b}, {}});
    return result ? *result : args.fail(llvm::toString(result.takeError()));
  }
  if (isWhole(a) && isWhole(b)) {
    Value result = op->whole(args, args.integer(0), args.integer(1));
    return keepsBool(*op, a, b) && !args.failed() ? Value::boolean(result.integer() != 0) : result;
  }
  bool numbers = (isReal(a) || isWhole(a)) && (isReal(b) || isWhole(b)) && op->real;
  if (!args.check(numbers, "got " + a.describe() + " and " + b.describe() + ", expected numbers"))
    return {};
  return op->real(args.number(0), args.number(1));
}

constexpr llvm::StringLiteral negation = "operator.neg";
constexpr llvm::StringLiteral negationOfTensors = "aten.neg.default";

Value negate(KernelArgs &args) {
  if (args.at(0).is(Value::Kind::Float))
    return Value::floating(-args.number(0));
  if (!args.at(0).is(Value::Kind::Tensor))
    return Value::integer(-args.integer(0));
  llvm::Expected<Value> result = runKernel(*findKernel(negationOfTensors), {{args.at(0)}, {}});
  return result ? *result : args.fail(llvm::toString(result.takeError()));
}

Value toFloat(KernelArgs &args) { return Value::floating(args.number(0)); }

/// Without its fraction, as int() of Python.
template <double (*round)(double)>
Value toWhole(KernelArgs &args) {
  if (isWhole(args.at(0)))
    return Value::integer(args.integer(0));
  double value = round(args.number(0));
  bool fits = std::abs(value) < 0x1p63; // false for NaN too
  args.check(fits, "got " + args.at(0).describe() + ", expected a number that fits in 64 bits");
  return Value::integer(fits ? static_cast<int64_t>(value) : 0);
}

Value squareRoot(KernelArgs &args) { return Value::floating(std::sqrt(args.number(0))); }

/// (condition, value if true, value if false)
Value ifThenElse(KernelArgs &args) { return args.at(args.number(0) != 0 ? 1 : 2); }

Value logicalNot(KernelArgs &args) { return Value::boolean(args.number(0) == 0); }

// --- Indexing ----------------------------------------------------------------------------------
/// Bounds of a Python slice over `size` elements; the step is positive.
struct Range {
  int64_t start;
  int64_t end;
  int64_t step;
};

std::optional<Range> rangeOf(KernelArgs &args, const Value &slice, int64_t size) {
  auto bound = [&](size_t i, int64_t otherwise) {
    const Value &value = slice.list()[i];
    args.check(value.isNone() || value.is(Value::Kind::Int), "got a bound " + value.describe());
    return value.is(Value::Kind::Int) ? value.integer() : otherwise;
  };
  Range range{bound(0, 0), bound(1, size), bound(2, 1)};
  if (!args.check(range.step > 0, "got a slice with step " + llvm::Twine(range.step)))
    return std::nullopt;
  auto clip = [&](int64_t b) { return std::clamp<int64_t>(b < 0 ? b + size : b, 0, size); };
  range.start = clip(range.start);
  range.end = std::max(range.start, clip(range.end));
  return args.failed() ? std::nullopt : std::optional(range);
}

Value listItem(KernelArgs &args, const Value::List &list, const Value &index) {
  auto size = static_cast<int64_t>(list.size());
  if (index.is(Value::Kind::Slice)) {
    Value::List result;
    if (std::optional<Range> range = rangeOf(args, index, size))
      for (int64_t i = range->start; i < range->end; i += range->step)
        result.push_back(list[static_cast<size_t>(i)]);
    return Value::list(std::move(result));
  }
  if (!args.check(index.is(Value::Kind::Int), "got an index " + index.describe()))
    return {};
  int64_t at = index.integer() < 0 ? index.integer() + size : index.integer();
  if (!args.check(at >= 0 && at < size,
                  "got index " + llvm::Twine(index.integer()) + " of a list of " + llvm::Twine(size)))
    return {};
  return list[static_cast<size_t>(at)];
}

/// x[1], x[1:2], x[None], and tuples of these.
Value tensorItem(KernelArgs &args, Tensor tensor, const Value &index) {
  Value::List parts = index.is(Value::Kind::List) ? index.list() : Value::List{index};
  int64_t dim = 0;
  for (const Value &part : parts) {
    if (part.isNone()) {
      tensor = tensor.unsqueeze(dim++);
      continue;
    }
    if (!args.check(dim < tensor.rank(), "got more indices than dimensions of " + typeOf(tensor)))
      return {};
    int64_t size = tensor.size(dim);
    if (part.is(Value::Kind::Slice)) {
      std::optional<Range> range = rangeOf(args, part, size);
      if (!range)
        return {};
      tensor = tensor.slice(dim++, range->start, range->end, range->step);
      continue;
    }
    bool fits = part.is(Value::Kind::Int) && part.integer() >= -size && part.integer() < size;
    if (!args.check(fits,
                    "got index " + part.describe() + " on dimension " + llvm::Twine(dim) + " of " + typeOf(tensor)))
      return {};
    tensor = tensor.select(dim, part.integer() < 0 ? part.integer() + size : part.integer());
  }
  return tensor;
}

Value getItem(KernelArgs &args) {
  const Value &from = args.at(0);
  if (from.is(Value::Kind::List))
    return listItem(args, from.list(), args.at(1));
  if (from.is(Value::Kind::Tensor))
    return tensorItem(args, from.tensor(), args.at(1));
  return args.fail("got " + from.describe() + ", expected a list or a tensor");
}

// --- Sizes and numbers -------------------------------------------------------------------------
Value symSum(KernelArgs &args) {
  int64_t sum = 0;
  for (int64_t value : args.integers(0))
    args.check(!__builtin_add_overflow(sum, value, &sum), "the sum does not fit in 64 bits");
  return Value::integer(sum);
}

Value symSize(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  bool shaped = args.check(self.rank() > 0, "got a 0-d tensor");
  return shaped && !args.failed() ? Value::integer(self.size(dim)) : Value();
}

Value symStride(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  bool shaped = args.check(self.rank() > 0, "got a 0-d tensor");
  return shaped && !args.failed() ? Value::integer(self.stride(dim)) : Value();
}

/// (self, memory_format)
Value isLaidOut(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  llvm::StringRef format = args.text(1, "contiguous_format");
  bool channelsLast = llvm::StringRef(format).contains("channels_last");
  return Value::boolean(channelsLast ? isChannelsLast(self.sizes(), self.strides()) : self.isContiguous());
}

Value symNumel(KernelArgs &args) { return Value::integer(args.tensor(0).numElements()); }
Value symOffset(KernelArgs &args) { return Value::integer(args.tensor(0).offset()); }

/// The number in a tensor of one element, as Python's class of it.
Value localScalar(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  bool known = self.numElements() == 1 && convertible(self.dtype());
  if (args.failed() || !args.check(known, "got " + typeOf(self) + ", expected one number"))
    return {};
  if (isComplex(self.dtype()))
    return Value::complex(readElement<Complex>(self.dtype(), self.data()));
  if (isFloat(self.dtype()))
    return Value::floating(readElement<double>(self.dtype(), self.data()));
  auto value = readElement<int64_t>(self.dtype(), self.data());
  return self.dtype() == DType::Bool ? Value::boolean(value != 0) : Value::integer(value);
}

Value assertScalar(KernelArgs &args) {
  double value = args.number(0);
  args.check(value != 0, "assertion failed: " + args.text(1, ""));
  return {};
}

Value assertAsync(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  if (!args.failed() &&
      args.check(self.numElements() == 1 && computable(self.dtype()), "got " + typeOf(self) + ", expected one element"))
    args.check(readElement<Complex>(self.dtype(), self.data()) != Complex(0), "assertion failed: " + args.text(1, ""));
  return {};
}

/// (size, min, max): the number lies between the bounds, each of which may be None.
Value constrainRange(KernelArgs &args) {
  int64_t value = args.integer(0);
  int64_t low = args.integer(1, INT64_MIN);
  int64_t high = args.integer(2, INT64_MAX);
  args.check(value >= low && value <= high,
             "got " + llvm::Twine(value) + ", expected " + llvm::Twine(low) + " to " + llvm::Twine(high));
  return {};
}

/// Marks of the profiler have no time here, but the end of a range refers to its beginning.
Value beginMark(KernelArgs &) { return Value::opaque("a mark of the profiler"); }
Value endMark(KernelArgs &) { return {}; }

const Kernel kernels[] = {
    {"aten._assert_async.default", "self", assertAsync},
    {"aten._assert_async.msg", "self,assert_msg", assertAsync},
    {"aten._assert_scalar.default", "self,assert_msg", assertScalar},
    {"aten._local_scalar_dense.default", "self", localScalar},
    {"aten.item.default", "self", localScalar},
    {"aten.sym_constrain_range.default", "size,min,max", constrainRange},
    {"aten.sym_constrain_range_for_size.default", "size,min,max", constrainRange},
    {"aten.sym_is_contiguous.default", "self,memory_format", isLaidOut},
    {"aten.sym_numel.default", "self", symNumel},
    {"aten.sym_size.int", "self,dim", symSize},
    {"aten.sym_storage_offset.default", "self", symOffset},
    {"aten.sym_stride.int", "self,dim", symStride},
    {"math.ceil", "a", toWhole<std::ceil>},
    {"math.floor", "a", toWhole<std::floor>},
    {"math.trunc", "a", toWhole<std::trunc>},
    {"operator.getitem", "a,b", getItem},
    {negation, "a", negate},
    {"operator.not_", "a", logicalNot},
    {"profiler._record_function_enter.default", "name,args", beginMark},
    {"profiler._record_function_enter_new.default", "name,args", beginMark},
    {"profiler._record_function_exit._RecordFunction", "handle", endMark},
    {"torch._sym_sqrt", "a", squareRoot},
    {"torch.sym_float", "a", toFloat},
    {"torch.sym_int", "a", toWhole<std::trunc>},
    {"torch.sym_ite", "b,t,f", ifThenElse},
    {"torch.sym_not", "a", logicalNot},
    {"torch.sym_sum", "args", symSum},
};

} // namespace

std::optional<llvm::StringRef> tensorOperator(llvm::StringRef target) {
  const Kernel *kernel = findKernel(target);
  if (!kernel)
    return std::nullopt;
  if (kernel->target == negation)
    return negationOfTensors;
  const auto *op = llvm::find_if(pythonOps, [&](const PythonOp &o) { return o.target == kernel->target; });
  return op == std::end(pythonOps) ? std::nullopt : std::optional(op->onTensors);
}

llvm::ArrayRef<Kernel> hostKernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> result(std::begin(kernels), std::end(kernels));
    for (const PythonOp &op : pythonOps)
      result.push_back({op.target, "a,b", pythonOperator});
    return result;
  }();
  return all;
}

} // namespace ccgraph::runtime

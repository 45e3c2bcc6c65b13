#include "kernels/random.h"

#include "ccgraph/ir/strides.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {
namespace {

// Operators draw one number an element, in row-major order of the result, whatever its strides: so the numbers depend
// on the order of the random operators, and on nothing else. Numbers are drawn as doubles and rounded to the dtype.

/// Draws one element.
using Draw = llvm::function_ref<double(Numbers &)>;

Tensor filled(const Tensor &tensor, Numbers &numbers, Draw draw) {
  Tensor row = Tensor::zeros(tensor.dtype(), tensor.sizes());
  for (int64_t i = 0, n = row.numElements(); i < n; ++i)
    writeElement<double>(row.dtype(), row.data() + i * row.elementSize(), draw(numbers));
  tensor.copyFrom(row);
  return tensor;
}

DType dtypeOf(const CallSite &site, DType otherwise) {
  const Value *dtype = site.argument(site.op->paramIndex("dtype"));
  return dtype && dtype->is(Value::Kind::DType) ? dtype->dtype() : otherwise;
}

llvm::Expected<Tensor> sized(const CallSite &site, DType otherwise) {
  int size = site.op->paramIndex("size");
  llvm::Expected<std::vector<int64_t>> sizes = site.integers(size);
  if (!sizes)
    return sizes.takeError();
  if (llvm::any_of(*sizes, [](int64_t n) { return n < 0; }))
    return site.wrongArgument(size, "sizes from 0 on");
  return Tensor::zeros(dtypeOf(site, otherwise), *sizes);
}

/// Memory like the first argument's: its sizes, and its strides where they are dense.
llvm::Expected<Tensor> like(const CallSite &site) {
  const Value *self = site.argument(0);
  if (self == nullptr || !self->is(Value::Kind::Tensor))
    return site.wrongArgument(0, "a tensor");
  const Tensor &tensor = self->tensor();
  return Tensor::zeros(dtypeOf(site, tensor.dtype()), tensor.sizes(),
                       preservedStrides(tensor.sizes(), tensor.strides()));
}

llvm::Expected<Value> fill(llvm::Expected<Tensor> tensor, Numbers &numbers, Draw draw) {
  if (!tensor)
    return tensor.takeError();
  return Value(filled(*tensor, numbers, draw));
}

double uniform(Numbers &numbers) { return numbers.uniform(); }
double normal(Numbers &numbers) { return numbers.nearNormal(); }

llvm::Expected<Value> rand(const CallSite &site, Numbers &numbers) {
  return fill(sized(site, DType::F32), numbers, uniform);
}
llvm::Expected<Value> randn(const CallSite &site, Numbers &numbers) {
  return fill(sized(site, DType::F32), numbers, normal);
}
llvm::Expected<Value> randLike(const CallSite &site, Numbers &numbers) { return fill(like(site), numbers, uniform); }
llvm::Expected<Value> randnLike(const CallSite &site, Numbers &numbers) { return fill(like(site), numbers, normal); }

/// Integers in low..high-1; the schema without `low` starts at 0.
/// The remainder favours small numbers a little where the range does not divide 2^64: far too little to show in a test.
llvm::Expected<Value> randint(const CallSite &site, Numbers &numbers) {
  const OpDef &op = *site.op;
  int lowIndex = op.paramIndex("low");
  llvm::Expected<int64_t> low = lowIndex < 0 ? llvm::Expected<int64_t>(0) : site.integer(lowIndex);
  llvm::Expected<int64_t> high = site.integer(op.paramIndex("high"));
  if (!low || !high)
    return llvm::joinErrors(low.takeError(), high.takeError());
  if (*low >= *high)
    return site.wrongArgument(op.paramIndex("high"), "more than " + std::to_string(*low));
  auto range = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
  return fill(sized(site, DType::I64), numbers,
              [&](Numbers &n) { return static_cast<double>(*low) + static_cast<double>(n.next() % range); });
}

/// Fisher and Yates's shuffle.
llvm::Expected<Value> randperm(const CallSite &site, Numbers &numbers) {
  llvm::Expected<int64_t> count = site.integer(0);
  if (!count)
    return count.takeError();
  if (*count < 0)
    return site.wrongArgument(0, "a number from 0 on");
  std::vector<int64_t> order(static_cast<size_t>(*count));
  for (size_t i = 0; i < order.size(); ++i) {
    size_t at = numbers.next() % (i + 1);
    order[i] = order[at];
    order[at] = static_cast<int64_t>(i);
  }
  Tensor result = Tensor::zeros(dtypeOf(site, DType::I64), {*count});
  for (size_t i = 0; i < order.size(); ++i)
    writeElement<int64_t>(result.dtype(), result.data() + static_cast<int64_t>(i) * result.elementSize(), order[i]);
  return Value(std::move(result));
}

llvm::Expected<double> probability(const CallSite &site, int parameter) {
  const Value *p = site.argument(parameter);
  double value = p && p->is(Value::Kind::Float) ? p->floating()
                 : p && p->is(Value::Kind::Int) ? static_cast<double>(p->integer())
                                                : -1.0;
  if (value < 0 || value > 1)
    return site.wrongArgument(parameter, "a probability from 0 to 1");
  return value;
}

llvm::Expected<Value> bernoulliP(const CallSite &site, Numbers &numbers) {
  llvm::Expected<double> p = probability(site, 1);
  if (!p)
    return p.takeError();
  return fill(like(site), numbers, [&](Numbers &n) { return n.uniform() < *p ? 1.0 : 0.0; });
}

/// Each element is its own probability.
llvm::Expected<Value> bernoulli(const CallSite &site, Numbers &numbers) {
  llvm::Expected<Tensor> result = like(site);
  if (!result)
    return result.takeError();
  Tensor odds = site.argument(0)->tensor().contiguous();
  const std::byte *at = odds.data();
  filled(*result, numbers, [&](Numbers &n) {
    double p = readElement<double>(odds.dtype(), at);
    at += odds.elementSize();
    return n.uniform() < p ? 1.0 : 0.0;
  });
  return Value(*result);
}

/// (input * mask / (1 - p), mask) with mask = 1 where an element is kept; drawn only in training and for p > 0.
llvm::Expected<Value> nativeDropout(const CallSite &site, Numbers &numbers) {
  llvm::Expected<Tensor> result = like(site);
  llvm::Expected<double> p = probability(site, 1);
  if (!result || !p)
    return llvm::joinErrors(result.takeError(), p.takeError());
  const Value *train = site.argument(2);
  bool drops = *p > 0 && !(train && train->is(Value::Kind::Bool) && !train->boolean());
  Tensor input = site.argument(0)->tensor();
  Tensor mask = filled(Tensor::zeros(DType::Bool, input.sizes()), numbers,
                       [&](Numbers &n) { return !drops || n.uniform() >= *p ? 1.0 : 0.0; });
  Tensor source = input.contiguous(), row = Tensor::zeros(input.dtype(), input.sizes());
  double scale = drops && *p < 1 ? 1.0 / (1.0 - *p) : 1.0;
  for (int64_t i = 0, n = row.numElements(); i < n; ++i) {
    bool kept = mask.data()[i] != std::byte{0};
    double value = kept ? readElement<double>(source.dtype(), source.data() + i * source.elementSize()) * scale : 0.0;
    writeElement<double>(row.dtype(), row.data() + i * row.elementSize(), value);
  }
  result->copyFrom(row);
  return Value::list({Value(*result), Value(mask)});
}

// aten.dropout has the parameters of native_dropout in the same places, and yields the first of its two results.
llvm::Expected<Value> dropout(const CallSite &site, Numbers &numbers) {
  llvm::Expected<Value> both = nativeDropout(site, numbers);
  return both ? llvm::Expected<Value>(both->list().front()) : std::move(both);
}

constexpr RandomOp ops[] = {
    {"aten.bernoulli.default", bernoulli}, {"aten.bernoulli.p", bernoulliP},
    {"aten.dropout.default", dropout},     {"aten.native_dropout.default", nativeDropout},
    {"aten.rand.default", rand},           {"aten.rand_like.default", randLike},
    {"aten.randint.default", randint},     {"aten.randint.low", randint},
    {"aten.randn.default", randn},         {"aten.randn_like.default", randnLike},
    {"aten.randperm.default", randperm},
};

} // namespace

const RandomOp *findRandomOp(llvm::StringRef target) {
  const auto *found =
      llvm::lower_bound(ops, target, [](const RandomOp &op, llvm::StringRef name) { return op.target < name; });
  return found != std::end(ops) && found->target == target ? found : nullptr;
}

} // namespace ccgraph::runtime

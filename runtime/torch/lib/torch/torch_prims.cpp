#include "torch/torch_prims.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

using Result = llvm::Expected<Value>;

/// One call of a prim, and the kernels that it calls in turn.
struct PrimCall {
  llvm::ArrayRef<const ProvidedKernel *> parts;
  llvm::ArrayRef<Value> values;
  llvm::ArrayRef<Tensor> destinations;

  [[nodiscard]] const Value &at(size_t parameter) const {
    static const Value none;
    return parameter < values.size() ? values[parameter] : none;
  }
  /// Writes into memory of its own.
  [[nodiscard]] Result make(size_t part, llvm::ArrayRef<Value> arguments) const {
    return parts[part]->compute(arguments, {});
  }
  /// Writes the result to the plan's destination.
  [[nodiscard]] Result finish(size_t part, llvm::ArrayRef<Value> arguments) const {
    return parts[part]->compute(arguments, destinations);
  }
};

using Arguments = llvm::Expected<std::vector<Value>>;

struct Prim {
  /// without its overload, which is "default"
  llvm::StringLiteral target;
  llvm::StringLiteral parameters;
  /// the operators that it calls, comma-separated; none that only copies
  llvm::StringLiteral parts;
  /// of the one operator that it is; null where it is several
  Arguments (*arrange)(const PrimCall &call);
  /// null where it is one
  Result (*compute)(const PrimCall &call) = nullptr;
};

llvm::Error wrong(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// One operator, which takes the same arguments in the same order.
Arguments callTheSame(const PrimCall &call) { return call.values.vec(); }

/// (a, dtype), (a, device, ...): device and what follows it change nothing, since all tensors are here.
Arguments convert(const PrimCall &call) { return std::vector<Value>{call.at(0), call.at(1)}; }
Arguments put(const PrimCall &call) { return std::vector<Value>{call.at(0)}; }

Result multiplyAdd(const PrimCall &call) {
  Result product = call.make(0, {call.at(0), call.at(1)});
  return product ? call.finish(1, {*product, call.at(2)}) : std::move(product);
}

/// (length, start, step, dtype, ...) -> arange(start, end, step, dtype)
Arguments iota(const PrimCall &call) {
  for (size_t i : {0, 1, 2})
    if (!call.at(i).is(Value::Kind::Int))
      return wrong("prims.iota: got " + call.at(i).describe() + ", expected a whole number");
  int64_t span = 0, end = 0;
  if (__builtin_mul_overflow(call.at(0).integer(), call.at(2).integer(), &span) ||
      __builtin_add_overflow(call.at(1).integer(), span, &end))
    return wrong("prims.iota: its end does not fit in 64 bits");
  return std::vector<Value>{call.at(1), Value::integer(end), call.at(2), call.at(3)};
}

/// (input, stride): the tensor itself where it has these strides; else their elements, copied.
Result forceStrides(const PrimCall &call) {
  if (!call.at(0).is(Value::Kind::Tensor) || !call.at(1).is(Value::Kind::List))
    return wrong("prims.inductor_force_stride_order: got " + call.at(0).describe() + " and " + call.at(1).describe() +
                 ", expected a tensor and its strides");
  const Tensor &input = call.at(0).tensor();
  IntList strides;
  for (const Value &stride : call.at(1).list())
    strides.push_back(stride.is(Value::Kind::Int) ? stride.integer() : -1);
  if (strides.size() != input.sizes().size() || llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return wrong("prims.inductor_force_stride_order: got strides " + call.at(1).describe() + " for " +
                 input.typeText() + ", expected one for each dimension");
  if (input.strides() == IntListRef(strides))
    return call.at(0);
  Tensor copy = Tensor::zeros(input.dtype(), input.sizes(), strides);
  copy.copyFrom(input);
  return Value(copy);
}

/// (a, dim) -> the largest of each line, and the sum of exp(element - largest)
Result prepareSoftmax(const PrimCall &call) {
  Value dims = Value::list({call.at(1)}), keep = Value::boolean(true);
  Result most = call.make(0, {call.at(0), dims, keep});
  if (!most)
    return most;
  Result below = call.make(1, {call.at(0), *most});
  if (!below)
    return below;
  Result powers = call.make(2, {*below});
  if (!powers)
    return powers;
  Result sum = call.make(3, {*powers, dims, keep});
  return sum ? Result(Value::list({*most, *sum})) : std::move(sum);
}

constexpr Prim prims[] = {
    {"prims._unsafe_index_put_", "self,indices,values,accumulate", "aten.index_put_.default", callTheSame},
    {"prims.bitwise_and", "self,other", "aten.bitwise_and.Tensor", callTheSame},
    {"prims.bitwise_or", "self,other", "aten.bitwise_or.Tensor", callTheSame},
    {"prims.bitwise_xor", "self,other", "aten.bitwise_xor.Tensor", callTheSame},
    {"prims.convert_element_type", "a,dtype", "aten._to_copy.default", convert},
    {"prims.device_put", "a,device,non_blocking", "aten.clone.default", put},
    {"prims.fma", "a,b,c", "aten.mul.Tensor,aten.add.Tensor", nullptr, multiplyAdd},
    {"prims.inductor_force_stride_order", "input,stride", "", nullptr, forceStrides},
    {"prims.iota", "length,start,step,dtype,device,requires_grad", "aten.arange.start_step", iota},
    {"prims.prepare_softmax_online", "a,dim", "aten.amax.default,aten.sub.Tensor,aten.exp.default,aten.sum.dim_IntList",
     nullptr, prepareSoftmax},
    {"prims.rev", "a,dims", "aten.flip.default", callTheSame},
};

class PrimKernel final : public ProvidedKernel, public DeviceKernel {
public:
  PrimKernel(const Prim &prim, llvm::SmallVector<const ProvidedKernel *, 4> parts)
      : prim_(&prim), parts_(std::move(parts)) {}
  [[nodiscard]] llvm::StringRef parameters() const override { return prim_->parameters; }
  [[nodiscard]] bool isOnHost() const override {
    return llvm::all_of(parts_, [](const ProvidedKernel *part) { return part->isOnHost(); });
  }
  [[nodiscard]] Result compute(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations) const override {
    PrimCall call{parts_, values, destinations};
    if (prim_->compute)
      return prim_->compute(call);
    Arguments arguments = prim_->arrange(call);
    return arguments ? call.finish(0, *arguments) : Result(arguments.takeError());
  }

  // Values between several operators have no memory on a device, so a prim runs on a device only where it is one
  // operator.
  [[nodiscard]] const DeviceKernel *onDevice() const override {
    return prim_->arrange && parts_.front()->onDevice() ? this : nullptr;
  }
  [[nodiscard]] bool takes(llvm::ArrayRef<DType> dtypes) const override { return part().takes(dtypes); }
  [[nodiscard]] const DeviceAllocator *allocator() const override { return part().allocator(); }
  [[nodiscard]] bool canBeSimulated() const override { return part().canBeSimulated(); }
  [[nodiscard]] llvm::Error enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                    const DeviceQueue &queue) const override {
    Arguments arguments = prim_->arrange({parts_, values, destinations});
    return arguments ? part().enqueue(*arguments, destinations, queue) : arguments.takeError();
  }
  [[nodiscard]] std::string whyNotCaptured(llvm::ArrayRef<Value> values) const override {
    Arguments arguments = prim_->arrange({parts_, values, {}});
    return arguments ? part().whyNotCaptured(*arguments) : llvm::toString(arguments.takeError());
  }

private:
  [[nodiscard]] const DeviceKernel &part() const { return *parts_.front()->onDevice(); }

  const Prim *prim_;
  llvm::SmallVector<const ProvidedKernel *, 4> parts_;
};

} // namespace

std::unique_ptr<ProvidedKernel> makePrimKernel(llvm::StringRef target,
                                               llvm::function_ref<const ProvidedKernel *(llvm::StringRef)> find) {
  target.consume_back(".default");
  const auto *prim = llvm::find_if(prims, [&](const Prim &p) { return p.target == target; });
  if (prim == std::end(prims))
    return nullptr;
  llvm::SmallVector<llvm::StringRef, 4> names;
  prim->parts.split(names, ',', -1, false);
  llvm::SmallVector<const ProvidedKernel *, 4> parts;
  for (llvm::StringRef name : names) {
    parts.push_back(find(name));
    if (!parts.back())
      return nullptr;
  }
  return std::make_unique<PrimKernel>(*prim, std::move(parts));
}

} // namespace ccgraph::runtime

#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include <cmath>

namespace ccgraph::infer {
namespace {

Device hostOf(const Call &call) { return {call.context.identifier("cpu"), -1}; }

/// Returns the dtype of a tensor that is made of a Python number.
DType dtypeOfNumber(const Argument *number) {
  if (number && number->is(Argument::Kind::Bool))
    return DType::Bool;
  bool isInteger = number && (number->is(Argument::Kind::Int) || number->is(Argument::Kind::Symbolic) ||
                              number->is(Argument::Kind::Operand));
  return isInteger ? DType::I64 : DType::F32;
}

std::optional<double> numberAt(const Call &call, llvm::StringRef name, double otherwise) {
  const Argument *argument = call.given(name);
  if (!argument)
    return otherwise;
  if (argument->is(Argument::Kind::Int))
    return static_cast<double>(argument->integer());
  return argument->is(Argument::Kind::Float) ? std::optional(argument->floating()) : std::nullopt;
}

} // namespace

// Without a dtype or a device the program's defaults decide (torch.set_default_dtype, torch.set_default_device).
TypePtr createdType(Call &call) {
  auto sizes = dimsAt(call.node, 0);
  const Argument *fill = call.given("fill_value");
  auto dtype = call.dtypeOr(fill ? dtypeOfNumber(fill) : DType::F32);
  if (!sizes || !dtype)
    return nullptr;
  call.assumeUnless(call.given("dtype") && call.namesDevice());
  llvm::StringRef format = call.memoryFormat();
  TypePtr like = call.contiguous(*dtype, *sizes, call.deviceOr(hostOf(call)));
  return format == "preserve_format" ? like : formatted(call, *like, *sizes, format);
}

TypePtr newType(Call &call) {
  TypePtr self = call.tensor(0);
  auto sizes = dimsAt(call.node, 1);
  auto dtype = self ? call.dtypeOr(self->dtype()) : std::nullopt;
  if (!dtype || !sizes)
    return nullptr;
  call.assumeUnless(!call.given("device") || call.namesDevice());
  return call.contiguous(*dtype, *sizes, call.deviceOr(self->device()));
}

TypePtr stridedType(Call &call) {
  TypePtr self = call.tensor("self");
  auto sizes = dimsAt(call.node, call.index("size"));
  auto strides = dimsAt(call.node, call.index("stride"));
  auto dtype = call.dtypeOr(self ? self->dtype() : DType::F32);
  if (!sizes || !strides || !dtype || sizes->size() != strides->size())
    return nullptr;
  return call.context.tensor(*dtype, {*sizes, *strides, true}, call.deviceOr(self ? self->device() : hostOf(call)));
}

TypePtr scalarType(Call &call) {
  // Whatever the number is: scalar_tensor(1) is an f32.
  auto dtype = call.dtypeOr(DType::F32);
  return dtype ? call.contiguous(*dtype, {}, call.deviceOr(hostOf(call))) : nullptr;
}

// arange(1, 8, 3) is 1, 4, 7.
TypePtr rangeType(Call &call) {
  bool whole = true;
  for (llvm::StringRef name : {"start", "end", "step"})
    if (const Argument *argument = call.given(name))
      whole &= argument->is(Argument::Kind::Int) || argument->is(Argument::Kind::Operand) ||
               argument->is(Argument::Kind::Symbolic);
  auto dtype = call.dtypeOr(whole ? DType::I64 : DType::F32);
  if (!dtype)
    return nullptr;
  Device device = call.deviceOr(hostOf(call));
  if (auto end = call.dim("end"); end && !end->isStatic() && !call.given("start") && !call.given("step"))
    return call.contiguous(*dtype, {*end}, device);
  auto start = numberAt(call, "start", 0);
  auto end = numberAt(call, "end", 0);
  auto step = numberAt(call, "step", 1);
  if (!start || !end || !step || *step == 0 || !(std::abs((*end - *start) / *step) < 1e15))
    return nullptr;
  return call.contiguous(*dtype, {Dim(static_cast<int64_t>(std::ceil((*end - *start) / *step)))}, device);
}

TypePtr iotaType(Call &call) {
  auto length = call.dim("length");
  auto dtype = call.dtypeOr(DType::I64);
  return length && dtype ? call.contiguous(*dtype, {*length}, call.deviceOr(hostOf(call))) : nullptr;
}

} // namespace ccgraph::infer

#include "results.h"

#include "conversion.h"

#include <ATen/ATen.h>

namespace ccgraph::runtime {
namespace {

void tell(const at::Tensor &result, TorchResults &results) {
  if (!result.defined())
    return results.none();
  TORCH_CHECK(result.layout() == c10::kStrided && result.device().is_cpu(),
              "yields a tensor that is not strided, or not on the CPU");
  at::Tensor plain = result.resolve_conj().resolve_neg();
  results.tensor({static_cast<std::byte *>(plain.data_ptr()), static_cast<int>(plain.scalar_type()),
                  static_cast<size_t>(plain.dim()), plain.sizes().data(), plain.strides().data()});
}

void tell(const c10::IValue &result, TorchResults &results) {
  if (result.isNone())
    return results.none();
  if (result.isTensor())
    return tell(result.toTensor(), results);
  if (result.isBool())
    return results.boolean(result.toBool());
  if (result.isInt())
    return results.integer(result.toInt());
  if (result.isDouble())
    return results.floating(result.toDouble());
  if (result.isComplexDouble())
    return results.complex(result.toComplexDouble().real(), result.toComplexDouble().imag());
  if (result.isSymInt())
    return results.integer(result.toSymInt().expect_int());
  TORCH_CHECK(result.isList(), "yields a ", result.tagKind(), ", which nothing here is");
  results.beginList();
  for (const c10::IValue &element : result.toListRef())
    tell(element, results);
  results.endList();
}

} // namespace

void tellAll(const torch::jit::Stack &stack, TorchResults &results) {
  if (stack.size() == 1)
    return tell(stack.front(), results);
  if (stack.empty())
    return results.none();
  results.beginList();
  for (const c10::IValue &result : stack)
    tell(result, results);
  results.endList();
}

namespace {

/// Returns whether the bytes from the first element to the last one include bytes of the other.
bool overlap(const at::Tensor &a, const at::Tensor &b) {
  auto endOf = [](const at::Tensor &t) {
    int64_t last = 0;
    for (int64_t i = 0; i < t.dim(); ++i)
      last += (t.size(i) - 1) * t.stride(i);
    return static_cast<std::byte *>(t.data_ptr()) + (last + 1) * static_cast<int64_t>(t.element_size());
  };
  return a.numel() != 0 && b.numel() != 0 && a.data_ptr() < endOf(b) && b.data_ptr() < endOf(a);
}

bool isAt(const at::Tensor &result, const at::Tensor &window) {
  if (result.data_ptr() != window.data_ptr() || result.is_conj() || result.is_neg())
    return false;
  for (int64_t i = 0; i < result.dim(); ++i)
    if (result.size(i) > 1 && result.stride(i) != window.stride(i))
      return false;
  return true;
}

void leaveIn(const TorchTensor &destination, const c10::IValue &result, c10::Device device) {
  if (destination.dtype < 0)
    return;
  TORCH_CHECK(result.isTensor() && result.toTensor().defined(), "yields a ", result.tagKind(), ", expected a tensor");
  at::Tensor window = tensorOver(destination, device), made = result.toTensor();
  TORCH_CHECK(made.layout() == c10::kStrided && made.sizes() == window.sizes() &&
                  made.scalar_type() == window.scalar_type(),
              "yields ", made.toString(), " ", made.sizes(), ", expected ", window.toString(), " ", window.sizes());
  if (isAt(made, window))
    return;
  // Otherwise the copy would read elements that it has written.
  window.copy_(overlap(made, window) ? made.clone() : made);
}

} // namespace

void leaveIn(const TorchFill &call, const torch::jit::Stack &stack, c10::Device device) {
  bool isList = stack.size() == 1 && stack.front().isList();
  std::vector<c10::IValue> results = isList ? stack.front().toListRef().vec() : stack;
  TORCH_CHECK(call.numDestinations <= results.size() || results.empty(), "yields ", results.size(),
              " results, expected ", call.numDestinations);
  for (size_t i = 0; i < std::min(call.numDestinations, results.size()); ++i)
    leaveIn(call.destinations[i], results[i], device);
}

} // namespace ccgraph::runtime

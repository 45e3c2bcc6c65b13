// OfferedWindows: does a kernel give the same where the caller says where results go?
//
// An engine offers windows of an arena, which hold anything and begin anywhere. A kernel that leaves out an element, or takes new
// memory for granted, gives other values there than in memory of its own.
//
// Failure: none. Cost: a copy of all that the call was given, and the kernel once more.
#pragma once

#include "kernels/calls.h"

#include <cstring>
#include <map>

namespace ccgraph::test {

/// The same call on copies of its memory; tensors that share memory share the copy.
class TwinCall {
public:
  explicit TwinCall(const runtime::KernelCall &call) {
    for (const runtime::Value &value : call.positional)
      call_.positional.push_back(twinOf(value));
    for (const auto &[name, value] : call.keywords)
      call_.keywords.emplace_back(name, twinOf(value));
  }

  /// The kernel's results in windows, against `alone`, what it gave in memory of its own; "" where they are equal.
  [[nodiscard]] std::string differenceInWindows(const runtime::Kernel &kernel, const runtime::Value &alone) {
    runtime::Tensors windows;
    if (alone.is(runtime::Value::Kind::Tensor))
      windows.push_back(windowFor(alone));
    else if (alone.is(runtime::Value::Kind::List))
      for (const runtime::Value &element : alone.list())
        windows.push_back(windowFor(element));
    llvm::Expected<runtime::Value> offered = runtime::callWithinRun(kernel, std::move(call_), windows);
    if (!offered)
      return "fails in windows of the caller's: " + llvm::toString(offered.takeError());
    return equal(alone, *offered) ? "" : "gives other values in windows of the caller's";
  }

private:
  runtime::Value twinOf(const runtime::Value &value) {
    if (value.is(runtime::Value::Kind::Tensor))
      return twinOf(value.tensor());
    if (!value.is(runtime::Value::Kind::List))
      return value;
    runtime::Value::List list;
    for (const runtime::Value &element : value.list())
      list.push_back(twinOf(element));
    return runtime::Value::list(std::move(list));
  }

  runtime::Tensor twinOf(const runtime::Tensor &tensor) {
    if (!tensor.storage())
      return tensor;
    std::shared_ptr<runtime::Storage> &twin = twins_[tensor.storage()];
    if (!twin) {
      twin = std::make_shared<runtime::Storage>(tensor.storage()->size());
      std::copy(tensor.storage()->data(), tensor.storage()->data() + twin->size(), twin->data());
    }
    return runtime::Tensor::over(twin, tensor.dtype(),
                                 {toDims(tensor.sizes()), toDims(tensor.strides()), tensor.offset()});
  }

  /// None for what the kernel was given: it yields that itself.
  runtime::Tensor windowFor(const runtime::Value &value) {
    if (!value.is(runtime::Value::Kind::Tensor) || !value.tensor().storage() || twins_.count(value.tensor().storage()))
      return {};
    const runtime::Tensor &tensor = value.tensor();
    constexpr int64_t before = 3;
    int64_t elements = before + extentOf(tensor.sizes(), tensor.strides());
    runtime::Tensor memory = runtime::Tensor::zeros(DType::U8, {elements * tensor.elementSize()});
    std::memset(memory.data(), 0xff, static_cast<size_t>(memory.numElements()));
    return memory.reinterpret(tensor.dtype(), {toDims(tensor.sizes()), toDims(tensor.strides()), before});
  }

  static bool equal(const runtime::Value &a, const runtime::Value &b) {
    if (a.kind() != b.kind())
      return false;
    if (a.is(runtime::Value::Kind::Tensor))
      return a.tensor().typeText() == b.tensor().typeText() && a.tensor().toHost().data == b.tensor().toHost().data;
    if (!a.is(runtime::Value::Kind::List))
      return true;
    return std::equal(a.list().begin(), a.list().end(), b.list().begin(), b.list().end(), equal);
  }

  runtime::KernelCall call_;
  std::map<const runtime::Storage *, std::shared_ptr<runtime::Storage>> twins_;
};

} // namespace ccgraph::test

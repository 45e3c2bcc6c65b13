// Tests whether a kernel gives the same results when the caller provides the memory for them.
//
// An engine offers windows of an arena, which may hold any data and begin at any offset. A kernel that leaves out an
// element, or relies on zeroed new memory, gives other values there than in memory of its own. If an operator works
// element by element, the window may be that of an operand with the same layout, seen through another storage; plans
// use this form.
//
// Failure: none. Cost: for each form, a copy of the call's arguments and one more run of the kernel.
#pragma once

#include "ccgraph/ir/work.h"
#include "kernels/calls.h"

#include <cstring>
#include <functional>
#include <map>
#include <set>

namespace ccgraph::test {

/// The kernel of one operator, of any provider.
struct KernelUnderTest {
  std::string target;
  std::function<llvm::Expected<runtime::Value>(runtime::KernelCall, runtime::Destinations)> call;
};

/// Returns one of ccgraph's own kernels. With windows, it is called as in a run; without windows, as any other caller
/// would call it.
inline KernelUnderTest underTest(const runtime::Kernel &kernel) {
  return {kernel.target.str(), [&kernel](runtime::KernelCall call, runtime::Destinations windows) {
            return windows.empty() ? runtime::runKernel(kernel, std::move(call))
                                   : runtime::callWithinRun(kernel, std::move(call), windows);
          }};
}

/// A copy of a call's memory before it runs; tensors that share memory share the copy.
class TwinCall {
public:
  explicit TwinCall(const runtime::KernelCall &call) {
    for (const runtime::Value &value : call.positional)
      call_.positional.push_back(twinOf(value));
    for (const auto &[name, value] : call.keywords)
      call_.keywords.emplace_back(name, twinOf(value));
  }

  /// Compares the kernel's results in windows with `alone`, its results in memory of its own; "" if they are equal.
  [[nodiscard]] std::string differenceInWindows(const KernelUnderTest &kernel, const runtime::Value &alone) const {
    std::string difference = TwinCall(call_).differenceIn(windowsFor(alone), kernel, alone);
    return difference.empty() ? differenceOverOperands(kernel, alone) : difference;
  }

  /// Does the same with an operand's window.
  [[nodiscard]] std::string differenceOverOperands(const KernelUnderTest &kernel, const runtime::Value &alone) const {
    std::string difference;
    for (size_t i = 0; i < call_.positional.size() && difference.empty(); ++i)
      if (mayTakePlace(kernel, alone, call_.positional[i])) {
        TwinCall twin(call_);
        difference = twin.differenceIn(sameBytes(twin.call_.positional[i].tensor()), kernel, alone);
      }
    return difference;
  }

  /// Returns windows for these results, filled with 0xff and beginning after some bytes.
  [[nodiscard]] runtime::Tensors windowsFor(const runtime::Value &alone) const {
    runtime::Tensors windows;
    if (alone.is(runtime::Value::Kind::Tensor))
      windows.push_back(windowFor(alone));
    else if (alone.is(runtime::Value::Kind::List))
      for (const runtime::Value &element : alone.list())
        windows.push_back(windowFor(element));
    return windows;
  }

private:
  std::string differenceIn(runtime::Destinations windows, const KernelUnderTest &kernel, const runtime::Value &alone) {
    llvm::Expected<runtime::Value> offered = kernel.call(std::move(call_), windows);
    if (!offered)
      return "fails in windows of the caller's: " + llvm::toString(offered.takeError());
    return equal(alone, *offered) ? "" : "gives other values in windows of the caller's";
  }

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
    given_.insert(tensor.storage());
    std::shared_ptr<runtime::Storage> &twin = twins_[tensor.storage()];
    if (!twin) {
      twin = std::make_shared<runtime::Storage>(tensor.storage()->size());
      std::copy(tensor.storage()->data(), tensor.storage()->data() + twin->size(), twin->data());
    }
    ++names_[twin.get()];
    return runtime::Tensor::over(twin, tensor.dtype(),
                                 {toIntList(tensor.sizes()), toIntList(tensor.strides()), tensor.offset()});
  }

  /// Returns no window for a value that was passed to the kernel, since the kernel returns that value itself.
  [[nodiscard]] runtime::Tensor windowFor(const runtime::Value &value) const {
    if (!value.is(runtime::Value::Kind::Tensor) || !value.tensor().storage() || given_.count(value.tensor().storage()))
      return {};
    const runtime::Tensor &tensor = value.tensor();
    constexpr int64_t before = 3;
    int64_t elements = before + extentOf(tensor.sizes(), tensor.strides());
    runtime::Tensor memory = runtime::Tensor::zeros(DType::U8, {elements * tensor.elementSize()});
    std::memset(memory.data(), 0xff, static_cast<size_t>(memory.numElements()));
    return memory.reinterpret(tensor.dtype(), {toIntList(tensor.sizes()), toIntList(tensor.strides()), before});
  }

  /// Returns true for a new result of an operator that works element by element, with an operand of the same type that
  /// has one name.
  [[nodiscard]] bool mayTakePlace(const KernelUnderTest &kernel, const runtime::Value &alone,
                                  const runtime::Value &operand) const {
    static Context context;
    using Kind = runtime::Value::Kind;
    return alone.is(Kind::Tensor) && operand.is(Kind::Tensor) && operand.tensor().storage() &&
           !given_.count(alone.tensor().storage()) && alone.tensor().typeText() == operand.tensor().typeText() &&
           names_.at(operand.tensor().storage()) == 1 &&
           workFamily(*context.ops().lookup(kernel.target)) == WorkFamily::Pointwise;
  }

  static runtime::Tensor sameBytes(const runtime::Tensor &tensor) {
    auto storage = std::make_shared<runtime::Storage>(0);
    storage->lookAt(tensor.storage()->data(), tensor.storage()->size());
    return runtime::Tensor::over(storage, tensor.dtype(),
                                 {toIntList(tensor.sizes()), toIntList(tensor.strides()), tensor.offset()});
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
  /// the caller's storages
  std::set<const runtime::Storage *> given_;
  /// how many tensors of the call use a copied storage
  std::map<const runtime::Storage *, size_t> names_;
};

} // namespace ccgraph::test

// Kernel providers: who computes the steps of a plan.
//
// A provider has a name and kernels, one an operator. A request names the providers that it wants (engine.h), and each operator is
// computed by the first that has it. There are
//   builtin   our own kernels, which the interpreter has too (kernels.h)
//   torch     PyTorch's, through its dispatcher, on the host and on devices; a module, which is loaded when it is first asked for
//   cuda      a few of our own for devices, which the engine nccl enqueues and nccl-recorded acts
// and those that a program registers. Random operators are the engine's own, whoever computes the others, so that all engines draw the same
// numbers.
//
// A kernel is called by position: `values` are the arguments in the order of parameters(), None where the call leaves one out. A result
// goes where the plan says: `destinations` has a window for each result, a default-made tensor where there is none. A kernel that
// writes its result to such a window returns that tensor; one that cannot returns a tensor of its own, which is copied there. What a
// destination holds before is not said, and it may be an argument's own memory where the operator works element by element.
//
// A kernel computes on the host, on a device (DeviceKernel), or on either. Those of a device are for steps of engines that have one, and for
// such steps alone: their tensors lie in the device's memory, which nobody on the host reads.
//
// While a stream is captured, what it is given becomes a graph that is launched later, many times. So memory that a kernel takes while it is
// enqueued there must stay the graph's: a kernel that takes any has a DeviceAllocator, which is told before the capture begins and
// when it has ended, and holds the memory until the graph has gone. Before that the steps run once as they are, so that what a library makes
// at its first call (handles, workspaces, loaded code) is there.
//
// Ownership: providers live until the program ends, and their kernels as long. Failure: a kernel's error ends the run
// (run.kernel). Thread-safe: find() and compute() are called by all ranks' threads at once. Cost: find() is called once a step when a
// plan is prepared, compute() each time.
#pragma once

#include "ccgraph/runtime/value.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace ccgraph::runtime {

class GpuCalls;
struct DeviceQueue;

/// Memory that kernels have taken on captured streams. With the object it goes, so the graph goes before.
class CapturedMemory {
public:
  virtual ~CapturedMemory() = default;
  /// The capture has ended: what is taken from now on is no graph's.
  [[nodiscard]] virtual llvm::Error end() = 0;
};

/// Whose memory kernels take while they are enqueued. Lives until the program ends.
class DeviceAllocator {
public:
  virtual ~DeviceAllocator() = default;
  /// A capture is about to begin on the queue's stream: what kernels take on captured streams until end() is the graph's.
  [[nodiscard]] virtual llvm::Expected<std::unique_ptr<CapturedMemory>>
  beginCapture(const DeviceQueue &queue) const = 0;
};

/// Where a kernel of a device is to be enqueued.
struct DeviceQueue {
  /// the stream, as the device's library has it: a cudaStream_t
  uintptr_t stream = 0;
  /// what the engine enqueues with, for our own kernels
  GpuCalls *calls = nullptr;
  /// a recorded run: `stream` is no stream, and nothing but `calls` may be used
  bool isSimulated = false;
  /// of the graph that the stream is captured into, from the kernel's own allocator; null where it is not captured
  CapturedMemory *captured = nullptr;
};

/// A kernel whose arguments and results lie in a device's memory.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;
  /// Whether it computes with tensors of these dtypes: those of a step's operands and results. Where it does not, the next
  /// provider is asked, before a plan runs.
  [[nodiscard]] virtual bool takes(llvm::ArrayRef<DType> dtypes) const = 0;
  /// Enqueues what writes the results to `destinations`, and returns; a default-made tensor stands there for a result that nobody
  /// takes, or that is an argument written in place. Arguments are looked at now, their elements when the stream comes to it.
  /// Takes memory of its allocator alone. May throw std::bad_alloc, and nothing else.
  [[nodiscard]] virtual llvm::Error enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                            const DeviceQueue &queue) const = 0;
  /// Null: it takes no memory.
  [[nodiscard]] virtual const DeviceAllocator *allocator() const { return nullptr; }
  /// A recorded run can compute it on the CPU.
  [[nodiscard]] virtual bool canBeSimulated() const { return true; }
  /// What keeps a call with these arguments from being captured, in a few words; empty: nothing. Asked before a plan runs.
  [[nodiscard]] virtual std::string whyNotCaptured(llvm::ArrayRef<Value> /*values*/) const { return {}; }
};

/// What one operator does.
class ProvidedKernel {
public:
  virtual ~ProvidedKernel() = default;
  /// Names in the order of the schema, comma-separated: "self,other,alpha".
  [[nodiscard]] virtual llvm::StringRef parameters() const = 0;
  /// Several results are a list. May throw std::bad_alloc, and nothing else.
  [[nodiscard]] virtual llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                                      llvm::ArrayRef<Tensor> destinations) const = 0;
  /// False: compute() is never called.
  [[nodiscard]] virtual bool isOnHost() const { return true; }
  /// Not null: it computes on a device.
  [[nodiscard]] virtual const DeviceKernel *onDevice() const { return nullptr; }
};

class KernelProvider {
public:
  virtual ~KernelProvider() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Error: what this provider needs and this machine lacks. Asked before find().
  [[nodiscard]] virtual llvm::Error checkAvailable() const { return llvm::Error::success(); }
  /// Error: the same of its kernels of devices, for a run on a device that is none acted. Asked after checkAvailable().
  [[nodiscard]] virtual llvm::Error checkOnDevice() const { return llvm::Error::success(); }
  /// Of an operator as plans name it, "aten.add.Tensor"; null where this provider has none.
  [[nodiscard]] virtual const ProvidedKernel *find(llvm::StringRef target) const = 0;
};

/// Null where there is none of this name.
[[nodiscard]] const KernelProvider *findKernelProvider(llvm::StringRef name);
/// Sorted.
[[nodiscard]] std::vector<std::string> kernelProviderNames();
/// From now on there is this one too. Error: there is another one of its name. Not thread-safe: before the first run.
[[nodiscard]] llvm::Error registerKernelProvider(const KernelProvider &provider);

} // namespace ccgraph::runtime

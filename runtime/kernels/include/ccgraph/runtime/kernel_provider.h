// Kernel providers: the implementations that compute the steps of a plan.
//
// A provider has a name and kernels, one an operator. A request names its providers (engine.h), and the first one that
// supports an operator computes it. There are:
//   builtin   our own kernels, which the interpreter also uses (kernels.h)
//   torch     PyTorch's, through its dispatcher, on the host and on devices; a module, which is loaded at its first use
//   cuda      a few of our own for devices, which the engine nccl enqueues and nccl-recorded simulates
// A program may register further ones. The engine itself computes random operators, so all engines draw the same
// numbers.
//
// A kernel is called by position: `values` are the arguments in the order of parameters(), None where the call leaves
// one out. The plan decides the place of a result: `destinations` has a window for each result, or a
// default-constructed tensor where there is none. A kernel that writes its result to such a window returns that tensor;
// any other returns a tensor of its own, which is copied there. The former content of a destination is undefined. It
// may be an argument's own memory where the operator is elementwise.
//
// A kernel computes on the host, on a device (DeviceKernel), or on either. Device kernels serve only the device steps
// of engines that have a device: their tensors are in the device's memory, which no host code reads.
//
// While a stream is captured, its calls become a device graph that is launched later, many times. So memory that a
// kernel allocates while it is enqueued there must stay reserved for that graph. A kernel that allocates has a
// DeviceAllocator, which is called before the capture and at its end, and keeps the memory until the graph is
// destroyed. The steps run once without capture before, so that a library has done the work of its first call (handles,
// workspaces, loaded code).
//
// Ownership: providers live until the program ends, and their kernels as long. Failure: a kernel's error ends the run
// (run.kernel). Thread-safe: find() and compute() are called by all ranks' threads at once. Cost: find() is called once
// a step when a plan is prepared, compute() each time.
#pragma once

#include "ccgraph/runtime/value.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace ccgraph::runtime {

class GpuCalls;
struct DeviceQueue;

/// The memory that kernels allocated on captured streams. The object owns the memory, so the graph must be destroyed
/// first.
class CapturedMemory {
public:
  virtual ~CapturedMemory() = default;
  /// Ends the capture: later allocations belong to no graph.
  [[nodiscard]] virtual llvm::Error end() = 0;
};

/// The allocator of the kernels that are being enqueued. Lives until the program ends.
class DeviceAllocator {
public:
  virtual ~DeviceAllocator() = default;
  /// Begins a capture on the queue's stream: allocations of kernels on captured streams until end() belong to the
  /// graph.
  [[nodiscard]] virtual llvm::Expected<std::unique_ptr<CapturedMemory>>
  beginCapture(const DeviceQueue &queue) const = 0;
};

/// The stream on which a device kernel is enqueued.
struct DeviceQueue {
  /// the stream in the type of the device's library: a cudaStream_t
  uintptr_t stream = 0;
  /// the calls by which the engine enqueues, for our own kernels
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
  /// Returns whether it supports tensors of these dtypes: those of a step's operands and results. Where it does not,
  /// the next provider is tried, before a plan runs.
  [[nodiscard]] virtual bool takes(llvm::ArrayRef<DType> dtypes) const = 0;
  /// Enqueues the computation of the results into `destinations`, and returns. A destination is a default-constructed
  /// tensor for a result that is not used, or that is an argument written in place. Arguments are read now, their
  /// elements when the stream runs the kernel. Allocates from its own allocator only. May throw std::bad_alloc, and
  /// nothing else.
  [[nodiscard]] virtual llvm::Error enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                            const DeviceQueue &queue) const = 0;
  /// Returns null where it allocates no memory.
  [[nodiscard]] virtual const DeviceAllocator *allocator() const { return nullptr; }
  /// A recorded run can compute it on the CPU.
  [[nodiscard]] virtual bool canBeSimulated() const { return true; }
  /// What keeps a call with these arguments from being captured, in a few words; empty: nothing. Asked before a plan
  /// runs.
  [[nodiscard]] virtual std::string whyNotCaptured(llvm::ArrayRef<Value> /*values*/) const { return {}; }
};

/// The implementation of one operator.
class ProvidedKernel {
public:
  virtual ~ProvidedKernel() = default;
  /// Names in the order of the schema, comma-separated: "self,other,alpha".
  [[nodiscard]] virtual llvm::StringRef parameters() const = 0;
  /// Several results are returned as a list. May throw std::bad_alloc, and nothing else.
  [[nodiscard]] virtual llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                                      llvm::ArrayRef<Tensor> destinations) const = 0;
  /// Returns false where compute() is never called.
  [[nodiscard]] virtual bool isOnHost() const { return true; }
  /// Returns the device kernel; null where it does not compute on a device.
  [[nodiscard]] virtual const DeviceKernel *onDevice() const { return nullptr; }
};

class KernelProvider {
public:
  virtual ~KernelProvider() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Fails with the requirement of this provider that this machine lacks. Called before find().
  [[nodiscard]] virtual llvm::Error checkAvailable() const { return llvm::Error::success(); }
  /// Fails likewise for its device kernels, for a run on a device that is not simulated. Called after checkAvailable().
  [[nodiscard]] virtual llvm::Error checkOnDevice() const { return llvm::Error::success(); }
  /// Returns the kernel of an operator by its name in plans, "aten.add.Tensor"; null where this provider has none.
  [[nodiscard]] virtual const ProvidedKernel *find(llvm::StringRef target) const = 0;
};

/// Returns null where no provider has this name.
[[nodiscard]] const KernelProvider *findKernelProvider(llvm::StringRef name);
/// Returns the names, sorted.
[[nodiscard]] std::vector<std::string> kernelProviderNames();
/// Registers a provider. Fails where another one has its name. Not thread-safe: call it before the first run.
[[nodiscard]] llvm::Error registerKernelProvider(const KernelProvider &provider);

} // namespace ccgraph::runtime

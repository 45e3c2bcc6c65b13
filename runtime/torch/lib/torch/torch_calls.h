// TorchCalls: PyTorch's dispatcher, without PyTorch's headers.
//
// PyTorch's libraries take half a second to load, and programs without this provider must not need them. So the one
// file that names them is a module of its own (runtime/torch), which is loaded at the provider's first use; this is its
// interface. Only plain data crosses it, since the module and its program are linked separately.
//
// An operator computes on the host, or is enqueued to a stream of a device; tensors then lie in the device's memory.
// The module supports devices where PyTorch's wheel is built for CUDA and the toolkit's headers were available.
//
// Ownership: operators live as long as the module; everything else is borrowed for the call. Thread-safe. Cost: that of
// the dispatcher, some microseconds a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ccgraph::runtime {

/// A strided window onto memory of this process, or of a device.
struct TorchTensor {
  std::byte *data = nullptr;
  /// of c10::ScalarType
  int dtype = 0;
  size_t rank = 0;
  const int64_t *sizes = nullptr;
  const int64_t *strides = nullptr;
};

struct TorchArgument {
  enum class Kind : uint8_t { None, Bool, Int, Float, Complex, String, DType, Device, Tensor, List };
  Kind kind = Kind::None;
  /// Bool, Int, DType
  int64_t integer = 0;
  /// Float; Complex: real part
  double real = 0;
  double imaginary = 0;
  /// String
  const char *text = nullptr;
  TorchTensor tensor;
  /// List
  const TorchArgument *elements = nullptr;
  size_t count = 0;
};

/// The place where an operator computes, and where its tensors are.
struct TorchPlace {
  bool onDevice = false;
  /// a cudaStream_t
  uintptr_t stream = 0;
};

/// A call that leaves its results in these windows, one for each result; one without a dtype takes nothing.
struct TorchFill {
  const TorchArgument *arguments = nullptr;
  size_t count = 0;
  const TorchTensor *destinations = nullptr;
  size_t numDestinations = 0;
  /// by the `out` overload; else what the operator makes is copied
  bool direct = false;
  TorchPlace place;
};

/// Told of what an operator yields, in order; a list is its elements between two calls.
class TorchResults {
public:
  virtual ~TorchResults() = default;
  virtual void none() = 0;
  virtual void boolean(bool value) = 0;
  virtual void integer(int64_t value) = 0;
  virtual void floating(double value) = 0;
  virtual void complex(double real, double imaginary) = 0;
  /// Its memory is there until this returns, unless it is an argument's or an output's.
  virtual void tensor(const TorchTensor &value) = 0;
  virtual void beginList() = 0;
  virtual void endList() = 0;
};

class TorchOperator {
public:
  virtual ~TorchOperator() = default;
  /// Names in the order of the schema, comma-separated.
  [[nodiscard]] virtual const char *parameters() const = 0;
  /// How many tensors its `out` overload writes; 0 where it has none.
  [[nodiscard]] virtual size_t outputs() const = 0;
  [[nodiscard]] virtual bool runsOnHost() const = 0;
  /// Returns whether it has device kernels, as far as the module supports any, and yields tensors only.
  [[nodiscard]] virtual bool runsOnDevice() const = 0;
  /// Calls the operator on the host. `arguments` are by parameter. `outputs` has as many tensors as outputs() returns,
  /// or none; then PyTorch allocates memory itself. Returns false with the reason in `error`.
  [[nodiscard]] virtual bool call(const TorchArgument *arguments, size_t count, const TorchTensor *outputs,
                                  TorchResults &results, std::string &error) const = 0;
  /// Returns false with the reason in `error`.
  [[nodiscard]] virtual bool fill(const TorchFill &call, std::string &error) const = 0;
  /// Returns the part of the call that the host must read before it continues; null where there is none, so that
  /// PyTorch allows a capture.
  [[nodiscard]] virtual const char *whatHostReads(const TorchArgument *arguments, size_t count) const = 0;
};

/// The memory that is allocated on captured streams, until the object is destroyed.
class TorchPool {
public:
  virtual ~TorchPool() = default;
  /// Ends the capture: later allocations do not belong to the pool.
  [[nodiscard]] virtual bool end(std::string &error) = 0;
};

class TorchCalls {
public:
  /// Version of the module and of its loader: both must be of one build.
  static constexpr int version = 2;
  virtual ~TorchCalls() = default;
  /// Returns null where no operator of this name runs on the CPU or a device. Also returns null for an operator that
  /// changes the shape of tensors (resize_), draws random numbers, or takes or yields objects.
  [[nodiscard]] virtual const TorchOperator *find(const char *name, const char *overload) = 0;
  /// Returns why operators cannot be enqueued to a device here: got, expected, and on a new line the repair. Empty:
  /// they can.
  [[nodiscard]] virtual std::string deviceProblem() = 0;
  /// Begins a capture on the stream. Returns null with the reason in `error`.
  [[nodiscard]] virtual TorchPool *openPool(uintptr_t stream, std::string &error) = 0;
};

/// The function that the module exports as `ccgraphTorchCalls`: it returns its functions, or null for another version.
using TorchModuleEntry = TorchCalls *(*)(int version);

} // namespace ccgraph::runtime

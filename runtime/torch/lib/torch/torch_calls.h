// TorchCalls: PyTorch's dispatcher, without PyTorch's headers.
//
// Its libraries take half a second to load, and whoever does not ask for them shall not need them. So the one file that names them is a
// module of its own (runtime/torch), which is loaded when the provider is first asked for; this is what it is asked. Only plain
// data crosses, since the module and its program are linked apart.
//
// An operator computes on the host, or is enqueued to a stream of a device; tensors then lie in the device's memory. The module has the
// half that knows devices where PyTorch's wheel is built for CUDA and the toolkit's headers were there.
//
// Ownership: operators live as long as the module; everything else is borrowed for the call. Thread-safe. Cost: that of the
// dispatcher, some microseconds a call.
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

/// Where an operator computes, and where its tensors are.
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
  /// It has kernels of devices, as far as the module knows of any, and yields tensors alone.
  [[nodiscard]] virtual bool runsOnDevice() const = 0;
  /// On the host. `arguments`: by parameter. `outputs`: as many as outputs() says, or none, and then memory is PyTorch's own. False: `error` says why.
  [[nodiscard]] virtual bool call(const TorchArgument *arguments, size_t count, const TorchTensor *outputs,
                                  TorchResults &results, std::string &error) const = 0;
  /// False: `error` says why.
  [[nodiscard]] virtual bool fill(const TorchFill &call, std::string &error) const = 0;
  /// What of the call the host must read before it goes on, or null: then it can be captured, as far as PyTorch says.
  [[nodiscard]] virtual const char *whatHostReads(const TorchArgument *arguments, size_t count) const = 0;
};

/// What is allocated on captured streams, until it goes.
class TorchPool {
public:
  virtual ~TorchPool() = default;
  /// What is allocated from now on is not.
  [[nodiscard]] virtual bool end(std::string &error) = 0;
};

class TorchCalls {
public:
  /// Of the module and of who loads it: they must be of one build.
  static constexpr int version = 2;
  virtual ~TorchCalls() = default;
  /// Null where no operator of this name runs on the CPU or a device, it changes what tensors are and not what they hold (resize_), it draws
  /// random numbers, or takes or yields objects.
  [[nodiscard]] virtual const TorchOperator *find(const char *name, const char *overload) = 0;
  /// Why operators cannot be enqueued to a device here: what was got, what is needed, and behind a new line how to get it. Empty: they can.
  [[nodiscard]] virtual std::string deviceProblem() = 0;
  /// A capture is about to begin on the stream. Null: `error` says why.
  [[nodiscard]] virtual TorchPool *openPool(uintptr_t stream, std::string &error) = 0;
};

/// What the module exports as `ccgraphTorchCalls`: its functions, or null where its version is another.
using TorchModuleEntry = TorchCalls *(*)(int version);

} // namespace ccgraph::runtime

// TorchCalls: PyTorch's dispatcher, without PyTorch's headers.
//
// Its libraries take half a second to load, and whoever does not ask for them shall not need them. So the one file that names them is a
// module of its own (runtime/torch), which is loaded when the provider is first asked for; this is what it is asked. Only plain
// data crosses, since the module and its program are linked apart.
//
// Ownership: operators live as long as the module; everything else is borrowed for the call. Thread-safe. Cost: that of the
// dispatcher, some microseconds a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ccgraph::runtime {

/// A strided window onto memory of this process.
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
  /// `arguments`: by parameter. `outputs`: as many as outputs() says, or none, and then memory is PyTorch's own. False: `error` says why.
  [[nodiscard]] virtual bool call(const TorchArgument *arguments, size_t count, const TorchTensor *outputs,
                                  TorchResults &results, std::string &error) const = 0;
};

class TorchCalls {
public:
  /// Of the module and of who loads it: they must be of one build.
  static constexpr int version = 1;
  virtual ~TorchCalls() = default;
  /// Null where no operator of this name runs on the CPU, it changes what tensors are and not what they hold (resize_), it draws random
  /// numbers, or takes or yields objects.
  [[nodiscard]] virtual const TorchOperator *find(const char *name, const char *overload) = 0;
};

/// What the module exports as `ccgraphTorchCalls`: its functions, or null where its version is another.
using TorchModuleEntry = TorchCalls *(*)(int version);

} // namespace ccgraph::runtime

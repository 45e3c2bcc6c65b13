// KernelArgs: the arguments of one call, fetched by position in the schema, the memory for its results, and the place
// where a kernel reports failure.
//
// A caller may pass destinations for results: windows of its own, one for each result. A kernel calls result() for the
// memory that it writes. It receives such a window where dtype, sizes and strides match, and new memory otherwise. The
// caller copies results that are elsewhere. So a kernel that makes tensors itself is also correct, at the cost of that
// copy; the interpreter, which passes no windows, gets new memory each time.
//
// Accessors check the kind and convert as PyTorch does (an int to a float, a single int to a list). The first failure
// is kept and later ones are dropped; a failed accessor returns an empty tensor, 0 or an empty list. So a kernel
// fetches all arguments, returns if failed(), and then computes on checked arguments.
//
// Ownership: holds the call's values, or borrows them; references that it returns live as long as it does. Failure:
// error() after the kernel; messages name operator, argument, got and expected. Cost: O(keywords)
// an access.
#pragma once

#include "ccgraph/ir/internal/broadcast.h"
#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/strides.h"
#include "ccgraph/runtime/kernels.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>

namespace ccgraph::runtime {

/// The index of an argument that an operator does not have: it reads as left out.
inline constexpr unsigned noArgument = ~0U;

/// An operand of arithmetic: a tensor, or a Python number as a 0-d tensor of i64, f64, c128 or bool that
/// promotes only by its class.
struct Operand {
  Tensor tensor;
  bool isNumber = false;
};

/// The dtype in which an operator on these computes (promotion.h); tensors alone have no numbers among them.
[[nodiscard]] DType resultType(llvm::ArrayRef<Operand> operands);
[[nodiscard]] DType resultType(llvm::ArrayRef<Tensor> tensors);

/// Returns the index of a keyword among the parameters of a kernel, "self,other,alpha". Fails, with the target of the
/// kernel, if it has none of this name.
[[nodiscard]] llvm::Expected<unsigned> parameterIndex(llvm::StringRef target, llvm::StringRef parameters,
                                                      llvm::StringRef keyword);

/// A type or sizes for messages, put into words only where the message is: most checks hold.
struct TypeInWords {
  const Tensor *tensor;
};
struct DimsInWords {
  IntListRef dims;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, TypeInWords words);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, DimsInWords words);
inline auto typeOf(const Tensor &tensor) { return llvm::formatv("{0}", TypeInWords{&tensor}); }
inline auto dimsOf(IntListRef dims) { return llvm::formatv("{0}", DimsInWords{dims}); }

/// The destinations of results, in their order; a default-constructed tensor for a result without a window of the
/// caller.
using Destinations = llvm::ArrayRef<Tensor>;

class KernelArgs {
public:
  KernelArgs(const Kernel &kernel, KernelCall call, Destinations destinations = {});
  /// Values by parameter, which are borrowed.
  KernelArgs(const Kernel &kernel, llvm::ArrayRef<Value> values, Destinations destinations);
  KernelArgs(const KernelArgs &) = delete;
  KernelArgs &operator=(const KernelArgs &) = delete;

  [[nodiscard]] llvm::StringRef target() const { return kernel_->target; }
  /// One more than the last argument given.
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(values_.size()); }
  /// False where argument `index` is left out or None.
  [[nodiscard]] bool has(unsigned index) const;
  /// The value as given; None where left out.
  [[nodiscard]] const Value &at(unsigned index) const;

  [[nodiscard]] const Tensor &tensor(unsigned index);
  /// Empty where left out or None.
  [[nodiscard]] std::optional<Tensor> optionalTensor(unsigned index);
  [[nodiscard]] Tensors tensors(unsigned index);
  /// A list whose elements may be None, as index takes.
  [[nodiscard]] OptionalTensors optionalTensors(unsigned index);
  /// A tensor or a number; `otherwise` where left out.
  [[nodiscard]] Operand operand(unsigned index, std::optional<int64_t> otherwise = {});

  [[nodiscard]] int64_t integer(unsigned index, std::optional<int64_t> otherwise = {});
  [[nodiscard]] double number(unsigned index, std::optional<double> otherwise = {});
  /// Any number, complex ones too.
  [[nodiscard]] std::complex<double> factor(unsigned index, double otherwise = 1);
  [[nodiscard]] bool boolean(unsigned index, bool otherwise);
  [[nodiscard]] llvm::StringRef text(unsigned index, llvm::StringRef otherwise);
  [[nodiscard]] DType dtype(unsigned index, DType otherwise);
  /// A list of integers, or one integer for a list of one.
  [[nodiscard]] IntList integers(unsigned index);
  /// A dimension of a tensor of this rank, counted from the end if negative; 0 for a 0-d tensor.
  [[nodiscard]] int64_t dim(unsigned index, int64_t rank, std::optional<int64_t> otherwise = {});
  /// Distinct dimensions, ascending. All of them where left out, None, or an empty list.
  [[nodiscard]] IntList dims(unsigned index, int64_t rank);

  // --- Results ---------------------------------------------------------------------------------
  /// Returns memory for the result of an operator with one result. Its content is undefined: the kernel writes each
  /// element. The caller's window is returned once.
  [[nodiscard]] Tensor result(DType dtype, IntListRef sizes, IntListRef strides);
  [[nodiscard]] Tensor result(DType dtype, IntListRef sizes) { return result(dtype, sizes, contiguousStrides(sizes)); }
  /// The same, of zeros.
  [[nodiscard]] Tensor zeroResult(DType dtype, IntListRef sizes, IntListRef strides);
  [[nodiscard]] Tensor zeroResult(DType dtype, IntListRef sizes) {
    return zeroResult(dtype, sizes, contiguousStrides(sizes));
  }
  /// Memory for one of several results, row-major.
  [[nodiscard]] Tensor resultOf(unsigned index, DType dtype, IntListRef sizes);
  /// The caller's windows, for a kernel that consists of one call for each of its results.
  [[nodiscard]] Destinations destinations() const { return destinations_; }

  // --- Failure ---------------------------------------------------------------------------------
  [[nodiscard]] bool failed() const { return failed_; }
  /// Keeps the first message, prefixed with the operator. Returns None, to return from the kernel.
  Value fail(const llvm::Twine &message);
  /// Fails unless `holds`; returns `holds`.
  bool check(bool holds, const llvm::Twine &message) { return holds || (fail(message), false); }
  /// The tensor, or an empty one after keeping the error.
  Tensor take(llvm::Expected<Tensor> result);
  /// Success, or the first failure.
  [[nodiscard]] llvm::Error error() const;
  /// A dimension counted from the front, whatever its source; fails if out of range.
  int64_t wrapDim(int64_t dim, int64_t rank);

private:
  const Value &required(unsigned index, llvm::StringRef expected);
  Value wrong(unsigned index, const Value &got, llvm::StringRef expected);
  [[nodiscard]] llvm::StringRef parameter(unsigned index) const;

  void checkCount();
  [[nodiscard]] Tensor resultInto(unsigned index, DType dtype, const Window &window);

  const Kernel *kernel_;
  Destinations destinations_;
  /// by result: its window is in use
  uint64_t taken_ = 0;
  /// where the call gave them
  Value::List owned_;
  llvm::ArrayRef<Value> values_;
  std::string message_;
  bool failed_ = false;
};

} // namespace ccgraph::runtime

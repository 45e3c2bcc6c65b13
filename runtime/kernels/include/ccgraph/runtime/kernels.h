// Kernels: what each compute operator does to its values, keyed by the operator's name.
//
// They follow PyTorch's CPU semantics: type promotion, aliasing of views, strides of results, one
// rounding to the result's dtype an operator (f16 and bf16 compute in f32). Collectives and waits
// are not here; a test lists the operators of the op table that have no kernel.
//
// Ownership: results share memory with arguments exactly where the operator is a view or writes in
// place. Failure: a wrong kind, dtype, shape or index is an llvm::Error that names operator,
// argument, got and expected; arguments may then be half written. Cost: findKernel is a binary
// search; kernels favour plainness over speed (elements go through double, int64 or
// complex<double>).
#pragma once

#include "ccgraph/runtime/value.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph::runtime {

class KernelArgs;

/// One operator overload.
struct Kernel {
  /// "aten.add.Tensor"; functions of Python's operator module as "operator.add".
  llvm::StringRef target;
  /// Parameter names in schema order, comma-separated: keywords are resolved through it, and
  /// messages name them.
  llvm::StringRef parameters;
  /// Reports failures through its argument.
  Value (*compute)(KernelArgs &args);
};

/// Returns the kernel of a target, in any form ("torch.ops.aten.cat", "<built-in function le>"); null where there is
/// none. A target without an overload ("aten.cat") means its `default` (or the only Tensor form, as torch resolves it).
[[nodiscard]] const Kernel *findKernel(llvm::StringRef target);

/// Returns all kernels, sorted by target.
[[nodiscard]] llvm::ArrayRef<Kernel> allKernels();

/// Evaluated arguments, as the call passes them; missing ones have the kernel's default.
struct KernelCall {
  Value::List positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// Runs a kernel; several results are a list.
[[nodiscard]] llvm::Expected<Value> runKernel(const Kernel &kernel, KernelCall call);

} // namespace ccgraph::runtime

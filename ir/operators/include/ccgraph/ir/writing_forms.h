// Writing forms: the asynchronous collectives of PyTorch that write into existing memory, over their inputs or into a
// buffer, in place of the new memory that the functional forms return.
//
//   all_gather_into_tensor(x, 2, "tp")                  returns new memory
//   all_gather_into_tensor_out(x, 2, "tp", out = b)     writes b, and returns it
//   all_reduce_(x, "sum", "tp")                         writes x, and returns it
//
// Ownership: literals. Failure: an empty text for a form that PyTorch lacks. Cost: O(1).
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

enum class WritingForm : uint8_t {
  /// one tensor that the result replaces: all_reduce_
  InPlace,
  /// a list of tensors that the results replace: all_reduce_coalesced_
  InPlaceList,
  /// one tensor in, and a buffer that receives the result: all_gather_into_tensor_out
  Out,
};

/// Returns the operator of a kind in a form, with its full name: "_c10d_functional.all_reduce_.default". Its positional
/// arguments are those of the functional operator; `out` is given by keyword.
[[nodiscard]] llvm::StringRef writingFormOf(CollectiveKind kind, WritingForm form);

} // namespace ccgraph

// The texts that identify operations: operator, numbers, dtypes and layouts.
//
// Ownership: values. Failure: none. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/dtype.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/node.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <string>

namespace ccgraph::numerics {

/// Returns "aten.add" of aten.add_.Tensor: the operator that an in-place form applies.
[[nodiscard]] std::string pureBaseOf(llvm::StringRef target);
/// Returns "NAME(%f32[2][1], 0.5,)": the arguments by their place in the schema; those that are left out are empty.
/// `operandText` gives the text of an operand by its index.
[[nodiscard]] std::string callText(const Node &node, llvm::StringRef name,
                                   llvm::function_ref<std::string(unsigned)> operandText);
/// Returns whether an argument is a number that is known at run time only, and may be another one on another rank.
[[nodiscard]] bool statesUnbacked(const Node &node);
/// Returns "f32[2, 3][3, 1]".
[[nodiscard]] std::string layoutText(DType dtype, IntListRef sizes, IntListRef strides);
/// Returns a literal as text that no other literal has.
[[nodiscard]] std::string literalText(const Argument &argument);
/// Returns "aten.add(f32,number) -> f32": an elementwise operation by the kinds of its operands.
[[nodiscard]] std::string elementwiseText(const std::string &name, llvm::ArrayRef<std::string> kinds, DType dtype);
/// Returns a number as text that no other number has.
[[nodiscard]] std::string exactText(double number);

} // namespace ccgraph::numerics

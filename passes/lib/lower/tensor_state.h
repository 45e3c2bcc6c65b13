// The value of a node during lowering: tensors are the memory that they name, not its contents.
//
// All names of a tensor object share it, as in PyTorch: a wait, a getitem or an in-place operator returns its input
// object. An in-place change of its shape (t_, set_) is visible under every name, but not through views created before.
//
// Ownership: the values that name an object share it. Failure: none; plain data.
#pragma once

#include "ccgraph/ir/plan.h"

#include <memory>

namespace ccgraph::lower {

/// A tensor object; its window changes when the object is reshaped.
using TensorObject = std::shared_ptr<PlanWindow>;

using LoweredValue = ValueTree<TensorObject>;

/// Returns the value of a tensor that has only this name.
[[nodiscard]] LoweredValue freshValue(const PlanWindow &window);
/// Returns the value as it is now.
[[nodiscard]] PlanValue planned(const LoweredValue &value);

/// Returns the present type of a value; null if it is neither a tensor nor a number, nor a list.
[[nodiscard]] const Type *typeNow(Context &context, const LoweredValue &value);

void forEachTensor(const LoweredValue &value, llvm::function_ref<void(const TensorObject &)> visit);

} // namespace ccgraph::lower

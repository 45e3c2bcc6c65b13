// What a node's value is while a program is lowered: tensors as the memory that they name, not as what is in it.
//
// A tensor object is shared by all its names, as in PyTorch: a wait, a getitem or an in-place operator yields the object that
// went in, and an in-place change of its shape (t_, set_) is seen under every name, though not by views made before.
//
// Ownership: objects are shared by the values that name them. Plain data: nothing fails here.
#pragma once

#include "ccgraph/ir/plan.h"

#include <memory>

namespace ccgraph::lower {

/// A tensor object; its window changes when the object is reshaped.
using TensorObject = std::shared_ptr<PlanWindow>;

struct LoweredValue {
  enum class Kind : uint8_t { None, Tensor, Number, List, Literal, Object };
  Kind kind = Kind::None;
  TensorObject tensor;
  SlotId slot = 0;
  const Type *numberType = nullptr;
  std::vector<LoweredValue> elements;
  Argument literal;
  Identifier object;

  [[nodiscard]] bool isTensor() const { return kind == Kind::Tensor; }
  static LoweredValue of(TensorObject tensor);
  static LoweredValue of(const PlanWindow &window) { return of(std::make_shared<PlanWindow>(window)); }
  static LoweredValue number(SlotId slot, const Type *type);
  static LoweredValue list(std::vector<LoweredValue> elements);
  static LoweredValue thing(Identifier text);
  /// As it is now.
  [[nodiscard]] PlanValue planned() const;
};

/// The type of a value as it is now; null where it is neither a tensor nor a number, nor a list.
[[nodiscard]] const Type *typeNow(Context &context, const LoweredValue &value);

void forEachTensor(const LoweredValue &value, llvm::function_ref<void(const TensorObject &)> visit);

} // namespace ccgraph::lower

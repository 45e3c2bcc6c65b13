// Values on their way to PyTorch and back.
//
// Ownership: TorchArguments borrows the values; what ResultValues gives shares memory with destinations and arguments
// where PyTorch's result does, and is a copy else. Failure: none; of what has no memory here a copy is made. Cost:
// linear in the arguments; a copy of each result that is elsewhere.
#pragma once

#include "ccgraph/runtime/value.h"
#include "torch/torch_calls.h"

#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <optional>

namespace ccgraph::runtime {

/// Empty for a dtype that PyTorch does not have.
[[nodiscard]] std::optional<int> torchDType(DType dtype);
[[nodiscard]] std::optional<DType> dtypeOfTorch(int dtype);

[[nodiscard]] TorchTensor torchTensor(const Tensor &tensor);

/// The values of one call, by parameter.
class TorchArguments {
public:
  explicit TorchArguments(llvm::ArrayRef<Value> values);
  [[nodiscard]] llvm::ArrayRef<TorchArgument> arguments() const { return arguments_; }
  /// All tensors among them.
  [[nodiscard]] llvm::ArrayRef<Tensor> tensors() const { return tensors_; }
  /// The first value that PyTorch does not support; null where there is none.
  [[nodiscard]] const Value *unknown() const { return unknown_; }

private:
  [[nodiscard]] TorchArgument convert(const Value &value);
  [[nodiscard]] TorchArgument convertList(const Value::List &values);

  llvm::SmallVector<TorchArgument, 8> arguments_;
  llvm::SmallVector<Tensor, 4> tensors_;
  std::deque<llvm::SmallVector<TorchArgument, 4>> lists_;
  const Value *unknown_ = nullptr;
};

class ResultValues final : public TorchResults {
public:
  ResultValues(llvm::ArrayRef<Tensor> destinations, llvm::ArrayRef<Tensor> arguments)
      : destinations_(destinations), arguments_(arguments) {}
  /// After the call.
  [[nodiscard]] Value take();
  /// Returns the number of an unsupported dtype; -1 where there is none.
  [[nodiscard]] int unknownDType() const { return unknown_; }

  void none() override { add(Value()); }
  void boolean(bool value) override { add(Value::boolean(value)); }
  void integer(int64_t value) override { add(Value::integer(value)); }
  void floating(double value) override { add(Value::floating(value)); }
  void complex(double real, double imaginary) override { add(Value::complex({real, imaginary})); }
  void tensor(const TorchTensor &value) override;
  void beginList() override { open_.emplace_back(); }
  void endList() override;

private:
  void add(Value value);
  [[nodiscard]] std::optional<Tensor> withinOurs(const TorchTensor &value, DType dtype) const;
  [[nodiscard]] Tensor copied(const TorchTensor &value, DType dtype) const;

  llvm::ArrayRef<Tensor> destinations_, arguments_;
  Value value_;
  std::vector<Value::List> open_;
  /// how many results have come
  size_t next_ = 0;
  int unknown_ = -1;
};

} // namespace ccgraph::runtime

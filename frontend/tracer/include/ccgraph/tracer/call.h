// call: any operator of the table, by its target, on tensors.
//
//   Tensor y = call("aten.addmm.default", {bias, x, w});
//   TensorList parts = callList("aten.split.Tensor", {x, 4, 0});
//
// All operators of ops.h are built on it, and it reaches the operators that have no function there. Where a Trace is
// open on this thread, it records the call through the IR's own builder; the operator's type rule determines the type.
//
// Ownership: an Operand owns what it holds. Failure (see tensor.h): no trace is open, a tensor belongs to another trace
// or to a finished one, the type rule rejects the arguments, or the type of the operator's result is unknown. Cost:
// that of GraphBuilder::call and one type rule; about a microsecond.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/tracer/tensor.h"

#include <concepts>
#include <type_traits>
#include <variant>

namespace ccgraph::tracer {

/// A number as in Python: bool, int or float. The kind affects the dtype of a result.
class Number {
public:
  template <std::same_as<bool> T>
  Number(T value) : value_(value) {}
  Number(int value) : value_(int64_t{value}) {}
  Number(int64_t value) : value_(value) {}
  Number(double value) : value_(value) {}
  [[nodiscard]] Actual actual() const {
    return std::visit([](auto value) { return Actual(value); }, value_);
  }
  [[nodiscard]] double asDouble() const {
    return std::visit([](auto value) { return static_cast<double>(value); }, value_);
  }
  [[nodiscard]] bool isFloat() const { return std::holds_alternative<double>(value_); }

private:
  std::variant<bool, int64_t, double> value_;
};

/// "contiguous_format", "preserve_format"
struct MemoryFormat {
  llvm::StringRef name;
};
/// "cpu", "cuda:0"
struct DeviceName {
  std::string name;
};

/// One argument of a call: a tensor, a list of tensors, or any other kind of Actual. An absent tensor is None.
class Operand {
public:
  Operand(MemoryFormat format) : value_(format) {}
  Operand(DeviceName device) : value_(std::move(device)) {}
  Operand(Tensor tensor) : value_(std::move(tensor)) {}
  Operand(std::vector<Tensor> tensors) : value_(std::move(tensors)) {}
  Operand(const Number &number) : value_(number.actual()) {}
  template <typename T>
  requires std::is_constructible_v<Actual, T> &&(!std::is_same_v<std::decay_t<T>, Operand>)Operand(T &&literal)
      : value_(Actual(std::forward<T>(literal))) {}

  [[nodiscard]] const Tensor *tensor() const { return std::get_if<Tensor>(&value_); }
  [[nodiscard]] const std::vector<Tensor> *tensors() const { return std::get_if<std::vector<Tensor>>(&value_); }

  using Form = std::variant<Actual, Tensor, std::vector<Tensor>, MemoryFormat, DeviceName>;
  [[nodiscard]] const Form &form() const { return value_; }

private:
  Form value_;
};

/// A keyword argument.
struct NamedOperand {
  llvm::StringRef name;
  Operand value;
};

/// One call; lives as long as its full expression.
struct Call {
  llvm::StringRef target;
  std::vector<Operand> args;
  std::vector<NamedOperand> kwargs = {};
};

/// Calls an operator with one result. An operator that writes its first argument gives that tensor's handle its new
/// name.
[[nodiscard]] Tensor call(const Call &call);
inline Tensor call(llvm::StringRef target, std::vector<Operand> args, std::vector<NamedOperand> kwargs = {}) {
  return call({target, std::move(args), std::move(kwargs)});
}
/// Calls an operator that returns a list or a tuple of tensors.
[[nodiscard]] TensorList callList(const Call &call);
inline TensorList callList(llvm::StringRef target, std::vector<Operand> args, std::vector<NamedOperand> kwargs = {}) {
  return callList({target, std::move(args), std::move(kwargs)});
}

} // namespace ccgraph::tracer

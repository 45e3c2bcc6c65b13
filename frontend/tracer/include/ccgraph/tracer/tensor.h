// Tensor: a value of a graph that C++ code builds.
//
//   Context context;
//   Trace trace = cantFail(Trace::begin(context));
//   Tensor x = trace.input("x", {DType::F32, {8, 16}});
//   Tensor y = relu(x + 1);
//   std::unique_ptr<Graph> graph = cantFail(trace.finish({y}));
//
// A Tensor is a handle: all copies refer to one tensor, so all of them show the effect of an in-place operator, as in
// PyTorch. It has a dtype, sizes, strides and a device, and no elements while a Trace records.
//
// Failure is a value: an invalid call returns a tensor that *has failed*, with a diagnostic. Every call on that tensor
// fails with the same diagnostic, and Trace::finish returns it. So a model reads like its formulas, and the first
// mistake is reported. A tensor without a value is *absent*: it omits an optional argument.
//
// Ownership: recorded nodes belong to their Trace, and types to its Context, which must outlive all tensors. A tensor
// of a finished trace still has its type; calls reject it. Not thread-safe: one thread a tensor. Failure: an accessor
// of a failed or absent tensor returns a neutral value (no sizes, f32, null). Cost: a handle is one shared pointer; a
// recorded tensor is one allocation.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/type.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::tracer {

namespace detail {
struct TensorState;
} // namespace detail

/// The type and the name of the device of an input.
struct TensorSpec {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  /// "cpu", "cuda", "cuda:0"
  std::string device = "cpu";
  /// strides in elements; empty: row-major
  std::vector<int64_t> strides = {};
};

class Tensor {
public:
  /// An absent tensor.
  Tensor() = default;
  explicit Tensor(std::shared_ptr<detail::TensorState> state) : state_(std::move(state)) {}
  /// Returns a tensor that has failed.
  static Tensor failed(Diagnostic why);

  /// Returns whether it has a value: it is neither absent nor failed.
  [[nodiscard]] bool isValid() const;
  [[nodiscard]] bool isAbsent() const { return state_ == nullptr; }
  /// The diagnostic of a failure; null where it has not failed.
  [[nodiscard]] const Diagnostic *error() const;

  /// The type; null where there is no value.
  [[nodiscard]] const Type *type() const;
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] Device device() const;
  /// Number of dimensions.
  [[nodiscard]] int64_t dim() const;
  /// The size of one dimension, negative ones counted from the end; 0 where there is no such dimension.
  [[nodiscard]] int64_t size(int64_t dim) const;
  [[nodiscard]] std::vector<int64_t> sizes() const;
  /// The strides in elements.
  [[nodiscard]] std::vector<int64_t> strides() const;
  /// Number of elements.
  [[nodiscard]] int64_t numel() const;
  [[nodiscard]] bool isContiguous() const;
  /// "f32[8, 16][16, 1]cpu", "absent", "failed".
  [[nodiscard]] std::string typeText() const;

  /// The state of the handle, for operators.
  [[nodiscard]] const std::shared_ptr<detail::TensorState> &state() const { return state_; }

private:
  std::shared_ptr<detail::TensorState> state_;
};

/// The results of an operator with several results. An element that does not exist is a failed tensor, so the list of a
/// failed call may be indexed like any other.
class TensorList {
public:
  TensorList() = default;
  explicit TensorList(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}
  static TensorList failed(Diagnostic why);

  [[nodiscard]] const Diagnostic *error() const { return failure_.error(); }
  /// 0 where the call has failed.
  [[nodiscard]] size_t size() const { return tensors_.size(); }
  [[nodiscard]] Tensor operator[](size_t index) const;
  [[nodiscard]] auto begin() const { return tensors_.begin(); }
  [[nodiscard]] auto end() const { return tensors_.end(); }
  [[nodiscard]] const std::vector<Tensor> &tensors() const { return tensors_; }

private:
  std::vector<Tensor> tensors_;
  Tensor failure_;
};

} // namespace ccgraph::tracer

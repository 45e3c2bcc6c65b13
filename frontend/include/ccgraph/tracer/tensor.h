// Tensor: a value of a program that is being written in C++.
//
//   Context context;
//   Trace trace = cantFail(Trace::begin(context));
//   Tensor x = trace.input("x", {DType::F32, {8, 16}});
//   Tensor y = relu(x + 1);
//   std::unique_ptr<Graph> graph = cantFail(trace.finish({y}));
//
// A Tensor is a handle: copies of it are one tensor, so what an in-place operator does to one of them all of them show,
// as in PyTorch. It knows dtype, sizes, strides and device, and has no elements while a Trace records.
//
// Failure is a value: a call that cannot be made yields a tensor that *has failed*, with the diagnostic that says why;
// whatever is called with that one fails with the same diagnostic, and Trace::finish returns it. So a model reads as its
// formulas do, and the first mistake is what one is told of. A tensor that was never given a value is *absent*: that is
// how an optional argument is left out.
//
// Ownership: what a Trace recorded belongs to it, and types to its Context, which must outlive all tensors. A tensor of
// a finished trace still has its type, and is refused where it is used. Not thread-safe: one thread a tensor.
// Failure: an accessor of a failed or absent tensor gives a neutral answer (no sizes, f32, null).
// Cost: a handle is one shared pointer; a recorded tensor is one allocation.
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

/// What an input is.
struct TensorSpec {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  /// "cpu", "cuda", "cuda:0"
  std::string device = "cpu";
  /// in elements; empty: row-major
  std::vector<int64_t> strides = {};
};

class Tensor {
public:
  /// Absent.
  Tensor() = default;
  explicit Tensor(std::shared_ptr<detail::TensorState> state) : state_(std::move(state)) {}
  /// One that has failed.
  static Tensor failed(Diagnostic why);

  /// Has a value: neither absent nor failed.
  [[nodiscard]] bool isValid() const;
  [[nodiscard]] bool isAbsent() const { return state_ == nullptr; }
  /// Why it has failed; null where it has not.
  [[nodiscard]] const Diagnostic *error() const;

  /// Null where there is no value.
  [[nodiscard]] const Type *type() const;
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] Device device() const;
  /// Number of dimensions.
  [[nodiscard]] int64_t dim() const;
  /// Of one dimension, negative ones counted from the end; 0 where there is no such dimension.
  [[nodiscard]] int64_t size(int64_t dim) const;
  [[nodiscard]] std::vector<int64_t> sizes() const;
  /// In elements.
  [[nodiscard]] std::vector<int64_t> strides() const;
  /// Number of elements.
  [[nodiscard]] int64_t numel() const;
  [[nodiscard]] bool isContiguous() const;
  /// "f32[8, 16][16, 1]cpu", "absent", "failed".
  [[nodiscard]] std::string typeText() const;

  /// For operators: what the handle stands for.
  [[nodiscard]] const std::shared_ptr<detail::TensorState> &state() const { return state_; }

private:
  std::shared_ptr<detail::TensorState> state_;
};

/// What an operator with several results yields. An element that is not there is a tensor that has failed, so a list of
/// an operator that could not be called may be indexed like any other.
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

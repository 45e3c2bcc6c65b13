// Planner: makes the jobs of one call.
//
// Ownership: borrows the call's values. Failure: the first is kept, through KernelArgs; jobs are then of no use. Cost:
// linear in operands and dimensions.
#pragma once

#include "device/job.h"
#include "kernels/kernel_args.h"

#include <functional>

namespace ccgraph::runtime::cuda {

/// Returns the device's type of a dtype; nothing for dtypes that it cannot compute with.
[[nodiscard]] std::optional<device::Element> elementOf(DType dtype);
[[nodiscard]] device::Arithmetic arithmeticOf(DType dtype);
/// One that the elements of the dtype can be moved as; none where no type is as large.
[[nodiscard]] std::optional<DType> movedAs(DType dtype);

/// A tensor or a number of a job.
struct Source {
  Source(Tensor tensor) : tensor(std::move(tensor)) {} // NOLINT(google-explicit-constructor)
  Source(double number);                               // NOLINT(google-explicit-constructor)
  /// A number of Python.
  static Source number(const Value &value);
  static Source position();
  Tensor tensor;
  device::OperandKind kind = device::OperandKind::Tensor;
  double real = 0;
  int64_t whole = 0;
};

/// An operator on elements, and the type of its arithmetic.
struct Mapping {
  device::MapOp op = device::MapOp::Copy;
  device::Arithmetic arithmetic = device::Arithmetic::Single;
};

/// The sizes of the dimensions that number rows, and of those that number the elements of a row.
struct RowSizes {
  IntList rows, inner;
};

class Planner {
public:
  Planner(const Kernel &kernel, llvm::ArrayRef<Value> values, Destinations destinations)
      : args(kernel, values, {}), destinations_(destinations) {}

  KernelArgs args;
  [[nodiscard]] std::vector<device::Job> takeJobs() { return std::move(jobs_); }

  // --- Places -------------------------------------------------------------------------------------
  /// Returns the destination of result `index`; nothing where the result is not used.
  [[nodiscard]] std::optional<Tensor> destination(unsigned index) const;
  /// Returns the result of an operator that has one result, which is used.
  [[nodiscard]] Tensor result();

  // --- Jobs ---------------------------------------------------------------------------------------
  /// out = op(sources), each expanded to the result's sizes.
  void map(const Tensor &out, const Mapping &mapping, llvm::ArrayRef<Source> sources);
  /// out = op(sources), of complex numbers.
  void complex(const Tensor &out, device::ComplexOp op, llvm::ArrayRef<Tensor> sources);
  /// Elements as they are, converted; of one dtype moved.
  void copy(const Tensor &out, const Tensor &from);
  void fill(const Tensor &out, const Source &number);
  void add(device::Job job) { jobs_.push_back(job); }

  // --- Windows ------------------------------------------------------------------------------------
  /// `tensors` over `sizes`, dimensions merged where all of them allow it. Fails where they do not stretch, or are too
  /// many.
  [[nodiscard]] device::Shape over(IntListRef sizes, llvm::ArrayRef<Tensor> tensors,
                                   llvm::MutableArrayRef<device::Strided> windows);
  /// A tensor of rows: which of its dimensions number the rows, and which their elements. Strides of 0 stretch it.
  struct Rows {
    /// empty for an unused result, or an operand that is left out
    std::optional<Tensor> tensor;
    IntList rowStrides, innerStrides;
  };
  /// One of them, and where its window goes.
  struct Placed {
    const Rows *from;
    device::Lines *to;
  };
  struct Walk {
    device::Shape rows, inner;
  };
  /// Windows over the same rows; fails where they cannot be walked over.
  [[nodiscard]] Walk lay(const RowSizes &sizes, llvm::ArrayRef<Placed> windows);
  /// A job whose windows are `in` and `out`; fails as lay() does.
  void rows(device::RowJob job, const RowSizes &sizes, llvm::ArrayRef<Rows> in, llvm::ArrayRef<Rows> out);
  /// Address and type.
  [[nodiscard]] device::Strided begin(const Tensor &tensor);
  /// Returns the same elements as integers of their size, where there is such a type, so that they are moved bitwise.
  [[nodiscard]] static Tensor moved(const Tensor &tensor);
  /// Fails where the read tensor shares a byte with the written one.
  bool checkApart(const Tensor &read, const Tensor &written);

private:
  /// The strides alone of over().
  [[nodiscard]] device::Shape stretch(IntListRef sizes, llvm::ArrayRef<Tensor> tensors,
                                      llvm::MutableArrayRef<device::Strided> windows);
  [[nodiscard]] device::Shape merged(IntListRef sizes, llvm::MutableArrayRef<IntList> strides);
  Destinations destinations_;
  std::vector<device::Job> jobs_;
};

/// Lines along a dimension are rows; the other dimensions number them.
[[nodiscard]] Planner::Rows linesAlong(const Tensor &tensor, int64_t dim);

/// Which dtypes an operator takes.
enum class Accepted : uint8_t {
  Elements, ///< those that devices compute with
  Moved,    ///< and any one that can be moved, of all its tensors: elements stay what they are
  Picked,   ///< and any one that can be moved, beside indices
  Indexed,  ///< as Picked, but without bool and u8: only the device knows the number of places that a mask selects
  Complex,  ///< and complex numbers of one type
  Seeded,   ///< and u64, of unused dropout seeds
};
[[nodiscard]] bool takes(Accepted what, llvm::ArrayRef<DType> dtypes);

/// An operator, and what makes the jobs of a call of it.
struct DeviceOperator {
  /// "aten.cat.default"
  std::string target;
  std::function<void(Planner &)> plan;
  Accepted takes = Accepted::Elements;
};
[[nodiscard]] std::vector<DeviceOperator> mapOperators();
[[nodiscard]] std::vector<DeviceOperator> copyOperators();
[[nodiscard]] std::vector<DeviceOperator> reductionOperators();
[[nodiscard]] std::vector<DeviceOperator> rowOperators();
[[nodiscard]] std::vector<DeviceOperator> attentionOperators();
[[nodiscard]] std::vector<DeviceOperator> orderOperators();
[[nodiscard]] std::vector<DeviceOperator> pickOperators();
[[nodiscard]] std::vector<DeviceOperator> lookupOperators();
[[nodiscard]] std::vector<DeviceOperator> adamOperators();
[[nodiscard]] std::vector<DeviceOperator> matmulOperators();

} // namespace ccgraph::runtime::cuda

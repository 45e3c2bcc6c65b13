// Value: the value of a node in a running graph, and the type of a kernel's arguments and results.
//
// A graph's arguments are evaluated to Values before a kernel sees them: operands become their
// values, symbolic integers become integers. Layouts, memory formats and other bare words of the
// text are strings. So a kernel never sees a graph.
//
// Ownership: plain value; copying a tensor shares its memory, copying a list copies its handles. Cost: O(1), lists
// O(length). Failure: reading another kind than the one held is a bug of the caller and ends the program
// (std::bad_variant_access, which is never caught); KernelArgs checks first.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/runtime/tensor.h"

#include <complex>
#include <string>
#include <variant>
#include <vector>

namespace ccgraph::runtime {

/// An object that a graph only passes on: a device mesh, a process group, a Work object. `text` names it, for messages.
struct Opaque {
  std::string text;
};

/// One of twelve kinds; a default-constructed one is None.
class Value {
public:
  using List = std::vector<Value, StepAllocator<Value>>;
  /// In the order of the variant below.
  enum class Kind { None, Bool, Int, Float, String, DType, Device, Tensor, List, Slice, Opaque, Complex };

  Value() = default;
  static Value boolean(bool value) { return Value(Data(std::in_place_index<1>, value)); }
  static Value integer(int64_t value) { return Value(Data(std::in_place_index<2>, value)); }
  static Value floating(double value) { return Value(Data(std::in_place_index<3>, value)); }
  static Value string(std::string text) { return Value(Data(std::in_place_index<4>, std::move(text))); }
  static Value dtype(ccgraph::DType type) { return Value(Data(std::in_place_index<5>, type)); }
  static Value device(const ccgraph::Device &d) { return Value(Data(std::in_place_index<6>, d)); }
  Value(Tensor tensor) : data_(std::in_place_index<7>, std::move(tensor)) {} // NOLINT(google-explicit-constructor)
  /// A list or tuple; both read alike.
  static Value list(List elements) { return Value(Data(std::in_place_index<8>, std::move(elements))); }
  static Value tensors(llvm::ArrayRef<Tensor> elements) { return list(List(elements.begin(), elements.end())); }
  /// start:stop:step of Python indexing, each an integer or none.
  static Value slice(List bounds) { return Value(Data(std::in_place_index<9>, SliceBounds{std::move(bounds)})); }
  static Value opaque(std::string text) { return Value(Data(std::in_place_index<10>, Opaque{std::move(text)})); }

  static Value complex(std::complex<double> value) { return Value(Data(std::in_place_index<11>, value)); }

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(data_.index()); }
  [[nodiscard]] bool is(Kind kind) const { return this->kind() == kind; }
  [[nodiscard]] bool isNone() const { return is(Kind::None); }
  [[nodiscard]] bool boolean() const { return std::get<1>(data_); }
  [[nodiscard]] int64_t integer() const { return std::get<2>(data_); }
  [[nodiscard]] double floating() const { return std::get<3>(data_); }
  [[nodiscard]] const std::string &string() const { return std::get<4>(data_); }
  [[nodiscard]] ccgraph::DType dtype() const { return std::get<5>(data_); }
  [[nodiscard]] const ccgraph::Device &device() const { return std::get<6>(data_); }
  [[nodiscard]] const Tensor &tensor() const { return std::get<7>(data_); }
  /// Elements of a List, or the three bounds of a Slice.
  [[nodiscard]] const List &list() const { return is(Kind::Slice) ? std::get<9>(data_).bounds : std::get<8>(data_); }
  [[nodiscard]] const Opaque &opaque() const { return std::get<10>(data_); }
  [[nodiscard]] std::complex<double> complex() const { return std::get<11>(data_); }

  /// Returns a text for messages: "f32[2, 3][3, 1]", "the integer 3", "None", "a list of 2".
  [[nodiscard]] std::string describe() const;

private:
  struct SliceBounds {
    List bounds;
  };
  using Data = std::variant<std::monostate, bool, int64_t, double, std::string, ccgraph::DType, ccgraph::Device, Tensor,
                            List, SliceBounds, Opaque, std::complex<double>>;
  explicit Value(Data data) : data_(std::move(data)) {}
  Data data_;
};

} // namespace ccgraph::runtime

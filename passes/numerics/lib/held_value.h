// HeldValue: what a node of one rank holds: tensors as views of memory, lists, and values about which nothing is known.
//
// Memory is a list of runs in the order of the storage. A tensor is a view of it by sizes and strides, so that a write
// in place is seen by every view of the rank, as in PyTorch.
//
// A view whose place is not known (a view as another dtype) is *loose*: it holds elements of its own, and a later write
// to it or to what it views cannot be followed. The evaluation then stops with a reason.
//
// Ownership: tensors share their memory. Failure: an empty result if a value has more than `mostRuns` runs. Cost:
// linear in the runs, and in the stretches of consecutive elements of a view.
#pragma once

#include "terms.h"

#include <memory>

namespace ccgraph::numerics {

/// Values that are cut more finely are read as operands of a call, and not element by element.
constexpr size_t mostRuns = 4096;

struct Memory {
  RunList elements;
  /// a view of it exists whose place is not known
  bool hasLooseViews = false;
};

struct HeldTensor {
  std::shared_ptr<Memory> memory;
  DType dtype = DType::F32;
  IntList sizes;
  IntList strides;
  int64_t offset = 0;

  [[nodiscard]] int64_t count() const { return productOf(sizes); }
};

/// A list of results whose types are those of its getitems, because none are printed for the list.
struct ResultList {
  const Node *node = nullptr;
  /// of a list of views: the tensor that they view
  std::optional<HeldTensor> viewed;
  /// of any other call: its text and its operands
  std::string text;
  std::vector<RunList> operands;
};

struct HeldValue {
  enum class Kind : uint8_t { None, Tensor, List, Results, Opaque };
  Kind kind = Kind::None;
  HeldTensor tensor;
  std::vector<HeldValue> list;
  std::shared_ptr<const ResultList> results;
  /// of Opaque: a number, or a tensor of unknown sizes
  TermId opaque = 0;

  [[nodiscard]] bool isTensor() const { return kind == Kind::Tensor; }
  static HeldValue of(HeldTensor tensor);
  static HeldValue of(std::vector<HeldValue> list);
  static HeldValue of(ResultList results);
  static HeldValue ofOpaque(TermId term);
};

/// Makes a row-major tensor in memory of its own.
[[nodiscard]] HeldTensor newTensor(DType dtype, IntListRef sizes, RunList elements);
/// Returns the elements in row-major order.
[[nodiscard]] std::optional<RunList> readElements(const HeldTensor &tensor);
/// Returns the memory from the first element to the last: with sizes and strides it states all elements.
[[nodiscard]] RunList spanOf(const HeldTensor &tensor);
/// Replaces the elements, given in row-major order; false if they are cut too finely.
[[nodiscard]] bool writeElements(const HeldTensor &tensor, const RunList &elements);
/// Returns the same elements with sizes to which they broadcast; empty if they do not.
[[nodiscard]] std::optional<HeldTensor> expanded(const HeldTensor &tensor, IntListRef sizes);
/// Returns the elements from `start` to before `end` of a dimension.
[[nodiscard]] HeldTensor narrowed(const HeldTensor &tensor, size_t dim, int64_t start, int64_t end);
/// Returns whether the tensor lies within its memory.
[[nodiscard]] bool fits(const HeldTensor &tensor);

} // namespace ccgraph::numerics

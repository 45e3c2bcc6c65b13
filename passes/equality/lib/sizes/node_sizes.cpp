#include "step_nodes.h"
#include "step_sizes.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

namespace ccgraph::equality {

// --- Reading the node ---------------------------------------------------------------------------------------------

std::vector<NodeSizes::Tensor> NodeSizes::results() const {
  const ValueSizes &sizes = graph_.values[node_.id()];
  return {sizes.begin(), sizes.end()};
}

std::vector<NodeSizes::Tensor> NodeSizes::operands() const {
  std::vector<Tensor> tensors;
  for (const Node *operand : node_.dataOperands())
    for (const SizeVariables &sizes : graph_.values[operand->id()])
      tensors.emplace_back(sizes);
  return tensors;
}

std::vector<NodeSizes::Tensor> NodeSizes::operandsOf(const Argument *argument) const {
  std::vector<Tensor> tensors;
  if (!argument)
    return tensors;
  if (argument->is(Argument::Kind::Operand))
    for (const SizeVariables &sizes : graph_.values[node_.operand(*argument)->id()])
      tensors.emplace_back(sizes);
  for (const Argument &element : argument->elements())
    for (Tensor tensor : operandsOf(&element))
      tensors.push_back(tensor);
  return tensors;
}

std::optional<NodeSizes::Tensor> NodeSizes::operandAt(int index) const {
  std::vector<Tensor> tensors = operandsOf(argumentAt(node_, index));
  return tensors.size() == 1 ? std::optional(tensors.front()) : std::nullopt;
}

std::optional<int64_t> NodeSizes::integerAt(int index) const {
  const Argument *argument = argumentAt(node_, index);
  return argument && argument->is(Argument::Kind::Int) ? std::optional(argument->integer()) : std::nullopt;
}

int64_t NodeSizes::dimensionAt(int index, size_t rank, int64_t missing) const {
  int64_t dim = integerAt(index).value_or(missing);
  return dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
}

// --- Relations ----------------------------------------------------------------------------------------------------

void NodeSizes::same(Tensor a, size_t dimA, Tensor b, size_t dimB) {
  if (dimA < a.size() && dimB < b.size() && valueAt(a, dimA) == valueAt(b, dimB))
    system_.equate(a[dimA], b[dimB]);
}

/// Relates a tensor that broadcasts to another one; returns false if it does not.
bool NodeSizes::alignRight(Tensor tensor, Tensor to) {
  if (tensor.size() > to.size())
    return false;
  const size_t first = to.size() - tensor.size();
  for (size_t i = 0; i != tensor.size(); ++i)
    if (valueAt(tensor, i) != valueAt(to, first + i) && valueAt(tensor, i) != 1 && valueAt(to, first + i) != 1)
      return false;
  for (size_t i = 0; i != tensor.size(); ++i)
    same(tensor, i, to, first + i);
  return true;
}

bool NodeSizes::alignLeft(Tensor tensor, Tensor to) {
  if (tensor.size() > to.size())
    return false;
  for (size_t i = 0; i != tensor.size(); ++i)
    if (valueAt(tensor, i) != valueAt(to, i))
      return false;
  for (size_t i = 0; i != tensor.size(); ++i)
    same(tensor, i, to, i);
  return true;
}

void NodeSizes::equateEqual(Tensor tensor, llvm::ArrayRef<Tensor> to) {
  for (size_t i = 0; i != tensor.size(); ++i)
    for (Tensor other : to)
      for (size_t j = 0; j != other.size(); ++j)
        same(tensor, i, other, j);
}

/// Relates tensors of one elementwise call, or of a call that keeps dimensions in their places.
void NodeSizes::align(llvm::ArrayRef<Tensor> tensors) {
  if (tensors.empty())
    return;
  auto count = [&](Tensor tensor) {
    int64_t elements = 1;
    for (size_t i = 0; i != tensor.size(); ++i)
      elements = saturatingMultiply(elements, valueAt(tensor, i));
    return elements;
  };
  Tensor largest = tensors.front();
  for (Tensor tensor : tensors)
    if (std::pair(tensor.size(), count(tensor)) > std::pair(largest.size(), count(largest)))
      largest = tensor;
  const bool isFromLeft = shortTarget(node_).contains("nll_loss") || shortTarget(node_).contains("_dot_product_");
  for (Tensor tensor : tensors) {
    if (isFromLeft && tensor.size() < largest.size() && alignLeft(tensor, largest))
      continue;
    if (!alignRight(tensor, largest) && !alignLeft(tensor, largest))
      equateEqual(tensor, tensors);
  }
}

void NodeSizes::sameBut(Tensor a, Tensor b, int64_t dim) {
  for (size_t i = 0; i != std::min(a.size(), b.size()); ++i)
    if (static_cast<int64_t>(i) != dim)
      same(a, i, b, i);
}

void NodeSizes::fixDimension(Tensor tensor, int64_t dim) {
  if (dim >= 0 && dim < static_cast<int64_t>(tensor.size()))
    system_.fix(tensor[static_cast<size_t>(dim)]);
}

// --- Literals -------------------------------------------------------------------------------------------------------

void NodeSizes::bind(const Argument *argument, SizeTerm term) {
  if (argument)
    graph_.literals.try_emplace(argument, std::move(term));
}

void NodeSizes::bindList(const Argument &list, llvm::ArrayRef<SizeVariable> sizes) {
  for (size_t i = 0; i != sizes.size(); ++i)
    if (const Argument &element = list.elements()[i];
        element.is(Argument::Kind::Int) && element.integer() == system_.valueOf(sizes[i]))
      bind(&element, {1, {sizes[i]}, 0});
}

/// An argument that is a shape: that of the result, or the last sizes of an operand.
void NodeSizes::bindLists() {
  std::vector<Tensor> tensors = results();
  const size_t numResults = tensors.size();
  for (Tensor tensor : operands())
    tensors.push_back(tensor);
  for (size_t index = 0; index != node_.op()->params.size(); ++index) {
    const Argument *list = argumentAt(node_, static_cast<int>(index));
    if (!list || list->elements().empty() ||
        !isOneOfWords(node_.op()->params[index].name,
                      {"size", "sizes", "shape", "normalized_shape", "input_sizes", "self_sizes"}))
      continue;
    for (size_t i = 0; i != tensors.size(); ++i)
      if ((i >= numResults || tensors[i].size() == list->elements().size()) && bindShape(*list, tensors[i]))
        break;
  }
}

/// Binds a list that states the last sizes of a tensor, of which -1 states any; returns false if it does not.
bool NodeSizes::bindShape(const Argument &list, Tensor tensor) {
  llvm::ArrayRef<Argument> elements = list.elements();
  if (tensor.size() < elements.size())
    return false;
  Tensor last = tensor.take_back(elements.size());
  for (size_t i = 0; i != last.size(); ++i)
    if (!elements[i].is(Argument::Kind::Int) ||
        (elements[i].integer() != system_.valueOf(last[i]) && elements[i].integer() != -1))
      return false;
  bindList(list, last);
  return true;
}

/// The first row of a rank's shard, which ranks subtract or compare with: a multiple of the shard's size, give or take
/// one.
void NodeSizes::bindOffset() {
  const Type *type = node_.numOperands() == 1 ? node_.operand(0)->type() : nullptr;
  if (!type || !type->isTensor() || classOf(type->dtype()) != DTypeClass::Integer ||
      !isOneOfWords(shortTarget(node_), {"add", "sub", "rsub", "lt", "le", "gt", "ge", "eq", "ne", "clamp", "clamp_min",
                                         "clamp_max", "where", "masked_fill", "remainder", "floor_divide"}))
    return;
  for (const Argument &argument : node_.args()) {
    constexpr int64_t fewest = 2;
    if (!argument.is(Argument::Kind::Int) || std::abs(argument.integer()) < fewest)
      continue;
    const int64_t value = std::abs(argument.integer()), sign = argument.integer() < 0 ? -1 : 1;
    std::optional<SizeTerm> best;
    int64_t largest = 0;
    for (auto [shard, ranks] : step_.shards_)
      for (int64_t plus : {0, -1, 1}) {
        const int64_t size = system_.valueOf(shard), multiple = value - plus;
        if (size > largest && size > fewest && multiple % size == 0 && multiple / size <= ranks && multiple > 0) {
          best = SizeTerm{sign * (multiple / size), {shard}, sign * plus};
          largest = size;
        }
      }
    if (best)
      bind(&argument, *best);
  }
}

void NodeSizes::relate() {
  if (node_.opcode() != Opcode::CallFunction)
    return;
  const bool isKnown = relateView() || relatePermutation() || relateProduct() || relateReduction() || relateJoin() ||
                       relateSlice() || relateRange() || relateLookup() || relateCollective() || relateLists();
  if (!isKnown)
    relateDefault();
  bindLists();
  bindOffset();
}

} // namespace ccgraph::equality

#include "step_nodes.h"
#include "step_sizes.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

namespace ccgraph::equality {

// --- Families of operators ------------------------------------------------------------------------------------------

bool NodeSizes::relateView() {
  std::optional<Tensor> from = operandAt(0);
  if (!from || results().size() != 1 ||
      !isOneOfWords(shortTarget(node_), {"view", "_unsafe_view", "reshape", "flatten", "unflatten", "squeeze",
                                         "squeeze_", "unsqueeze", "unsqueeze_", "view_copy", "ravel"}))
    return false;
  relateShapes(system_, *from, results().front());
  return true;
}

bool NodeSizes::relatePermutation() {
  llvm::StringRef target = shortTarget(node_);
  std::optional<Tensor> from = operandAt(0);
  if (!from || !isOneOfWords(target, {"t", "transpose", "permute", "numpy_T", "mT"}))
    return false;
  Tensor to = results().front();
  std::vector<size_t> order(from->size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  if (target == "permute") {
    const Argument *dims = argumentAt(node_, 1);
    for (size_t i = 0; dims && i != std::min(order.size(), dims->elements().size()); ++i)
      if (const Argument &dim = dims->elements()[i]; dim.is(Argument::Kind::Int))
        order[i] =
            static_cast<size_t>(dim.integer() < 0 ? dim.integer() + static_cast<int64_t>(order.size()) : dim.integer());
  } else if (target == "transpose") {
    const int64_t a = dimensionAt(1, order.size(), 0), b = dimensionAt(2, order.size(), 1);
    const auto count = static_cast<int64_t>(order.size());
    if (a >= 0 && b >= 0 && a < count && b < count)
      std::swap(order[static_cast<size_t>(a)], order[static_cast<size_t>(b)]);
  } else if (target == "mT" && order.size() > 1) {
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  } else {
    std::reverse(order.begin(), order.end());
  }
  for (size_t i = 0; i != order.size(); ++i)
    same(*from, order[i], to, i);
  return true;
}

bool NodeSizes::relateProduct() {
  llvm::StringRef target = shortTarget(node_);
  const bool hasBias = isOneOfWords(target, {"addmm", "baddbmm", "addmm_", "baddbmm_"});
  if (!hasBias && !isOneOfWords(target, {"mm", "bmm"}))
    return false;
  std::optional<Tensor> a = operandAt(hasBias ? 1 : 0), b = operandAt(hasBias ? 2 : 1);
  Tensor to = results().front();
  if (!a || !b || a->size() < 2 || a->size() != b->size() || to.size() != a->size())
    return false;
  const size_t rows = a->size() - 2, columns = rows + 1;
  for (size_t batch = 0; batch != rows; ++batch) {
    same(*a, batch, to, batch);
    same(*b, batch, to, batch);
  }
  same(*a, rows, to, rows);
  same(*a, columns, *b, rows);
  same(*b, columns, to, columns);
  if (std::optional<Tensor> bias = hasBias ? operandAt(0) : std::nullopt)
    (void)alignRight(*bias, to);
  return true;
}

/// A reduction that leaves dimensions out.
bool NodeSizes::relateReduction() {
  std::optional<Tensor> from = operandAt(0);
  const Argument *dims = argumentAt(node_, 1);
  if (!from || !dims || dims->is(Argument::Kind::Operand) ||
      !isOneOfWords(shortTarget(node_), {"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "var", "std",
                                         "logsumexp", "any", "all", "prod"}))
    return false;
  std::vector<bool> isReduced(from->size(), false);
  auto note = [&](const Argument &dim) {
    if (!dim.is(Argument::Kind::Int))
      return;
    int64_t index = dim.integer() < 0 ? dim.integer() + static_cast<int64_t>(from->size()) : dim.integer();
    if (index >= 0 && index < static_cast<int64_t>(from->size()))
      isReduced[static_cast<size_t>(index)] = true;
  };
  note(*dims);
  for (const Argument &dim : dims->elements())
    note(dim);
  for (Tensor to : results()) {
    if (to.size() == from->size()) {
      (void)alignRight(to, *from);
      continue;
    }
    size_t next = 0;
    for (size_t i = 0; i != from->size(); ++i)
      if (!isReduced[i])
        same(*from, i, to, next++);
  }
  return true;
}

/// Concatenations and their opposites.
bool NodeSizes::relateJoin() {
  llvm::StringRef target = shortTarget(node_);
  const bool splits = isOneOfWords(target, {"split", "split_with_sizes", "chunk", "tensor_split"});
  std::vector<Tensor> parts = splits ? results() : operandsOf(argumentAt(node_, 0));
  std::optional<Tensor> whole = splits ? operandAt(0) : std::nullopt;
  if (target == "cat" && results().size() == 1)
    whole = results().front();
  if (!whole || whole->empty() || parts.empty())
    return false;
  const int64_t dim = dimensionAt(splits ? 2 : 1, whole->size(), 0);
  SizeVariables sizes;
  for (Tensor part : parts) {
    if (part.size() != whole->size() || dim < 0 || dim >= static_cast<int64_t>(part.size()))
      return false;
    sameBut(part, *whole, dim);
    sizes.push_back(part[static_cast<size_t>(dim)]);
  }
  system_.relateSum((*whole)[static_cast<size_t>(dim)], sizes);
  const Argument *stated = splits && target != "chunk" ? argumentAt(node_, 1) : nullptr;
  if (stated && stated->is(Argument::Kind::Int) && stated->integer() == system_.valueOf(sizes.front()))
    bind(stated, {1, {sizes.front()}, 0});
  else if (stated && stated->elements().size() == sizes.size())
    bindList(*stated, sizes);
  return true;
}

/// The bounds of a part along a dimension.
struct NodeSizes::Bounds {
  const Argument *first = nullptr, *last = nullptr;
  int64_t start = 0;
};

/// Returns the bounds that arguments state from `index` on; empty if they count from the end, or in steps.
std::optional<NodeSizes::Bounds> NodeSizes::boundsAt(int index) const {
  auto stated = [&](int at) {
    const Argument *argument = argumentAt(node_, at);
    return argument && argument->is(Argument::Kind::Int) ? argument : nullptr;
  };
  Bounds bounds{stated(index), stated(index + 1), 0};
  bounds.start = bounds.first ? bounds.first->integer() : 0;
  if (bounds.start < 0 || (bounds.last && bounds.last->integer() < 0) || integerAt(index + 2).value_or(1) != 1)
    return std::nullopt;
  return bounds;
}

/// The bounds of a part are multiples of its size, or the part is at the start or the end of the whole. Else both sizes
/// stay.
void NodeSizes::relatePart(SizeVariable all, SizeVariable length, const std::optional<Bounds> &bounds) {
  const int64_t size = system_.valueOf(all), count = system_.valueOf(length);
  const int64_t start = bounds ? bounds->start : 0, rest = size - start - count;
  constexpr int64_t mostParts = 1024;
  const bool isMultiple = count != 0 && start % count == 0 && size % count == 0 && size / count <= mostParts;
  if (!bounds || count == 0 || rest < 0 || (!isMultiple && start != 0 && rest != 0)) {
    system_.fix(all);
    system_.fix(length);
    return;
  }
  SizeTerm first{0, {}, 0}, last{1, {all}, 0};
  if (isMultiple) {
    system_.relateSum(all, SizeVariables(static_cast<size_t>(size / count), length));
    first = {start / count, {length}, 0};
    last = {start / count + 1, {length}, 0};
  } else if (start == 0) {
    system_.relateSum(all, {length, system_.add(rest)});
    last = {1, {length}, 0};
  } else {
    SizeVariable before = system_.add(start);
    system_.relateSum(all, {before, length});
    first = {1, {before}, 0};
  }
  bind(bounds->first, first);
  if (bounds->last && bounds->last->integer() <= size)
    bind(bounds->last, last);
}

bool NodeSizes::relateSlice() {
  llvm::StringRef target = shortTarget(node_);
  const bool isBackward = isOneOfWords(target, {"slice_backward", "slice_scatter"});
  if ((target != "slice" && !isBackward) || results().size() != 1 || results().front().empty())
    return false;
  const bool isScatter = target == "slice_scatter";
  std::optional<Tensor> part = isBackward ? operandAt(isScatter ? 1 : 0) : results().front();
  std::optional<Tensor> whole = isBackward ? results().front() : operandAt(0);
  if (!part || !whole || part->size() != whole->size())
    return false;
  const int dimension = isBackward ? 2 : 1;
  const int64_t dim = dimensionAt(dimension, whole->size(), 0);
  if (dim < 0 || dim >= static_cast<int64_t>(whole->size()))
    return false;
  sameBut(*part, *whole, dim);
  if (std::optional<Tensor> into = isScatter ? operandAt(0) : std::nullopt)
    (void)alignRight(*into, *whole);
  relatePart((*whole)[static_cast<size_t>(dim)], (*part)[static_cast<size_t>(dim)], boundsAt(dimension + 1));
  return true;
}

/// arange(end), arange(start, end): a first number is a multiple of the length.
bool NodeSizes::relateRange() {
  if (shortTarget(node_) != "arange" || results().size() != 1 || results().front().size() != 1)
    return false;
  const SizeVariable length = results().front().front();
  const int64_t count = system_.valueOf(length);
  const bool hasStart = node_.op()->paramIndex("start") >= 0;
  const Argument *last = argumentAt(node_, hasStart ? 1 : 0), *first = hasStart ? argumentAt(node_, 0) : nullptr;
  const int64_t start = first && first->is(Argument::Kind::Int) ? first->integer() : 0;
  const bool isPlain = last && last->is(Argument::Kind::Int) && last->integer() == start + count;
  if (!isPlain || count == 0 || start % count != 0) {
    system_.fix(length);
    return true;
  }
  if (first && first->is(Argument::Kind::Int))
    bind(first, {start / count, {length}, 0});
  bind(last, {start / count + 1, {length}, 0});
  return true;
}

/// Operators whose results have dimensions of an index.
bool NodeSizes::relateLookup() {
  llvm::StringRef target = shortTarget(node_);
  if (target == "embedding") {
    std::optional<Tensor> weight = operandAt(0), index = operandAt(1);
    Tensor to = results().front();
    if (!weight || !index || weight->size() != 2 || to.size() != index->size() + 1)
      return false;
    (void)alignLeft(*index, to);
    same(*weight, 1, to, to.size() - 1);
    return true;
  }
  if (target == "embedding_dense_backward") {
    std::optional<Tensor> grad = operandAt(0), index = operandAt(1);
    Tensor to = results().front();
    if (!grad || !index || to.size() != 2 || grad->size() != index->size() + 1)
      return false;
    (void)alignLeft(*index, *grad);
    same(*grad, grad->size() - 1, to, 1);
    if (integerAt(2) == system_.valueOf(to[0]))
      bind(argumentAt(node_, 2), {1, {to[0]}, 0});
    return true;
  }
  if (isOneOfWords(target, {"select", "unbind", "select_backward", "select_scatter"})) {
    // An index is a number, so the dimension stays.
    std::optional<Tensor> from = operandAt(0);
    Tensor whole = isOneOfWords(target, {"select", "unbind"}) && from ? *from : results().front();
    Tensor part = isOneOfWords(target, {"select", "unbind"}) || !from ? results().front() : *from;
    if (target == "select_scatter" && from)
      (void)alignRight(*from, whole);
    const int64_t dim = dimensionAt(target == "select" || target == "unbind" ? 1 : 2, whole.size(), 0);
    fixDimension(whole, dim);
    for (size_t i = 0, next = 0; part.size() + 1 == whole.size() && i != whole.size(); ++i)
      if (static_cast<int64_t>(i) != dim)
        same(whole, i, part, next++);
    for (Tensor other : results())
      if (target == "unbind")
        (void)alignRight(other, part);
    return true;
  }
  return false;
}

bool NodeSizes::relateCollective() {
  std::optional<CollectiveCall> call = collectiveCall(node_);
  if (!call)
    return false;
  std::vector<Tensor> from = operands(), to = results();
  const SizeVariables ranks = step_.ranksOf(call->group, graph_.rank, call->groupSize.value_or(0));
  const Argument *stated = call->spec->groupSize < 0 ? nullptr : argumentAt(node_, call->spec->groupSize);
  if (stated && stated->is(Argument::Kind::Int))
    bind(stated, {1, ranks, 0});
  const CollectiveKind kind = call->spec->kind;
  for (size_t i = 0; i != std::min(from.size(), to.size()); ++i) {
    if (from[i].empty() || to[i].empty() || from[i].size() != to[i].size())
      continue;
    const bool gathers = kind == CollectiveKind::AllGather, scatters = kind == CollectiveKind::ReduceScatter;
    if (!gathers && !scatters) {
      relateExchange(*call, from[i], to[i]);
      continue;
    }
    sameBut(from[i], to[i], 0);
    SizeVariables many = ranks;
    many.push_back((gathers ? from : to)[i][0]);
    system_.relateProducts({(gathers ? to : from)[i][0]}, many);
  }
  return true;
}

/// An all_to_all keeps its rows where its shares are equal; other collectives keep all sizes.
void NodeSizes::relateExchange(const CollectiveCall &call, Tensor from, Tensor to) {
  const CollectiveKind kind = call.spec->kind;
  if (kind == CollectiveKind::ShardDimAllToAll) {
    for (Tensor tensor : {from, to})
      for (SizeVariable size : tensor)
        system_.fix(size);
    return;
  }
  if (kind != CollectiveKind::AllToAll)
    return align({from, to});
  sameBut(from, to, 0);
  bindShares(argumentAt(node_, call.spec->inputSplits), from[0]);
  bindShares(argumentAt(node_, call.spec->outputSplits), to[0]);
}

/// Equal shares of rows are one size; with others the rows stay.
void NodeSizes::bindShares(const Argument *list, SizeVariable rows) {
  if (!list || list->elements().empty())
    return system_.fix(rows);
  llvm::ArrayRef<Argument> elements = list->elements();
  const bool areEqual = llvm::all_of(elements, [&](const Argument &element) {
    return element.is(Argument::Kind::Int) && sameArgument(element, elements.front());
  });
  if (!areEqual)
    return system_.fix(rows);
  SizeVariable share = system_.add(elements.front().integer());
  system_.relateSum(rows, SizeVariables(elements.size(), share));
  bindList(*list, SizeVariables(elements.size(), share));
}

/// Calls on lists of tensors: element i of each list belongs to element i of the others.
bool NodeSizes::relateLists() {
  llvm::StringRef target = shortTarget(node_);
  if (!target.startswith("_foreach_") && !target.startswith("_fused_adam"))
    return false;
  std::vector<Tensor> to = results();
  size_t longest = to.size() > 1 ? to.size() : 0;
  for (const Argument &argument : node_.args())
    longest = std::max(longest, argument.elements().size());
  for (size_t i = 0; i != longest; ++i) {
    std::vector<Tensor> tensors;
    if (i < to.size())
      tensors.push_back(to[i]);
    for (const Argument &argument : node_.args())
      if (i < argument.elements().size())
        for (Tensor tensor : operandsOf(&argument.elements()[i]))
          tensors.push_back(tensor);
    align(tensors);
  }
  return true;
}

void NodeSizes::relateDefault() {
  if (node_.op()->role == OpRole::GetItem) {
    const Argument *index = argumentAt(node_, 1);
    std::vector<Tensor> from = operandsOf(argumentAt(node_, 0));
    if (index && index->is(Argument::Kind::Int) && index->integer() >= 0 &&
        index->integer() < static_cast<int64_t>(from.size()) && !results().empty())
      (void)alignRight(results().front(), from[static_cast<size_t>(index->integer())]);
    return;
  }
  std::vector<Tensor> tensors = results();
  for (Tensor tensor : operands())
    tensors.push_back(tensor);
  align(tensors);
  if (isOneOfWords(shortTarget(node_), {"topk", "kthvalue", "repeat", "one_hot", "unfold", "constant_pad_nd"}))
    for (Tensor tensor : tensors)
      for (SizeVariable size : tensor)
        system_.fix(size);
}

} // namespace ccgraph::equality

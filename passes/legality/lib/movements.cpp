#include "movements.h"

#include "storages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

namespace ccgraph::legality {

namespace {

// Each rule computes where the elements of the result come from. A reshape keeps all of them in order and only requires
// suitable strides. Every operator that shows a part (slice, select, permute, split) is an Excerpt: a first element and
// a step for each dimension. For x = f32[4, 6], slice(x, 1, 2, 4) begins at element 2, with sizes [4, 2] and steps [6,
// 1].

/// The arguments of a movement, as literals.
class Reader {
public:
  explicit Reader(const Movement &movement) : movement_(movement) {}

  const Argument *at(int parameter) const {
    const Argument *argument = Program::argument(movement_.step, parameter);
    return argument && argument->is(Argument::Kind::None) ? nullptr : argument;
  }

  /// Returns the literal there, or `otherwise` if it is left out; empty if it is no literal.
  std::optional<int64_t> integer(int parameter, std::optional<int64_t> otherwise = std::nullopt) const {
    const Argument *argument = at(parameter);
    if (!argument)
      return otherwise;
    return argument->is(Argument::Kind::Int) ? std::optional<int64_t>(argument->integer()) : std::nullopt;
  }

  std::optional<IntList> integers(int parameter) const {
    const Argument *argument = at(parameter);
    if (!argument || !argument->isSequence())
      return std::nullopt;
    IntList values;
    for (const Argument &element : argument->elements()) {
      if (!element.is(Argument::Kind::Int))
        return std::nullopt;
      values.push_back(element.integer());
    }
    return values;
  }

  /// Returns a dimension, counted from the end if negative; empty if there is no such dimension.
  std::optional<int64_t> dim(int parameter, size_t rank, std::optional<int64_t> otherwise = std::nullopt) const {
    auto value = integer(parameter, otherwise);
    auto limit = static_cast<int64_t>(rank);
    if (!value || *value < -limit || *value >= limit)
      return std::nullopt;
    return *value < 0 ? *value + limit : *value;
  }

private:
  const Movement &movement_;
};

Contents single(Layout layout) { return {{std::move(layout)}, false}; }

std::optional<Contents> single(std::optional<Layout> layout) {
  return layout ? std::optional<Contents>(single(std::move(*layout))) : std::nullopt;
}

const Layout *tensor(const Movement &movement) {
  if (movement.operands.empty() || movement.operands[0]->isList || movement.operands[0]->elements[0].unsized)
    return nullptr;
  return &movement.operands[0]->elements[0];
}

// --- Other sizes for the same elements -----------------------------------------------------------------------------

/// One -1 means the remaining size: 24 elements as [4, -1] are [4, 6].
std::optional<IntList> inferred(const Layout &value, std::optional<IntList> sizes) {
  if (!sizes)
    return std::nullopt;
  int64_t *open = llvm::find(*sizes, -1);
  if (open == sizes->end())
    return sizes;
  *open = 1;
  int64_t rest = product(*sizes);
  if (rest == 0 || value.numElements() % rest != 0)
    return std::nullopt;
  *open = value.numElements() / rest;
  return sizes;
}

std::optional<Contents> resize(const Movement &movement, bool mayCopy) {
  const Layout *value = tensor(movement);
  auto sizes = value ? inferred(*value, Reader(movement).integers(1)) : std::nullopt;
  return sizes ? single(reshape(*value, *sizes, mayCopy)) : std::nullopt;
}
std::optional<Contents> moveView(const Movement &movement) { return resize(movement, false); }
std::optional<Contents> moveReshape(const Movement &movement) { return resize(movement, true); }

std::optional<Contents> moveFlatten(const Movement &movement) {
  const Layout *value = tensor(movement);
  if (!value)
    return std::nullopt;
  if (value->sizes.empty())
    return single(reshape(*value, {1}, true));
  Reader reader(movement);
  auto first = reader.dim(1, value->sizes.size(), 0);
  auto last = reader.dim(2, value->sizes.size(), -1);
  if (!first || !last || *first > *last)
    return std::nullopt;
  IntList sizes(value->sizes.begin(), value->sizes.begin() + *first);
  sizes.push_back(product(llvm::ArrayRef<int64_t>(value->sizes).slice(*first, *last - *first + 1)));
  sizes.append(value->sizes.begin() + *last + 1, value->sizes.end());
  return single(reshape(*value, sizes, true));
}

std::optional<Contents> moveUnsqueeze(const Movement &movement) {
  const Layout *value = tensor(movement);
  auto dim = value ? Reader(movement).dim(1, value->sizes.size() + 1) : std::nullopt;
  if (!dim)
    return std::nullopt;
  IntList sizes = value->sizes;
  sizes.insert(sizes.begin() + *dim, 1);
  return single(reshape(*value, sizes, false));
}

/// Removes a dimension of size 1; any other dimension stays.
std::optional<Contents> moveSqueeze(const Movement &movement) {
  const Layout *value = tensor(movement);
  auto dim = value ? Reader(movement).dim(1, value->sizes.size()) : std::nullopt;
  if (!dim)
    return std::nullopt;
  IntList sizes = value->sizes;
  if (sizes[*dim] == 1)
    sizes.erase(sizes.begin() + *dim);
  return single(reshape(*value, sizes, false));
}

// --- Excerpts -------------------------------------------------------------------------------------------------------

/// Returns elements [start, start + count) of a dimension: the excerpt begins `start` steps later and has fewer
/// elements.
std::optional<Contents> narrowed(const Layout &value, int64_t dim, int64_t start, int64_t count) {
  if (start < 0 || count < 0 || start + count > value.sizes[dim])
    return std::nullopt;
  Excerpt excerpt = excerptOf(value);
  excerpt.base = start * excerpt.steps[dim];
  excerpt.sizes[dim] = count;
  return single(look(value, excerpt));
}

std::optional<Contents> moveSlice(const Movement &movement) {
  const Layout *value = tensor(movement);
  Reader reader(movement);
  auto dim = value ? reader.dim(1, value->sizes.size(), 0) : std::nullopt;
  if (!dim)
    return std::nullopt;
  int64_t size = value->sizes[*dim];
  auto start = reader.integer(2, 0);
  auto end = reader.integer(3, size);
  auto step = reader.integer(4, 1);
  if (!start || !end || step != 1)
    return std::nullopt;
  auto within = [&](int64_t place) { return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size); };
  return narrowed(*value, *dim, within(*start), std::max<int64_t>(within(*end) - within(*start), 0));
}

std::optional<Contents> moveNarrow(const Movement &movement) {
  const Layout *value = tensor(movement);
  Reader reader(movement);
  auto dim = value ? reader.dim(1, value->sizes.size()) : std::nullopt;
  auto start = reader.integer(2);
  auto count = reader.integer(3);
  return dim && start && count ? narrowed(*value, *dim, *start, *count) : std::nullopt;
}

/// Removes a dimension and returns its element `index`: for f32[4, 6], row 2 begins at element 12 and has sizes [6] and
/// steps [1].
std::optional<Layout> selected(const Layout &value, int64_t dim, int64_t index) {
  Excerpt excerpt = excerptOf(value);
  excerpt.base = index * excerpt.steps[dim];
  excerpt.sizes.erase(excerpt.sizes.begin() + dim);
  excerpt.steps.erase(excerpt.steps.begin() + dim);
  excerpt.strides.erase(excerpt.strides.begin() + dim);
  return look(value, excerpt);
}

std::optional<Contents> moveSelect(const Movement &movement) {
  const Layout *value = tensor(movement);
  Reader reader(movement);
  auto dim = value ? reader.dim(1, value->sizes.size()) : std::nullopt;
  auto index = dim ? reader.dim(2, value->sizes[*dim]) : std::nullopt;
  return index ? single(selected(*value, *dim, *index)) : std::nullopt;
}

/// Returns the dimensions of a permute, of which each may be named once.
std::optional<IntList> dimsOfPermute(const Reader &reader, size_t rank) {
  auto dims = reader.integers(1);
  if (!dims || dims->size() != rank)
    return std::nullopt;
  std::vector<bool> seen(rank);
  for (int64_t &dim : *dims) {
    dim += dim < 0 ? static_cast<int64_t>(rank) : 0;
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || seen[dim])
      return std::nullopt;
    seen[dim] = true;
  }
  return dims;
}

std::optional<IntList> dimsOfTranspose(const Reader &reader, size_t rank) {
  auto a = reader.dim(1, rank), b = reader.dim(2, rank);
  if (!a || !b)
    return std::nullopt;
  IntList dims = ascending(rank);
  std::swap(dims[*a], dims[*b]);
  return dims;
}

std::optional<IntList> dimsOfT(const Reader &, size_t rank) { return rank == 2 ? IntList{1, 0} : ascending(rank); }

using PermutationRule = std::optional<IntList> (*)(const Reader &, size_t rank);
const llvm::StringMap<PermutationRule> &permutations() {
  static const llvm::StringMap<PermutationRule> table = {
      {"aten.permute.default", dimsOfPermute}, {"aten.transpose.int", dimsOfTranspose}, {"aten.t.default", dimsOfT}};
  return table;
}

std::optional<Contents> movePermuted(const Movement &movement) {
  std::optional<Contents> value = permutedOf(movement);
  return value ? single(inRowMajorOrder(value->elements[0])) : std::nullopt;
}

// --- Lists ---------------------------------------------------------------------------------------------------------

std::optional<Contents> parts(const Layout &value, int64_t dim, llvm::ArrayRef<int64_t> counts) {
  Contents list{{}, true};
  int64_t start = 0;
  for (int64_t count : counts) {
    auto part = narrowed(value, dim, start, count);
    if (!part)
      return std::nullopt;
    list.elements.push_back(std::move(part->elements[0]));
    start += count;
  }
  return start == value.sizes[dim] ? std::optional<Contents>(std::move(list)) : std::nullopt;
}

std::optional<Contents> moveSplitWithSizes(const Movement &movement) {
  const Layout *value = tensor(movement);
  Reader reader(movement);
  auto dim = value ? reader.dim(2, value->sizes.size(), 0) : std::nullopt;
  auto counts = reader.integers(1);
  return dim && counts ? parts(*value, *dim, *counts) : std::nullopt;
}

std::optional<Contents> moveSplit(const Movement &movement) {
  const Layout *value = tensor(movement);
  Reader reader(movement);
  auto dim = value ? reader.dim(2, value->sizes.size(), 0) : std::nullopt;
  auto count = reader.integer(1);
  if (!dim || !count || *count <= 0)
    return std::nullopt;
  IntList counts;
  for (int64_t rest = value->sizes[*dim]; rest > 0; rest -= *count)
    counts.push_back(std::min(rest, *count));
  return parts(*value, *dim, counts);
}

std::optional<Contents> moveUnbind(const Movement &movement) {
  const Layout *value = tensor(movement);
  auto dim = value ? Reader(movement).dim(1, value->sizes.size(), 0) : std::nullopt;
  if (!dim)
    return std::nullopt;
  Contents list{{}, true};
  for (int64_t i = 0; i < value->sizes[*dim]; ++i) {
    auto part = selected(*value, *dim, i);
    if (!part)
      return std::nullopt;
    list.elements.push_back(std::move(*part));
  }
  return list;
}

std::optional<Contents> moveGetItem(const Movement &movement) {
  uint32_t index = movement.step.element;
  if (index == none || movement.operands.empty() || !movement.operands[0]->isList ||
      index >= movement.operands[0]->elements.size())
    return std::nullopt;
  return single(movement.operands[0]->elements[index]);
}

std::optional<Contents> moveCat(const Movement &movement) {
  llvm::SmallVector<Layout, 8> values;
  for (const Contents *value : movement.operands) {
    if (value->isList || value->elements[0].unsized)
      return std::nullopt;
    values.push_back(value->elements[0]);
  }
  auto dim = values.empty() ? std::nullopt : Reader(movement).dim(1, values[0].sizes.size(), 0);
  return dim ? single(concatenate(values, *dim)) : std::nullopt;
}

// --- Copies --------------------------------------------------------------------------------------------------------

std::optional<Contents> moveAlias(const Movement &movement) {
  const Layout *value = tensor(movement);
  return value ? std::optional<Contents>(single(*value)) : std::nullopt;
}

Layout inContiguousMemory(Layout value) {
  value.strides = rowMajor(value.sizes);
  value.stridesKnown = true;
  return value;
}

/// Makes a dense copy: row-major if the memory format requires it, else its dimensions have the memory order of the
/// value's dimensions.
std::optional<Contents> moveClone(const Movement &movement) {
  const Layout *value = tensor(movement);
  if (!value)
    return std::nullopt;
  if (const Argument *format = Reader(movement).at(1)) {
    if (!format->is(Argument::Kind::MemoryFormat) || format->text() != "contiguous_format")
      return std::nullopt;
    return single(inContiguousMemory(*value));
  }
  Layout copy = *value;
  if (!value->stridesKnown)
    return single(std::move(copy));
  llvm::SmallVector<size_t, 4> dims(value->sizes.size());
  std::iota(dims.begin(), dims.end(), size_t(0));
  llvm::stable_sort(dims, [&](size_t a, size_t b) { return value->strides[a] > value->strides[b]; });
  int64_t stride = 1;
  for (size_t dim : llvm::reverse(dims)) {
    copy.strides[dim] = stride;
    stride *= std::max<int64_t>(value->sizes[dim], 1);
  }
  return single(std::move(copy));
}

std::optional<Contents> moveContiguous(const Movement &movement) {
  const Layout *value = tensor(movement);
  if (!value || Reader(movement).at(1))
    return std::nullopt;
  return single(inContiguousMemory(*value));
}

// Besides waits, only these operators may pack or unpack a bucket, or be part of a chain of exchanges. All others are
// rejected there, whatever they do: the checker accepts only what it can evaluate.
const llvm::StringMap<MovementRule> &rules() {
  static const llvm::StringMap<MovementRule> table = {{"aten.view.default", moveView},
                                                      {"aten._unsafe_view.default", moveView},
                                                      {"aten.reshape.default", moveReshape},
                                                      {"aten.flatten.using_ints", moveFlatten},
                                                      {"aten.unsqueeze.default", moveUnsqueeze},
                                                      {"aten.squeeze.dim", moveSqueeze},
                                                      {"aten.slice.Tensor", moveSlice},
                                                      {"aten.narrow.default", moveNarrow},
                                                      {"aten.select.int", moveSelect},
                                                      {"aten.permute.default", movePermuted},
                                                      {"aten.transpose.int", movePermuted},
                                                      {"aten.t.default", movePermuted},
                                                      {"aten.split_with_sizes.default", moveSplitWithSizes},
                                                      {"aten.split.Tensor", moveSplit},
                                                      {"aten.unbind.int", moveUnbind},
                                                      {"operator.getitem", moveGetItem},
                                                      {"aten.cat.default", moveCat},
                                                      {"aten.alias.default", moveAlias},
                                                      {"aten.clone.default", moveClone},
                                                      {"aten.contiguous.default", moveContiguous}};
  return table;
}

} // namespace

bool isPermutation(const Step &step) { return step.op && permutations().count(step.op->target.str()) != 0; }

std::optional<Contents> permutedOf(const Movement &movement) {
  const Layout *value = tensor(movement);
  const auto rule = permutations().find(movement.step.op->target.str());
  auto dims = value ? rule->second(Reader(movement), value->sizes.size()) : std::nullopt;
  return dims ? std::optional(single(permuted(*value, *dims))) : std::nullopt;
}

MovementRule movementOf(llvm::StringRef target) {
  auto found = rules().find(target);
  return found == rules().end() ? nullptr : found->second;
}

} // namespace ccgraph::legality

#include "held.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {

int64_t localSizeOf(llvm::ArrayRef<Factor> factors) {
  int64_t size = 1;
  for (const Factor &factor : factors)
    size *= factor.isLocal() ? factor.size : 1;
  return size;
}

bool hasAxes(llvm::ArrayRef<Factor> factors) {
  return llvm::any_of(factors, [](const Factor &factor) { return !factor.isLocal(); });
}

DimFactors canonical(llvm::ArrayRef<Factor> factors) {
  DimFactors result;
  for (const Factor &factor : factors) {
    if (factor.isLocal() && factor.size == 1)
      continue;
    if (factor.isLocal() && !result.empty() && result.back().isLocal())
      result.back().size *= factor.size;
    else
      result.push_back(factor);
  }
  return result;
}

bool sameFactors(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b) {
  DimFactors left = canonical(a), right = canonical(b);
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(), [](auto &x, auto &y) {
           return x.axis == y.axis && x.size == y.size;
         });
}

bool sameCuts(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b) {
  auto common = [](llvm::ArrayRef<Factor> factors, llvm::ArrayRef<Factor> others) {
    DimFactors kept;
    for (const Factor &factor : factors)
      if (factor.isLocal() || llvm::any_of(others, [&](const Factor &other) { return other.axis == factor.axis; }))
        kept.push_back(factor);
    return kept;
  };
  return sameFactors(common(a, b), common(b, a));
}

int64_t Held::localSize(size_t dim) const { return localSizeOf(dims[dim]); }

Held listOfTwo(const Held &first, const Held &second) {
  Held list;
  list.axes = first.axes;
  list.elements = {first, second};
  return list;
}

std::optional<size_t> Held::dimOf(size_t axis) const {
  for (size_t dim = 0; dim != dims.size(); ++dim)
    for (const Factor &factor : dims[dim])
      if (factor.axis == static_cast<int>(axis))
        return dim;
  return std::nullopt;
}

void Held::settle(size_t axis, Hold hold) {
  for (DimFactors &factors : dims)
    llvm::erase_if(factors, [&](const Factor &factor) { return factor.axis == static_cast<int>(axis); });
  axes[axis] = hold;
}

bool Held::isGuessed(size_t axis) const {
  return llvm::any_of(dims, [&](const DimFactors &factors) {
    return llvm::any_of(factors,
                        [&](const Factor &factor) { return factor.axis == static_cast<int>(axis) && factor.isGuess; });
  });
}

void Held::noteFactors() {
  for (const DimFactors &factors : dims)
    for (const Factor &factor : factors)
      if (!factor.isLocal())
        axes[static_cast<size_t>(factor.axis)].kind = HoldKind::Sharded;
}

llvm::SmallVector<DimFactors, 4> FactorMaker::localDims(IntListRef sizes) {
  llvm::SmallVector<DimFactors, 4> dims;
  for (int64_t size : sizes)
    dims.push_back({local(size)});
  return dims;
}

bool FactorMaker::split(DimFactors &factors, size_t place, int64_t size) {
  Factor &major = factors[place];
  if (size <= 0 || major.size % size != 0)
    return false;
  if (major.size == size)
    return true;
  Factor minor = local(major.size / size, major.follower);
  major.size = size;
  major.follower = minor.id;
  factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(place) + 1, minor);
  return true;
}

void bringHome(llvm::MutableArrayRef<Factor> factors) {
  if (factors.empty() || !factors.front().wasAxis)
    return;
  auto *follower = llvm::find_if(factors, [&](const Factor &factor) { return factor.id == factors.front().follower; });
  if (follower != factors.end() &&
      std::all_of(factors.begin() + 1, follower, [](const Factor &factor) { return !factor.isLocal(); }))
    std::rotate(factors.begin(), factors.begin() + 1, follower);
}

void guessAxes(DimFactors &factors) {
  for (Factor &factor : factors)
    factor.isGuess |= !factor.isLocal();
}

bool hasGuess(llvm::ArrayRef<Factor> factors) {
  return llvm::any_of(factors, [](const Factor &factor) { return !factor.isLocal() && factor.isGuess; });
}

namespace {

/// Returns how many axes at the front of a queue a dimension of size 1 takes. An axis whose follower is gone stood
/// alone in its dimension; the axes behind the last of these belong to the elements that follow. Without such an axis,
/// the only dimension that is split, as features are to heads, gives it all axes, and several give it none.
size_t numLeadingAxes(llvm::ArrayRef<Factor> queue, bool isSplit) {
  size_t count = 0, alone = 0;
  for (; count != queue.size() && !queue[count].isLocal(); ++count)
    if (llvm::none_of(queue, [&](const Factor &factor) { return factor.id == queue[count].follower; }))
      alone = count + 1;
  return alone == 0 && isSplit ? count : alone;
}

/// How dimensions are regrouped.
struct Split {
  FactorMaker &maker;
  /// One dimension becomes several.
  bool isOfOne = false;
};

/// Takes factors from the front of a queue until their local sizes multiply to `size`.
bool takeDim(DimFactors &queue, int64_t size, DimFactors &dim, Split split) {
  if (size == 1) {
    auto *end = queue.begin() + static_cast<std::ptrdiff_t>(numLeadingAxes(queue, split.isOfOne));
    dim.append(queue.begin(), end);
    queue.erase(queue.begin(), end);
    return true;
  }
  while (!queue.empty() && (size != 1 || (queue.front().isLocal() && queue.front().size == 1))) {
    Factor &front = queue.front();
    if (front.isLocal() && (front.size > size || size % front.size != 0)) {
      if (!split.maker.split(queue, 0, size))
        return false;
      continue;
    }
    size /= front.isLocal() ? front.size : 1;
    dim.push_back(front);
    queue.erase(queue.begin());
  }
  return size == 1;
}

/// [batch, heads, rows, size] -> [batch * heads, rows, size] with one head on each rank: sizes alone do not tell
/// whether the heads join the batch or the rows, and products of attention join them with the batch.
bool joinsBatchAndHeads(llvm::ArrayRef<DimFactors> dims, IntListRef sizes) {
  return dims.size() == 4 && sizes.size() == 3 && localSizeOf(dims[1]) == 1 && hasAxes(dims[1]) &&
         sizes[0] == localSizeOf(dims[0]) && sizes[1] == localSizeOf(dims[2]);
}

/// A dimension of size 1 may be what is left of the dimension before, such as [4] -> [4, 1], 4 parts of one element.
void guessFollower(DimFactors &before, const Factor &one) {
  if (before.size() != 1 || !before.front().isLocal() || before.front().follower != 0)
    return;
  before.front().follower = one.id;
  before.front().isGuess = true;
}

/// Returns whether a dimension ends in a factor that was an axis, and what this cut follows. The axes before the factor
/// then cut either dimension: heads, of which an axis gathers some, or what each rank of an exchange receives.
bool endsInFactorOf(llvm::ArrayRef<Factor> dim, llvm::ArrayRef<Factor> queue) {
  return !dim.empty() && dim.back().wasAxis && !queue.empty() && queue.front().id == dim.back().follower;
}

/// Returns whether a dimension has a factor that was an axis beside others, so that their order is a guess.
bool holdsGathered(llvm::ArrayRef<Factor> dim) {
  return dim.size() > 1 && llvm::any_of(dim, [](const Factor &factor) { return factor.wasAxis; });
}

/// Returns whether sizes leave several places for the axes of the dimensions.
bool isAmbiguous(llvm::ArrayRef<DimFactors> dims, IntListRef sizes) {
  return llvm::is_contained(sizes, 1) ||
         llvm::any_of(dims, [](const DimFactors &factors) { return localSizeOf(factors) == 1 && hasAxes(factors); });
}

} // namespace

std::optional<llvm::SmallVector<DimFactors, 4>> regrouped(llvm::ArrayRef<DimFactors> dims, IntListRef sizes,
                                                          FactorMaker &maker) {
  llvm::SmallVector<DimFactors, 4> result;
  if (joinsBatchAndHeads(dims, sizes)) {
    result.assign({dims[0], dims[2], dims[3]});
    result[0].append(dims[1].begin(), dims[1].end());
    guessAxes(result[0]);
    return result;
  }
  // Equal dimensions at both ends keep their factors.
  size_t first = 0, last = 0;
  auto ends = [](const DimFactors &factors) {
    DimFactors plain = canonical(factors);
    return !plain.empty() && !plain.back().isLocal();
  };
  while (first != dims.size() && first != sizes.size() && localSizeOf(dims[first]) == sizes[first] &&
         (dims.size() == sizes.size() || !ends(dims[first])))
    result.push_back(dims[first++]);
  // A dimension that begins with an axis may have been one of several: then the first of these takes the axis.
  auto begins = [](const DimFactors &factors) {
    DimFactors plain = canonical(factors);
    return !plain.empty() && !plain.front().isLocal();
  };
  while (last + first < dims.size() && last + first < sizes.size() &&
         localSizeOf(dims[dims.size() - 1 - last]) == sizes[sizes.size() - 1 - last] &&
         (dims.size() == sizes.size() ||
          (!begins(dims[dims.size() - 1 - last]) && (last + 2 > dims.size() || !ends(dims[dims.size() - 2 - last])))))
    ++last;
  DimFactors queue;
  for (const DimFactors &factors : dims.slice(first, dims.size() - first - last)) {
    queue.append(factors.begin(), factors.end());
    // An axis knows the elements that it cuts, also after the dimension is gone.
    for (size_t i = 0; i + 1 < factors.size(); ++i)
      if (Factor &factor = queue[queue.size() - factors.size() + i]; factor.follower == 0 && !factor.isLocal())
        factor.follower = factors[i + 1].id;
  }
  llvm::erase_if(queue, [](const Factor &factor) { return factor.isLocal() && factor.size == 1; });
  if (isAmbiguous(dims.slice(first, dims.size() - first - last), sizes.slice(first, sizes.size() - first - last)))
    guessAxes(queue);
  for (int64_t size : sizes.slice(first, sizes.size() - first - last)) {
    DimFactors dim;
    if (!takeDim(queue, size, dim, {maker, dims.size() - first - last == 1}))
      return std::nullopt;
    if (endsInFactorOf(dim, queue) || holdsGathered(dim))
      guessAxes(dim);
    if (localSizeOf(dim) == 1)
      dim.push_back(maker.local(1));
    if (size == 1 && !result.empty())
      guessFollower(result.back(), dim.back());
    for (size_t at = 0; at != dim.size(); ++at)
      bringHome(llvm::MutableArrayRef<Factor>(dim).drop_front(at));
    result.push_back(std::move(dim));
  }
  if (!queue.empty()) {
    // An axis without elements after it: the last dimension was cut to size 1 on each rank.
    if (llvm::any_of(queue, [](const Factor &factor) { return factor.isLocal(); }) || result.empty())
      return std::nullopt;
    result.back().append(queue.begin(), queue.end());
  }
  for (size_t i = 0; i != last; ++i)
    result.push_back(dims[dims.size() - last + i]);
  return result;
}

AxisHold axisHoldOf(const Held &held, size_t axis) {
  const Hold &hold = held.axes[axis];
  AxisHold result{hold.kind, hold.reduction, 0, 1, hold.assumed, hold.kind == HoldKind::Sharded && hold.isOwn};
  // A whole value was added on every rank: what the ranks hold is the sum of nothing that one device has.
  if (hold.kind == HoldKind::Partial && hold.addition)
    result.kind = HoldKind::Varying;
  std::optional<size_t> dim = held.dimOf(axis);
  if (!dim)
    return result;
  result.dim = static_cast<int64_t>(*dim);
  for (const Factor &factor : held.dims[*dim]) {
    if (factor.axis == static_cast<int>(axis))
      break;
    result.blocks *= factor.isLocal() ? factor.size : 1;
  }
  return result;
}

} // namespace ccgraph::placements

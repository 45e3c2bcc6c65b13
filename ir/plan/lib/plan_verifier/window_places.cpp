#include "plan_verifier/plan_rules.h"

#include "ccgraph/ir/strides.h"

#include <limits>

namespace ccgraph::plan_verifier {
namespace {

constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

/// Spaces 0 and 1 are the arenas; each other buffer has its own; the last two are the numbers and the effects without
/// windows.
constexpr size_t ownSpaces = 2;

} // namespace

Places::Places(const Plan &plan, const PlanLayout &layout) : plan_(plan), layout_(layout) {
  for (const auto &[symbol, value] : layout.symbols)
    symbols_[symbol.str()] = value;
}

std::optional<int64_t> Places::valueOf(const Dim &dim) const {
  return dim.evaluate([&](llvm::StringRef symbol) {
    auto found = symbols_.find(symbol);
    return found == symbols_.end() ? std::nullopt : std::optional(found->second);
  });
}

std::optional<IntList> Places::valuesOf(llvm::ArrayRef<Dim> dims) const {
  IntList values;
  for (const Dim &dim : dims) {
    std::optional<int64_t> value = valueOf(dim);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<int64_t> Places::elementsOf(const PlanWindow &window) const {
  std::optional<IntList> sizes = valuesOf(window.type->sizes());
  int64_t count = sizes ? productOf(*sizes) : unbounded;
  return count == unbounded ? std::nullopt : std::optional(count);
}

bool Places::isContiguous(const PlanWindow &window) const {
  std::optional<IntList> sizes = valuesOf(window.type->sizes()), strides = valuesOf(window.type->strides());
  return !sizes || !strides || ccgraph::isContiguous(*sizes, *strides);
}

std::optional<ByteRange> Places::rangeIn(const PlanWindow &window) const {
  return bytesOf(window, [&](llvm::StringRef symbol) {
    auto found = symbols_.find(symbol);
    return found == symbols_.end() ? std::nullopt : std::optional(found->second);
  });
}

size_t Places::spaceOf(BufferId buffer) const {
  switch (plan_.buffers[buffer].home) {
  case Home::Compute:
    return 0;
  case Home::Communication:
    return 1;
  case Home::Input:
  case Home::Attribute:
  case Home::Growing:
  case Home::Host:
    return ownSpaces + buffer;
  }
  return 0;
}

Stretch Places::allOf(BufferId buffer) const {
  size_t space = spaceOf(buffer);
  if (space >= ownSpaces)
    return {space, {0, unbounded}};
  // A negative offset is reported separately, and no byte precedes an arena.
  int64_t begin = std::max<int64_t>(layout_.offsets[buffer], 0);
  return {space, {begin, saturatingAdd(begin, valueOf(plan_.buffers[buffer].bytes).value_or(0))}};
}

Stretch Places::stretchOf(const PlanWindow &window) const {
  Stretch all = allOf(window.buffer);
  std::optional<ByteRange> range = rangeIn(window);
  if (!range)
    return all;
  return {all.space, {saturatingAdd(all.bytes.begin, range->begin), saturatingAdd(all.bytes.begin, range->end)}};
}

Stretch Places::stretchOf(SlotId slot) const { return {ownSpaces + plan_.buffers.size(), {slot, int64_t{slot} + 1}}; }

Stretch Places::unseen(int64_t index) const { return {ownSpaces + plan_.buffers.size() + 1, {index, index + 1}}; }

std::optional<int64_t> groupSize(const Plan &plan, uint32_t group) {
  const Group &named = plan.groups[group];
  if (plan.rank)
    if (llvm::ArrayRef<int64_t> members = named.members(*plan.rank); !members.empty())
      return static_cast<int64_t>(members.size());
  return named.size();
}

llvm::SmallVector<int64_t, 2> unseenEffects(const PlanStep &step) {
  const KernelStep *kernel = step.kernel();
  if (!kernel)
    return {};
  switch (kernel->op->domain) {
  case Domain::None:
  case Domain::Comm:
    return {};
  case Domain::Rng:
    return {0};
  case Domain::Host:
    return {1};
  case Domain::All:
    return {0, 1};
  }
  return {};
}

} // namespace ccgraph::plan_verifier

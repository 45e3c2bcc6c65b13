#include "equivalence/shared_memory.h"

#include "ccgraph/runtime/tensor.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace ccgraph::runtime {
namespace {

// Example: both graphs return a and b. In the first run b is a[2:4], in the second it is a copy of it. Values are
// equal, but a caller who writes to b changes a in one case and not in the other. The place of b is relative to a's (2
// elements on) in one run and to itself in the other. So the two are compared, and b "has memory of its own, expected
// some of out.0".

/// Bytes of a storage, from `begin` up to `end`.
struct Extent {
  int64_t begin = 0;
  int64_t end = 0;
};

Extent extentOf(const Held &held) {
  int64_t last = 0;
  for (size_t dim = 0; dim < held.sizes.size(); ++dim) {
    if (held.sizes[dim] == 0)
      return {held.offset, held.offset};
    last += (held.sizes[dim] - 1) * held.strides[dim];
  }
  return {held.offset, held.offset + (last + 1) * sizeInBytes(held.dtype)};
}

/// Calls `visit` with the first byte of each element, in no particular order.
void forEachElement(const Held &held, size_t dim, int64_t byte, llvm::function_ref<void(int64_t)> visit) {
  if (dim == held.sizes.size())
    return visit(byte);
  for (int64_t i = 0; i < held.sizes[dim]; ++i)
    forEachElement(held, dim + 1, byte + i * held.strides[dim] * sizeInBytes(held.dtype), visit);
}

/// Two interleaved slices have the same extent without overlap, so bytes are marked one by one.
bool overlap(const Held &a, const Held &b) {
  Extent first = extentOf(a), second = extentOf(b);
  Extent common{std::max(first.begin, second.begin), std::min(first.end, second.end)};
  if (common.begin >= common.end)
    return false;
  llvm::BitVector marked(static_cast<unsigned>(common.end - common.begin));
  auto forEachCommonByte = [&](const Held &held, llvm::function_ref<void(unsigned)> visit) {
    forEachElement(held, 0, held.offset, [&](int64_t at) {
      for (int64_t byte = at; byte < at + static_cast<int64_t>(sizeInBytes(held.dtype)); ++byte)
        if (byte >= common.begin && byte < common.end)
          visit(static_cast<unsigned>(byte - common.begin));
    });
  };
  forEachCommonByte(a, [&](unsigned byte) { marked.set(byte); });
  bool found = false;
  forEachCommonByte(b, [&](unsigned byte) { found |= marked.test(byte); });
  return found;
}

/// How far `a` begins after `b`, in bytes; empty where they do not overlap.
std::optional<int64_t> shift(const Held &a, const Held &b) {
  if (a.memory != b.memory || !overlap(a, b))
    return std::nullopt;
  return a.offset - b.offset;
}

/// One side of the comparison: where each place lies relative to the first of its storage.
class Side {
public:
  Side(llvm::ArrayRef<Place> places, const Held *Place::*side) {
    std::map<size_t, size_t> first;
    for (size_t i = 0; i < places.size(); ++i) {
      const Held *held = places[i].*side;
      if (!held || !held->memory) {
        leaders_.emplace_back(i, 0);
        continue;
      }
      size_t leader = first.try_emplace(*held->memory, i).first->second;
      leaders_.emplace_back(leader, held->offset - (places[leader].*side)->offset);
      members_[leader].push_back(i);
    }
  }
  [[nodiscard]] std::pair<size_t, int64_t> leader(size_t place) const { return leaders_[place]; }
  /// The places of the same storage.
  [[nodiscard]] llvm::ArrayRef<size_t> companions(size_t place) const {
    auto found = members_.find(leaders_[place].first);
    return found == members_.end() ? llvm::ArrayRef<size_t>() : llvm::ArrayRef<size_t>(found->second);
  }

private:
  std::vector<std::pair<size_t, int64_t>> leaders_;
  std::map<size_t, std::vector<size_t>> members_;
};

/// Returns the error in the position of `place` relative to `other`; empty if there is none.
std::string compareShift(const Place &place, const Place &other) {
  auto expected = shift(*place.expected, *other.expected), got = shift(*place.got, *other.got);
  if (expected == got)
    return "";
  const std::string &name = other.expected->name;
  if (!expected)
    return "shares memory with " + name + ", expected memory of its own";
  if (!got)
    return "has memory of its own, expected some of " + name;
  return "begins " + std::to_string(*got) + " bytes after " + name + ", expected " + std::to_string(*expected);
}

bool comparable(const Place &place) {
  return place.expected && place.got && place.expected->memory && place.got->memory &&
         sameLayout(*place.expected, *place.got);
}

} // namespace

bool sameLayout(const Held &a, const Held &b) {
  if (a.dtype != b.dtype || a.sizes != b.sizes)
    return false;
  if (llvm::is_contained(a.sizes, 0))
    return true;
  for (size_t dim = 0; dim < a.sizes.size(); ++dim)
    if (a.sizes[dim] > 1 && a.strides[dim] != b.strides[dim])
      return false;
  return true;
}

void compareMemory(llvm::ArrayRef<Place> places, llvm::function_ref<void(size_t, std::string)> differ) {
  Side expected(places, &Place::expected), got(places, &Place::got);
  llvm::DenseSet<size_t> reported;
  for (size_t i = 0; i < places.size(); ++i) {
    if (expected.leader(i) == got.leader(i) || !comparable(places[i]))
      continue;
    for (const Side *side : {&expected, &got})
      for (size_t other : side->companions(i)) {
        // The later of two places is reported: an output, not the input whose memory it is.
        size_t earlier = std::min(i, other), later = std::max(i, other);
        if (other == i || !comparable(places[other]) || reported.contains(later))
          continue;
        if (std::string wrong = compareShift(places[later], places[earlier]); !wrong.empty()) {
          reported.insert(later);
          differ(later, std::move(wrong));
        }
      }
  }
}

} // namespace ccgraph::runtime

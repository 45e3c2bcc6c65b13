#include "ccgraph/ir/frames.h"

#include "llvm/ADT/Hashing.h"

namespace ccgraph {

static uint32_t hashOf(const Frame &frame) {
  const size_t hash = llvm::hash_combine(frame.file.key(), frame.function.key(), frame.code.key(),
                                         frame.annotation.key(), frame.prefix.key(), frame.line);
  return static_cast<uint32_t>(hash);
}

std::optional<uint32_t> Frames::find(const Frame &frame) const {
  if (frame == Frame())
    return 0;
  return index_.find(hashOf(frame), [&](uint32_t index) { return all_[index] == frame; });
}

uint32_t Frames::add(const Frame &frame) {
  const auto index = static_cast<uint32_t>(all_.size());
  all_.push_back(frame);
  index_.insert(index, [&](uint32_t known) { return hashOf(all_[known]); });
  return index;
}

} // namespace ccgraph

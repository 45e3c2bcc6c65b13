// Frames: the places in the user's program that created the nodes of a graph, each stored once.
//
// Many nodes have one frame, so a node stores an index. Index 0 is the empty frame.
//
// Ownership: plain values; texts belong to the Context. Failure: none. Cost: 56 bytes a frame; one hash look-up a call.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/index_table.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ccgraph {

/// The place in the user's program that created a node: one stack frame and PyTorch's annotations. Null identifiers if
/// unknown.
struct Frame {
  Identifier file;
  Identifier function;
  /// the source line, as the dump quotes it
  Identifier code;
  /// the text of an annotation dictionary, e.g. {'module_fqn': 'layers.0'}
  Identifier annotation;
  /// other words before "File:", e.g. "recompute: MUST_SAVE"
  Identifier prefix;
  int64_t line = 0;
  /// foreign keys of a file, as the text of an object's members
  Identifier attributes;
  friend bool operator==(const Frame &, const Frame &) = default;
};

class Frames {
public:
  Frames() : all_(1) {}
  /// Returns all frames in order of addition.
  [[nodiscard]] llvm::ArrayRef<Frame> all() const { return all_; }
  /// Returns the index of an equal frame; empty if there is none.
  [[nodiscard]] std::optional<uint32_t> find(const Frame &frame) const;
  /// Adds a frame that find() does not find, and returns its index.
  uint32_t add(const Frame &frame);

private:
  std::vector<Frame> all_;
  /// without the empty frame, because most subgraphs have no other
  IndexTable index_;
};

} // namespace ccgraph

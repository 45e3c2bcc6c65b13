// Decides whether a collective may fill the buffer into which its result is copied.
//
//   s = all_gather(x)   w = wait(s)   copy_(b, w)   ->   s = all_gather_out(x, out = b)   w = wait(s)
//   s = all_reduce(x)   w = wait(s)   copy_(x, w)   ->   s = all_reduce_(x)               w = wait(s)
//
// The copy writes b at its own place, and s has memory of its own. After the rewrite, b is written from the launch on,
// and w is another name of b. The memory may belong to the caller, since the program writes it either way.
//
// Ownership: refers to the facts of the graph; valid until the graph is edited. Failure: a reason. Cost: linear in the
// program to construct, O(log n) for each copy.
#pragma once

#include "ccgraph/ir/lifetimes.h"
#include "simplify/reinplace/sent_buffers.h"
#include "simplify/reinplace/storage_uses.h"

namespace ccgraph {

/// A copy of the result of a functional collective into a buffer. PyTorch has a form of the collective that fills this
/// buffer.
struct BufferCopy {
  Node *launch = nullptr;
  Node *wait = nullptr;
  Node *copy = nullptr;
  Node *buffer = nullptr;
  /// the form that fills the buffer
  llvm::StringRef target;
  /// the form takes the buffer as `out`; otherwise the buffer is the input
  bool takesOut = false;
};

/// Returns the copy that a node makes; empty for any other node.
[[nodiscard]] std::optional<BufferCopy> bufferCopyOf(Node &node);

/// Why a collective does not fill a buffer.
enum class NotFilled : uint8_t {
  /// keyword arguments, or arguments left out
  Arguments,
  /// buffer and result differ in type, or are not dense
  Type,
  /// the copy has ordering edges
  Ordered,
  /// a step may reshape the buffer or the result, or give it other memory
  Reshaped,
  /// the result, or the buffer, may be in memory that an operator of unknown effects made
  Opaque,
  /// the buffer, or the view of it, is made after the launch
  Late,
  /// the buffer may share memory with the input
  Overlap,
  /// the buffer is a part of a larger one of the program, which would live longer
  Longer,
  /// an earlier collective that has the buffer is in flight at the launch
  InFlight,
  /// a step between launch and copy uses the buffer, or has unknown effects
  Used,
  /// buffer and result differ later, and the program uses both
  Written,
  /// the program returns the result, and the caller has the buffer too
  Returned,
  /// a step observes the place of the result in memory
  Placed,
};

class FilledBuffers {
public:
  explicit FilledBuffers(const ProgramFacts &facts)
      : facts_(facts), uses_(facts), sent_(facts), isCallers_(facts.graph()), placed_(facts.placedStorages()) {}

  /// Adds what a rewrite of the program will write: the input of a collective in place, from its launch on.
  void noteInPlace(const Node &launch);
  /// Adds a copy that may go, so that its buffer is written from the launch on. All are added before one is judged.
  void note(const BufferCopy &copy);
  /// Judges a copy; empty if its collective may fill the buffer.
  [[nodiscard]] std::optional<NotFilled> obstacle(const BufferCopy &copy) const;

private:
  [[nodiscard]] std::optional<NotFilled> formObstacle(const BufferCopy &copy) const;
  [[nodiscard]] std::optional<NotFilled> memoryObstacle(const BufferCopy &copy) const;
  [[nodiscard]] std::optional<NotFilled> orderObstacle(const BufferCopy &copy) const;
  [[nodiscard]] bool livesLonger(const BufferCopy &copy) const;

  const ProgramFacts &facts_;
  StorageUses uses_;
  SentBuffers sent_;
  CallerOwned isCallers_;
  std::vector<bool> placed_; ///< by storage: a step observes a place in it
};

} // namespace ccgraph

// Decides whether a copy of the result of a collective may be the result itself.
//
//   w = wait(s)   c = aten.copy(b, w)   ->   w in place of c
//
// The copy has memory of its own. So no step may write one of the two while the program still uses the other, and the
// program must not return both.
//
// Copies are judged in program order, and each that goes is stated: from then on, result and copy are one memory.
//
// Ownership: refers to the facts of the graph before its first edit. Failure: a reason. Cost: linear in the program to
// construct; a query O(log n), and an accepted copy as many steps as use it.
#pragma once

#include "simplify/reinplace/storage_uses.h"

namespace ccgraph {

/// Why a copy stays.
enum class NotForwarded : uint8_t {
  /// copy and result differ in type
  Type,
  /// the copy has ordering edges
  Ordered,
  /// a step may reshape the copy or the result, or give it other memory
  Reshaped,
  /// the result is a part of its memory, or an operator of unknown effects, or a caller, has that
  Aliased,
  /// copy and result differ later, and the program uses both
  Written,
  /// the program returns both
  Returned,
};

/// Returns true for aten.copy, which returns the second tensor in new memory, with the type of the first.
[[nodiscard]] bool isCopy(const Node &node);
/// Returns the awaited result of a collective that a node copies into new memory; null for any other node.
[[nodiscard]] Node *copiedResultOf(const Node &node);

class CopiedResults {
public:
  explicit CopiedResults(const ProgramFacts &facts) : facts_(facts), uses_(facts) {}

  /// Judges a node for which copiedResultOf() is not null; empty if the result may take its place.
  [[nodiscard]] std::optional<NotForwarded> obstacle(const Node &copy) const;
  /// Notes that the result takes the place of the copy.
  void join(const Node &copy);

private:
  [[nodiscard]] bool isWhole(const Node &value, StorageId storage) const;

  const ProgramFacts &facts_;
  StorageUses uses_;
};

} // namespace ccgraph

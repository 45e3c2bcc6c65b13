// ValueLives: how long each value of a program is kept, who names it, and which may be gone for a part of that time.
//
// A rewrite that makes a value again for its late readers needs to know which values are live at the step with the most
// live bytes, and which may not go: a value that the caller owns or sees, one that some step writes, and one that lives
// to the end. Several rewrites may change one graph: what one of them has made is a copy for the others (addCopy()).
//
// Ownership: refers to graph and facts; the facts describe the graph before the first rewrite, and nodes that were
// created since are no names. A rewrite that changes who names a storage updates `names` and `last`.
// Failure: none. Cost: linear in nodes and accesses to construct; peak() needs a storage map and a memory curve.
#pragma once

#include "analysis/program_facts.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {

class ValueLives {
public:
  ValueLives(Graph &graph, const ProgramFacts &facts);

  /// The step with the most live bytes of the graph as it is now.
  struct Peak {
    int64_t bytes = 0;
    Node *at = nullptr;
  };
  [[nodiscard]] Peak peak() const;
  /// Returns true for a node that was created since.
  [[nodiscard]] bool isNew(const Node *node) const { return node->id() >= oldIds_; }
  [[nodiscard]] bool isWritten(StorageId storage) const;
  /// Returns true for a storage of the program that is live before and after a step, but not to the end.
  [[nodiscard]] bool isLiveAcross(StorageId storage, const Node *at) const;
  /// Returns true if that storage may be gone at the step.
  [[nodiscard]] bool mayGo(StorageId storage, const Node *at) const {
    return !fixed[storage] && isLiveAcross(storage, at);
  }
  /// Returns true if all storages of the value are live at the step.
  [[nodiscard]] bool isLive(const Node *value, const Node *at) const;
  /// Returns true for the result of a launch, and for a view of it.
  [[nodiscard]] bool isInFlight(const Node *value) const;
  /// Returns the first opaque step between the two; null if there is none.
  [[nodiscard]] const Node *opaqueBetween(const Node *from, const Node *to) const;

  [[nodiscard]] Graph &graph() const { return graph_; }
  [[nodiscard]] const ProgramFacts &facts() const { return facts_; }

  /// Notes that a new node is an old one again, with the same elements.
  void addCopy(Node *original, Node *copy);
  /// Returns the old node that a new one is again, null if there is none; an old node is its own.
  [[nodiscard]] Node *originalOf(Node *node) const { return isNew(node) ? originals_.lookup(node) : node; }
  /// Returns a copy of the node that is live at the reader; null if there is none.
  [[nodiscard]] Node *copyFor(const Node *node, const Node *reader) const;
  /// Calls `visit` with each wait on the launch, which may be a copy.
  void forEachWait(const Node *launch, llvm::function_ref<void(Node *)> visit) const;

  // By storage.
  std::vector<bool> written, writtenInFlight;
  std::vector<llvm::SmallVector<const Node *, 1>> writers; ///< in program order
  std::vector<int64_t> bytes;
  std::vector<const Node *> last;                  ///< its last holder; null: live to the end
  std::vector<bool> fixed;                         ///< may not go
  std::vector<bool> freed;                         ///< the program frees it after `last`, so it cannot be kept longer
  std::vector<llvm::SmallVector<Node *, 2>> names; ///< the values in it, in program order

private:
  void noteNames();
  void noteLives();

  Graph &graph_;
  const ProgramFacts &facts_;
  uint32_t oldIds_;
  llvm::SmallVector<const Node *, 4> opaque_;                         ///< in program order
  llvm::DenseMap<const Node *, llvm::SmallVector<Node *, 1>> copies_; ///< looked up only
  llvm::DenseMap<const Node *, Node *> originals_;                    ///< of the copies; looked up only
};

} // namespace ccgraph

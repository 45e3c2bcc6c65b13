// BufferNames: finds the nodes that name a buffer, and the last one of them.
//
// all_reduce_(x) writes its result into x. If later nodes name x only through that result, the result may lie elsewhere
// without any observable difference. This class decides whether that is the case.
//
// Ownership: refers to the graph and the map, which must not be edited during construction. Results stay valid while
// calls are replaced in place by others that write less. Failure: none; an unknown buffer counts as seen. Cost: linear
// in the values and their storages to construct, O(log n) a query.
#pragma once

#include "ccgraph/ir/storage.h"

namespace ccgraph {

class BufferNames {
public:
  explicit BufferNames(const StorageMap &storages, const Graph &graph);

  enum class Verdict : uint8_t {
    /// allocated in the graph, and named afterwards only through the result of the write
    Private,
    /// an input, an attribute, or named later by another name
    Seen,
    /// a part of its storage only, or one with gaps
    Part,
  };
  /// Judges a tensor that `writer` writes and returns.
  [[nodiscard]] Verdict of(const Node &tensor, const Node &writer) const;
  /// Returns true if each tensor is in one known storage, and no two are in the same.
  [[nodiscard]] bool areApart(llvm::ArrayRef<Node *> tensors) const;

private:
  struct Name {
    uint32_t made = 0;     ///< position in program order
    uint32_t lastSeen = 0; ///< the last position that mentions this name or an older one
  };
  void note(const Node &value);

  const StorageMap &storages_;
  std::vector<uint32_t> place_;                   ///< by node id
  std::vector<llvm::SmallVector<Name, 2>> names_; ///< by storage, in program order
};

} // namespace ccgraph

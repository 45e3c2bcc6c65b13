// BufferNames: who names a buffer, and until when.
//
// all_reduce_(x) leaves its result in x. If nobody names x any more by then but through that result, the result may as
// well lie elsewhere: nobody can tell. This answers whether that is so.
//
// Ownership: refers to the graph and the map, which must not be edited while it is made; answers stay right while calls
// are replaced by others in their places that write less. Failure: none; what is not known is taken to be seen. Cost: linear
// in the values and their storages to make, O(log n) a question.
#pragma once

#include "ccgraph/ir/storage.h"

namespace ccgraph {

class BufferNames {
public:
  explicit BufferNames(const StorageMap &storages, const Graph &graph);

  enum class Verdict : uint8_t {
    /// made in the program, and named afterwards through the result of the write alone
    Private,
    /// an input, an attribute, or named later by another name
    Seen,
    /// a part of its storage only, or one with gaps
    Part,
  };
  /// Of a tensor that `writer` writes and yields.
  [[nodiscard]] Verdict of(const Node &tensor, const Node &writer) const;

private:
  struct Name {
    uint32_t made = 0;     ///< place in the order
    uint32_t lastSeen = 0; ///< of this name and all older ones: the last place that mentions one
  };
  void note(const Node &value);

  const StorageMap &storages_;
  std::vector<uint32_t> place_;                   ///< by node id
  std::vector<llvm::SmallVector<Name, 2>> names_; ///< by storage, in program order
};

} // namespace ccgraph

// StorageMap: the storages that each value of a graph may occupy.
//
// A storage is a block of memory that a node allocates; views, getitem, waits and in-place forms share it. The map is
// conservative: a value may have several possible storages (after an operator that aliases one of several), and an
// opaque operator's result may share any storage of its operands. Each placeholder has its own: distinct inputs are
// assumed not to overlap, as PyTorch's functionalization guarantees for its graphs. get_attr nodes of one target share
// one. Elements of a list result are separate storages, unless they are views. A tensor that is given another one's
// storage (set_, set_data) may be in either, before and after.
//
// If a value may occupy more than `mostStorages`, these become one *pool*, in every set. Without pools, x1 = f(x0), x2
// = f(x1), ... of an opaque f may each share all earlier storages; sets that grow with the program would make every
// analysis quadratic. A pool has the bytes of all its members.
//
// Ownership: holds ids and pointers to the nodes; valid until the graph is edited (moving nodes is no edit here, as
// long as definitions precede uses). Failure: none; unknown storages count as shared. Cost: O(nodes + edges) time,
// 12-22 bytes a node, and at most 4 * mostStorages in the worst case; queries O(1), except mayAlias, O(m log n) in the
// sizes of the two sets.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace ccgraph {

struct Effects;

using StorageId = uint32_t;

class StorageMap {
public:
  /// Maximum number of storages of one value before they become a pool.
  static constexpr size_t mostStorages = 32;

  /// Visits every node once, in program order: the graph must be well formed.
  explicit StorageMap(const Graph &graph);

  /// Returns every storage that some part of the value may occupy, ascending, without duplicates.
  [[nodiscard]] llvm::ArrayRef<StorageId> storages(const Node *node) const;
  /// Returns the same for one element of a list result; the whole set if elements cannot be distinguished.
  [[nodiscard]] llvm::ArrayRef<StorageId> storages(const Node *node, unsigned element) const;
  /// Returns true if the two values may share memory.
  [[nodiscard]] bool mayAlias(const Node *a, const Node *b) const;

  /// Returns the number of storages. Ids are dense from 0, in the program order of their owners.
  [[nodiscard]] StorageId numStorages() const { return static_cast<StorageId>(owner_.size()); }
  /// Returns the node that allocates the storage.
  [[nodiscard]] const Node *owner(StorageId storage) const { return owner_[storage]; }
  /// Returns true for several storages that count as one: an access to the pool does not imply an access to any single
  /// member. A storage that went into the pool of another has no bytes of its own, and no value occupies it.
  [[nodiscard]] bool isPool(StorageId storage) const { return pools_.count(storage) != 0; }
  /// Returns the bytes of the storage in the device's memory, so 0 for a result of ao.offload; empty if symbolic or
  /// unknown. If the owner has no type (none is printed for a
  /// list result), the type of the element's first getitem is used.
  [[nodiscard]] std::optional<int64_t> numBytes(StorageId storage) const;

private:
  struct Range {
    uint32_t begin = 0;
    uint32_t count = 0;
  };
  void visit(const Node &node);
  void visitList(const Node &node, unsigned count);
  StorageId inputStorage(const Node &node);
  [[nodiscard]] llvm::SmallVector<StorageId, 8> aliased(const Node &node, const Effects &effects) const;
  /// Stores a set; as a pool if it belongs to one value and is too large.
  Range unite(llvm::ArrayRef<StorageId> ids);
  Range uniteList(llvm::ArrayRef<StorageId> ids);
  [[nodiscard]] llvm::SmallVector<StorageId, 8> sorted(llvm::ArrayRef<StorageId> ids) const;
  Range store(llvm::ArrayRef<StorageId> ids);
  /// Returns the pool that contains a storage, else the storage itself.
  [[nodiscard]] StorageId poolOf(StorageId storage) const;
  void makePool(llvm::ArrayRef<StorageId> ids);
  /// Replaces members of pools by the pools in all sets.
  void settlePools();
  [[nodiscard]] std::optional<int64_t> ownBytes(StorageId storage) const;
  StorageId fresh(const Node &node, const Type *type);
  void visitElement(const Node &getItem, unsigned index);
  /// Joins the storages that a node exchanges between the tensors of its operands into one pool.
  void noteExchange(const Node &node, const Effects &effects);

  std::vector<const Node *> owner_;
  /// type of the value that the owner allocated there, null if unknown
  std::vector<const Type *> type_;
  /// sets, back to back
  std::vector<StorageId> pool_;
  /// by node id
  std::vector<Range> whole_;
  /// by node id of a list: range of elementRanges_; only looked up, never iterated
  llvm::DenseMap<uint32_t, Range> lists_;
  std::vector<Range> elementRanges_;
  /// by storage, where it is in a pool: that pool
  std::vector<StorageId> into_;
  /// by pool: bytes of its members, as far as known
  llvm::DenseMap<StorageId, int64_t> pools_;
  /// of get_attr targets
  llvm::DenseMap<Identifier, StorageId> attributes_;
};

} // namespace ccgraph

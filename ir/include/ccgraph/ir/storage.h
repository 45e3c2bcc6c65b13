// StorageMap: which storages each value of a graph may occupy.
//
// A storage is a block of memory that a node allocates; views, getitem, waits and in-place forms
// share it. The map is conservative: a value may have several possible storages (after an operator
// that aliases one of several), and an opaque operator's result may share any storage of its
// operands. A placeholder has one of its own: distinct inputs are taken not to overlap, as
// PyTorch's functionalisation guarantees for the graphs that it makes; get_attr nodes of one target
// share one. Elements of a list result are separate storages, unless they are views. A tensor that is
// given another one's storage (set_, set_data) may be in either, before as after.
//
// A value that may occupy more than `mostStorages` has them taken for one *pool* from then on, in every
// set: x1 = f(x0), x2 = f(x1), ... of an opaque f may each share all before, and sets that grow with the
// program would make everything that asks about them quadratic. A pool has the bytes of all its members.
//
// Ownership: holds ids and pointers to the nodes; valid until the graph is edited (moving nodes is
// no edit here, as long as definitions stay before uses). Failure: none; what is not known is taken
// to be shared. Cost: O(nodes + edges) time, 12-30 bytes a node, and at most 4 * mostStorages in the
// worst case; queries O(1), but for mayAlias, O(m log n) in the sizes of the two sets.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

struct Effects;

using StorageId = uint32_t;

class StorageMap {
public:
  /// Most storages that one value is said to occupy before they become a pool.
  static constexpr size_t mostStorages = 32;

  /// Looks at every node once, in program order: the graph must be well formed.
  explicit StorageMap(const Graph &graph);

  /// Every storage that some part of the value may occupy, ascending, without duplicates.
  [[nodiscard]] llvm::ArrayRef<StorageId> storages(const Node *node) const;
  /// The same for one element of a list result; the whole set where elements cannot be told apart.
  [[nodiscard]] llvm::ArrayRef<StorageId> storages(const Node *node, unsigned element) const;
  /// True if the two values may share memory.
  [[nodiscard]] bool mayAlias(const Node *a, const Node *b) const;

  /// Ids are dense from 0, in the program order of their owners.
  [[nodiscard]] StorageId numStorages() const { return static_cast<StorageId>(owner_.size()); }
  /// The node that allocates the storage.
  [[nodiscard]] const Node *owner(StorageId storage) const { return owner_[storage]; }
  /// Several storages that count as one: that something happened to it says of no single one that it did. A storage
  /// that went into the pool of another has no bytes of its own, and no value occupies it.
  [[nodiscard]] bool isPool(StorageId storage) const { return pools_.count(storage) != 0; }
  /// Bytes of the storage; empty where symbolic or unknown. Where the owner's type does not say (no
  /// type is printed for a list result), the first getitem of the element does.
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
  /// Stores a set; where it is of one value and too large, as a pool.
  Range unite(llvm::ArrayRef<StorageId> ids);
  Range uniteList(llvm::ArrayRef<StorageId> ids);
  [[nodiscard]] llvm::SmallVector<StorageId, 8> sorted(llvm::ArrayRef<StorageId> ids) const;
  Range store(llvm::ArrayRef<StorageId> ids);
  /// The pool that a storage went into, else itself.
  [[nodiscard]] StorageId poolOf(StorageId storage) const;
  void makePool(llvm::ArrayRef<StorageId> ids);
  /// Puts pools in place of their members in all sets.
  void settlePools();
  [[nodiscard]] std::optional<int64_t> ownBytes(StorageId storage) const;
  StorageId fresh(const Node &node, const Type *type);
  void visitElement(const Node &getItem, unsigned index);
  /// Makes one pool of the storages that a node exchanges between the tensors of its operands.
  void noteExchange(const Node &node, const Effects &effects);

  std::vector<const Node *> owner_;
  /// of the value that the owner made there, null where unknown
  std::vector<const Type *> type_;
  /// sets, back to back
  std::vector<StorageId> pool_;
  /// by node id
  std::vector<Range> whole_;
  /// by node id: range of elementRanges_, empty for non-lists
  std::vector<Range> lists_;
  std::vector<Range> elementRanges_;
  /// by storage, as far as one went into a pool: where to
  std::vector<StorageId> into_;
  /// by pool: bytes of its members, as far as known
  llvm::DenseMap<StorageId, int64_t> pools_;
  /// of get_attr targets
  llvm::DenseMap<Identifier, StorageId> attributes_;
};

} // namespace ccgraph

// Storages: the blocks of memory that each value of a Program may occupy.
//
// A step that allocates owns a storage (a list result owns one an element). Views, waits, getitem and in-place forms
// share the storages of their operand. Sets are what a value *may* share, so an access applies to each member.
// Placeholders do not overlap; get_attr nodes of one attribute are one storage.
//
// Ownership: numbers only, valid as long as the program. Failure: none; the result of an opaque step may share any
// storage of its operands. Cost: O(steps + operands); a value that only shares one operand's set shares its range too.
// Sets must not grow with the program: each of a chain of opaque steps may share the storages of all earlier ones. So
// if a value may share more than mostShared storages, these count as one storage in every set, with the bytes of all.
//
// This is the checker's own analysis, separate from ccgraph/ir/storage.h. That one reads a live graph, this one either
// side of a rewrite. A mistake in the analysis of the passes is not repeated here.
#pragma once

#include "program.h"

#include "llvm/ADT/MapVector.h"

namespace ccgraph::legality {

class Storages {
public:
  explicit Storages(const Program &program);

  /// Returns all storages that some part of a step's value may occupy, ascending.
  [[nodiscard]] llvm::ArrayRef<uint32_t> of(uint32_t step) const { return slice(values_[step]); }
  /// Returns the number of elements of a list result; 0 for any other.
  [[nodiscard]] uint32_t numElements(uint32_t step) const { return lists_.lookup(step).count; }
  /// Returns the storages of one element of a list result, ascending; `index` must be below numElements().
  [[nodiscard]] llvm::ArrayRef<uint32_t> element(uint32_t step, uint32_t index) const {
    return slice(elements_[lists_.lookup(step).begin + index]);
  }
  /// Returns the number of storages; they are dense from 0.
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(owners_.size()); }
  /// Returns the storage that this one counts as: itself, unless it was joined with others.
  [[nodiscard]] uint32_t leader(uint32_t storage) const { return leaderOf(storage); }
  /// Returns the step that allocates a storage.
  [[nodiscard]] uint32_t owner(uint32_t storage) const { return owners_[storage].step; }
  /// Returns true if some step may reshape a tensor in it, so that types do not determine its shape.
  [[nodiscard]] bool isReshaped(uint32_t storage) const { return reshaped_[storage] != none; }
  /// Returns true if a step before `step` may have reshaped a tensor in some storage of the value, so that its type may
  /// not hold there.
  [[nodiscard]] bool isReshapedBefore(uint32_t value, uint32_t step) const {
    return llvm::any_of(of(value), [&](uint32_t storage) { return reshaped_[storage] < step; });
  }
  /// Returns true if some step, other than a wait, writes its elements.
  [[nodiscard]] bool isWritten(uint32_t storage) const { return written_[storage]; }
  /// Returns the bytes of a storage; 0 if unknown. A list element without type has the type of its getitem.
  [[nodiscard]] int64_t bytes(uint32_t storage) const;

private:
  struct Range {
    uint32_t begin = 0;
    uint32_t count = 0;
  };
  struct Owner {
    uint32_t step = 0;
    const Type *type = nullptr; ///< type of the value that the step created there; null if unknown
  };
  [[nodiscard]] llvm::ArrayRef<uint32_t> slice(Range range) const {
    return llvm::ArrayRef(pool_).slice(range.begin, range.count);
  }
  /// Computes the storages of a step's value from those of its operands; one function for each kind of value.
  [[nodiscard]] Range valueOf(uint32_t index);
  [[nodiscard]] Range callValue(uint32_t index, const Step &step);
  [[nodiscard]] Range listValue(uint32_t index, const Step &step);
  [[nodiscard]] Range elementValue(const Step &step);
  [[nodiscard]] bool sharesAll(const Step &step, const Argument &tree) const;
  /// Store a set, sorted and without duplicates: of one value, or of a list, which may be of any size.
  [[nodiscard]] Range unite(llvm::SmallVectorImpl<uint32_t> &storages);
  [[nodiscard]] Range uniteList(llvm::SmallVectorImpl<uint32_t> &storages);
  /// Returns the storage that this one counts as.
  [[nodiscard]] uint32_t leaderOf(uint32_t storage) const;
  /// Replaces joined storages by their leaders in all sets, and adds their bytes to the leaders.
  void settle();
  [[nodiscard]] int64_t ownBytes(uint32_t storage) const;
  [[nodiscard]] uint32_t fresh(uint32_t step, const Type *type);
  void markChanges();
  /// Handles a step that gives one operand's tensor the storage of another (set_): each tensor may then be in either
  /// storage.
  void exchange(const Step &step);
  void join(llvm::ArrayRef<uint32_t> storages);
  /// Sizes the element tables: print_readable shows no type for lists, so their readers determine the number of
  /// elements.
  void countElements();

  const Program &program_;
  std::vector<uint32_t> pool_;
  std::vector<Range> values_; ///< by step
  /// by step of a list: of elements_
  llvm::MapVector<uint32_t, Range> lists_;
  std::vector<Range> elements_;
  std::vector<Owner> owners_;
  static constexpr size_t mostShared = 32;
  std::vector<uint32_t> leaders_;     ///< by storage, as far as one has a leader
  std::vector<int64_t> settledBytes_; ///< by storage; empty where no storage has a leader
  std::vector<uint32_t> reshaped_;    ///< by storage: first step that reshapes a tensor in it, or none
  std::vector<bool> written_;         ///< by storage
  llvm::DenseMap<Identifier, Range> attributes_;
};

/// Returns the argument whose element i belongs to element i of the step's list result (coalesced collectives, batches
/// of p2p, waits on lists); null if there is none.
[[nodiscard]] const Argument *elementwiseList(const Step &step);

} // namespace ccgraph::legality

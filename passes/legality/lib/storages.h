// Storages: which blocks of memory each value of a Program may occupy.
//
// A step that allocates owns a storage (a list result one an element); views, waits, getitem and
// in-place forms share their operand's. Sets are what a value *may* share, so an access goes to
// each member. Placeholders do not overlap; get_attr nodes of one attribute are one storage.
//
// Ownership: numbers only, which mean something as long as the program. Failure: none; what an
// opaque step yields may share any storage of its operands. Cost: O(steps + operands); a value that
// only shares one operand's set shares its range too. So that sets do not grow with the program (each of
// a chain of opaque steps may share what all before it had), a value that may share more than mostShared
// has them counted as one storage, with the bytes of all, in every set.
//
// This is the checker's own analysis, apart from ccgraph/ir/storage.h: that one reads a live graph,
// this one either side of a rewrite; and a mistake in the one that the passes use is not repeated
// here.
#pragma once

#include "program.h"

namespace ccgraph::legality {

class Storages {
public:
  explicit Storages(const Program &program);

  /// All storages that some part of the value of a step may occupy, ascending.
  [[nodiscard]] llvm::ArrayRef<uint32_t> of(uint32_t step) const { return slice(values_[step]); }
  /// Number of elements of a list result; 0 for any other.
  [[nodiscard]] uint32_t numElements(uint32_t step) const { return lists_[step].count; }
  /// The storages of one element of a list result, ascending; `index` below numElements().
  [[nodiscard]] llvm::ArrayRef<uint32_t> element(uint32_t step, uint32_t index) const {
    return slice(elements_[lists_[step].begin + index]);
  }
  /// Number of storages; they are dense from 0.
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(owners_.size()); }
  /// The storage that this one counts as: itself, unless it was joined with others.
  [[nodiscard]] uint32_t leader(uint32_t storage) const { return leaderOf(storage); }
  /// Step that allocates a storage.
  [[nodiscard]] uint32_t owner(uint32_t storage) const { return owners_[storage].step; }
  /// May some step change a tensor in it, so that types do not tell its shape?
  [[nodiscard]] bool isReshaped(uint32_t storage) const { return reshaped_[storage] != none; }
  /// May a step before this one have done so to a tensor in some storage of the value? Then its type need not hold here.
  [[nodiscard]] bool isReshapedBefore(uint32_t value, uint32_t step) const {
    return llvm::any_of(of(value), [&](uint32_t storage) { return reshaped_[storage] < step; });
  }
  /// Does some step, other than a wait, write the elements in it?
  [[nodiscard]] bool isWritten(uint32_t storage) const { return written_[storage]; }
  /// Bytes of a storage; 0 where unknown. An element of a list that has no type has that of its
  /// getitem.
  [[nodiscard]] int64_t bytes(uint32_t storage) const;

private:
  struct Range {
    uint32_t begin = 0;
    uint32_t count = 0;
  };
  struct Owner {
    uint32_t step = 0;
    const Type *type = nullptr; ///< of what the step made there; null where nothing tells
  };
  [[nodiscard]] llvm::ArrayRef<uint32_t> slice(Range range) const {
    return llvm::ArrayRef(pool_).slice(range.begin, range.count);
  }
  /// What a step's value occupies, found from what its operands do; one function a kind of value.
  [[nodiscard]] Range valueOf(uint32_t index);
  [[nodiscard]] Range callValue(uint32_t index, const Step &step);
  [[nodiscard]] Range listValue(uint32_t index, const Step &step);
  [[nodiscard]] Range elementValue(const Step &step);
  [[nodiscard]] bool sharesAll(const Step &step, const Argument &tree) const;
  /// Stores a set, sorted and without duplicates; that of one value, and that of a list, which may be of any size.
  [[nodiscard]] Range unite(llvm::SmallVectorImpl<uint32_t> &storages);
  [[nodiscard]] Range uniteList(llvm::SmallVectorImpl<uint32_t> &storages);
  /// The storage that this one counts as.
  [[nodiscard]] uint32_t leaderOf(uint32_t storage) const;
  /// Puts leaders in place of their followers in all sets, and gives them their bytes.
  void settle();
  [[nodiscard]] int64_t ownBytes(uint32_t storage) const;
  [[nodiscard]] uint32_t fresh(uint32_t step, const Type *type);
  void markChanges();
  /// A step that gives one operand's tensor the storage of another (set_): each of the two may be in either.
  void exchange(const Step &step);
  void join(llvm::ArrayRef<uint32_t> storages);
  /// Sizes the element tables: print_readable shows no type for lists, so their readers tell how
  /// many elements there are.
  void countElements();

  const Program &program_;
  std::vector<uint32_t> pool_;
  std::vector<Range> values_; ///< by step
  std::vector<Range> lists_;  ///< of elements_
  std::vector<Range> elements_;
  std::vector<Owner> owners_;
  static constexpr size_t mostShared = 32;
  std::vector<uint32_t> leaders_;     ///< by storage, as far as one has a leader
  std::vector<int64_t> settledBytes_; ///< by storage; empty where no storage has a leader
  std::vector<uint32_t> reshaped_;    ///< by storage: first step that reshapes a tensor in it, or none
  std::vector<bool> written_;         ///< by storage
  llvm::DenseMap<Identifier, Range> attributes_;
};

/// The parameter whose element i is about element i of the step's list result (coalesced
/// collectives, batches of p2p, waits on lists); null where there is none.
[[nodiscard]] const Argument *elementwiseList(const Step &step);

} // namespace ccgraph::legality

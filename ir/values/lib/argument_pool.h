// ArgumentPool: argument trees, each stored once.
//
// The layers of a model call the same operators with the same literals, and a tree refers to operands by index, so most
// trees of a large graph are equal to an earlier one: the 24,000 nodes of a captured step of 80 layers have only 79
// different trees.
//
// Two lists of arguments are equal if their words are: nested trees are compared by address, because they are stored
// here, too. Ownership: the trees live in the arena given, the table here. Failure: none. Cost: one hash look-up a
// call, linear in the arguments of the outermost list.
#pragma once

#include "ccgraph/ir/argument.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Allocator.h"

namespace ccgraph {

class ArgumentPool {
public:
  explicit ArgumentPool(llvm::BumpPtrAllocator &arena) : arena_(arena) {}
  /// Returns the stored arguments that are equal, added if there are none.
  const Arguments *get(const Arguments &given);

private:
  /// Hashes and compares what the addresses refer to.
  struct Info {
    static const Arguments *getEmptyKey() { return llvm::DenseMapInfo<const Arguments *>::getEmptyKey(); }
    static const Arguments *getTombstoneKey() { return llvm::DenseMapInfo<const Arguments *>::getTombstoneKey(); }
    static unsigned getHashValue(const Arguments *stored) { return getHashValue(*stored); }
    static unsigned getHashValue(const Arguments &given);
    static bool isEqual(const Arguments *a, const Arguments *b) { return a == b; }
    static bool isEqual(const Arguments &given, const Arguments *stored);
  };
  template <typename T>
  llvm::ArrayRef<T> copy(llvm::ArrayRef<T> values);

  llvm::BumpPtrAllocator &arena_;
  llvm::DenseSet<const Arguments *, Info> stored_;
};

} // namespace ccgraph

// Correspondence: which values of the single graph the values of the ranks are, up to placement, shape and factor.
//
// The values of the single graph are indexed by their words, divided by the first word that has an inverse. So a
// look-up finds a value that is a multiple of one, and the factor; factors other than products and quotients of the
// axis sizes are no match. Views of one value have equal words, and matrices are indexed transposed too.
//
// Ownership: borrows the values of a trial; owns the index. Failure: none. Cost: linear in all values of the single
// graph once, and in the joined values for each candidate.
#pragma once

#include "trial.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::equality {

/// How the values of the ranks at one node are a value of the single graph.
struct Match {
  /// there is none
  bool isNone = true;
  /// equal words everywhere, such as a constant: corresponds to everything
  bool isTrivial = false;
  /// by axis: 'r' equal, 's' shards, 'i' shards inside a dimension, 'p' partial sums or
  /// maxima
  std::string axes;
  /// the joined values are `factor` times the value of the single graph
  Word factor = 0;
  /// the joined values
  Array whole = {};

  [[nodiscard]] bool isPartial() const { return axes.find('p') != std::string::npos; }
  [[nodiscard]] bool isInner() const { return axes.find('i') != std::string::npos; }
  /// It is the value of the single graph itself, held whole or in shards.
  [[nodiscard]] bool isExact() const { return isTrivial || (!isNone && !isPartial() && factor == fromPlain(1)); }
  [[nodiscard]] bool sameLayout(const Match &other) const {
    return isNone == other.isNone && axes == other.axes && factor == other.factor;
  }
  /// It is a partial sum on the same axes, and the same multiple.
  [[nodiscard]] bool sameAs(const Match &other) const;
};

class Correspondence {
public:
  Correspondence(const StepComparison &comparison, Trial &trial);

  /// Returns how the arrays, one for each rank, are a value of the single graph.
  [[nodiscard]] Match find(llvm::ArrayRef<Array> ofRanks);

  /// Adds a value that the single graph does not have. After the first one, arrays are also joined as partial maxima.
  void addDerived(const Array &array) {
    addArray(array);
    joinsMaxima_ = true;
  }

private:
  void addValue(const Value &value);
  void addArray(const Array &array);
  /// Tries all placements of the axes in `order` from `next` on.
  bool search(llvm::ArrayRef<size_t> order, size_t next, std::vector<Array> arrays, Match &match);
  bool joinAlong(llvm::ArrayRef<size_t> order, size_t next, llvm::ArrayRef<Array> arrays, Match &match);
  /// Returns the arrays of ranks that differ in one axis only; `joined` axes have one rank already.
  [[nodiscard]] std::vector<std::vector<Array>> linesOf(size_t axis, llvm::ArrayRef<size_t> joined,
                                                        llvm::ArrayRef<Array> arrays) const;
  /// Returns the axes on which all arrays are equal, `numReplicated` of them, then the others from the minor one.
  [[nodiscard]] std::vector<size_t> orderOfJoins(llvm::ArrayRef<Array> ofRanks, size_t &numReplicated) const;
  bool accept(const Array &joined, Match &match);

  const StepComparison &comparison_;
  Field &field_;
  /// by hash of the words, divided by the first unit: this unit
  llvm::DenseMap<uint64_t, llvm::SmallVector<Word, 1>> index_;
  /// the factors that a placement may explain
  std::vector<Word> factors_;
  /// first dimensions of fused shapes
  std::vector<int64_t> fused_;
  bool joinsMaxima_ = false;
  /// how many axes may still be joined inside a dimension that no placement states as fused
  unsigned innerJoins_ = 1;
};

} // namespace ccgraph::equality

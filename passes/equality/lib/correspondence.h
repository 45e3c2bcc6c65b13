// Correspondence: which values of the single graph the values of the ranks are, up to placement, shape and factor.
//
// The values of the single graph are indexed by their words, divided by the first word that has an inverse. So a
// look-up finds a value that is a multiple of one, and the factor. Views of one value have equal words, and matrices
// are indexed transposed too. A micro-batch has some rows of one value, or of those of several micro-batches, in their
// order; rows are indexed alike.
//
// Ownership: borrows the values of a trial; owns the index. Failure: none. Cost: linear in all values of the single
// graph once, and in the joined values for each candidate.
#pragma once

#include "trial.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

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
  /// a number that all views of the joined values have; 0: they are only some rows of a value
  uint64_t content = 0;
  /// a number that all multiples of the joined values have too; 0: they are only some rows of a value
  uint64_t direction = 0;
  /// of a microbatch: `content` of the values of which it is a part, and its index; empty: it is none
  llvm::SmallVector<uint64_t, 2> wholes = {};
  int64_t microbatch = 0;
  /// It is no value of the single graph, but terms of a sum over microbatches; `whole` is empty.
  bool isTerm = false;

  [[nodiscard]] bool isPartial() const { return axes.find('p') != std::string::npos; }
  [[nodiscard]] bool isSharded() const { return axes.find('s') != std::string::npos; }
  [[nodiscard]] bool isInner() const { return axes.find('i') != std::string::npos; }
  /// It is the value of the single graph itself, held whole or in shards.
  [[nodiscard]] bool isExact() const { return isTrivial || (!isNone && !isPartial() && factor == fromPlain(1)); }
  [[nodiscard]] bool sameLayout(const Match &other) const {
    return isNone == other.isNone && axes == other.axes && factor == other.factor;
  }
  /// It is a partial sum on the same axes, and the same multiple.
  [[nodiscard]] bool sameAs(const Match &other) const;
};

/// The words divided by the first unit, as a hash, and this unit.
struct Normal {
  uint64_t hash = 0;
  Word unit = 0;
  /// Names the words themselves.
  [[nodiscard]] uint64_t content() const { return mix(hash, unit); }
};

class Correspondence {
public:
  Correspondence(const StepComparison &comparison, Trial &trial);

  /// Returns how the arrays, one for each rank, are a value of the single graph.
  [[nodiscard]] Match find(llvm::ArrayRef<Array> ofRanks);

  /// Returns whether one rank's array alone is a value of the single graph, or some rows of one.
  [[nodiscard]] bool isValueOrRows(const Array &ofRank) {
    Match match;
    match.axes = "s";
    return accept(ofRank, match) && match.factor == fromPlain(1);
  }

  /// Returns Match::content of the value of a node of the single graph.
  [[nodiscard]] uint64_t contentOfSingle(const Node &node) const { return contents_.lookup(node.id()); }
  /// Returns Match::direction of the value of a node of the single graph.
  [[nodiscard]] uint64_t directionOfSingle(const Node &node) const { return directions_.lookup(node.id()); }

  /// Adds a value that the single graph does not have. After the first one, arrays are also joined as partial maxima.
  void addDerived(const Array &array) {
    (void)addArray(array);
    joinsMaxima_ = true;
  }

private:
  /// A row of an array of the single graph: its unit, as in `index_`.
  struct Row {
    Word unit = 0;
    size_t array = 0;
    int64_t row = 0;
  };

  /// A microbatch of a value of the single graph.
  struct Part {
    Word unit = 0;
    uint64_t contentOfWhole = 0;
    int64_t index = 0;
  };

  void addValue(const Value &value);
  void addWhole(const Array &array);
  /// Returns false for an array that is a view of an earlier one, or all equal.
  bool addArray(const Array &array);
  void addRows(const Array &array);
  /// Adds the microbatches of a value, and of its transpose.
  void addMicrobatches(const Array &array);
  void addMicrobatch(const Array &part, uint64_t contentOfWhole, int64_t index);
  /// Finds a microbatch whose value is not in the index.
  bool acceptMicrobatch(const Normal &normal, const Array &joined, Match &match);
  /// Returns the factor if the rows are some rows of the single graph, in their order.
  [[nodiscard]] std::optional<Word> factorOfRows(const Array &joined);
  /// Returns the product of axis sizes that the factor is, in the known digits; else the factor.
  [[nodiscard]] Word explainedFactor(Word factor, unsigned digits) const;
  /// Returns the same for the factor between two arrays with these units.
  [[nodiscard]] Word explainedQuotient(Word unit, Word ofSingle, unsigned digits) const;
  /// Tries all placements of the axes in `order` from `next` on.
  bool search(llvm::ArrayRef<size_t> order, size_t next, std::vector<Array> arrays, Match &match);
  bool joinAlong(llvm::ArrayRef<size_t> order, size_t next, llvm::ArrayRef<Array> arrays, Match &match);
  /// Returns the arrays of ranks that differ in one axis only; `joined` axes have one rank already.
  [[nodiscard]] std::vector<std::vector<Array>> linesOf(size_t axis, llvm::ArrayRef<size_t> joined,
                                                        llvm::ArrayRef<Array> arrays) const;
  /// Returns the axes on which all arrays are equal, `numReplicated` of them, then the others from the minor one.
  [[nodiscard]] std::vector<size_t> orderOfJoins(llvm::ArrayRef<Array> ofRanks, size_t &numReplicated) const;
  /// A micro-batch is cut from a shard, or from what all ranks hold.
  [[nodiscard]] bool mayBeRows(const Match &match) const;
  bool accept(const Array &joined, Match &match);

  const StepComparison &comparison_;
  Field &field_;
  /// by hash of the words, divided by the first unit: this unit
  llvm::DenseMap<uint64_t, llvm::SmallVector<Word, 1>> index_;
  /// by hash of a row, divided by its first unit
  llvm::DenseMap<uint64_t, llvm::SmallVector<Row, 1>> rows_;
  /// by id of a node of the single graph
  llvm::DenseMap<uint32_t, uint64_t> contents_, directions_;
  /// by hash of the words, divided by the first unit
  llvm::DenseMap<uint64_t, llvm::SmallVector<Part, 1>> parts_;
  /// the contents of which the microbatches were added
  llvm::DenseSet<uint64_t> cut_;
  /// in how many equal ranges of rows ranks may hold a value
  llvm::SmallVector<int64_t, 4> ranges_ = {1};
  size_t numArrays_ = 0;
  /// the factors that a placement may explain: products and quotients of axis sizes
  std::vector<Word> factors_;
  /// first dimensions of fused shapes
  std::vector<int64_t> fused_;
  bool joinsMaxima_ = false;
  /// how many axes may still be joined inside a dimension that no placement states as fused
  unsigned innerJoins_ = 1;
};

} // namespace ccgraph::equality

// NodeMatches: what the values of the ranks at each node are among the values of the single graph, and what kinds of
// deviation the walk to a mistake distinguishes.
//
// Ownership: borrows the comparison and the trial; owns the matches. Failure: none. Cost: that of Correspondence::find
// once for each node that is asked for.
#pragma once

#include "correspondence.h"
#include "microbatch_sums.h"
#include "step_nodes.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::equality {

class NodeMatches {
public:
  NodeMatches(const StepComparison &comparison, Trial &trial);

  [[nodiscard]] const Alignment &alignment() const { return alignment_; }
  const Match &matchOf(const Node &node);
  /// Returns how a value corresponds, by what it is a view of if needed.
  const Match &kindOfMatch(const Node &node);
  /// Inputs are right by definition, and so is a view of all elements of a value that corresponds.
  bool isKnown(const Node &node);
  bool correspondsExactly(const Node &node);
  /// A value that corresponds, but times a factor or in another layout, and is no partial sum.
  bool isMultiple(const Node &node);
  /// A product that is not the multiple that its operands make it.
  bool isOddProduct(const Node &node);
  /// A scale by a number, or a collective with a reduction and a group, that no other call of the operator has.
  bool isOddCall(const Node &node);
  /// It corresponds times a factor other than 1.
  bool hasFactor(const Node &node);

  /// Returns whether an operand is a part of a sum, or a multiple of what it should be.
  bool lacksOperand(const Node &node);
  /// Returns whether a right operand is no value of the single graph as the reader needs it.
  bool lacks(const Node &operand, const Node &reader);

  [[nodiscard]] bool isFloatValue(const Node &node) const;
  [[nodiscard]] bool producesList(const Node &node) const;
  /// Returns the operands. Those of an element of a list are the operands from which its producer makes it.
  [[nodiscard]] std::vector<const Node *> operandsOf(const Node &node) const;
  /// The single graph calls the operator of the node with all of its operands but one. Returns this operand; null if
  /// there is no such call, or if several lack other operands.
  const Node *otherOperand(const Node &node);
  /// Returns Match::direction of a value; 0 for one that corresponds to nothing, or to everything.
  [[nodiscard]] uint64_t directionOf(const Node &node);
  [[nodiscard]] uint64_t directionOfSingle(const Node &node) const { return correspondence_.directionOfSingle(node); }
  /// Returns the calls of the single graph of an operator, such as "add".
  [[nodiscard]] std::vector<const Node *> singleCallsOf(llvm::StringRef target) const {
    return singleCalls_.lookup(target);
  }
  /// Returns whether the value of a reader tells the elements of an operand: whether it differs for other elements, and
  /// for elements that are rotated along a dimension, as a mean does not. True where that cannot be evaluated.
  bool tells(const Node &reader, const Node &operand);
  /// Returns the first rank whose value alone is none of the single graph, where that of another rank is one.
  std::optional<size_t> firstUnknownRank(const Node &node);

private:
  bool derive(const Node &node);
  /// Returns which terms of a sum over microbatches a node is that is no value of the single graph.
  std::optional<MicrobatchTerms> termsOf(const Node &node);
  std::optional<MicrobatchTerms> termOfCall(const Node &node);
  [[nodiscard]] std::optional<MicrobatchTerms> scaledTerms(const Node &node, const MicrobatchTerms &terms) const;
  /// Returns whether a reader of rank 0 has another value if an operand has these elements; true if it has none.
  bool differsWith(const Node &reader, const Node &operand, const Array &elements);
  /// Returns Match::content of an operand that is a value of the single graph itself; 0 for others.
  uint64_t contentOf(const Node &operand);

  const StepComparison &comparison_;
  Trial &trial_;
  Alignment alignment_;
  Correspondence correspondence_;
  std::map<const Node *, Match> matches_;
  /// the whole values of what derive() added
  std::map<const Node *, Array> derived_;
  /// of nodes that match by their terms
  std::map<const Node *, MicrobatchTerms> terms_;
  /// how many calls have this shape (of collectives: these literals), and how many this operator
  llvm::StringMap<unsigned> shapes_, targets_;
  /// the calls of the single graph by operator
  llvm::StringMap<std::vector<const Node *>> singleCalls_;
};

} // namespace ccgraph::equality

// The nodes of a parallel step: which nodes of the ranks belong together, and which kinds of nodes the walk
// distinguishes.
//
// Ownership: borrows the graphs. Failure: none. Cost: Alignment is linear in the nodes of all ranks; the others O(1).
#pragma once

#include "ccgraph/equality/same_step.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::equality {

/// The nodes of all ranks that are one step of the program: the operators of rank 0, in order, and those of the other
/// ranks that are the same steps (program_diff.h); nodes of one name where the programs differ in more.
class Alignment {
public:
  explicit Alignment(llvm::ArrayRef<RankStep> ranks);
  /// Returns the counterpart of a node of rank 0; null if there is none.
  [[nodiscard]] const Node *on(size_t rank, const Node &node) const;
  [[nodiscard]] size_t numRanks() const { return ranks_.size(); }
  /// Returns whether the operator, its numbers or the names of its operands differ among the ranks.
  [[nodiscard]] bool textsDiffer(const Node &node) const;
  /// Returns the first rank whose text differs from the one that more than half of the ranks have.
  [[nodiscard]] std::optional<size_t> firstOtherText(const Node &node) const;
  /// A step that is in the text of some ranks alone.
  struct OwnStep {
    size_t rank = 0;
    const Node *node = nullptr;
  };
  /// Returns the steps that at most half of the ranks have: those of rank 0, then those that it does not have, in the
  /// order of the texts.
  [[nodiscard]] std::vector<OwnStep> ownSteps() const;
  /// Returns the steps of rank 0 that a rank lacks, if fewer than half of the ranks do, with this rank.
  [[nodiscard]] std::vector<OwnStep> lackingSteps() const;
  /// Returns the node of rank 0 that is the same step; null if there is none.
  [[nodiscard]] const Node *onFirst(size_t rank, const Node &node) const;

private:
  /// Returns how many ranks lack a step of rank 0.
  [[nodiscard]] size_t numLacking(const Node &node) const;
  [[nodiscard]] std::vector<std::string> textsOf(const Node &node) const;
  /// by rank
  llvm::ArrayRef<RankStep> ranks_;
  /// by rank and position in the program of rank 0; null: the rank does not have the step
  std::vector<std::vector<Node *>> nodes_;
  std::map<const Node *, size_t> position_;
  /// The texts differ too much to be compared, so nodes of one name belong together.
  bool byName_ = false;
};

/// Returns the base of a target without namespace: "mul" of "aten.mul.Tensor".
[[nodiscard]] llvm::StringRef shortTarget(const Node &node);
[[nodiscard]] bool isOneOfWords(llvm::StringRef word, std::initializer_list<llvm::StringRef> words);
/// A view or a wait: it moves no value to another place of the tensor's ranks.
[[nodiscard]] bool isViewOrWait(const Node &node);
/// A view or a copy that shows every element of its operand once.
[[nodiscard]] bool isWholeView(const Node &node);
/// A result that does not depend on the elements of an operand, which gives its sizes alone.
[[nodiscard]] bool readsOnlySizes(const Node &node);
/// An operator whose operands are placed alike.
[[nodiscard]] bool isElementwise(const Node &node);
[[nodiscard]] bool isCollectiveNode(const Node &node);
/// A product with a number, or a quotient by one.
[[nodiscard]] bool isScaleByNumber(const Node &node);
/// Returns the integer that a node adds, or subtracts with a negative sign; empty for other nodes.
[[nodiscard]] std::optional<int64_t> addedInteger(const Node &node);
/// A collective whose result has the elements of the operands, in other places.
[[nodiscard]] bool isMovingCollective(const Node &node);
/// A concatenation.
[[nodiscard]] bool isJoin(const Node &node);
/// An element of a bucket: tensors that are joined, reduced together and split again.
struct BucketElement {
  /// the tensor that became the element
  const Node *operand = nullptr;
  /// the reduction and the scales between split and join, and the join
  std::vector<const Node *> steps = {};
};
/// Returns what an element of a split is in a bucket; empty for any other node.
[[nodiscard]] std::optional<BucketElement> bucketElementOf(const Node &node);
/// A step that ranks have which hold a part of another size: a padding or a range.
[[nodiscard]] bool isPartOfUneven(const Node &node);
/// The operator, its literal arguments and the operators of its operands.
[[nodiscard]] std::string shapeOfCall(const Node &node);
/// The operator and all literal arguments, by keyword too; an operand is only marked.
[[nodiscard]] std::string literalsOf(const Node &node);

} // namespace ccgraph::equality

#include "rules/contraction.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// A product of two tensors, as an einsum: letters that the result lacks are summed.
class Contraction {
public:
  Contraction(PlacedCall &call, Lettered left, Lettered right, std::string letters)
      : call_(call), left_(std::move(left)), right_(std::move(right)), letters_(std::move(letters)) {}

  Held place() {
    IntList sizes;
    for (char letter : letters_)
      sizes.push_back(sizeOf(letter));
    result_ = call_.fresh(sizes);
    for (size_t axis = 0; axis != call_.numAxes(); ++axis)
      result_.axes[axis] = combine(axis);
    for (size_t dim = 0; dim != letters_.size(); ++dim)
      result_.dims[dim] = chosen(letters_[dim]);
    for (size_t axis = 0; axis != call_.numAxes(); ++axis)
      settle(axis);
    result_.isMade = left_.operand.held->isMade && right_.operand.held->isMade;
    return std::move(result_);
  }

private:
  [[nodiscard]] static const DimFactors *factorsOf(const Lettered &tensor, char letter) {
    size_t at = tensor.letters.find(letter);
    return at == std::string::npos ? nullptr : &tensor.operand.held->dims[at];
  }
  [[nodiscard]] int64_t sizeOf(char letter) const {
    const DimFactors *left = factorsOf(left_, letter), *right = factorsOf(right_, letter);
    return std::max(left ? localSizeOf(*left) : 1, right ? localSizeOf(*right) : 1);
  }
  /// Returns the factors of the operand that is cut.
  [[nodiscard]] DimFactors chosen(char letter) const {
    const DimFactors *left = factorsOf(left_, letter), *right = factorsOf(right_, letter);
    if (left && right && localSizeOf(*left) != localSizeOf(*right))
      return localSizeOf(*left) == 1 ? *right : *left;
    if (!left || (right && hasAxes(*right) && !hasAxes(*left)))
      return *right;
    return *left;
  }

  static bool cuts(const DimFactors *factors, size_t axis) {
    return factors &&
           llvm::any_of(*factors, [&](const Factor &factor) { return factor.axis == static_cast<int>(axis); });
  }
  /// Returns the letter that the axis cuts in a tensor; 0 if none.
  static char letterOf(const Lettered &tensor, size_t axis) {
    std::optional<size_t> dim = tensor.operand.held->dimOf(axis);
    return dim && *dim < tensor.letters.size() ? tensor.letters[*dim] : '\0';
  }

  Hold combine(size_t axis) {
    const Hold &left = left_.operand.held->axes[axis], &right = right_.operand.held->axes[axis];
    for (const Hold *hold : {&left, &right})
      if (hold->kind == HoldKind::Undecided)
        return *hold;
    const HeldOperand both[] = {left_.operand, right_.operand};
    if (left.kind == HoldKind::Partial || right.kind == HoldKind::Partial) {
      const Hold &partial = left.kind == HoldKind::Partial ? left : right;
      const Hold &other = left.kind == HoldKind::Partial ? right : left;
      if (other.kind == HoldKind::Replicated && partial.reduction == ReduceOp::Sum)
        return partial;
      return nonlinearHold(call_, axis, both);
    }
    char a = letterOf(left_, axis), b = letterOf(right_, axis);
    if (a == 0 && b == 0)
      return withoutCuts(left, right);
    return withCuts(axis, a, b);
  }

  static Hold withoutCuts(const Hold &left, const Hold &right) {
    Hold result = left.kind == HoldKind::Varying ? left : right;
    result.assumed = result.kind == HoldKind::Replicated && (left.assumed || right.assumed);
    result.isShare = left.isShare != right.isShare;
    return result;
  }

  /// One of the tensors is cut along `a`, or the other along `b`, or both.
  Hold withCuts(size_t axis, char a, char b) {
    const bool isSummed = letters_.find(a ? a : b) == std::string::npos;
    const DimFactors *left = factorsOf(left_, a ? a : b), *right = factorsOf(right_, a ? a : b);
    if (a != 0 && b != 0 && a != b && staysIn(a) && staysIn(b) && (call_.passesParts() || gathersOtherwise()))
      return provenVaryingSince(call_.node());
    if (a != 0 && a == b && !sameCuts(*left, *right) && (hasGuess(*left) || hasGuess(*right)))
      return varyingSince(call_.node());
    if (a != 0 && b != 0 && (a != b || !sameCuts(*left, *right)))
      return mismatch(axis, a == b ? "are cut in parts of another order or another size"
                                   : "are cut along dimensions that do not belong together");
    const Lettered &whole = a ? right_ : left_;
    const bool standsInBoth = left && right && localSizeOf(*left) == localSizeOf(*right) && sizeOf(a ? a : b) > 1;
    const bool isWhole = (a == 0 || b == 0) && standsInBoth && !whole.operand.held->isUniform &&
                         !whole.operand.held->isMade && whole.operand.held->has(axis, HoldKind::Replicated);
    if (isWhole && isSummed)
      return mismatch(axis, "meet in a sum along a dimension that only the first one holds in parts", a == 0);
    // Positions and offsets of a rank's own select rows that another rank does not have.
    auto isOwn = [&](const Lettered &tensor) {
      return tensor.operand.held->axes[axis].isOwn || tensor.operand.held->has(axis, HoldKind::Varying);
    };
    const bool isMade = (a == 0 || b == 0) && whole.operand.held->isMade && !whole.operand.held->isUniform;
    if (isSummed && (isOwn(left_) || isOwn(right_) || isMade || call_.readsGuess(axis)))
      return varyingSince(call_.node());
    return isSummed ? partialSince(call_.node(), ReduceOp::Sum)
                    : Hold{.kind = HoldKind::Sharded, .isOwn = isOwn(left_) || isOwn(right_)};
  }

  [[nodiscard]] bool staysIn(char letter) const { return letters_.find(letter) != std::string::npos; }
  /// Returns whether a gather reads what is computed from an operand on another way. Each rank then computes the block
  /// of its own rows, and learns of the other rows by what is gathered, as in linear attention over chunks.
  [[nodiscard]] bool gathersOtherwise() const {
    llvm::DenseSet<const Node *> made = {&beforeViews(*left_.operand.node), &beforeViews(*right_.operand.node)};
    for (const Node *node : call_.state().program) {
      const bool reads = node != &call_.node() && llvm::any_of(node->dataOperands(), [&](const Node *operand) {
                           return made.count(operand) != 0;
                         });
      std::optional<CollectiveCall> launch = reads ? collectiveCall(*node) : std::nullopt;
      if (launch && launch->spec->kind == CollectiveKind::AllGather)
        return true;
      if (reads)
        made.insert(node);
    }
    return false;
  }
  [[nodiscard]] static const Node &beforeViews(const Node &value) {
    const Node *node = &value;
    while (node->opcode() == Opcode::CallFunction && node->numOperands() == 1 &&
           (node->op()->isView || baseOfTarget(node->target().str()) == "aten._unsafe_view"))
      node = node->operand(0);
    return *node;
  }

  Hold mismatch(size_t axis, llvm::StringRef how, bool isReversed = false) {
    const Node *first = left_.operand.node, *second = right_.operand.node;
    if (isReversed)
      std::swap(first, second);
    return call_.report({FindingKind::MismatchedOperands, axis, first,
                         first->name().str().str() + " and " + second->name().str().str() + " " + how.str() + " over " +
                             call_.axisName(axis),
                         "gather the one that is cut, or cut both alike"});
  }

  /// Keeps factors and kinds of an axis alike.
  void settle(size_t axis) {
    const Hold hold = result_.axes[axis];
    if (hold.kind != HoldKind::Sharded)
      result_.settle(axis, hold);
    else if (!result_.dimOf(axis))
      result_.axes[axis] = varyingSince(call_.node());
  }

  PlacedCall &call_;
  Lettered left_, right_;
  std::string letters_;
  Held result_;
};

} // namespace

Held placeContraction(PlacedCall &call, Lettered left, Lettered right, std::string letters) {
  return Contraction(call, std::move(left), std::move(right), std::move(letters)).place();
}

} // namespace ccgraph::placements

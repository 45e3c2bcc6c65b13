#include "rules/contraction.h"

namespace ccgraph::placements {
namespace {

Held placeProduct(PlacedCall &call, std::string left, std::string right, std::string result) {
  HeldOperand a = call.operand(0), b = call.operand(1);
  if (!a.held || !b.held || a.held->dims.size() != left.size() || b.held->dims.size() != right.size())
    return call.reject("operands of other dimensions"), call.undecided();
  return placeContraction(call, {a, std::move(left)}, {b, std::move(right)}, std::move(result));
}

Held placeMatrices(PlacedCall &call) { return placeProduct(call, "ij", "jk", "ik"); }
Held placeBatches(PlacedCall &call) { return placeProduct(call, "bij", "bjk", "bik"); }
Held placeMatrixVector(PlacedCall &call) { return placeProduct(call, "ij", "j", "i"); }
Held placeDot(PlacedCall &call) { return placeProduct(call, "i", "i", ""); }

/// matmul: batch dimensions before the last two.
Held placeMatmul(PlacedCall &call) {
  HeldOperand a = call.operand(0), b = call.operand(1);
  if (!a.held || !b.held || a.held->dims.empty() || b.held->dims.empty())
    return call.undecided();
  auto lettersOf = [](size_t rank, llvm::StringRef last) {
    static constexpr llvm::StringLiteral batch = "zyxwvutsr";
    std::string letters = rank > 2 ? batch.take_front(rank - 2).str() : "";
    std::reverse(letters.begin(), letters.end());
    return letters + last.str();
  };
  const size_t left = a.held->dims.size(), right = b.held->dims.size();
  std::string first = lettersOf(left, left == 1 ? "j" : "ij"), second = lettersOf(right, right == 1 ? "j" : "jk");
  std::string result = lettersOf(std::max(left, right), "");
  result += left == 1 ? "" : "i";
  result += right == 1 ? "" : "k";
  return placeProduct(call, first, second, result);
}

/// Adds a product to a term; the term broadcasts.
Held placeSum(PlacedCall &call, HeldOperand term, const Held &product) {
  Elementwise function;
  function.operands = {{term, 'a'}, {{&product, &call.node()}, 'a'}};
  std::optional<IntList> sizes = call.resultSizes();
  if (!sizes)
    return call.undecided();
  function.sizes = *sizes;
  return placeElementwise(call, function);
}

/// addmm(bias, a, b) and baddbmm.
Held placeAddedProduct(PlacedCall &call) {
  HeldOperand bias = call.operand(0), a = call.operand(1), b = call.operand(2);
  const bool isBatched = call.base() == "aten.baddbmm";
  if (!bias.held || !a.held || !b.held || a.held->dims.size() != (isBatched ? 3U : 2U) ||
      b.held->dims.size() != a.held->dims.size())
    return call.undecided();
  Held product = isBatched ? placeContraction(call, {a, "bij"}, {b, "bjk"}, "bik")
                           : placeContraction(call, {a, "ij"}, {b, "jk"}, "ik");
  return placeSum(call, bias, product);
}

/// linear(x, w, bias): the weight is [out, in].
Held placeLinear(PlacedCall &call) {
  HeldOperand x = call.operand(0), w = call.operand(1), bias = call.operand(2);
  if (!x.held || !w.held || x.held->dims.empty() || w.held->dims.size() != 2)
    return call.undecided();
  std::string rows;
  for (size_t dim = 0; dim + 1 < x.held->dims.size(); ++dim)
    rows += static_cast<char>('a' + dim);
  Held product = placeContraction(call, {x, rows + "y"}, {w, "zy"}, rows + "z");
  return bias.held ? placeSum(call, bias, product) : product;
}

constexpr PlacementRuleEntry productRows[] = {
    {"aten.addmm", placeAddedProduct}, {"aten.baddbmm", placeAddedProduct},
    {"aten.bmm", placeBatches},        {"aten.dot", placeDot},
    {"aten.linear", placeLinear},      {"aten.matmul", placeMatmul},
    {"aten.mm", placeMatrices},        {"aten.mv", placeMatrixVector},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> productPlacements() { return productRows; }

} // namespace ccgraph::placements

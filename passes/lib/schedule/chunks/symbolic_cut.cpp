#include "schedule/chunks/symbolic_cut.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/symbolic_text.h"
#include "simplify/exchanges/region.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool isSymbolic(const Dim &size) { return !size.isStatic(); }

bool hasSymbolicSize(const Node &value) {
  return value.type() && value.type()->isTensor() && llvm::any_of(value.type()->sizes(), isSymbolic);
}

/// A multiple of symbols: 2048*s0, or 3*s0*s1.
struct Multiple {
  int64_t factor = 1;
  int64_t fewest = 1; ///< rows for the smallest values of the symbols
};

/// Returns which multiple of a product of symbols the rows are; empty for any other expression.
std::optional<Multiple> multipleOf(Context &context, const SymExpr &rows) {
  Multiple multiple;
  Dim product(1);
  llvm::SmallVector<llvm::StringRef, 3> factors;
  rows.text().split(factors, '*');
  for (const llvm::StringRef factor : factors) {
    const bool isSymbol = isSizeSymbol(factor);
    int64_t number = leastSizeSymbol;
    if (!isSymbol && (factor.getAsInteger(10, number) || number < 1))
      return std::nullopt;
    product = multiply(context, product, isSymbol ? Dim(context.symbolic(factor)) : Dim(number));
    multiple.fewest = saturatingMultiply(multiple.fewest, number);
    multiple.factor = isSymbol ? multiple.factor : saturatingMultiply(multiple.factor, number);
  }
  return product == Dim(&rows) ? std::optional(multiple) : std::nullopt;
}

/// Returns true if the last size is a number, and only one other size is not.
bool hasRowsOfOneSize(const Node &value) {
  llvm::ArrayRef<Dim> sizes = value.type()->sizes();
  return sizes.size() > 1 && sizes.back().isStatic() && llvm::count_if(sizes, isSymbolic) == 1;
}

/// Returns how many of so many parts a piece must have, so that it has several rows if there are `fewest` in all,
/// however its ends are rounded.
int64_t leastOf(int64_t parts, int64_t fewest) {
  constexpr int64_t leastRows = 2;
  return (saturatingMultiply(leastRows, parts) - 1) / fewest + 1;
}

} // namespace

std::string whyNoRegion(const Node &launch) {
  constexpr CollectiveKind kinds[] = {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                                      CollectiveKind::AllReduce};
  if (llvm::none_of(kinds, [&](CollectiveKind kind) { return isFunctional(launch, kind); }))
    return "";
  if (hasSymbolicSize(launch) || hasSymbolicSize(*launch.operand(0)))
    return "its rows, or those of a rank, are unknown";
  return "";
}

// With a small multiple of the symbol, few pieces have several rows. If a unit is a part of it, all of these are tried:
// 3*s0 rows in three pieces of s0.
PieceUnits unitsOf(const ChunkRegion &region, int64_t most) {
  constexpr int64_t small = 8;
  const Multiple multiple = multipleOf(region.launch->graph()->context(), *region.symbolicRows).value_or(Multiple());
  const int64_t all = multiple.factor <= small ? most - most % multiple.factor : most;
  return {all, leastOf(all, multiple.fewest)};
}

std::string whyWhole(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts) {
  const std::string rows = region.symbolicRows->text().str();
  const std::optional<Multiple> multiple = multipleOf(region.launch->graph()->context(), *region.symbolicRows);
  if (!multiple)
    return "its rows, " + rows + ", are no multiple of a symbol or of a product of symbols";
  llvm::SmallVector<const Node *, 16> values = {region.launch->operand(0)};
  llvm::append_range(values, region.nodes());
  for (const Node *value : values)
    if (!hasRowsOfOneSize(*value))
      return "'" + value->name().str().str() + "' has a size besides its rows that is an expression";
  llvm::SmallVector<const Node *, 8> rowValues = {region.launch->operand(0), region.wait};
  llvm::append_range(rowValues, region.moves);
  for (const Node *value : rowValues)
    if (value->type()->sizes().back() != Dim(region.columns))
      return "'" + value->name().str().str() + "' has rows of another length than the product";
  const int64_t least = leastOf(saturatingSum(parts), multiple->fewest);
  if (llvm::any_of(parts, [&](int64_t part) { return part < least; }))
    return "its rows, " + rows + ", may be so few that a piece has a single one";
  return "";
}

bool neverCuts(const ChunkRegion &region) {
  constexpr int64_t halves[] = {1, 1};
  return region.symbolicRows && !whyWhole(region, halves).empty();
}

// The links of a chain have the rows of its regions (row_functions.h).
std::string whyWhole(const ChunkChain &chain, llvm::ArrayRef<int64_t> parts) {
  for (const ChunkRegion &region : chain.regions)
    if (std::string why = whyWhole(region, parts); !why.empty())
      return why;
  return "";
}

Dim rowsOfPiece(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts, size_t piece) {
  Context &context = region.launch->graph()->context();
  const Dim rows(region.symbolicRows);
  auto end = [&](size_t pieces) {
    const Dim share = multiply(context, rows, Dim(saturatingSum(parts.take_front(pieces))));
    return floorDivide(context, share, Dim(saturatingSum(parts))).value_or(rows);
  };
  return subtract(context, end(piece + 1), end(piece));
}

std::string textOfPieces(const ChunkRegion &region, llvm::ArrayRef<int64_t> parts) {
  std::string text;
  for (size_t piece = 0; piece < parts.size(); ++piece)
    text += (text.empty() ? "" : "+") + rowsOfPiece(region, parts, piece).str();
  return text;
}

} // namespace ccgraph

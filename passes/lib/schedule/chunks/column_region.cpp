// Matches regions of columns; column_pieces.cpp cuts them.
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "schedule/chunks/chunk_region.h"
#include "schedule/chunks/row_functions.h"
#include "schedule/chunks/row_movements.h"
#include "schedule/chunks/symbolic_cut.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool isKnown(const Dim &size) { return size.isStatic() || !size.expr()->isUnbacked(); }

/// Returns true for a matrix with strides, whose sizes may be expressions of symbols that the trace knows.
bool isStrided(const Node &value) {
  const Type *type = value.type();
  return type && type->isTensor() && type->sizes().size() == 2 && type->stridesKnown() &&
         llvm::all_of(type->sizes(), isKnown) && llvm::all_of(type->strides(), isKnown);
}

/// Returns true for a product of two matrices, each of which has its own columns, whose number is known. With an inner
/// size of 1, a column of the second operand is one number, and the legality checker does not tell columns from
/// elements.
bool isColumnProduct(const Node &node) {
  const bool isProduct = node.op() && node.op()->target.str() == "aten.mm.default" && node.kwargs().empty() &&
                         node.numOperands() == 2 && hasNoGaps(node) && isStrided(*node.operand(0)) &&
                         isStrided(*node.operand(1));
  if (!isProduct)
    return false;
  const Dim &inner = node.operand(1)->type()->sizes()[0];
  return node.type()->sizes()[1].isStatic() && (!inner.isStatic() || inner.value() > 1);
}

/// Returns true for a matrix in which the two dimensions of another are exchanged.
bool isTransposed(const Node &node) {
  if (!node.op() || node.numOperands() != 1 || !node.kwargs().empty() || !isStrided(node))
    return false;
  const llvm::StringRef target = node.target().str();
  auto isInteger = [](const Argument &argument, int64_t a, int64_t b) {
    return argument.is(Argument::Kind::Int) && (argument.integer() == a || argument.integer() == b);
  };
  if (target == "aten.t.default")
    return node.args().size() == 1;
  if (target == "aten.transpose.int")
    return node.args().size() == 3 && ((isInteger(node.args()[1], 0, -2) && isInteger(node.args()[2], 1, -1)) ||
                                       (isInteger(node.args()[1], 1, -1) && isInteger(node.args()[2], 0, -2)));
  if (target != "aten.permute.default" || node.args().size() != 2 || !node.args()[1].isSequence())
    return false;
  auto dims = node.args()[1].elements();
  return dims.size() == 2 && isInteger(dims[0], 1, -1) && isInteger(dims[1], 0, -2);
}

/// Returns the product of another matrix and a transposed one, if nothing else reads the latter.
Node *productOfTransposed(const Node &value) {
  Node *product = isTransposed(value) ? onlyReader(value) : nullptr;
  const bool cuts = product && isColumnProduct(*product) && product->operand(1) == &value &&
                    product->operand(0) != &value && hasNoGaps(*product->operand(0));
  return cuts ? product : nullptr;
}

/// Returns true for a view that gives symbolic rows another shape, and keeps the columns.
bool keepsColumns(const Node &node) {
  return isSymbolicView(node) && node.type()->sizes().size() > 1 && node.operand(0)->type()->sizes().size() > 1 &&
         node.type()->sizes().back().isStatic() &&
         node.type()->sizes().back() == node.operand(0)->type()->sizes().back();
}

/// Returns true if a size of the product, or of what it multiplies, is an expression.
bool hasSymbolicSize(const ChunkRegion &region) {
  const Node *product = region.products.front();
  const Node *values[] = {product, product->operand(0), product->operand(1)};
  return llvm::any_of(values, [](const Node *value) { return !staticDims(value->type()->sizes()); });
}

/// Matches a gathered matrix that a product reads transposed. The first such product is cut.
ChunkMatch matchGatheredColumns(RegionFacts &facts, Node *launch) {
  const int64_t ranks = facts.ranks(*launch).value_or(1);
  Node *wait = ranks > 1 ? onlyWait(*launch) : nullptr;
  const Node &input = *launch->operand(0);
  if (!wait || !isMatrix(input) || !isMatrix(*wait))
    return {};
  ChunkRegion region{.kind = ChunkRegion::Kind::GatherColumns, .launch = launch, .wait = wait};
  const Node *other = nullptr;
  for (const Use &use : wait->uses()) {
    if (use.isOrdering())
      continue;
    Node *product = productOfTransposed(*use.user());
    if (!product || (region.anchor && region.anchor->isBefore(product))) {
      other = use.user();
      continue;
    }
    other = region.anchor ? region.moves.front() : other;
    region.anchor = product;
    region.moves = {use.user()};
  }
  // The pieces are multiplied before they are put together.
  auto isEarlier = [&](const Use &use) {
    return !use.isOrdering() && use.user() != region.moves.front() && use.user()->isBefore(region.anchor);
  };
  if (!region.anchor || llvm::any_of(wait->uses(), isEarlier))
    return {std::nullopt, other};
  if (other)
    region.kept = {wait};
  region.products = {region.anchor};
  region.blocks = ranks;
  region.rows = input.type()->sizes()[0].value();
  region.columns = input.type()->sizes()[1].value();
  region.hasSymbolicColumns = hasSymbolicSize(region);
  return {std::move(region), nullptr};
}

} // namespace

ChunkMatch matchColumnRegion(RegionFacts &facts, Node *launch) {
  if (isFunctional(*launch, CollectiveKind::AllGather))
    return matchGatheredColumns(facts, launch);
  const int64_t ranks = facts.ranks(*launch).value_or(2);
  const bool reduces = isFunctional(*launch, CollectiveKind::AllReduce) ||
                       (isFunctional(*launch, CollectiveKind::ReduceScatter) && facts.ranks(*launch));
  Node *wait = reduces && ranks > 1 ? onlyWait(*launch) : nullptr;
  if (!wait || !hasNoGaps(*launch->operand(0)) || !hasNoGaps(*wait))
    return {};
  ChunkRegion region{.kind = ChunkRegion::Kind::ReduceColumns, .launch = launch, .wait = wait};
  Node *sent = launch->operand(0), *reader = launch;
  auto isMove = [&](const Node &node) {
    return isElementFunction(node) || (isFunctional(*launch, CollectiveKind::AllReduce) && keepsColumns(node));
  };
  for (; onlyReader(*sent) == reader && isMove(*sent); sent = sent->operand(0)) {
    region.moves.push_back(sent);
    reader = sent;
  }
  if (onlyReader(*sent) != reader || !isColumnProduct(*sent))
    return {std::nullopt, sent};
  std::reverse(region.moves.begin(), region.moves.end());
  region.products = {sent};
  region.rows = sent->type()->sizes()[1].value();
  region.hasSymbolicColumns = hasSymbolicSize(region);
  return {std::move(region), nullptr};
}

ChunkMatch matchAnyRegion(RegionFacts &facts, Node *launch) {
  ChunkMatch rows = matchChunkRegion(facts, launch);
  if (rows.region && !neverCuts(*rows.region))
    return rows;
  ChunkMatch columns = matchColumnRegion(facts, launch);
  return columns.region || (columns.entangled && !rows.region) ? columns : rows;
}

} // namespace ccgraph

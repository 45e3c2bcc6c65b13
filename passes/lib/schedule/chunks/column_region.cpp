// Matches and cuts regions of columns:
//
//   p = mm(x, b); c = cast(p); s = reduce_scatter(c); w = wait(s)
//   ->  p_k = mm(x, columns k of b); c_k = cast(p_k); s_k = reduce_scatter(c_k); w = cat(wait(s_k), 1)
//
// The same for all_reduce. The columns of b are a view, so nothing is copied before a product. Only the results are put
// together by a copy.
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/chunk_region.h"
#include "schedule/chunks/row_functions.h"
#include "schedule/chunks/row_movements.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool isStaticMatrix(const Node &value) {
  const Type *type = value.type();
  return type && type->isTensor() && type->sizes().size() == 2 && type->stridesKnown() && staticDims(type->sizes()) &&
         staticDims(type->strides());
}

/// Returns true for a product of two matrices, each of which has its own columns. With an inner size of 1, a column of
/// the second operand is one number, and the legality checker does not tell columns from elements.
bool isColumnProduct(const Node &node) {
  return node.op() && node.op()->target.str() == "aten.mm.default" && node.kwargs().empty() &&
         node.numOperands() == 2 && isDense(node) && isStaticMatrix(*node.operand(0)) &&
         isStaticMatrix(*node.operand(1)) && node.operand(1)->type()->sizes()[0].value() > 1;
}

/// Builds the pieces of one region.
class ColumnBuilder {
public:
  ColumnBuilder(Graph &graph, const ChunkRegion &region, RuleEntry &entry)
      : graph_(graph), region_(region), entry_(entry), at_(graph, region.launch) {
    entry_.name = "equal-pieces";
  }

  void run(llvm::ArrayRef<int64_t> pieces) {
    llvm::SmallVector<Node *, 4> launches, parts;
    for (int64_t from = 0; const int64_t count : pieces) {
      launches.push_back(reduced(sent(from, count)));
      from += count;
    }
    at_.setPosition(region_.wait);
    at_.standFor({region_.wait});
    for (Node *launch : launches)
      parts.push_back(waitLike(at_, launch, *region_.wait));
    Node *whole = at_.call("aten.cat.default", {Actual::nodes(parts), 1});
    graph_.replaceAllUses(region_.wait, whole);
    // A node that was ordered after the collective relied on all of it.
    graph_.replaceAllUses(region_.launch, launches.back());
    finish(whole);
  }

private:
  /// Returns what a piece of these columns sends.
  Node *sent(int64_t from, int64_t count) {
    Node *product = region_.products.front();
    at_.setPosition(region_.launch);
    at_.standFor({product});
    Node *columns = at_.call("aten.slice.Tensor", {product->operand(1), 1, from, from + count});
    Node *piece = at_.call(product->target().str(), {product->operand(0), columns});
    for (Node *function : region_.moves)
      piece = functionOf(*function, piece, count);
    return piece;
  }

  /// Returns the same function of the elements of a piece.
  Node *functionOf(Node &function, Node *piece, int64_t columns) {
    at_.standFor({&function});
    const IntList sizes = {function.type()->sizes()[0].value(), columns};
    CallSpec call{.target = function.target().str(), .args = {}, .type = at_.tensorLike(*function.type(), sizes)};
    call.args.emplace_back(piece);
    for (const Argument &argument : function.args().drop_front())
      call.args.push_back(Actual::copyOf(function, argument));
    for (const NamedArgument &argument : function.kwargs())
      call.kwargs.push_back({argument.name.str(), Actual::copyOf(function, argument.value)});
    return at_.call(call);
  }

  Node *reduced(Node *piece) {
    at_.standFor({region_.launch});
    Node *launch = at_.call(region_.launch->target().str(), argumentsWith(*region_.launch, piece));
    copyOrdering(graph_, *region_.launch, launch);
    return launch;
  }

  /// Removes the region, readers first. The result of the region is the first node of the entry on both sides.
  void finish(Node *whole) {
    const std::string name = region_.wait->name().str().str();
    entry_.built.push_back(whole);
    for (Node *node : at_.made())
      if (node != whole)
        entry_.built.push_back(node);
    entry_.matched = {region_.wait, region_.launch};
    for (Node *function : llvm::reverse(region_.moves))
      entry_.matched.push_back(function);
    entry_.matched.push_back(region_.products.front());
    for (Node *node : entry_.matched)
      graph_.erase(node);
    graph_.rename(whole, name);
  }

  Graph &graph_;
  const ChunkRegion &region_;
  RuleEntry &entry_;
  GraphBuilder at_;
};

} // namespace

ChunkMatch matchColumnRegion(RegionFacts &facts, Node *launch) {
  const int64_t ranks = facts.ranks(*launch).value_or(2);
  const bool reduces = isFunctional(*launch, CollectiveKind::AllReduce) ||
                       (isFunctional(*launch, CollectiveKind::ReduceScatter) && facts.ranks(*launch));
  Node *wait = reduces && ranks > 1 ? onlyWait(*launch) : nullptr;
  if (!wait || !isDense(*launch->operand(0)) || !isDense(*wait))
    return {};
  ChunkRegion region{.kind = ChunkRegion::Kind::ReduceColumns, .launch = launch, .wait = wait};
  Node *sent = launch->operand(0), *reader = launch;
  for (; onlyReader(*sent) == reader && isElementFunction(*sent); sent = sent->operand(0)) {
    region.moves.push_back(sent);
    reader = sent;
  }
  if (onlyReader(*sent) != reader || !isColumnProduct(*sent))
    return {std::nullopt, sent};
  std::reverse(region.moves.begin(), region.moves.end());
  region.products = {sent};
  region.rows = sent->type()->sizes()[1].value();
  return {std::move(region), nullptr};
}

ChunkMatch matchAnyRegion(RegionFacts &facts, Node *launch) {
  ChunkMatch rows = matchChunkRegion(facts, launch);
  if (rows.region)
    return rows;
  ChunkMatch columns = matchColumnRegion(facts, launch);
  return columns.region || columns.entangled ? columns : rows;
}

void buildColumnPieces(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry) {
  ColumnBuilder(graph, region, entry).run(pieces);
}

} // namespace ccgraph

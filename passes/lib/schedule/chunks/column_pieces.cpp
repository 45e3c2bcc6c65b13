// Cuts regions of columns:
//
//   p = mm(x, b); c = cast(p); s = reduce_scatter(c); w = wait(s)           the same for all_reduce
//   ->  p_k = mm(x, columns k of b); c_k = cast(p_k); s_k = reduce_scatter(c_k); w = cat(wait(s_k), 1)
//   g = all_gather(x); w = wait(g); t = transposed(w); p = mm(a, t)
//   ->  g_k = all_gather(rows k of x); w_k = wait(g_k); p_k = mm(a, transposed(w_k)); p = the columns of all p_k
//
//   p = mm(x, b); v = view(p, [s0, s1, C]); s = all_reduce(v); w = wait(s)
//   ->  p_k = mm(x, columns k of b); s_k = all_reduce(p_k); w = view(cat(wait(s_k), 1), [s0, s1, C])
//
// The columns of b and the rows of x are views, so nothing is copied before a product. Only the results are put
// together by a copy, and so is w if other nodes read it.
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/int_list.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/chunk_region.h"
#include "schedule/chunks/row_movements.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

/// Builds the pieces of one region.
class ColumnBuilder {
  using Pieces = llvm::SmallVector<Node *, 4>;

public:
  ColumnBuilder(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry)
      : graph_(graph), region_(region), pieces_(pieces), entry_(entry), at_(graph, region.launch) {
    entry_.name = "equal-pieces";
    if (region.hasSymbolicColumns)
      at_.assumeTypes();
  }

  void run() {
    if (region_.gathers())
      cutGather();
    else
      cutReduce();
  }

private:
  /// Views give rows another shape. The pieces are matrices, and the whole gets the shape.
  static bool isView(const Node *move) { return isSymbolicView(*move); }

  void cutReduce() {
    for (int64_t from = 0; const int64_t count : pieces_) {
      launches_.push_back(launched(sent(from, count)));
      from += count;
    }
    Pieces parts;
    at_.setPosition(region_.wait);
    for (Node *launch : launches_)
      parts.push_back(waited(launch));
    Node *whole = at_.call("aten.cat.default", {Actual::nodes(parts), 1});
    for (const Node *move : llvm::make_filter_range(region_.moves, isView))
      whole = at_.call(move->target().str(), argumentsWith(*move, whole));
    replace(region_.wait, whole);
    finish();
    graph_.rename(whole, nameOf_);
  }

  void cutGather() {
    Node *product = region_.products.front();
    for (int64_t from = 0; const int64_t count : pieces_) {
      at_.setPosition(region_.launch);
      at_.standFor({region_.launch});
      launches_.push_back(launched(at_.call("aten.slice.Tensor", {region_.launch->operand(0), 0, from, from + count})));
      from += count;
    }
    Pieces parts, products;
    at_.setPosition(product);
    for (Node *launch : launches_) {
      parts.push_back(waited(launch));
      products.push_back(multiplied(parts.back()));
    }
    at_.standFor({product});
    const Dim &rows = product->type()->sizes()[0];
    replace(product, joined(products, {rows.isStatic() ? rows.value() : -1}, {}));
    if (!region_.kept.empty())
      joinGathered(parts);
    finish();
  }

  /// Puts the gathered value together for its other readers.
  void joinGathered(llvm::ArrayRef<Node *> parts) {
    const Node *move = region_.moves.front();
    Node *first = nullptr;
    for (const Use &use : region_.wait->uses())
      if (use.user() != move && (!first || use.user()->isBefore(first)))
        first = use.user();
    at_.setPosition(first);
    at_.standFor({region_.wait});
    replace(region_.wait, joined(parts, {}, {region_.columns}));
  }

  /// Returns the pieces put together, of which each has the same elements of each block along one dimension, between
  /// dimensions of these sizes.
  Node *joined(llvm::ArrayRef<Node *> parts, const IntList &before, const IntList &after) {
    auto sizes = [&](llvm::ArrayRef<int64_t> blocks) {
      IntList all = before;
      all.append(blocks.begin(), blocks.end());
      all.append(after.begin(), after.end());
      return Actual::integers(all);
    };
    std::vector<Node *> blocks;
    for (size_t i = 0; i < parts.size(); ++i)
      blocks.push_back(at_.call("aten.view.default", {parts[i], sizes({region_.blocks, pieces_[i]})}));
    Node *whole = at_.call("aten.cat.default", {Actual::nodes(blocks), static_cast<int64_t>(before.size()) + 1});
    return at_.call("aten.view.default", {whole, sizes({region_.blocks * region_.rows})});
  }

  /// Returns the product of the first operand and a gathered piece.
  Node *multiplied(Node *part) {
    Node *product = region_.products.front();
    at_.standFor({region_.moves.front()});
    Node *columns = at_.call("aten.permute.default", {part, Actual::integers({1, 0})});
    at_.standFor({product});
    return at_.call(product->target().str(), {product->operand(0), columns});
  }

  /// Returns what a piece of these columns sends.
  Node *sent(int64_t from, int64_t count) {
    Node *product = region_.products.front();
    at_.setPosition(region_.launch);
    at_.standFor({product});
    Node *columns = at_.call("aten.slice.Tensor", {product->operand(1), 1, from, from + count});
    Node *piece = at_.call(product->target().str(), {product->operand(0), columns});
    for (Node *move : region_.moves)
      piece = isView(move) ? piece : functionOf(*move, piece, count);
    return piece;
  }

  /// Returns the same function of the elements of a piece.
  Node *functionOf(Node &function, Node *piece, int64_t columns) {
    at_.standFor({&function});
    const Dim sizes[] = {region_.products.front()->type()->sizes()[0], Dim(columns)};
    const Type *type = graph_.context().contiguousTensor(function.type()->dtype(), sizes, function.type()->device());
    auto operandFor = [&](size_t argument) {
      return argument == 0 ? piece : function.operand(function.args()[argument]);
    };
    return callLike(at_, function, type, operandFor);
  }

  Node *launched(Node *piece) {
    at_.standFor({region_.launch});
    Node *launch = at_.call(region_.launch->target().str(), argumentsWith(*region_.launch, piece));
    copyOrdering(graph_, *region_.launch, launch);
    return launch;
  }

  Node *waited(Node *launch) {
    at_.standFor({region_.wait});
    return waitLike(at_, launch, *region_.wait);
  }

  /// Gives the readers of a value another one. The value is erased later.
  void replace(Node *was, Node *now) {
    entry_.matched.push_back(was);
    entry_.built.push_back(now);
    graph_.replaceAllUses(was, now);
  }

  /// Removes the region. Its values are the first nodes of the entry on both sides, and its launch is the next one.
  void finish() {
    // A node that was ordered after the collective relied on all of it.
    graph_.replaceAllUses(region_.launch, launches_.back());
    nameOf_ = region_.wait->name().str().str();
    eraseMatched(graph_, region_.nodes(), at_.made(), entry_);
  }

  Graph &graph_;
  const ChunkRegion &region_;
  llvm::ArrayRef<int64_t> pieces_;
  RuleEntry &entry_;
  GraphBuilder at_;
  Pieces launches_;
  std::string nameOf_; ///< of the wait that is gone
};

} // namespace

void buildColumnPieces(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry) {
  ColumnBuilder(graph, region, pieces, entry).run();
}

} // namespace ccgraph

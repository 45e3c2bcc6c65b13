#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/int_list.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/row_functions.h"
#include "schedule/chunks/row_region.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {

namespace {

/// Builds the pieces of one region.
class RowPieces {
public:
  RowPieces(const CostModel &cost, Graph &graph, const RowRegion &region, int64_t pieces, RuleEntry &entry)
      : cost_(cost), graph_(graph), region_(region), pieces_(pieces), entry_(entry), at_(graph) {
    entry_.name = "equal-pieces";
  }

  void run() {
    for (const RowRegion::Stage &stage : region_.stages) {
      at_.setPosition(stage.position);
      for (int64_t piece = 0; piece < pieces_; ++piece)
        cut(stage, piece);
      for (Node *result : stage.results)
        join(result);
      for (Node *total : stage.totals)
        add(total);
    }
    finish();
  }

private:
  [[nodiscard]] int64_t rowsOfPiece() const { return region_.rows / pieces_; }

  /// Computes one piece of all functions and totals of a stage.
  void cut(const RowRegion::Stage &stage, int64_t piece) {
    rows_.clear();
    for (Node *function : stage.functions) {
      at_.standFor(sourcesOfPiece(function, stage.functions, cost_));
      parts_[function].push_back(pieceOf(*function, piece, typeOfPiece(*function)));
    }
    for (Node *loss : stage.losses)
      cutTotal(loss, piece);
    for (Node *total : stage.totals)
      cutTotal(total, piece);
  }

  void cutTotal(Node *total, int64_t piece) {
    at_.standFor({total});
    parts_[total].push_back(pieceOf(*total, piece, total->type()));
  }

  [[nodiscard]] const Type *typeOfPiece(const Node &function) const {
    IntList sizes = *staticDims(function.type()->sizes());
    sizes[sizes.size() - 2] = rowsOfPiece();
    return at_.tensorLike(*function.type(), sizes);
  }

  Node *pieceOf(const Node &node, int64_t piece, const Type *type) {
    return callLike(at_, node, type, [&](size_t argument) { return operandOf(node, argument, piece); });
  }

  /// Returns the piece of a value of the region, all of a total, the rows of another value, or the value itself if it
  /// is the same for every row.
  Node *operandOf(const Node &node, size_t index, int64_t piece) {
    Node *operand = node.operand(node.args()[index]);
    if (auto total = totals_.find(operand); total != totals_.end())
      return total->second;
    if (auto parts = parts_.find(operand); parts != parts_.end())
      return parts->second[piece];
    if (isNumberOfEachRow(node, index))
      return rowsOf(operand, 0, piece);
    const size_t rank = operand->type()->sizes().size();
    return rank < 2 ? operand : rowsOf(operand, static_cast<int64_t>(rank) - 2, piece);
  }

  Node *rowsOf(Node *value, int64_t dim, int64_t piece) {
    Node *&rows = rows_[value];
    const int64_t from = piece * rowsOfPiece();
    if (!rows)
      rows = at_.call("aten.slice.Tensor", {value, dim, from, from + rowsOfPiece()});
    return rows;
  }

  /// Puts the pieces of a value together.
  void join(Node *result) {
    at_.standFor({result});
    const auto dim = static_cast<int64_t>(result->type()->sizes().size()) - 2;
    wholes_.emplace_back(result, at_.call("aten.cat.default", {Actual::nodes(parts_.find(result)->second), dim}));
  }

  /// Adds the totals of the pieces. All pieces have as many elements, so the mean of their means is the mean.
  void add(Node *total) {
    at_.standFor({total});
    Node *sum = nullptr;
    for (Node *part : parts_.find(total)->second)
      sum = sum ? at_.call("aten.add.Tensor", {sum, part}, total->type()) : part;
    if (total->op()->target.str() == "aten.mean.default")
      sum = at_.call("aten.div.Tensor", {sum, pieces_}, total->type());
    totals_[total] = sum;
    wholes_.emplace_back(total, sum);
  }

  /// Gives the readers of each value another one, and removes the region.
  void finish() {
    const llvm::SmallVector<Node *, 16> gone = region_.nodes();
    for (auto [was, now] : wholes_) {
      if (llvm::all_of(was->uses(), [&](const Use &use) { return llvm::is_contained(gone, use.user()); }))
        continue;
      entry_.matched.push_back(was);
      entry_.built.push_back(now);
      graph_.replaceAllUses(was, now);
    }
    eraseMatched(graph_, gone, at_.made(), entry_);
  }

  const CostModel &cost_;
  Graph &graph_;
  const RowRegion &region_;
  int64_t pieces_;
  RuleEntry &entry_;
  GraphBuilder at_;
  llvm::DenseMap<const Node *, Node *> rows_; ///< slices of the present piece; looked up only
  /// the pieces of each function and total; looked up only
  llvm::DenseMap<const Node *, llvm::SmallVector<Node *, 8>> parts_;
  llvm::DenseMap<const Node *, Node *> totals_; ///< the sums of their pieces; looked up only
  /// results and totals, and what replaces them
  llvm::SmallVector<std::pair<Node *, Node *>, 4> wholes_;
};

} // namespace

void buildRowPieces(const CostModel &cost, Graph &graph, const RowRegion &region, int64_t pieces, RuleEntry &entry) {
  RowPieces(cost, graph, region, pieces, entry).run();
}

} // namespace ccgraph

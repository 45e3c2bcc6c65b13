#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/chunk_region.h"

namespace ccgraph {

namespace {

/// Builds the pieces of one region.
class PieceBuilder {
public:
  PieceBuilder(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry)
      : graph_(graph), region_(region), pieces_(pieces), entry_(entry), at_(graph, region.launch) {}

  void run() {
    entry_.name = "equal-pieces";
    region_.gathers() ? cutGather() : cutReduce();
    llvm::SmallVector<Node *, 16> others(at_.made().begin(), at_.made().end());
    llvm::erase_if(others, [&](Node *node) { return llvm::is_contained(entry_.built, node); });
    // A node that was ordered after the collective relied on all of it.
    auto last = llvm::find_if(llvm::reverse(others), [](const Node *node) { return collectiveOf(*node) != nullptr; });
    graph_.replaceAllUses(region_.launch, *last);
    entry_.built.insert(entry_.built.end(), others.begin(), others.end());
    entry_.matched.push_back(region_.launch);
    for (Node *node : gone_) {
      if (!llvm::is_contained(entry_.matched, node))
        entry_.matched.push_back(node);
      graph_.erase(node);
    }
    for (auto &[node, name] : names_)
      graph_.rename(node, name);
  }

private:
  /// All nodes of a piece stand for `source`, and are inserted before `position`.
  void begin(Node *position, Node *source) {
    at_.setPosition(position);
    at_.standFor({source});
  }

  Node *exchange(Node *value) {
    Node *launch = at_.call(region_.launch->target().str(), argumentsWith(*region_.launch, value));
    copyOrdering(graph_, *region_.launch, launch);
    return launch;
  }

  /// Returns rows [from, from + count) of each block of a matrix, as a matrix without gaps.
  Node *rowsOfBlocks(Node *matrix, int64_t from, int64_t count) {
    const int64_t columns = matrix->type()->sizes()[1].value();
    if (region_.blocks == 1)
      return at_.call("aten.slice.Tensor", {matrix, 0, from, from + count});
    Node *blocks = at_.call("aten.view.default", {matrix, Actual::integers({region_.blocks, region_.rows, columns})});
    Node *part = at_.call("aten.slice.Tensor", {blocks, 1, from, from + count});
    return at_.call("aten.reshape.default", {part, Actual::integers({region_.blocks * count, columns})});
  }

  /// Puts the rows of each block together; the inverse of rowsOfBlocks.
  Node *joined(llvm::ArrayRef<Node *> parts) {
    const int64_t columns = parts[0]->type()->sizes()[1].value();
    std::vector<Node *> blocks;
    for (size_t i = 0; i < parts.size(); ++i)
      blocks.push_back(
          at_.call("aten.view.default", {parts[i], Actual::integers({region_.blocks, pieces_[i], columns})}));
    Node *whole = at_.call("aten.cat.default", {Actual::nodes(blocks), 1});
    return at_.call("aten.view.default", {whole, Actual::integers({region_.blocks * region_.rows, columns})});
  }

  Node *productLike(const Node &product, Node *rows) {
    return at_.call(product.target().str(), {rows, product.operand(1)});
  }

  void hoistOperands();
  void cutGather();
  void cutReduce();
  [[nodiscard]] Node *rowsOfInput();
  [[nodiscard]] llvm::SmallVector<Node *, 4> gatherPieces();
  void gatherWhole();
  void replace(Node *was, Node *now);

  Graph &graph_;
  const ChunkRegion &region_;
  llvm::ArrayRef<int64_t> pieces_;
  RuleEntry &entry_;
  GraphBuilder at_;
  llvm::SmallVector<Node *, 8> gone_; ///< readers first
  /// nodes that get the name of one that is gone
  llvm::SmallVector<std::pair<Node *, std::string>, 4> names_;
};

/// Moves what the products read before the anchor.
void PieceBuilder::hoistOperands() {
  for (Node *product : region_.products) {
    const auto nodes = computedAfter(product->operand(1), region_.anchor);
    for (Node *node : *nodes)
      graph_.moveBefore(node, region_.anchor);
  }
}

/// Returns the input of the all_gather as a matrix.
Node *PieceBuilder::rowsOfInput() {
  Node *input = region_.launch->operand(0);
  if (input->type()->sizes().size() == 2 && input->type()->sizes()[1] == Dim(region_.columns))
    return input;
  return at_.call("aten.view.default", {input, Actual::integers({region_.rows, region_.columns})});
}

llvm::SmallVector<Node *, 4> PieceBuilder::gatherPieces() {
  begin(region_.launch, region_.launch);
  Node *input = rowsOfInput();
  llvm::SmallVector<Node *, 4> launches;
  int64_t from = 0;
  for (int64_t count : pieces_) {
    launches.push_back(exchange(at_.call("aten.slice.Tensor", {input, 0, from, from + count})));
    from += count;
  }
  return launches;
}

void PieceBuilder::cutGather() {
  hoistOperands();
  llvm::SmallVector<Node *, 4> launches = gatherPieces();
  std::vector<std::vector<Node *>> parts(region_.products.size());
  for (Node *launch : launches) {
    begin(region_.anchor, region_.wait);
    Node *rows = waitLike(at_, launch, *region_.wait);
    for (size_t i = 0; i < parts.size(); ++i) {
      at_.standFor({region_.products[i]});
      parts[i].push_back(productLike(*region_.products[i], rows));
    }
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    Node *product = region_.products[i];
    begin(region_.anchor, product);
    Node *result = joined(parts[i]);
    entry_.matched.push_back(product);
    entry_.built.push_back(result);
    graph_.replaceAllUses(product, result);
    gone_.push_back(product);
  }
  if (!region_.kept.empty())
    gatherWhole();
  for (Node *move : llvm::reverse(region_.moves))
    gone_.push_back(move);
  gone_.append({region_.wait, region_.launch});
}

/// Gathers the whole value for its other readers, and repeats the movements that lead to them. What is repeated has the
/// same names.
void PieceBuilder::gatherWhole() {
  begin(region_.launch, region_.launch);
  llvm::SmallVector<std::pair<Node *, Node *>, 8> made = {{region_.launch, exchange(region_.launch->operand(0))}};
  llvm::SmallVector<Node *, 8> needed(region_.kept.begin(), region_.kept.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Node *operand : needed[i]->dataOperands())
      if (needed[i] != region_.wait && !llvm::is_contained(needed, operand))
        needed.push_back(operand);
  if (!llvm::is_contained(needed, region_.wait))
    needed.push_back(region_.wait);
  llvm::sort(needed, [](const Node *a, const Node *b) { return a->isBefore(b); });
  for (Node *node : needed) {
    begin(node, node);
    std::vector<Actual> arguments;
    for (const Argument &argument : node->args())
      arguments.push_back(Actual::copyOf(*node, argument));
    Node *again = at_.call(node->target().str(), std::move(arguments), node->type());
    for (unsigned i = 0; i < again->numOperands(); ++i)
      for (auto [was, now] : made)
        if (again->operand(i) == was)
          graph_.setOperand(again, i, now);
    made.push_back({node, again});
    names_.emplace_back(again, node->name().str().str());
  }
  for (auto [was, now] : llvm::makeArrayRef(made).drop_front())
    if (llvm::is_contained(region_.kept, was))
      replace(was, now);
}

void PieceBuilder::cutReduce() {
  Node *product = region_.products.front();
  llvm::SmallVector<Node *, 4> launches;
  int64_t from = 0;
  for (int64_t count : pieces_) {
    begin(region_.launch, region_.wait);
    Node *rows = rowsOfBlocks(product->operand(0), from, count);
    at_.standFor({product});
    Node *part = productLike(*product, rows);
    at_.standFor({region_.launch});
    launches.push_back(exchange(part));
    from += count;
  }
  begin(region_.wait, region_.wait);
  std::vector<Node *> parts;
  for (Node *launch : launches)
    parts.push_back(waitLike(at_, launch, *region_.wait));
  Node *whole = at_.call("aten.cat.default", {Actual::nodes(parts), 0});
  IntList sizes = *staticDims(region_.wait->type()->sizes());
  if (sizes.size() != 2)
    whole = at_.call("aten.view.default", {whole, Actual::integers(sizes)});
  replace(region_.wait, whole);
  names_.emplace_back(whole, region_.wait->name().str().str());
  gone_.append({region_.wait, region_.launch});
  for (Node *move : llvm::reverse(region_.moves))
    gone_.push_back(move);
  gone_.push_back(product);
}

/// Gives the readers of a value another one. The value is erased later.
void PieceBuilder::replace(Node *was, Node *now) {
  entry_.matched.push_back(was);
  entry_.built.push_back(now);
  graph_.replaceAllUses(was, now);
}

} // namespace

void buildPieces(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry) {
  PieceBuilder(graph, region, pieces, entry).run();
}

} // namespace ccgraph

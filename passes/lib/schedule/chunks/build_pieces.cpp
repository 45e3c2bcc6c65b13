#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/chunk_chain.h"
#include "schedule/chunks/piece_rows.h"
#include "schedule/chunks/row_functions.h"
#include "schedule/chunks/row_movements.h"
#include "schedule/chunks/symbolic_cut.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {

namespace {

/// Builds the pieces of one region, or of a chain.
class PieceBuilder {
  using Pieces = llvm::SmallVector<Node *, 4>;

public:
  PieceBuilder(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry)
      : graph_(graph), region_(&region), pieces_(pieces), entry_(entry), at_(graph, region.launch),
        ends_(pieces, region.symbolicRows != nullptr), rows_(at_, ends_, pieces_) {
    entry_.name = "equal-pieces";
    if (region.symbolicRows)
      at_.assumeTypes();
  }

  void run() {
    if (region_->gathers()) {
      cutGather();
      for (Node *product : region_->products)
        joinProduct(product);
      gatherWhole();
    } else {
      cutReduce();
      joinReduced();
    }
    replaceLaunch(region_->launch);
    finish();
  }

  void run(const ChunkChain &chain, const ChunkChoice &choice, const CostModel &cost);

private:
  /// A node that was ordered after the collective relied on all of it.
  void replaceLaunch(Node *launch) { graph_.replaceAllUses(launch, last_.find(launch)->second); }

  void finish() {
    for (Node *node : llvm::reverse(gone_))
      if (node->op() && collectiveOf(*node))
        entry_.matched.push_back(node);
    eraseMatched(graph_, gone_, at_.made(), entry_);
    for (auto &[node, name] : names_)
      graph_.rename(node, name);
  }

  /// All nodes of a piece stand for `source`, and are inserted before `position`, or before the end of a chain.
  void begin(Node *position, llvm::ArrayRef<Node *> sources) {
    at_.setPosition(end_ ? end_ : position);
    at_.standFor(sources);
  }

  Node *exchange(Node *value) {
    Node *launch = at_.call(region_->launch->target().str(), argumentsWith(*region_->launch, value));
    copyOrdering(graph_, *region_->launch, launch);
    last_[region_->launch] = launch;
    return launch;
  }

  /// Returns a size of a view that counts so many rows: of symbolic rows, the size that the others leave.
  [[nodiscard]] int64_t counted(int64_t rows) const { return region_->symbolicRows ? -1 : rows; }

  /// Puts the pieces of a product together.
  Node *joined(llvm::ArrayRef<Node *> parts) {
    return rows_.join(*region_, parts,
                      {counted(region_->blocks * region_->rows), parts[0]->type()->sizes()[1].value()});
  }

  Node *productLike(const Node &product, Node *rows) {
    return at_.call(product.target().str(), {rows, product.operand(1)});
  }

  void hoistOperands();
  void gather(Node *input, size_t piece);
  void multiplyGathered(size_t piece);
  void removeGather();
  void cutGather();
  void multiplyToReduce(size_t piece);
  void reduce(size_t piece);
  void waitForReduced(size_t piece);
  void removeReduce();
  void cutReduce();
  void cut(const ChunkChain &chain, const ChunkStep &step, const CostModel &cost);
  void joinReduced();
  void joinProduct(Node *product);
  void joinLink(Node *link, int64_t blocks);
  void join(const ChunkChain &chain, size_t region);
  void repeat(Node *link);
  [[nodiscard]] Node *sliceOfInput(size_t piece);
  [[nodiscard]] Node *asMatrix(Node *rows, int64_t count);
  /// Returns the rows of a piece of so many blocks.
  [[nodiscard]] Dim rowsOf(size_t piece, int64_t blocks) const;
  [[nodiscard]] Node *inShapeOf(const Node &whole, Node *piece, const Dim &rows);
  void cutLinks(const ChunkChain &chain, const ChunkStep &step, const CostModel &cost);
  [[nodiscard]] const Type *typeOfPiece(const Type *whole, const Dim &rows);
  [[nodiscard]] Node *pieceOfLink(const Node &link, size_t piece, const Dim &rows);
  [[nodiscard]] Actual operandOf(Node *operand, size_t piece);
  void gatherWhole();
  void replace(Node *was, Node *now);

  Graph &graph_;
  const ChunkRegion *region_;
  Node *end_ = nullptr;    ///< of a chain
  Node *matrix_ = nullptr; ///< the input of the first all_gather, once a slice was taken
  llvm::ArrayRef<int64_t> pieces_;
  RuleEntry &entry_;
  GraphBuilder at_;
  PieceEnds ends_;
  PieceRows rows_;
  llvm::SmallVector<Node *, 8> gone_; ///< readers first
  /// nodes that get the name of one that is gone
  llvm::SmallVector<std::pair<Node *, std::string>, 4> names_;
  /// the pieces of each value that is cut, in the shape of the value; looked up only
  llvm::DenseMap<const Node *, Pieces> cut_;
  llvm::DenseMap<const Node *, Pieces> launches_; ///< by launch: those of its pieces; looked up only
  llvm::DenseMap<const Node *, Node *> last_;     ///< by launch: the last one that was made of it; looked up only
};

/// Moves what the products read before the anchor.
void PieceBuilder::hoistOperands() {
  for (Node *product : region_->products) {
    Node *position = end_ ? end_ : region_->anchor;
    const auto nodes = computedAfter(product->operand(1), position);
    for (Node *node : *nodes)
      graph_.moveBefore(node, position);
  }
}

/// Returns rows of the input of the all_gather as a matrix.
Node *PieceBuilder::asMatrix(Node *rows, int64_t count) {
  if (rows->type()->sizes().size() == 2 && rows->type()->sizes()[1] == Dim(region_->columns))
    return rows;
  return at_.call("aten.view.default", {rows, Actual::integers({counted(count), region_->columns})});
}

/// Returns the rows of a piece of the input of the all_gather.
Node *PieceBuilder::sliceOfInput(size_t piece) {
  begin(region_->launch, region_->launch);
  if (!matrix_)
    matrix_ = asMatrix(region_->launch->operand(0), region_->rows);
  return ends_.slice(at_, matrix_, 0, piece);
}

/// Gathers a piece of these rows.
void PieceBuilder::gather(Node *input, size_t piece) {
  begin(region_->launch, region_->launch);
  launches_[region_->launch].push_back(exchange(asMatrix(input, pieces_[piece])));
}

/// Waits for a gathered piece, and multiplies it.
void PieceBuilder::multiplyGathered(size_t piece) {
  begin(region_->anchor, region_->wait);
  Node *rows = waitLike(at_, launches_.find(region_->launch)->second[piece], *region_->wait);
  for (Node *product : region_->products) {
    at_.standFor({product});
    cut_[product].push_back(productLike(*product, rows));
  }
}

/// Notes the nodes of a region that gathers, readers first.
void PieceBuilder::removeGather() {
  gone_.append(region_->products.begin(), region_->products.end());
  for (Node *move : llvm::reverse(region_->moves))
    gone_.push_back(move);
  gone_.append({region_->wait, region_->launch});
}

void PieceBuilder::cutGather() {
  hoistOperands();
  for (size_t i = 0; i < pieces_.size(); ++i)
    gather(sliceOfInput(i), i);
  for (size_t i = 0; i < pieces_.size(); ++i)
    multiplyGathered(i);
  removeGather();
}

/// Puts the pieces of a product of gathered rows together.
void PieceBuilder::joinProduct(Node *product) {
  begin(region_->anchor, product);
  replace(product, joined(cut_.find(product)->second));
}

/// Gathers the whole value for its other readers, and repeats the movements that lead to them. What is repeated has the
/// same names.
void PieceBuilder::gatherWhole() {
  if (region_->kept.empty())
    return;
  begin(region_->launch, region_->launch);
  llvm::SmallVector<std::pair<Node *, Node *>, 8> made = {{region_->launch, exchange(region_->launch->operand(0))}};
  llvm::SmallVector<Node *, 8> needed(region_->kept.begin(), region_->kept.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Node *operand : needed[i]->dataOperands())
      if (needed[i] != region_->wait && !llvm::is_contained(needed, operand) && !isSize(operand))
        needed.push_back(operand);
  if (!llvm::is_contained(needed, region_->wait))
    needed.push_back(region_->wait);
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
    if (llvm::is_contained(region_->kept, was))
      replace(was, now);
}

/// Multiplies a piece. The rows of the product are cut already in a chain.
void PieceBuilder::multiplyToReduce(size_t piece) {
  Node *product = region_->products.front();
  auto cut = cut_.find(product->operand(0));
  begin(region_->launch, region_->wait);
  Node *rows = cut != cut_.end() ? cut->second[piece] : rows_.take(*region_, product->operand(0), piece);
  at_.standFor({product});
  cut_[product].push_back(productLike(*product, rows));
}

/// Reduces a piece of the product.
void PieceBuilder::reduce(size_t piece) {
  begin(region_->launch, region_->launch);
  launches_[region_->launch].push_back(exchange(cut_.find(region_->products.front())->second[piece]));
}

void PieceBuilder::waitForReduced(size_t piece) {
  begin(region_->wait, region_->wait);
  cut_[region_->wait].push_back(waitLike(at_, launches_.find(region_->launch)->second[piece], *region_->wait));
}

/// Notes the nodes of a region that reduces, readers first.
void PieceBuilder::removeReduce() {
  gone_.append({region_->wait, region_->launch});
  for (Node *move : llvm::reverse(region_->moves))
    gone_.push_back(move);
  gone_.push_back(region_->products.front());
}

void PieceBuilder::cutReduce() {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    multiplyToReduce(i);
    reduce(i);
  }
  for (size_t i = 0; i < pieces_.size(); ++i)
    waitForReduced(i);
  removeReduce();
}

/// Returns the sizes for a view: -1 for one that is an expression, which the others leave.
IntList sizesOf(const Node &value) {
  IntList sizes;
  for (const Dim &size : value.type()->sizes())
    sizes.push_back(size.isStatic() ? size.value() : -1);
  return sizes;
}

/// Puts the reduced pieces together for the readers of the wait.
void PieceBuilder::joinReduced() {
  begin(region_->wait, region_->wait);
  const Pieces &parts = cut_.find(region_->wait)->second;
  Node *whole = at_.call("aten.cat.default", {Actual::nodes(parts), 0});
  const IntList sizes = sizesOf(*region_->wait);
  if (sizes.size() != 2)
    whole = at_.call("aten.view.default", {whole, Actual::integers(sizes)});
  replace(region_->wait, whole);
  names_.emplace_back(whole, region_->wait->name().str().str());
}

/// Returns the sizes for a view of so many rows, which are all in the dimension before the last one.
IntList sizesWithRows(const Node &value, const Dim &rows) {
  IntList sizes(value.type()->sizes().size(), 1);
  sizes[sizes.size() - 2] = rows.isStatic() ? rows.value() : -1;
  sizes.back() = value.type()->sizes().back().value();
  return sizes;
}

/// Returns a piece, which is a matrix, with the dimensions of the whole.
Node *PieceBuilder::inShapeOf(const Node &whole, Node *piece, const Dim &rows) {
  if (whole.type()->sizes().size() == 2)
    return piece;
  return at_.call("aten.view.default", {piece, Actual::integers(sizesWithRows(whole, rows))});
}

Dim PieceBuilder::rowsOf(size_t piece, int64_t blocks) const {
  const Dim rows = region_->symbolicRows ? rowsOfPiece(*region_, pieces_, piece) : Dim(pieces_[piece]);
  return multiply(graph_.context(), Dim(blocks), rows);
}

/// Returns the operand of a piece: the piece of a value that is cut, the rows of another value, or the same value for
/// every piece.
Actual PieceBuilder::operandOf(Node *operand, size_t piece) {
  if (auto cut = cut_.find(operand); cut != cut_.end())
    return operand == region_->wait ? inShapeOf(*operand, cut->second[piece], rowsOf(piece, 1)) : cut->second[piece];
  const size_t rank = operand->type()->sizes().size();
  if (rank < 2)
    return operand;
  if (!hasOneSequence(*operand))
    operand = at_.call("aten.view.default", {operand, Actual::integers(sizesWithRows(*operand, Dim(region_->rows)))});
  return ends_.slice(at_, operand, static_cast<int64_t>(rank) - 2, piece);
}

/// Returns the type of a piece; null if the link has none.
const Type *PieceBuilder::typeOfPiece(const Type *whole, const Dim &rows) {
  if (!whole)
    return nullptr;
  if (!whole->isTensor()) {
    llvm::SmallVector<const Type *, 4> elements;
    for (const Type *element : whole->elements())
      elements.push_back(typeOfPiece(element, rows));
    return graph_.context().list(elements);
  }
  DimList sizes(whole->sizes().size(), Dim(1));
  sizes[sizes.size() - 2] = rows;
  sizes.back() = whole->sizes().back();
  return graph_.context().contiguousTensor(whole->dtype(), sizes, whole->device());
}

Node *PieceBuilder::pieceOfLink(const Node &link, size_t piece, const Dim &rows) {
  if (isRowView(link))
    return at_.call("aten.view.default",
                    {operandOf(link.operand(0), piece), Actual::integers(sizesWithRows(link, rows))});
  auto operandFor = [&](size_t argument) { return operandOf(link.operand(link.args()[argument]), piece); };
  return callLike(at_, link, typeOfPiece(link.type(), rows), operandFor);
}

/// Puts the pieces of a link together for its other readers.
void PieceBuilder::joinLink(Node *link, int64_t blocks) {
  begin(link, link);
  const Pieces &parts = cut_.find(link)->second;
  const IntList sizes = sizesOf(*link);
  if (blocks > 1)
    return replace(link, rows_.join(*region_, parts, sizes));
  Node *whole = at_.call("aten.cat.default", {Actual::nodes(parts), static_cast<int64_t>(sizes.size()) - 2});
  if (!hasOneSequence(*link))
    whole = at_.call("aten.view.default", {whole, Actual::integers(sizes)});
  replace(link, whole);
}

/// Returns the nodes that a piece of a link stands for.
llvm::SmallVector<Node *, 2> sourcesOf(Node *link, const ChunkChain &chain, const CostModel &cost) {
  llvm::SmallVector<Node *, 16> links;
  for (const auto &some : chain.links)
    llvm::append_range(links, some);
  return sourcesOfPiece(link, links, cost);
}

/// Cuts the links after a region.
void PieceBuilder::cutLinks(const ChunkChain &chain, const ChunkStep &step, const CostModel &cost) {
  const size_t region = step.stage / 3;
  const Dim rows = rowsOf(step.piece, chain.blocksAfter(region));
  for (Node *link : chain.links[region]) {
    begin(link, sourcesOf(link, chain, cost));
    cut_[link].push_back(pieceOfLink(*link, step.piece, rows));
  }
}

/// Computes a link whole. Its operands are whole values by now.
void PieceBuilder::repeat(Node *link) {
  begin(link, link);
  Node *again =
      callLike(at_, *link, link->type(), [&](size_t argument) { return link->operand(link->args()[argument]); });
  names_.emplace_back(again, link->name().str().str());
  if (!llvm::is_contained(gone_, link))
    gone_.push_back(link);
  if (link->type() && link->type()->isTensor())
    replace(link, again);
  else
    graph_.replaceAllUses(link, again);
}

/// Puts together what other nodes read of a region and of the links after it.
void PieceBuilder::join(const ChunkChain &chain, size_t region) {
  region_ = &chain.regions[region];
  auto isKept = [&](Node *value) { return llvm::is_contained(chain.kept, value); };
  if (!region_->gathers() && isKept(region_->wait))
    joinReduced();
  for (Node *product : region_->products)
    if (region_->gathers() && isKept(product))
      joinProduct(product);
  for (Node *link : llvm::make_filter_range(chain.links[region], isKept))
    joinLink(link, chain.blocksAfter(region));
  for (Node *link : chain.repeated[region])
    repeat(link);
}

/// Runs a piece in a stage.
void PieceBuilder::cut(const ChunkChain &chain, const ChunkStep &step, const CostModel &cost) {
  region_ = &chain.regions[step.stage / 3];
  const size_t part = step.stage % 3;
  if (part == 2) {
    if (!region_->gathers())
      waitForReduced(step.piece);
    return cutLinks(chain, step, cost);
  }
  if (!region_->gathers())
    return part == 0 ? multiplyToReduce(step.piece) : reduce(step.piece);
  if (part == 1)
    return multiplyGathered(step.piece);
  auto input = cut_.find(region_->launch->operand(0));
  gather(input == cut_.end() ? sliceOfInput(step.piece) : input->second[step.piece], step.piece);
}

// Pieces of a value are read by the next pieces, so all is cut before the whole values are replaced. What follows the
// chain reads its last values first.
void PieceBuilder::run(const ChunkChain &chain, const ChunkChoice &choice, const CostModel &cost) {
  end_ = chain.end();
  for (const ChunkRegion &region : chain.regions) {
    region_ = &region;
    if (region.gathers())
      hoistOperands();
  }
  for (const ChunkStep &step : choice.order)
    cut(chain, step, cost);
  const size_t last = chain.regions.size() - 1;
  join(chain, last);
  for (size_t i = 0; i < last; ++i)
    join(chain, i);
  for (const ChunkRegion &region : chain.regions) {
    region_ = &region;
    if (region.gathers())
      gatherWhole();
    replaceLaunch(region.launch);
    region.gathers() ? removeGather() : removeReduce();
  }
  for (const auto &links : chain.links)
    for (Node *link : links)
      if (!llvm::is_contained(gone_, link))
        gone_.push_back(link);
  llvm::sort(gone_, [](const Node *a, const Node *b) { return b->isBefore(a); });
  finish();
}

/// Gives the readers of a value another one. The value is erased later.
void PieceBuilder::replace(Node *was, Node *now) {
  entry_.matched.push_back(was);
  entry_.built.push_back(now);
  graph_.replaceAllUses(was, now);
}

} // namespace

void buildPieces(Graph &graph, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces, RuleEntry &entry) {
  if (region.cutsColumns())
    return buildColumnPieces(graph, region, pieces, entry);
  PieceBuilder(graph, region, pieces, entry).run();
}

void buildPieces(const CostModel &cost, Graph &graph, const ChunkChain &chain, const ChunkChoice &choice,
                 RuleEntry &entry) {
  PieceBuilder(graph, chain.regions.front(), choice.pieces, entry).run(chain, choice, cost);
}

} // namespace ccgraph

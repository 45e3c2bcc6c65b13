#include "schedule/chunks/chunk_region.h"

#include "ccgraph/ir/collective.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/row_movements.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {

namespace {

/// Returns 0 if the rows are an expression.
int64_t rowsOf(const Node &value) { return value.type()->sizes()[0].value(); }
int64_t columnsOf(const Node &value) { return value.type()->sizes()[1].value(); }

/// Returns true for a matrix whose columns are a number.
bool isRowMatrix(const Node &value) {
  return hasNoGaps(value) && value.type()->sizes().size() == 2 && value.type()->sizes()[1].isStatic();
}

/// Returns the rows of each of these blocks of a matrix; empty if the rows do not divide into them.
std::optional<Dim> rowsOfBlock(const Node &matrix, int64_t blocks) {
  return divideExactly(matrix.graph()->context(), matrix.type()->sizes()[0], Dim(blocks));
}

/// Returns true if the gathered value has as many elements as the input of all ranks.
bool hasAllOf(const Node &gathered, const Node &input, int64_t ranks) {
  Context &context = gathered.graph()->context();
  return productOf(context, gathered.type()->sizes()) ==
         multiply(context, Dim(ranks), productOf(context, input.type()->sizes()));
}

/// Returns true for a product of two matrices whose rows are those of `rows`.
bool isRowProduct(const Node &node, const Node &rows) {
  return node.op() && node.op()->target.str() == "aten.mm.default" && node.kwargs().empty() &&
         node.numOperands() == 2 && node.operand(0) == &rows && node.operand(1) != &rows && isRowMatrix(node) &&
         isRowMatrix(rows);
}

/// Returns true if the node only computes, so that it may run earlier.
bool mayHoist(RegionFacts &facts, const Node *node) {
  return node->opcode() == Opcode::CallFunction && !hasOrdering(*node) && !facts.program().launches(node) &&
         !facts.program().waits(node) && facts.program().domain(node) == Domain::None && !facts.isWritten(*node) &&
         llvm::none_of(facts.program().accesses(node),
                       [&](const StorageAccess &access) { return writes(access.access) || reshapes(access.access); }) &&
         llvm::none_of(node->dataOperands(), [&](Node *operand) { return facts.isWritten(*operand); });
}

/// Returns true if all that the product reads can be computed before `anchor`, which is another product.
bool canHoist(RegionFacts &facts, Node *product, Node *anchor) {
  constexpr size_t most = 16;
  auto nodes = computedAfter(product->operand(1), anchor, most);
  return nodes &&
         llvm::all_of(*nodes, [&](Node *node) { return node != anchor && node != product && mayHoist(facts, node); });
}

bool isEarlier(const Node *a, const Node *b) { return a->isBefore(b); }

llvm::SmallVector<Node *, 8> readersOf(const Node &value) {
  llvm::SmallVector<Node *, 8> readers;
  for (const Use &use : value.uses())
    if (!use.isOrdering() && !llvm::is_contained(readers, use.user()))
      readers.push_back(use.user());
  llvm::sort(readers, isEarlier);
  return readers;
}

/// How the rows of a value that a product reads or computes are ordered, compared with those of the collective.
struct RowOrder {
  int64_t sequences = 1;
  /// consecutive elements of each block and sequence; unless there is one sequence
  int64_t elements = 0;
  friend bool operator==(const RowOrder &, const RowOrder &) = default;
};

/// Returns the order beyond a movement that is in this order on the collective's side, and that changes the order like
/// `change` if at all; empty if the rows of a block are not those of one part.
std::optional<RowOrder> beyond(const RowOrder &order, const RowMovement &movement, RowMovement::Order change,
                               int64_t blocks) {
  if (movement.order == RowMovement::Order::Same)
    return order;
  if (movement.order != change || movement.parts != blocks || order.sequences != 1)
    return std::nullopt;
  return RowOrder{movement.sequences, movement.elements};
}

/// Returns true if no row of so many columns has elements of two blocks or sequences.
bool hasWholeRows(const RowOrder &order, int64_t columns) {
  return order.sequences == 1 || order.elements % columns == 0;
}

/// Follows a gathered value through movements to the products of its rows.
class GatherMatcher {
public:
  GatherMatcher(RegionFacts &facts, Node *launch, Node *wait, int64_t ranks) : facts_(facts) {
    region_.launch = launch;
    region_.wait = wait;
    region_.blocks = ranks;
  }

  ChunkMatch match() {
    llvm::SmallVector<Node *, 4> pending = {region_.wait};
    while (!pending.empty())
      visit(pending.pop_back_val(), pending);
    llvm::sort(products_, isEarlier);
    for (Node *product : products_)
      take(product);
    if (region_.products.empty())
      return {std::nullopt, other_};
    llvm::sort(region_.moves, isEarlier);
    return {std::move(region_), nullptr};
  }

private:
  void visit(Node *value, llvm::SmallVectorImpl<Node *> &pending) {
    for (Node *reader : readersOf(*value)) {
      if (llvm::is_contained(region_.moves, reader))
        continue; // another part of the value
      std::optional<RowMovement> movement = movementFrom(*value, reader);
      std::optional<RowOrder> order;
      if (movement)
        order = beyond(orders_.lookup(value), *movement, RowMovement::Order::BySequence, region_.blocks);
      if (order) {
        llvm::append_range(region_.moves, movement->nodes);
        pending.push_back(movement->nodes.back());
        orders_[movement->nodes.back()] = *order;
      } else if (isRowProduct(*reader, *value)) {
        products_.push_back(reader);
      } else {
        keep(value, reader);
      }
    }
  }

  /// Returns true if no reader of a product so far precedes this one, so that all can be computed here.
  [[nodiscard]] bool canSinkTo(const Node *product) const {
    return llvm::all_of(region_.products, [&](const Node *earlier) {
      return llvm::all_of(readersOf(*earlier), [&](const Node *reader) { return product->isBefore(reader); });
    });
  }

  /// Cuts the product with those before it, if it has as many columns, and either these can be computed as late as it
  /// or it can be computed as early as these.
  void take(Node *product) {
    Node *rows = product->operand(0);
    bool first = region_.products.empty();
    const RowOrder order = orders_.lookup(rows);
    if (first) {
      if (!hasWholeRows(order, columnsOf(*rows)))
        return keep(rows, product);
      order_ = order;
      region_.sequences = order.sequences;
      region_.columns = columnsOf(*rows);
      region_.rows = rowsOf(*rows) / region_.blocks;
      if (std::optional<Dim> symbolic = rowsOfBlock(*rows, region_.blocks))
        region_.symbolicRows = symbolic->expr();
    }
    const bool sinks = canSinkTo(product);
    bool joins = columnsOf(*rows) == region_.columns && rowsOf(*rows) == region_.rows * region_.blocks &&
                 order == order_ && (sinks || canHoist(facts_, product, region_.anchor));
    if (!joins)
      return keep(rows, product);
    region_.products.push_back(product);
    region_.anchor = sinks ? product : region_.anchor;
  }

  void keep(Node *value, Node *reader) {
    if (!llvm::is_contained(region_.kept, value))
      region_.kept.push_back(value);
    if (!other_)
      other_ = reader;
  }

  RegionFacts &facts_;
  ChunkRegion region_;
  llvm::SmallVector<Node *, 4> products_;
  llvm::DenseMap<const Node *, RowOrder> orders_; ///< of the wait and the movements; looked up only
  RowOrder order_;                                ///< of the products' rows
  const Node *other_ = nullptr;
};

ChunkMatch matchGather(RegionFacts &facts, Node *launch, int64_t ranks) {
  Node *wait = onlyWait(*launch);
  if (!wait || !hasNoGaps(*launch->operand(0)) || !hasNoGaps(*wait) || !hasAllOf(*wait, *launch->operand(0), ranks))
    return {};
  return GatherMatcher(facts, launch, wait, ranks).match();
}

ChunkMatch matchReduce(Node *launch, int64_t blocks) {
  Node *wait = onlyWait(*launch), *sent = launch->operand(0);
  if (!wait || !hasNoGaps(*sent) || !hasNoGaps(*wait))
    return {};
  ChunkRegion region{.kind = ChunkRegion::Kind::Reduce, .launch = launch, .wait = wait};
  auto isOwn = [&](const Node *reader) { return reader == launch || llvm::is_contained(region.moves, reader); };
  auto isOnlySent = [&] { return llvm::all_of(readersOf(*sent), isOwn); };
  RowOrder order;
  while (std::optional<RowMovement> movement = isOnlySent() ? movementTo(sent) : std::nullopt) {
    const std::optional<RowOrder> before = beyond(order, *movement, RowMovement::Order::ByPart, blocks);
    if (!before)
      break;
    order = *before;
    llvm::append_range(region.moves, movement->nodes);
    sent = movement->source;
  }
  const bool isProduct = sent->numOperands() == 2 && isRowProduct(*sent, *sent->operand(0)) && isOnlySent();
  const std::optional<Dim> rows = isProduct ? rowsOfBlock(*sent, blocks) : std::nullopt;
  if (!rows || !hasWholeRows(order, columnsOf(*sent)))
    return {std::nullopt, sent};
  region.sequences = order.sequences;
  llvm::sort(region.moves, isEarlier);
  region.products = {sent};
  region.blocks = blocks;
  region.rows = rows->value();
  region.symbolicRows = rows->expr();
  region.columns = columnsOf(*sent);
  return {std::move(region), nullptr};
}

} // namespace

llvm::SmallVector<Node *, 16> ChunkRegion::nodes() const {
  llvm::SmallVector<Node *, 16> nodes = {launch, wait};
  llvm::append_range(nodes, products);
  llvm::append_range(nodes, moves);
  return nodes;
}

std::optional<llvm::SmallVector<Node *, 8>> computedAfter(Node *value, const Node *position, size_t most) {
  llvm::SmallVector<Node *, 8> nodes, pending = {value};
  while (!pending.empty()) {
    Node *node = pending.pop_back_val();
    if (node->isBefore(position) || llvm::is_contained(nodes, node))
      continue;
    if (nodes.size() == most)
      return std::nullopt;
    nodes.push_back(node);
    llvm::append_range(pending, node->dataOperands());
  }
  llvm::sort(nodes, isEarlier);
  return nodes;
}

ChunkMatch matchChunkRegion(RegionFacts &facts, Node *launch) {
  const std::optional<int64_t> ranks = facts.ranks(*launch);
  if (isFunctional(*launch, CollectiveKind::AllReduce) && ranks.value_or(2) > 1)
    return matchReduce(launch, 1);
  if (!ranks || *ranks < 2)
    return {};
  if (isFunctional(*launch, CollectiveKind::AllGather))
    return matchGather(facts, launch, *ranks);
  if (isFunctional(*launch, CollectiveKind::ReduceScatter))
    return matchReduce(launch, *ranks);
  return {};
}

std::optional<ChunkObstacle> chunkObstacle(RegionFacts &facts, const ChunkRegion &region) {
  if (!facts.spmd())
    return ChunkObstacle::NotSpmd;
  if (!isPlainCall(*region.launch))
    return ChunkObstacle::Arguments;
  if (facts.bitwise())
    return ChunkObstacle::Bitwise;
  if (region.wait->type() != region.launch->type())
    return ChunkObstacle::Type;
  if (region.kept.size() > 1 && llvm::any_of(region.kept, [&](const Node *value) { return facts.isObserved(*value); }))
    return ChunkObstacle::Observed;
  llvm::SmallVector<const Node *, 8> values = {region.launch->operand(0), region.wait};
  for (const Node *product : region.products) {
    values.append({product, product->operand(0), product->operand(1)});
    if (hasOrdering(*product))
      return ChunkObstacle::Ordered;
  }
  values.append(region.moves.begin(), region.moves.end());
  if (hasOrdering(*region.wait) || llvm::any_of(region.moves, [](const Node *move) { return hasOrdering(*move); }))
    return ChunkObstacle::Ordered;
  if (llvm::any_of(values, [&](const Node *value) { return facts.isReshaped(*value); }))
    return ChunkObstacle::Reshaped;
  // A result has memory of its own after the rewrite too, so only what the pieces read must not be written.
  llvm::SmallVector<const Node *, 8> operands = {region.launch->operand(0)};
  // Movements share the memory of what they move, and the wait of a gather is read by the products.
  if (region.gathers())
    operands.push_back(region.wait);
  operands.append(region.moves.begin(), region.moves.end());
  for (const Node *product : region.products)
    operands.append({product->operand(0), product->operand(1)});
  if (llvm::any_of(operands, [&](const Node *value) { return facts.isWritten(*value); }))
    return ChunkObstacle::Written;
  const Node *first = region.gathers() ? region.launch : region.products.front();
  const Node *last = region.gathers() ? region.products.back() : region.wait;
  return facts.isOpaqueBetween(*first, last) ? std::optional(ChunkObstacle::Opaque) : std::nullopt;
}

} // namespace ccgraph

#include "schedule/chunks/row_region.h"

#include "ccgraph/ir/dtype.h"
#include "ccgraph/ir/effects.h"
#include "rewrite/supersede.h"
#include "schedule/chunks/row_functions.h"
#include "schedule/chunks/row_movements.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

int64_t bytesOf(const Node &value) {
  return value.type() && value.type()->isTensor() ? value.type()->numBytes().value_or(0) : 0;
}

bool isEarlier(const Node *a, const Node *b) { return a->isBefore(b); }

/// Returns true for a number in f32 or f64. With fewer bits, totals of pieces would be rounded before they are added.
bool isWideNumber(const Node &node) {
  return node.type() && node.type()->isTensor() && node.type()->sizes().empty() &&
         (node.type()->dtype() == DType::F32 || node.type()->dtype() == DType::F64);
}

/// Returns true for the mean or the sum of all elements.
bool isTotal(const Node &node) {
  if (!node.op() || node.args().size() != 1 || !node.kwargs().empty() || node.numOperands() != 1)
    return false;
  const llvm::StringRef target = node.op()->target.str();
  return (target == "aten.mean.default" || target == "aten.sum.default") && isWideNumber(node);
}

/// Returns true for a loss that is the sum of one number for each row, without weights of classes.
bool isLossOfRows(const Node &node) {
  if (!node.op() || node.op()->target.str() != "aten.nll_loss_forward.default" || node.args().size() != 5 ||
      !node.kwargs().empty() || node.numOperands() != 2)
    return false;
  constexpr int64_t sum = 2;
  const Type *target = node.operand(1)->type();
  auto isTotal = [](const Use &use) {
    return !use.isOrdering() && use.user()->op() && use.user()->op()->role == OpRole::GetItem &&
           getItemIndex(*use.user()) && !use.user()->uses().empty() && isWideNumber(*use.user());
  };
  return node.args()[2].is(Argument::Kind::None) && node.args()[3].is(Argument::Kind::Int) &&
         node.args()[3].integer() == sum && target && target->isTensor() && target->sizes().size() == 1 &&
         llvm::all_of(node.uses(), isTotal);
}

/// Follows row functions from one value to those that it is computed from, and to those that are computed from it.
class RowMatcher {
public:
  RowMatcher(RegionFacts &facts, Node *seed) : facts_(facts), seed_(seed) {}

  RowMatch match() {
    if (!takeRows() || !isFunction(*seed_))
      return {std::nullopt, RowObstacle::NotRows};
    collect();
    llvm::sort(functions_, isEarlier);
    takeStages();
    takePositions();
    for (const auto &[reader, stage] : readers_)
      if (Node *position = region_.stages[stage].position; reader != position && !position->isBefore(reader))
        return {std::nullopt, RowObstacle::Entangled};
    if (std::optional<RowObstacle> obstacle = obstacleOf())
      return {std::nullopt, *obstacle};
    return {std::move(region_), {}};
  }

private:
  bool takeRows() {
    if (!isDense(*seed_) || seed_->type()->sizes().size() < 2)
      return false;
    region_.rows = seed_->type()->sizes().drop_back().back().value();
    return true;
  }

  [[nodiscard]] bool contains(const Node *node) const { return llvm::is_contained(functions_, node); }

  /// Returns true for an alias of a function that only functions read.
  [[nodiscard]] bool isInnerAlias(const Node &node) const {
    return node.op() && node.op()->target.str() == "aten.alias.default" && node.numOperands() == 1 &&
           isFunction(*node.operand(0)) && llvm::all_of(node.uses(), [&](const Use &use) {
             return !use.isOrdering() && isRowFunctionOfLoss(*use.user(), region_.rows);
           });
  }

  /// Returns true for a function of rows with a large value.
  [[nodiscard]] bool isFunction(const Node &node) const {
    constexpr int64_t part = 4;
    const bool isLarge = node.opcode() == Opcode::CallFunction && node.op() && node.op()->role != OpRole::GetItem &&
                         bytesOf(node) >= bytesOf(*seed_) / part;
    return isLarge && !isRowView(node) && (isRowFunctionOfLoss(node, region_.rows) || isInnerAlias(node));
  }

  /// Collects the nearest functions.
  void collect() {
    constexpr size_t most = 64;
    llvm::SmallVector<Node *, 8> pending = {seed_};
    functions_.push_back(seed_);
    auto add = [&](Node *node) {
      if (functions_.size() < most && !contains(node) && isFunction(*node)) {
        functions_.push_back(node);
        pending.push_back(node);
      }
    };
    while (!pending.empty()) {
      Node *node = pending.pop_back_val();
      for (Node *operand : node->dataOperands())
        add(operand);
      for (const Use &use : node->uses())
        if (!use.isOrdering())
          add(use.user());
    }
    // What reads an alias would read memory of its own in its place.
    llvm::erase_if(functions_, [&](const Node *node) {
      return isInnerAlias(*node) && !llvm::all_of(node->uses(), [&](const Use &use) { return contains(use.user()); });
    });
  }

  /// Walks the program once.
  void takeStages() {
    for (Node *node = functions_.front(); placed_ < functions_.size(); node = node->next()) {
      const std::optional<size_t> stage = stageAfter(*node);
      if (contains(node)) {
        ++placed_;
        const size_t own = stage.value_or(0);
        region_.stages.resize(std::max(region_.stages.size(), own + 1));
        region_.stages[own].functions.push_back(node);
        known_[node] = {own, own + 1};
        takeTotals(node, own);
      } else if (stage && !known_.count(node)) {
        known_[node] = {*stage, *stage};
      }
    }
    for (size_t stage = 0; stage < region_.stages.size(); ++stage)
      for (Node *function : region_.stages[stage].functions)
        takeReaders(function, stage);
  }

  /// Returns the first stage before which all is known that a node reads; empty if it reads nothing of the region.
  [[nodiscard]] std::optional<size_t> stageAfter(const Node &node) const {
    std::optional<size_t> stage;
    const bool isCut = contains(&node);
    for (const Node *operand : node.dataOperands())
      if (auto known = known_.find(operand); known != known_.end())
        stage = std::max(stage.value_or(0), isCut ? known->second.pieces : known->second.whole);
    return stage;
  }

  /// Notes the totals of a function, which are known where its stage is.
  void takeTotals(Node *function, size_t stage) {
    RowRegion::Stage &now = region_.stages[stage];
    auto add = [&](Node *total) {
      known_[total] = {stage + 1, stage + 1};
      now.totals.push_back(total);
      for (const Use &use : total->uses())
        readers_.emplace_back(use.user(), stage);
    };
    for (const Use &use : function->uses()) {
      Node *reader = use.user();
      if (use.isOrdering() || known_.count(reader))
        continue;
      if (isTotal(*reader) && !reader->uses().empty())
        add(reader);
      else if (isLossOfRows(*reader) && reader->operand(0) == function) {
        known_[reader] = {stage + 1, stage + 1};
        now.losses.push_back(reader);
        for (const Use &part : reader->uses())
          add(part.user());
      }
    }
  }

  void takeReaders(Node *function, size_t stage) {
    RowRegion::Stage &now = region_.stages[stage];
    auto isInside = [&](const Node *reader) {
      return contains(reader) || llvm::is_contained(now.totals, reader) || llvm::is_contained(now.losses, reader);
    };
    bool isResult = false;
    for (const Use &use : function->uses())
      if (use.isOrdering() || !isInside(use.user())) {
        isResult = true;
        readers_.emplace_back(use.user(), stage);
      }
    if (isResult)
      now.results.push_back(function);
  }

  /// The pieces are computed as early as possible: where all that they read is known.
  void takePositions() {
    Node *earliest = nullptr;
    for (RowRegion::Stage &stage : region_.stages) {
      stage.position = stage.functions.front();
      if (earliest && stage.position->isBefore(earliest))
        stage.position = earliest;
      auto wait = [&](const Node *node) {
        for (Node *operand : node->dataOperands())
          if (!isOurs(operand) && !operand->isBefore(stage.position))
            stage.position = operand->next();
      };
      llvm::for_each(stage.functions, wait);
      llvm::for_each(stage.losses, wait);
      earliest = stage.position;
    }
  }

  [[nodiscard]] bool isOurs(const Node *node) const {
    return contains(node) || llvm::any_of(region_.stages, [&](const RowRegion::Stage &stage) {
             return llvm::is_contained(stage.totals, node) || llvm::is_contained(stage.losses, node);
           });
  }

  [[nodiscard]] std::optional<RowObstacle> obstacleOf() const {
    if (facts_.bitwise())
      return RowObstacle::Bitwise;
    const llvm::SmallVector<Node *, 16> nodes = region_.nodes();
    if (llvm::any_of(nodes, [](const Node *node) { return hasOrdering(*node); }))
      return RowObstacle::Ordered;
    llvm::SmallVector<const Node *, 32> values(nodes.begin(), nodes.end());
    for (const Node *node : nodes)
      llvm::append_range(values, node->dataOperands());
    if (llvm::any_of(values, [&](const Node *value) { return facts_.isWritten(*value) || facts_.isReshaped(*value); }))
      return RowObstacle::Written;
    const Node *last = *std::max_element(nodes.begin(), nodes.end(), isEarlier);
    const Node *end = std::max<const Node *>(last, region_.stages.back().position, isEarlier);
    return facts_.isOpaqueBetween(*functions_.front(), end) ? std::optional(RowObstacle::Opaque) : std::nullopt;
  }

  RegionFacts &facts_;
  Node *seed_;
  llvm::SmallVector<Node *, 16> functions_;
  size_t placed_ = 0; ///< how many of them have a stage so far
  /// The first stage that can read a value, by pieces and as a whole.
  struct Known {
    size_t pieces = 0, whole = 0;
  };
  /// of the region, and of what other nodes compute from it; looked up only
  llvm::DenseMap<const Node *, Known> known_;
  RowRegion region_;
  llvm::SmallVector<std::pair<const Node *, size_t>, 8> readers_; ///< of results and totals, with their stage
};

} // namespace

llvm::SmallVector<Node *, 16> RowRegion::nodes() const {
  llvm::SmallVector<Node *, 16> nodes;
  for (const Stage &stage : stages) {
    llvm::append_range(nodes, stage.functions);
    llvm::append_range(nodes, stage.losses);
    llvm::append_range(nodes, stage.totals);
  }
  return nodes;
}

RowMatch matchRowRegion(RegionFacts &facts, Node *node) { return RowMatcher(facts, node).match(); }

} // namespace ccgraph

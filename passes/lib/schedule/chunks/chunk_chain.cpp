#include "schedule/chunks/chunk_chain.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "schedule/chunks/row_functions.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

namespace {

/// A chain is within a layer, so a search that goes further has left it.
constexpr size_t mostSteps = 256;

llvm::SmallVector<Node *, 8> inOrder(const Node &value) {
  llvm::SmallVector<Node *, 8> readers;
  for (const Use &use : value.uses())
    if (!use.isOrdering() && !llvm::is_contained(readers, use.user()))
      readers.push_back(use.user());
  llvm::sort(readers, [](const Node *a, const Node *b) { return a->isBefore(b); });
  return readers;
}

bool isTensor(const Node &value) { return value.type() && value.type()->isTensor(); }

/// Returns the values of a region that later nodes read.
llvm::SmallVector<Node *, 4> resultsOf(const ChunkRegion &region) {
  if (region.gathers())
    return region.products;
  return {region.wait};
}

/// Returns the value of a region whose rows are sent or multiplied.
Node *inputOf(const ChunkRegion &region) {
  return region.gathers() ? region.launch->operand(0) : region.products.front()->operand(0);
}

/// Follows rows from collective to collective.
class ChainMatcher {
public:
  ChainMatcher(RegionFacts &facts, const ChunkRegion &first) : facts_(facts) {
    chain_.regions.push_back(first);
    chain_.links.emplace_back();
  }

  std::optional<ChunkChain> match() {
    while (std::optional<ChunkRegion> next = findNext()) {
      collectLinks(*next);
      chain_.regions.push_back(std::move(*next));
      chain_.links.emplace_back();
    }
    if (chain_.regions.size() < 2)
      return std::nullopt;
    collectKept();
    return isReadLater() && keepsIssueOrder() ? std::optional(std::move(chain_)) : std::nullopt;
  }

private:
  [[nodiscard]] bool isCut(const Node &node) const { return cut_.contains(&node); }

  /// Returns the first region that sends, or multiplies and reduces, values that are computed from the rows of the
  /// last one.
  std::optional<ChunkRegion> findNext() {
    const ChunkRegion &last = chain_.regions.back();
    const int64_t blocks = chain_.blocksAfter(chain_.regions.size() - 1);
    const OtherRows others = blocks == 1 ? OtherRows::Accept : OtherRows::Refuse;
    const Dim rows = multiply(last.launch->graph()->context(), last.rowsOfBlock(), Dim(blocks));
    cut_.clear();
    for (Node *result : resultsOf(last))
      cut_.insert(result);
    auto cut = [&](const Node &node) { return isCut(node); };
    Node *node = resultsOf(last).front()->next();
    for (size_t steps = 0; node && steps < mostSteps; node = node->next(), ++steps) {
      const CollectiveKind kind = last.gathers() ? CollectiveKind::ReduceScatter : CollectiveKind::AllGather;
      if (isFunctional(*node, kind))
        if (std::optional<ChunkRegion> region = regionAt(node))
          return region;
      if (isRowFunction(*node, cut, rows, others) && readsCut(*node))
        cut_.insert(node);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool readsCut(const Node &node) const {
    return llvm::any_of(node.dataOperands(), [&](const Node *operand) { return isCut(*operand); });
  }

  std::optional<ChunkRegion> regionAt(Node *launch) {
    const ChunkRegion &last = chain_.regions.back();
    if (!last.gathers() && !isCut(*launch->operand(0)))
      return std::nullopt;
    ChunkMatch match = matchChunkRegion(facts_, launch);
    const bool fits = match.region && match.region->gathers() != last.gathers() &&
                      match.region->rowsOfBlock() == last.rowsOfBlock() && match.region->blocks == last.blocks &&
                      match.region->sequences == last.sequences && isCut(*inputOf(*match.region)) &&
                      facts_.groups().groupOf(launch) == facts_.groups().groupOf(last.launch);
    return fits ? std::move(match.region) : std::nullopt;
  }

  /// The links are the row functions on which the next region depends.
  void collectLinks(const ChunkRegion &next) {
    llvm::SmallVector<Node *, 4> results = resultsOf(chain_.regions.back());
    auto isLink = [&](Node *node) { return isCut(*node) && !llvm::is_contained(results, node); };
    chain_.links.back() = closure({inputOf(next)}, isLink);
  }

  /// Returns the nodes that these depend on, themselves included, as far as they satisfy the condition.
  static llvm::SmallVector<Node *, 16> closure(llvm::SmallVector<Node *, 16> pending,
                                               llvm::function_ref<bool(Node *)> condition) {
    llvm::SmallVector<Node *, 16> nodes;
    while (!pending.empty()) {
      Node *node = pending.pop_back_val();
      if (!condition(node) || llvm::is_contained(nodes, node))
        continue;
      nodes.push_back(node);
      llvm::append_range(pending, node->dataOperands());
    }
    llvm::sort(nodes, [](const Node *a, const Node *b) { return a->isBefore(b); });
    return nodes;
  }

  void collectKept() {
    for (size_t i = 0; i < chain_.regions.size(); ++i)
      collectKept(i, i + 1 < chain_.regions.size() ? &chain_.regions[i + 1] : nullptr);
  }

  /// Decides how the other readers of a region's results, and of the links after it, get them whole.
  void collectKept(size_t region, const ChunkRegion *next) {
    const llvm::SmallVector<Node *, 16> &links = chain_.links[region];
    llvm::SmallVector<Node *, 16> read;
    for (Node *link : links)
      if (isReadOutside(*link, region, next))
        read.push_back(link);
    auto isLink = [&](Node *node) { return llvm::is_contained(links, node); };
    llvm::SmallVector<Node *, 16> again = closure(read, isLink);
    chain_.repeated.emplace_back();
    if (isLongerTo(read, again, region)) {
      read.clear();
      addElements(again);
      chain_.repeated.back() = std::move(again);
    }
    for (Node *result : resultsOf(chain_.regions[region]))
      if (isReadOutside(*result, region, next))
        chain_.kept.push_back(result);
    llvm::append_range(chain_.kept, read);
  }

  /// Returns true if other nodes read values of the chain only after its end, where these are put together.
  [[nodiscard]] bool isReadLater() const {
    llvm::SmallVector<Node *, 32> own;
    for (const auto *nodes : {&chain_.links, &chain_.repeated})
      for (const auto &links : *nodes)
        llvm::append_range(own, links);
    for (const ChunkRegion &region : chain_.regions) {
      own.append({region.launch, region.wait});
      llvm::append_range(own, region.products);
      llvm::append_range(own, region.moves);
    }
    return llvm::all_of(own, [&](const Node *value) {
      return llvm::all_of(inOrder(*value), [&](Node *reader) {
        return llvm::is_contained(own, reader) || !reader->isBefore(chain_.end());
      });
    });
  }

  /// Returns true if no other communication precedes the end of the chain, where all pieces are issued, that must keep
  /// its order with the chain's collectives.
  [[nodiscard]] bool keepsIssueOrder() const {
    const CommGroups &groups = facts_.groups();
    const Node *first = chain_.regions.front().launch;
    auto isOwn = [&](const Node *node) {
      return llvm::any_of(chain_.regions, [&](const ChunkRegion &region) { return region.launch == node; });
    };
    for (const Node *node = first; node != chain_.end()->next(); node = node->next()) {
      if (groups.groupOf(node) == CommGroups::none)
        continue;
      const bool isApart = groups.groupOf(node) != groups.groupOf(first) && !groups.isFence(node);
      if ((!isOwn(node) && !isApart) || groups.section(node) != groups.section(first))
        return false;
    }
    return true;
  }

  /// Adds the getitems of lists, since a list is no value that can be replaced.
  void addElements(llvm::SmallVector<Node *, 16> &nodes) {
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!isTensor(*nodes[i]))
        for (Node *element : inOrder(*nodes[i]))
          if (!llvm::is_contained(nodes, element))
            nodes.push_back(element);
    llvm::sort(nodes, [](const Node *a, const Node *b) { return a->isBefore(b); });
  }

  /// Returns true if it takes longer to put the read links together than to compute them again, or if one of them is a
  /// list, which cannot be put together. The program of all batches has no times for symbolic rows, so these are put
  /// together where they can be, whatever times the sizes of one batch have.
  [[nodiscard]] bool isLongerTo(llvm::ArrayRef<Node *> read, llvm::ArrayRef<Node *> again, size_t region) const {
    int64_t together = 0, repeated = 0;
    if (!llvm::all_of(read, [](const Node *link) { return isTensor(*link); }))
      return true;
    if (chain_.isSymbolic())
      return false;
    for (const Node *link : read)
      together += facts_.cost().copy(2 * link->type()->numBytes().value_or(0));
    for (const Node *link : again)
      repeated += facts_.cost().estimatedTime(*link).picoseconds;
    for (const Node *result : resultsOf(chain_.regions[region]))
      repeated += facts_.cost().copy(2 * result->type()->numBytes().value_or(0));
    return together > repeated;
  }

  /// Returns true if a node besides the links that are only cut and the next region reads the value whole.
  [[nodiscard]] bool isReadOutside(const Node &value, size_t region, const ChunkRegion *next) const {
    // A gather whose value is read elsewhere too also sends the whole.
    if (next && next->gathers() && !next->kept.empty() && inputOf(*next) == &value)
      return true;
    return llvm::any_of(inOrder(value), [&](Node *reader) {
      const bool enters = next && inputOf(*next) == &value &&
                          (next->gathers() ? reader == next->launch : reader == next->products.front());
      const bool isLink = llvm::is_contained(chain_.links[region], reader);
      const bool repeats = chain_.repeated.size() > region && llvm::is_contained(chain_.repeated[region], reader);
      return !enters && (!isLink || repeats);
    });
  }

  RegionFacts &facts_;
  ChunkChain chain_;
  llvm::DenseSet<const Node *> cut_; ///< results of the last region, and row functions of them; looked up only
};

/// Returns why this link may not be cut.
std::optional<ChunkObstacle> linkObstacle(RegionFacts &facts, const Node &link) {
  if (hasOrdering(link))
    return ChunkObstacle::Ordered;
  if (facts.program().domain(&link) != Domain::None)
    return ChunkObstacle::Opaque;
  auto changes = [&](const StorageAccess &access) { return writes(access.access) || reshapes(access.access); };
  const bool writesMemory = llvm::any_of(facts.program().accesses(&link), changes);
  llvm::SmallVector<const Node *, 4> values = {&link};
  llvm::append_range(values, link.dataOperands());
  llvm::erase_if(values, [&](const Node *value) { return !isTensor(*value); });
  if (llvm::any_of(values, [&](const Node *value) { return facts.isReshaped(*value); }))
    return ChunkObstacle::Reshaped;
  if (writesMemory || llvm::any_of(values, [&](const Node *value) { return facts.isWritten(*value); }))
    return ChunkObstacle::Written;
  return std::nullopt;
}

/// Returns true if a value and a view of it are both read whole, and the place of one in memory is observed.
bool sharesObserved(RegionFacts &facts, const ChunkChain &chain) {
  llvm::SmallVector<Node *, 16> whole(chain.kept.begin(), chain.kept.end());
  for (const auto &repeated : chain.repeated)
    llvm::append_range(whole, repeated);
  return llvm::any_of(whole, [&](const Node *value) {
    for (const Node *source = value; isRowView(*source);) {
      source = source->operand(0);
      if (llvm::is_contained(whole, source) && (facts.isObserved(*value) || facts.isObserved(*source)))
        return true;
    }
    return false;
  });
}

int64_t bytesOf(const Node &value) { return value.type() ? value.type()->numBytes().value_or(0) : 0; }

} // namespace

std::optional<ChunkChain> matchChunkChain(RegionFacts &facts, const ChunkRegion &first) {
  const bool scatters = first.gathers() || isFunctional(*first.launch, CollectiveKind::ReduceScatter);
  const bool hasRows = first.symbolicRows || first.rows > 1;
  return scatters && !first.cutsColumns() && hasRows ? ChainMatcher(facts, first).match() : std::nullopt;
}

std::optional<ChunkObstacle> chainObstacle(RegionFacts &facts, const ChunkChain &chain) {
  for (const ChunkRegion &region : chain.regions)
    if (std::optional<ChunkObstacle> obstacle = chunkObstacle(facts, region))
      return obstacle;
  for (const auto *nodes : {&chain.links, &chain.repeated})
    for (const auto &links : *nodes)
      for (const Node *link : links)
        if (std::optional<ChunkObstacle> obstacle = linkObstacle(facts, *link))
          return obstacle;
  if (sharesObserved(facts, chain))
    return ChunkObstacle::Observed;
  if (llvm::any_of(chain.regions, [](const ChunkRegion &region) { return hasOrdering(*region.launch); }))
    return ChunkObstacle::Ordered;
  const ChunkRegion &first = chain.regions.front(), &last = chain.regions.back();
  const Node *begin = first.gathers() ? first.launch : first.products.front();
  const Node *end = last.gathers() ? last.products.back() : last.wait;
  return facts.isOpaqueBetween(*begin, end) ? std::optional(ChunkObstacle::Opaque) : std::nullopt;
}

std::string namesOf(const ChunkChain &chain, size_t from, llvm::StringRef separator) {
  std::string names;
  for (const ChunkRegion &region : llvm::drop_begin(chain.regions, from))
    names += ((names.empty() ? "" : separator) + region.launch->name().str()).str();
  return names;
}

std::string nameOf(const ChunkChain &chain) { return namesOf(chain, 0, "-"); }

// All pieces are computed at the end, so what the chain reads is held until then, and so are gathered rows.
int64_t bytesOfPieces(const ChunkChain &chain) {
  int64_t bytes = bytesOf(*inputOf(chain.regions.front()));
  for (const ChunkRegion &region : chain.regions)
    bytes += bytesOfPieces(region) + bytesOf(*region.wait) + bytesOf(*region.launch->operand(0));
  for (const auto &links : chain.links)
    for (const Node *link : links) {
      bytes += bytesOf(*link);
      for (const Node *operand : link->dataOperands())
        bytes += bytesOf(*operand);
    }
  return bytes;
}

} // namespace ccgraph

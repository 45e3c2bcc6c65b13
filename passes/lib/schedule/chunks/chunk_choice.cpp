#include "schedule/chunks/chunk_chain.h"

#include "ccgraph/ir/collective.h"
#include "schedule/chunks/symbolic_cut.h"

#include "llvm/ADT/DenseMap.h"

#include <numeric>

namespace ccgraph {

namespace {

/// Pieces end at multiples of this part of the rows, or at any row if there are fewer.
constexpr int64_t mostUnits = 32;
/// The same for a chain, whose prediction takes longer.
constexpr int64_t mostUnitsOfChain = 16;

int64_t bytesOf(const Node &value) { return value.type()->numBytes().value_or(0); }

/// Predicts the time of a region in pieces.
class PieceTimes {
public:
  PieceTimes(const CostModel &cost, const ChunkRegion &region)
      : cost_(cost), region_(region),
        message_(std::max(inputBytes(*region.launch).value_or(0), outputBytes(*region.launch).value_or(0))) {}

  /// Returns the time of the region in these pieces; of one piece: without copies.
  [[nodiscard]] int64_t time(llvm::ArrayRef<int64_t> pieces) {
    if (pieces.size() == 1)
      return wholeTime() + movesTime();
    int64_t sent = 0, computed = 0;
    for (int64_t rows : pieces) {
      const Stages &stages = stagesOf(rows);
      if (region_.gathers()) {
        sent += stages.exchange;
        computed = std::max(computed, sent) + stages.compute;
      } else {
        computed += stages.compute;
        sent = std::max(sent, computed) + stages.exchange;
      }
    }
    return (region_.gathers() ? computed : sent) + joining();
  }

  struct Stages {
    int64_t exchange = 0;
    int64_t compute = 0;
  };

  /// Returns the time of the products and of the collective, whole.
  [[nodiscard]] int64_t wholeTime() const {
    int64_t sum = cost_.estimatedTime(*region_.launch).picoseconds;
    for (const Node *product : region_.products)
      sum += cost_.estimatedTime(*product).picoseconds;
    return sum;
  }

  [[nodiscard]] int64_t movesTime() const {
    int64_t sum = 0;
    for (const Node *move : region_.moves)
      sum += cost_.estimatedTime(*move).picoseconds;
    return sum;
  }

  /// Returns the time of the pieces of this many rows of each block. The reference is valid until the next call.
  const Stages &stagesOf(int64_t rows) {
    auto [known, isNew] = stages_.try_emplace(rows);
    if (!isNew)
      return known->second;
    Stages stages{.exchange = cost_.collective(*region_.launch, part(message_, rows))};
    if (region_.cutsColumns())
      stages.compute = columns(rows);
    else
      for (const Node *product : region_.products)
        stages.compute += cost_.rowsOfProduct(*product, rows * region_.blocks);
    // The rows of several blocks are no view, so they are copied.
    if (!region_.gathers() && region_.blocks > 1)
      stages.compute += cost_.copy(2 * part(bytesOf(*region_.products[0]->operand(0)), rows));
    return known->second = stages;
  }

  /// Returns the time of the copies that put the results together, and of the movements that remain.
  int64_t joining() {
    if (!joining_) {
      joining_ = region_.kept.empty() ? 0 : movesTime();
      if (!region_.gathers() || (region_.cutsColumns() && !region_.kept.empty()))
        *joining_ += cost_.copy(2 * bytesOf(*region_.wait));
      if (region_.gathers())
        for (const Node *product : region_.products)
          *joining_ += cost_.copy(2 * bytesOf(*product));
    }
    return *joining_;
  }

private:
  /// Returns the time of so many columns of the product and of the functions of its elements.
  [[nodiscard]] int64_t columns(int64_t count) const {
    int64_t sum = cost_.columnsOfProduct(*region_.products.front(), count * region_.blocks);
    for (const Node *move : region_.moves)
      if (const int64_t whole = cost_.estimatedTime(*move).picoseconds; whole > 0)
        sum += part(whole, count) + cost_.machine().processor.launchPs;
    return sum;
  }

  /// Returns the share of these rows of each block, or of these columns.
  [[nodiscard]] int64_t part(int64_t whole, int64_t rows) const { return whole / region_.rows * rows; }

  const CostModel &cost_;
  const ChunkRegion &region_;
  int64_t message_;
  llvm::DenseMap<int64_t, Stages> stages_; ///< by rows; looked up only
  std::optional<int64_t> joining_;
};

/// Predicts the time of a chain in pieces.
class ChainTimes {
public:
  ChainTimes(const CostModel &cost, const ChunkChain &chain) : cost_(cost), chain_(chain) {
    for (size_t i = 0; i < chain.regions.size(); ++i) {
      const bool gathers = chain.regions[i].gathers();
      regions_.emplace_back(cost, chain.regions[i]);
      sends_.append({gathers, !gathers, false});
    }
  }

  [[nodiscard]] int64_t time(llvm::ArrayRef<int64_t> pieces) {
    if (pieces.size() == 1)
      return wholeTime();
    times_.clear();
    for (int64_t rows : pieces)
      times_.push_back(stagesOf(rows));
    int64_t best = std::numeric_limits<int64_t>::max();
    const int64_t exchange = *std::max_element(times_.front().begin(), times_.front().end());
    for (const int64_t patience : {int64_t(0), exchange / 4, exchange})
      if (int64_t end = run(patience); end < best)
        best = end, best_ = order_;
    return best + joining();
  }
  /// Returns the order of the pieces whose time was computed last.
  [[nodiscard]] std::vector<ChunkStep> order() const { return best_; }
  /// Returns the order of pieces that take as long as their parts in every stage that sends or multiplies.
  [[nodiscard]] std::vector<ChunkStep> orderOf(llvm::ArrayRef<int64_t> parts) {
    times_.clear();
    for (int64_t part : parts) {
      Stages stages;
      for (size_t i = 0; i < regions_.size(); ++i)
        stages.append({part, part, 0});
      times_.push_back(std::move(stages));
    }
    sendsFirst_ = true;
    run(0);
    return order_;
  }

private:
  using Stages = llvm::SmallVector<int64_t, 12>;

  [[nodiscard]] int64_t wholeTime() {
    int64_t sum = 0;
    for (size_t i = 0; i < regions_.size(); ++i)
      sum += regions_[i].time(chain_.rows()) + linksOf(i, chain_.rows());
    return sum;
  }

  /// Returns the times of a piece of so many rows in all stages: of each region, and of the links after it.
  [[nodiscard]] const Stages &stagesOf(int64_t rows) {
    auto [known, isNew] = stages_.try_emplace(rows);
    if (!isNew)
      return known->second;
    Stages stages;
    for (size_t i = 0; i < regions_.size(); ++i) {
      const PieceTimes::Stages &region = regions_[i].stagesOf(rows);
      const bool gathers = chain_.regions[i].gathers();
      stages.append(
          {gathers ? region.exchange : region.compute, gathers ? region.compute : region.exchange, linksOf(i, rows)});
    }
    return known->second = std::move(stages);
  }

  /// Returns the time of these rows of the links after a region: their share, and a launch for each kernel.
  [[nodiscard]] int64_t linksOf(size_t region, int64_t rows) const {
    int64_t sum = 0;
    for (const Node *link : chain_.links[region])
      if (const int64_t whole = cost_.estimatedTime(*link).picoseconds; whole > 0)
        sum += rows == chain_.rows() ? whole : whole / chain_.rows() * rows + cost_.machine().processor.launchPs;
    return sum;
  }

  /// Runs all pieces. The link waits so long for a piece of the next collective, rather than to send one of this
  /// collective that is ready.
  int64_t run(int64_t patience) {
    free_ = {};
    next_.assign(sends_.size(), 0);
    ready_.assign(times_.size(), 0);
    order_.clear();
    while (runNext(patience))
      ;
    return std::max(free_[0], free_[1]);
  }

  /// Returns when the next piece of a stage can begin; empty if it cannot run yet, or if there is none.
  [[nodiscard]] std::optional<int64_t> start(size_t stage) const {
    const size_t piece = next_[stage];
    if (piece == times_.size() || (stage > 0 && next_[stage - 1] <= piece))
      return std::nullopt;
    return std::max(ready_[piece], free_[sends_[stage]]);
  }

  /// Runs the piece that can begin first, and of several the one of the latest stage; returns false at the end.
  bool runNext(int64_t patience) {
    std::optional<size_t> chosen;
    int64_t begins = 0, collectives = 0;
    for (size_t stage = 0; stage < sends_.size(); ++stage) {
      std::optional<int64_t> at = start(stage);
      if (at && sends_[stage])
        *at -= patience * collectives;
      collectives += sends_[stage] ? 1 : 0;
      const bool isEarlier = at && (!chosen || *at < begins);
      if (isEarlier || (at && *at == begins && (!sendsFirst_ || sends_[stage] || !sends_[*chosen])))
        chosen = stage, begins = *at;
    }
    if (!chosen)
      return false;
    const int64_t from = *start(*chosen);
    const size_t piece = next_[*chosen]++;
    ready_[piece] = free_[sends_[*chosen]] = from + times_[piece][*chosen];
    order_.push_back({*chosen, piece});
    return true;
  }

  /// Returns the time of the copies that put together what other nodes read, and of the links that are repeated.
  [[nodiscard]] int64_t joining() const {
    int64_t sum = 0;
    for (const Node *value : chain_.kept)
      sum += cost_.copy(2 * bytesOf(*value));
    for (const auto &repeated : chain_.repeated)
      for (const Node *link : repeated)
        sum += cost_.estimatedTime(*link).picoseconds;
    return sum;
  }

  const CostModel &cost_;
  const ChunkChain &chain_;
  std::vector<PieceTimes> regions_;
  llvm::SmallVector<bool, 12> sends_;      ///< by stage
  llvm::DenseMap<int64_t, Stages> stages_; ///< by rows; looked up only
  llvm::SmallVector<Stages, 8> times_;     ///< by piece and stage
  std::vector<ChunkStep> order_, best_;
  /// of pieces that can begin at the same time, those that are sent run first, so that the others run beside them
  bool sendsFirst_ = false;
  std::array<int64_t, 2> free_ = {};    ///< when the stream and the link are free
  llvm::SmallVector<size_t, 12> next_;  ///< by stage: the piece that is next
  llvm::SmallVector<int64_t, 8> ready_; ///< by piece: the end of its last stage
};

/// Tries all cuts at multiples of a unit.
class Cuts {
public:
  using Time = llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)>;
  Cuts(Time time, int64_t rows, const PieceUnits &units, int64_t mostPieces)
      : time_(time), rows_(rows), units_(units), mostPieces_(mostPieces) {}

  ChunkChoice best() {
    choice_.pieces = {rows_};
    choice_.whole = choice_.cut = time_(choice_.pieces);
    for (int64_t pieces = 2; pieces <= std::min(mostPieces_, units_.all / units_.least); ++pieces)
      extend(0, pieces);
    return choice_;
  }
  /// Returns the units of each piece of the best cut.
  [[nodiscard]] llvm::ArrayRef<int64_t> units() const { return best_; }

private:
  /// Adds the pieces from a unit on, so many.
  void extend(int64_t from, int64_t pieces) {
    if (pieces == 1) {
      add(from, units_.all);
      if (int64_t time = time_(pieces_); time < choice_.cut)
        choice_.pieces = pieces_, choice_.cut = time, best_ = parts_;
      drop();
      return;
    }
    for (int64_t to = from + units_.least; to <= units_.all - (pieces - 1) * units_.least; ++to) {
      add(from, to);
      extend(to, pieces - 1);
      drop();
    }
  }
  void add(int64_t from, int64_t to) {
    pieces_.push_back(row(to) - row(from));
    parts_.push_back(to - from);
  }
  void drop() {
    pieces_.pop_back();
    parts_.pop_back();
  }
  [[nodiscard]] int64_t row(int64_t unit) const { return rows_ * unit / units_.all; }

  Time time_;
  int64_t rows_;
  PieceUnits units_;
  int64_t mostPieces_;
  llvm::SmallVector<int64_t, 4> pieces_, parts_, best_;
  ChunkChoice choice_;
};

/// Returns the numbers divided by their greatest common divisor.
llvm::SmallVector<int64_t, 4> inLowestTerms(llvm::ArrayRef<int64_t> numbers) {
  int64_t common = 0;
  for (int64_t number : numbers)
    common = std::gcd(common, number);
  llvm::SmallVector<int64_t, 4> lowest;
  for (int64_t number : numbers)
    lowest.push_back(number / common);
  return lowest;
}

/// Returns into how many units of equal size the rows of a region are divided, at most so many.
PieceUnits unitsOfRows(const ChunkRegion &region, int64_t most) {
  if (region.symbolicRows)
    return unitsOf(region, most);
  if (region.sequences == 1)
    return {std::min(region.rows, most)};
  int64_t units = std::min(region.sequences, most);
  while (region.sequences % units != 0)
    --units;
  return {units};
}

/// Returns the cut into pieces of these rows; one piece unless each has whole sequences and they add up to the whole.
ChunkChoice stated(Cuts::Time time, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces) {
  const int64_t whole = region.rows;
  auto isWhole = [&](int64_t rows) { return rows % region.rowsTogether() == 0; };
  ChunkChoice choice;
  choice.pieces.assign(pieces.begin(), pieces.end());
  if (!llvm::all_of(pieces, isWhole) || std::accumulate(pieces.begin(), pieces.end(), int64_t(0)) != whole)
    choice.pieces = {whole};
  choice.whole = time(whole);
  choice.cut = time(choice.pieces);
  return choice;
}

} // namespace

ChunkChoice chooseChunks(const CostModel &cost, const ChunkRegion &region, int64_t mostPieces) {
  PieceTimes times(cost, region);
  auto time = [&](llvm::ArrayRef<int64_t> pieces) { return times.time(pieces); };
  Cuts cuts(time, region.rows, unitsOfRows(region, mostUnits), mostPieces);
  ChunkChoice choice = cuts.best();
  // The number of symbolic rows is that of one batch, and the pieces of each batch have the same parts of its rows.
  if (region.symbolicRows && choice.pieces.size() > 1)
    choice.pieces = inLowestTerms(cuts.units());
  return choice;
}

ChunkChoice chooseChainChunks(const CostModel &cost, const ChunkChain &chain, int64_t mostPieces) {
  ChainTimes times(cost, chain);
  auto time = [&](llvm::ArrayRef<int64_t> pieces) { return times.time(pieces); };
  Cuts cuts(time, chain.rows(), unitsOfRows(chain.regions.front(), mostUnitsOfChain), mostPieces);
  ChunkChoice choice = cuts.best();
  if (!chain.isSymbolic() || choice.pieces.size() == 1)
    return statedChainChunks(cost, chain, choice.pieces);
  // The program of all batches gets the same nodes in the same order, although its sizes have no times.
  choice.pieces = inLowestTerms(cuts.units());
  choice.order = times.orderOf(choice.pieces);
  return choice;
}

ChunkChoice statedChainParts(const CostModel &cost, const ChunkChain &chain, llvm::ArrayRef<int64_t> parts) {
  return {.pieces = llvm::SmallVector<int64_t, 4>(parts.begin(), parts.end()),
          .order = ChainTimes(cost, chain).orderOf(parts)};
}

llvm::SmallVector<int64_t, 4> equalPieces(const ChunkRegion &region, int64_t pieces) {
  const int64_t together = region.rowsTogether(), whole = region.rows / together;
  pieces = std::min(pieces, whole);
  llvm::SmallVector<int64_t, 4> rows;
  for (int64_t i = 0; i < pieces; ++i)
    rows.push_back((whole * (i + 1) / pieces - whole * i / pieces) * together);
  return rows;
}

ChunkChoice statedChunks(const CostModel &cost, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces) {
  PieceTimes times(cost, region);
  return stated([&](llvm::ArrayRef<int64_t> rows) { return times.time(rows); }, region, pieces);
}

ChunkChoice statedChainChunks(const CostModel &cost, const ChunkChain &chain, llvm::ArrayRef<int64_t> pieces) {
  ChainTimes times(cost, chain);
  ChunkChoice choice =
      stated([&](llvm::ArrayRef<int64_t> rows) { return times.time(rows); }, chain.regions.front(), pieces);
  choice.order = times.order();
  return choice;
}

/// Returns the bytes of what the product of a region that reduces reads, if other nodes lie between it and its launch:
/// the pieces are multiplied at the launch, so it is held until then.
static int64_t bytesHeldToLaunch(const ChunkRegion &region) {
  const Node *product = region.products.front();
  const Node *node = product->next();
  while (node != region.launch && llvm::is_contained(region.moves, node))
    node = node->next();
  if (node == region.launch)
    return 0;
  int64_t bytes = 0;
  for (const Node *operand : product->dataOperands())
    if (operand->opcode() == Opcode::CallFunction)
      bytes += bytesOf(*operand);
  return bytes;
}

// Gather: the gathered pieces are held beside the whole, and the parts of each result beside the result; all products
// run where the first one ran, so results and operands of the others are held for longer. Reduce: the rows of one piece
// are copied, and the parts of the result are held beside it.
int64_t bytesOfPieces(const ChunkRegion &region) {
  if (!region.gathers())
    return bytesOf(*region.wait) + (region.blocks > 1 ? bytesOf(*region.products[0]->operand(0)) : 0) +
           bytesHeldToLaunch(region);
  int64_t bytes = region.kept.empty() ? 0 : bytesOf(*region.wait);
  if (region.cutsColumns())
    return bytes + bytesOf(*region.products.front());
  for (const Node *product : region.products)
    bytes += 2 * bytesOf(*product) + bytesOf(*product->operand(1));
  return bytes;
}

} // namespace ccgraph

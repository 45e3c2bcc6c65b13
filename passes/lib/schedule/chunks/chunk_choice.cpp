#include "schedule/chunks/chunk_choice.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/DenseMap.h"

#include <numeric>

namespace ccgraph {

namespace {

/// Pieces end at multiples of this part of the rows, or at any row if there are fewer.
constexpr int64_t mostUnits = 32;

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
      return wholeTime();
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

private:
  struct Stages {
    int64_t exchange = 0;
    int64_t compute = 0;
  };

  [[nodiscard]] int64_t wholeTime() const {
    int64_t sum = cost_.estimatedTime(*region_.launch).picoseconds;
    for (const Node *product : region_.products)
      sum += cost_.estimatedTime(*product).picoseconds;
    return sum + movesTime();
  }

  [[nodiscard]] int64_t movesTime() const {
    int64_t sum = 0;
    for (const Node *move : region_.moves)
      sum += cost_.estimatedTime(*move).picoseconds;
    return sum;
  }

  const Stages &stagesOf(int64_t rows) {
    auto [known, isNew] = stages_.try_emplace(rows);
    if (!isNew)
      return known->second;
    Stages stages{.exchange = cost_.collective(*region_.launch, part(message_, rows))};
    for (const Node *product : region_.products)
      stages.compute += cost_.rowsOfProduct(*product, rows * region_.blocks);
    // The rows of several blocks are no view, so they are copied.
    if (!region_.gathers() && region_.blocks > 1)
      stages.compute += cost_.copy(2 * part(bytesOf(*region_.products[0]->operand(0)), rows));
    return known->second = stages;
  }

  /// Returns the bytes of these rows of each block.
  [[nodiscard]] int64_t part(int64_t bytes, int64_t rows) const { return bytes / region_.rows * rows; }

  /// Returns the time of the copies that put the results together, and of the movements that remain.
  int64_t joining() {
    if (!joining_) {
      joining_ = region_.kept.empty() ? 0 : movesTime();
      if (!region_.gathers())
        *joining_ += cost_.copy(2 * bytesOf(*region_.wait));
      else
        for (const Node *product : region_.products)
          *joining_ += cost_.copy(2 * bytesOf(*product));
    }
    return *joining_;
  }

  const CostModel &cost_;
  const ChunkRegion &region_;
  int64_t message_;
  llvm::DenseMap<int64_t, Stages> stages_; ///< by rows; looked up only
  std::optional<int64_t> joining_;
};

/// Tries all cuts at multiples of a unit.
class Cuts {
public:
  Cuts(PieceTimes &times, int64_t rows, int64_t mostPieces)
      : times_(times), rows_(rows), units_(std::min(rows, mostUnits)), mostPieces_(mostPieces) {}

  ChunkChoice best() {
    choice_.pieces = {rows_};
    choice_.whole = choice_.cut = times_.time(choice_.pieces);
    for (int64_t pieces = 2; pieces <= std::min(mostPieces_, units_); ++pieces)
      extend(0, pieces);
    return choice_;
  }

private:
  /// Adds the pieces from a unit on, so many.
  void extend(int64_t from, int64_t pieces) {
    if (pieces == 1) {
      pieces_.push_back(rows_ - row(from));
      if (int64_t time = times_.time(pieces_); time < choice_.cut)
        choice_.pieces = pieces_, choice_.cut = time;
      pieces_.pop_back();
      return;
    }
    for (int64_t to = from + 1; to <= units_ - pieces + 1; ++to) {
      pieces_.push_back(row(to) - row(from));
      extend(to, pieces - 1);
      pieces_.pop_back();
    }
  }
  [[nodiscard]] int64_t row(int64_t unit) const { return rows_ * unit / units_; }

  PieceTimes &times_;
  int64_t rows_;
  int64_t units_;
  int64_t mostPieces_;
  llvm::SmallVector<int64_t, 4> pieces_;
  ChunkChoice choice_;
};

} // namespace

ChunkChoice chooseChunks(const CostModel &cost, const ChunkRegion &region, int64_t mostPieces) {
  PieceTimes times(cost, region);
  return Cuts(times, region.rows, mostPieces).best();
}

ChunkChoice equalChunks(const CostModel &cost, const ChunkRegion &region, int64_t pieces) {
  pieces = std::min(pieces, region.rows);
  llvm::SmallVector<int64_t, 4> rows;
  for (int64_t i = 0; i < pieces; ++i)
    rows.push_back(region.rows * (i + 1) / pieces - region.rows * i / pieces);
  return statedChunks(cost, region, rows);
}

ChunkChoice statedChunks(const CostModel &cost, const ChunkRegion &region, llvm::ArrayRef<int64_t> pieces) {
  ChunkChoice choice;
  choice.pieces.assign(pieces.begin(), pieces.end());
  if (std::accumulate(pieces.begin(), pieces.end(), int64_t(0)) != region.rows)
    choice.pieces = {region.rows};
  PieceTimes times(cost, region);
  choice.whole = times.time(region.rows);
  choice.cut = times.time(choice.pieces);
  return choice;
}

// Gather: the gathered pieces are held beside the whole, and the parts of each result beside the result; all products
// run where the first one ran, so results and operands of the others are held for longer. Reduce: the rows of one piece
// are copied, and the parts of the result are held beside it.
int64_t bytesOfPieces(const ChunkRegion &region) {
  if (!region.gathers())
    return bytesOf(*region.wait) + (region.blocks > 1 ? bytesOf(*region.products[0]->operand(0)) : 0);
  int64_t bytes = region.kept.empty() ? 0 : bytesOf(*region.wait);
  for (const Node *product : region.products)
    bytes += 2 * bytesOf(*product) + bytesOf(*product->operand(1));
  return bytes;
}

} // namespace ccgraph

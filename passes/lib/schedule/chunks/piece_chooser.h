// PieceChooser: the pieces of a region or a chain, as the options of chunk-collectives state them, or else those of the
// fastest prediction.
//
// A choice depends only on the program, so where schedules decide, it is recorded for runs under other budgets.
//
// Ownership: refers to the names and the context. Failure: none. Cost: see chunk_choice.h; none for a recorded choice.
#pragma once

#include "schedule/chunks/named_pieces.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph {

class PieceChooser {
public:
  /// `stated`: the pieces of every region that has no name; 0: a prediction chooses. `most`: so many pieces at most.
  struct Numbers {
    Count stated, most;
  };
  PieceChooser(const NamedPieces &named, const Numbers &numbers, PassContext &context)
      : named_(named), numbers_(numbers), context_(context) {}

  /// `trial`: has the program of the record; null if no schedule decides.
  /// Symbolic rows must have no stated parts.
  [[nodiscard]] ChunkChoice choose(const ChunkRegion &region, const ChunkTrial *trial) const;
  [[nodiscard]] ChunkChoice choose(const ChunkChain &chain, const ChunkTrial *trial) const;
  /// Returns the pieces of columns that are stated for the region; empty if none are.
  [[nodiscard]] llvm::SmallVector<int64_t, 4> statedPieces(const ChunkRegion &region) const;
  /// Returns the parts of symbolic rows that are stated for the collective or the chain of this name; empty if none
  /// are.
  [[nodiscard]] llvm::SmallVector<int64_t, 4> statedParts(llvm::StringRef name) const;

private:
  /// Returns the pieces that the function chooses, of at most so many.
  [[nodiscard]] ChunkChoice recorded(const std::string &name, const ChunkTrial *trial,
                                     llvm::function_ref<ChunkChoice(int64_t)> choose) const;

  const NamedPieces &named_;
  Numbers numbers_;
  PassContext &context_;
};

} // namespace ccgraph

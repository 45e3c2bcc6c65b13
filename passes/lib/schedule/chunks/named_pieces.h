// NamedPieces: the collectives that the option `only` of chunk-collectives names, each with the rows of its pieces.
//
//   g.512.1536      the collective g in pieces of 512 and 1536 rows; of symbolic rows, 512 and 1536 of 2048 parts
//   s-g.512.1536    the collectives s and g, which are cut together
//
// Ownership: plain values. Failure: an error for a text that is none of these, or that names what is not cut. Cost: the
// texts.
#pragma once

#include "ccgraph/passes/options.h"
#include "schedule/chunks/chunk_trial.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

class NamedPieces {
public:
  [[nodiscard]] llvm::Error read(const NodeNames &names);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Returns true if no names were given, or if this one was.
  [[nodiscard]] bool allow(llvm::StringRef name) const { return empty() || rows_.count(name) != 0; }
  /// Returns the rows of a name; none if it was not given.
  [[nodiscard]] llvm::ArrayRef<int64_t> rowsOf(llvm::StringRef name) const;
  /// Returns an error unless each name has a plan.
  [[nodiscard]] llvm::Error require(llvm::ArrayRef<ChunkPlan> plans) const;

private:
  std::vector<std::string> names_;
  llvm::StringMap<llvm::SmallVector<int64_t, 4>> rows_; ///< by collective; looked up only
};

} // namespace ccgraph

#include "schedule/chunks/piece_chooser.h"

namespace ccgraph {

namespace {

/// Pieces beyond so many cost more than they hide, and the choice would take long.
constexpr int64_t sensiblePieces = 8;

} // namespace

ChunkChoice PieceChooser::choose(const ChunkRegion &region, const ChunkTrial *trial) const {
  const std::string name = region.launch->name().str().str();
  if (auto rows = named_.rowsOf(name); !rows.empty())
    return statedChunks(context_.cost(), region, rows);
  const int64_t forced = numbers_.stated.limit.value_or(region.rows);
  if (forced > 1 && !region.symbolicRows)
    return statedChunks(context_.cost(), region, equalPieces(region, forced));
  return recorded(name, trial, [&](int64_t most) { return chooseChunks(context_.cost(), region, most); });
}

ChunkChoice PieceChooser::choose(const ChunkChain &chain, const ChunkTrial *trial) const {
  const int64_t rows = chain.rows();
  if (auto named = named_.rowsOf(nameOf(chain)); !named.empty())
    return statedChainChunks(context_.cost(), chain, named);
  const int64_t forced = numbers_.stated.limit.value_or(rows);
  if (forced > 1 && !chain.isSymbolic())
    return statedChainChunks(context_.cost(), chain, equalPieces(chain.regions.front(), forced));
  return recorded(nameOf(chain), trial, [&](int64_t most) { return chooseChainChunks(context_.cost(), chain, most); });
}

llvm::SmallVector<int64_t, 4> PieceChooser::statedPieces(const ChunkRegion &region) const {
  llvm::SmallVector<int64_t, 4> named = statedParts(region.launch->name().str());
  const auto pieces = static_cast<int64_t>(named.size());
  return named_.empty() && pieces > 1 ? equalPieces(region, pieces) : named;
}

llvm::SmallVector<int64_t, 4> PieceChooser::statedParts(llvm::StringRef name) const {
  if (llvm::ArrayRef<int64_t> named = named_.rowsOf(name); !named.empty())
    return llvm::SmallVector<int64_t, 4>(named.begin(), named.end());
  const int64_t pieces = numbers_.stated.limit.value_or(0);
  return llvm::SmallVector<int64_t, 4>(static_cast<size_t>(pieces < 2 ? 0 : pieces), 1);
}

ChunkChoice PieceChooser::recorded(const std::string &name, const ChunkTrial *trial,
                                   llvm::function_ref<ChunkChoice(int64_t)> choose) const {
  const int64_t most = std::min(numbers_.most.limit.value_or(sensiblePieces), sensiblePieces);
  if (!trial)
    return choose(most);
  std::optional<ChunkChoice> &known =
      context_.analyses().searches().pieces(trial->program() + ";" + name + ";" + std::to_string(most));
  if (!known)
    known = choose(most);
  return *known;
}

} // namespace ccgraph

#include "driver/launcher_place.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdlib>
#include <optional>

namespace ccgraph::driver {
namespace {

/// What one launcher calls them.
struct Variables {
  const char *rank;
  const char *ranks;
  const char *localRank;
};
constexpr Variables launchers[] = {{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                   {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};

std::optional<size_t> numberIn(const char *variable) {
  const char *text = std::getenv(variable);
  size_t number = 0;
  if (!text || llvm::StringRef(text).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

} // namespace

llvm::Expected<runtime::JobPlace> placeOfLauncher(const std::string &folder) {
  runtime::JobPlace place;
  place.folder = folder;
  place.sharesDevice = std::getenv("NCCL_HOSTID") != nullptr;
  for (const Variables &names : launchers) {
    std::optional<size_t> rank = numberIn(names.rank), ranks = numberIn(names.ranks), local = numberIn(names.localRank);
    if (!rank || !ranks || !local)
      continue;
    if (*rank >= *ranks)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     llvm::Twine("--engine nccl: got ") + names.rank + "=" + llvm::Twine(*rank) +
                                         " and " + names.ranks + "=" + llvm::Twine(*ranks) +
                                         ", expected the rank below the number of ranks");
    place.rank = *rank;
    place.ranks = *ranks;
    place.localRank = *local;
    break;
  }
  if (place.ranks > 1 && folder.empty())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "--engine nccl: got " + llvm::Twine(place.ranks) +
            " processes and no folder in which they meet\n  note: give --job-folder DIR, which "
            "the processes of all ranks see");
  return place;
}

} // namespace ccgraph::driver

#include "driver/launcher_place.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdlib>
#include <optional>

namespace ccgraph::driver {
namespace {

/// The environment variables of one launcher.
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

std::string textIn(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

/// Returns an empty text if no launcher sets an address.
std::string addressOfLauncher() {
  std::optional<size_t> port = numberIn("MASTER_PORT");
  std::string host = textIn("MASTER_ADDR");
  return host.empty() || !port ? "" : host + ":" + std::to_string(*port + 1);
}

/// Returns the launcher's name of the job, the same in all of its processes.
std::string nameOfJob() {
  for (const char *variable : {"TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE"})
    if (std::string name = textIn(variable); !name.empty())
      return name;
  std::string job = textIn("SLURM_JOB_ID");
  return job.empty() ? "" : job + "." + textIn("SLURM_STEP_ID");
}

llvm::Error wrongPlace(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "--engine nccl: " + message);
}

} // namespace

llvm::Expected<runtime::JobPlace> placeOfLauncher(const RendezvousPlace &rendezvous) {
  if (!rendezvous.folder.empty() && !rendezvous.address.empty())
    return wrongPlace("got --job-folder and --job-address, expected one of them");
  runtime::JobPlace place;
  place.folder = rendezvous.folder;
  place.address = rendezvous.address.empty() && rendezvous.folder.empty() ? addressOfLauncher() : rendezvous.address;
  place.job = nameOfJob();
  place.token = textIn("CCGRAPH_JOB_TOKEN");
  place.sharesDevice = std::getenv("NCCL_HOSTID") != nullptr;
  for (const Variables &names : launchers) {
    std::optional<size_t> rank = numberIn(names.rank), ranks = numberIn(names.ranks), local = numberIn(names.localRank);
    if (!rank || !ranks || !local)
      continue;
    if (*rank >= *ranks)
      return wrongPlace(llvm::Twine("got ") + names.rank + "=" + llvm::Twine(*rank) + " and " + names.ranks + "=" +
                        llvm::Twine(*ranks) + ", expected the rank below the number of ranks");
    place.rank = *rank;
    place.ranks = *ranks;
    place.localRank = *local;
    break;
  }
  if (place.ranks > 1 && place.folder.empty() && place.address.empty())
    return wrongPlace("got " + llvm::Twine(place.ranks) +
                      " processes and nowhere to meet\n  note: give --job-folder DIR, which the processes of all ranks "
                      "see, or --job-address HOST:PORT, a port of rank 0's host");
  return place;
}

} // namespace ccgraph::driver

#include "nccl/nccl_job.h"

#include "calls/gpu_error.h"
#include "nccl/device_check.h"
#include "rendezvous/file_rendezvous.h"
#include "rendezvous/tcp_rendezvous.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

struct Membership {
  JobPlace place;
  std::unique_ptr<NcclJob> job;
};
Membership &membership() {
  static Membership only;
  return only;
}

std::string hostName() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

/// At the address, or in the folder where there is none.
llvm::Expected<std::unique_ptr<Rendezvous>> joinRendezvous(const JobPlace &place, std::chrono::milliseconds deadline) {
  if (!place.address.empty()) {
    llvm::Expected<std::pair<std::string, uint16_t>> at = TcpRendezvous::parse(place.address);
    if (!at)
      return ncclError("the job's address: " + llvm::toString(at.takeError()));
    return TcpRendezvous::join({at->first, at->second, place.job, place.token, place.rank, place.ranks, deadline});
  }
  return FileRendezvous::join({place.folder, place.rank, place.ranks, deadline});
}

} // namespace

void NcclJob::setPlace(JobPlace place) { membership().place = std::move(place); }
const JobPlace &NcclJob::place() { return membership().place; }
NcclJob *NcclJob::joined() { return membership().job.get(); }

llvm::Expected<NcclJob *> NcclJob::join(std::chrono::milliseconds deadline) {
  Membership &own = membership();
  if (own.job)
    return own.job.get();
  auto job = std::make_unique<NcclJob>();
  if (llvm::Error error = job->open(deadline))
    return error;
  own.job = std::move(job);
  return own.job.get();
}

llvm::Error NcclJob::open(std::chrono::milliseconds deadline) {
  llvm::Expected<GpuModule *> module = loadGpuModule();
  if (!module)
    return module.takeError();
  module_ = *module;
  GpuPlace machine = module_->place();
  const JobPlace &own = place();
  if (llvm::Error error = checkDevices(machine, {own.localRank, own.sharesDevice}))
    return error;
  device_ = static_cast<int>(own.localRank) % machine.devices;
  if (llvm::Error error = useDevice())
    return error;
  llvm::Expected<std::unique_ptr<Rendezvous>> joined = joinRendezvous(own, deadline);
  if (!joined)
    return joined.takeError();
  rendezvous_ = std::move(*joined);
  llvm::Expected<std::vector<std::string>> told =
      rendezvous_->gather(std::to_string(machine.library) + " " + hostName());
  if (!told)
    return told.takeError();
  std::vector<int> libraries;
  for (size_t rank = 0; rank < told->size(); ++rank) {
    auto [library, host] = llvm::StringRef((*told)[rank]).split(' ');
    libraries.push_back(0);
    library.getAsInteger(10, libraries.back());
    if (host == hostName())
      hostRanks_.push_back(rank);
  }
  return checkVersions(libraries);
}

llvm::Error NcclJob::useDevice() {
  int code = module_->use(device_);
  return code == 0
             ? llvm::Error::success()
             : gpuError(calls(), static_cast<int64_t>(place().rank), "taking device " + std::to_string(device_), code);
}

llvm::Expected<GpuJobId> NcclJob::makeId() {
  GpuJobId id = {};
  if (place().rank == 0)
    if (int code = calls().makeJobId(id))
      return gpuError(calls(), 0, "making the id of the job", code);
  llvm::Expected<std::vector<std::string>> told =
      rendezvous_->gather(std::string(reinterpret_cast<const char *>(id.data()), id.size()));
  if (!told)
    return told.takeError();
  std::memcpy(id.data(), told->front().data(), std::min(id.size(), told->front().size()));
  return id;
}

} // namespace ccgraph::runtime

#include "ccgraph/runtime/job.h"

#include "process_groups/group_error.h"
#include "process_groups/group_recorder.h"

#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

#include <numeric>

namespace ccgraph::runtime {

Job::Job(JobOptions options) : options_(std::move(options)) {}

llvm::Expected<std::unique_ptr<Job>> Job::init(JobOptions options) {
  if (options.store && options.worldSize <= 0)
    return groupError("group.argument", "", "world_size must be positive if using store");
  if (options.store && (options.rank < 0 || options.rank >= options.worldSize))
    return groupError("group.argument", "",
                      "got rank " + std::to_string(options.rank) + " and world_size " +
                          std::to_string(options.worldSize) + ", expected rank < size, and rank must be non-negative");
  std::unique_ptr<Job> job(new Job(std::move(options)));
  if (llvm::Error error = job->open())
    return error;
  return job;
}

llvm::Error Job::open() {
  llvm::Expected<BackendConfig> config = parseBackendConfig(options_.backend);
  if (!config)
    return config.takeError();
  config_ = std::move(*config);
  warnings_ = config_.warnings;
  if (!options_.store) {
    options_.init.timeout = options_.timeout;
    llvm::Expected<JoinedStore> joined = joinStore(options_.init);
    if (!joined)
      return joined.takeError();
    options_.store = std::move(joined->store);
    options_.rank = joined->rank;
    options_.worldSize = joined->worldSize;
  }
  options_.store->setTimeout(options_.timeout);
  recorder_ = std::make_shared<GroupRecorder>(options_.rank, options_.worldSize, options_.recordedCalls);
  return newGroup({.description = "default_pg", .sortRanks = false}).takeError();
}

llvm::Error Job::check(const NewGroupOptions &options) const {
  if (options.timeout && options.timeout->count() < 0)
    return groupError("group.argument", "new_group",
                      "Invalid timeout: timeout.count() >= 0 is required, got " +
                          std::to_string(options.timeout->count()) + " ms");
  bool isMpi =
      options.backend == "mpi" || (options.backend.empty() && config_.find("cpu") && *config_.find("cpu") == "mpi");
  if (options.localSynchronization && isMpi)
    return groupError("group.argument", "new_group", "MPI backend doesn't support use_local_synchronization=True");
  if (!options.ranks)
    return llvm::Error::success();
  std::vector<int64_t> sorted = *options.ranks;
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return groupError("group.argument", "new_group",
                      "ranks list must not contain duplicate entries, got " + intListText(*options.ranks));
  for (int64_t rank : sorted)
    if (rank < 0 || rank >= options_.worldSize)
      return groupError("group.argument", "new_group",
                        "Rank " + std::to_string(rank) + " is out of range. Valid ranks are 0 to " +
                            std::to_string(options_.worldSize - 1) +
                            " (world_size=" + std::to_string(options_.worldSize) + ")");
  if (sorted.empty())
    return groupError("group.argument", "new_group",
                      "Group rank must be specified for group members: the list of ranks is empty");
  return llvm::Error::success();
}

// Members that alone make a group share no counter with other ranks, only the number of groups that they made of the
// same ranks.
std::string Job::nameOf(llvm::ArrayRef<int64_t> ranks, bool local) {
  if (!local)
    return std::to_string(nextName_++);
  std::string text;
  for (int64_t rank : ranks)
    text += std::to_string(rank) + "_";
  text += std::to_string(localGroups_[ranks.vec()]++);
  llvm::SHA1 digest;
  digest.update(text);
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

llvm::Expected<ProcessGroup *> Job::newGroup(NewGroupOptions options) {
  if (llvm::Error error = check(options))
    return error;
  ProcessGroup::Setup setup;
  setup.members = options.ranks.value_or(std::vector<int64_t>());
  if (!options.ranks) {
    setup.members.resize(static_cast<size_t>(options_.worldSize));
    std::iota(setup.members.begin(), setup.members.end(), 0);
  }
  if (options.sortRanks)
    llvm::sort(setup.members);
  llvm::Expected<BackendConfig> config =
      options.backend.empty() ? llvm::Expected<BackendConfig>(config_) : parseBackendConfig(options.backend);
  if (!config)
    return config.takeError();
  setup.config = std::move(*config);
  setup.description = std::move(options.description);
  setup.timeout = options.timeout.value_or(options_.timeout);
  // On a rank that does not belong to it, a group with local synchronization has no name.
  bool isMember = llvm::is_contained(setup.members, options_.rank);
  if (!options.localSynchronization || isMember)
    setup.name = nameOf(setup.members, options.localSynchronization);
  setup.store = makePrefixStore("group/" + setup.name, options_.store);
  setup.job = {options_.rank, options_.localRank,
               [this](std::string warning) { warnings_.push_back(std::move(warning)); }, recorder_, options_.debug};
  llvm::Expected<std::unique_ptr<ProcessGroup>> group = ProcessGroup::make(std::move(setup));
  if (!group)
    return group.takeError();
  groups_.push_back(std::move(*group));
  return groups_.back().get();
}

llvm::Expected<ProcessGroup *> Job::newSubgroups(int64_t groupSize) {
  if (groupSize < 1 || groupSize > options_.worldSize)
    return groupError("group.argument", "new_subgroups",
                      "The arg 'group_size' (" + std::to_string(groupSize) + ") must not exceed the world size (" +
                          std::to_string(options_.worldSize) + ")");
  if (options_.worldSize % groupSize != 0)
    return groupError("group.argument", "new_subgroups",
                      "The world size (" + std::to_string(options_.worldSize) +
                          ") must be divisible by 'group_size=" + std::to_string(groupSize) + "'");
  std::vector<std::vector<int64_t>> ranks(static_cast<size_t>(options_.worldSize / groupSize));
  for (int64_t rank = 0; rank < options_.worldSize; ++rank)
    ranks[static_cast<size_t>(rank / groupSize)].push_back(rank);
  return newSubgroups(ranks);
}

llvm::Expected<ProcessGroup *> Job::newSubgroups(const std::vector<std::vector<int64_t>> &ranks) {
  if (ranks.empty())
    return groupError("group.argument", "new_subgroups_by_enumeration",
                      "The arg 'ranks_per_subgroup_list' cannot be empty");
  std::set<int64_t> seen;
  for (const std::vector<int64_t> &list : ranks)
    for (int64_t rank : list)
      if (!seen.insert(rank).second)
        return groupError("group.argument", "new_subgroups_by_enumeration",
                          "Rank " + std::to_string(rank) + " has appeared in more than one subgroup");
  ProcessGroup *own = nullptr;
  for (const std::vector<int64_t> &list : ranks) {
    llvm::Expected<ProcessGroup *> group = newGroup({.ranks = list});
    if (!group)
      return group.takeError();
    own = (*group)->isMember() ? *group : own;
  }
  return own;
}

bool Job::has(const ProcessGroup &group) const {
  return llvm::any_of(groups_, [&](const auto &each) { return each.get() == &group; });
}

llvm::Error Job::unregistered(const ProcessGroup &group) const {
  return groupError("group.argument", "",
                    "Group " + group.name() +
                        " is not registered, please create group with torch.distributed.new_group API",
                    "it is a group of another job: make it with newGroup() of this job");
}

llvm::Error Job::destroyGroup(ProcessGroup &group) {
  if (!has(group))
    return unregistered(group);
  if (&group == groups_.front().get())
    groups_.clear();
  else
    llvm::erase_if(groups_, [&](const auto &each) { return each.get() == &group; });
  return llvm::Error::success();
}

llvm::Expected<int64_t> Job::groupRank(const ProcessGroup &group, int64_t globalRank) const {
  if (!has(group))
    return unregistered(group);
  auto found = llvm::find(group.members(), globalRank);
  if (found != group.members().end())
    return found - group.members().begin();
  return groupError("group.argument", "",
                    "Global rank " + std::to_string(globalRank) + " is not part of group " + group.name());
}

llvm::Expected<int64_t> Job::globalRank(const ProcessGroup &group, int64_t groupRank) const {
  if (!has(group))
    return unregistered(group);
  if (groupRank >= 0 && groupRank < group.numMembers())
    return group.members()[static_cast<size_t>(groupRank)];
  return groupError("group.argument", "",
                    "Group rank " + std::to_string(groupRank) + " is not part of group " + group.name());
}

FlightRecord Job::flightRecord() const { return recorder_->record(); }

} // namespace ccgraph::runtime

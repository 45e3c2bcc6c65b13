// Job: this rank's membership in a job: the world, and the groups that it makes.
//
//   auto job = Job::init({.backend = "local", .store = store, .rank = rank, .worldSize = 4});
//   ProcessGroup *pair = cantFail((*job)->newGroup({.ranks = {0, 1}}));
//
// It is the state that torch.distributed keeps for a process. Here, a process may have several jobs: the ranks of
// backend `local` are threads, and each has its own.
//
// Ownership: owns its groups; ending the job leaves all of them. One thread at a time. Failure: DiagnosticErrors of
// process_group.h and init_method.h. Cost: that of the backends.
#pragma once

#include "ccgraph/runtime/init_method.h"
#include "ccgraph/runtime/process_group.h"

#include <map>

namespace ccgraph::runtime {

struct JobOptions {
  /// parseBackendConfig()
  std::string backend = "cpu:local";
  /// The store of the job, with rank and worldSize. Without it, `init` finds all three.
  std::shared_ptr<Store> store = {};
  int64_t rank = -1;
  int64_t worldSize = -1;
  /// of backends with devices: which one of the host's is this rank's (nodeLocalRank()); without it, the rank modulo
  /// their number
  std::optional<int64_t> localRank = {};
  InitMethod init = {};
  /// of each call, unless its group or the call has another
  std::chrono::milliseconds timeout = std::chrono::minutes(30);
  DebugLevel debug = DebugLevel::Off;
  /// how many of the last calls the flight record has
  size_t recordedCalls = 512;
};

struct NewGroupOptions {
  /// global ranks; empty list: an error; none: all ranks
  std::optional<std::vector<int64_t>> ranks = {};
  std::optional<std::chrono::milliseconds> timeout = {};
  /// that of the world if empty
  std::string backend = {};
  std::string description = "undefined";
  /// Only members call newGroup(), in any order with other groups. Otherwise all ranks of the job do, in one order.
  bool localSynchronization = false;
  /// The group's order is ascending, and not that of `ranks`.
  bool sortRanks = true;
};

class Job {
public:
  [[nodiscard]] static llvm::Expected<std::unique_ptr<Job>> init(JobOptions options);
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  [[nodiscard]] ProcessGroup &world() { return *groups_.front(); }
  [[nodiscard]] int64_t rank() const { return options_.rank; }
  [[nodiscard]] int64_t worldSize() const { return options_.worldSize; }
  [[nodiscard]] Store &store() { return *options_.store; }

  /// Never null: on a rank that is not a member, the group's isMember() is false. Valid until it is destroyed.
  [[nodiscard]] llvm::Expected<ProcessGroup *> newGroup(NewGroupOptions options);
  /// Groups of `groupSize` consecutive ranks each. Returns this rank's group. A call of all ranks.
  [[nodiscard]] llvm::Expected<ProcessGroup *> newSubgroups(int64_t groupSize);
  /// One group for each list; no rank may be in two. Returns this rank's group; null if it is in none.
  [[nodiscard]] llvm::Expected<ProcessGroup *> newSubgroups(const std::vector<std::vector<int64_t>> &ranks);
  /// Leaves a group; the world leaves all.
  [[nodiscard]] llvm::Error destroyGroup(ProcessGroup &group);
  [[nodiscard]] size_t numGroups() const { return groups_.size(); }

  // --- Ranks ------------------------------------------------------------------------------------------------------
  /// Fails with "Global rank R is not part of group G", and for a group of another job "Group G is not registered".
  [[nodiscard]] llvm::Expected<int64_t> groupRank(const ProcessGroup &group, int64_t globalRank) const;
  /// Fails with "Group rank R is not part of group G".
  [[nodiscard]] llvm::Expected<int64_t> globalRank(const ProcessGroup &group, int64_t groupRank) const;

  /// The warnings so far, oldest first.
  [[nodiscard]] llvm::ArrayRef<std::string> warnings() const { return warnings_; }
  /// The last calls of all groups. Thread-safe.
  [[nodiscard]] FlightRecord flightRecord() const;

private:
  explicit Job(JobOptions options);
  [[nodiscard]] llvm::Error open();
  [[nodiscard]] llvm::Error check(const NewGroupOptions &options) const;
  [[nodiscard]] std::string nameOf(llvm::ArrayRef<int64_t> ranks, bool local);
  [[nodiscard]] bool has(const ProcessGroup &group) const;
  [[nodiscard]] llvm::Error unregistered(const ProcessGroup &group) const;

  JobOptions options_;
  BackendConfig config_;
  std::shared_ptr<GroupRecorder> recorder_;
  std::vector<std::string> warnings_;
  /// the world is the first
  std::vector<std::unique_ptr<ProcessGroup>> groups_;
  int64_t nextName_ = 0;
  /// by ranks: groups of these ranks with local synchronization
  std::map<std::vector<int64_t>, int64_t> localGroups_;
};

} // namespace ccgraph::runtime

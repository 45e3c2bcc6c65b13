// Engines: the components that run a Plan.
//
// An engine has a name. `local` runs all ranks in one process, a thread each. `mpi` runs each rank in a process of its
// own, and `nccl` each on a device. `nccl-recorded` records and simulates the device calls of the nccl engine. All of
// them agree with the reference interpreter (interpreter.h): bitwise equal values where kernels are the same, the same
// names, and errors of the same rules. Where a Plan allows several streams to continue, an engine chooses for speed.
// With a seed, the choice is random but reproducible, so a Plan with a missing order fails every time.
//
// Preparation resolves kernels, lays out memory and matches the collectives of the ranks; prepared plans can run any
// number of times. Size expressions are evaluated at each run: symbols get their values from the inputs and from
// computed values. Where these differ from the values of the plan's layout, the plan is laid out and verified again
// (plan_layout.h); layouts are kept.
//
// Errors have the rules of interpreter.h, and name rank, step, got and expected. Further rules are:
//   run.no-kernel         no provider has a kernel of some operators: all of them are named before the first step
//   run.mpi               MPI cannot start, or reports an error
//   run.nccl              a device or its communication library reports an error
//   run.deadline          a rank has waited for its peers longer than the request allows; lists what each rank waits
//                         for
//   run.rank-lost         a rank has ended before its graph did
//   run.plan              the plan does not fit the run: a window lies outside its buffer, an operator does not write
//                         where the plan says, a collective reads what it writes. The plan verifier checks that plans
//                         are well formed, which is a precondition
// An error on one rank ends the run on all. No run hangs: where no rank can continue, the run ends immediately
// (run.deadlock). A rank that has completed its graph waits for the others with the same deadline (run.deadline).
//
// Each rank records its last calls and steps (flight_record.h). After a failed run, the records show the rank that
// caused the stall (flight_analysis.h).
//
// Ownership: a prepared run borrows its plans, and keeps the memory of all ranks until it is destroyed; inputs are
// borrowed for the call, and never written. Failure: a DiagnosticError; a run that failed may be followed by another.
// Cost: to prepare, linear in the steps; to run, that of the kernels and a few microseconds a step. Not thread-safe:
// one run at a time.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/fault.h"
#include "ccgraph/runtime/kernel_provider.h"
#include "ccgraph/runtime/pace.h"
#include "ccgraph/runtime/run_result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace ccgraph::runtime {

struct PlanRequest {
  /// One plan that serves every rank, or one for each.
  std::vector<const Plan *> plans;
  size_t ranks = 1;
  /// By rank: `in.<placeholder>` and `attr.<target>`; other names are ignored.
  std::vector<TensorMap> inputs;
  /// Bytes that all ranks may hold together, as in RunRequest.
  int64_t memoryLimit = defaultMemoryLimit;
  /// Seed of the order in which a rank continues where it has a choice. Without a seed, the order is for speed:
  /// collectives as early as possible.
  std::optional<uint64_t> seed;
  /// how long an idle rank may wait for its peers
  std::chrono::milliseconds deadline = std::chrono::minutes(10);
  /// how many of its last calls, and of its last steps, each rank records; at least 1
  size_t recordedCalls = 512;
  size_t recordedSteps = 512;
  /// faults to inject
  std::vector<Fault> faults = {};
  /// Called after a failed run, in each process, before the ranks close their connections, so no peer ends a process
  /// while the call runs. Receives the result of flightRecords().
  std::function<void(const std::vector<FlightRecord> &)> onFailure = {};
  /// Kernel providers by name (kernel_provider.h); for each operator, the first one that supports it is used.
  std::vector<std::string> kernels = {"builtin"};
  /// If present, steps take simulated durations and do nothing else: inputs are not read, and results are empty.
  std::optional<Pace> pace = {};
  /// Captures the steps of the first run; later runs launch them together, where the engine supports this.
  bool capture = false;
  /// Adds the time of each step by the device's own clock to the records, where the engine enqueues
  /// (Engine::Abilities). It costs two calls a step.
  bool timeSteps = false;
  /// Keeps the calls for PreparedPlans::recordedCalls(), where the engine supports this.
  bool recordCalls = false;
};

/// The records of the ranks of a completed run, by rank.
struct RankTraces {
  std::vector<FlightRecord> records;
  /// For simulated durations: the end of each step in picoseconds since the beginning of the run, by step.
  std::vector<std::vector<int64_t>> statedEnds;
};

/// Plans that are ready to run.
class PreparedPlans {
public:
  virtual ~PreparedPlans() = default;
  /// `inputs` are by rank, as in PlanRequest.
  [[nodiscard]] virtual llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) = 0;
  /// Returns the records of the ranks of this process, by rank: of the current run, or else of the last one. A lost
  /// rank has none. Thread-safe.
  [[nodiscard]] virtual std::vector<FlightRecord> flightRecords() const = 0;
  /// Returns the traces of the last, successful run: in the process of rank 0 of all ranks, in other processes of their
  /// own ranks. All processes must call it. Fails if a rank is lost or does not answer.
  [[nodiscard]] virtual llvm::Expected<RankTraces> gatherTraces() = 0;
  /// Returns the device calls since preparation, by rank, one a line. Only for an engine that records, and if the
  /// request set recordCalls.
  [[nodiscard]] virtual std::vector<std::string> recordedCalls() const { return {}; }
};

/// The place of a process among those that run a job together.
struct ProcessPlace {
  /// the rank that this process runs
  size_t rank = 0;
  size_t ranks = 1;
  /// ranks whose processes share memory on this host, ascending; includes this rank
  std::vector<size_t> hostRanks = {0};
};

/// The information of a launcher for this process, for an engine that cannot query it.
struct JobPlace {
  size_t rank = 0;
  size_t ranks = 1;
  /// among the processes of this host
  size_t localRank = 0;
  /// several ranks of a host share one device
  bool sharesDevice = false;
  /// a folder that all processes see, for their rendezvous
  std::string folder;
  /// or instead HOST:PORT, the address on which rank 0 listens; :PORT means this host alone
  std::string address;
  /// identifies this job at a port; may be empty
  std::string job;
  /// a secret of the job's processes, which rank 0 demands from each connection; may be empty
  std::string token;
};

// Where an engine runs each rank in a process of its own, all processes make the same requests, and each runs its rank:
// it reads the inputs of that rank alone. The process of rank 0 returns the results of all ranks; every other one
// returns its own and empty maps. The processes join before the first request and leave at the end. An error of one is
// the error of all, and ends the job: no further run succeeds.
class Engine {
public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Fails with the requirement that this machine lacks.
  [[nodiscard]] virtual llvm::Error checkAvailable() const { return llvm::Error::success(); }
  /// Returns whether each rank has a process of its own.
  [[nodiscard]] virtual bool isSpread() const { return false; }
  /// The optional features that a request may use.
  struct Abilities {
    /// PlanRequest::pace
    bool paces = true;
    /// PlanRequest::capture
    bool captures = false;
    /// PlanRequest::recordCalls
    bool records = false;
    /// It registers an arena for communication with the transport, so plans for it should have one (LoweringOptions).
    bool registersMemory = false;
    /// Its steps run after the host has enqueued them. Without PlanRequest::timeSteps, records hold the time of the
    /// enqueue and the completion of the whole run.
    bool enqueues = false;
    /// A launcher starts its processes, and setPlace() must pass on the launcher's information.
    bool needsPlace = false;
  };
  [[nodiscard]] virtual Abilities abilities() const { return {}; }
  /// Call before join(), for an engine whose processes a launcher starts. Other engines do not need it.
  virtual void setPlace(const JobPlace &) const {}
  /// For an engine that is spread, joins the processes of the job; may be called again. Other engines return rank 0 of
  /// 1.
  [[nodiscard]] virtual llvm::Expected<ProcessPlace> join(std::chrono::milliseconds) const { return ProcessPlace(); }
  /// Returns whether this process reports to the user: only one process does, and another takes over where rank 0 has
  /// failed.
  [[nodiscard]] virtual bool reports() const { return true; }
  /// The last call of a process, which must then end with the returned exit code. It is the largest of all processes'
  /// exit codes, because only one process may have seen an error. After an error it ends the processes of all ranks
  /// with this code.
  virtual int leave(int exitCode) const { return exitCode; }
  /// Inputs of the request are not read.
  [[nodiscard]] virtual llvm::Expected<std::unique_ptr<PreparedPlans>> prepare(const PlanRequest &request) const = 0;
};

/// Returns null where no engine has this name.
[[nodiscard]] const Engine *findEngine(llvm::StringRef name);
/// Returns all engines, sorted by name.
[[nodiscard]] llvm::ArrayRef<const Engine *> allEngines();

/// Prepares the plans and runs them once.
[[nodiscard]] llvm::Expected<RunResult> runPlans(const Engine &engine, const PlanRequest &request);

} // namespace ccgraph::runtime

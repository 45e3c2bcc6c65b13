// Engines: what runs a Plan.
//
// An engine is known by its name: `local` runs all ranks in one process, a thread each, `mpi` each in a process of its own, `nccl`
// each on a device, and `nccl-recorded` shows and tries the calls that the nccl engine would make of devices. All of them give what the reference
// interpreter gives (interpreter.h): the same values to the bit where kernels are the same, under the same names, and errors of
// the same rules. What a Plan leaves open, which of several streams goes on first, an engine chooses for speed; or a seed does, so
// that a Plan whose order is too weak fails, and fails again.
//
// To prepare is to resolve kernels, lay out memory and find out who meets whom; what is prepared can run any number of times.
// Size expressions are evaluated at each run: symbols get their values from the inputs, and from what the program computes. Where
// their values are not those that the plan's layout is for, it is laid out and verified again (plan_layout.h); layouts are kept.
//
// Errors have the rules of interpreter.h, and name rank, step, got and expected. Further ones are
//   run.no-kernel         no provider has a kernel of some operators: all of them are named before the first step
//   run.mpi               MPI cannot start, or says that something is wrong
//   run.nccl              a device, or what lets devices communicate, says that something is wrong
//   run.deadline          a rank has waited for its peers longer than the request allows; says what each rank waits for
//   run.rank-lost         a rank has ended before its program did
//   run.plan              the plan does not fit what happens: a window lies outside its buffer, an operator does not write where the
//                         plan says, a collective reads what it writes. That plans are well formed is the plan verifier's question
//                         and is taken for granted
// An error on one rank ends the run on all. No run hangs: where no rank can go on, the run ends at once (run.deadlock), and a rank
// that has ended its program waits for the others like any other (run.deadline).
//
// Each rank remembers its last calls and steps (flight_record.h); who asks when a run has failed can tell who held it up
// (flight_analysis.h).
//
// Ownership: a prepared run borrows its plans, and keeps the memory of all ranks until it goes; inputs are borrowed for the call,
// and never written. Failure: a DiagnosticError; a run that failed may be followed by another. Cost: to prepare, linear in
// the steps; to run, that of the kernels and a few microseconds a step. Not thread-safe: one run at a time.
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
  /// Of the order in which a rank goes on where it has a choice. Without one it is the order for speed: collectives as early as
  /// they can be.
  std::optional<uint64_t> seed;
  /// how long a rank may wait for its peers while it has nothing to do itself
  std::chrono::milliseconds deadline = std::chrono::minutes(10);
  /// how many of its last calls, and of its last steps, each rank remembers; at least 1
  size_t recordedCalls = 512;
  size_t recordedSteps = 512;
  /// what goes wrong on purpose
  std::vector<Fault> faults = {};
  /// Told of a run that has failed, in each process, before the ranks take leave of one another: nobody is ended by a peer while
  /// this goes on for it. Gets what flightRecords() gives.
  std::function<void(const std::vector<FlightRecord> &)> onFailure = {};
  /// Who computes: providers by name (kernel_provider.h), asked in this order for each operator.
  std::vector<std::string> kernels = {"builtin"};
  /// Where it is given, steps take stated times and do nothing else: inputs are not looked at, and results are empty.
  std::optional<Pace> pace = {};
  /// The steps of the first run are captured, and later runs launch all of them at once, where the engine can.
  bool capture = false;
  /// Records tell when each step ran, by the device's own clock, where the engine enqueues (Engine::Abilities). It costs two calls a step.
  bool timeSteps = false;
  /// Keep what is called, for PreparedPlans::recordedCalls(), where the engine can.
  bool recordCalls = false;
};

/// What ranks remember of a run that has ended, by rank.
struct RankTraces {
  std::vector<FlightRecord> records;
  /// Where they are paced: by step, when it ended by the stated times, in picoseconds since the run began.
  std::vector<std::vector<int64_t>> statedEnds;
};

/// Plans that are ready to run.
class PreparedPlans {
public:
  virtual ~PreparedPlans() = default;
  /// By rank, as in PlanRequest.
  [[nodiscard]] virtual llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) = 0;
  /// Of the ranks that this process runs, by rank: of the run that goes on, else of the last one. A rank that is no more leaves
  /// none. Thread-safe.
  [[nodiscard]] virtual std::vector<FlightRecord> flightRecords() const = 0;
  /// Of the last run, which has ended well: of all ranks in the process of rank 0, else of those that this process runs. All
  /// processes must ask. Error: a rank is no more, or does not answer.
  [[nodiscard]] virtual llvm::Expected<RankTraces> gatherTraces() = 0;
  /// By rank: the calls of the device since the plans were prepared, one a line. Of an engine that records, and where it was asked for.
  [[nodiscard]] virtual std::vector<std::string> recordedCalls() const { return {}; }
};

/// Of a process among those that run a program together.
struct ProcessPlace {
  /// that this process runs
  size_t rank = 0;
  size_t ranks = 1;
  /// whose processes share the memory of this one's host, ascending; this rank is among them
  std::vector<size_t> hostRanks = {0};
};

/// What a launcher has told this process, for an engine that cannot ask.
struct JobPlace {
  size_t rank = 0;
  size_t ranks = 1;
  /// among the processes of this host
  size_t localRank = 0;
  /// ranks of a host may take turns on one device
  bool sharesDevice = false;
  /// where the processes meet: a folder that all of them see
  std::string folder;
  /// or in place of that: HOST:PORT, the address that rank 0 listens on; :PORT is one of this host alone
  std::string address;
  /// by which a port tells this job from others; may be empty
  std::string job;
  /// a secret of the job's processes, which a port demands of who connects; may be empty
  std::string token;
};

// Where an engine runs each rank in a process of its own, all processes make the same requests, and each runs its rank: it reads that
// rank's inputs alone. The process of rank 0 gets the results of all ranks, each other one its own and empty maps. They join before,
// and leave at the end. An error of one is the error of all, and ends the job: no further run succeeds.
class Engine {
public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Error: what this engine needs and this machine lacks.
  [[nodiscard]] virtual llvm::Error checkAvailable() const { return llvm::Error::success(); }
  /// A process for each rank.
  [[nodiscard]] virtual bool isSpread() const { return false; }
  /// What a request may ask of it besides to run.
  struct Abilities {
    /// PlanRequest::pace
    bool paces = true;
    /// PlanRequest::capture
    bool captures = false;
    /// PlanRequest::recordCalls
    bool records = false;
    /// It registers an arena of communication with what moves the bytes: plans for it should have one (LoweringOptions).
    bool registersMemory = false;
    /// Its steps run after the host has given them away: without PlanRequest::timeSteps records tell when the host did, and that the
    /// device has ended all.
    bool enqueues = false;
    /// A launcher starts its processes, and setPlace() is to say what that has told each.
    bool needsPlace = false;
  };
  [[nodiscard]] virtual Abilities abilities() const { return {}; }
  /// Before join(), of an engine whose processes a launcher starts. Others do not need it.
  virtual void setPlace(const JobPlace &) const {}
  /// Of an engine that is spread: becomes one of the job's processes; may be asked again. Others: rank 0 of 1.
  [[nodiscard]] virtual llvm::Expected<ProcessPlace> join(std::chrono::milliseconds) const { return ProcessPlace(); }
  /// Whether this process tells the user what happened: of all the one, and where rank 0 has failed another one.
  [[nodiscard]] virtual bool reports() const { return true; }
  /// The last call of a process, which must end with the exit code that this gives: the largest of those of all processes, because
  /// some things only one of them sees. After an error it ends the processes of all ranks, with this code.
  virtual int leave(int exitCode) const { return exitCode; }
  /// Inputs of the request are not looked at.
  [[nodiscard]] virtual llvm::Expected<std::unique_ptr<PreparedPlans>> prepare(const PlanRequest &request) const = 0;
};

/// Null where there is none of this name.
[[nodiscard]] const Engine *findEngine(llvm::StringRef name);
/// Sorted by name.
[[nodiscard]] llvm::ArrayRef<const Engine *> allEngines();

/// Prepares, and runs once.
[[nodiscard]] llvm::Expected<RunResult> runPlans(const Engine &engine, const PlanRequest &request);

} // namespace ccgraph::runtime

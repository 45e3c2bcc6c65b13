// Engines: what runs a Plan.
//
// An engine is known by its name (`local`: all ranks in one process, a thread each). All of them give what the reference
// interpreter gives (interpreter.h): the same values to the bit where kernels are the same, under the same names, and errors of
// the same rules. What a Plan leaves open, which of several streams goes on first, an engine chooses for speed; or a seed does, so
// that a Plan whose order is too weak fails, and fails again.
//
// To prepare is to resolve kernels, lay out memory and find out who meets whom; what is prepared can run any number of times.
// Size expressions are evaluated at each run: symbols get their values from the inputs, and from what the program computes. Where
// their values are not those that the plan's layout is for, each buffer gets memory of its own.
//
// Errors have the rules of interpreter.h, and name rank, step, got and expected. Further ones are
//   run.deadline          a rank has waited for its peers longer than the request allows; says what each rank waits for
//   run.plan              the plan does not fit what happens: a window lies outside its buffer, an operator does not write where the
//                         plan says, a collective reads what it writes. That plans are well formed is the plan verifier's question
//                         and is taken for granted
// An error on one rank ends the run on all. No run hangs: where no rank can go on, the run ends at once (run.deadlock).
//
// Ownership: a prepared run borrows its plans, and keeps the memory of all ranks until it goes; inputs are borrowed for the call,
// and never written. Failure: a DiagnosticError; a run that failed may be followed by another. Cost: to prepare, linear in
// the steps; to run, that of the kernels and a few microseconds a step. Not thread-safe: one run at a time.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/interpreter.h"

#include <chrono>
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
};

/// Plans that are ready to run.
class PreparedPlans {
public:
  virtual ~PreparedPlans() = default;
  /// By rank, as in PlanRequest.
  [[nodiscard]] virtual llvm::Expected<RunResult> run(const std::vector<TensorMap> &inputs) = 0;
};

class Engine {
public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
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

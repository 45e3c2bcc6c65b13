// RankRun: one rank's execution of its graph, which stops where it needs ranks that are not as far.
//
// A node is executed completely or not, so execution after a stop repeats the same node. Subgraphs (control_deps,
// invoke_subgraph, cond, while_loop) get a scope of their own on a stack: a wait inside one can stop like any other.
//
// Ownership: borrows graph, inputs and communications. Failure: DiagnosticErrors of rules `run.*`; the
// run is then over.
// Cost: memory for each value until its last reader has run, and for inputs and attributes until the end.
#pragma once

#include "ccgraph/ir/effects.h"
#include "ccgraph/runtime/observation.h"
#include "interpreter/calls_in_flight.h"
#include "interpreter/host_copies.h"
#include "interpreter/launch_request.h"
#include "interpreter/provided_call.h"
#include "interpreter/scope.h"
#include "kernels/random.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace ccgraph::runtime {

class RankRun {
public:
  struct Setup {
    const Graph *graph = nullptr;
    int64_t rank = 0;
    size_t numRanks = 1;
    const TensorMap *inputs = nullptr;
    const ObjectMeanings *objects = nullptr;
    Communications *communications = nullptr;
    /// asked for what no builtin kernel computes
    const Providers *providers = nullptr;
  };
  explicit RankRun(const Setup &setup);

  /// Executes until the graph ends or needs other ranks; returns true if it made progress.
  [[nodiscard]] llvm::Expected<bool> advance();
  [[nodiscard]] bool isFinished() const { return finished_; }
  /// After the end: what the rank's caller holds.
  [[nodiscard]] RankObservation observation() const;

  [[nodiscard]] int64_t rank() const { return setup_.rank; }
  /// Returns the current node; null at the end.
  [[nodiscard]] const Node *position() const;
  /// Returns the communication that it waits for; null if there is none.
  [[nodiscard]] const Communication *blocking() const { return blocking_; }

private:
  /// Whether a step was executed. One that stopped has changed nothing but blocking_ (and, for a
  /// synchronous collective, synchronous_), and is tried again.
  enum class Progress : uint8_t { Done, Stopped };
  using StepResult = llvm::Expected<Progress>;

  StepResult execute(const Node &node);
  /// execute(), with an error where the step needs more memory than there is.
  StepResult executeWithinMemory(const Node &node);
  /// The output of the graph waits for all pairs in flight, then ends. The output of a subgraph passes its value to the
  /// caller.
  StepResult executeOutput(const Node &node);
  StepResult executeCall(const Node &node);
  /// Completes the launches that it waits for, and returns its operand.
  StepResult executeWait(const Node &node);
  /// Joins the other ranks; continues immediately unless the operator is synchronous.
  StepResult executeCollective(const Node &node);
  /// Starts a copy to the host's memory or back.
  StepResult executeHostCopy(const Node &node);
  /// Makes the copies for which ao.wait_tensor waits, and frees the storage that it names.
  [[nodiscard]] llvm::Error completeHostCopies(const Node &wait, llvm::ArrayRef<const Storage *> storages);
  StepResult executeCompute(const Node &node);
  /// Where neither a builtin kernel nor a provider computes the operator.
  [[nodiscard]] llvm::Error noKernel(const Node &node) const;
  [[nodiscard]] llvm::Expected<KernelCall> kernelCall(const Node &node);
  StepResult executeRandom(const Node &node, const RandomOp &op);
  /// Puts a scope on the stack; the caller gets its value when the subgraph ends.
  StepResult enterSubgraph(const Node &node);
  /// Takes it off again: the caller gets the value, or a loop goes on.
  StepResult leaveSubgraph(Value value);
  void pushBody(const Node &caller, const Graph &body, std::vector<Value> parameters);
  /// Returns whether a condition of the node is true.
  [[nodiscard]] llvm::Expected<bool> truth(const Node &node, const Value &value) const;
  /// The second half of a synchronous collective, once all members have come.
  StepResult finishSynchronous(const Node &node);
  StepResult stopFor(const Communication *communication);
  /// Records the value of a node, held to its type.
  StepResult yield(const Node &node, Value value);

  /// Frees what no later node reads. Inputs stay: a run reports what became of them.
  void releaseOperands(const Node &node);

  /// The given input with the strides that its type declares; an opaque value where the node has
  /// neither type nor value; in a subgraph, the caller's argument.
  [[nodiscard]] llvm::Expected<Value> placeholderValue(const Node &node);
  /// The given attribute, the same for every node that reads it, or an object that only its target names.
  [[nodiscard]] llvm::Expected<Value> attributeValue(const Node &node);
  /// Returns the structure of the returned value: "(tensor, None)", see RankObservation.
  [[nodiscard]] std::string shapeOf(const Value &value) const;
  [[nodiscard]] llvm::Expected<CallSite> callSite(const Node &node) const;
  /// Joins the other ranks and registers the launch as in flight.
  [[nodiscard]] llvm::Error join(LaunchRequest &request);
  /// Rejects reads and writes of values in flight, and records which storages are written. If a result is given, an
  /// operand whose storage the result shares was not read.
  [[nodiscard]] llvm::Error checkAccesses(const Node &node, const Value *result);
  /// After a step: an operand that it wrote may look at another storage now (set_).
  void noteWrites(const Node &node);
  [[nodiscard]] llvm::Error checkOperand(const Node &node, unsigned index, Access access);
  /// The same for copies to and from the host, and for freed storages.
  [[nodiscard]] llvm::Error checkHostCopies(const Node &node, const Node &operand, Access access) const;
  [[nodiscard]] llvm::Error error(const Node &node, llvm::StringRef rule, const std::string &message,
                                  std::string repair = "") const;
  [[nodiscard]] Scope &scope() { return scopes_.back(); }
  [[nodiscard]] const Value &valueOf(const Node &node) const { return *scopes_.back().values[node.id()]; }

  Setup setup_;
  /// the program, then the subgraphs that are being executed
  std::vector<Scope> scopes_;
  Symbols symbols_;
  /// what random operators draw from
  Numbers numbers_{0};
  CallsInFlight inFlight_;
  HostCopies hostCopies_;
  /// seats of the current node, if it is synchronous and has launched
  std::vector<Seat> synchronous_;
  Value synchronousResult_;
  const Communication *blocking_ = nullptr;
  /// by target; kept to the end, since the program may write them
  std::map<std::string, Value> attributes_;
  /// to detect written inputs and attributes; these are kept alive
  llvm::DenseSet<const Storage *> written_;
  /// what the output node returned
  Value result_;
  bool finished_ = false;
};

} // namespace ccgraph::runtime

// Loads the machine and the durations that a user names, for the cost model.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line if there is one; for a name that is neither a
// preset nor a file, the error lists the presets. Nothing is printed. Cost: that of the readers.
#pragma once

#include "ccgraph/frontend/trace_estimates.h"
#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"
#include "ccgraph/toolkit/machine_choice.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace ccgraph {

/// Returns the preset of this name, else the machine of the file at this path.
[[nodiscard]] llvm::Expected<Machine> loadMachine(llvm::StringRef nameOrPath);

[[nodiscard]] llvm::Expected<Durations> loadDurations(llvm::StringRef path);

/// A file of durations, or a TORCH_TRACE log (or a folder of logs) with PyTorch's own estimates, matched to one graph
/// after another.
///
/// An estimate matches a node with the same name and input types. If there is none, an estimate of the same operator
/// (the name without its number) with the same inputs matches. An estimate of a collective matches the collectives of
/// its operator and group with the same number of input bytes. Kernels of inductor_runtime_and_tensor_meta are matched
/// by the name of the node, and its collectives by their order, if the graph has as many.
class DurationFile {
public:
  [[nodiscard]] static llvm::Expected<DurationFile> load(llvm::StringRef path);
  /// Returns the durations of one graph, which no file holds.
  [[nodiscard]] static DurationFile of(Durations durations);
  /// Returns an error if nothing in the file matches the graph.
  [[nodiscard]] llvm::Error holdTo(const Graph &graph);
  /// Returns true if the file is a log with estimates of many graphs.
  [[nodiscard]] bool isEstimated() const { return estimates_.has_value(); }
  /// Returns the durations of the graph that was matched last.
  [[nodiscard]] const Durations &durations() const { return durations_; }
  /// For a log: returns the estimates that match another graph.
  [[nodiscard]] Durations estimatesOf(const Graph &graph) const;

private:
  Durations durations_;
  std::optional<TraceEstimates> estimates_; ///< set for a log
};

/// Adds the timed collectives of a file to those of a machine.
[[nodiscard]] llvm::Error addCollectives(Machine &machine, llvm::StringRef path);

/// The names that a user gives for the costs of a run; empty: not given.
struct CostNames {
  /// a preset or a file
  llvm::StringRef machine;
  /// files of timed collectives
  llvm::ArrayRef<std::string> collectives;
  llvm::StringRef durations;
};

/// The machine and the durations by which the passes of one run estimate times.
struct RunCosts {
  /// empty: the default machine
  std::optional<Machine> machine;
  std::optional<DurationFile> durations;
  /// Returns the durations of the graph that was matched last; null if none were given.
  [[nodiscard]] const Durations *ofGraph() const { return durations ? &durations->durations() : nullptr; }
};

/// Loads the costs of a run. Without a named machine, the GPUs that the log of the graph lists choose it.
[[nodiscard]] llvm::Expected<RunCosts> loadRunCosts(const CostNames &names, const HostGpus &gpus);

/// Returns the machine, or the default machine.
[[nodiscard]] Machine orDefault(const std::optional<Machine> &machine);

/// Returns an error if the durations belong to another graph: the digests differ, or the graph has none of the nodes.
[[nodiscard]] llvm::Error checkDurations(const Durations &durations, const Graph &graph);

} // namespace ccgraph

// Cost files: the machine and the durations that a user names, for the cost model.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line where there is one; a name that is neither a
// preset nor a file says which presets there are. Nothing is printed. Cost: that of the readers.
#pragma once

#include "ccgraph/frontend/trace_estimates.h"
#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace ccgraph {

/// The preset of this name, else the machine of the file at this path.
[[nodiscard]] llvm::Expected<Machine> loadMachine(llvm::StringRef nameOrPath);

[[nodiscard]] llvm::Expected<Durations> loadDurations(llvm::StringRef path);

/// A file of durations, or a TORCH_TRACE log (or a folder of them) with PyTorch's own estimates, held to one graph after another.
///
/// An estimate is of a node where its name and the types of its inputs are those of the log; where no such line is there, where
/// a line of the same operator (the name without its number) has the same inputs. One of a collective is of those of its
/// operator and group with as many bytes going in. Kernels of inductor_runtime_and_tensor_meta are matched by the node's name, and
/// its collectives by their order, where the graph has as many.
class DurationFile {
public:
  [[nodiscard]] static llvm::Expected<DurationFile> load(llvm::StringRef path);
  /// An error where nothing of it is of this graph.
  [[nodiscard]] llvm::Error holdTo(const Graph &graph);
  /// Whether it is a log with estimates of many graphs.
  [[nodiscard]] bool isEstimated() const { return estimates_.has_value(); }
  /// Of the graph that it was held to last.
  [[nodiscard]] const Durations &durations() const { return durations_; }

private:
  Durations durations_;
  std::optional<TraceEstimates> estimates_; ///< of a log
};

/// Adds the timed collectives of a file to those that a machine knows.
[[nodiscard]] llvm::Error addCollectives(Machine &machine, llvm::StringRef path);

/// An error where the durations are not of this graph: another digest is stated, or no node of theirs is in it.
[[nodiscard]] llvm::Error checkDurations(const Durations &durations, const Graph &graph);

} // namespace ccgraph

// Cost files: the machine and the durations that a user names, for the cost model.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line where there is one; a name that is neither a
// preset nor a file says which presets there are. Nothing is printed. Cost: that of the readers.
#pragma once

#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// The preset of this name, else the machine of the file at this path.
[[nodiscard]] llvm::Expected<Machine> loadMachine(llvm::StringRef nameOrPath);

[[nodiscard]] llvm::Expected<Durations> loadDurations(llvm::StringRef path);

/// Adds the timed collectives of a file to those that a machine knows.
[[nodiscard]] llvm::Error addCollectives(Machine &machine, llvm::StringRef path);

/// An error where the durations are not of this graph: another digest is stated, or no node of theirs is in it.
[[nodiscard]] llvm::Error checkDurations(const Durations &durations, const Graph &graph);

} // namespace ccgraph

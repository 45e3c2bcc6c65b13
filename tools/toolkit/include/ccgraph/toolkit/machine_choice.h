// Chooses the machine for which a dump was made.
//
// An fx_graph_runnable lists the GPUs of its host ("# NVIDIA H100 80GB HBM3 : 8"), and types distinguish a host from a
// GPU. If a preset describes the GPU, it is chosen; any other device gets the default with a sentence that reports it.
//
// Ownership: plain values. Failure: none. Cost: linear in the graph and the text.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include <optional>
#include <string>

namespace ccgraph {

/// Returns a name such as "NVIDIA H100 80GB HBM3" from an fx_graph_runnable; empty if it lists none.
[[nodiscard]] std::string gpuOf(llvm::StringRef runnable);
/// Returns the preset for a GPU of this name; empty if there is none.
[[nodiscard]] std::optional<Machine> machineOfGpu(llvm::StringRef gpu);
/// Returns why predictions for this machine, which the user did not choose, do not fit the graph; empty if they do.
[[nodiscard]] std::string machineDoubt(const Graph &graph, llvm::StringRef gpu, llvm::StringRef machine);

} // namespace ccgraph

// Machine choice: the machine that a dump was made for.
//
// An fx_graph_runnable lists the GPUs of its host ("# NVIDIA H100 80GB HBM3 : 8"), and types tell a host from a GPU. A
// GPU that a preset describes is chosen; any other device gets the default, and a sentence says so.
//
// Ownership: plain values. Failure: none. Cost: linear in the graph and the text.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include <optional>
#include <string>

namespace ccgraph {

/// "NVIDIA H100 80GB HBM3" of an fx_graph_runnable; empty where it lists none.
[[nodiscard]] std::string gpuOf(llvm::StringRef runnable);
/// The preset of a GPU of this name; empty where there is none.
[[nodiscard]] std::optional<Machine> machineOfGpu(llvm::StringRef gpu);
/// What is wrong with predicting the graph on this machine, which nobody asked for; empty where nothing is.
[[nodiscard]] std::string machineDoubt(const Graph &graph, llvm::StringRef gpu, llvm::StringRef machine);

} // namespace ccgraph

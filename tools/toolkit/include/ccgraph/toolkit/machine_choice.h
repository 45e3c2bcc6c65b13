// Chooses the machine for which a dump was made.
//
// An fx_graph_runnable lists the GPUs of its host ("# NVIDIA H100 80GB HBM3 : 8"), and types distinguish a host from a
// GPU. If a preset describes the GPU, it is chosen, with as many ranks a node as the host has GPUs. One GPU is not
// counted, because a process often sees only its own. Any other device gets the default with a sentence that reports
// it.
//
// Ownership: plain values. Failure: none. Cost: linear in the graph and the text.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include <optional>
#include <string>

namespace ccgraph {

/// The GPUs of a host, as a dump lists them.
struct HostGpus {
  std::string name; ///< "NVIDIA H100 80GB HBM3"; empty if the dump lists none
  int64_t count = 0;
  [[nodiscard]] bool empty() const { return name.empty(); }
  friend bool operator==(const HostGpus &, const HostGpus &) = default;
};
/// Returns the GPUs that an fx_graph_runnable lists.
[[nodiscard]] HostGpus gpusOf(llvm::StringRef runnable);
/// Returns the preset for these GPUs, for as many ranks a node as there are GPUs; empty if there is none.
[[nodiscard]] std::optional<Machine> machineOfGpus(const HostGpus &gpus);
/// Returns why predictions for this machine, which the user did not choose, do not fit the graph; empty if they do.
[[nodiscard]] std::string machineDoubt(const Graph &graph, const HostGpus &gpus, llvm::StringRef machine);
/// Returns how the machine places the ranks of the graph's job, such as "64 ranks on 8 nodes of 8"; empty if one node
/// holds all ranks, or their number is unknown.
[[nodiscard]] std::string nodesText(const Graph &graph, const Machine &machine);

} // namespace ccgraph

// Graph choice: the graph that is meant of a log that holds many.
//
// A selector is an index of the list (`--list-graphs`), a kind ("aot_forward_graph"), a kind of one compilation
// ("aot_forward_graph@0/0"), or the name of a class; "rank 2:" in front takes that rank's alone. One that fits several
// graphs is refused with a list of them, because Inductor prints forward and backward under one name.
//
// Without a selector the graph is taken that people mean: of the lowest rank, the latest stage of compilation whose graphs
// together still hold as many collectives as those of any stage and whose results have types; of these, the one with
// most collectives, then with most nodes, then the first.
//
// Ownership: plain values. Failure: a selector that fits none, several, or a graph that cannot be read; a log without any
// graph that can. Cost: linear in the list.
#pragma once

#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/frontend/trace_orders.h"
#include "ccgraph/toolkit/logged_step.h"
#include "ccgraph/toolkit/rank_comparison.h"

#include <memory>
#include <string>

namespace ccgraph {

/// Its index in the list; an error names the log `file`.
[[nodiscard]] llvm::Expected<size_t> chooseGraph(llvm::ArrayRef<ListedGraph> graphs, llvm::StringRef selector,
                                                 llvm::StringRef file);

/// "2 inductor_post_grad_graph of 0/0, rank 1".
[[nodiscard]] std::string graphText(const ListedGraph &graph, size_t index);

/// All graphs of a file, a log or a folder of logs, also those that cannot be read.
[[nodiscard]] llvm::Expected<std::vector<ListedGraph>> listGraphs(llvm::StringRef path, Diagnostics &warnings);

/// A file of graphs as a tool was given it.
struct GraphInput {
  InputFile file;       ///< the whole file, or of a log the text of the graph that was chosen
  std::string selector; ///< what is left to choose in that text
  /// What was chosen of how many, in words: "5 inductor_post_grad_graph of 0/0, rank 0, which has most collectives; 12
  /// others: --list-graphs"; empty for a file that is no log.
  std::string choice;
  /// Of a log: what the fx_graph_runnables of this rank say of the groups, of the ranks and of this rank; the members
  /// of a group by the logs of all ranks, else by the meshes that the log describes.
  GroupTable groups;
  std::optional<int64_t> rank;
  std::optional<int64_t> worldSize;
  /// of a log: the graphs that this rank runs in a step, as indices of `listed`; read by readStepGraphs (step_graphs.h)
  std::optional<LoggedStep> step;
  std::vector<ListedGraph> listed;
  std::shared_ptr<const TraceLog> log;   ///< null: `file` is a text that holds all of `listed`
  std::shared_ptr<const InputFile> pipe; ///< what `log` reads where that is no path
  std::string gpu;      ///< of a log: the GPU of the host, as an fx_graph_runnable lists it; empty where none does
  RankComparison ranks; ///< of a log that holds the graphs of several ranks: whether they run one program
  std::vector<TraceOrder> orders; ///< of a log: in which Inductor issues the collectives of this compilation's graphs
};

/// Whether Inductor issues the collectives and waits of the graph in the graph's own order, as the log says; empty where it does
/// not, or none of its lists names the same operators. A log has no times of them.
[[nodiscard]] std::string inductorOrderText(const Graph &graph, llvm::ArrayRef<TraceOrder> orders);

/// Adds what the log says to a graph that was read from `input`; what the graph itself says stays.
void addStatedGroups(Graph &graph, const GraphInput &input);

/// Opens a file of graphs, a log or a folder of logs; "-" is standard input.
[[nodiscard]] llvm::Expected<GraphInput> openGraphs(llvm::StringRef path, llvm::StringRef selector,
                                                    Diagnostics &warnings);

} // namespace ccgraph

// Chooses a graph from a log that holds many.
//
// A selector is an index of the list (`--list-graphs`), a kind ("aot_forward_graph"), a kind of one compilation
// ("aot_forward_graph@0/0"), or the name of a class; the prefix "rank 2:" limits it to that rank. A selector that
// matches several graphs is an error with a list of them, because Inductor prints forward and backward under one name.
//
// Without a selector, the graph of the lowest rank is chosen that users usually need. Its compilation stage is the
// latest whose graphs together have as many collectives as those of any stage and whose results have types. Within the
// stage, it is the graph with most collectives, then with most nodes, then the first.
//
// Ownership: plain values. Failure: a selector that matches no graph, several graphs, or a graph that cannot be read; a
// log without a readable graph. Cost: linear in the list.
#pragma once

#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/frontend/trace_orders.h"
#include "ccgraph/toolkit/logged_step.h"
#include "ccgraph/toolkit/machine_choice.h"
#include "ccgraph/toolkit/rank_comparison.h"

#include <memory>
#include <string>

namespace ccgraph {

/// Returns the index in the list; an error names the log `file`.
[[nodiscard]] llvm::Expected<size_t> chooseGraph(llvm::ArrayRef<ListedGraph> graphs, llvm::StringRef selector,
                                                 llvm::StringRef file);

/// Returns a text such as "2 inductor_post_grad_graph of 0/0, rank 1".
[[nodiscard]] std::string graphText(const ListedGraph &graph, size_t index);

/// Returns all graphs of a file, a log or a folder of logs, including those that cannot be read.
[[nodiscard]] llvm::Expected<std::vector<ListedGraph>> listGraphs(llvm::StringRef path, Diagnostics &warnings);

/// A file of graphs, as it was given to a tool.
struct GraphInput {
  InputFile file;       ///< the whole file, or for a log the text of the chosen graph
  std::string selector; ///< the remaining choice in that text
  /// A text that states which graph was chosen: "5 inductor_post_grad_graph of 0/0, rank 0, which has most collectives;
  /// 12 others: --list-graphs"; empty for a file that is not a log.
  std::string choice;
  /// For a log: what the fx_graph_runnables of this rank state about the groups, the ranks and this rank. The members
  /// of a group come from the logs of all ranks, else from the meshes that the log describes.
  GroupTable groups;
  std::optional<int64_t> rank;
  std::optional<int64_t> worldSize;
  /// for a log: the graphs that this rank runs in a step, as indices of `listed`; read by readStepGraphs
  /// (step_graphs.h)
  std::optional<LoggedTrainingStep> step;
  std::vector<ListedGraph> listed;
  std::shared_ptr<const TraceLog> log;   ///< null: `file` is a text that holds all of `listed`
  std::shared_ptr<const InputFile> pipe; ///< the file that `log` reads if the log has no path
  HostGpus gpus;                         ///< for a log: the GPUs of the host, as an fx_graph_runnable lists them
  RankComparison ranks;                  ///< for a log with the graphs of several ranks: whether they run one program
  std::vector<TraceOrder> orders;        ///< for a log: the orders in which Inductor issues the collectives of this
                                         ///< compilation's graphs
};

/// Returns whether Inductor issues the graph's collectives and waits in the graph's own order, according to the log;
/// empty if the log does not state it, or none of its lists names the same operators. A log has no times for them.
[[nodiscard]] std::string inductorOrderText(const Graph &graph, llvm::ArrayRef<TraceOrder> orders);

/// Adds the log's information to a graph that was read from `input`; the graph's own statements stay.
void addStatedGroups(Graph &graph, const GraphInput &input);

/// Opens a file of graphs, a log or a folder of logs; "-" is standard input.
[[nodiscard]] llvm::Expected<GraphInput> openGraphs(llvm::StringRef path, llvm::StringRef selector,
                                                    Diagnostics &warnings);
/// Does the same for a file that is already open.
[[nodiscard]] llvm::Expected<GraphInput> openGraphs(InputFile file, llvm::StringRef selector, Diagnostics &warnings);

} // namespace ccgraph

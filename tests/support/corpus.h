// Corpus lists the graphs that PyTorch made, for tests that visit all of them.
//
// The graphs are in tests/data. If the environment names further folders (CCGRAPH_GRAPHS, separated by ':'), or a
// folder shared/graphs exists beside the project or one level above, the same tests cover those folders too.
//
// Ownership: plain values. Failure: none; folders that cannot be read are empty. Cost: reads the folders once for each
// call.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// One captured graph; a path is "" if the file is missing.
struct CapturedGraph {
  std::string name; ///< "transformer_moe_w4/fw", with the tag: "llama3-8b-tp8-joint_after_peer"
  std::string folder;
  std::string tag;       ///< "", "_backward", ...
  std::string readable;  ///< readable<tag>.py, possibly .gz
  std::string nodes;     ///< nodes<tag>.tsv
  std::string subgraphs; ///< nodes_subgraphs<tag>.tsv
  std::string facts;     ///< facts<tag>.json of this folder, of rank 0, or of the folder above
};

/// Returns the graphs sorted by path. `kind` selects paths that contain it as a folder ("small", "large", "suite"); ""
/// selects all.
[[nodiscard]] std::vector<CapturedGraph> capturedGraphs(llvm::StringRef kind = "");

/// One line of PyTorch's own table of nodes (nodes.tsv). `inputs` are names in the order of their first use by the
/// node, each once; `target` is "<built-in function le>" for Python's own functions.
struct TruthRow {
  std::string name;
  std::string opcode;
  std::string target;
  std::string type;
  std::vector<std::string> inputs;
};
/// One graph of that table.
struct TruthGraph {
  std::string name; ///< "" for the main graph, which is the first
  std::vector<TruthRow> rows;
};
/// Returns the graph and its subgraphs in the order of the text; only the first, without rows, if the table cannot be
/// read.
[[nodiscard]] std::vector<TruthGraph> truthOf(const CapturedGraph &graph);

} // namespace ccgraph::test

// Corpus: the graphs that PyTorch made, as tests walk over them.
//
// Graphs lie in tests/data. Where the environment names further folders (CCGRAPH_GRAPHS, separated by ':'), or a folder
// shared/graphs stands beside the project or one above, the same tests run over those too.
//
// Ownership: plain values. Fails: folders that cannot be read are empty. Cost: one walk over the folders a call.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// One captured graph; paths are "" where a file is missing.
struct CapturedGraph {
  std::string name; ///< "transformer_moe_w4/fw", with the tag: "llama3-8b-tp8-joint_after_peer"
  std::string folder;
  std::string tag;       ///< "", "_backward", ...
  std::string readable;  ///< readable<tag>.py, perhaps .gz
  std::string nodes;     ///< nodes<tag>.tsv
  std::string subgraphs; ///< nodes_subgraphs<tag>.tsv
  std::string facts;     ///< facts<tag>.json of this folder, of rank 0, or of the folder above
};

/// Sorted by path. `kind` limits to paths that hold it as a folder ("small", "large", "suite"); "" for all.
[[nodiscard]] std::vector<CapturedGraph> capturedGraphs(llvm::StringRef kind = "");

/// What PyTorch said of one node, in the words of its own table: a line of nodes.tsv. `inputs` are
/// names in the order in which the node first mentions them, each once; `target` is "<built-in
/// function le>" for Python's own functions.
struct TruthRow {
  std::string name;
  std::string opcode;
  std::string target;
  std::string type;
  std::vector<std::string> inputs;
};
/// One graph of that table.
struct TruthGraph {
  std::string name; ///< "" for the main graph, which comes first
  std::vector<TruthRow> rows;
};
/// The graph and its subgraphs, in the order of the text; only the first, without rows, where the table cannot be read.
[[nodiscard]] std::vector<TruthGraph> truthOf(const CapturedGraph &graph);

} // namespace ccgraph::test

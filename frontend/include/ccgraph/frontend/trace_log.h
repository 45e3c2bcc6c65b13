// TraceLog: the graphs of a TORCH_TRACE log, or of a folder of them, one a rank.
//
//   V1121 08:54:34.206000 27731 torch/...py:1861] {"aot_joint_graph": {}, "rank": 0, "frame_id": 0,
//                                                  "frame_compile_id": 0, "attempt": 0,
//                                                  "has_payload": "b85c8ad6eb4b727179ec4176b4930565"}
//   	class joint(torch.nn.Module):
//   	    def forward(self, primals, tangents):
//
// The header of a payload states the kind of the graph, the rank, and the compilation: "frame/compile", with "_attempt"
// where that is not 0. Every payload that holds a graph as text is listed, fx_graph_runnable and dumps too. A launcher
// may put a prefix before each line and may interleave lines of several ranks and other programs
// (trace/record_reader.h).
//
// A graph that cannot be read is listed with the reason: Dynamo's own graphs hold methods and modules, Inductor prints
// some before it has sorted them, and a log may be truncated. The rest of the log is still read. A graph of Dynamo is
// left out without a warning if a later graph of its compilation can be read, since a device runs that one.
//
// Ownership: owns what it lists; text() and texts() read graphs from the log again. Failure: a log that cannot be
// opened, a folder without logs; damage is a warning with file and line. Cost: listing reads each graph once and keeps
// none, so memory is that of the largest. Reading a graph takes one more pass up to its place.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/listed_graph.h"
#include "ccgraph/ir/diagnostic.h"

#include <vector>

namespace ccgraph {

/// Wrappers of PyTorch that communicate from hooks of their own, outside all compiled graphs. They are detected by the
/// class names of modules that the guards of a compilation print.
struct JobWrappers {
  bool ddp = false;   ///< DistributedDataParallel, whose reducer all-reduces gradients
  bool fsdp1 = false; ///< FullyShardedDataParallel
  bool fsdp2 = false; ///< fully_shard
  [[nodiscard]] bool any() const { return ddp || fsdp1 || fsdp2; }
  void add(const JobWrappers &other) {
    ddp |= other.ddp;
    fsdp1 |= other.fsdp1;
    fsdp2 |= other.fsdp2;
  }
};

class TraceLog {
public:
  /// Returns whether the path is a folder, or a file in which a trace header precedes any graph. Only plain files are
  /// opened, since a pipe cannot be read twice.
  [[nodiscard]] static bool isTrace(llvm::StringRef path);
  [[nodiscard]] static bool isTrace(const InputFile &file);

  /// Returns the log itself, or the logs of a folder and its subfolders, by name. Fails where there is none.
  [[nodiscard]] static llvm::Expected<std::vector<std::string>> logsOf(llvm::StringRef path);

  /// Lists the graphs of a log or of all logs of a folder and its subfolders, by file name. Warns about skipped graphs,
  /// payloads that do not match their MD5, and damage.
  [[nodiscard]] static llvm::Expected<TraceLog> open(llvm::StringRef path, Diagnostics &warnings);
  /// Lists the graphs of a text in memory, which must outlive the log.
  [[nodiscard]] static llvm::Expected<TraceLog> open(const InputFile &file, Diagnostics &warnings);

  /// The graphs, by file, and in the order of a file.
  [[nodiscard]] llvm::ArrayRef<ListedGraph> graphs() const { return graphs_; }
  /// Returns whether a log holds the artifact that readTraceOrders reads (trace_orders.h).
  [[nodiscard]] bool hasOrders() const { return hasOrders_; }
  [[nodiscard]] const JobWrappers &wrappers() const { return wrappers_; }
  /// Returns the payload of a graph, as a file of its own whose places are those of the log.
  [[nodiscard]] llvm::Expected<InputFile> text(const ListedGraph &graph) const;
  /// Returns the payloads of several graphs, in the order of `wanted`; each log is read once.
  [[nodiscard]] llvm::Expected<std::vector<InputFile>> texts(llvm::ArrayRef<const ListedGraph *> wanted) const;

private:
  llvm::Error readTexts(llvm::StringRef file, llvm::ArrayRef<const ListedGraph *> wanted,
                        std::vector<std::optional<InputFile>> &found) const;
  llvm::Error addFile(llvm::StringRef path, Diagnostics &warnings);

  std::vector<ListedGraph> graphs_;
  const InputFile *memory_ = nullptr;
  bool hasOrders_ = false;
  JobWrappers wrappers_;
};

} // namespace ccgraph

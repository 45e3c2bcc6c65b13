// TraceLog: the graphs of a TORCH_TRACE log, or of a folder of them, one a rank.
//
//   V1121 08:54:34.206000 27731 torch/...py:1861] {"aot_joint_graph": {}, "rank": 0, "frame_id": 0, "frame_compile_id": 0,
//                                                  "attempt": 0, "has_payload": "b85c8ad6eb4b727179ec4176b4930565"}
//   	class joint(torch.nn.Module):
//   	    def forward(self, primals, tangents):
//
// What a payload is its header says: the kind of the graph, the rank, and the compilation, "frame/compile" with "_attempt"
// where that is not 0. Every payload that holds a graph as text is listed, fx_graph_runnable and dumps too. A launcher may
// have put a prefix before each line, lines of several ranks and of other programs may stand between one another
// (trace/record_reader.h).
//
// A graph that cannot be read is listed with the reason: Dynamo's own graphs hold methods and modules, Inductor prints some
// before it has sorted them, and a log may break off. Nothing else of the log is lost by that.
//
// Ownership: owns what it lists; graphs are read from the log again when they are asked for. Failure: a log that cannot be
// opened, a folder without logs; damage is a warning with file and line. Cost: listing reads each graph once and keeps none:
// memory is that of the largest; a graph costs one more pass up to its place.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/listed_graph.h"
#include "ccgraph/ir/diagnostic.h"

#include <vector>

namespace ccgraph {

/// Wrappers of PyTorch's that communicate from hooks of their own, outside of all compiled graphs, as far as the log names
/// them: the guards of a compilation print the classes of modules.
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
  /// Whether the path is a folder, or a file with a header of a trace before anything that looks like a graph. Only plain
  /// files are looked into, since a pipe cannot be read twice.
  [[nodiscard]] static bool isTrace(llvm::StringRef path);
  [[nodiscard]] static bool isTrace(const InputFile &file);

  /// The log itself, or the logs of a folder and its folders, by name; an error where there is none.
  [[nodiscard]] static llvm::Expected<std::vector<std::string>> logsOf(llvm::StringRef path);

  /// Lists the graphs of a log or of all logs of a folder and its folders, by name of file. Warnings: graphs left out,
  /// payloads that are not what their MD5 says, damage.
  [[nodiscard]] static llvm::Expected<TraceLog> open(llvm::StringRef path, Diagnostics &warnings);
  /// The same of a text in memory, which must outlive the log.
  [[nodiscard]] static llvm::Expected<TraceLog> open(const InputFile &file, Diagnostics &warnings);

  /// By file, and in the order of a file.
  [[nodiscard]] llvm::ArrayRef<ListedGraph> graphs() const { return graphs_; }
  /// Whether a log holds what readTraceOrders reads (trace_orders.h).
  [[nodiscard]] bool hasOrders() const { return hasOrders_; }
  [[nodiscard]] const JobWrappers &wrappers() const { return wrappers_; }
  /// The payload of a graph, as a file of its own whose places are those of the log.
  [[nodiscard]] llvm::Expected<InputFile> text(const ListedGraph &graph) const;
  /// The payloads of several graphs, in the order of `wanted`; each log is read once.
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

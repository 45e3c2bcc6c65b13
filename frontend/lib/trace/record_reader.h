// RecordReader: the lines of a log -> headers with their payloads.
//
// A payload is the lines after its header that begin with the header's prefix and a tab; an empty line may have lost
// its tab. Lines of other processes, which have other prefixes, and lines of unrelated programs may come between them:
//
//   [default0]:V1121 08:54:34.206000 27731 torch/...py:28] {"aot_joint_graph": {}, "rank": 0, "has_payload": "5070.."}
//   [default0]:	class joint(torch.nn.Module):
//   UserWarning: out of date
//   [default1]:V1121 08:54:34.206000 27732 torch/...py:28] {"aot_joint_graph": {}, "rank": 1, "has_payload": "ae1f.."}
//   [default0]:	    def forward(self, primals, tangents):
//
// A payload ends before the next header of its prefix. A truncated or damaged line may hide a header; the payload
// before it ends there if its MD5 matches, and the lines after it belong to no payload.
//
// Ownership: the callee may move from a record. Failure: `damaged` is called with the number of each damaged line, and
// reading continues. Cost: linear; memory of the open payloads, one a prefix, and only of those that may hold a graph.
#pragma once

#include "files/line_reader.h"
#include "trace/header.h"

#include "llvm/Support/MD5.h"

#include <functional>
#include <map>
#include <vector>

namespace ccgraph {

struct TraceRecord {
  TraceHeader header;
  std::string prefix;   ///< prefix of its lines
  size_t line = 0;      ///< line of the header, from 1
  std::string text;     ///< text of the payload, each line with its end
  CutLines cut;         ///< places of these lines
  bool matches = false; ///< the MD5 of the payload is that of the header
};

/// Returns whether the payload of a header may be a graph as text.
[[nodiscard]] bool mayHoldGraph(const TraceHeader &header);

class RecordReader {
public:
  struct Events {
    std::function<void(TraceRecord &&)> record;                     ///< in the order in which payloads end
    std::function<void(size_t line, llvm::StringRef what)> damaged; ///< called with each line that cannot be read
    std::function<bool(const TraceHeader &)> wanted = {}; ///< selects payloads; empty: those that may hold a graph
    std::function<void(const HeaderLine &)> seen = {};    ///< called for each header, before its payload
  };
  explicit RecordReader(Events events) : events_(std::move(events)) {}

  /// Reads to the end of the log, or until stop() is called.
  void read(LineReader &lines);
  void stop() { stopped_ = true; }
  /// Returns the number of headers: a file without any is not a log.
  [[nodiscard]] size_t headers() const { return headers_; }

private:
  /// The state of the lines of one prefix.
  struct Stream {
    std::string prefix;
    TraceRecord record;
    bool open = false;          ///< its payload is being read, and wanted
    bool orphaned = false;      ///< its header was damaged: the lines after it belong to no payload
    bool told = false;          ///< the damage was reported
    std::vector<size_t> blanks; ///< line numbers of empty lines, which count where more of the payload follows
    llvm::MD5 hash;
    bool begun = false;   ///< the hash has a line
    bool unasked = false; ///< lines have come since the hash was last compared
  };

  void line(llvm::StringRef text, size_t number);
  Stream *streamOf(llvm::StringRef line);
  void payload(Stream &stream, llvm::StringRef content, size_t number);
  void header(const HeaderLine &found, size_t number);
  void foreign(llvm::StringRef line, size_t number);
  static void append(Stream &stream, llvm::StringRef content, size_t number);
  static bool matches(const Stream &stream);
  void close(Stream &stream);

  Events events_;
  std::map<std::string, Stream, std::less<>> streams_;
  Stream *last_ = nullptr; ///< the stream of the last line
  size_t headers_ = 0;
  bool stopped_ = false;
};

} // namespace ccgraph

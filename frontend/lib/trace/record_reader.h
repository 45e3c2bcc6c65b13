// RecordReader: the lines of a log -> headers with their payloads.
//
// A payload is the lines after its header that begin with the header's prefix and a tab; an empty line may have lost its
// tab. Lines of other processes, which have other prefixes, and lines of programs that know nothing of the log may stand
// between them:
//
//   [default0]:V1121 08:54:34.206000 27731 torch/...py:28] {"aot_joint_graph": {}, "rank": 0, "has_payload": "5070.."}
//   [default0]:	class joint(torch.nn.Module):
//   UserWarning: out of date
//   [default1]:V1121 08:54:34.206000 27732 torch/...py:28] {"aot_joint_graph": {}, "rank": 1, "has_payload": "ae1f.."}
//   [default0]:	    def forward(self, primals, tangents):
//
// A payload ends before the next header of its prefix. Where a line breaks off or is damaged, so that no header can be
// seen in it, the payload before it ends there if its MD5 matches; what follows such a line belongs to nothing.
//
// Ownership: a record is the callee's to move from. Failure: damage is told to `damaged`, with the number of its line, and
// reading goes on. Cost: linear; memory of the payloads that are open, one a prefix, and only of those that may hold a
// graph.
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
  std::string prefix;   ///< of its lines
  size_t line = 0;      ///< of the header, from 1
  std::string text;     ///< of the payload, each line with its end
  CutLines cut;         ///< where these lines stand
  bool matches = false; ///< the MD5 of the payload is that of the header
};

/// Whether the payload of a header may be a graph as text.
[[nodiscard]] bool mayHoldGraph(const TraceHeader &header);

class RecordReader {
public:
  struct Events {
    std::function<void(TraceRecord &&)> record;                     ///< in the order in which payloads end
    std::function<void(size_t line, llvm::StringRef what)> damaged; ///< what stands at a line and cannot be read
    std::function<bool(const TraceHeader &)> wanted = {}; ///< which payloads; none: those that may hold a graph
    std::function<void(const HeaderLine &)> seen = {};    ///< each header, before its payload
  };
  explicit RecordReader(Events events) : events_(std::move(events)) {}

  /// To the end of the log, or until stop() is called.
  void read(LineReader &lines);
  void stop() { stopped_ = true; }
  /// Headers seen: a log without any is no log.
  [[nodiscard]] size_t headers() const { return headers_; }

private:
  /// The lines of one prefix.
  struct Stream {
    std::string prefix;
    TraceRecord record;
    bool open = false;          ///< its payload is being read, and wanted
    bool orphaned = false;      ///< its header was damaged: what follows belongs to nothing
    bool told = false;          ///< and that was said
    std::vector<size_t> blanks; ///< line numbers of empty lines, which count where more of the payload follows
    llvm::MD5 hash;
    bool begun = false;   ///< the hash has a line
    bool unasked = false; ///< lines have come since the hash was compared
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
  Stream *last_ = nullptr; ///< whose line came last
  size_t headers_ = 0;
  bool stopped_ = false;
};

} // namespace ccgraph

#include "ccgraph/frontend/trace_log.h"

#include "ccgraph/frontend/read_graph.h"
#include "trace/frame_table.h"
#include "trace/record_reader.h"
#include "trace/symbol_table.h"
#include "trace/wrapper_names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>

using llvm::StringRef;

namespace ccgraph {
namespace {

constexpr StringRef definition = "def forward(";

/// Returns whether a line begins with `def forward(`. JSON and messages may quote it elsewhere.
bool printsGraph(StringRef text) {
  for (size_t at = text.find(definition); at != StringRef::npos; at = text.find(definition, at + 1))
    if (StringRef before = text.take_front(at).rtrim(" \t"); before.empty() || before.endswith("\n"))
      return true;
  return false;
}

/// Returns the name of the first class of a module, "" where there is none.
StringRef classOf(StringRef text) {
  size_t module = text.find("(torch.nn.Module):");
  if (module == StringRef::npos)
    return "";
  StringRef before = text.take_front(module);
  size_t start = before.rfind("class ");
  return start == StringRef::npos ? "" : before.drop_front(start + StringRef("class ").size());
}

/// Shortens a word of the log for a message: a damaged one may be long, and hold anything.
std::string shown(StringRef word) {
  constexpr size_t most = 60;
  std::string text;
  for (char c : word.take_front(most))
    text += llvm::isPrint(c) ? c : '?';
  return text + (word.size() > most ? "..." : "");
}

/// "dedicated_log_torch_trace_rank_3_x2b.log" -> 3.
std::optional<int64_t> rankOfName(StringRef path) {
  StringRef name = llvm::sys::path::filename(path);
  size_t at = name.find("rank_");
  int64_t rank = 0;
  if (at == StringRef::npos || name.drop_front(at + 5).consumeInteger(10, rank))
    return std::nullopt;
  return name.drop_front(at + 5).take_while(llvm::isDigit).getAsInteger(10, rank) ? std::nullopt : std::optional(rank);
}

/// Turns the records of one log into entries and warnings.
class LogLister {
public:
  LogLister(StringRef path, Diagnostics &warnings)
      : path_(path.str()), nameRank_(rankOfName(path)), warnings_(warnings) {}

  /// Returns false where the log has no header.
  bool list(LineReader &lines) {
    RecordReader reader({[&](TraceRecord &&record) { add(std::move(record)); },
                         [&](size_t line, StringRef what) {
                           warn(line, "skipped " + what.str(), "the log is damaged here; all else is read");
                         },
                         [](const TraceHeader &header) { return mayHoldGraph(header) || mayNameWrappers(header.kind); },
                         [&](const HeaderLine &header) {
                           frames_.note(header);
                           symbols_.note(header);
                           hasOrders_ |= header.json.contains("\"inductor_collective_schedule\"");
                         }});
    reader.read(lines);
    if (llvm::Error error = lines.takeError())
      broken(std::move(error), lines.number());
    llvm::stable_sort(graphs_, [](const ListedGraph &a, const ListedGraph &b) { return a.line < b.line; });
    warnOfFrontEnd();
    warnOfSums();
    return reader.headers() != 0;
  }

  std::vector<ListedGraph> take() { return std::move(graphs_); }
  [[nodiscard]] bool hasOrders() const { return hasOrders_; }
  [[nodiscard]] JobWrappers wrappers() const { return wrappers_; }

private:
  /// A graph of Dynamo that cannot be read.
  struct FrontEndGraph {
    std::optional<int64_t> rank;
    std::string compileId;
    Diagnostic warning;
  };

  void warn(size_t line, std::string message, std::string note = "") {
    Diagnostic warning;
    warning.severity = Severity::Warning;
    warning.file = path_;
    warning.line = static_cast<unsigned>(line);
    warning.message = std::move(message);
    if (!note.empty())
      warning.notes.push_back(std::move(note));
    warnings_.add(std::move(warning));
  }

  void add(TraceRecord &&record) {
    if (mayNameWrappers(record.header.kind))
      return noteWrappers(record.text, wrappers_);
    bool prints = printsGraph(record.text);
    if (!prints && !isGraphKind(record.header.kind))
      return;
    if (!record.matches && unmatched_++ == 0) {
      firstUnmatched_ = record.line;
      firstKind_ = record.header.kind;
    }
    if (prints)
      return read(record);
    Diagnostic why;
    why.file = path_;
    why.line = static_cast<unsigned>(record.line);
    why.message = "the payload holds no 'def forward(': it was cut off or damaged";
    refuse(record, makeError(std::move(why)));
  }

  ListedGraph entryOf(const TraceRecord &record) const {
    ListedGraph entry;
    entry.file = path_;
    entry.line = record.line;
    entry.kind = record.header.kind;
    entry.rank = record.header.rank ? record.header.rank : nameRank_;
    entry.compileId = record.header.compileId;
    entry.stage = stageOf(entry.kind);
    entry.frame = frames_.frameOf(record.prefix, entry.compileId);
    entry.hints = symbols_.hintsOf(record.prefix, entry.compileId);
    return entry;
  }

  void leaveOut(const TraceRecord &record, std::string reason) {
    ListedGraph entry = entryOf(record);
    StringRef name = classOf(record.text);
    entry.name = name.empty() ? record.header.name : name.str();
    entry.leftOut = std::move(reason);
    graphs_.push_back(std::move(entry));
  }

  void read(const TraceRecord &record) {
    Context context;
    auto graphs = readGraphs(context, {path_, record.text, 0, &record.cut}, {.errorLimit = 1});
    if (!graphs)
      return refuse(record, graphs.takeError());
    for (size_t i = 0; i != graphs->size(); ++i) {
      ListedGraph entry = entryOf(record);
      describeGraph(*(*graphs)[i], entry);
      entry.ofCompiledAutograd = record.header.ofCompiledAutograd;
      if (entry.ofCompiledAutograd && entry.role == GraphRole::Whole)
        entry.role = GraphRole::Backward;
      if (entry.role == GraphRole::Whole && frames_.isOptimizer(record.prefix, entry.compileId))
        entry.role = GraphRole::Optimizer;
      if (!record.header.name.empty() && classOf(record.text).empty())
        entry.name = record.header.name;
      entry.inPayload = i;
      graphs_.push_back(std::move(entry));
    }
  }

  /// Adds one warning with the place of the first error; its text is the reason in the list.
  void refuse(const TraceRecord &record, llvm::Error error) {
    Diagnostic first;
    llvm::handleAllErrors(
        std::move(error), [&](const DiagnosticError &found) { first = found.diagnostics().front(); },
        [&](const llvm::ErrorInfoBase &other) { first.message = other.message(); });
    leaveOut(record, first.message);
    std::string of = record.header.compileId.empty() ? "" : " of " + record.header.compileId;
    first.severity = Severity::Warning;
    first.message = "left out the " + shown(record.header.kind) + of + ": " + first.message;
    if (graphs_.back().stage == 0 && printsGraph(record.text))
      frontEnd_.push_back({graphs_.back().rank, graphs_.back().compileId, std::move(first)});
    else
      warnings_.add(std::move(first));
  }

  /// Warns about the graphs of Dynamo that were left out, except those of compilations of which a later graph was read:
  /// a device runs that one, and Dynamo's graphs often hold methods, modules and tensor subclasses.
  void warnOfFrontEnd() {
    for (FrontEndGraph &refused : frontEnd_)
      if (llvm::none_of(graphs_, [&](const ListedGraph &graph) {
            return graph.stage != 0 && graph.leftOut.empty() && graph.rank == refused.rank &&
                   graph.compileId == refused.compileId;
          }))
        warnings_.add(std::move(refused.warning));
  }

  /// Adds one warning for the whole log, since in a log that was edited by a tool no sum matches.
  void warnOfSums() {
    if (unmatched_ == 0)
      return;
    std::string more = unmatched_ == 1 ? "" : ", and so with " + std::to_string(unmatched_ - 1) + " more";
    warn(firstUnmatched_, "the payload of " + shown(firstKind_) + " does not match its MD5 sum" + more,
         "the log was edited, cut off or damaged; the damaged text is read unchanged");
  }

  void broken(llvm::Error error, size_t line) {
    llvm::handleAllErrors(
        std::move(error),
        [&](const DiagnosticError &found) {
          warn(line, "the log ends early, after this line: " + found.diagnostics().front().message);
        },
        [&](const llvm::ErrorInfoBase &other) {
          warn(line, "the log ends early, after this line: " + other.message());
        });
  }

  std::string path_;
  std::optional<int64_t> nameRank_;
  Diagnostics &warnings_;
  std::vector<ListedGraph> graphs_;
  std::vector<FrontEndGraph> frontEnd_;
  FrameTable frames_;
  SymbolTable symbols_;
  bool hasOrders_ = false;
  JobWrappers wrappers_;
  size_t unmatched_ = 0;
  size_t firstUnmatched_ = 0;
  std::string firstKind_;
};

llvm::Error pathError(StringRef path, const std::string &message, const std::string &note = "") {
  Diagnostic diagnostic;
  diagnostic.file = path.str();
  diagnostic.message = message;
  if (!note.empty())
    diagnostic.notes.push_back(note);
  return makeError(std::move(diagnostic));
}

/// Compares names with digits as numbers: rank_9 precedes rank_10.
bool precedes(const std::string &a, const std::string &b) { return StringRef(a).compare_numeric(b) < 0; }

llvm::Expected<std::vector<std::string>> filesBelow(StringRef folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator at(folder, code), end; at != end && !code; at.increment(code))
    if (llvm::sys::fs::is_regular_file(at->path()))
      files.push_back(at->path());
  if (code)
    return pathError(folder, "cannot look into this folder: " + code.message());
  llvm::sort(files, precedes);
  return files;
}

/// Returns whether a header precedes the first line that could begin a graph.
bool beginsAsTrace(LineReader lines) {
  StringRef front = lines.front().ltrim("\xef\xbb\xbf \t\r\n");
  if (front.startswith("{") || front.contains('\0')) // JSON, or not a text
    return llvm::consumeError(lines.takeError()), false;
  while (std::optional<StringRef> line = lines.next()) {
    if (findHeader(*line))
      return true;
    StringRef content = line->ltrim();
    if (content.startswith(definition) || content.contains("(torch.nn.Module)"))
      break;
  }
  llvm::consumeError(lines.takeError());
  return false;
}

} // namespace

bool TraceLog::isTrace(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return true;
  if (!llvm::sys::fs::is_regular_file(path))
    return false;
  llvm::Expected<LineReader> lines = LineReader::open(path);
  if (!lines)
    return llvm::consumeError(lines.takeError()), false;
  return beginsAsTrace(std::move(*lines));
}

bool TraceLog::isTrace(const InputFile &file) { return beginsAsTrace(LineReader(file.source())); }

llvm::Error TraceLog::addFile(StringRef path, Diagnostics &warnings) {
  llvm::Expected<LineReader> lines = LineReader::open(path);
  if (!lines)
    return lines.takeError();
  LogLister lister(path, warnings);
  lister.list(*lines);
  llvm::append_range(graphs_, lister.take());
  hasOrders_ |= lister.hasOrders();
  wrappers_.add(lister.wrappers());
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> TraceLog::logsOf(StringRef path) {
  if (!llvm::sys::fs::is_directory(path))
    return std::vector{path.str()};
  llvm::Expected<std::vector<std::string>> files = filesBelow(path);
  if (!files)
    return files.takeError();
  llvm::erase_if(*files, [](const std::string &file) { return !isTrace(file); });
  if (files->empty())
    return pathError(path, "got a folder without TORCH_TRACE logs, expected one that TORCH_TRACE named",
                     "run the job with TORCH_TRACE=" + path.str() + ", or name a file");
  return files;
}

llvm::Expected<TraceLog> TraceLog::open(StringRef path, Diagnostics &warnings) {
  TraceLog log;
  auto files = logsOf(path);
  if (!files)
    return files.takeError();
  for (const std::string &file : *files)
    if (llvm::Error error = log.addFile(file, warnings))
      return error;
  return log;
}

llvm::Expected<TraceLog> TraceLog::open(const InputFile &file, Diagnostics &warnings) {
  TraceLog log;
  log.memory_ = &file;
  LineReader lines(file.source());
  LogLister lister(file.name(), warnings);
  lister.list(lines);
  log.graphs_ = lister.take();
  log.hasOrders_ = lister.hasOrders();
  log.wrappers_ = lister.wrappers();
  return log;
}

llvm::Expected<InputFile> TraceLog::text(const ListedGraph &graph) const {
  const ListedGraph *wanted[] = {&graph};
  llvm::Expected<std::vector<InputFile>> found = texts(wanted);
  if (!found)
    return found.takeError();
  return std::move(found->front());
}

llvm::Expected<std::vector<InputFile>> TraceLog::texts(llvm::ArrayRef<const ListedGraph *> wanted) const {
  std::vector<std::optional<InputFile>> found(wanted.size());
  std::set<std::string> files;
  for (const ListedGraph *graph : wanted)
    if (files.insert(graph->file).second)
      if (llvm::Error error = readTexts(graph->file, wanted, found))
        return error;
  std::vector<InputFile> texts;
  for (size_t i = 0; i != wanted.size(); ++i) {
    if (!found[i])
      return pathError(wanted[i]->file,
                       "the log changed while it was read: no graph at line " + std::to_string(wanted[i]->line));
    texts.push_back(std::move(*found[i]));
  }
  return texts;
}

/// Reads the payloads of one file. Several graphs may come from one payload.
llvm::Error TraceLog::readTexts(StringRef file, llvm::ArrayRef<const ListedGraph *> wanted,
                                std::vector<std::optional<InputFile>> &found) const {
  llvm::Expected<LineReader> lines = memory_ ? LineReader(memory_->source()) : LineReader::open(file);
  if (!lines)
    return lines.takeError();
  auto missing = llvm::count_if(wanted, [&](const ListedGraph *graph) { return graph->file == file; });
  RecordReader *self = nullptr;
  RecordReader reader({[&](TraceRecord &&record) {
                         for (size_t i = 0; i != wanted.size(); ++i) {
                           if (wanted[i]->file != file || wanted[i]->line != record.line || found[i])
                             continue;
                           found[i] = InputFile::ofText(wanted[i]->file, record.text, record.cut);
                           --missing;
                         }
                         if (missing == 0)
                           self->stop();
                       },
                       [](size_t, StringRef) {}});
  self = &reader;
  reader.read(*lines);
  llvm::consumeError(lines->takeError());
  return llvm::Error::success();
}

} // namespace ccgraph

#include "ccgraph/frontend/trace_estimates.h"

#include "ccgraph/frontend/durations_file.h"
#include "ccgraph/frontend/trace_log.h"
#include "machine/json_durations.h"
#include "trace/record_reader.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

constexpr StringRef computeTable = "fx_compute_nodes_runtime_estimation";
constexpr StringRef collectiveTable = "fx_collectives_analytical_estimation";
constexpr StringRef kernelTable = "inductor_runtime_and_tensor_meta";

bool isTable(const TraceHeader &header) {
  return header.kind == computeTable || header.kind == collectiveTable || header.kind == kernelTable;
}

/// The last `count` columns of a line; the key before them may contain commas. Empty where there are fewer columns.
struct Columns {
  StringRef key;
  llvm::SmallVector<StringRef, 5> rest;
};
std::optional<Columns> splitColumns(StringRef line, unsigned count) {
  Columns columns{line, {}};
  for (; count != 0; --count) {
    if (!columns.key.contains(','))
      return std::nullopt;
    auto [before, last] = columns.key.rsplit(',');
    columns.key = before;
    columns.rest.insert(columns.rest.begin(), last);
  }
  return columns;
}

/// Returns the text after "name:" in a list of such words; empty where no word has this name.
StringRef wordAfter(StringRef text, StringRef name) {
  for (StringRef rest = text; !rest.empty();) {
    auto [word, tail] = rest.split(' ');
    if (word.consume_front(name) && word.consume_front(":"))
      return word;
    rest = tail;
  }
  return "";
}

class TableReader {
public:
  explicit TableReader(TraceEstimates &estimates) : estimates_(estimates) {}

  void read(const TraceRecord &record) {
    if (record.header.kind == kernelTable)
      return kernels(record);
    const bool isCompute = record.header.kind == computeTable;
    llvm::SmallVector<StringRef, 0> lines;
    StringRef(record.text).split(lines, '\n', -1, false);
    for (StringRef line : lines)
      if (!line.startswith("#") && !line.startswith(isCompute ? "Node," : "Collective Key,"))
        estimates_.passedOver += (isCompute ? compute(line) : collective(line)) ? 0 : 1;
  }

private:
  bool compute(StringRef line) {
    constexpr unsigned numbers = 5;
    auto columns = splitColumns(line, numbers);
    auto time = columns ? parseMicroseconds(columns->rest.front()) : std::nullopt;
    if (!time)
      return false;
    auto [node, inputs] = columns->key.split(' ');
    estimates_.computes.push_back({node.str(), inputs.str(), *time});
    return true;
  }

  bool collective(StringRef line) {
    constexpr int64_t microsecondsPerMillisecond = 1000;
    auto columns = splitColumns(line, 2);
    auto time = columns ? parseMicroseconds(columns->rest.front()) : std::nullopt;
    CollectiveEstimate found;
    if (!time || *time > INT64_MAX / microsecondsPerMillisecond ||
        wordAfter(columns->key, "input_bytes").getAsInteger(10, found.inputBytes))
      return false;
    found.target = columns->key.split(' ').first.str();
    found.group = wordAfter(columns->key, "group_name").str();
    found.picoseconds = *time * microsecondsPerMillisecond;
    estimates_.collectives.push_back(std::move(found));
    return true;
  }

  void kernels(const TraceRecord &record) {
    auto read = readJsonDurations({estimates_.origin, record.text});
    if (read)
      estimates_.kernels.push_back(std::move(*read));
    else
      llvm::consumeError(read.takeError()), ++estimates_.passedOver;
  }

  TraceEstimates &estimates_;
};

llvm::Error readLog(StringRef path, TraceEstimates &estimates) {
  llvm::Expected<LineReader> lines = LineReader::open(path);
  if (!lines)
    return lines.takeError();
  TableReader tables(estimates);
  RecordReader reader({[&](TraceRecord &&record) { tables.read(record); }, [](size_t, StringRef) {},
                       [](const TraceHeader &header) { return isTable(header); }});
  reader.read(*lines);
  return lines->takeError();
}

} // namespace

llvm::Expected<TraceEstimates> readTraceEstimates(StringRef path) {
  TraceEstimates estimates;
  estimates.origin = path.str();
  auto files = TraceLog::logsOf(path);
  if (!files)
    return files.takeError();
  for (const std::string &file : *files)
    if (llvm::Error error = readLog(file, estimates))
      return error;
  return estimates;
}

} // namespace ccgraph

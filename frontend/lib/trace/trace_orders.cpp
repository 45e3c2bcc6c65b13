#include "ccgraph/frontend/trace_orders.h"

#include "files/line_reader.h"
#include "trace/record_reader.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

constexpr StringRef artifact = "inductor_collective_schedule";

/// Returns the texts of a list; nothing where the list holds anything else.
std::optional<std::vector<std::string>> namesOf(StringRef text) {
  std::vector<std::string> names;
  StringRef rest = text.trim();
  if (!rest.consume_front("[") || !rest.consume_back("]"))
    return std::nullopt;
  llvm::SmallVector<StringRef, 0> words;
  rest.split(words, ',', -1, false);
  for (StringRef word : words) {
    word = word.trim();
    if (!word.consume_front("\"") || !word.consume_back("\"") || word.contains('"') || word.contains('\\'))
      return std::nullopt;
    word.consume_front("torch.ops.");
    names.push_back(word.str());
  }
  return names;
}

} // namespace

llvm::Expected<std::vector<TraceOrder>> readTraceOrders(StringRef path) {
  llvm::Expected<LineReader> lines = LineReader::open(path);
  if (!lines)
    return lines.takeError();
  std::vector<TraceOrder> orders;
  RecordReader reader({[&](TraceRecord &&record) {
                         if (std::optional<std::vector<std::string>> names = namesOf(record.text))
                           orders.push_back({record.header.compileId, record.header.rank, std::move(*names)});
                       },
                       [](size_t, StringRef) {}, [](const TraceHeader &header) { return header.kind == artifact; }});
  reader.read(*lines);
  if (llvm::Error error = lines->takeError())
    return error;
  return orders;
}

} // namespace ccgraph

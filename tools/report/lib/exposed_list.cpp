#include "report/exposed_list.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace ccgraph::report {

namespace {

constexpr size_t columns = 8;
/// the first columns are numbers, aligned to the right
constexpr size_t numbers = 3;
using Row = std::array<std::string, columns>;

/// Returns how long the collective takes, and how much of that is due to shared links.
std::string takesText(const Exposure &exposure) {
  std::string text = timeText(exposure.time.end - exposure.time.begin);
  return exposure.shared == 0 ? text : text + " (" + timeText(exposure.shared) + " of them: shared links)";
}

Row rowOf(const Exposure &exposure) {
  const CollectiveTime &time = exposure.time;
  return {timeText(time.exposed), takesText(exposure), bytesText(time.bytes), time.node,
          "on " + time.group,     beginText(exposure), readerText(exposure),  exposure.source};
}

void printRow(llvm::raw_ostream &os, const Row &row, const std::array<size_t, columns> &widths) {
  std::string line;
  for (size_t i = 0; i != columns; ++i) {
    line += i == 0 ? "" : "  ";
    line += i < numbers ? alignRight(row[i], widths[i]) : row[i] + std::string(widths[i] - row[i].size(), ' ');
  }
  os << llvm::StringRef(line).rtrim() << '\n';
}

/// Quotes the text if it has a comma, a quote or a line break.
std::string csvCell(llvm::StringRef text) {
  if (text.find_first_of(",\"\r\n") == llvm::StringRef::npos)
    return text.str();
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

} // namespace

std::string beginText(const Exposure &exposure) {
  std::string after = exposure.needs.empty() ? "" : " after " + exposure.needs;
  std::string early = "could begin " + timeText(exposure.slack) + " earlier" + after;
  switch (exposure.begin) {
  case BeginPin::Group:
    return "queues behind " + exposure.needs;
  case BeginPin::Input:
    return exposure.needs.empty() ? "at the start of the program" : "after its input " + exposure.needs;
  case BeginPin::Fixed:
    return early + ", but ranks or groups bind it to its place";
  case BeginPin::Budget:
    return early + " with " + bytesText(exposure.lacks) + " more memory";
  case BeginPin::Order:
    return early + ", no faster step was found so";
  }
  llvm_unreachable("no such pin");
}

std::string readerText(const Exposure &exposure) {
  if (exposure.reader.empty())
    return "the end of the program";
  return exposure.reader +
         (exposure.waitsEarly == 0 ? "" : ", and waited for " + timeText(exposure.waitsEarly) + " earlier");
}

void printExposed(llvm::raw_ostream &os, llvm::ArrayRef<Exposure> exposed) {
  std::vector<Row> rows = {{"exposed", "of", "bytes", "collective", "group", "begins", "needed by", "written at"}};
  for (const Exposure &exposure : exposed)
    rows.push_back(rowOf(exposure));
  std::array<size_t, columns> widths = {};
  for (const Row &row : rows)
    for (size_t i = 0; i != columns; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const Row &row : rows)
    printRow(os, row, widths);
}

void printExposedCsv(llvm::raw_ostream &os, llvm::ArrayRef<Exposure> exposed) {
  os << "node,kind,group,bytes,begin_ns,end_ns,exposed_ns,begin_held_by,needs,slack_ns,lacks_bytes,shared_ns,reader,"
        "source\n";
  for (const Exposure &it : exposed)
    os << csvCell(it.time.node) << ',' << it.kind << ',' << csvCell(it.time.group) << ',' << it.time.bytes << ','
       << it.time.begin / picosecondsOfNs << ',' << it.time.end / picosecondsOfNs << ','
       << it.time.exposed / picosecondsOfNs << ',' << beginPinName(it.begin) << ',' << csvCell(it.needs) << ','
       << it.slack / picosecondsOfNs << ',' << it.lacks << ',' << it.shared / picosecondsOfNs << ','
       << csvCell(it.reader) << ',' << csvCell(it.source) << '\n';
}

} // namespace ccgraph::report

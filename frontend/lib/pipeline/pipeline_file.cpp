#include "ccgraph/frontend/pipeline_file.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// No pipeline has more stages or microbatches; larger numbers would need memory without bound.
constexpr int64_t largestNumber = 65535;

bool parseNumber(llvm::StringRef text, int64_t &number) {
  return !text.empty() && !text.getAsInteger(10, number) && number >= 0 && number <= largestNumber;
}

/// Returns true for steps of a stage as a whole.
bool isWholeStage(PipelineActionKind kind) { return kind >= PipelineActionKind::Unshard; }

/// Reads "1F0" or "1UNSHARD".
std::optional<PipelineAction> parseAction(llvm::StringRef text) {
  text = text.trim();
  PipelineAction action;
  llvm::StringRef stage = text.take_while(llvm::isDigit);
  llvm::StringRef rest = text.drop_front(stage.size());
  llvm::StringRef name = rest.take_until(llvm::isDigit);
  std::optional<PipelineActionKind> kind = parsePipelineActionKind(name);
  if (!kind || !parseNumber(stage, action.stage))
    return std::nullopt;
  action.kind = *kind;
  llvm::StringRef microbatch = rest.drop_front(name.size());
  if (isWholeStage(*kind))
    return microbatch.empty() ? std::optional(action) : std::nullopt;
  int64_t number = 0;
  if (!parseNumber(microbatch, number))
    return std::nullopt;
  action.microbatch = number;
  return action;
}

/// Reads a cell; a cell that is not empty and gives no actions is wrong.
std::vector<PipelineAction> parseCell(llvm::StringRef cell) {
  std::vector<PipelineAction> actions;
  llvm::SmallVector<llvm::StringRef, 2> parts = {cell};
  if (cell.consume_front("(")) {
    auto [inner, kind] = cell.split(')');
    parts.clear();
    inner.split(parts, ';');
    if (kind.trim() != "OVERLAP_F_B")
      return {};
  }
  for (llvm::StringRef part : parts)
    if (std::optional<PipelineAction> action = parseAction(part))
      actions.push_back(*action);
    else
      return {};
  return actions;
}

/// Returns the first cell that is not empty.
llvm::StringRef firstCell(llvm::StringRef text) {
  constexpr llvm::StringLiteral separators = ", \t\r\n\"";
  llvm::StringRef rest = text.ltrim(separators);
  return rest.take_until([](char c) { return c == ',' || c == '\n' || c == '\r' || c == '"'; }).trim();
}

class PipelineReader {
public:
  explicit PipelineReader(const SourceText &source) : source_(source) { schedule_.origin = source.name; }

  llvm::Expected<PipelineSchedule> read() {
    if (llvm::Error error = checkFirstCell())
      return error;
    llvm::StringRef rest = source_.text;
    while (!rest.empty()) {
      llvm::StringRef line = rest.take_until([](char c) { return c == '\n'; });
      rest = rest.drop_front(std::min(line.size() + 1, rest.size()));
      if (!line.trim().empty() || !rest.trim().empty())
        readLine(line);
    }
    if (diagnostics_.hasErrors())
      return makeError(diagnostics_.take());
    if (schedule_.stages == 0)
      return makeError(withRule(diagnoseAt(source_, 0, "this schedule has no action, expected a line for each rank",
                                           "a line of a rank is 0F0,0F1,0B0,0B1")));
    return std::move(schedule_);
  }

private:
  static Diagnostic withRule(Diagnostic diagnostic) {
    diagnostic.rule = "pipeline.syntax";
    return diagnostic;
  }

  /// A text that does not begin with an action is another kind of file: one error is enough.
  llvm::Error checkFirstCell() {
    llvm::StringRef first = firstCell(source_.text);
    if (first.empty() || !parseCell(first).empty())
      return llvm::Error::success();
    return makeError(notAnAction(static_cast<size_t>(first.data() - source_.text.data()), first));
  }

  [[nodiscard]] Diagnostic notAnAction(size_t offset, llvm::StringRef cell) const {
    return withRule(diagnoseAt(source_, offset, "got '" + visibleText(cell) + "', expected an action",
                               "an action is stage, kind and microbatch, such as 1F0, 1B0 or 1SEND_F0"));
  }

  void readLine(llvm::StringRef line) {
    schedule_.ranks.emplace_back();
    llvm::SmallVector<llvm::StringRef, 64> cells;
    line.split(cells, ',');
    for (llvm::StringRef cell : cells)
      if (llvm::StringRef text = cell.trim(); !text.empty())
        readCell(text, static_cast<unsigned>(text.data() - line.data() + 1));
  }

  void readCell(llvm::StringRef cell, unsigned column) {
    auto offset = static_cast<size_t>(cell.data() - source_.text.data());
    // A field of CSV may be quoted.
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = cell.drop_front().drop_back().trim();
    std::vector<PipelineAction> actions = parseCell(cell);
    if (actions.empty()) {
      diagnostics_.add(notAnAction(offset, cell));
      return;
    }
    for (const PipelineAction &action : actions) {
      schedule_.stages = std::max(schedule_.stages, action.stage + 1);
      schedule_.microbatches = std::max(schedule_.microbatches, action.microbatch.value_or(-1) + 1);
    }
    auto line = static_cast<unsigned>(schedule_.ranks.size());
    schedule_.ranks.back().push_back({std::move(actions), line, column});
  }

  const SourceText &source_;
  PipelineSchedule schedule_;
  Diagnostics diagnostics_;
};

} // namespace

llvm::Expected<PipelineSchedule> readPipelineSchedule(const SourceText &source) {
  return PipelineReader(source).read();
}

void writePipelineSchedule(llvm::raw_ostream &os, const PipelineSchedule &schedule) {
  for (const auto &slots : schedule.ranks) {
    std::vector<std::string> cells;
    for (const PipelineSlot &slot : slots)
      cells.push_back(slot.str());
    os << llvm::join(cells, ",") << '\n';
  }
}

bool isPipelineSchedule(llvm::StringRef text) { return !parseCell(firstCell(text)).empty(); }

} // namespace ccgraph

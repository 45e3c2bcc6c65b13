#include "report/summary.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/passes/registry.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/text.h"
#include "report/exposed_list.h"
#include "report/job_notes.h"
#include "report/measured_text.h"
#include "report/remark_texts.h"
#include "report/step_text.h"
#include "report/time_texts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ccgraph::report {
namespace {

constexpr unsigned labelWidth = 13;
constexpr size_t maxReasons = 4;
constexpr size_t maxExposed = 3;
constexpr size_t timeWidth = 10;
constexpr size_t maxGroups = 6;
constexpr size_t maxOpaque = 3;
constexpr const char *noTimes =
    "not predicted: the sizes are not known, and neither is how long anything takes (--durations FILE)";

/// One row of the table of collectives, before and after the passes.
struct RowPair {
  const CollectiveRow *before = nullptr;
  const CollectiveRow *after = nullptr;
  [[nodiscard]] const CollectiveRow &any() const { return before ? *before : *after; }
};

// Pairs the rows of both sides; a row is one kind of collective on one group. Most rows exist before and after. A row
// that only one side has gets no partner, and the other side prints "-".
std::vector<RowPair> pairRows(const GraphFacts &before, const GraphFacts &after) {
  std::vector<RowPair> pairs;
  std::map<std::pair<CollectiveKind, llvm::StringRef>, size_t> index;
  for (const CollectiveRow &row : before.rows) {
    index[{row.kind, row.group}] = pairs.size();
    pairs.push_back({&row, nullptr});
  }
  for (const CollectiveRow &row : after.rows) {
    auto known = index.find({row.kind, row.group});
    if (known == index.end())
      pairs.push_back({nullptr, &row});
    else
      pairs[known->second].after = &row;
  }
  llvm::stable_sort(pairs, [](const RowPair &a, const RowPair &b) { return a.any().kind < b.any().kind; });
  return pairs;
}

constexpr size_t countWidth = 8;
constexpr size_t bytesWidth = 12;

std::string cell(const CollectiveRow *row) {
  if (!row)
    return alignRight("-", countWidth) + std::string(bytesWidth, ' ');
  std::string bytes = bytesText(row->bytes) + (row->unknownSizes ? "+?" : "");
  return alignRight(withCommas(static_cast<int64_t>(row->launches)), countWidth) + alignRight(bytes, bytesWidth);
}

/// Returns "lm_head" for "/a/b/model.py:12 in lm_head", and "model.py:12" for a place without a module.
llvm::StringRef shortPlace(llvm::StringRef source) {
  auto [file, module] = source.split("in ");
  return module.empty() ? file.rsplit('/').second.empty() ? file : file.rsplit('/').second : module;
}

/// Returns how far the peak is from the memory floor.
std::string floorText(const MemoryFloor &floor, int64_t peak) {
  return floor.bytes >= peak ? "no order needs less" : "no order below " + bytesText(floor.bytes);
}

/// Returns the explanation of a reason, as the pass declares it.
std::string reasonHelp(llvm::StringRef passText, llvm::StringRef id) {
  auto pass = createPass(passText.take_until([](char c) { return c == '{'; }));
  if (pass)
    for (const Reason *reason : pass->reasons())
      if (reason->id() == id)
        return reason->help();
  return id.str();
}

/// SummaryPrinter prints the summary block by block: each line is a label of 13 columns and a text. For a pass, it
/// prints what the pass did. Below, indented, it prints why the pass left nodes alone, the most frequent reasons first:
///   coalesce-collectives  387 merged into 129 (bucketed)
///                         63 left alone (full): each bucket that it could join is full by max-bytes or max-count
/// All this is computed from the remarks, and the pass declares the text of each reason.
class SummaryPrinter {
public:
  SummaryPrinter(llvm::raw_ostream &os, const Summary &summary, Color color)
      : os_(os), s_(summary), color_(color == Color::Yes) {}

  void run() {
    label("graph") << visibleText(s_.input) << ", " << visibleText(s_.graph) << ": " << role()
                   << withCommas(static_cast<int64_t>(s_.before.nodes)) << " nodes -> "
                   << withCommas(static_cast<int64_t>(s_.after.nodes)) << '\n';
    if (!s_.choice.empty())
      label("chosen") << wrapped(s_.choice, labelWidth) << '\n';
    if (std::string own = s_.step ? inductorText(*s_.step, s_.level) : ""; !own.empty())
      label("inductor") << wrapped(own, labelWidth) << '\n';
    if (!s_.inductorOrder.empty())
      label("inductor") << wrapped(s_.inductorOrder, labelWidth) << '\n';
    if (std::string outside = s_.step ? outsideText(*s_.step) : ""; !outside.empty())
      label("outside") << wrapped(outside, labelWidth) << '\n';
    for (const JobNote &note : jobNotes(s_))
      label(note.label) << wrapped(note.text, labelWidth) << '\n';
    std::string passes = s_.pipeline.empty() ? ": nothing" : s_.pipeline == s_.level ? "" : ": " + spaced(s_.pipeline);
    label("pipeline") << wrapped((s_.level == s_.pipeline ? spaced(s_.level) : s_.level) + passes, labelWidth)
                      << "\n\n";
    printMeasured();
    printTime();
    printCollectives();
    printPasses();
    printAdvice();
    printMemory();
    if (s_.memory)
      printLines(memoryLines(*s_.memory));
    printCosts();
    printGroups();
    printChecks();
  }

  void printTimes() {
    const PhaseTimes &t = s_.times;
    label("time") << secondsText(t.read + t.choice + t.passes + t.checks + t.predictions + t.equivalence + t.write)
                  << ": read " << secondsText(t.read);
    auto part = [&](llvm::StringRef name, double seconds) {
      if (seconds > 0)
        os_ << ", " << name << ' ' << secondsText(seconds);
    };
    part("choice of nodes", t.choice);
    os_ << ", passes " << secondsText(t.passes) << ", checks " << secondsText(t.checks);
    part("predictions", t.predictions);
    part("equivalence", t.equivalence);
    part("write", t.write);
    os_ << '\n';
  }

private:
  llvm::raw_ostream &label(llvm::StringRef text, unsigned width = labelWidth) {
    if (color_)
      os_.changeColor(llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true);
    os_ << llvm::left_justify(text, width);
    if (color_)
      os_.resetColor();
    return os_;
  }

  /// Adds a blank after each comma, where a line may break.
  static std::string spaced(llvm::StringRef pipeline) {
    std::string text;
    for (char c : pipeline)
      text += c == ',' ? ", " : std::string(1, c);
    return text;
  }

  /// Returns a text such as "the backward, 1 of 3 graphs of a step; sizes s0 = 4096 (--bind); ".
  [[nodiscard]] std::string role() const {
    std::string text = s_.step ? roleText(*s_.step) : "";
    for (const UsedSize &size : s_.sizes)
      text += (&size != s_.sizes.data() ? ", "
               : text.empty()           ? "sizes "
                                        : "; sizes ") +
              size.symbol + " = " + std::to_string(size.value) + (size.isGiven ? " (--bind)" : " (as traced)");
    return text.empty() ? "" : text + "; ";
  }

  /// Returns what Inductor makes of the graph, if the log has Inductor's graph and it differs from this graph.
  [[nodiscard]] const GraphCost *inductors() const {
    bool isOther = s_.step && s_.step->own().inductor && !s_.step->own().graph.startsFromInductor();
    return isOther ? &*s_.step->own().inductor : nullptr;
  }

  void printMeasured() {
    if (!s_.measured)
      return;
    MeasuredLines request{*s_.measured, std::nullopt, std::nullopt};
    if (s_.run.timeBefore)
      request.predicted = s_.run.timeBefore->total;
    if (s_.run.bounds)
      request.bound = s_.run.bounds->anyMerging.picoseconds;
    printLines(measuredLines(request));
    os_ << '\n';
  }

  void printLines(llvm::ArrayRef<MeasuredLine> lines) {
    for (const MeasuredLine &line : lines)
      label(line.label) << wrapped(line.text, labelWidth) << '\n';
  }

  // Prints the most important numbers first: how long the step takes, and how much of it is exposed communication.
  void printTime() {
    std::string step = s_.step ? stepText(*s_.step, s_.level) : "";
    if (!step.empty())
      label("step") << wrapped(step, labelWidth) << '\n';
    if (s_.run.timeBefore && !s_.run.timeBefore->collectives.empty())
      printOwnTime(*s_.run.timeBefore, *s_.run.timeAfter);
    else if (!step.empty())
      os_ << '\n';
  }

  void printOwnTime(const Timeline &asRead, const Timeline &after) {
    std::string name = s_.step ? ownLabel(*s_.step) : "step";
    if (asRead.total == 0) {
      label(name) << noTimes << "\n\n";
      return;
    }
    const GraphCost *inductor = inductors();
    const GraphCost before = inductor ? *inductor : costOf(asRead, 0);
    std::string text = timeText(before.total) + (inductor ? " as PyTorch runs it -> " : " -> ") +
                       timeText(after.total) + " predicted, of it " + timeText(after.compute) + " computation";
    if (size_t unsized = costOf(after, 0).unsized)
      text += ", without " + counted(unsized, "collective") + " of unknown size";
    label(name) << wrapped(text, labelWidth) << '\n';
    if (s_.run.bounds)
      label("bound") << wrapped(boundText(*s_.run.bounds, after.total), labelWidth) << '\n';
    if (std::string rounding = s_.rounding ? roundingText(*s_.rounding, after.total) : ""; !rounding.empty())
      label("rounding") << wrapped(rounding, labelWidth) << '\n';
    label("exposed") << timeWithShare(before.exposed, before.total) << " -> "
                     << timeWithShare(after.exposed, after.total) << '\n';
    printWorst();
    os_ << '\n';
  }

  /// Prints the most exposed collectives, and the limiting factor of each.
  void printWorst() {
    for (const Exposure &it : llvm::ArrayRef(s_.run.exposed).take_front(maxExposed)) {
      std::string text = it.time.node + " on " + it.time.group + ", " + bytesText(it.time.bytes) + ": " +
                         beginText(it) + "; needed by " + readerText(it) +
                         (it.source.empty() ? "" : " (" + shortPlace(it.source).str() + ")");
      label("") << alignRight(timeText(it.time.exposed), timeWidth) << "  " << wrapped(text, labelWidth + timeWidth + 2)
                << '\n';
    }
  }

  void printCollectives() {
    auto pairs = pairRows(s_.before, s_.after);
    if (pairs.empty()) {
      label("collectives")
          << wrapped("none: DDP and FSDP communicate from hooks, outside of compiled graphs; SimpleFSDP, tensor "
                     "and expert parallel, and functional collectives do it inside "
                     "(see docs/getting-a-graph.md)",
                     labelWidth)
          << '\n';
      return;
    }
    size_t width = 0;
    auto name = [](const RowPair &pair) { return collectiveName(pair.any().kind).str() + " on " + pair.any().group; };
    for (const RowPair &pair : pairs)
      width = std::max(width, name(pair).size());
    width = std::min<size_t>(width, 44);
    label("collectives") << std::string(width, ' ') << alignRight("before", countWidth + bytesWidth)
                         << alignRight("after", countWidth + bytesWidth) << '\n';
    for (const RowPair &pair : pairs)
      label("") << llvm::left_justify(llvm::StringRef(name(pair)).take_front(width), static_cast<unsigned>(width))
                << cell(pair.before) << cell(pair.after) << '\n';
  }

  void printPasses() {
    os_ << '\n';
    std::string idle;
    for (const PassRun &run : s_.run.passes)
      if (isIdle(run))
        idle += (idle.empty() ? "" : ", ") + nameOf(run).str();
      else
        passWidth_ = std::max(passWidth_, static_cast<unsigned>(nameOf(run).size()) + 2);
    for (const PassRun &run : s_.run.passes)
      if (!isIdle(run))
        printPass(run);
    if (!idle.empty())
      label("no change") << wrapped(idle, labelWidth) << '\n';
    if (!s_.run.passes.empty())
      os_ << '\n';
  }

  /// Returns true if the pass left the graph unchanged and no remark reports a missed change. A collective that the
  /// pass kept by choice does not count as missed. A collective that the pass could not move counts.
  static bool isIdle(const PassRun &run) {
    return run.changed == Changed::No &&
           llvm::all_of(run.remarks, [](const Remark &remark) { return remark.kind == RemarkKind::Kept; });
  }

  static llvm::StringRef nameOf(const PassRun &run) {
    return llvm::StringRef(run.pass).take_until([](char c) { return c == '{'; });
  }

  void printPass(const PassRun &run) {
    auto counts = countRemarks(run);
    std::string done;
    for (const RemarkCount &count : counts)
      if (count.kind != RemarkKind::Missed && count.kind != RemarkKind::Kept)
        done += (done.empty() ? "" : ", ") + withCommas(static_cast<int64_t>(count.count)) + " " +
                remarkKindName(count.kind).str() + (count.kind == RemarkKind::Merged ? targetsText(run) : "") + " (" +
                count.reason + ")";
    std::string nothing =
        run.changed == Changed::No ? "nothing done" : "order changed; every collective keeps its exposed time";
    passLabel(nameOf(run)) << (done.empty() ? nothing : done + distanceText(run)) << '\n';
    printMissed(run, counts);
  }

  llvm::raw_ostream &passLabel(llvm::StringRef text) { return label(text, passWidth_); }

  /// Prints the most frequent reasons for leaving a node alone.
  void printMissed(const PassRun &run, llvm::ArrayRef<RemarkCount> counts) {
    size_t shown = 0;
    size_t more = 0;
    for (const RemarkCount &count : counts) {
      if (count.kind != RemarkKind::Missed)
        continue;
      if (shown++ < maxReasons)
        passLabel("") << wrapped(withCommas(static_cast<int64_t>(count.count)) + " left alone (" + count.reason +
                                     "): " + reasonHelp(run.pass, count.reason) + shortageText(run, count.reason),
                                 passWidth_)
                      << '\n';
      else
        more += count.count;
    }
    if (more)
      passLabel("") << withCommas(static_cast<int64_t>(more))
                    << " left alone for other reasons (--remarks lists them)\n";
  }

  /// Prints the tried options that help, with their flags.
  void printAdvice() {
    if (!s_.advised)
      return;
    if (s_.run.timeBefore && s_.run.timeBefore->total == 0)
      label("advice") << "none, since no step is predicted\n";
    else if (s_.advice.empty())
      label("advice") << "nothing that was tried saves a hundredth of the step\n";
    for (const Advice &advice : s_.advice)
      label(&advice == &s_.advice.front() ? "advice" : "")
          << wrapped(advice.change + (advice.saved < 0 ? " would cost " : " would save ") +
                         timeWithShare(std::abs(advice.saved), s_.run.timeAfter->total) + ": " + advice.flags,
                     labelWidth)
          << '\n';
    if (!s_.advice.empty() && s_.run.cost->durations.empty())
      label("") << "by predicted times alone (--durations FILE gives measured ones)\n";
    os_ << '\n';
  }

  void printMemory() {
    const GraphCost *inductor = inductors();
    std::string text = "peak " + bytesText(inductor ? inductor->peakBytes : s_.before.peakBytes) +
                       (inductor ? " as PyTorch runs it -> " : " -> ") + bytesText(s_.after.peakBytes);
    bool isPyTorchs =
        inductor && s_.run.memoryBudget == inductor->peakBytes && inductor->peakBytes > s_.before.peakBytes;
    if (s_.run.memoryBudget)
      text += ", budget " + (s_.budgetGiven && *s_.run.memoryBudget == 0 ? "as little as can be"
                             : s_.budgetGiven                            ? bytesText(*s_.run.memoryBudget)
                             : isPyTorchs                                ? "PyTorch's (--memory-budget)"
                             : isNormalized()                            ? normalizedBudgetText()
                                                                         : "the input's (--memory-budget)");
    if (s_.run.bounds)
      text += ", " + floorText(s_.run.bounds->memory, s_.after.peakBytes);
    label("memory") << wrapped(text, labelWidth) << '\n';
  }

  /// Returns true where the passes of the normalize phase raised the peak, and with it the default budget.
  [[nodiscard]] bool isNormalized() const { return *s_.run.memoryBudget > s_.before.peakBytes; }

  [[nodiscard]] std::string normalizedBudgetText() const {
    return bytesText(*s_.run.memoryBudget) +
           ", the peak with functional collectives and inlined subgraphs (--memory-budget)";
  }

  /// Prints the machine for which times are predicted, and how durations changed the predictions.
  void printCosts() {
    if (!s_.run.cost)
      return;
    const CostSummary &cost = *s_.run.cost;
    label("machine") << cost.machine << (s_.nodes.empty() ? "" : ": " + s_.nodes)
                     << (s_.machineGiven ? "" : " (--machine NAME or FILE sets another)") << '\n';
    std::string unbound = s_.unboundSymbol.empty() ? "" : " (--bind " + s_.unboundSymbol + "=N)";
    label("times") << wrapped(sharesText(cost) + unbound, labelWidth) << '\n';
    if (!cost.durations.empty())
      label("durations") << wrapped(durationsText(cost), labelWidth) << '\n';
  }

  /// Returns a text such as "64 % measured, 36 % predicted, of 696.9 ms in all nodes of the input; 3 nodes of unknown
  /// size".
  static std::string sharesText(const CostSummary &cost) {
    int64_t sum = 0;
    for (int64_t picoseconds : cost.picoseconds)
      sum += picoseconds;
    std::string text;
    for (TimeSource source : allTimeSources)
      if (int64_t part = cost.picoseconds[static_cast<size_t>(source)]; part > 0)
        text += llvm::formatv("{0:f1} % ", 100.0 * static_cast<double>(part) / static_cast<double>(sum)).str() +
                timeSourceName(source).str() + ", ";
    text += llvm::formatv("of {0:f3} ms in all nodes of the input", static_cast<double>(sum) * 1e-9).str();
    if (size_t unknown = cost.nodes[static_cast<size_t>(TimeSource::Unknown)])
      text += "; " + counted(unknown, "node") + " of unknown size";
    return text;
  }

  static std::string durationsText(const CostSummary &cost) {
    std::string text = cost.durations + ": ";
    for (TimeSource source : {TimeSource::Measured, TimeSource::Estimated, TimeSource::Interpolated})
      if (size_t nodes = cost.nodes[static_cast<size_t>(source)])
        text += counted(nodes, "node") + " " + timeSourceName(source).str() + ", ";
    text += "machine scaled to them:";
    text += scaleText(" operations", cost.operations) + scaleText(" memory", cost.memory);
    for (LinkLevel level : {LinkLevel::Intra, LinkLevel::Inter})
      text += scaleText(" collectives " + levelText(level).str(), cost.links[static_cast<size_t>(level)]);
    return llvm::StringRef(text).rtrim(",").str();
  }

  /// Returns a text such as " memory x1.03 (412 nodes),"; empty if nothing was compared.
  static std::string scaleText(const std::string &what, const Scale &scale) {
    if (scale.nodes == 0)
      return "";
    return what + llvm::formatv(" x{0:f3} (", scale.factor).str() + counted(scale.nodes, "node") + "),";
  }

  // Prints the groups that a file states, then each assumption on a line of its own, with the flag that replaces it.
  // The reader then sees a wrong assumption beside the result that depends on it.
  void printGroups() {
    std::string known;
    size_t shown = 0;
    for (const Group &group : s_.groups.groups())
      if (!group.assumed && ++shown <= maxGroups)
        known += (known.empty() ? "" : "; ") + visibleText(group.name + ": " + membersText(group));
    if (!known.empty())
      label("groups") << wrapped(known + (shown > maxGroups ? "; ..." : ""), labelWidth) << '\n';
    if (std::string assumed = assumedGroupsText(s_.groups); !assumed.empty())
      label("assumed") << wrapped(assumed + " (--groups FILE does)", labelWidth) << '\n';
    if (!s_.unknownGroups.empty())
      label("assumed") << wrapped("nothing of the ranks of " + s_.unknownGroups +
                                      ", since neither a file nor a call states their number (--groups FILE does)",
                                  labelWidth)
                       << '\n';
    if (!s_.before.opaque.empty())
      label("assumed") << wrapped("operators that are not known stay in order: " + opaqueText() +
                                      " (--ops FILE declares them)",
                                  labelWidth)
                       << '\n';
    if (!s_.ranksAgree.empty())
      label("ranks") << wrapped("the graphs of " + s_.ranksAgree + " are one program", labelWidth) << '\n';
    else
      label("assumed") << (s_.spmd ? "every rank runs this program"
                                   : "other ranks run other programs: order across groups kept")
                       << '\n';
  }

  std::string opaqueText() {
    std::string text;
    for (const auto &[target, count] : llvm::ArrayRef(s_.before.opaque).take_front(maxOpaque))
      text += (text.empty() ? "" : ", ") + target + " x " + withCommas(static_cast<int64_t>(count));
    return text + (s_.before.opaque.size() > maxOpaque ? ", ..." : "");
  }

  static std::string membersText(const Group &group) {
    auto size = group.size();
    std::string text = size ? counted(static_cast<size_t>(*size), "rank") : "ranks unknown";
    if (!group.partition.empty())
      text += " in each of " + counted(group.partition.size(), "cell");
    return text + (group.description.empty() ? "" : " (" + group.description + ")");
  }

  void printChecks() {
    std::string text = "verifier ok";
    if (s_.warnings)
      text += ", " + counted(s_.warnings, "warning") + " (--verify-only lists them)";
    if (!s_.verifyEach)
      text += ", not after each pass";
    if (!s_.run.passes.empty())
      text += s_.checkedLegality ? "; legality ok after each pass" : "; legality not checked";
    text += "; equivalence " + (s_.equivalence.empty() ? "not checked (--check-equivalence N)" : s_.equivalence);
    label("checks") << wrapped(text, labelWidth) << '\n';
  }

  llvm::raw_ostream &os_;
  const Summary &s_;
  bool color_;
  unsigned passWidth_ = labelWidth;
};

} // namespace

void printSummary(llvm::raw_ostream &os, const Summary &summary, Color color) {
  SummaryPrinter(os, summary, color).run();
}

void printPhaseTimes(llvm::raw_ostream &os, const Summary &summary, Color color) {
  SummaryPrinter(os, summary, color).printTimes();
}

} // namespace ccgraph::report

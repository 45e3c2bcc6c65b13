#include "planner/plan_output.h"

#include "ccgraph/toolkit/text.h"

#include "llvm/Support/Format.h"

#include <algorithm>

namespace ccgraph::planner {
namespace {

using Fate = PlanPoint::Fate;

std::string escaped(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  llvm::printHTMLEscaped(text, os);
  return os.str();
}

constexpr const char *style = R"(
:root { color-scheme: light dark; --page: #fff; --panel: #f5f6f8; --line: #d9dde3; --text: #1b1f24; --quiet: #5d6773;
  --accent: #0b57d0; --bad: #c5221f; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --panel: #1d2126; --line: #343a42; --text: #e6e9ed;
  --quiet: #9aa4b0; --accent: #8ab4f8; --bad: #ff7b72; } }
body { margin: 0; padding: 14px 24px 60px; background: var(--page); color: var(--text);
  font: 14px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 19px; } h2 { font-size: 16px; margin: 26px 0 6px; }
.quiet, svg text { color: var(--quiet); fill: var(--quiet); }
svg { width: 100%; max-width: 980px; border: 1px solid var(--line); border-radius: 6px; }
svg .row { fill: var(--accent); } svg .over { fill: var(--bad); }
svg .bound { fill: none; stroke: var(--quiet); stroke-opacity: .5; }
svg .limit { stroke: var(--bad); stroke-dasharray: 5 4; } svg .grid { stroke: var(--line); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; border-top: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.number, th.number { text-align: right; } code { white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow: auto; })";

/// A point of the picture: time over memory.
struct Dot {
  double seconds = 0;
  double gibibytes = 0;
  const char *kind = "bound";
  std::string text;
};

double secondsOf(int64_t picoseconds) { return static_cast<double>(picoseconds) / 1e12; }
double gibibytesOf(int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

std::vector<Dot> dotsOf(const PlanText &plan) {
  std::vector<Dot> dots;
  for (const PlanPoint &point : plan.result.points)
    if (point.fate == Fate::NotGenerated || point.fate == Fate::TooLarge || point.fate == Fate::OverMemory)
      dots.push_back({secondsOf(point.bound.picoseconds), gibibytesOf(point.bound.bytes),
                      point.fate == Fate::OverMemory ? "over" : "bound",
                      point.candidate.flags() + ": at least " + timeText(point.bound.picoseconds) + " and " +
                          bytesText(point.bound.bytes)});
  for (const PlanRow &row : plan.result.rows)
    dots.push_back({secondsOf(row.stepPs), gibibytesOf(row.peakBytes), "row",
                    row.candidate.flags() + ": " + timeText(row.stepPs) + ", " + bytesText(row.peakBytes)});
  return dots;
}

/// The picture: memory to the right, up to twice the limit; time upwards, up to four times the best.
class Picture {
public:
  Picture(llvm::raw_ostream &os, const PlanText &plan)
      : os_(os), limit_(gibibytesOf(plan.request.memoryBytes)), best_(secondsOf(plan.result.rows.front().stepPs)) {}

  void draw(llvm::ArrayRef<Dot> dots) {
    os_ << "<svg viewBox=\"0 0 980 430\" role=\"img\" aria-label=\"step time over memory of a rank; the table has the "
           "same rows\">\n";
    for (int step = 1; step <= 4; ++step) {
      const double gib = limit_ * step / 2, time = best_ * step;
      line("grid", x(gib), y(0), x(gib), y(best_ * 4));
      label(x(gib) - 24, 418, gib, " GiB");
      line("grid", x(0), y(time), x(limit_ * 2), y(time));
      label(4, y(time) + 4, time, " s");
    }
    line("limit", x(limit_), y(0), x(limit_), y(best_ * 4));
    for (const Dot &dot : dots)
      if (dot.gibibytes <= limit_ * 2 && dot.seconds <= best_ * 4)
        os_ << llvm::format("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">", dot.kind, x(dot.gibibytes),
                            y(dot.seconds))
            << "<title>" << escaped(dot.text) << "</title></circle>\n";
    os_ << "</svg>\n";
  }

private:
  [[nodiscard]] double x(double gibibytes) const { return 60 + gibibytes / (2 * limit_) * 900; }
  [[nodiscard]] double y(double seconds) const { return 400 - seconds / (4 * best_) * 380; }
  void line(const char *kind, double x1, double y1, double x2, double y2) {
    os_ << llvm::format("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\"", kind, x1, y1)
        << llvm::format(" x2=\"%.1f\" y2=\"%.1f\"/>\n", x2, y2);
  }
  void label(double at, double height, double value, const char *unit) {
    os_ << llvm::format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%.3g%s</text>\n", at, height, value, unit);
  }

  llvm::raw_ostream &os_;
  double limit_;
  double best_;
};

void writeRow(llvm::raw_ostream &os, const PlanText &plan, const PlanRow &row, size_t number) {
  const PlanCandidate &c = row.candidate;
  os << "<tr><td class=\"number\">" << number << "</td><td>" << c.parallelText() << "</td><td>" << c.microbatch << " x "
     << c.microbatches() << "</td><td>" << recomputeName(c.recompute) << "</td><td class=\"number\">" << c.zero
     << "</td><td class=\"number\">" << timeText(row.stepPs) << "</td><td class=\"number\">" << timeText(row.exposedPs)
     << "</td><td class=\"number\">" << (c.pipeline ? timeText(row.bubblePs) : "-") << "</td><td class=\"number\">"
     << timeText(row.boundPs) << "</td><td class=\"number\">" << bytesText(row.peakBytes)
     << "</td><td class=\"number\">" << withCommas(static_cast<int64_t>(row.tokensPerSecondOfRank)) << "</td><td>";
  for (const std::string &command : plan.commandsOf(row))
    os << "<code>" << escaped(command) << "</code><br>";
  os << "</td></tr>\n";
}

} // namespace

void writePlanPage(llvm::raw_ostream &os, const PlanText &plan) {
  const PlanJob &job = plan.request.job;
  const std::string title =
      job.step.model.name + " on " + std::to_string(job.ranks) + " ranks of " + plan.request.machine.name;
  os << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" << escaped(title)
     << "</title><style>" << style << "</style></head><body>\n<h1>" << escaped(title) << "</h1>\n<p class=\"quiet\">"
     << bytesText(plan.request.memoryBytes) << " of memory a rank; a step has " << withCommas(job.batch)
     << " sequences of " << withCommas(job.step.shape.sequence) << " tokens; " << plan.result.points.size()
     << " candidates</p>\n<h2>Time against memory</h2>\n";
  Picture(os, plan).draw(dotsOf(plan));
  os << "<p class=\"quiet\">Filled: the rows of the table. Circles: lower bounds of candidates that are slower, or "
        "that "
        "need more memory, by their bound. Red: candidates above the memory (dashed line) after optimization. "
        "Candidates "
        "beyond four times the best time or twice the memory are left out.</p>\n"
        "<h2>The best candidates</h2>\n<div class=\"scroll\"><table><tr><th class=\"number\">#</th><th>parallelism</th>"
        "<th>sequences</th><th>recompute</th><th class=\"number\">zero</th><th class=\"number\">step</th>"
        "<th class=\"number\">exposed</th><th class=\"number\">bubble</th><th class=\"number\">bound</th><th "
        "class=\"number\">memory</th>"
        "<th class=\"number\">tokens/s/rank</th><th>commands</th></tr>\n";
  size_t number = 0;
  for (const PlanRow &row : plan.result.rows)
    writeRow(os, plan, row, ++number);
  os << "</table></div>\n</body></html>\n";
}

} // namespace ccgraph::planner

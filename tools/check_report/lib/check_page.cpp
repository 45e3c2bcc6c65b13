#include "check_report/check_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace ccgraph::report {
namespace {

using jobs::Finding;
using jobs::FindingNode;
using jobs::RankTimeline;
using jobs::TimelineLaunch;
using State = TimelineLaunch::State;

constexpr llvm::StringLiteral style = R"(
:root { color-scheme: light dark; --page: #fff; --line: #d9dde3; --text: #1b1f24; --quiet: #5d6773; --done: #9db4d3;
  --stands: #e0362c; --never: #eceff3; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --line: #343a42; --text: #e6e9ed; --quiet: #9aa4b0;
  --done: #4a6284; --stands: #ff5a4f; --never: #22272d; } }
body { margin: 0 24px 60px; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 19px; overflow-wrap: anywhere; } h2 { font-size: 16px; } .quiet { color: var(--quiet); }
.scroll { overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
pre { overflow: auto; font: 12.5px/1.4 monospace; }
svg text { fill: var(--text); font: 12px monospace; } svg .lane { stroke: var(--line); }
.completed { fill: var(--done); } .standing { fill: var(--stands); }
.not-reached { fill: var(--never); stroke: var(--line); stroke-dasharray: 3 2; }
.waits { fill: none; stroke: var(--stands); stroke-width: 2; }
)";

std::string escaped(llvm::StringRef text) {
  std::string out;
  for (char c : visibleText(text)) {
    llvm::StringRef entity = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : "";
    out += entity.empty() ? std::string(1, c) : entity.str();
  }
  return out;
}

llvm::StringRef className(State state) {
  switch (state) {
  case State::Completed:
    return "completed";
  case State::Standing:
    return "standing";
  case State::NotReached:
    return "not-reached";
  }
  return "";
}

llvm::StringRef stateText(State state) {
  switch (state) {
  case State::Completed:
    return "completes";
  case State::Standing:
    return "never completes: the rank stands here";
  case State::NotReached:
    return "is never reached";
  }
  return "";
}

/// Draws the launches of ranks, and the circle of a finding, in one picture. Launches that complete together are in one
/// column.
class Timelines {
public:
  Timelines(llvm::raw_ostream &os, const CheckedJob &job) : os_(os), timelines_(job.timelines) {
    cut();
    placeColumns();
  }

  void draw(const Finding *circle) {
    size_t width = labelWidth + (mostColumn_ + 1) * columnWidth, height = timelines_.size() * rowHeight + rowHeight;
    os_ << "<div class=\"scroll\"><svg role=\"img\" width=\"" << width << "\" height=\"" << height
        << "\"><title>launches of each rank, in the order in which they complete</title>\n"
        << "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
        << "<path d=\"M0,0 L8,4 L0,8 z\" class=\"standing\"/></marker></defs>\n";
    for (size_t row = 0; row < timelines_.size(); ++row)
      drawRow(row, width);
    if (circle)
      for (size_t i = 0; i < circle->nodes.size(); ++i)
        drawWait(circle->nodes[i], circle->nodes[(i + 1) % circle->nodes.size()]);
    os_ << "</svg></div>\n";
    if (isCut_)
      os_ << "<p class=\"quiet\">Each rank shows the last " << mostBefore << " launches that complete, and the "
          << mostAfter << " after them.</p>\n";
  }

private:
  static constexpr size_t rowHeight = 46, boxHeight = 26, columnWidth = 108, boxWidth = 100, labelWidth = 80;
  static constexpr size_t mostBefore = 24, mostAfter = 8, mostLetters = 13;
  struct Place {
    size_t row = 0, column = 0;
  };

  /// Keeps the launches around the one at which the rank stands.
  void cut() {
    for (RankTimeline &timeline : timelines_) {
      auto &launches = timeline.launches;
      auto isOpen = [](const TimelineLaunch &launch) { return launch.state != State::Completed; };
      auto stand = static_cast<size_t>(llvm::find_if(launches, isOpen) - launches.begin());
      size_t first = stand > mostBefore ? stand - mostBefore : 0;
      size_t last = std::min(launches.size(), stand + mostAfter);
      isCut_ |= first > 0 || last < launches.size();
      launches = {launches.begin() + static_cast<std::ptrdiff_t>(first),
                  launches.begin() + static_cast<std::ptrdiff_t>(last)};
    }
  }

  /// Completed launches are in the order of completion, and the others after all of these.
  void placeColumns() {
    std::map<size_t, size_t> columns;
    for (const RankTimeline &timeline : timelines_)
      for (const TimelineLaunch &launch : timeline.launches)
        if (launch.state == State::Completed)
          columns[launch.completedAt] = 0;
    size_t next = 0;
    for (auto &[at, column] : columns)
      column = next++;
    for (size_t row = 0; row < timelines_.size(); ++row) {
      size_t open = next;
      for (const TimelineLaunch &launch : timelines_[row].launches) {
        size_t column = launch.state == State::Completed ? columns[launch.completedAt] : open++;
        places_[{timelines_[row].rank, launch.node}] = {row, column};
        mostColumn_ = std::max(mostColumn_, column);
      }
    }
  }

  [[nodiscard]] static size_t left(const Place &place) { return labelWidth + place.column * columnWidth; }
  [[nodiscard]] static size_t top(const Place &place) { return place.row * rowHeight + (rowHeight - boxHeight) / 2; }

  void drawRow(size_t row, size_t width) {
    size_t middle = row * rowHeight + rowHeight / 2;
    os_ << "<line class=\"lane\" x1=\"" << labelWidth << "\" x2=\"" << width << "\" y1=\"" << middle << "\" y2=\""
        << middle << "\"/><text x=\"4\" y=\"" << middle + 4 << "\">rank " << timelines_[row].rank << "</text>\n";
    for (const TimelineLaunch &launch : timelines_[row].launches)
      drawLaunch(places_.at({timelines_[row].rank, launch.node}), launch);
  }

  void drawLaunch(const Place &place, const TimelineLaunch &launch) {
    std::string label = launch.node;
    if (label.size() > mostLetters)
      label = label.substr(0, mostLetters - 2) + "..";
    os_ << "<g><title>" << escaped(launch.node) << ": " << escaped(launch.text) << ", group of "
        << escaped(jobs::spansText(launch.group)) << (launch.place.empty() ? "" : "\n") << escaped(launch.place) << "\n"
        << stateText(launch.state) << "</title><rect class=\"" << className(launch.state) << "\" x=\"" << left(place)
        << "\" y=\"" << top(place) << "\" width=\"" << boxWidth << "\" height=\"" << boxHeight
        << "\" rx=\"4\"/><text x=\"" << left(place) + 4 << "\" y=\"" << top(place) + boxHeight / 2 + 4 << "\">"
        << escaped(label) << "</text></g>\n";
  }

  /// Draws an arrow from the launch at which a rank stands to the launch of the next rank that it waits for.
  void drawWait(const FindingNode &from, const FindingNode &to) {
    auto begin = places_.find({from.rank, from.node}), end = places_.find({to.rank, to.awaited});
    if (begin == places_.end() || end == places_.end())
      return;
    bool isDown = begin->second.row <= end->second.row;
    size_t x1 = left(begin->second) + boxWidth / 2, y1 = top(begin->second) + (isDown ? boxHeight : 0);
    size_t x2 = left(end->second) + boxWidth / 2, y2 = top(end->second) + (isDown ? 0 : boxHeight);
    os_ << "<path class=\"waits\" marker-end=\"url(#head)\" d=\"M" << x1 << "," << y1 << " L" << x2 << "," << y2
        << "\"><title>rank " << from.rank << " waits for " << escaped(to.awaited) << " of rank " << to.rank
        << "</title></path>\n";
  }

  llvm::raw_ostream &os_;
  std::vector<RankTimeline> timelines_;
  /// by rank and node
  std::map<std::pair<int64_t, std::string>, Place> places_;
  size_t mostColumn_ = 0;
  bool isCut_ = false;
};

const Finding *circleOf(const CheckedJob &job) {
  auto found = llvm::find_if(job.result.findings, [&](const Finding &finding) {
    return finding.rule == jobs::Rule::Deadlock && finding.under == job.timelinesUnder;
  });
  return found == job.result.findings.end() ? nullptr : &*found;
}

} // namespace

void writeCheckPage(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked, const std::string &input) {
  os << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<title>ccgraph-check</title>\n<style>"
     << style << "</style>\n</head>\n<body>\n<h1>" << escaped(input) << "</h1>\n";
  for (const CheckedJob &job : checked) {
    os << "<section>\n<h2>" << (job.compilation.empty() ? "Verdict" : "Compilation " + escaped(job.compilation))
       << "</h2>\n<pre>";
    std::string text;
    llvm::raw_string_ostream stream(text);
    writeCheckText(stream, {CheckedJob{"", job.result, job.replays}});
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(stream.str()).rtrim('\n').split(lines, '\n');
    for (llvm::StringRef line : lines)
      os << escaped(line) << '\n';
    os << "</pre>\n<h2>Timeline under " << jobs::semanticsName(job.timelinesUnder) << "</h2>\n"
       << "<p class=\"quiet\">Launches that complete together are in one column. A rank stands at the red launch, and "
          "never reaches the dashed ones. An arrow means: waits for.</p>\n";
    Timelines(os, job).draw(circleOf(job));
    os << "</section>\n";
  }
  os << "</body>\n</html>\n";
}

} // namespace ccgraph::report

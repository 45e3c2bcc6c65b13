#include "check_report/check_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::report {
namespace {

using jobs::Finding;
using jobs::FindingNode;

/// Returns a quoted text in the DOT language, in which "\n" ends a line.
std::string quoted(llvm::ArrayRef<std::string> lines) {
  std::string out = "\"";
  for (const std::string &line : lines) {
    if (line.empty())
      continue;
    out += out.size() > 1 ? "\\n" : "";
    for (char c : visibleText(line)) {
      if (c == '"' || c == '\\')
        out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

/// Draws the findings that are circles; one of several semantics with the same circle is enough.
class JobPicture {
public:
  explicit JobPicture(llvm::raw_ostream &os) : os_(os) {}

  void draw(llvm::ArrayRef<CheckedJob> checked) {
    os_ << "digraph job {\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n";
    for (const CheckedJob &job : checked)
      for (const Finding &finding : job.result.findings)
        if (isCircle(finding) && isNew(finding))
          drawCircle(job, finding);
    os_ << "}\n";
  }

private:
  bool isNew(const Finding &finding) {
    std::vector<std::pair<int64_t, std::string>> nodes;
    for (const FindingNode &node : finding.nodes)
      nodes.emplace_back(node.rank, node.node);
    if (llvm::is_contained(drawn_, nodes))
      return false;
    drawn_.push_back(std::move(nodes));
    return true;
  }

  void drawCircle(const CheckedJob &job, const Finding &finding) {
    std::string prefix = "c" + std::to_string(drawn_.size()) + "_";
    std::string under = finding.under ? "deadlock under " + jobs::semanticsName(*finding.under).str() : "";
    os_ << "  subgraph cluster_" << drawn_.size() << " {\n    label=" << quoted({job.compilation, under}) << ";\n";
    size_t count = finding.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      const FindingNode &node = finding.nodes[i];
      os_ << "    " << prefix << i << " [label="
          << quoted({"rank " + std::to_string(node.rank) + " stands at", node.node, node.text, node.place}) << "];\n";
    }
    for (size_t i = 0; i < count; ++i)
      drawEdge(prefix, finding, i);
    os_ << "  }\n";
  }

  /// An edge means "waits for"; a launch that no rank has is a node of its own.
  void drawEdge(const std::string &prefix, const Finding &finding, size_t index) {
    const FindingNode &next = finding.nodes[(index + 1) % finding.nodes.size()];
    os_ << "    " << prefix << index << " -> ";
    if (finding.nodes.size() == 1 && next.awaited.empty())
      os_ << prefix << "none;\n    " << prefix << "none [label=\"a launch that no rank has\", style=dashed];\n";
    else
      os_ << prefix << (index + 1) % finding.nodes.size()
          << " [label=" << quoted({"waits for " + next.awaited, "of rank " + std::to_string(next.rank)}) << "];\n";
  }

  llvm::raw_ostream &os_;
  /// ranks and nodes of the circles so far
  std::vector<std::vector<std::pair<int64_t, std::string>>> drawn_;
};

} // namespace

void writeCheckDot(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked) { JobPicture(os).draw(checked); }

} // namespace ccgraph::report

#include "check_report/placement_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/Support/JSON.h"

namespace ccgraph::report {
namespace {

/// How many undecided values and assumptions a text lists.
constexpr size_t mostListedReasons = 10;

std::string axesText(const NamedPlacements &placements, llvm::ArrayRef<placements::AxisHold> axes) {
  std::string text;
  for (size_t axis = 0; axis != axes.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + placements.mesh[axis].name + " " + placements::holdText(axes[axis]);
  return text;
}

std::string nodeText(const NamedNode &node) {
  return node.source.empty() ? node.name : node.name + " (" + node.source + ")";
}

void writeFinding(llvm::raw_ostream &os, const NamedPlacements::Finding &finding) {
  os << visibleText(nodeText(finding.node)) << ": " << visibleText(finding.text) << " ["
     << placements::findingName(finding.kind) << "]\n";
  if (!finding.operand.name.empty() && finding.operand.name != finding.node.name)
    os << "  it arises at " << visibleText(nodeText(finding.operand)) << '\n';
  if (!finding.repair.empty())
    os << "  note: " << visibleText(finding.repair) << '\n';
}

void writeReasons(llvm::raw_ostream &os, llvm::StringRef title, llvm::ArrayRef<std::string> reasons) {
  for (const std::string &reason : reasons.take_front(mostListedReasons))
    os << title << ": " << visibleText(reason) << '\n';
  if (reasons.size() > mostListedReasons)
    os << title << ": and " << reasons.size() - mostListedReasons << " more\n";
}

llvm::StringRef verdictOf(const NamedPlacements &placements) {
  if (!placements.findings.empty())
    return "findings";
  return placements.undecided.empty() ? "consistent" : "undecided";
}

} // namespace

void writePlacementText(llvm::raw_ostream &os, const NamedPlacements &placements) {
  os << "mesh:";
  for (const NamedAxis &axis : placements.mesh)
    os << ' ' << visibleText(axis.name) << ' ' << axis.size;
  os << '\n';
  for (const NamedPlacements::Value &value : placements.values)
    os << "  " << visibleText(value.name) << ": " << visibleText(axesText(placements, value.axes)) << '\n';
  for (const NamedPlacements::Finding &finding : placements.findings)
    writeFinding(os, finding);
  writeReasons(os, "undecided", placements.undecided);
  writeReasons(os, "assumed", placements.assumed);
  if (verdictOf(placements) == "consistent")
    os << "consistent: " << counted(placements.values.size(), "value") << ", no finding\n";
  else if (verdictOf(placements) == "undecided")
    os << "cannot be decided: " << counted(placements.undecided.size(), "reason") << '\n';
  else
    os << counted(placements.findings.size(), "finding") << '\n';
}

void writePlacementJson(llvm::raw_ostream &os, const NamedPlacements &placements) {
  llvm::json::OStream json(os, 1);
  auto text = [](llvm::StringRef of) { return llvm::json::fixUTF8(of); };
  json.object([&] {
    json.attribute("verdict", verdictOf(placements));
    json.attributeObject("mesh", [&] {
      json.attributeArray("axes", [&] {
        for (const NamedAxis &axis : placements.mesh)
          json.value(text(axis.name));
      });
      json.attributeArray("sizes", [&] {
        for (const NamedAxis &axis : placements.mesh)
          json.value(axis.size);
      });
    });
    json.attributeArray("findings", [&] {
      for (const NamedPlacements::Finding &finding : placements.findings)
        json.object([&] {
          json.attribute("kind", placements::findingName(finding.kind));
          json.attribute("axis", text(finding.axis));
          json.attribute("node", text(finding.node.name));
          json.attribute("source", text(finding.node.source));
          json.attribute("operand", text(finding.operand.name));
          json.attribute("operand_source", text(finding.operand.source));
          json.attribute("text", text(finding.text));
          json.attribute("repair", text(finding.repair));
        });
    });
    for (auto [key, list] : {std::pair("undecided", &placements.undecided), {"assumed", &placements.assumed}})
      json.attributeArray(key, [&, list = list] {
        for (const std::string &reason : *list)
          json.value(text(reason));
      });
    json.attributeObject("values", [&] {
      for (const NamedPlacements::Value &value : placements.values)
        json.attributeObject(text(value.name), [&] {
          for (size_t axis = 0; axis != value.axes.size(); ++axis)
            json.attribute(text(placements.mesh[axis].name), placements::holdText(value.axes[axis]));
        });
    });
  });
  os << '\n';
}

} // namespace ccgraph::report

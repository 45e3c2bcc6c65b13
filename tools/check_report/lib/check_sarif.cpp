#include "check_report/check_report.h"
#include "check_report/sarif.h"

#include "llvm/ADT/StringRef.h"

namespace ccgraph::report {
namespace {

using jobs::Finding;
using jobs::FindingNode;
using jobs::Rule;

constexpr std::pair<Rule, llvm::StringLiteral> demands[] = {
    {Rule::Members, "All members order the ranks of a group alike."},
    {Rule::Missing, "All members of a group launch the same number of collectives."},
    {Rule::Kind, "All members of a group launch the same kind of collective."},
    {Rule::Reduction, "All members of a group reduce in the same way."},
    {Rule::DType, "All members of a group send the same dtype."},
    {Rule::Count, "All members of a group send the same number of elements."},
    {Rule::Root, "All members of a group name the same root."},
    {Rule::Splits, "Each member sends as many elements as the receiver expects."},
    {Rule::P2PPartner, "Each transfer has both ends."},
    {Rule::P2PSize, "Both ends of a transfer have the same dtype and number of elements."},
    {Rule::Outside, "A rank launches only on groups that it is in."},
    {Rule::NeverWaited, "Each launch is waited for or returned."},
    {Rule::Deadlock, "No ranks wait for each other for ever."},
    {Rule::Resident, "The job needs no more resident communicators than the device has."},
};

/// Splits "train.py:41 in step" into the file and the line.
SarifPlace placeOf(const FindingNode &node) {
  SarifPlace place{"", 0, 0, "rank " + std::to_string(node.rank) + ": " + node.node};
  llvm::StringRef text = node.place;
  size_t colon = text.find(": ");
  llvm::StringRef head = text.take_front(colon == llvm::StringRef::npos ? text.size() : colon);
  auto [fileAndLine, function] = head.split(" in ");
  auto [file, line] = fileAndLine.rsplit(':');
  if (!line.getAsInteger(10, place.line))
    place.file = file.str();
  return place;
}

SarifResult resultOf(const CheckedJob &job, const Finding &finding) {
  SarifResult result{jobs::ruleName(finding.rule).str(), findingText(finding), {}, {}};
  if (!job.compilation.empty())
    result.message = "compilation " + job.compilation + ": " + result.message;
  if (finding.under)
    result.message += " (under " + jobs::semanticsName(*finding.under).str() + ")";
  if (!finding.repair.empty())
    result.message += "; repair: " + finding.repair;
  for (const FindingNode &node : finding.nodes)
    result.places.push_back(placeOf(node));
  return result;
}

} // namespace

void writeCheckSarif(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked, const std::string &input) {
  SarifLog log{CCGRAPH_VERSION, input, {}, {}};
  for (const auto &[rule, demand] : demands)
    log.rules.emplace_back(jobs::ruleName(rule).str(), demand.str());
  for (const CheckedJob &job : checked)
    for (const Finding &finding : job.result.findings)
      log.results.push_back(resultOf(job, finding));
  writeSarif(os, log);
}

} // namespace ccgraph::report

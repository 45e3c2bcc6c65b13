#include "check_report/check_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

namespace ccgraph::report {
namespace {

using Json = nlohmann::ordered_json;
using jobs::CheckResult;
using jobs::Finding;
using jobs::FindingNode;
using jobs::Rule;
using jobs::spansText;

/// Returns "all_reduce_2 (train.py:41 in step)".
std::string placedNode(const FindingNode &node) {
  return visibleText(node.node) + (node.place.empty() ? "" : " (" + visibleText(node.place) + ")");
}

std::string circleText(const Finding &finding) {
  return finding.culprits.size() > 1 ? spansText(finding.culprits) + " wait for each other"
                                     : spansText(finding.culprits) + " waits for a launch that no rank has";
}

std::string deadlockHead(llvm::ArrayRef<const Finding *> alike) {
  std::vector<std::string> names;
  for (const Finding *one : alike)
    names.push_back(jobs::semanticsName(*one->under).str());
  return circleText(*alike.front()) + " [deadlock under " + llvm::join(names, ", ") + "]";
}

/// Returns what the culprits do, in the words of the rule.
std::string headOf(const Finding &finding) {
  std::string who = spansText(finding.culprits);
  bool isOne = finding.culprits.size() == 1;
  std::string place = finding.sequence ? "collective " + std::to_string(*finding.sequence) + " of " : "";
  std::string where = ": " + place + "the group of " + spansText(finding.group);
  switch (finding.rule) {
  case Rule::Members:
    return who + (isOne ? " orders" : " order") + " the ranks of a group differently: the group of " +
           spansText(finding.group);
  case Rule::Missing:
    return who + (isOne ? " launches" : " launch") + " another number of collectives" + where;
  case Rule::Kind:
    return who + (isOne ? " launches" : " launch") + " another kind of collective" + where;
  case Rule::Reduction:
    return who + (isOne ? " reduces" : " reduce") + " in another way" + where;
  case Rule::DType:
    return who + (isOne ? " sends" : " send") + " another dtype" + where;
  case Rule::Count:
    return who + (isOne ? " sends" : " send") + " another number of elements" + where;
  case Rule::Root:
    return who + (isOne ? " names" : " name") + " another root" + where;
  case Rule::Splits:
    return who + (isOne ? " sends or expects" : " send or expect") + " other splits" + where;
  case Rule::P2PPartner:
    return "a transfer between " + who + " lacks its other end: transfer " + std::to_string(*finding.sequence) +
           " on the group of " + spansText(finding.group);
  case Rule::P2PSize:
    return "the ends of a transfer between " + who + " differ: transfer " + std::to_string(*finding.sequence) +
           " on the group of " + spansText(finding.group);
  case Rule::Outside:
    return who + " launches on a group that it is not in: the group of " + spansText(finding.group);
  case Rule::NeverWaited:
    return who + " neither waits for a launch nor returns it: on the group of " + spansText(finding.group);
  case Rule::Deadlock:
    return circleText(finding);
  case Rule::Resident:
    return circleText(finding) + " unless more communicators of a rank are resident";
  }
  return "";
}

/// Returns the launch that the rank issues only after the one at which it stands: ", before all_gather, for which rank
/// 1 waits".
std::string awaitedText(const Finding &finding, size_t index) {
  const FindingNode &node = finding.nodes[index];
  if (node.awaited.empty())
    return "";
  const FindingNode &waiter = finding.nodes[(index + finding.nodes.size() - 1) % finding.nodes.size()];
  return ", before " + visibleText(node.awaited) + ", for which rank " + std::to_string(waiter.rank) + " waits";
}

void writeNodes(llvm::raw_ostream &os, const Finding &finding) {
  constexpr size_t mostListed = 10;
  for (size_t i = 0; i < std::min(finding.nodes.size(), mostListed); ++i) {
    const FindingNode &node = finding.nodes[i];
    os << "  rank " << node.rank << (isCircle(finding) ? " stands at " : ": ") << placedNode(node)
       << (node.text.empty() ? "" : ": ") << visibleText(node.text) << awaitedText(finding, i) << '\n';
  }
  if (finding.nodes.size() > mostListed)
    os << "  and " << finding.nodes.size() - mostListed << " more\n";
  if (finding.others)
    os << "  " << spansText(finding.othersRanks) << ": " << placedNode(*finding.others) << ": "
       << visibleText(finding.others->text) << '\n';
  if (!finding.repair.empty())
    os << "  repair: " << visibleText(finding.repair) << '\n';
}

/// Returns true if two deadlocks have the same witness.
bool haveOneWitness(const Finding &a, const Finding &b) {
  return a.rule == Rule::Deadlock && b.rule == Rule::Deadlock &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const FindingNode &x, const FindingNode &y) { return x.rank == y.rank && x.node == y.node; });
}

void writeFindings(llvm::raw_ostream &os, llvm::ArrayRef<Finding> findings) {
  constexpr size_t mostParagraphs = 20;
  size_t written = 0;
  std::vector<bool> done(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    if (done[i])
      continue;
    if (written++ == mostParagraphs) {
      os << "and " << counted(findings.size() - i, "finding") << " more; --json lists all\n";
      return;
    }
    std::vector<const Finding *> alike;
    for (size_t j = i; j < findings.size() && findings[i].rule == Rule::Deadlock; ++j)
      if (!done[j] && haveOneWitness(findings[i], findings[j])) {
        alike.push_back(&findings[j]);
        done[j] = true;
      }
    os << "error: "
       << (alike.empty() ? headOf(findings[i]) + " [" + jobs::ruleName(findings[i].rule).str() + "]"
                         : deadlockHead(alike))
       << '\n';
    writeNodes(os, findings[i]);
  }
}

Json jsonOf(const Finding &finding) {
  Json json = {{"rule", jobs::ruleName(finding.rule).str()}};
  if (finding.under)
    json["under"] = jobs::semanticsName(*finding.under).str();
  json["group"] = finding.group.empty() ? Json() : Json(finding.group);
  json["sequence"] = finding.sequence ? Json(*finding.sequence) : Json();
  json["culprits"] = finding.culprits;
  json["nodes"] = Json::array();
  Json places = Json::array();
  for (const FindingNode &node : finding.nodes) {
    json["nodes"].push_back({{"rank", node.rank}, {"node", node.node}});
    places.push_back(node.place);
  }
  json["places"] = std::move(places);
  if (!finding.repair.empty())
    json["repair"] = finding.repair;
  return json;
}

void writeResidency(llvm::raw_ostream &os, const jobs::Residency &resident) {
  if (!resident.needed || *resident.needed < 2)
    return;
  os << "resident: " << *resident.needed << " communicators of one rank must be resident at once under streams\n";
  for (const jobs::LaunchOrder &order : resident.order)
    os << "  one is enough if " << spansText(order.ranks) << (order.ranks.size() == 1 ? " launches " : " launch ")
       << visibleText(order.firstMove) << (order.isOneMove ? "\n" : ", and so on: --json lists the order\n");
}

void writeReplays(llvm::raw_ostream &os, llvm::ArrayRef<JobReplay> replays) {
  std::vector<std::string> ends, deadlocks;
  for (const JobReplay &replay : replays)
    (replay.deadlock ? deadlocks : ends).push_back(jobs::semanticsName(replay.under).str());
  if (replays.empty())
    return;
  os << "replayed by the local engine:";
  if (!ends.empty())
    os << " every rank ends under " << llvm::join(ends, ", ") << (deadlocks.empty() ? "" : ";");
  if (!deadlocks.empty())
    os << " run.deadlock under " << llvm::join(deadlocks, ", ");
  os << '\n';
}

void writeResult(llvm::raw_ostream &os, const CheckResult &result) {
  writeFindings(os, result.findings);
  std::vector<std::string> ok, deadlock;
  for (const jobs::SemanticsVerdict &verdict : result.verdicts)
    (verdict.deadlock ? deadlock : ok).push_back(jobs::semanticsName(verdict.under).str());
  os << counted(result.ranks, "rank") << " with " << counted(result.programs, "program") << ": "
     << (result.findings.empty() ? "no finding" : counted(result.findings.size(), "finding"));
  if (!ok.empty())
    os << "; no rank waits for ever under " << llvm::join(ok, ", ");
  if (!deadlock.empty())
    os << "; deadlock under " << llvm::join(deadlock, ", ");
  os << '\n';
  writeResidency(os, result.resident);
  for (const std::string &assumption : result.assumptions)
    os << "assumed: " << assumption << '\n';
}

Json jsonOf(const jobs::Residency &resident) {
  Json json = {{"needed", resident.needed ? Json(*resident.needed) : Json()}, {"order", Json::array()}};
  for (const jobs::LaunchOrder &order : resident.order)
    json["order"].push_back({{"ranks", order.ranks}, {"launches", order.launches}});
  return json;
}

void addReplays(Json &json, const CheckedJob &job) {
  for (const JobReplay &replay : job.replays) {
    Json &stated = json["replay"][jobs::semanticsName(replay.under).str()];
    if (stated.is_null() || replay.deadlock)
      stated = {{"ends", !replay.deadlock}, {"text", replay.text}};
  }
}

/// Adds the need of a job; of several jobs, the largest.
void addResidency(Json &json, const jobs::Residency &resident) {
  Json &stated = json["resident"];
  bool isLarger = stated.is_null() || (!stated["needed"].is_null() &&
                                       (!resident.needed || *resident.needed > stated["needed"].get<size_t>()));
  if (isLarger)
    stated = jsonOf(resident);
}

void addResult(Json &json, const CheckedJob &job) {
  for (const jobs::SemanticsVerdict &verdict : job.result.verdicts) {
    Json &stated = json["verdict"][jobs::semanticsName(verdict.under).str()];
    if (stated.is_null() || verdict.deadlock)
      stated = verdict.deadlock ? "deadlock" : "ok";
  }
  for (const Finding &finding : job.result.findings) {
    json["findings"].push_back(jsonOf(finding));
    if (!job.compilation.empty())
      json["findings"].back()["compilation"] = job.compilation;
  }
  if (llvm::any_of(job.result.verdicts, [](const auto &verdict) { return verdict.under == jobs::Semantics::Streams; }))
    addResidency(json, job.result.resident);
  addReplays(json, job);
  for (const std::string &assumption : job.result.assumptions)
    if (!llvm::is_contained(json["assumed"], Json(assumption)))
      json["assumed"].push_back(assumption);
}

} // namespace

void writeCheckText(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked) {
  for (const CheckedJob &job : checked) {
    if (!job.compilation.empty())
      os << "compilation " << visibleText(job.compilation) << '\n';
    writeResult(os, job.result);
    writeReplays(os, job.replays);
  }
}

bool isCircle(const Finding &finding) { return finding.rule == Rule::Deadlock || finding.rule == Rule::Resident; }

std::string findingText(const Finding &finding) { return headOf(finding); }

void writeCheckJson(llvm::raw_ostream &os, llvm::ArrayRef<CheckedJob> checked) {
  Json json = {{"verdict", Json::object()}, {"findings", Json::array()}, {"assumed", Json::array()}};
  size_t ranks = 0, programs = 0;
  for (const CheckedJob &job : checked) {
    addResult(json, job);
    ranks = std::max(ranks, job.result.ranks);
    programs += job.result.programs;
  }
  json["ranks"] = ranks;
  json["programs"] = programs;
  os << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace ccgraph::report

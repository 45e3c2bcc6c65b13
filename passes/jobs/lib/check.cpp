#include "ccgraph/jobs/check.h"

#include "match.h"
#include "repair.h"
#include "residency.h"
#include "sources.h"
#include "witness.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::jobs {
namespace {

constexpr llvm::StringLiteral semanticsNames[] = {"dataflow", "streams", "one-at-a-time", "blocking",
                                                  "blocking-buffered"};
constexpr llvm::StringLiteral ruleNames[] = {"members", "missing",      "kind",     "reduction",   "dtype",
                                             "count",   "root",         "splits",   "p2p-partner", "p2p-size",
                                             "outside", "never-waited", "deadlock", "resident"};

/// Simulates the job under each semantics. A job without a deadlock under blocking has none under any semantics.
class Verdicts {
public:
  Verdicts(const JobData &job, const Classes &classes) : job_(job), classes_(classes) {}

  bool isDeadlock(Semantics under) {
    std::optional<bool> &known = known_[static_cast<size_t>(under)];
    if (!known)
      known =
          (under == Semantics::Blocking || isDeadlock(Semantics::Blocking)) && simulate(job_, classes_, under).deadlock;
    return *known;
  }

  /// Returns the finding of a deadlock, with its repair.
  Finding witness(const Rules &rules, Repairs &repairs) const {
    Progress progress = simulate(job_, classes_, rules);
    Finding finding;
    finding.rule = rules.mostResident == 0 ? Rule::Deadlock : Rule::Resident;
    finding.under = rules.under;
    std::vector<WitnessStep> steps = shortestWitness(job_, classes_, progress);
    for (const WitnessStep &step : steps) {
      finding.nodes.push_back(standing(step));
      finding.culprits.push_back(finding.nodes.back().rank);
    }
    llvm::sort(finding.culprits);
    finding.culprits.erase(std::unique(finding.culprits.begin(), finding.culprits.end()), finding.culprits.end());
    repairs.repair(finding, rules, steps);
    return finding;
  }

private:
  /// Returns the launch at which a rank stands.
  FindingNode standing(const WitnessStep &step) const {
    const Front &front = step.front;
    const Program &program = job_.programOf(job_.ranks[front.rank]);
    const Launch &launch = program.launches[front.launch];
    std::string text = launch.isTransfer ? "transfer" : collectiveName(job_.calls[launch.call].kind).str();
    const Rank &rank = job_.ranks[front.rank];
    FindingNode node =
        nodeOf(job_, front.rank, front.launch, text + " on group " + job_.groupNameOf(rank, launch.group));
    if (step.awaited != none)
      node.awaited = job_.nameOf(rank, program.launches[step.awaited]);
    return node;
  }

  const JobData &job_;
  const Classes &classes_;
  /// by semantics
  std::array<std::optional<bool>, allSemantics.size()> known_;
};

/// A launch or a transfer that does not exist explains every deadlock.
bool isExplained(llvm::ArrayRef<Finding> findings) {
  return llvm::any_of(findings, [](const Finding &finding) {
    return finding.rule == Rule::Missing || finding.rule == Rule::P2PPartner;
  });
}

/// Ranks that groups contain and that have no graph.
std::vector<int64_t> absentRanks(const JobData &job, const Classes &classes) {
  std::vector<int64_t> absent;
  for (size_t set = 0; set < job.sets.size(); ++set)
    if (!classes.locals[set].empty())
      llvm::copy_if(job.sets[set], std::back_inserter(absent),
                    [&](int64_t rank) { return job.rankIds.count(rank) == 0; });
  llvm::sort(absent);
  absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
  return absent;
}

void addAssumptions(const JobData &job, const Classes &classes, CheckResult &result) {
  constexpr size_t mostExchanged = 4;
  for (std::string &exchanged : exchangedSources(job, classes, mostExchanged))
    result.assumptions.push_back(std::move(exchanged));
  if (std::vector<int64_t> absent = absentRanks(job, classes); !absent.empty())
    result.assumptions.push_back(spansText(absent) + (absent.size() > 1
                                                          ? ", which have no graph, launch what their groups need"
                                                          : ", which has no graph, launches what its groups need"));
  std::vector<std::string> names;
  for (Id name : job.assumedGroups)
    names.push_back(job.names()[name].str());
  llvm::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (!names.empty())
    result.assumptions.push_back(
        (names.size() > 1 ? "groups " : "group ") + llvm::join(names, ", ") + ", which no file describes, " +
        (names.size() > 1 ? "are dimensions of a mesh of all ranks" : "is a dimension of a mesh of all ranks"));
}

int severity(Rule rule) {
  switch (rule) {
  case Rule::Deadlock:
  case Rule::Resident:
    return 0;
  case Rule::Missing:
  case Rule::P2PPartner:
    return 1;
  case Rule::Outside:
    return 3;
  case Rule::NeverWaited:
    return 4;
  default:
    return 2;
  }
}

/// Returns the number of resident communicators that the job needs, if there is one.
std::optional<size_t> residentsOf(const JobData &job, const Classes &classes, Verdicts &verdicts) {
  if (!verdicts.isDeadlock(Semantics::OneAtATime))
    return 1;
  return verdicts.isDeadlock(Semantics::Streams) ? std::nullopt : neededResidents(job, classes);
}

} // namespace

llvm::StringRef semanticsName(Semantics semantics) { return semanticsNames[static_cast<size_t>(semantics)]; }

std::optional<Semantics> parseSemantics(llvm::StringRef word) {
  for (Semantics semantics : allSemantics)
    if (word == semanticsName(semantics))
      return semantics;
  return std::nullopt;
}

llvm::StringRef ruleName(Rule rule) { return ruleNames[static_cast<size_t>(rule)]; }

std::string spansText(llvm::ArrayRef<int64_t> ranks) {
  constexpr size_t mostItems = 10;
  std::vector<std::string> items;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
      ++end;
    items.push_back(std::to_string(ranks[i]) + (end - i > 1 ? "-" + std::to_string(ranks[end - 1]) : ""));
    i = end;
  }
  bool isCut = items.size() > mostItems;
  if (isCut)
    items.resize(mostItems - 1);
  return (ranks.size() == 1 ? "rank " : "ranks ") + llvm::join(items, ", ") + (isCut ? ", ..." : "");
}

CheckResult checkJob(const Job &job, const CheckOptions &options) {
  const JobData &data = job.data();
  Classes classes = divideRanks(data);
  CheckResult result;
  result.ranks = job.numRanks();
  result.programs = job.numPrograms();
  result.classes = classes.size();
  Matches matches = matchRanks(data, classes);
  result.findings = std::move(matches.findings);
  result.assumptions = std::move(matches.conditions);
  bool explained = isExplained(result.findings);
  Repairs repairs(data, result.findings.size(), options.mostTrials);
  for (Finding &finding : result.findings)
    repairs.repair(finding);
  Verdicts verdicts(data, classes);
  for (Semantics under : options.under) {
    result.verdicts.push_back({under, verdicts.isDeadlock(under)});
    if (result.verdicts.back().deadlock && !explained)
      result.findings.push_back(verdicts.witness(under, repairs));
  }
  if (llvm::is_contained(options.under, Semantics::Streams))
    result.resident.needed = residentsOf(data, classes, verdicts);
  if (options.mostResident != 0 && result.resident.needed > options.mostResident) {
    result.resident.order = orderForOneResident(data, classes);
    result.findings.push_back(verdicts.witness({Semantics::Streams, static_cast<Id>(options.mostResident)}, repairs));
  }
  llvm::stable_sort(result.findings,
                    [](const Finding &a, const Finding &b) { return severity(a.rule) < severity(b.rule); });
  addAssumptions(data, classes, result);
  return result;
}

} // namespace ccgraph::jobs

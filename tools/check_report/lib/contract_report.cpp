#include "check_report/contract_report.h"

#include "ccgraph/ir/text.h"
#include "check_report/sarif.h"

#include "llvm/Support/JSON.h"

namespace ccgraph::report {
namespace {

void writeNode(llvm::json::OStream &json, const NodePlace &place) {
  json.object([&] {
    json.attribute("graph", llvm::json::fixUTF8(place.graph));
    json.attribute("node", llvm::json::fixUTF8(place.node));
    json.attribute("file", llvm::json::fixUTF8(place.file));
    json.attribute("line", place.line);
  });
}

void writeFinding(llvm::json::OStream &json, const ContractFinding &finding) {
  json.object([&] {
    json.attribute("rule", finding.rule);
    json.attribute("message", llvm::json::fixUTF8(finding.message));
    json.attribute("line", finding.place.line);
    json.attribute("column", finding.place.column);
    json.attributeArray("nodes", [&] {
      for (const NodePlace &place : finding.nodes)
        writeNode(json, place);
    });
    json.attribute("repair", llvm::json::fixUTF8(finding.repair));
  });
}

} // namespace

void writeContractText(llvm::raw_ostream &os, const ContractComparison &comparison, const std::string &input) {
  const Contract &contract = comparison.contract;
  for (const ContractFinding &finding : comparison.findings)
    print(os, finding, contract.origin);
  if (comparison.findings.empty())
    os << visibleText(input) << " satisfies " << visibleText(contract.origin) << ": "
       << counted(contract.collectives.size(), "collective rule") << '\n';
}

void writeContractJson(llvm::raw_ostream &os, const ContractComparison &comparison) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("contract", llvm::json::fixUTF8(comparison.contract.origin));
    json.attributeArray("findings", [&] {
      for (const ContractFinding &finding : comparison.findings)
        writeFinding(json, finding);
    });
  });
  os << '\n';
}

void writeContractSarif(llvm::raw_ostream &os, const ContractComparison &comparison, const std::string &input) {
  SarifLog log{CCGRAPH_VERSION, input, {}, {}};
  for (const ContractRule &rule : contractRules())
    log.rules.emplace_back(rule.id.str(), rule.demand.str());
  for (const ContractFinding &finding : comparison.findings) {
    SarifResult result{finding.rule, finding.message, {}, {}};
    if (!finding.repair.empty())
      result.message += "; " + finding.repair;
    for (const NodePlace &place : finding.nodes)
      result.places.push_back({place.file, place.line, 0, place.node});
    if (finding.place.line > 0)
      result.related.push_back({comparison.contract.origin, finding.place.line, finding.place.column});
    log.results.push_back(std::move(result));
  }
  writeSarif(os, log);
}

} // namespace ccgraph::report

#include "driver/check_contract.h"

#include "ccgraph/frontend/contract_file.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/contract_check.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/step_input.h"
#include "report/sarif.h"

#include "llvm/Support/JSON.h"

namespace ccgraph::driver {
namespace {

llvm::Expected<Contract> loadContract(const std::string &path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readContract(file->source());
}

/// A flag comes before the contract, and the contract before the GPUs that a log lists.
llvm::Expected<Machine> machineFor(const CheckOptions &options, llvm::StringRef contract, const HostGpus &gpus) {
  llvm::StringRef named = options.machine.empty() ? contract : llvm::StringRef(options.machine);
  llvm::Expected<RunCosts> costs = loadRunCosts({named, {}, {}}, gpus);
  return costs ? orDefault(costs->machine) : llvm::Expected<Machine>(costs.takeError());
}

void writeFindingsSarif(llvm::raw_ostream &os, const std::string &input, const Contract &contract,
                        llvm::ArrayRef<ContractFinding> findings) {
  report::SarifLog log{CCGRAPH_VERSION, input, {}, {}};
  for (const ContractRule &rule : contractRules())
    log.rules.emplace_back(rule.id.str(), rule.demand.str());
  for (const ContractFinding &finding : findings) {
    report::SarifResult result{finding.rule, finding.message, {}, {}};
    if (!finding.repair.empty())
      result.message += "; " + finding.repair;
    for (const NodePlace &place : finding.nodes)
      result.places.push_back({place.file, place.line, 0, place.node});
    if (finding.place.line > 0)
      result.related.push_back({contract.origin, finding.place.line, finding.place.column});
    log.results.push_back(std::move(result));
  }
  report::writeSarif(os, log);
}

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

void printJson(llvm::raw_ostream &os, const Contract &contract, llvm::ArrayRef<ContractFinding> findings) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("contract", llvm::json::fixUTF8(contract.origin));
    json.attributeArray("findings", [&] {
      for (const ContractFinding &finding : findings)
        writeFinding(json, finding);
    });
  });
  os << '\n';
}

using Write = llvm::function_ref<void(llvm::raw_ostream &)>;

/// Writes to a file, or to `out` for "-".
llvm::Error writeTo(const std::string &path, llvm::raw_ostream &out, Write write) {
  if (path != "-")
    return writeFile(path, [&](llvm::raw_ostream &os) {
      write(os);
      return llvm::Error::success();
    });
  write(out);
  return llvm::Error::success();
}

void printText(llvm::raw_ostream &os, const std::string &path, const Contract &contract,
               llvm::ArrayRef<ContractFinding> findings) {
  for (const ContractFinding &finding : findings)
    print(os, finding, contract.origin);
  if (findings.empty())
    os << visibleText(path) << " satisfies " << visibleText(contract.origin) << ": "
       << counted(contract.collectives.size(), "collective rule") << '\n';
}

/// Compares a step with a contract.
class ContractRun {
public:
  ContractRun(const CheckOptions &options, const std::string &path, Streams streams)
      : options_(options), path_(path), streams_(streams) {}

  llvm::Expected<ExitCode> expect() {
    llvm::Expected<Contract> contract = loadContract(options_.expect);
    if (!contract)
      return contract.takeError();
    llvm::Expected<CommunicationFacts> facts = gather(contract->machine, contract->limits.exposedPercent.has_value());
    if (!facts)
      return facts.takeError();
    if (!options_.machine.empty())
      contract->machine = options_.machine;
    std::vector<ContractFinding> findings = checkContract(*contract, *facts);
    if (!options_.sarif.empty())
      if (llvm::Error error = writeTo(options_.sarif, streams_.out, [&](llvm::raw_ostream &os) {
            writeFindingsSarif(os, path_, *contract, findings);
          }))
        return error;
    // SARIF on standard output replaces the text.
    if (options_.json)
      printJson(streams_.out, *contract, findings);
    else if (options_.sarif != "-")
      printText(streams_.out, path_, *contract, findings);
    return findings.empty() ? ExitCode::Ok : ExitCode::Diagnosed;
  }

  llvm::Expected<ExitCode> write() {
    llvm::Expected<CommunicationFacts> facts = gather("", true);
    if (!facts)
      return facts.takeError();
    // A machine that follows from the log's GPUs has no name that could be looked up.
    std::string machine = machinePreset(machine_) ? machine_ : "";
    Contract contract = contractOf(*facts, options_.machine.empty() ? machine : options_.machine);
    if (llvm::Error error =
            writeTo(options_.writeContract, streams_.out, [&](llvm::raw_ostream &os) { writeContract(os, contract); }))
      return error;
    return ExitCode::Ok;
  }

private:
  llvm::Expected<CommunicationFacts> gather(llvm::StringRef contractMachine, bool predicts) {
    Diagnostics warnings;
    std::string groups = options_.groups.empty() ? "" : options_.groups.front();
    llvm::Expected<StepInput> step = readStep(context_, {path_, groups}, warnings);
    streams_.err << toString(warnings.take());
    if (!step)
      return step.takeError();
    if (!predicts)
      return gatherCommunication({step->labeled()});
    llvm::Expected<Machine> machine = machineFor(options_, contractMachine, step->gpus);
    if (!machine)
      return machine.takeError();
    machine_ = machine->name;
    return gatherCommunication({step->labeled(), &*machine});
  }

  const CheckOptions &options_;
  const std::string &path_;
  Streams streams_;
  Context context_;
  std::string machine_; ///< name of the machine for which times were predicted
};

} // namespace

llvm::Expected<ExitCode> checkContractOf(const CheckOptions &options, const std::string &path, Streams streams) {
  ContractRun run(options, path, streams);
  return options.writeContract.empty() ? run.expect() : run.write();
}

} // namespace ccgraph::driver

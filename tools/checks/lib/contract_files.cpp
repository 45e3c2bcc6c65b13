#include "ccgraph/checks/contract_files.h"

#include "ccgraph/checks/step_input.h"
#include "ccgraph/frontend/contract_file.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/toolkit/cost_files.h"

namespace ccgraph {
namespace {

struct StepFacts {
  CommunicationFacts facts;
  /// name of the machine for which times were predicted; empty: none were
  std::string machine;
};

/// The request comes before the contract, and the contract before the GPUs that a log lists.
llvm::Expected<Machine> machineFor(llvm::StringRef requested, llvm::StringRef contract, const HostGpus &gpus) {
  llvm::Expected<RunCosts> costs = loadRunCosts({requested.empty() ? contract : requested, {}, {}}, gpus);
  return costs ? orDefault(costs->machine) : llvm::Expected<Machine>(costs.takeError());
}

llvm::Expected<StepFacts> factsOf(StepFacts facts, llvm::Expected<CommunicationFacts> gathered) {
  if (!gathered)
    return gathered.takeError();
  facts.facts = std::move(*gathered);
  return facts;
}

/// `contractMachine` is not there if no times are needed.
llvm::Expected<StepFacts> gather(Context &context, const StepRequest &request,
                                 std::optional<llvm::StringRef> contractMachine, Diagnostics &warnings) {
  llvm::Expected<TrainingStepInput> step = readTrainingStep(context, {request.path, request.groups}, warnings);
  if (!step)
    return step.takeError();
  if (!contractMachine)
    return factsOf({}, gatherCommunication({step->labeled()}));
  llvm::Expected<Machine> machine = machineFor(request.machine, *contractMachine, step->gpus);
  if (!machine)
    return machine.takeError();
  return factsOf({{}, machine->name}, gatherCommunication({step->labeled(), &*machine}));
}

llvm::Expected<Contract> loadContract(const std::string &path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readContract(file->source());
}

} // namespace

llvm::Expected<ContractComparison> compareWithContract(const StepRequest &step, const std::string &contractPath,
                                                       Diagnostics &warnings) {
  llvm::Expected<Contract> contract = loadContract(contractPath);
  if (!contract)
    return contract.takeError();
  std::optional<llvm::StringRef> machine;
  if (contract->limits.exposedPercent)
    machine = contract->machine;
  Context context;
  llvm::Expected<StepFacts> facts = gather(context, step, machine, warnings);
  if (!facts)
    return facts.takeError();
  if (!step.machine.empty())
    contract->machine = step.machine;
  ContractComparison comparison{std::move(*contract), {}};
  comparison.findings = checkContract(comparison.contract, facts->facts);
  return comparison;
}

llvm::Expected<Contract> contractOfStep(const StepRequest &step, Diagnostics &warnings) {
  Context context;
  llvm::Expected<StepFacts> facts = gather(context, step, "", warnings);
  if (!facts)
    return facts.takeError();
  // A machine that follows from the log's GPUs has no name that could be looked up.
  std::string machine = machinePreset(facts->machine) ? facts->machine : "";
  return contractOf(facts->facts, step.machine.empty() ? machine : step.machine);
}

} // namespace ccgraph

#include "driver/check_contract.h"

#include "ccgraph/frontend/contract_file.h"
#include "check_report/contract_report.h"
#include "driver/check_output.h"

namespace ccgraph::driver {
namespace {

StepRequest requestOf(const CheckOptions &options, const std::string &path) {
  return {path, options.groups.empty() ? "" : options.groups.front(), options.machine};
}

llvm::Expected<ExitCode> expect(const CheckOptions &options, const std::string &path, Streams streams) {
  Diagnostics warnings;
  llvm::Expected<ContractComparison> compared = compareWithContract(requestOf(options, path), options.expect, warnings);
  streams.err << toString(warnings.take());
  if (!compared)
    return compared.takeError();
  if (llvm::Error error = writeTo(options.sarif, streams.out,
                                  [&](llvm::raw_ostream &os) { report::writeContractSarif(os, *compared, path); }))
    return error;
  // SARIF on standard output replaces the text.
  if (options.json)
    report::writeContractJson(streams.out, *compared);
  else if (options.sarif != "-")
    report::writeContractText(streams.out, *compared, path);
  return compared->findings.empty() ? ExitCode::Ok : ExitCode::Diagnosed;
}

llvm::Expected<ExitCode> write(const CheckOptions &options, const std::string &path, Streams streams) {
  Diagnostics warnings;
  llvm::Expected<Contract> contract = contractOfStep(requestOf(options, path), warnings);
  streams.err << toString(warnings.take());
  if (!contract)
    return contract.takeError();
  if (llvm::Error error =
          writeTo(options.writeContract, streams.out, [&](llvm::raw_ostream &os) { writeContract(os, *contract); }))
    return error;
  return ExitCode::Ok;
}

} // namespace

llvm::Expected<ExitCode> checkContractOf(const CheckOptions &options, const std::string &path, Streams streams) {
  return options.writeContract.empty() ? expect(options, path, streams) : write(options, path, streams);
}

} // namespace ccgraph::driver

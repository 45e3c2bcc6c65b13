// Compares the step in a file with the contract in another file, and makes a contract of a step in a file, as
// ccgraph-check --expect and --write-contract do.
//
// Ownership: plain values. Failure: errors of the readers, with file and line. Findings are no errors. Cost: that of
// reading the step and of gatherCommunication.
#pragma once

#include "ccgraph/checks/contract_check.h"
#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

struct StepRequest {
  /// a log, or a file with the graphs of one rank's training step; "-" is standard input
  std::string path;
  /// path of a group file; empty: none
  std::string groups;
  /// name or path of the machine for which times are predicted. Empty: the contract's, else the machine of the GPUs
  /// that a log lists, else the default.
  std::string machine;
};

struct ContractComparison {
  Contract contract;
  /// empty if the step satisfies the contract
  std::vector<ContractFinding> findings;
};

[[nodiscard]] llvm::Expected<ContractComparison>
compareWithContract(const StepRequest &step, const std::string &contractPath, Diagnostics &warnings);

/// Returns a contract that the step satisfies with nothing to spare.
[[nodiscard]] llvm::Expected<Contract> contractOfStep(const StepRequest &step, Diagnostics &warnings);

} // namespace ccgraph

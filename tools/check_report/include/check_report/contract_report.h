// Writes the comparison of a step with a contract: as text, JSON and SARIF.
//
// Ownership: borrows the comparison. Failure: none; the stream keeps the system's error. Cost: linear in the findings.
#pragma once

#include "ccgraph/checks/contract_files.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

/// `input` is the path of the step.
void writeContractText(llvm::raw_ostream &os, const ContractComparison &comparison, const std::string &input);
/// {"contract": its path, "findings": [{"rule", "message", "line" and "column" in the contract, "nodes", "repair"}]}
void writeContractJson(llvm::raw_ostream &os, const ContractComparison &comparison);
void writeContractSarif(llvm::raw_ostream &os, const ContractComparison &comparison, const std::string &input);

} // namespace ccgraph::report

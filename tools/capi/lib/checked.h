// ccgraph_checked: the result of a check, and the texts that it can be printed as.
//
// Ownership: owns the result. Failure: none. Cost: negligible.
#pragma once

#include "handles.h"

#include "ccgraph/checks/contract_files.h"
#include "ccgraph/checks/numerics_files.h"
#include "ccgraph/checks/pipeline_check.h"
#include "ccgraph/checks/placement_files.h"
#include "ccgraph/equality/same_step.h"

#include "llvm/Support/raw_ostream.h"

#include <variant>

struct ccgraph_checked {
  /// names the job on the page, and is the file of a finding without a line
  std::string input;
  std::string warnings;
  std::variant<std::vector<ccgraph::CheckedJob>, ccgraph::ContractComparison, ccgraph::CheckedPipeline,
               ccgraph::equality::StepAnswer, ccgraph::NamedPlacements, ccgraph::NumericsAnswer>
      result;
};

namespace ccgraph::capi {

using Write = void (*)(llvm::raw_ostream &os, const ccgraph_checked &checked);

/// Returns what prints the answer about a step in a form: "text" or "json". Null for another form and another result.
[[nodiscard]] Write stepWriter(const ccgraph_checked &checked, llvm::StringRef form);
/// Returns whether the result is an answer about a step.
[[nodiscard]] bool isOfStep(const ccgraph_checked &checked);
/// Returns the number of outputs that differ, in their values or their bits, or of findings; of an answer about a step.
[[nodiscard]] size_t numStepFindings(const ccgraph_checked &checked);
/// Returns the elements of a list whose separator is a comma.
[[nodiscard]] std::vector<std::string> listOf(llvm::StringRef text);

} // namespace ccgraph::capi

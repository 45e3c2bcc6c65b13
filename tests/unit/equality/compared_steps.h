// ComparedSteps: the step of one device, and a step that two ranks of the axis "dp" run.
#pragma once

#include "ccgraph/equality/same_step.h"
#include "support/step_texts.h"

namespace ccgraph::equality {

struct ComparedSteps : testing::Test, test::StepTexts {
  StepComparison comparison;

  void setSteps(llvm::StringRef single, llvm::StringRef parallel) {
    comparison.single = read(single);
    RankStep rank{read(parallel), test::worldOfTwo()};
    comparison.ranks = {rank, rank};
    comparison.placements.mesh = {{"dp", 2}};
  }
  StepAnswer answer() {
    llvm::Expected<StepAnswer> result = compareSteps(comparison);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return *result;
  }
};

} // namespace ccgraph::equality

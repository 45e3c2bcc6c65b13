// Joins two programs that a rank runs one after the other.
//
// Ownership: plain values. Failure: none. Cost: linear in both programs.
#pragma once

#include "job_data.h"

namespace ccgraph::jobs {

/// A program with its texts, and by its groups the orders of one rank.
struct RankProgram {
  Program program;
  ProgramText text;
  std::vector<Id> orders;
};

/// A group of one name and one order is one group of the result.
[[nodiscard]] RankProgram joinPrograms(const RankProgram &first, const RankProgram &second);

} // namespace ccgraph::jobs

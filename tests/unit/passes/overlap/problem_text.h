// problemOf(text) returns a small problem, written one step a line, for tests of the scheduler.
//
//   a compute 20 makes 8
//   g launch 10 bytes 64 stream 0 key 0 makes 16 needs a
//   w wait completes g
//   b compute 20 needs w holds g
//
// A launch may have a latency, too. A step depends on the steps after `needs` and on the launch that it completes
// (`completes`). It holds its result, the values after `holds` and, if it depends on a step with a result, that result.
// Times are in picoseconds. A wait completes one launch. A bucket costs 5 picoseconds and one for each byte.
#pragma once

#include "schedule/overlap/problem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <gtest/gtest.h>

namespace ccgraph::overlap::test {

struct NamedProblem {
  Problem problem;
  std::vector<std::string> names;
  [[nodiscard]] std::string str(llvm::ArrayRef<uint32_t> steps) const {
    std::string text;
    for (uint32_t step : steps)
      text += (text.empty() ? "" : " ") + names[step];
    return text;
  }
};

[[nodiscard]] NamedProblem problemOf(llvm::StringRef text);

} // namespace ccgraph::overlap::test

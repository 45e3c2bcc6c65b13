// Keeps texts that a test observed in its report (--gtest_output=json), so that a table can show them beside the test's
// name.
//
//   note("error", toString(diagnostic));    // "noted_1": "error\nerror: group tp: ..."
//
// The first line is the kind of the note. The notes of one test are numbered in their order, and a test may note the
// same text twice.
//
// Ownership: gtest keeps a copy. Failure: none; outside a test nothing is kept. Cost: a copy of the text.
#pragma once

#include "llvm/Support/Error.h"

#include <gtest/gtest.h>

#include <string>

namespace ccgraph::test {

inline void note(const std::string &what, const std::string &text) {
  const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
  if (!info)
    return;
  int number = info->result()->test_property_count() + 1;
  testing::Test::RecordProperty("noted_" + std::to_string(number), what + "\n" + text);
}

/// Returns an error as it is printed, and notes it; "" if there is none.
inline std::string notedError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!text.empty())
    note("error", text);
  return text;
}

} // namespace ccgraph::test

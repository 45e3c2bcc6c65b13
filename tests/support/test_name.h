// testName converts the description of a case to a name that GoogleTest accepts, so that reports and --gtest_filter use
// the description and not a number.
//
// Ownership: returns a value. Failure: none here. Two texts that differ only in punctuation give one name, which
// GoogleTest refuses at start-up: put an index before them. Cost: O(length).
#pragma once

#include "llvm/ADT/StringExtras.h"

#include <string>

namespace ccgraph::test {

/// "a bare string" -> "a_bare_string".
[[nodiscard]] inline std::string testName(llvm::StringRef about) {
  std::string name = about.str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

} // namespace ccgraph::test

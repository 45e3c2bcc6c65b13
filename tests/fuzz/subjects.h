// Defines the readers that are fuzzed, each with files to damage and a check of its answer.
//
// A reader may refuse any text, with a diagnostic that has a place and a message. An accepted text must have these
// properties:
//   a graph       is refused by the verifier with diagnostics, or: writing and reading it again gives the same bytes;
//                 -O2 with all checks ends in success or refuses the input; if two ranks can run it, they compute the
//                 same after -O2;
//   a plan        written and read again is the same, field by field; the plan verifier reports findings as
//                 diagnostics;
//   a machine     prices every collective and every copy above zero;
//   a contract, a pipeline schedule   is written as a text that reads back as the same;
//   a job file    lists each rank once, in ascending order;
//   a pipeline, a type   prints back to a text that means the same;
//   tensors       written and read again are the same.
//
// Ownership: plain values. Failure: returns a complaint as text; empty if there is none. Cost: milliseconds a text.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::test {

struct FuzzSubject {
  /// also the name of the test
  llvm::StringRef name;
  /// small files that are accepted, or nearly accepted
  std::vector<std::string> (*corpus)();
  /// what is wrong with the reader's answer to this text; empty: nothing
  std::string (*complaint)(llvm::StringRef text);
};

[[nodiscard]] llvm::ArrayRef<FuzzSubject> fuzzSubjects();

} // namespace ccgraph::test

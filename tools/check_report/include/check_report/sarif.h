// Writes findings as SARIF 2.1.0, the format in which code review tools read the results of static analysis (OASIS,
// "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 2020).
//
// One log has one run. A result has the rule, the message, and as location the line of the user's program; the node is
// its logical location. The place in the contract is a related location. A result without a line of the user's program
// has the place in the contract as its location, and without that the input file.
//
// Ownership: borrows everything for the call. Failure: none; bytes that are not UTF-8 are replaced; the streams keep
// the system's error. Cost: linear in the findings.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph::report {

/// A line of a file; line and column from 1, 0 if unknown.
struct SarifPlace {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  /// name of the node; empty for a place that belongs to no node
  std::string node = "";
};

struct SarifResult {
  std::string rule;
  std::string message;
  /// the causes, the most important first
  std::vector<SarifPlace> places;
  /// places that explain the result, such as the rule of a contract
  std::vector<SarifPlace> related;
};

struct SarifLog {
  /// version of ccgraph
  std::string version;
  /// file that was checked; the location of a result without any place
  std::string input;
  /// id and full description of each rule of the tool, in a fixed order
  std::vector<std::pair<std::string, std::string>> rules;
  std::vector<SarifResult> results;
};

void writeSarif(llvm::raw_ostream &os, const SarifLog &log);

} // namespace ccgraph::report

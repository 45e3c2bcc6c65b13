// Job files: which graph each rank of a job runs.
//
// Thousands of ranks run a few graphs, so a job file lists each graph once, with its ranks as "FIRST-LAST", as a number
// or as a list of both:
//   {"graphs": [{"graph": "stage0.py", "ranks": "0-511"},
//               {"graph": "last.py", "ranks": [512, "514-515"], "groups": "last_groups.json"}],
//    "groups": "facts.json"}
// Paths are relative to the folder of the job file. The `groups` of an entry replaces that of the file. Other members
// of the file are ignored; other members of an entry are errors, because a misspelt "groups" would change the job.
//
// Ownership: plain values. Errors: up to 20, each with its place: an entry without a graph or ranks, a range that ends
// before it begins, a rank above the limit, a rank that two entries contain; a text that is not JSON. Cost: linear in
// the file and the ranks.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

/// The highest rank that a job file may name.
inline constexpr int64_t highestJobRank = (int64_t{1} << 20) - 1;

struct JobFileEntry {
  /// as written in the file
  std::string graph;
  /// ascending
  std::vector<int64_t> ranks;
  /// as written; empty: the groups of the file, if it has any
  std::string groups;
};

/// Returns true if the text is a JSON object whose `graphs` is an array of entries with `ranks`.
[[nodiscard]] bool isJobFile(llvm::StringRef text);

/// Returns the entries in the order of the file.
[[nodiscard]] llvm::Expected<std::vector<JobFileEntry>> readJobFile(const SourceText &source);

} // namespace ccgraph

// ToolCase holds one call of a tool as a text: its input, and everything that it prints.
//
//   A string that is no reference.
//
//   --- arguments
//   ccgraph-opt graph.json --verify-only
//   --- file graph.json
//   {"format": ...
//   --- exit
//   1
//   --- stderr
//   graph.json:3:5: error: ...
//
// A line of text that starts with "--- " is written with a backslash before it. The first line is one sentence of
// intent. `file NAME` is written unchanged, and `bytes NAME` holds its bytes in hex; `{data}` in the arguments is
// tests/data. A stream without a section must stay empty. Seconds are not compared: a line that starts with "time "
// becomes "time". The memory of this machine becomes `{memory}` if it is the limit of a run.
//
// Ownership: plain values. Failure: parse() returns an error with file and line. Cost: one call of the tool's driver,
// in this process and an empty folder.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph::test {

struct ToolCase {
  std::string path;
  std::string intent; ///< everything before the first section
  std::string arguments;
  std::vector<std::pair<std::string, std::string>> files; ///< section title, text as written in the case
  std::string exit;
  std::string out;
  std::string err;

  [[nodiscard]] static llvm::Expected<ToolCase> parse(std::string path, llvm::StringRef text);
  [[nodiscard]] std::string str() const;
};

/// Returns the same case with the present exit code and streams of the tool.
[[nodiscard]] ToolCase runToolCase(const ToolCase &expected);

/// Implements main() of a suite with every *.case file below `folder`; `--update` rewrites the expectations.
int runToolCases(int argc, char **argv, const std::string &folder);

} // namespace ccgraph::test

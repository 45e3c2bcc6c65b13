// ToolCase: one call of a tool as a text: what it is given, and the whole of what it prints.
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
// A line of text that starts with "--- " is written with a backslash before it. The first line is one sentence of intent. `file NAME` is written as it stands, `bytes NAME` holds
// its bytes in hex; `{data}` in the arguments is tests/data. A stream that is not mentioned must
// stay empty. Seconds are not compared: a line that starts with "time " reads "time". The memory
// of this machine reads `{memory}` where it is the limit of a run.
//
// Ownership: plain values. Failure: parse() names file and line. Cost: one call of the tool's
// driver, in this process and an empty folder.
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
  std::vector<std::pair<std::string, std::string>> files; ///< section title, text as it stands in the case
  std::string exit;
  std::string out;
  std::string err;

  [[nodiscard]] static llvm::Expected<ToolCase> parse(std::string path, llvm::StringRef text);
  [[nodiscard]] std::string str() const;
};

/// The same case with the exit code and the streams that the tool gives now.
[[nodiscard]] ToolCase runToolCase(const ToolCase &expected);

/// main() of a suite that holds every *.case file below `folder`; `--update` rewrites the expectations.
int runToolCases(int argc, char **argv, const std::string &folder);

} // namespace ccgraph::test

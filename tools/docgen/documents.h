// Generates the documents in docs/ about passes, operators and command lines from their declarations, for readers, man
// and bash.
//
// Each text depends on the code only, so tools/docs and a test can compare it with the file. If a document differs, run
// tools/docs rather than editing it.
//
// Ownership: plain text. Failure: none. Cost: one lookup of every operator, some milliseconds.
#pragma once

#include <string>
#include <vector>

namespace ccgraph {

struct Document {
  std::string file; ///< name within docs/
  std::string text; ///< ends in a newline
};

/// Returns passes.md, ops.md and cli.md, and the manual pages and completion scripts, which are installed.
[[nodiscard]] std::vector<Document> generatedDocuments();

} // namespace ccgraph

// The generated documents: what docs/ says of passes, operators and command lines, taken from their
// declarations, for readers, man and bash.
//
// Each text is a function of the code alone, so that tools/docs can compare it with the file and a
// test can keep the two equal. A document that differs is repaired by running tools/docs, never by
// hand.
//
// Ownership: plain text. Nothing here fails; the cost is that of looking up every operator once,
// some milliseconds.
#pragma once

#include <string>
#include <vector>

namespace ccgraph {

struct Document {
  std::string file; ///< name within docs/
  std::string text; ///< ends in a newline
};

/// passes.md, ops.md, cli.md; manual pages and completion, which are installed.
[[nodiscard]] std::vector<Document> generatedDocuments();

} // namespace ccgraph

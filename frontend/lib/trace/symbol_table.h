// SymbolTable: the sizes that symbols of a compilation had when it was traced.
//
//   {"create_symbol": {"symbol": "s77", "val": "8", ...}, "rank": 0, "frame_id": 0, "frame_compile_id": 0, ...}
//
// Ownership: owns its texts. Failure: none; a header that is not JSON, or whose value is not a number, is ignored.
// Cost: each such header is parsed.
#pragma once

#include "trace/header.h"

#include <map>
#include <string>
#include <vector>

namespace ccgraph {

class SymbolTable {
public:
  using Hints = std::vector<std::pair<std::string, int64_t>>;

  /// Reads any header; ignores those of other kinds.
  void note(const HeaderLine &line);
  /// Returns the hints in the order of the log; empty where the compilation has no symbol.
  [[nodiscard]] Hints hintsOf(llvm::StringRef prefix, const std::string &compileId) const;

private:
  std::map<std::pair<std::string, std::string>, Hints> hints_; ///< by prefix and compilation
};

} // namespace ccgraph

// FrameTable: for which line of the user's program a compilation was begun.
//
//   {"str": ["/job/train.py", 1]}
//   {"dynamo_start": {"stack": [.., {"line": 154, "name": "step", "filename": 1}]}, "rank": 0, "frame_id": 0, ...}
//
// A process writes each file name once and then the number that it gave it, so the numbers are those of one prefix. The last
// frame of the stack is the function that is compiled. Where that is one of PyTorch's own, such as the step of an optimizer,
// the last frame of the user's program is the one that is named.
//
// Ownership: owns its texts. Failure: none; a header that is no JSON, or names a file that the log does not, says nothing. Cost:
// headers of these two kinds are parsed, some hundred a log.
#pragma once

#include "trace/header.h"

#include <map>
#include <string>

namespace ccgraph {

struct JsonValue;

class FrameTable {
public:
  /// Looks at any header.
  void note(const HeaderLine &line);
  /// "train.py:154 in step"; empty where the log names no line of the user's.
  [[nodiscard]] std::string frameOf(llvm::StringRef prefix, const std::string &compileId) const;
  /// The function that is compiled is one of torch.optim.
  [[nodiscard]] bool isOptimizer(llvm::StringRef prefix, const std::string &compileId) const;

private:
  struct Start {
    std::string frame;
    bool optimizes = false;
  };
  [[nodiscard]] llvm::StringRef fileOf(llvm::StringRef prefix, const JsonValue &frame) const;
  [[nodiscard]] std::string textOf(llvm::StringRef prefix, const JsonValue &frame) const;
  void noteFile(llvm::StringRef prefix, llvm::StringRef json);
  void noteStart(llvm::StringRef prefix, llvm::StringRef json);

  using Key = std::pair<std::string, std::string>; ///< prefix, and a compilation
  std::map<std::pair<std::string, int64_t>, std::string> files_;
  std::map<Key, Start> starts_;
};

} // namespace ccgraph

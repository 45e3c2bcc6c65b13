// FrameTable: the line of the user's program for which a compilation began.
//
//   {"str": ["/job/train.py", 1]}
//   {"dynamo_start": {"stack": [.., {"line": 154, "name": "step", "filename": 1}]}, "rank": 0, "frame_id": 0, ...}
//
// A process writes each file name once and afterwards only its number, so numbers are valid for one prefix. The last
// frame of the stack is the compiled function. If it is one of PyTorch's own, such as the step of an optimizer, the
// last frame of the user's program is named instead.
//
// Ownership: owns its texts. Failure: none; a header that is not JSON, or that names an unknown file number, is
// ignored. Cost: headers of these two kinds are parsed, some hundred a log.
#pragma once

#include "trace/header.h"

#include <map>
#include <string>

namespace ccgraph {

struct JsonValue;

class FrameTable {
public:
  /// Reads any header; ignores those of other kinds.
  void note(const HeaderLine &line);
  /// Returns "train.py:154 in step"; empty where the log names no line of the user's program.
  [[nodiscard]] std::string frameOf(llvm::StringRef prefix, const std::string &compileId) const;
  /// Returns whether the compiled function is one of torch.optim.
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

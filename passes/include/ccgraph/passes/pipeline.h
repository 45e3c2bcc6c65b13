// Pipeline: a list of configured passes, and its text.
//
//   sink-waits,coalesce-collectives{layout=flat max-bytes=64MiB}
//
// Passes are separated by commas, options by blanks; blanks around either have no meaning. The same pass may occur
// twice, with other options. str() returns the canonical text: it parses to an equal pipeline, and a canonical text
// prints back to itself.
//
// Ownership: a Pipeline owns its passes. It can be moved but not copied; append another pipeline instead, whose passes
// are cloned, registered or not.
// Failure: parse() reports each mistake with its column, the text found, the expected words and the nearest known word,
// as pipeline.syntax, pipeline.unknown-pass, pipeline.unknown-option or pipeline.bad-value. Cost: linear in the text.
#pragma once

#include "ccgraph/passes/pass.h"

#include <memory>

namespace ccgraph {

/// Passes in the order in which they run. An empty pipeline does nothing.
class Pipeline {
public:
  Pipeline() = default;
  [[nodiscard]] static llvm::Expected<Pipeline> parse(llvm::StringRef text);

  void append(std::unique_ptr<Pass> pass) { passes_.push_back(std::move(pass)); }
  /// Adds a copy of another pipeline's passes, options included.
  void append(const Pipeline &other);
  /// Removes every pass after the first pass of this name. Returns false and removes nothing if there is no such pass.
  [[nodiscard]] bool stopAfter(llvm::StringRef pass);
  [[nodiscard]] llvm::ArrayRef<std::unique_ptr<Pass>> passes() const { return passes_; }
  /// Returns the canonical text: options that were set, in the order in which they were set.
  [[nodiscard]] std::string str() const;

private:
  std::vector<std::unique_ptr<Pass>> passes_;
};

/// Returns the pipeline of an optimisation level: -O0 (empty) to -O3; a higher level asserts. The comments of
/// pipelines.cpp explain the position of each pass.
[[nodiscard]] Pipeline pipelineOfLevel(unsigned level);
/// The highest level.
inline constexpr unsigned maxLevel = 3;

} // namespace ccgraph

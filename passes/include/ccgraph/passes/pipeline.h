// Pipeline: a list of configured passes, and its text.
//
//   sink-waits,coalesce-collectives{layout=flat max-bytes=64MiB}
//
// Passes are separated by commas, options by blanks; blanks around either mean nothing. The same
// pass may stand twice, with other options. str() gives the canonical text: it parses to an equal
// pipeline, and a canonical text prints back to itself.
//
// Ownership: a Pipeline owns its passes; it moves, and does not copy (append another one instead, whose passes are
// cloned, registered or not).
// Failure: parse() reports each mistake with its column in the text, what was got, what is known,
// and the nearest known word, as pipeline.syntax, pipeline.unknown-pass, pipeline.unknown-option or
// pipeline.bad-value. Cost: linear in the text.
#pragma once

#include "ccgraph/passes/pass.h"

#include <memory>

namespace ccgraph {

/// Passes in the order in which they run; empty is a pipeline too, which does nothing.
class Pipeline {
public:
  Pipeline() = default;
  [[nodiscard]] static llvm::Expected<Pipeline> parse(llvm::StringRef text);

  void append(std::unique_ptr<Pass> pass) { passes_.push_back(std::move(pass)); }
  /// Adds a copy of another pipeline's passes, options included.
  void append(const Pipeline &other);
  /// Removes every pass that comes after the first one of this name. False, and nothing is removed, if no pass has it.
  [[nodiscard]] bool stopAfter(llvm::StringRef pass);
  [[nodiscard]] llvm::ArrayRef<std::unique_ptr<Pass>> passes() const { return passes_; }
  /// The canonical text: options that were set, in the order in which they were.
  [[nodiscard]] std::string str() const;

private:
  std::vector<std::unique_ptr<Pass>> passes_;
};

/// The pipeline of an optimisation level: -O0 (empty) to -O3; a higher level asserts. The text of
/// pipelines.cpp says why each pass stands where it stands.
[[nodiscard]] Pipeline pipelineOfLevel(unsigned level);
/// The highest level that there is.
inline constexpr unsigned maxLevel = 3;

} // namespace ccgraph

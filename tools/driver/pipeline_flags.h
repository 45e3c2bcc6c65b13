// Declares the flags that choose and check a pipeline, the same for every tool that runs one.
//
// Ownership: the flags write into a PipelineFlags that must outlive the command line. Failure: an invalid pipeline text
// is a usage error with its column; an invalid file of operators is a diagnosed error. Cost: negligible.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/passes/pass_manager.h"
#include "driver/command_line.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::driver {

struct PipelineFlags {
  std::optional<unsigned> level;        ///< -O0 to -O3; empty: not given
  std::optional<std::string> text;      ///< --pipeline; an empty text is a pipeline without passes
  std::string stopAfter;                ///< --stop-after: the name of the last pass to run; empty: run all
  std::string opFile;                   ///< --ops
  std::string machine;                  ///< --machine; empty: the default
  std::string durations;                ///< --durations; empty: none
  std::vector<std::string> collectives; ///< --collectives
  PassManagerOptions manager;
  bool leastMemory = false; ///< --minimize memory: the budget is 0, and exceeding it is not an error

  /// Returns the passes to run: those of the text, or of the level, or of `otherwise`. Returns a usage error for an
  /// invalid text.
  [[nodiscard]] llvm::Expected<Pipeline> pipeline(unsigned otherwise) const;
  /// Returns "-O2" or the text itself, and "''" for an empty text.
  [[nodiscard]] std::string levelText(unsigned otherwise) const;
  /// Declares the operators of --ops in a context.
  [[nodiscard]] llvm::Error declareOps(Context &context) const;
  mutable std::vector<std::string> declared; ///< by declareOps: "mylib.scale"
};

/// Returns the names of all passes, sorted.
[[nodiscard]] std::vector<std::string> namesOfPasses();

/// Adds the flags; `otherwise` is the level if no flag is given, as the help states.
void addPipelineFlags(CommandLine &line, PipelineFlags &flags, unsigned otherwise);
void addCheckFlags(CommandLine &line, PipelineFlags &flags);

} // namespace ccgraph::driver

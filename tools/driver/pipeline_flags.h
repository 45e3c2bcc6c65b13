// The flags that choose and check a pipeline, the same for every tool that runs one.
//
// Ownership: the flags write into a PipelineFlags that must outlive the command line. Failure: a
// text that is no pipeline is a usage error with its column; a file of operators that does not read
// is a diagnosed one. Cost: none worth naming.
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
  std::optional<std::string> text;      ///< --pipeline; an empty text is a pipeline of no pass
  std::string stopAfter;                ///< --stop-after: the name of the last pass to run; empty: run all
  std::string opFile;                   ///< --ops
  std::string machine;                  ///< --machine; empty: the default
  std::string durations;                ///< --durations; empty: none
  std::vector<std::string> collectives; ///< --collectives
  PassManagerOptions manager;
  bool leastMemory = false; ///< --minimize memory: the budget is 0, and that it is missed no failure

  /// The passes to run: the text, or the level, or `otherwise`. An error is one of usage.
  [[nodiscard]] llvm::Expected<Pipeline> pipeline(unsigned otherwise) const;
  /// "-O2" or the text itself; "''" where that is empty.
  [[nodiscard]] std::string spelling(unsigned otherwise) const;
  /// Makes the operators of --ops known to a context.
  [[nodiscard]] llvm::Error declareOps(Context &context) const;
  mutable std::vector<std::string> declared; ///< by declareOps: "mylib.scale"
};

/// Of every pass, sorted.
[[nodiscard]] std::vector<std::string> namesOfPasses();

/// `otherwise` is the level where no flag is given, as the help says.
void addPipelineFlags(CommandLine &line, PipelineFlags &flags, unsigned otherwise);
void addCheckFlags(CommandLine &line, PipelineFlags &flags);

} // namespace ccgraph::driver

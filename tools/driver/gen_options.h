// What the command line of ccgraph-gen can say.
//
// Ownership: plain values, filled by parseGenOptions. Failure: an error of one line, and a note where a flag resembles another;
// it is one of usage. Cost: none worth naming.
#pragma once

#include "driver/command_line.h"
#include "models/training_step.h"

#include <optional>
#include <string>

namespace ccgraph::driver {

/// Each field is what one flag says; those without a comment are what the flag's help says (gen_options.cpp).
struct GenOptions {
  /// one of modelNames(); empty where a file says it
  std::string model;
  std::string config;
  std::string output;
  /// "json" or "fx"; empty: by the output's name
  std::string emit;
  /// topic, maybe empty for the first screen; no value: help is not asked for
  std::optional<std::string> help;
  bool version = false;
  bool listModels = false;

  // Over the model's own; 0: as it is.
  int64_t layers = 0;
  int64_t dim = 0;
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t ffnDim = 0;
  int64_t vocab = 0;

  int64_t ddp = 0;
  /// all but the model
  models::GenerateRequest request;

  [[nodiscard]] bool writesFxText() const {
    return emit == "fx" || (emit.empty() && llvm::StringRef(output).endswith(".py"));
  }
};

/// Declares the flags; `options` must outlive the command line.
[[nodiscard]] CommandLine genCommandLine(GenOptions &options);
/// Fills the options and checks that they make sense together.
[[nodiscard]] llvm::Error parseGenOptions(CommandLine &line, GenOptions &options,
                                          llvm::ArrayRef<const char *> arguments);

} // namespace ccgraph::driver

// The options of ccgraph-gen's command line.
//
// Ownership: plain values, filled by parseGenOptions. Failure: a usage error of one line, with a note if the flag
// resembles another. Cost: negligible.
#pragma once

#include "driver/command_line.h"
#include "models/pipeline_schedules.h"
#include "models/training_step.h"

#include <optional>
#include <string>

namespace ccgraph::driver {

/// The flags of --plan.
struct PlanFlags {
  bool isPlan = false;
  bool exhaustive = false;
  bool csv = false;
  bool json = false;
  size_t rows = 10;
  int64_t ranks = 0;
  /// bytes of one rank; 0: not given
  int64_t memory = 0;
  /// a preset or a file
  std::string machine;
  /// a page
  std::string report;
};

/// Each field holds the value of one flag; the flag's help (gen_options.cpp) describes the fields without a comment.
struct GenOptions {
  /// one of modelNames(); empty if a file gives the model
  std::string model;
  std::string config;
  std::string output;
  /// "json", "fx" or "csv"; empty: by the output's name
  std::string emit;
  /// topic, empty for the first screen; no value: help was not requested
  std::optional<std::string> help;
  bool version = false;
  bool listModels = false;

  // These sizes override those of the model; 0: unchanged.
  int64_t layers = 0;
  int64_t dim = 0;
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t ffnDim = 0;
  int64_t vocab = 0;

  int64_t ddp = 0;
  /// empty: 1 with shardsOptimizer, else as the layout is
  std::optional<size_t> zero;
  PlanFlags plan;
  std::vector<report::GivenFlag> given;
  /// `ranks` is 0 without --pp
  models::PipelineRequest pipeline = {.ranks = 0};
  /// all but the model
  models::GenerateRequest request;

  [[nodiscard]] bool isPipeline() const { return pipeline.ranks > 0; }
  /// Returns true if the schedule of a pipeline is written, and no graph.
  [[nodiscard]] bool writesSchedule() const { return emit == "csv"; }
  [[nodiscard]] bool writesFxText() const {
    return emit == "fx" || (emit.empty() && llvm::StringRef(output).endswith(".py"));
  }
};

/// Declares the flags; `options` must outlive the command line.
[[nodiscard]] CommandLine genCommandLine(GenOptions &options);
/// Fills the options and checks that they are consistent.
[[nodiscard]] llvm::Error parseGenOptions(CommandLine &line, GenOptions &options,
                                          llvm::ArrayRef<const char *> arguments);

} // namespace ccgraph::driver

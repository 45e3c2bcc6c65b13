// What the command line of ccgraph-run asks for.
//
// Ownership: plain values. Failure: a contradiction between flags is an error of usage, in one
// line with its repair. Cost: none worth naming.
#pragma once

#include "ccgraph/ir/tolerance.h"
#include "ccgraph/runtime/engine.h"
#include "driver/command_line.h"
#include "driver/fault_flag.h"
#include "driver/pipeline_flags.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::driver {

/// Value of --pace: no durations, all is predicted.
inline constexpr llvm::StringLiteral predictedPace = "predicted";

/// Each field is what one flag says; empty texts and lists: not given.
struct RunOptions {
  /// empty: reference for graphs, local for plans
  std::string engine;
  /// 0: not given
  size_t ranks = 0;
  std::vector<std::string> rankGraphs;
  std::vector<std::string> groups;
  std::string selector;
  std::string values;
  std::string toleranceFile;
  Tolerance tolerance;
  /// none: 0 for the inputs, and the order for speed
  std::optional<size_t> seed;
  /// 0: not given, which is once
  size_t repeat = 0;
  /// how long a rank may wait for the others
  std::chrono::milliseconds deadline = runtime::PlanRequest().deadline;
  std::string expect;
  std::string flightRecords;
  std::string analyze;
  std::string trace;
  std::string durations;
  /// providers; empty: what a request has by itself
  std::vector<std::string> kernels;
  /// of collectives; 0: one for each group
  size_t streams = 0;
  bool capture = false;
  /// where the processes of engine nccl meet
  std::string jobFolder;
  std::string jobAddress;
  /// a file of the calls of a device; empty: not given
  std::string calls;
  /// a file of durations, or predictedPace
  std::string pace;
  std::vector<FaultFlag> faults;
  PipelineFlags pipeline;
  /// topic, maybe empty for the first screen; no value: help is not asked for
  std::optional<std::string> help;
  bool version = false;
};

/// Declares the flags, which write into `options`.
[[nodiscard]] CommandLine declareRunFlags(RunOptions &options);

/// After parsing. Error: an engine that does not exist, too many graphs or too few, files that do
/// not pair up.
[[nodiscard]] llvm::Error checkRunUsage(const RunOptions &options, llvm::ArrayRef<std::string> positional);

} // namespace ccgraph::driver

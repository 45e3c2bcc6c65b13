// The options of ccgraph-run's command line.
//
// Ownership: plain values. Failure: a contradiction between flags is a usage error of one line with its repair. Cost:
// negligible.
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

/// The value of --pace without durations: all times are predicted.
inline constexpr llvm::StringLiteral predictedPace = "predicted";

/// Each field holds the value of one flag; empty texts and lists mean that the flag was not given.
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
  /// no value: 0 for the inputs, and the fast order
  std::optional<size_t> seed;
  /// 0: not given, which means once
  size_t repeat = 0;
  /// how long a rank may wait for the others
  std::chrono::milliseconds deadline = runtime::PlanRequest().deadline;
  std::string expect;
  std::string flightRecords;
  std::string analyze;
  std::string trace;
  std::string durations;
  /// kernel providers; empty: the default of a request
  std::vector<std::string> kernels;
  /// streams for collectives; 0: one for each group
  size_t streams = 0;
  bool capture = false;
  /// the rendezvous of engine nccl's processes
  std::string jobFolder;
  std::string jobAddress;
  /// a file of device calls; empty: not given
  std::string calls;
  /// a file of durations, or predictedPace
  std::string pace;
  std::vector<FaultFlag> faults;
  PipelineFlags pipeline;
  /// topic, empty for the first screen; no value: help was not requested
  std::optional<std::string> help;
  bool version = false;
};

/// Declares the flags, which write into `options`.
[[nodiscard]] CommandLine declareRunFlags(RunOptions &options);

/// Checks the options after parsing. Returns an error for an engine that does not exist, too many or too few graphs, or
/// files that do not pair up.
[[nodiscard]] llvm::Error checkRunUsage(const RunOptions &options, llvm::ArrayRef<std::string> positional);

} // namespace ccgraph::driver

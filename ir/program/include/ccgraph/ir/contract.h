// Contract: what the communication of a training step must satisfy, so that a change of the model or of the compiler
// that adds communication is found before it runs.
//
// A contract has rules about collectives and limits of the whole step. A CollectiveRule selects collectives by graph,
// module, kind and group, and bounds their number and their bytes, or lists the permitted dtypes and reductions. A
// module pattern selects whole subtrees: "layers.*" selects all collectives in layers.0, those in layers.1, and so on.
// Each of these modules is one *instance* of the pattern, and the rule must hold for each instance alone:
//
//   rule {module: layers.*, kind: all_gather, group: fsdp, count: 9}     nine in every layer
//
// A pattern without a star has one instance. A rule without a module has one instance, which is the whole step.
//
// checkContract (ccgraph/checks/contract_check.h) compares a contract with graphs; contract_file.h reads and writes
// the file of a contract.
//
// Ownership: plain values. Failure: none; readers check the values. Cost: negligible.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/dtype.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// The numbers from `least` to `most`, both included; an empty end has no limit.
struct Bounds {
  std::optional<int64_t> least;
  std::optional<int64_t> most;

  [[nodiscard]] static Bounds exactly(int64_t value) { return {value, value}; }
  [[nodiscard]] static Bounds atMost(int64_t value) { return {std::nullopt, value}; }
  [[nodiscard]] bool holds(int64_t value) const { return (!least || value >= *least) && (!most || value <= *most); }
  [[nodiscard]] bool isExact() const { return least && most && *least == *most; }
  /// Returns "4", "at most 4", "at least 4", "4 to 8", "any number".
  [[nodiscard]] std::string str() const;
  friend bool operator==(const Bounds &, const Bounds &) = default;
};

/// A place in the file of the contract, from 1; 0: the contract has no file.
struct ContractPlace {
  unsigned line = 0;
  unsigned column = 0;
  friend bool operator==(const ContractPlace &, const ContractPlace &) = default;
};

struct CollectiveRule {
  // Selection; an empty field selects everything.
  /// name of a graph, or its role in a step: "forward", "backward", "joint"
  std::string graph;
  /// pattern of module paths, in which a component "*" stands for one component
  std::string module;
  std::optional<CollectiveKind> kind;
  /// name or description of the group
  std::string group;

  // Requirements for each instance; an empty field requires nothing.
  std::optional<Bounds> count;
  /// Sum over the collectives of the bytes of one rank; a collective counts the larger of its input and its output.
  std::optional<Bounds> bytes;
  /// every tensor that a collective sends has one of these
  std::vector<DType> dtypes;
  /// every collective that reduces has one of these
  std::vector<ReduceOp> reductions;
  /// number of instances of the module pattern
  std::optional<Bounds> modules;

  ContractPlace place;
  friend bool operator==(const CollectiveRule &, const CollectiveRule &) = default;
};

/// Limits of a whole step; an empty field has no limit.
struct StepLimits {
  /// launches that are neither waited for nor returned
  std::optional<int64_t> missingWaits;
  /// waits that complete no collective
  std::optional<int64_t> deadWaits;
  /// collectives whose results no node reads
  std::optional<int64_t> deadCollectives;
  /// collectives with no computing node between launch and wait
  std::optional<int64_t> exposedCollectives;
  /// predicted exposed communication, in percent of the predicted step time
  std::optional<double> exposedPercent;
  /// the largest peak memory of the graphs of the step
  std::optional<int64_t> peakBytes;
  ContractPlace place;
  friend bool operator==(const StepLimits &, const StepLimits &) = default;
};

struct Contract {
  /// the file of the contract, for messages; empty if there is none
  std::string origin;
  /// preset or file of the machine for which `exposedPercent` is predicted; empty: the default machine
  std::string machine;
  /// false: a collective that no rule selects is a finding
  bool allowsUnlisted = true;
  StepLimits limits;
  std::vector<CollectiveRule> collectives;
};

/// Returns the prefix of `path` that the pattern selects; empty if it selects nothing. "layers.*" selects "layers.3" of
/// "layers.3.attention.wq". An empty pattern selects every path, also the empty one: then it returns "".
[[nodiscard]] std::optional<std::string> selectedModule(llvm::StringRef pattern, llvm::StringRef path);

/// Returns the kind with this name ("all_gather"); empty for other words.
[[nodiscard]] std::optional<CollectiveKind> parseCollectiveKind(llvm::StringRef name);

} // namespace ccgraph

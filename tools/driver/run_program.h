// RunProgram: what ccgraph-run runs: graphs or plans, one for all ranks or one for each.
//
// Whether a file holds a plan shows in its content, and all files hold the same kind. Graphs go through the pipeline, and
// are lowered where an engine runs plans; a plan is verified and run as it is.
//
//   open         the files
//   checkUsage   that what is asked for goes with what they hold
//   load         read, choose the ranks, verify
//   transform    graphs only
//   lower        graphs only, for engines of plans
//
// Where ranks have plans of their own, these must agree (plan_fingerprint.h): what ranks disagree about is said before the
// first of them runs a step.
//
// Ownership: owns graphs, plans and their context; borrows options and streams. Failure: diagnostics with file and place;
// checkUsage alone gives errors of usage. Cost: that of readers, verifiers, passes and lowering.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/ir/machine.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/node_places.h"
#include "driver/run_options.h"
#include "driver/streams.h"

#include <memory>

namespace ccgraph::driver {

/// Where times of nodes come from.
struct ProgramCosts {
  Machine machine;
  std::optional<Durations> durations;
};

class RunProgram {
public:
  RunProgram(const RunOptions &options, Streams streams) : options_(options), streams_(streams) {}

  [[nodiscard]] llvm::Error open(llvm::ArrayRef<std::string> paths);
  [[nodiscard]] llvm::Error checkUsage() const;
  [[nodiscard]] llvm::Error load();
  [[nodiscard]] llvm::Error transform(const Pipeline &pipeline);
  [[nodiscard]] llvm::Error lower();

  /// The files hold plans; valid after open().
  [[nodiscard]] bool isPlanned() const { return planned_; }
  /// Plans run, of files or lowered.
  [[nodiscard]] bool runsPlans() const { return engine() != "reference"; }
  [[nodiscard]] llvm::StringRef engine() const;
  [[nodiscard]] Context &context() { return context_; }
  [[nodiscard]] size_t ranks() const { return ranks_; }
  [[nodiscard]] const ObjectMeanings &objects() const { return objects_; }
  /// Empty where the files hold plans.
  [[nodiscard]] std::vector<const Graph *> graphs() const;
  /// Empty where graphs run as they are.
  [[nodiscard]] std::vector<const Plan *> plans() const;
  /// "in.x" of each input, in order.
  [[nodiscard]] std::vector<std::string> inputNames(size_t rank) const;
  [[nodiscard]] TensorMap seededInputs(size_t rank, int64_t mostBytes) const;
  /// Null unless --pace asks for times; after load().
  [[nodiscard]] const ProgramCosts *costs() const { return costs_ ? &*costs_ : nullptr; }
  /// By the pipeline.
  [[nodiscard]] bool changed() const { return changed_; }
  // --- What --durations tells of the program as it was given, before passes -----------------------------------
  [[nodiscard]] std::string inputDigest() const;
  /// The nodes that a step's node was made of, with shares that add up to 1.
  [[nodiscard]] std::vector<std::pair<std::string, double>> originsOf(llvm::StringRef name) const;
  /// An error of the run, with its place where only one file can be meant.
  [[nodiscard]] llvm::Error placed(llvm::Error error) const;

private:
  [[nodiscard]] llvm::Error loadGraphs();
  [[nodiscard]] llvm::Error loadGraphFile(size_t index);
  [[nodiscard]] llvm::Error loadPlans();
  [[nodiscard]] llvm::Error loadCosts();
  void addPlan(std::unique_ptr<Plan> plan);
  /// Ranks with plans of their own launch alike: asked before the first step.
  [[nodiscard]] llvm::Error checkAgreement() const;
  void keepInputNames();
  [[nodiscard]] llvm::Error chooseRanks(std::optional<int64_t> stated);
  [[nodiscard]] bool isOneText() const { return files_.size() == 1; }
  [[nodiscard]] size_t textOf(size_t rank) const { return isOneText() ? 0 : rank; }
  [[nodiscard]] GraphChoice place(size_t text) const { return {files_[text].file, files_[text].selector}; }

  const RunOptions &options_;
  Streams streams_;
  Context context_;
  std::vector<GraphInput> files_; ///< kept, because an error looks up where a node stands
  bool planned_ = false;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<Plan>> plans_;
  ObjectMeanings objects_;
  std::optional<ProgramCosts> costs_;
  size_t ranks_ = 0;
  bool changed_ = false;
  std::string inputDigest_;
  std::map<std::string, int64_t> inputBytes_; ///< of the input's collectives
};

} // namespace ccgraph::driver

// RunProgram holds the graphs or plans that ccgraph-run executes, one for all ranks or one for each.
//
// The content of a file shows whether it holds a plan; all files hold the same kind. Graphs go through the pipeline,
// and are lowered if the engine runs plans; a plan is verified and executed unchanged.
//
//   open         opens the files
//   checkUsage   checks that the options match the content of the files
//   load         reads, chooses the ranks, verifies
//   transform    runs the pipeline, for graphs
//   lower        makes plans of graphs, for engines of plans
//
// If ranks have plans of their own, these must agree (plan_fingerprint.h); a disagreement is reported before any rank
// runs a step.
//
// Ownership: owns graphs, plans and their context; borrows options and streams. Failure: diagnostics with file and
// place; only checkUsage returns usage errors. Cost: that of readers, verifiers, passes and lowering.
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

/// The source of the nodes' times.
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

  /// Returns true if the files hold plans; valid after open().
  [[nodiscard]] bool isPlanned() const { return planned_; }
  /// Returns true if plans are executed, from files or lowered.
  [[nodiscard]] bool runsPlans() const { return engine() != "reference"; }
  [[nodiscard]] llvm::StringRef engine() const;
  [[nodiscard]] Context &context() { return context_; }
  [[nodiscard]] size_t ranks() const { return ranks_; }
  [[nodiscard]] const ObjectMeanings &objects() const { return objects_; }
  /// Returns the graphs; empty if the files hold plans.
  [[nodiscard]] std::vector<const Graph *> graphs() const;
  /// Returns the plans; empty if graphs are executed.
  [[nodiscard]] std::vector<const Plan *> plans() const;
  /// Returns "in.x" for each input, in order.
  [[nodiscard]] std::vector<std::string> inputNames(size_t rank) const;
  [[nodiscard]] TensorMap seededInputs(size_t rank, int64_t mostBytes) const;
  /// Returns null unless --pace needs times; call after load().
  [[nodiscard]] const ProgramCosts *costs() const { return costs_ ? &*costs_ : nullptr; }
  /// Returns true if the pipeline changed a graph.
  [[nodiscard]] bool changed() const { return changed_; }
  // --- The original program, which --durations describes ------------------------------------------------------
  [[nodiscard]] std::string inputDigest() const;
  /// Returns the input nodes from which the passes made this node, with shares that add up to 1.
  [[nodiscard]] std::vector<std::pair<std::string, double>> originsOf(llvm::StringRef name) const;
  /// Adds the place to an error of the run if only one file can be meant.
  [[nodiscard]] llvm::Error placed(llvm::Error error) const;

private:
  [[nodiscard]] llvm::Error loadGraphs();
  [[nodiscard]] llvm::Error loadGraphFile(size_t index);
  [[nodiscard]] llvm::Error loadPlans();
  [[nodiscard]] llvm::Error loadCosts();
  void addPlan(std::unique_ptr<Plan> plan);
  /// Checks before the first step that ranks with plans of their own launch the same collectives.
  [[nodiscard]] llvm::Error checkAgreement() const;
  void keepInputNames();
  /// Returns why ranks run different programs, and so must keep their order across groups; empty if nothing shows it.
  [[nodiscard]] std::string ranksDiffer() const;
  [[nodiscard]] llvm::Error chooseRanks(std::optional<int64_t> stated);
  [[nodiscard]] bool isOneText() const { return files_.size() == 1; }
  [[nodiscard]] size_t textOf(size_t rank) const { return isOneText() ? 0 : rank; }
  [[nodiscard]] GraphChoice place(size_t text) const { return {files_[text].file, files_[text].selector}; }

  const RunOptions &options_;
  Streams streams_;
  Context context_;
  std::vector<GraphInput> files_; ///< kept, because an error looks up the position of a node
  bool planned_ = false;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<Plan>> plans_;
  ObjectMeanings objects_;
  std::optional<Machine> machine_; ///< empty: the default machine
  std::optional<ProgramCosts> costs_;
  size_t ranks_ = 0;
  bool changed_ = false;
  std::string inputDigest_;
  std::map<std::string, int64_t> inputBytes_; ///< bytes of the input's collectives
};

} // namespace ccgraph::driver

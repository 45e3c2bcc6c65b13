#include "driver/run_program.h"

#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/digest.h"
#include "ccgraph/ir/plan_fingerprint.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/ir/value_names.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/spmd_evidence.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::driver {
namespace {

llvm::Error textError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Returns true if an option requires a graph.
bool asksOfGraph(const RunOptions &options) {
  const PassManagerOptions &manager = options.pipeline.manager, usual;
  bool passes = options.pipeline.level || options.pipeline.text || manager.hasBudget() || manager.bitwise ||
                !manager.limitMemory;
  bool checks = manager.spmd != usual.spmd || manager.verifyEach != usual.verifyEach ||
                manager.checkLegality != usual.checkLegality;
  // The graph that is compared with a plan may need groups.
  bool groups = !options.groups.empty() && options.expect.empty();
  return passes || checks || groups || !options.selector.empty() || options.streams > 0;
}

/// Returns true if an option requires an engine that runs plans.
bool asksOfPlan(const RunOptions &options) {
  return options.deadline != runtime::PlanRequest().deadline || !options.flightRecords.empty() ||
         !options.trace.empty() || !options.durations.empty() || !options.faults.empty() || !options.pace.empty() ||
         options.streams > 0 || options.capture || !options.calls.empty();
}

} // namespace

llvm::Error RunProgram::open(llvm::ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    Diagnostics warnings;
    llvm::Expected<GraphInput> input = openGraphs(path, options_.selector, warnings);
    streams_.err << toString(warnings.take());
    if (!input)
      return input.takeError();
    files_.push_back(std::move(*input));
  }
  planned_ = isPlan(files_.front().file.text());
  return llvm::Error::success();
}

llvm::Error RunProgram::checkUsage() const {
  for (const GraphInput &input : files_)
    if (isPlan(input.file.text()) != planned_) {
      const InputFile &file = input.file;
      const InputFile &first = files_.front().file, &plan = planned_ ? first : file, &graph = planned_ ? file : first;
      return textError("--rank-graphs: " + plan.name() + " holds a plan, and " + graph.name() +
                       " does not\n  note: give a plan for each rank, or a graph for each");
    }
  if (planned_ && asksOfGraph(options_))
    return textError(
        files_.front().file.name() +
        " holds a plan, which contains its groups, and no pass rewrites it\n  note: the flags of a plan are --engine, "
        "--ranks, --rank-graphs, "
        "--values, --expect, --tolerance, --atol, --rtol, --seed, --repeat, --deadline, "
        "--flight-records, --trace, --durations, --pace, --kernels, --capture, --calls, --fault and --ops");
  if (!runsPlans() && asksOfPlan(options_))
    return textError("--deadline, --flight-records, --trace, --durations, --pace, --streams, --capture, --calls and "
                     "--fault need an engine that "
                     "runs plans\n  note: "
                     "--engine local runs a graph's plan");
  if (planned_ && !runsPlans())
    return textError("--engine: got '" + engine() + "', which runs graphs, and " + files_.front().file.name() +
                     " holds a plan\n  note: leave --engine out, or give a graph");
  return llvm::Error::success();
}

llvm::StringRef RunProgram::engine() const {
  if (!options_.engine.empty())
    return options_.engine;
  return planned_ ? "local" : "reference";
}

llvm::Error RunProgram::load() {
  if (llvm::Error error = options_.pipeline.declareOps(context_))
    return error;
  if (llvm::Error error = planned_ ? loadPlans() : loadGraphs())
    return error;
  return loadCosts();
}

llvm::Error RunProgram::loadCosts() {
  llvm::Expected<RunCosts> costs = loadRunCosts({options_.pipeline.machine, {}, {}}, files_.front().gpus);
  if (!costs)
    return costs.takeError();
  machine_ = std::move(costs->machine);
  if (options_.pace.empty())
    return llvm::Error::success();
  costs_.emplace(ProgramCosts{orDefault(machine_), {}});
  if (options_.pace == predictedPace)
    return planned_ ? textError("--pace: got '" + predictedPace +
                                "' and a plan, expected a file of durations\n  note: "
                                "give the graph in place of its plan: times of its nodes can be predicted")
                    : llvm::Error::success();
  llvm::Expected<Durations> durations = loadDurations(options_.pace);
  if (!durations)
    return durations.takeError();
  costs_->durations = std::move(*durations);
  return planned_ ? llvm::Error::success() : checkDurations(*costs_->durations, *graphs_.front());
}

// The steps depend on each other: the graph may state the number of ranks, groups without a file are assumed for that
// number, and the verifier needs the groups. So all graphs are read before the ranks are chosen, and verified
// afterwards.
llvm::Error RunProgram::loadGraphs() {
  for (size_t i = 0; i < files_.size(); ++i)
    if (llvm::Error error = loadGraphFile(i))
      return error;
  if (llvm::Error error = chooseRanks(graphs_.front()->worldSize))
    return error;
  for (size_t i = 0; i < graphs_.size(); ++i) {
    assumeGroups(*graphs_[i], ranks_);
    if (llvm::Error error = checkWellFormed(*graphs_[i]))
      return withPlaces(std::move(error), place(i));
  }
  return llvm::Error::success();
}

llvm::Error RunProgram::loadGraphFile(size_t index) {
  Diagnostics warnings;
  llvm::Expected<std::unique_ptr<Graph>> graph =
      loadGraph(context_, files_[index].file, files_[index].selector, &warnings);
  streams_.err << toString(warnings.take());
  if (!graph)
    return graph.takeError();
  addStatedGroups(**graph, files_[index]);
  graphs_.push_back(std::move(*graph));
  const std::vector<std::string> &groups = options_.groups;
  return addGroupsAndObjects(*graphs_.back(), objects_,
                             groups.empty() ? llvm::StringRef() : groups[groups.size() == 1 ? 0 : index]);
}

llvm::Error RunProgram::loadPlans() {
  for (size_t i = 0; i < files_.size(); ++i) {
    Diagnostics warnings;
    llvm::Expected<std::unique_ptr<Plan>> plan = readPlan(context_, files_[i].file.source(), {.warnings = &warnings});
    streams_.err << toString(warnings.take());
    if (!plan)
      return plan.takeError();
    if (llvm::Error error = verifyPlanOrError(**plan))
      return withPlaces(std::move(error), place(i));
    addPlan(std::move(*plan));
  }
  if (llvm::Error error = chooseRanks(plans_.front()->worldSize))
    return error;
  return checkAgreement();
}

// Takes the number from --ranks, else from the number of --rank-graphs, else from the world size that the graph states.
llvm::Error RunProgram::chooseRanks(std::optional<int64_t> stated) {
  ranks_ = options_.ranks ? options_.ranks : options_.rankGraphs.size();
  if (ranks_ == 0)
    ranks_ = static_cast<size_t>(stated.value_or(0));
  if (ranks_ == 0)
    return textError(llvm::Twine("the ") + (planned_ ? "plan" : "graph") +
                     " does not state its number of ranks\n  note: give --ranks N");
  return llvm::Error::success();
}

/// Keeps the names that durations are reported by after passes have changed the graph.
void RunProgram::keepInputNames() {
  const Graph &graph = *graphs_.front();
  inputDigest_ = digestOf(graph).str();
  for (const Node *node : graph)
    if (std::optional<int64_t> bytes = inputBytes(*node))
      inputBytes_[node->name().str().str()] = *bytes;
}

std::string RunProgram::inputDigest() const { return planned_ ? plans_.front()->graphDigest : inputDigest_; }

std::vector<std::pair<std::string, double>> RunProgram::originsOf(llvm::StringRef name) const {
  const Node *node = planned_ ? nullptr : graphs_.front()->find(name);
  if (!node || node->provenance().origins.empty())
    return {{name.str(), 1}};
  std::vector<std::pair<std::string, double>> shares;
  double total = 0;
  for (Identifier origin : node->provenance().origins) {
    auto bytes = inputBytes_.find(origin.str().str());
    shares.emplace_back(origin.str().str(), bytes == inputBytes_.end() ? 0 : static_cast<double>(bytes->second));
    total += shares.back().second;
  }
  for (auto &[origin, share] : shares)
    share = total > 0 ? share / total : 1 / static_cast<double>(shares.size());
  return shares;
}

std::string RunProgram::ranksDiffer() const {
  return isOneText() ? ranksDifferText(*graphs_.front(), files_.front().ranks) : "each rank has a graph of its own";
}

llvm::Error RunProgram::transform(const Pipeline &pipeline) {
  if (!options_.durations.empty())
    keepInputNames();
  const Durations *durations = costs_ && costs_->durations ? &*costs_->durations : nullptr;
  const std::string differ = ranksDiffer();
  const PassManagerOptions manager = passOptions({options_.pipeline.manager, machine_, durations, objects_, differ});
  for (auto &graph : graphs_) {
    llvm::Expected<PipelineRun> run = runPipeline(*graph, pipeline, manager);
    if (!run)
      return placed(run.takeError());
    changed_ |= run->changed();
  }
  return llvm::Error::success();
}

llvm::Error RunProgram::lower() {
  LoweringOptions lowering{.objects = objects_, .streams = options_.streams};
  lowering.separateCommunication = runtime::findEngine(engine())->abilities().registersMemory;
  for (const auto &graph : graphs_) {
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(*graph, lowering);
    if (!plan)
      return placed(plan.takeError());
    if (llvm::Error error = verifyPlanOrError(**plan))
      return placed(std::move(error));
    addPlan(std::move(*plan));
  }
  return checkAgreement();
}

// One text serves every rank, so its plan has no rank; of several texts, each belongs to one rank.
void RunProgram::addPlan(std::unique_ptr<Plan> plan) {
  if (isOneText())
    plan->rank.reset();
  else if (!plan->rank)
    plan->rank = static_cast<int64_t>(plans_.size());
  plans_.push_back(std::move(plan));
}

llvm::Error RunProgram::checkAgreement() const {
  if (isOneText())
    return llvm::Error::success();
  for (size_t rank = 0; rank < plans_.size(); ++rank)
    if (*plans_[rank]->rank != static_cast<int64_t>(rank))
      return llvm::Error::success(); // the engine reports a plan that belongs to another rank
  std::vector<Diagnostic> findings = verifyAgreement(plans());
  return findings.empty() ? llvm::Error::success() : makeError(std::move(findings));
}

std::vector<const Graph *> RunProgram::graphs() const {
  std::vector<const Graph *> graphs;
  for (const auto &graph : graphs_)
    graphs.push_back(graph.get());
  return graphs;
}

std::vector<const Plan *> RunProgram::plans() const {
  std::vector<const Plan *> plans;
  for (const auto &plan : plans_)
    plans.push_back(plan.get());
  return plans;
}

std::vector<std::string> RunProgram::inputNames(size_t rank) const {
  std::vector<std::string> names;
  if (planned_) {
    for (const PlanInput &input : plans_[textOf(rank)]->inputs)
      if (placeholderOfInput(input.name))
        names.push_back(input.name);
    return names;
  }
  for (const Node *node : *graphs_[textOf(rank)])
    if (node->opcode() == Opcode::Placeholder)
      names.push_back(inputName(node->name().str()));
  return names;
}

TensorMap RunProgram::seededInputs(size_t rank, int64_t mostBytes) const {
  auto number = static_cast<int64_t>(rank);
  return planned_ ? runtime::seededInputs(*plans_[textOf(rank)], number, options_.seed.value_or(0), mostBytes)
                  : runtime::seededInputs(*graphs_[textOf(rank)], number, options_.seed.value_or(0), mostBytes);
}

llvm::Error RunProgram::placed(llvm::Error error) const {
  return isOneText() ? withPlaces(std::move(error), place(0)) : std::move(error);
}

} // namespace ccgraph::driver

#include "support/golden_runner.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/equivalence.h"
#include "ccgraph/runtime/seeded_inputs.h"

#include <numeric>

using llvm::StringRef;

namespace ccgraph::test {

namespace {

using Options = std::map<std::string, std::string>;

/// Everything of a graph that a file can hold.
std::string wholeText(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  return os.str();
}

/// What a golden shows: source comments only where the input has some, no liveness, since a diff of it says nothing.
std::string shownText(const Graph &graph) {
  FxTextOptions options;
  options.comments = graph.frames().size() > 1;
  options.liveness = false;
  std::string text;
  llvm::raw_string_ostream os(text);
  writeFxText(os, graph, options);
  return os.str();
}

class Runner {
public:
  explicit Runner(const GoldenFile &file) : file_(file) {}
  llvm::Expected<GoldenOutcome> run();

private:
  llvm::Error readOptions();
  llvm::Error readGroups(StringRef text);
  llvm::Expected<std::unique_ptr<Graph>> readInput();
  void assumeGroups(const Graph &graph, GroupTable &table) const;
  llvm::Expected<PipelineRun> runOnce(Graph &graph, const Pipeline &pipeline) const;
  void record(const PipelineRun &run, const Graph &after);
  void checkSecondRun(const Pipeline &pipeline);
  void checkValues(const Graph &after, const Pipeline &pipeline);
  void broke(const llvm::Twine &promise) { outcome_.broken.push_back(promise.str()); }

  const GoldenFile &file_;
  Context context_;
  Options options_;
  GroupTable groups_;
  size_t ranks_ = 2;
  PassManagerOptions manager_;
  std::unique_ptr<Graph> input_;
  std::string firstText_;
  GoldenOutcome outcome_;
};

llvm::Error optionError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "option " + message);
}

llvm::Error Runner::readOptions() {
  auto options = file_.options();
  if (!options)
    return options.takeError();
  options_ = std::move(*options);
  if (options_.count("ranks") && StringRef(options_["ranks"]).getAsInteger(10, ranks_))
    return optionError("ranks: got '" + options_["ranks"] + "', expected a number");
  manager_.spmd = options_["spmd"] != "false";
  std::string budget = options_["memory-budget"];
  manager_.limitMemory = !budget.empty();
  if (!budget.empty() && budget != "own") {
    auto bytes = OptionText<ByteCount>::parse(budget);
    if (!bytes)
      return optionError("memory-budget: got '" + budget + "', expected bytes such as 64KiB");
    manager_.memoryBudget = bytes->limit;
  }
  return options_.count("groups") ? readGroups(options_["groups"]) : llvm::Error::success();
}

llvm::Error Runner::readGroups(StringRef text) {
  std::string file = ("{\"groups\": " + text + "}").str();
  llvm::Expected<GroupTable> groups = readGroupFile({file_.path + " (groups)", file});
  if (!groups)
    return groups.takeError();
  groups_ = std::move(*groups);
  return llvm::Error::success();
}

/// A group that the options do not name is all ranks. The table is the outermost graph's, for its subgraphs too.
void Runner::assumeGroups(const Graph &graph, GroupTable &table) const {
  for (const Node *node = graph.front(); node != nullptr; node = node->next()) {
    auto call = collectiveCall(*node);
    if (!call || call->group.empty() || table.find(call->group) != nullptr)
      continue;
    Group group;
    group.name = call->group.str();
    group.ranks.resize(ranks_);
    std::iota(group.ranks.begin(), group.ranks.end(), 0);
    table.set(std::move(group));
  }
  for (const auto &[name, subgraph] : graph.subgraphs())
    assumeGroups(*subgraph, table);
}

llvm::Expected<std::unique_ptr<Graph>> Runner::readInput() {
  const GoldenSection *section = file_.find("input");
  auto graphs = readFxText(context_, {file_.path + " (input)", section->text});
  if (!graphs)
    return graphs.takeError();
  if (graphs->size() != 1)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "expected one graph as input");
  Graph &graph = *graphs->front();
  graph.worldSize = static_cast<int64_t>(ranks_);
  graph.groups() = groups_;
  assumeGroups(graph, graph.groups());
  return std::move(graphs->front());
}

llvm::Expected<PipelineRun> Runner::runOnce(Graph &graph, const Pipeline &pipeline) const {
  return runPipeline(graph, pipeline, manager_);
}

std::string remarksText(const PipelineRun &run) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const PassRun &pass : run.passes)
    for (const Remark &remark : pass.remarks)
      print(os, remark);
  return os.str();
}

void Runner::record(const PipelineRun &run, const Graph &after) {
  firstText_ = wholeText(after);
  outcome_.remarks = remarksText(run);
  outcome_.output = run.changed() ? shownText(after) : "unchanged\n";
  if (!run.changed() && firstText_ != wholeText(*input_))
    broke("the pipeline said 'unchanged', but the graph differs from its input");
  if (run.changed() && firstText_ == wholeText(*input_))
    broke("the pipeline said that it changed the graph, but the graph is what it was");
  if (llvm::Error error = verifyOrError(after))
    broke("the output does not verify: " + llvm::toString(std::move(error)));
}

void Runner::checkSecondRun(const Pipeline &pipeline) {
  std::unique_ptr<Graph> again = input_->clone();
  llvm::Expected<PipelineRun> run = runOnce(*again, pipeline);
  if (!run)
    return broke("a second run fails: " + llvm::toString(run.takeError()));
  if (wholeText(*again) != firstText_)
    broke("a second run gives another graph:\n" + shownText(*again));
  if (remarksText(*run) != outcome_.remarks)
    broke("a second run gives other remarks:\n" + remarksText(*run));
}

void Runner::checkValues(const Graph &after, const Pipeline &pipeline) {
  runtime::RunRequest request;
  request.graphs = {input_.get()};
  request.ranks = ranks_;
  for (size_t rank = 0; rank != ranks_; ++rank)
    request.inputs.push_back(runtime::seededInputs(*input_, static_cast<int64_t>(rank), 1));
  runtime::ComparisonRules rules;
  bool reassociates = llvm::any_of(pipeline.passes(), [](const auto &pass) { return pass->reassociates(); });
  if (options_["values"] == "close" && reassociates)
    rules.otherwise = Tolerance{false, 1e-5, 1e-5};
  runtime::EquivalenceReport report = runtime::checkEquivalence(request, {&after}, rules);
  switch (report.verdict) {
  case runtime::Verdict::Equal:
    if (options_["values"] == "none")
      broke("the option 'values: none' stands for a program that cannot run, but this one runs");
    return;
  case runtime::Verdict::NotChecked:
    if (options_["values"] != "none")
      broke("neither input nor output runs: " + report.beforeFailure);
    return;
  case runtime::Verdict::Different:
    broke("other values than the input computes: " + report.beforeFailure + report.afterFailure);
    for (const runtime::Difference &difference : report.comparison.differences)
      broke("  rank " + llvm::Twine(difference.rank) + " " + difference.output + ": " + difference.message);
  }
}

llvm::Expected<GoldenOutcome> Runner::run() {
  if (llvm::Error error = readOptions())
    return error;
  auto input = readInput();
  if (!input)
    return input.takeError();
  input_ = std::move(*input);
  if (llvm::Error error = verifyOrError(*input_))
    return error;
  auto pipeline = Pipeline::parse(StringRef(file_.find("pipeline")->text).trim());
  if (!pipeline)
    return pipeline.takeError();
  std::unique_ptr<Graph> after = input_->clone();
  llvm::Expected<PipelineRun> run = runOnce(*after, *pipeline);
  if (!run) {
    outcome_.diagnostics = llvm::toString(run.takeError());
    return std::move(outcome_);
  }
  record(*run, *after);
  checkSecondRun(*pipeline);
  checkValues(*after, *pipeline);
  return std::move(outcome_);
}

} // namespace

llvm::Expected<GoldenOutcome> runGolden(const GoldenFile &file) { return Runner(file).run(); }

} // namespace ccgraph::test

#include "support/golden_case.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/machine_file.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/runtime/seeded_inputs.h"

#include <numeric>

using llvm::StringRef;

namespace ccgraph::test {

namespace {

llvm::Error optionError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "option " + message);
}

/// A reader that converts one file to one case.
class Reader {
public:
  Reader(const GoldenFile &file, GoldenCase &result) : file_(file), case_(result) {}

  llvm::Error run() {
    if (llvm::Error error = readOptions())
      return error;
    if (llvm::Error error = readInputs())
      return error;
    auto pipeline = Pipeline::parse(StringRef(file_.find("pipeline")->text).trim());
    if (!pipeline)
      return pipeline.takeError();
    case_.pipeline = std::move(*pipeline);
    return llvm::Error::success();
  }

private:
  llvm::Error readOptions();
  llvm::Error readMachine(StringRef text);
  llvm::Error readBudget(const std::string &budget);
  llvm::Error readGroups(StringRef text);
  llvm::Error readObjects(StringRef text);
  llvm::Error readDurations(StringRef text);
  llvm::Error readValues(StringRef option, SymbolValues &values);
  llvm::Error readInputs();
  void assumeGroups(const Graph &graph, GroupTable &table) const;

  const GoldenFile &file_;
  GoldenCase &case_;
  GroupTable groups_;
};

llvm::Error Reader::readOptions() {
  auto options = file_.options();
  if (!options)
    return options.takeError();
  case_.options = std::move(*options);
  if (case_.options.count("ranks") && StringRef(case_.options["ranks"]).getAsInteger(10, case_.ranks))
    return optionError("ranks: got '" + case_.options["ranks"] + "', expected a number");
  if (llvm::Error error = readMachine(case_.options["machine"]))
    return error;
  case_.manager.spmd = case_.options["spmd"] != "false";
  case_.manager.bitwise = case_.options["bitwise"] == "true";
  if (llvm::Error error = readBudget(case_.options["memory-budget"]))
    return error;
  if (llvm::Error error = readDurations(case_.options["durations"]))
    return error;
  if (llvm::Error error = readObjects(case_.options["objects"]))
    return error;
  if (llvm::Error error = readValues("sizes", case_.sizes))
    return error;
  if (llvm::Error error = readValues("bind", case_.bound))
    return error;
  return case_.options.count("groups") ? readGroups(case_.options["groups"]) : llvm::Error::success();
}

llvm::Error Reader::readMachine(StringRef text) {
  if (text.empty())
    return llvm::Error::success();
  text.consume_front("{");
  std::string file = ("{\"format\": \"ccgraph.machine\", \"version\": \"1.0\", " + text).str();
  llvm::Expected<Machine> machine = readMachineFile({file_.path + " (machine)", file});
  if (!machine)
    return machine.takeError();
  case_.manager.machine = std::move(*machine);
  return llvm::Error::success();
}

llvm::Error Reader::readDurations(StringRef text) {
  if (text.empty())
    return llvm::Error::success();
  constexpr int64_t picosecondsOfUs = 1'000'000;
  case_.durations = std::make_unique<Durations>();
  llvm::SmallVector<StringRef, 8> entries;
  text.split(entries, ',');
  for (StringRef entry : entries) {
    auto [node, number] = entry.trim().split(' ');
    int64_t microseconds = 0;
    if (number.trim().getAsInteger(10, microseconds))
      return optionError("durations: got '" + entry + "', expected a node and its microseconds, such as 'mm 10'");
    case_.durations->add(node, {microseconds * picosecondsOfUs, DurationSource::Measured});
  }
  case_.manager.durations = case_.durations.get();
  return llvm::Error::success();
}

llvm::Error Reader::readBudget(const std::string &budget) {
  case_.manager.limitMemory = !budget.empty();
  if (budget.empty() || budget == "own")
    return llvm::Error::success();
  auto bytes = OptionText<ByteCount>::parse(budget);
  if (!bytes)
    return optionError("memory-budget: got '" + budget + "', expected bytes such as 64KiB");
  case_.manager.memoryBudget = bytes->limit;
  return llvm::Error::success();
}

llvm::Error Reader::readGroups(StringRef text) {
  std::string file = ("{\"groups\": " + text + "}").str();
  llvm::Expected<GroupTable> groups = readGroupFile({file_.path + " (groups)", file});
  if (!groups)
    return groups.takeError();
  groups_ = std::move(*groups);
  return llvm::Error::success();
}

llvm::Error Reader::readObjects(StringRef text) {
  if (text.empty())
    return llvm::Error::success();
  std::string file = ("{\"constants\": " + text + "}").str();
  llvm::Expected<ObjectMeanings> objects = readObjectFile({file_.path + " (objects)", file});
  if (!objects)
    return objects.takeError();
  case_.objects = std::make_unique<ObjectMeanings>(std::move(*objects));
  case_.manager.objects = case_.objects.get();
  return llvm::Error::success();
}

/// Reads an option that gives symbols values, if the case has it.
llvm::Error Reader::readValues(StringRef option, SymbolValues &values) {
  auto found = case_.options.find(option.str());
  if (found == case_.options.end())
    return llvm::Error::success();
  llvm::Expected<SymbolValues> parsed = parseSymbolValues(found->second);
  if (!parsed)
    return optionError(option + ": " + llvm::toString(parsed.takeError()));
  values = std::move(*parsed);
  return llvm::Error::success();
}

/// A group that the options do not name consists of all ranks. The table of the outermost graph also serves its
/// subgraphs.
void Reader::assumeGroups(const Graph &graph, GroupTable &table) const {
  for (const Node *node : graph) {
    auto call = collectiveCall(*node);
    if (!call || call->group.empty() || table.find(call->group) != nullptr)
      continue;
    Group group;
    group.name = call->group.str();
    group.ranks.resize(case_.ranks);
    group.assumed = true;
    std::iota(group.ranks.begin(), group.ranks.end(), 0);
    table.set(std::move(group));
  }
  for (const auto &[name, subgraph] : graph.subgraphs())
    assumeGroups(*subgraph, table);
}

llvm::Error Reader::readInputs() {
  auto graphs = readFxText(*case_.context, {file_.path + " (input)", file_.find("input")->text});
  if (!graphs)
    return graphs.takeError();
  if (graphs->size() != 1 && graphs->size() != case_.ranks)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "expected one graph as input, or one a rank");
  for (std::unique_ptr<Graph> &graph : *graphs) {
    graph->worldSize = static_cast<int64_t>(case_.ranks);
    graph->groups() = groups_;
    assumeGroups(*graph, graph->groups());
    case_.inputs.push_back(std::move(graph));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<GoldenCase> GoldenCase::read(const GoldenFile &file) {
  GoldenCase result;
  result.context = std::make_unique<Context>();
  if (llvm::Error error = Reader(file, result).run())
    return error;
  return result;
}

llvm::Expected<RewriteResult> GoldenCase::rewrite(Graph &graph, const PassManagerOptions &options,
                                                  bool makesSchedule) const {
  const RewriteRequest request{pipeline, nullptr, options, makesSchedule};
  if (bound.empty())
    return rewriteGraph(graph, request);
  llvm::Expected<BoundRewrite> rewritten = rewriteWithSizes(graph, bound, request);
  if (!rewritten)
    return rewritten.takeError();
  return std::move(rewritten->result);
}

void GoldenCase::forEachSize(llvm::function_ref<void()> call) {
  if (sizes.empty())
    call();
  for (const auto &[symbol, value] : sizes) {
    for (const std::unique_ptr<Graph> &graph : inputs)
      graph->symbolHints = {{context->identifier(symbol), value}};
    call();
  }
}

runtime::RunRequest GoldenCase::request() const {
  runtime::RunRequest request;
  request.ranks = ranks;
  if (objects)
    request.objects = *objects;
  for (const std::unique_ptr<Graph> &graph : inputs)
    request.graphs.push_back(graph.get());
  for (size_t rank = 0; rank != ranks; ++rank)
    request.inputs.push_back(
        runtime::seededInputs(*inputs[inputs.size() == 1 ? 0 : rank], static_cast<int64_t>(rank), 1));
  return request;
}

runtime::ComparisonRules GoldenCase::rules() const {
  runtime::ComparisonRules rules;
  double tolerance = 0;
  for (const auto &pass : pipeline.passes())
    tolerance = std::max(tolerance, pass->tolerance());
  auto values = options.find("values");
  if (values != options.end() && values->second == "close" && tolerance > 0)
    rules.otherwise = Tolerance{false, tolerance, tolerance};
  return rules;
}

} // namespace ccgraph::test

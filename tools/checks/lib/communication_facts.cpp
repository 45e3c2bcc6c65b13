#include "ccgraph/checks/communication_facts.h"

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/frame_place.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/graph_facts.h"
#include "ccgraph/toolkit/peak_holders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph {
namespace {

/// Calls the visitor for each node of the graph and of its subgraphs, with the prefix of its name.
void visitAll(const Graph &graph, const std::string &prefix,
              llvm::function_ref<void(const Node &, const std::string &)> visit) {
  for (const Node *node : graph)
    visit(*node, prefix);
  for (const auto &[name, subgraph] : graph.subgraphs())
    visitAll(*subgraph, prefix + name.str().str() + "/", visit);
}

std::string textOf(Identifier identifier) { return identifier ? identifier.str().str() : std::string(); }

std::string modulePathOf(const Node &node) { return moduleOf(node.graph()->frames()[node.frame()]); }

/// Adds the dtypes of the tensors of a type, each once.
void addDTypes(const Type *type, std::vector<DType> &all) {
  if (type && type->isTensor() && !llvm::is_contained(all, type->dtype()))
    all.push_back(type->dtype());
  if (type && type->isList())
    for (const Type *element : type->elements())
      addDTypes(element, all);
}

/// Gathers the facts of one graph into those of the step.
class GraphGatherer {
public:
  GraphGatherer(CommunicationFacts &facts, const LabeledGraph &labeled) : facts_(facts), labeled_(labeled) {}

  llvm::Error gather(const Machine *machine) {
    for (const Node *launch : launchesWithoutOverlap(graph()))
      exposed_.insert(nameOf(*launch));
    std::unique_ptr<Graph> copy = graph().clone();
    if (llvm::Error error = runPasses(*copy, machine))
      return error;
    visitAll(graph(), "", [&](const Node &node, const std::string &prefix) { addNode(node, prefix); });
    addWaits();
    addPeak();
    return llvm::Error::success();
  }

private:
  [[nodiscard]] const Graph &graph() const { return *labeled_.graph; }
  static std::string nameOf(const Node &node) { return node.name().str().str(); }

  [[nodiscard]] NodePlace placeOf(const Node &node, const std::string &prefix = "") const {
    const Frame &frame = userFrameOf(node);
    return {labeled_.label, prefix + nameOf(node), textOf(frame.file), frame.line, textOf(frame.code)};
  }

  /// Runs the passes of the normalize phase, which reveal the collectives of older forms, and the search for dead
  /// collectives. Times are those after the normalize phase.
  llvm::Error runPasses(Graph &copy, const Machine *machine) {
    Pipeline pipeline = llvm::cantFail(Pipeline::parse("inline-control-deps,inline-subgraphs,functionalize-collectives,"
                                                       "eliminate-dead-collectives"));
    PassManagerOptions options;
    options.checkLegality = options.verifyEach = options.limitMemory = false;
    options.predictTimes = machine != nullptr;
    if (machine)
      options.machine = *machine;
    llvm::Expected<PipelineRun> run = runPipeline(copy, pipeline, options);
    if (!run)
      return run.takeError();
    for (const Remark &remark : run->passes.back().remarks)
      if (remark.kind == RemarkKind::Removed)
        dead_.insert(remark.node);
    if (run->timeBefore)
      addTimes(*run->timeBefore);
    return llvm::Error::success();
  }

  void addTimes(const Timeline &timeline) {
    facts_.total += timeline.total;
    facts_.exposed += timeline.exposed;
    for (const CollectiveTime &time : timeline.collectives) {
      facts_.untimed += time.bytes == 0;
      const Node *node = graph().find(time.node);
      NodePlace place = node ? placeOf(*node) : NodePlace{labeled_.label, time.node};
      if (time.exposed > 0)
        facts_.exposedTimes.push_back({std::move(place), time.exposed});
    }
  }

  void addNode(const Node &node, const std::string &prefix) {
    std::string module = modulePathOf(node);
    if (!module.empty())
      facts_.modules.emplace_back(labeled_.label, module);
    std::optional<CollectiveCall> call = collectiveCall(node);
    if (!call)
      return;
    CollectiveFacts facts;
    facts.place = placeOf(node, prefix);
    facts.module = std::move(module);
    facts.kind = call->spec->kind;
    facts.group = groupIdOf(node).text;
    if (const Group *group = node.graph()->groups().find(facts.group))
      facts.groupDescription = group->description;
    facts.reduceOp = parseReduceOp(call->reduceOp);
    for (const Node *input : call->inputs)
      addDTypes(input->type(), facts.dtypes);
    std::optional<int64_t> in = inputBytes(node), out = outputBytes(node);
    if (in || out)
      facts.bytes = std::max(in.value_or(0), out.value_or(0));
    facts.isExposed = prefix.empty() && exposed_.contains(nameOf(node));
    facts.isDead = prefix.empty() && dead_.contains(nameOf(node));
    facts_.collectives.push_back(std::move(facts));
  }

  void addWaits() {
    llvm::StringMap<NodePlace> places;
    visitAll(graph(), "", [&](const Node &node, const std::string &prefix) {
      if (node.op() && node.op()->role != OpRole::Compute)
        places[prefix + nameOf(node)] = placeOf(node, prefix);
    });
    for (const Diagnostic &finding : verify(graph()))
      if (finding.rule == "async.missing-wait")
        facts_.missingWaits.push_back(places.lookup(finding.where));
    addDeadWaits(graph(), "");
  }

  /// A wait in a subgraph may complete a collective that the graph around it has launched.
  void addDeadWaits(const Graph &part, const std::string &prefix) {
    AsyncPairs pairs(part, StorageMap(part));
    for (const Node *node : part) {
      const Node *call = wrappedCall(*node);
      bool mayBeOthers = !prefix.empty() && pairs.waitsForOthers(node);
      if (call && isWait(*call) && pairs.completes(node).empty() && !mayBeOthers)
        facts_.deadWaits.push_back(placeOf(*node, prefix));
    }
    for (const auto &[name, subgraph] : part.subgraphs())
      addDeadWaits(*subgraph, prefix + name.str().str() + "/");
  }

  void addPeak() {
    PeakHolders peak = holdersOfPeak(graph());
    if (peak.bytes <= facts_.peakBytes && !facts_.peakGraph.empty())
      return;
    constexpr size_t mostNames = 3;
    facts_.peakBytes = peak.bytes;
    facts_.peakGraph = labeled_.label;
    facts_.peakText = str(peak, mostNames);
  }

  CommunicationFacts &facts_;
  const LabeledGraph &labeled_;
  llvm::StringSet<> exposed_; ///< names of launches that overlap with nothing
  llvm::StringSet<> dead_;    ///< names of launches whose results no node reads
};

} // namespace

std::string NodePlace::str() const {
  if (file.empty())
    return node;
  std::string source = file + (line > 0 ? ":" + std::to_string(line) : "");
  return node + " (" + source + (code.empty() ? "" : ": " + code) + ")";
}

llvm::Expected<CommunicationFacts> gatherCommunication(const FactsRequest &request) {
  CommunicationFacts facts;
  for (const LabeledGraph &labeled : request.graphs)
    if (llvm::Error error = GraphGatherer(facts, labeled).gather(request.machine))
      return error;
  llvm::sort(facts.modules);
  facts.modules.erase(std::unique(facts.modules.begin(), facts.modules.end()), facts.modules.end());
  llvm::stable_sort(facts.exposedTimes,
                    [](const ExposedTime &a, const ExposedTime &b) { return a.picoseconds > b.picoseconds; });
  return facts;
}

} // namespace ccgraph

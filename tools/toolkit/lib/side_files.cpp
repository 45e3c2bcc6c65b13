#include "ccgraph/toolkit/side_files.h"

#include "ccgraph/ir/group_nesting.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/passes/cost.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph {
namespace {

Diagnostic warning(llvm::StringRef file, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("tool.side-file", std::move(message), std::move(repair));
  diagnostic.severity = Severity::Warning;
  diagnostic.file = file.str();
  return diagnostic;
}

std::string few(llvm::ArrayRef<std::string> names) {
  constexpr size_t most = 5;
  return llvm::join(names.take_front(most), ", ") + (names.size() > most ? ", ..." : "");
}

/// Returns a text such as "all_gather on 64 ranks of 8 nodes".
std::string placedText(CollectiveKind kind, int64_t ranks, int64_t nodes) {
  return collectiveName(kind).str() + " on " + counted(static_cast<size_t>(ranks), "rank") + " of " +
         counted(static_cast<size_t>(nodes), "node");
}

using Texts = llvm::SetVector<std::string, std::vector<std::string>, llvm::StringSet<>>;

void forEachNode(const Graph &graph, llvm::function_ref<void(const Node &)> visit) {
  for (const Node *node : graph)
    visit(*node);
  for (const auto &[name, subgraph] : graph.subgraphs())
    forEachNode(*subgraph, visit);
}

/// Returns "mylib.scale" for "mylib.scale.default".
llvm::StringRef withoutOverload(llvm::StringRef target) {
  return target.count('.') > 1 ? target.rsplit('.').first : target;
}

} // namespace

std::vector<Diagnostic> unfitGroups(const GroupTable &table, const Graph &graph, llvm::StringRef file) {
  std::vector<std::string> lacking, unused;
  llvm::StringSet<> used;
  for (const UsedGroup &group : usedGroups(graph)) {
    used.insert(group.id.text);
    const Group *known = graph.groups().find(group.id.text);
    if (group.id.kind == GroupId::Kind::Name && !table.find(group.id.text) && (!known || known->assumed))
      lacking.push_back(group.id.text);
  }
  for (const Group &group : table.groups())
    if (!used.contains(group.name))
      unused.push_back(group.name);
  if (lacking.empty() || unused.empty())
    return {};
  return {warning(file,
                  "no collective is on " + few(unused) + " of this file, and it does not describe " + few(lacking),
                  "names of groups are those of one rank and one run: give the file that this rank's job wrote")};
}

std::vector<Diagnostic> unfitDurations(const Durations &durations, const Graph &graph) {
  size_t found = 0;
  llvm::StringSet<> names;
  for (const Node *node : graph) {
    names.insert(node->name().str());
    found += durations.find(node->name().str()) != nullptr;
  }
  if (found == durations.size())
    return {};
  std::vector<std::string> unfit;
  for (llvm::StringRef name : durations.names())
    if (!names.contains(name))
      unfit.push_back(name.str());
  return {warning(durations.origin,
                  "got " + counted(durations.size(), "duration") + ", of which " +
                      withCommas(static_cast<int64_t>(unfit.size())) + " name no node of graph '" + graph.name().str() +
                      "': " + few(unfit),
                  "give durations that were measured for this graph, or choose another one with --graph")};
}

std::vector<Diagnostic> unfitCollectives(const Machine &machine, const Graph &graph, llvm::StringRef file) {
  if (machine.measured.empty())
    return {};
  const CostModel costs(graph, machine);
  Texts wanted, timed;
  bool fits = false;
  for (const Node *node : graph) {
    if (!node->op() || !node->op()->collective)
      continue;
    const CollectiveKind kind = timedAs(node->op()->collective->kind);
    const Placement placement = costs.placementOf(*node);
    wanted.insert(placedText(kind, placement.ranks, placement.nodes));
    fits |= llvm::any_of(machine.measured, [&](const CollectiveSample &sample) {
      return sample.kind == kind && sample.ranks == placement.ranks && sample.nodes == placement.nodes;
    });
  }
  if (fits || wanted.empty())
    return {};
  for (const CollectiveSample &sample : machine.measured)
    timed.insert(placedText(sample.kind, sample.ranks, sample.nodes));
  return {warning(file,
                  "no timed collective fits the graph: the file has " + few(timed.getArrayRef()) + "; the graph has " +
                      few(wanted.getArrayRef()),
                  "all times are predicted by machine " + machine.name +
                      ": time collectives on as many ranks and nodes, or state the ranks of each group with --groups")};
}

std::vector<Diagnostic> unfitOperators(llvm::ArrayRef<std::string> targets, const Graph &graph, llvm::StringRef file) {
  bool fits = targets.empty();
  forEachNode(graph, [&](const Node &node) {
    llvm::StringRef target = node.target().str();
    fits |= node.opcode() == Opcode::CallFunction && llvm::any_of(targets, [&](const std::string &declared) {
              return target == declared || withoutOverload(target) == declared;
            });
  });
  if (fits)
    return {};
  return {warning(file, "the graph calls none of the operators of this file: " + few(targets),
                  "a schema names its operator as the graph does, mylib::scale for torch.ops.mylib.scale")};
}

} // namespace ccgraph

#include "report/step_text.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::report {
namespace {

constexpr GraphRole roles[] = {GraphRole::Joint, GraphRole::Forward, GraphRole::Backward, GraphRole::Optimizer,
                               GraphRole::Whole};

/// Returns the name of the graph's role, such as "the backward".
std::string nameOf(GraphRole role) {
  switch (role) {
  case GraphRole::Whole:
    return "";
  case GraphRole::Forward:
    return "the forward";
  case GraphRole::Backward:
    return "the backward";
  case GraphRole::Joint:
    return "forward and backward in one";
  case GraphRole::Optimizer:
    return "the optimizer";
  }
  llvm_unreachable("no such role");
}

/// Returns a text such as "forward 40.0 ms -> 39.1 ms (from graph 10)" or "2 backward 66.5 ms -> 65.8 ms"; empty if the
/// step has no such graph.
std::string partText(const StepReport &step, GraphRole role) {
  GraphCost before, after;
  size_t count = 0;
  std::string starts;
  for (const StepGraphReport &report : step.graphs)
    if (report.graph.role == role) {
      before.total += report.baseline()->total;
      after.total += report.optimized->total;
      ++count;
      if (report.betterStart)
        starts += (starts.empty() ? " (from graph " : " and ") + std::to_string(*report.betterStart);
    }
  if (count == 0)
    return "";
  std::string name = role == GraphRole::Whole ? count == 1 ? "other" : "others" : graphRoleName(role).str();
  return (count == 1 ? "" : std::to_string(count) + " ") + name + " " + timeText(before.total) + " -> " +
         timeText(after.total) + (starts.empty() ? "" : starts + ")");
}

/// Returns the first two compilations of one function, such as "0/0, 0/1", and "..." for more; empty where each
/// function was compiled once. The part before the last '/' of a compilation names the function.
std::string repeatedCompilations(const StepReport &step) {
  std::map<std::string, std::vector<std::string>> functions;
  for (const StepGraphReport &report : step.graphs) {
    std::vector<std::string> &ids = functions[llvm::StringRef(report.graph.compileId).rsplit('/').first.str()];
    if (!report.graph.compileId.empty() && !llvm::is_contained(ids, report.graph.compileId))
      ids.push_back(report.graph.compileId);
  }
  for (const auto &[function, ids] : functions)
    if (ids.size() > 1)
      return ids[0] + ", " + ids[1] + (ids.size() > 2 ? ", ..." : "");
  return "";
}

std::string costText(const GraphCost &cost) {
  std::string unsized = cost.unsized ? " and " + counted(cost.unsized, "collective") + " of unknown size" : "";
  return timeText(cost.total) + unsized + ", " + bytesText(cost.peakBytes);
}

} // namespace

std::string roleText(const StepReport &step) {
  std::string name = nameOf(step.own().graph.role);
  size_t count = step.graphs.size();
  if (count == 1)
    return name.empty() ? "" : name + ", the only graph of its step";
  return (name.empty() ? "" : name + ", ") + "1 of " + withCommas(static_cast<int64_t>(count)) + " graphs of a step";
}

std::string ownLabel(const StepReport &step) {
  return step.graphs.size() == 1                     ? "step"
         : step.own().graph.role == GraphRole::Whole ? "this graph"
                                                     : graphRoleName(step.own().graph.role).str();
}

std::string stepText(const StepReport &step, llvm::StringRef level) {
  if (step.graphs.size() == 1)
    return "";
  if (!step.obstacle.empty())
    return "not added up: " + step.obstacle;
  std::optional<GraphCost> before = step.baseline(), after = step.optimized();
  if (!before || !after)
    return "";
  std::string text =
      (step.isInductors() ? "as PyTorch runs it " : "as the graphs stand, since the log has no result of Inductor's ") +
      costText(*before) + "; with " + level.str() + " " + costText(*after) + ": ";
  std::string parts;
  for (GraphRole role : roles)
    if (std::string part = partText(step, role); !part.empty())
      parts += (parts.empty() ? "" : ", ") + part;
  std::string whose = (step.rank ? "rank " + std::to_string(*step.rank) + ", " : "") + "each graph once";
  if (std::string ids = repeatedCompilations(step); !ids.empty())
    whose += ", also compilations of one function, of which a step may run one: " + ids;
  if (step.carriesDurations)
    whose += ", with the durations of this graph for equal calls of the others";
  return text + parts + " (" + whose + ")";
}

std::string inductorText(const StepReport &step, llvm::StringRef level) {
  const StepGraphReport &own = step.own();
  if (own.graph.inductor.empty() || own.graph.startsFromInductor())
    return "";
  std::string indices;
  for (size_t index : own.graph.inductor)
    indices += (indices.empty() ? "" : " and ") + std::to_string(index);
  if (!step.fromInductor)
    return "its own result is graph " + indices;
  std::string result = costText(*step.fromInductor) + " with " + level.str() + " (--graph " + indices + ")";
  bool isBetter = own.optimized && isFaster(*step.fromInductor, *own.optimized);
  return "its own result, graph " + indices + ", is " + (isBetter ? "the faster start: " : "another start: ") + result;
}

std::string outsideText(const StepReport &step) {
  std::string who;
  auto add = [&](bool is, const char *what) { who += is ? (who.empty() ? "" : "; ") + std::string(what) : ""; };
  add(step.wrappers.ddp && !step.reducesInGraphs, "DDP's reducer sums the gradients");
  add(step.wrappers.fsdp2, "FSDP2 (fully_shard) gathers parameters and reduces gradients");
  add(step.wrappers.fsdp1, "FSDP1 gathers parameters and reduces gradients");
  return who.empty()
             ? ""
             : who + " in hooks: this communication is in no graph, and in no time here (docs/getting-a-graph.md)";
}

} // namespace ccgraph::report

// ccgraph_prices prints the cost model's prediction for each node of a graph, beside a given duration.
//
//   ccgraph_prices GRAPH GROUPS MACHINE DURATIONS
//
// It prints a line for each node that runs: name, kind of work (for a collective: its kind and the placement of its
// group), number of the fused kernel (- for none), picoseconds predicted without the durations, picoseconds of the
// duration (- for none), separated by tabs. Exit: 0, or 2 for usage; an input that cannot be read aborts the program
// with its error.
#include "ccgraph/ir/work.h"
#include "ccgraph/passes/cost.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"

using namespace ccgraph;

namespace {

std::string kindOf(const CostModel &model, const Node &node) {
  if (const auto &collective = node.op()->collective)
    return (collectiveName(collective->kind) + " " + levelText(model.placementOf(node).level())).str();
  return workFamilyName(workFamily(*node.op())).str();
}

std::string orDash(std::optional<int64_t> number) { return number ? std::to_string(*number) : "-"; }

void printNode(const CostModel &model, const Node &node, const Duration *duration) {
  llvm::outs() << node.name().str() << '\t' << kindOf(model, node) << '\t' << orDash(model.kernelOf(node)) << '\t'
               << model.estimatedTime(node).picoseconds << '\t'
               << orDash(duration ? std::optional(duration->picoseconds) : std::nullopt) << '\n';
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    llvm::errs() << "usage: ccgraph_prices GRAPH GROUPS MACHINE DURATIONS\n";
    return 2;
  }
  Context context;
  std::unique_ptr<Graph> graph = llvm::cantFail(loadGraph(context, argv[1]));
  llvm::cantFail(addGroups(*graph, argv[2]));
  const CostModel model(*graph, llvm::cantFail(loadMachine(argv[3])));
  const Durations durations = llvm::cantFail(loadDurations(argv[4]));
  for (const Node *node : *graph)
    if (node->op() && (model.estimatedTime(*node).picoseconds > 0 || durations.find(node->name().str())))
      printNode(model, *node, durations.find(node->name().str()));
  return 0;
}

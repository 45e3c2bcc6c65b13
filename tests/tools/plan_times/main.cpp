// ccgraph_plan_times measures a graph's plan: its size, its memory, and the time to make, verify, write and read it.
//
//   ccgraph_plan_times RUNS GRAPH [GROUPS]
//
// It prints one line of JSON. Times are microseconds of processor time, the minimum of RUNS runs in one process;
// `lower` is lowerGraph() alone. If the graph is refused, the line holds the `rule`. Exit: 0, or 2 for usage; an input
// that cannot be read aborts the program with its error.
#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/toolkit/graph_files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <ctime>

using namespace ccgraph;

namespace {

int64_t processorMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1'000;
}

int64_t least(int runs, llvm::function_ref<void()> work) {
  int64_t best = INT64_MAX;
  for (int run = 0; run < runs; ++run) {
    int64_t begin = processorMicroseconds();
    work();
    best = std::min(best, processorMicroseconds() - begin);
  }
  return best;
}

std::string ruleOf(llvm::Error error) {
  std::string rule;
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &e) { rule = e.diagnostics().front().rule; });
  return rule;
}

std::string textOf(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlan(os, plan);
  return text;
}

llvm::json::Object measure(int runs, Context &context, const Graph &graph, const ObjectMeanings &objects) {
  llvm::json::Object row{{"nodes", static_cast<int64_t>(graph.size())}};
  llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(graph, {.objects = objects});
  if (!plan) {
    row["rule"] = ruleOf(plan.takeError());
    return row;
  }
  row["lower"] = least(runs, [&] { (void)llvm::cantFail(lowerGraph(graph, {.objects = objects})); });
  row["verify"] = least(runs, [&] { llvm::cantFail(verifyPlanOrError(**plan)); });
  std::string text;
  row["write"] = least(runs, [&] { text = textOf(**plan); });
  row["read"] = least(runs, [&] { (void)llvm::cantFail(readPlan(context, {"plan", text})); });
  row["json"] = static_cast<int64_t>(text.size());
  row["steps"] = static_cast<int64_t>((*plan)->steps.size());
  row["arena"] = (*plan)->layout.computeBytes + (*plan)->layout.communicationBytes;
  row["live"] = (*plan)->layout.liveBytes;
  return row;
}

} // namespace

int main(int argc, char **argv) {
  int runs = 0;
  if (argc < 3 || argc > 4 || !llvm::to_integer(argv[1], runs) || runs < 1) {
    llvm::errs() << "usage: ccgraph_plan_times RUNS GRAPH [GROUPS]\n";
    return 2;
  }
  Context context;
  std::unique_ptr<Graph> graph = llvm::cantFail(loadGraph(context, argv[2]));
  ObjectMeanings objects;
  if (argc == 4)
    llvm::cantFail(addGroupsAndObjects(*graph, objects, argv[3]));
  llvm::outs() << llvm::json::Value(measure(runs, context, *graph, objects)) << '\n';
  return 0;
}

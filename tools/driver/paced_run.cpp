#include "driver/paced_run.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/passes/cost.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace ccgraph::driver {
namespace {

constexpr double picosecond = 1e-12;

llvm::Error untimed(const StepTimes &times, const ProgramCosts &costs) {
  constexpr size_t most = 8;
  Diagnostic diagnostic;
  diagnostic.rule = "tool.durations";
  diagnostic.file = costs.durations->origin;
  llvm::ArrayRef<std::string> names = times.unknown;
  diagnostic.message = "no time for " + counted(names.size(), "node") +
                       " of the plan: " + llvm::join(names.take_front(most), ", ") +
                       (names.size() > most ? ", ..." : "");
  diagnostic.notes.emplace_back("give the graph in place of its plan: times of its nodes can be predicted");
  return makeError(std::move(diagnostic));
}

StepTimes timesOfGraph(const Graph &graph, const Plan &plan, const ProgramCosts &costs) {
  CostModel model(graph, costs.machine, costs.durations ? &*costs.durations : nullptr);
  return timesOfSteps(plan, [&](llvm::StringRef name) {
    const Node *node = graph.find(name);
    return node ? std::optional(model.estimatedTime(*node).picoseconds) : std::nullopt;
  });
}

StepTimes timesOfPlan(const Plan &plan, const ProgramCosts &costs) {
  return timesOfSteps(plan, [&](llvm::StringRef name) {
    const Duration *duration = costs.durations->find(name);
    return duration ? std::optional(duration->picoseconds) : std::nullopt;
  });
}

/// Prints more digits than other times have, because two such times are compared with each other.
std::string exactText(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds < 0.01)
    os << llvm::format("%.1f us", seconds * 1e6);
  else
    os << llvm::format("%.2f ms", seconds * 1e3);
  return os.str();
}

std::string secondsOf(int64_t picoseconds) { return exactText(static_cast<double>(picoseconds) * picosecond); }

std::string fastestText(llvm::ArrayRef<double> seconds) {
  return exactText(*std::min_element(seconds.begin(), seconds.end()));
}

/// Returns the end of the last step on any rank.
int64_t lastOf(const std::vector<std::vector<int64_t>> &ends) {
  int64_t last = 0;
  for (const std::vector<int64_t> &rank : ends)
    for (int64_t end : rank)
      last = std::max(last, end);
  return last;
}

} // namespace

llvm::Expected<std::vector<StepTimes>> timesOfProgram(const RunProgram &program) {
  std::vector<StepTimes> times;
  std::vector<const Graph *> graphs = program.graphs();
  std::vector<const Plan *> plans = program.plans();
  const ProgramCosts &costs = *program.costs();
  for (size_t i = 0; i < plans.size(); ++i) {
    times.push_back(program.isPlanned() ? timesOfPlan(*plans[i], costs) : timesOfGraph(*graphs[i], *plans[i], costs));
    if (program.isPlanned() && !times.back().unknown.empty())
      return untimed(times.back(), costs);
  }
  return times;
}

runtime::Pace paceOf(llvm::ArrayRef<StepTimes> times) {
  runtime::Pace pace;
  for (const StepTimes &one : times)
    pace.steps.push_back(one.steps);
  return pace;
}

void printPace(llvm::raw_ostream &os, const RunProgram &program, const StepTimes &times, const PacedRuns &runs) {
  const ProgramCosts &costs = *program.costs();
  std::string machine = "predicted for " + costs.machine.name;
  os << "paced     by ";
  if (!costs.durations)
    os << "times " << machine;
  else
    os << costs.durations->origin << (program.isPlanned() ? "" : ", the rest " + machine);
  os << "; nothing is computed\n";
  if (!times.unknown.empty())
    os << "paced     " << counted(times.unknown.size(), "node")
       << " of subgraphs, of which no time is known, take none\n";
  os << "parts     " << secondsOf(times.computation) << " computation, " << secondsOf(times.communication)
     << " communication; sum " << secondsOf(times.computation + times.communication) << ", larger "
     << secondsOf(std::max(times.computation, times.communication)) << '\n';
  os << "step      " << secondsOf(lastOf(runs.ends)) << " by the stated times\n";
  os << "time      " << fastestText(runs.seconds) << " by this machine's clock, the fastest of "
     << counted(runs.seconds.size(), "run") << '\n';
}

} // namespace ccgraph::driver

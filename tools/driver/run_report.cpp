#include "driver/run_report.h"

#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace ccgraph::driver {
namespace {

/// Returns a text such as "one plan for 4 ranks" or "a text for each of 4 ranks".
std::string textsFor(size_t texts, const std::string &what, size_t ranks) {
  return (texts == 1 ? "one " + what + " for " : "a " + what + " for each of ") + counted(ranks, "rank");
}

/// Returns a text such as "; laid out for s0 = 4, s1 = 8".
std::string bindingText(const PlanLayout &layout) {
  std::vector<std::string> values;
  for (const auto &[symbol, value] : layout.symbols)
    values.push_back(symbol.str().str() + " = " + std::to_string(value));
  return values.empty() ? "" : "; laid out for " + llvm::join(values, ", ");
}

/// Returns a text such as "; 2 buffers outside it, of sizes that are known only in the run".
std::string growingText(const Plan &plan) {
  auto growing = static_cast<size_t>(
      llvm::count_if(plan.buffers, [](const PlanBuffer &buffer) { return buffer.home == Home::Growing; }));
  return growing == 0 ? "" : "; " + counted(growing, "buffer") + " outside it, of sizes that are known only in the run";
}

/// Returns the bytes of the inputs that the caller brings.
int64_t inputBytes(const Plan &plan, const TensorMap &inputs) {
  int64_t bytes = 0;
  for (const PlanInput &input : plan.inputs)
    if (auto found = inputs.find(input.name); found != inputs.end())
      bytes += static_cast<int64_t>(found->second.data.size());
  return bytes;
}

void printPlan(llvm::raw_ostream &os, const std::string &whose, const Plan &plan, const TensorMap &inputs) {
  size_t waits = 0;
  for (const PlanStep &step : plan.steps)
    waits += step.waits.size();
  const PlanLayout &layout = plan.layout;
  os << "plan      " << whose << counted(plan.steps.size(), "step") << " on " << counted(plan.streams.size(), "stream")
     << ", " << counted(waits, "wait") << '\n';
  os << "memory    " << whose << "arena " << bytesText(layout.computeBytes + layout.communicationBytes)
     << "; lower bound " << bytesText(layout.liveBytes) << bindingText(layout) << growingText(plan) << "; inputs "
     << bytesText(inputBytes(plan, inputs)) << '\n';
}

// States the basis of an equal verdict: bitwise, or how many elements are equal only within the tolerance.
std::string verdictText(const runtime::Comparison &comparison) {
  if (comparison.outputs == 0)
    return "nothing to compare";
  if (!comparison.equal())
    return "different: " + std::to_string(comparison.differences.size()) + " of " + std::to_string(comparison.outputs) +
           " outputs";
  std::string how = comparison.inexact == 0
                        ? "bitwise equal"
                        : "equal within the tolerance (" + counted(comparison.inexact, "element") + " not to the bit)";
  return (comparison.answered() ? "" : "not checked: ") + equalityText(comparison, how);
}

/// Returns the FNV-1a hash of the bytes: it distinguishes -0.0 from 0.0, and NaNs with different bits.
uint64_t checksum(const HostTensor &tensor) {
  uint64_t hash = 0xcbf29ce484222325;
  for (std::byte byte : tensor.data)
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

} // namespace

std::string runTimeText(double seconds) {
  return seconds < 0.01 ? std::to_string(std::lround(seconds * 1e6)) + " us" : secondsText(seconds);
}

double median(std::vector<double> values) {
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string spreadText(const std::vector<double> &seconds) {
  auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return "min " + runTimeText(*least) + ", median " + runTimeText(median(seconds)) + ", max " + runTimeText(*most);
}

void printProgram(llvm::raw_ostream &os, const RunProgram &program) {
  if (program.isPlanned()) {
    std::vector<const Plan *> plans = program.plans();
    os << "program   " << plans.front()->name << ": " << textsFor(plans.size(), "plan", program.ranks());
  } else {
    std::vector<const Graph *> graphs = program.graphs();
    size_t nodes = 0;
    for (const Graph *graph : graphs)
      nodes = std::max(nodes, graph->size());
    os << "program   " << graphs.front()->name() << ": " << nodes << " nodes, "
       << textsFor(graphs.size(), "text", program.ranks());
  }
  os << ", engine " << program.engine() << '\n';
}

void printAssumed(llvm::raw_ostream &os, const RunProgram &program) {
  std::string last;
  for (const Graph *graph : program.graphs())
    if (std::string assumed = assumedGroupsText(graph->groups()); !assumed.empty() && assumed != last)
      os << "assumed   " << (last = std::move(assumed)) << '\n';
}

void printPlans(llvm::raw_ostream &os, const RunProgram &program, llvm::ArrayRef<TensorMap> inputs) {
  std::vector<const Plan *> plans = program.plans();
  for (size_t i = 0; i < plans.size(); ++i)
    printPlan(os, plans.size() == 1 ? "" : "rank " + std::to_string(i) + ": ", *plans[i], inputs[i]);
}

void printTimes(llvm::raw_ostream &os, llvm::ArrayRef<double> seconds) {
  os << "time      " << counted(seconds.size(), "run")
     << ", inputs brought and results taken: " << spreadText(seconds.vec()) << '\n';
}

void printComparison(llvm::raw_ostream &os, const runtime::Comparison &comparison, const std::string &with) {
  os << "compared  " << comparison.outputs << " outputs, " << comparison.elements << " elements with " << with << '\n';
  os << "worst     " << llvm::format("%.3g", comparison.worst);
  if (!comparison.worstOutput.empty())
    os << " (rank " << comparison.worstRank << " " << comparison.worstOutput << ")";
  os << "\nverdict   " << verdictText(comparison) << '\n';
}

void printChecksums(llvm::raw_ostream &os, const std::vector<TensorMap> &result) {
  for (size_t rank = 0; rank < result.size(); ++rank)
    for (const auto &[name, tensor] : result[rank])
      os << "rank " << rank << "  " << name << " " << tensor.typeText() << " checksum "
         << llvm::format_hex_no_prefix(checksum(tensor), 16) << '\n';
}

} // namespace ccgraph::driver

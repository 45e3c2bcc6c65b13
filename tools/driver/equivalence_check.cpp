#include "driver/equivalence_check.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/runtime/equivalence.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "driver/program_files.h"
#include "driver/text_table.h"

namespace ccgraph::driver {
namespace {

constexpr double reassociationTolerance = 1e-5;
constexpr size_t maxDifferences = 10;

llvm::Error loadObjects(llvm::StringRef path, runtime::RunRequest &request) {
  if (path.empty())
    return llvm::Error::success();
  auto file = InputFile::open(path);
  if (!file)
    return file.takeError();
  auto objects = readObjectFile(file->source());
  if (!objects)
    return objects.takeError();
  request.objects = std::move(*objects);
  return llvm::Error::success();
}

llvm::Error loadInputs(const Graph &graph, const OptOptions &options, runtime::RunRequest &request) {
  if (options.values.empty()) {
    const int64_t room = machineMemory() / static_cast<int64_t>(request.ranks);
    for (size_t rank = 0; rank < request.ranks; ++rank)
      request.inputs.push_back(runtime::seededInputs(graph, static_cast<int64_t>(rank), options.seed, room));
    return llvm::Error::success();
  }
  auto values = loadValues(options.values, request.ranks);
  if (!values)
    return values.takeError();
  request.inputs = std::move(*values);
  return llvm::Error::success();
}

std::string equalVerdict(const runtime::Comparison &comparison, const OptOptions &options, bool bitwise) {
  return "ok: " + counted(comparison.outputs, "output") + " of " + counted(options.equivalenceRanks, "rank") +
         (bitwise ? " equal to the bit" : " equal within 1e-5") +
         (options.values.empty() ? ", seeded inputs" : ", recorded inputs");
}

EquivalenceAnswer describeDifferences(const runtime::Comparison &comparison) {
  EquivalenceAnswer answer;
  answer.verdict = "FAILED: " + counted(comparison.differences.size(), "output") + " of " +
                   withCommas(static_cast<int64_t>(comparison.outputs)) + " differ";
  for (const runtime::Difference &difference : llvm::ArrayRef(comparison.differences).take_front(maxDifferences))
    answer.details +=
        "rank " + std::to_string(difference.rank) + " " + difference.output + ": " + difference.message + "\n";
  return answer;
}

EquivalenceAnswer describe(const runtime::EquivalenceReport &report, const OptOptions &options, bool bitwise) {
  switch (report.verdict) {
  case runtime::Verdict::Equal:
    if (report.comparison.outputs == 0)
      return {false, "NOT CHECKED: the program has no output to compare", ""};
    return {true, equalVerdict(report.comparison, options, bitwise), ""};
  case runtime::Verdict::Different:
    if (report.beforeFailure.empty() && report.afterFailure.empty())
      return describeDifferences(report.comparison);
    return {false, "FAILED: only one of the two programs runs", report.beforeFailure + report.afterFailure};
  case runtime::Verdict::NotChecked:
    return {false, "NOT CHECKED: neither program runs on these inputs", report.beforeFailure};
  }
  llvm_unreachable("all verdicts are handled");
}

} // namespace

llvm::Expected<EquivalenceAnswer> checkEquivalenceOf(const Graph &before, const Graph &after, const OptOptions &options,
                                                     const Pipeline &pipeline) {
  runtime::RunRequest request;
  request.graphs = {&before};
  request.ranks = options.equivalenceRanks;
  request.memoryLimit = machineMemory();
  if (llvm::Error error = loadObjects(options.groups, request))
    return error;
  if (llvm::Error error = loadInputs(before, options, request))
    return error;
  bool reassociates = llvm::any_of(pipeline.passes(), [](const auto &pass) { return pass->reassociates(); });
  runtime::ComparisonRules rules;
  if (reassociates)
    rules.otherwise = {false, reassociationTolerance, reassociationTolerance};
  return describe(runtime::checkEquivalence(request, {&after}, rules), options, !reassociates);
}

} // namespace ccgraph::driver

#include "ccgraph/toolkit/equivalence_check.h"

#include "ccgraph/runtime/memory_need.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <unistd.h>

namespace ccgraph {
namespace {

constexpr size_t mostLines = 10;

std::string countText(size_t count) { return withCommas(static_cast<int64_t>(count)); }

/// Returns a text such as " (12 of 556 elements NaN, 3 infinite)"; empty if there are none.
std::string oddElementsText(const runtime::Comparison &comparison) {
  std::string text;
  auto add = [&](size_t count, const char *what) {
    if (count)
      text += (text.empty() ? countText(count) + " of " + counted(comparison.elements, "element")
                            : ", " + countText(count)) +
              " " + what;
  };
  add(comparison.nans, "NaN");
  add(comparison.infinities, "infinite");
  return text.empty() ? "" : " (" + text + ")";
}

/// Returns a text such as ", 2 not checked: all NaN, 1: empty".
std::string uncheckedText(const runtime::Comparison &comparison) {
  std::map<runtime::Inconclusive, size_t> counts;
  for (const runtime::Unchecked &output : comparison.unchecked)
    ++counts[output.reason];
  std::string text;
  for (const auto &[reason, count] : counts)
    text += ", " + countText(count) + (text.empty() ? " not checked: " : ": ") + inconclusiveText(reason);
  return text;
}

// There are three verdicts, each with several causes. Programs are different if outputs differ, if only one program
// runs, or if they take different inputs. Nothing is checked if neither runs, if there is no output, or if no output
// can distinguish programs. Each cause has its own repair, so each has its own text.
EquivalenceAnswer inWords(runtime::EquivalenceReport report, const std::string &equality) {
  EquivalenceAnswer answer;
  const runtime::Comparison &comparison = report.comparison;
  switch (report.verdict) {
  case runtime::Verdict::Equal:
    answer.holds = true;
    answer.verdict = "ok: " + equality;
    break;
  case runtime::Verdict::Different:
    if (report.beforeFailure.empty() && report.afterFailure.empty()) {
      answer.verdict = "FAILED: " + (comparison.outputs ? counted(comparison.differences.size(), "difference") +
                                                              " in " + counted(comparison.outputs, "output")
                                                        : "the programs take other inputs");
      answer.details = differencesText(comparison);
    } else {
      answer.verdict = "FAILED: only one of the two programs runs";
      answer.details = report.beforeFailure + report.afterFailure;
    }
    break;
  case runtime::Verdict::NotChecked:
    if (!report.beforeFailure.empty()) {
      answer.verdict = "NOT CHECKED: neither program runs on these inputs";
      answer.details = report.beforeFailure;
    } else if (comparison.outputs == 0) {
      answer.verdict = "NOT CHECKED: the program has no output to compare";
    } else {
      answer.verdict = "NOT CHECKED: " + equality;
      answer.details = differencesText(comparison) +
                       "  note: try other inputs: --seed S generates them, --values DIR reads recorded ones\n";
    }
    break;
  }
  answer.report = std::move(report);
  return answer;
}

EquivalenceAnswer tooLarge(llvm::Error error) {
  EquivalenceAnswer answer;
  answer.verdict = "NOT CHECKED: the runs do not fit into this machine's memory";
  answer.details = llvm::toString(std::move(error));
  return answer;
}

} // namespace

int64_t machineMemory() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

double toleranceOf(const Pipeline &pipeline, const PipelineRun &run) {
  double tolerance = 0;
  for (const auto &[pass, done] : llvm::zip(pipeline.passes(), run.passes))
    if (done.changed == Changed::Yes)
      tolerance = std::max(tolerance, pass->tolerance());
  return tolerance;
}

std::string equalityText(const runtime::Comparison &comparison, const std::string &howEqual,
                         const std::string &ofRanks) {
  size_t checked = comparison.outputs - comparison.unchecked.size();
  std::string all = checked == comparison.outputs ? "" : countText(checked) + " of ";
  return all + counted(comparison.outputs, "output") + ofRanks + " " + howEqual + oddElementsText(comparison) +
         uncheckedText(comparison);
}

// Ten lines show where to look; programs that differ may have as many differences as outputs on all ranks.
std::string differencesText(const runtime::Comparison &comparison) {
  std::vector<std::string> lines;
  for (const runtime::Difference &difference : comparison.differences)
    lines.push_back("rank " + std::to_string(difference.rank) + " " + difference.output + ": " + difference.message);
  for (const runtime::Unchecked &output : comparison.unchecked)
    lines.push_back("rank " + std::to_string(output.rank) + " " + output.output +
                    ": not checked: " + inconclusiveText(output.reason));
  std::string text;
  for (const std::string &line : llvm::ArrayRef(lines).take_front(mostLines))
    text += line + "\n";
  if (lines.size() > mostLines)
    text += "and " + countText(lines.size() - mostLines) + " more\n";
  return text;
}

// The memory is checked before anything is allocated: 64 ranks of a large model need more than a machine has. The
// answer then is that nothing was checked, with the number of ranks that would fit.
EquivalenceAnswer checkEquivalenceOf(const Graph &before, const Graph &after, EquivalenceQuestion question) {
  const bool seeded = question.inputs.empty();
  // The seeded inputs and the outputs of two runs are held in addition to the memory of a run.
  int64_t need = std::max(runtime::memoryNeed(&before, question.ranks).toCompare(),
                          runtime::memoryNeed(&after, question.ranks).toCompare());
  if (llvm::Error error = runtime::checkMemory(need, question.ranks, machineMemory()))
    return tooLarge(std::move(error));
  runtime::RunRequest request;
  request.graphs = {&before};
  request.ranks = question.ranks;
  request.memoryLimit = machineMemory();
  request.objects = std::move(question.objects);
  request.inputs = std::move(question.inputs);
  request.kernels = std::move(question.kernels);
  if (seeded)
    for (size_t rank = 0; rank < request.ranks; ++rank)
      request.inputs.push_back(runtime::seededInputs(before, static_cast<int64_t>(rank), question.seed,
                                                     request.memoryLimit / static_cast<int64_t>(request.ranks)));
  runtime::ComparisonRules rules;
  if (question.tolerance > 0)
    rules.otherwise = {false, question.tolerance, question.tolerance};
  runtime::EquivalenceReport report = runtime::checkEquivalence(request, {&after}, rules);
  std::string equality =
      equalityText(report.comparison,
                   question.tolerance > 0 ? llvm::formatv("equal within {0}", question.tolerance).str()
                                          : std::string("bitwise equal"),
                   " of " + counted(request.ranks, "rank"));
  equality += report.comparison.unchecked.empty() ? ", " : "; ";
  return inWords(std::move(report), equality + (seeded ? "seeded inputs" : "recorded inputs"));
}

} // namespace ccgraph

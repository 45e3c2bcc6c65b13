#include "checked.h"

#include "ccgraph/toolkit/form_files.h"
#include "report/placement_report.h"
#include "report/same_step_report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace ccgraph;
using namespace ccgraph::capi;
using equality::StepAnswer;

namespace {

/// Returns whether a list of paths can be read.
bool isList(const char *const *paths, size_t count) {
  return paths && count != 0 && !llvm::is_contained(llvm::ArrayRef(paths, count), nullptr);
}
std::vector<std::string> pathsOf(const char *const *paths, size_t count) { return {paths, paths + count}; }

} // namespace

bool capi::isOfStep(const ccgraph_checked &checked) {
  return std::holds_alternative<StepAnswer>(checked.result) || std::holds_alternative<NamedPlacements>(checked.result);
}

size_t capi::numStepFindings(const ccgraph_checked &checked) {
  const auto *answer = std::get_if<StepAnswer>(&checked.result);
  return answer ? answer->wrong.size() : std::get<NamedPlacements>(checked.result).findings.size();
}

Write capi::stepWriter(const ccgraph_checked &checked, llvm::StringRef form) {
  if (std::holds_alternative<StepAnswer>(checked.result))
    return llvm::StringSwitch<Write>(form)
        .Case("text", [](llvm::raw_ostream &os,
                         const ccgraph_checked &of) { report::writeSameStepText(os, std::get<StepAnswer>(of.result)); })
        .Case("json", [](llvm::raw_ostream &os,
                         const ccgraph_checked &of) { report::writeSameStepJson(os, std::get<StepAnswer>(of.result)); })
        .Default(nullptr);
  return llvm::StringSwitch<Write>(form)
      .Case("text",
            [](llvm::raw_ostream &os, const ccgraph_checked &of) {
              report::writePlacementText(os, std::get<NamedPlacements>(of.result));
            })
      .Case("json",
            [](llvm::raw_ostream &os, const ccgraph_checked &of) {
              report::writePlacementJson(os, std::get<NamedPlacements>(of.result));
            })
      .Default(nullptr);
}

std::vector<std::string> capi::listOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  return {words.begin(), words.end()};
}

ccgraph_error *ccgraph_same_as(const ccgraph_paths *reference, const ccgraph_paths *compared,
                               const ccgraph_options *options, ccgraph_checked **checked) {
  if (!reference || !compared || !isList(reference->paths, reference->count) ||
      !isList(compared->paths, compared->count) || !checked)
    return usage("ccgraph_same_as: got NULL or no path, expected at least one path for each step and a place for the "
                 "result");
  const ccgraph_options otherwise;
  const ccgraph_options &used = options ? *options : otherwise;
  FormFilePair files;
  files.reference = {pathsOf(reference->paths, reference->count), listOf(used.sameAsGroups), used.sameAsPlacements,
                     used.sameAsRanks};
  files.compared = {pathsOf(compared->paths, compared->count), listOf(used.groups), used.placements, used.ranks};
  if (used.trials != 0)
    files.trials = static_cast<unsigned>(used.trials);
  Diagnostics warnings;
  llvm::Expected<StepAnswer> answer = compareFormFiles(files, warnings);
  if (!answer)
    return toError(answer.takeError());
  *checked = new ccgraph_checked{compared->paths[0], toString(warnings.take()), std::move(*answer)};
  return nullptr;
}

ccgraph_error *ccgraph_infer_placements(const ccgraph_paths *step, const ccgraph_options *options,
                                        ccgraph_checked **checked) {
  if (!step || !isList(step->paths, step->count) || !checked)
    return usage(
        "ccgraph_infer_placements: got NULL or no path, expected at least one path and a place for the result");
  const ccgraph_options otherwise;
  const ccgraph_options &used = options ? *options : otherwise;
  PlacementFiles files{pathsOf(step->paths, step->count), listOf(used.groups), used.placements, used.ranks};
  Diagnostics warnings;
  llvm::Expected<NamedPlacements> placements = inferPlacementsOfFiles(files, warnings);
  if (!placements)
    return toError(placements.takeError());
  *checked = new ccgraph_checked{step->paths[0], toString(warnings.take()), std::move(*placements)};
  return nullptr;
}

int32_t ccgraph_checked_verdict(const ccgraph_checked *checked) {
  if (!checked)
    return CCGRAPH_UNDECIDED;
  if (const auto *answer = std::get_if<StepAnswer>(&checked->result))
    return !answer->equal ? CCGRAPH_UNDECIDED : *answer->equal ? CCGRAPH_RIGHT : CCGRAPH_WRONG;
  if (const auto *placements = std::get_if<NamedPlacements>(&checked->result))
    if (placements->findings.empty() && !placements->undecided.empty())
      return CCGRAPH_UNDECIDED;
  return ccgraph_checked_count(checked) == 0 ? CCGRAPH_RIGHT : CCGRAPH_WRONG;
}

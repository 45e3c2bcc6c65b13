#include "checked.h"

#include "ccgraph/checks/form_files.h"
#include "check_report/numerics_report.h"
#include "check_report/placement_report.h"
#include "check_report/same_step_report.h"

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

FormFilePair formFilesOf(const ccgraph_paths &reference, const ccgraph_paths &compared, const ccgraph_options &used) {
  FormFilePair files;
  files.reference = {pathsOf(reference.paths, reference.count), listOf(used.sameAsGroups), used.sameAsPlacements,
                     used.sameAsRanks};
  files.compared = {pathsOf(compared.paths, compared.count), listOf(used.groups), used.placements, used.ranks};
  if (used.trials != 0)
    files.trials = static_cast<unsigned>(used.trials);
  return files;
}

NumericsFiles numericsFilesOf(const FormFilePair &files, llvm::StringRef engine) {
  return {.before = files.reference.graphs,
          .after = files.compared.graphs,
          .groups = files.compared.groups,
          .beforeGroups = files.reference.groups,
          .ranks = files.compared.ranks,
          .order = engine.empty() || engine == "any" ? numerics::SumOrder::Any : numerics::SumOrder::Ranks,
          .placements = files.compared.placements};
}

/// Returns an error for options of a comparison of two parallel forms, and for an engine without an order of sums.
ccgraph_error *checkNumericsUsage(const FormFilePair &files, llvm::StringRef engine) {
  constexpr llvm::StringLiteral engines[] = {"", "any", "local", "mpi"};
  if (!llvm::is_contained(engines, engine))
    return usage(("ccgraph_numerics: got the engine '" + engine + "', expected any, local or mpi").str());
  if (!files.reference.placements.empty() || files.reference.ranks != 0)
    return usage("ccgraph_numerics: got same-as-placements or same-as-ranks, expected none",
                 "compare two programs of one job, or with placements a step with that of one device");
  if (!files.compared.placements.empty() && files.reference.graphs.size() != 1)
    return usage("ccgraph_numerics: got " + std::to_string(files.reference.graphs.size()) +
                 " paths of the program before with placements, expected the one of one device");
  return nullptr;
}

size_t numFindings(const NumericsAnswer &answer) {
  if (!answer.sums)
    return answer.step->wrong.size();
  return static_cast<size_t>(
      llvm::count_if(answer.sums->outputs, [](const auto &output) { return !output.isBitwiseEqual; }));
}

int32_t verdictOf(std::optional<bool> equal) {
  return !equal ? CCGRAPH_UNDECIDED : *equal ? CCGRAPH_RIGHT : CCGRAPH_WRONG;
}

} // namespace

bool capi::isOfStep(const ccgraph_checked &checked) {
  return std::holds_alternative<StepAnswer>(checked.result) ||
         std::holds_alternative<NamedPlacements>(checked.result) ||
         std::holds_alternative<NumericsAnswer>(checked.result);
}

size_t capi::numStepFindings(const ccgraph_checked &checked) {
  if (const auto *numerics = std::get_if<NumericsAnswer>(&checked.result))
    return numFindings(*numerics);
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
  if (std::holds_alternative<NumericsAnswer>(checked.result))
    return llvm::StringSwitch<Write>(form)
        .Case("text",
              [](llvm::raw_ostream &os, const ccgraph_checked &of) {
                report::writeNumericsText(os, std::get<NumericsAnswer>(of.result));
              })
        .Case("json",
              [](llvm::raw_ostream &os, const ccgraph_checked &of) {
                report::writeNumericsJson(os, std::get<NumericsAnswer>(of.result));
              })
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
  const FormFilePair files = formFilesOf(*reference, *compared, used);
  Diagnostics warnings;
  llvm::Expected<StepAnswer> answer = compareFormFiles(files, warnings);
  if (!answer)
    return toError(answer.takeError());
  *checked = new ccgraph_checked{compared->paths[0], toString(warnings.take()), std::move(*answer)};
  return nullptr;
}

ccgraph_error *ccgraph_numerics(const ccgraph_paths *before, const ccgraph_paths *after, const ccgraph_options *options,
                                ccgraph_checked **checked) {
  if (!before || !after || !isList(before->paths, before->count) || !isList(after->paths, after->count) || !checked)
    return usage("ccgraph_numerics: got NULL or no path, expected at least one path for each program and a place for "
                 "the result");
  const ccgraph_options otherwise;
  const ccgraph_options &used = options ? *options : otherwise;
  const FormFilePair files = formFilesOf(*before, *after, used);
  if (ccgraph_error *error = checkNumericsUsage(files, used.engine))
    return error;
  Diagnostics warnings;
  llvm::Expected<NumericsAnswer> answer = compareNumericsOfFiles(numericsFilesOf(files, used.engine), files, warnings);
  if (!answer)
    return toError(answer.takeError());
  *checked = new ccgraph_checked{after->paths[0], toString(warnings.take()), std::move(*answer)};
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
    return verdictOf(answer->equal);
  if (const auto *numerics = std::get_if<NumericsAnswer>(&checked->result))
    return verdictOf(numerics->equal());
  if (const auto *placements = std::get_if<NamedPlacements>(&checked->result))
    if (placements->findings.empty() && !placements->undecided.empty())
      return CCGRAPH_UNDECIDED;
  return ccgraph_checked_count(checked) == 0 ? CCGRAPH_RIGHT : CCGRAPH_WRONG;
}

#include "checked.h"

#include "ccgraph/frontend/contract_file.h"
#include "check_report/check_report.h"
#include "check_report/contract_report.h"
#include "check_report/pipeline_report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

JobCheckOptions checkOptionsOf(const ccgraph_options &options) {
  JobCheckOptions how;
  if (!options.under.empty())
    how.check.under = options.under;
  how.check.mostResident = options.mostResident;
  how.ranks = options.ranks;
  how.replays = options.replays;
  how.timelines = mostTimelines;
  return how;
}

StepRequest stepOf(const char *path, const ccgraph_options *options) {
  return options ? StepRequest{path, options->groups, options->machine} : StepRequest{path, "", ""};
}

const CheckedPipeline *pipelineOf(const ccgraph_checked &checked) {
  return std::get_if<CheckedPipeline>(&checked.result);
}
const std::vector<CheckedJob> &jobsOf(const ccgraph_checked &checked) {
  const CheckedPipeline *pipeline = pipelineOf(checked);
  return pipeline ? pipeline->jobs : std::get<std::vector<CheckedJob>>(checked.result);
}
const ContractComparison &contractOf(const ccgraph_checked &checked) {
  return std::get<ContractComparison>(checked.result);
}

/// Returns null for another word.
Write jobWriter(llvm::StringRef form) {
  return llvm::StringSwitch<Write>(form)
      .Case("text", [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writeCheckText(os, jobsOf(of)); })
      .Case("json", [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writeCheckJson(os, jobsOf(of)); })
      .Case("sarif",
            [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writeCheckSarif(os, jobsOf(of), of.input); })
      .Case("dot", [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writeCheckDot(os, jobsOf(of)); })
      .Case("page",
            [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writeCheckPage(os, jobsOf(of), of.input); })
      .Default(nullptr);
}

/// Returns null for another word. A schedule without a job has the first two forms alone.
Write pipelineWriter(llvm::StringRef form, bool hasJob) {
  if (form == "text")
    return [](llvm::raw_ostream &os, const ccgraph_checked &of) {
      report::writeScheduleText(os, *pipelineOf(of), of.input);
      if (!jobsOf(of).empty())
        report::writeCheckText(os, jobsOf(of));
    };
  if (form == "json")
    return [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writePipelineJson(os, *pipelineOf(of)); };
  return hasJob ? jobWriter(form) : nullptr;
}

Write contractWriter(llvm::StringRef form) {
  return llvm::StringSwitch<Write>(form)
      .Case("text", [](llvm::raw_ostream &os,
                       const ccgraph_checked &of) { report::writeContractText(os, contractOf(of), of.input); })
      .Case("json",
            [](llvm::raw_ostream &os, const ccgraph_checked &of) { report::writeContractJson(os, contractOf(of)); })
      .Case("sarif", [](llvm::raw_ostream &os,
                        const ccgraph_checked &of) { report::writeContractSarif(os, contractOf(of), of.input); })
      .Default(nullptr);
}

Write writerOf(const ccgraph_checked &checked, llvm::StringRef form) {
  if (isOfStep(checked))
    return stepWriter(checked, form);
  if (const CheckedPipeline *pipeline = pipelineOf(checked))
    return pipelineWriter(form, !pipeline->jobs.empty());
  return std::holds_alternative<ContractComparison>(checked.result) ? contractWriter(form) : jobWriter(form);
}

llvm::StringRef formsOf(const ccgraph_checked &checked) {
  if (isOfStep(checked))
    return "text or json";
  if (std::holds_alternative<ContractComparison>(checked.result))
    return "text, json or sarif";
  const CheckedPipeline *pipeline = pipelineOf(checked);
  return pipeline && pipeline->jobs.empty() ? "text or json, since the schedule has errors"
                                            : "text, json, sarif, dot or page";
}

/// Returns whether the input is the schedule of a pipeline, by the options or by its content.
llvm::Expected<bool> isSchedule(llvm::ArrayRef<std::string> files, const ccgraph_options &options) {
  if (options.stages != 0 || !options.stageGraphs.empty() || !options.stageSizes.empty())
    return true;
  return files.size() == 1 ? isPipelineFile(files.front()) : llvm::Expected<bool>(false);
}

llvm::Expected<CheckedPipeline> checkSchedule(const std::string &path, const ccgraph_options &options,
                                              const JobCheckOptions &how, Diagnostics &warnings) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return checkPipeline(*file, {options.stages, options.stageGraphs, options.stageSizes}, how, warnings);
}

/// Returns an error for options of which only one kind of job has the other.
ccgraph_error *checkScheduleUsage(size_t count, const ccgraph_options &options) {
  if (count != 1)
    return usage("ccgraph_check: got " + std::to_string(count) + " paths with the options of a schedule, expected one");
  if (options.ranks != 0 || !options.groups.empty())
    return usage("ccgraph_check: got ranks or groups with a schedule, expected none",
                 "the schedule has a line for each rank; the file of stage-graphs names the group file");
  if (!options.stageGraphs.empty() && !options.stageSizes.empty())
    return usage("ccgraph_check: got stage-graphs and stage-sizes, expected one of them");
  return nullptr;
}

} // namespace

ccgraph_error *ccgraph_check(const char *const *paths, size_t count, const ccgraph_options *options,
                             ccgraph_checked **checked) {
  if (!paths || count == 0 || !checked || llvm::is_contained(llvm::ArrayRef(paths, count), nullptr))
    return usage("ccgraph_check: got NULL or no path, expected at least one path and a place for the result");
  const ccgraph_options otherwise;
  const ccgraph_options &used = options ? *options : otherwise;
  JobCheckOptions how = checkOptionsOf(used);
  if (llvm::Error error = setMachine(how, used.machine))
    return toError(std::move(error));
  std::vector<std::string> files(paths, paths + count);
  Diagnostics warnings;
  llvm::Expected<bool> isPipeline = isSchedule(files, used);
  if (!isPipeline)
    return toError(isPipeline.takeError());
  if (*isPipeline) {
    if (ccgraph_error *error = checkScheduleUsage(count, used))
      return error;
    llvm::Expected<CheckedPipeline> pipeline = checkSchedule(files.front(), used, how, warnings);
    if (!pipeline)
      return toError(pipeline.takeError());
    *checked = new ccgraph_checked{files.front(), toString(warnings.take()), std::move(*pipeline)};
    return nullptr;
  }
  llvm::Expected<std::vector<CheckedJob>> jobs = checkJobFiles(files, listOf(used.groups), how, warnings);
  if (!jobs)
    return toError(jobs.takeError());
  *checked = new ccgraph_checked{files.front(), toString(warnings.take()), std::move(*jobs)};
  return nullptr;
}

ccgraph_error *ccgraph_check_contract(const char *path, const char *contract, const ccgraph_options *options,
                                      ccgraph_checked **checked) {
  if (!path || !contract || !checked)
    return usage("ccgraph_check_contract: got NULL, expected a step, a contract and a place for the result");
  Diagnostics warnings;
  llvm::Expected<ContractComparison> compared = compareWithContract(stepOf(path, options), contract, warnings);
  if (!compared)
    return toError(compared.takeError());
  *checked = new ccgraph_checked{path, toString(warnings.take()), std::move(*compared)};
  return nullptr;
}

ccgraph_error *ccgraph_contract_of(const char *path, const ccgraph_options *options, ccgraph_text **contract) {
  if (!path || !contract)
    return usage("ccgraph_contract_of: got NULL, expected a step and a place for the contract");
  Diagnostics warnings;
  llvm::Expected<Contract> made = contractOfStep(stepOf(path, options), warnings);
  if (!made)
    return toError(made.takeError());
  auto text = std::make_unique<ccgraph_text>();
  llvm::raw_string_ostream os(text->text);
  writeContract(os, *made);
  os.flush();
  *contract = text.release();
  return nullptr;
}

size_t ccgraph_checked_count(const ccgraph_checked *checked) {
  if (!checked)
    return 0;
  if (isOfStep(*checked))
    return numStepFindings(*checked);
  if (const auto *contract = std::get_if<ContractComparison>(&checked->result))
    return contract->findings.size();
  if (const CheckedPipeline *pipeline = pipelineOf(*checked))
    return pipeline->numFindings();
  size_t count = 0;
  for (const CheckedJob &job : jobsOf(*checked))
    count += job.result.findings.size();
  return count;
}

const char *ccgraph_checked_warnings(const ccgraph_checked *checked) {
  return checked ? checked->warnings.c_str() : "";
}

ccgraph_error *ccgraph_checked_print(const ccgraph_checked *checked, const char *form, ccgraph_text **text) {
  if (!checked || !form || !text)
    return usage("ccgraph_checked_print: got NULL, expected a result, a form and a place for the text");
  Write write = writerOf(*checked, form);
  if (!write)
    return usage(("got form '" + textOf(form) + "', expected " + formsOf(*checked)).str());
  auto result = std::make_unique<ccgraph_text>();
  llvm::raw_string_ostream os(result->text);
  write(os, *checked);
  os.flush();
  *text = result.release();
  return nullptr;
}

void ccgraph_checked_free(ccgraph_checked *checked) { delete checked; }

#include "handles.h"

#include "ccgraph/frontend/contract_file.h"
#include "ccgraph/toolkit/contract_files.h"
#include "ccgraph/toolkit/job_check.h"
#include "report/check_report.h"
#include "report/contract_report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <variant>

using namespace ccgraph;
using namespace ccgraph::capi;

struct ccgraph_checked {
  /// names the job on the page, and is the file of a finding without a line
  std::string input;
  std::string warnings;
  std::variant<std::vector<CheckedJob>, ContractComparison> result;
};

namespace {

std::vector<std::string> listOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  return {words.begin(), words.end()};
}

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

using Write = void (*)(llvm::raw_ostream &os, const ccgraph_checked &checked);

const std::vector<CheckedJob> &jobsOf(const ccgraph_checked &checked) {
  return std::get<std::vector<CheckedJob>>(checked.result);
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
  if (const auto *contract = std::get_if<ContractComparison>(&checked->result))
    return contract->findings.size();
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
  bool isJob = std::holds_alternative<std::vector<CheckedJob>>(checked->result);
  Write write = isJob ? jobWriter(form) : contractWriter(form);
  if (!write)
    return usage(
        ("got form '" + textOf(form) + "', expected text, json" + (isJob ? ", sarif, dot or page" : " or sarif"))
            .str());
  auto result = std::make_unique<ccgraph_text>();
  llvm::raw_string_ostream os(result->text);
  write(os, *checked);
  os.flush();
  *text = result.release();
  return nullptr;
}

void ccgraph_checked_free(ccgraph_checked *checked) { delete checked; }

#include "check_report/pipeline_report.h"

#include "ccgraph/ir/text.h"
#include "check_report/check_report.h"

#include "llvm/Support/JSON.h"

namespace ccgraph::report {
namespace {

void writeFindings(llvm::json::OStream &json, llvm::ArrayRef<Diagnostic> findings) {
  for (const Diagnostic &finding : findings)
    json.object([&] {
      json.attribute("rule", finding.rule);
      json.attribute("file", llvm::json::fixUTF8(finding.file));
      json.attribute("line", finding.line);
      json.attribute("column", finding.column);
      json.attribute("where", finding.where);
      json.attribute("message", finding.message);
      json.attribute("notes", llvm::json::Array(finding.notes));
    });
}

} // namespace

void writeScheduleText(llvm::raw_ostream &os, const CheckedPipeline &checked, const std::string &input) {
  os << toString(checked.findings);
  if (checked.findings.empty())
    os << visibleText(input) << " runs to its end: " << counted(checked.ranks, "rank") << ", "
       << counted(static_cast<size_t>(checked.stages), "stage") << ", " << checked.microbatches
       << (checked.microbatches == 1 ? " microbatch\n" : " microbatches\n");
}

void writePipelineJson(llvm::raw_ostream &os, const CheckedPipeline &checked) {
  if (!checked.jobs.empty())
    return writeCheckJson(os, checked.jobs);
  llvm::json::OStream json(os, 1);
  json.object([&] { json.attributeArray("findings", [&] { writeFindings(json, checked.findings); }); });
  os << '\n';
}

} // namespace ccgraph::report

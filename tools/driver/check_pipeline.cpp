#include "driver/check_pipeline.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "ccgraph/ir/text.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::driver {
namespace {

void printJson(llvm::raw_ostream &os, llvm::ArrayRef<Diagnostic> findings) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attributeArray("findings", [&] {
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
    });
  });
  os << '\n';
}

} // namespace

llvm::Expected<bool> isPipelineFile(const std::string &path) {
  // Standard input can be read only once.
  if (path == "-" || llvm::sys::fs::is_directory(path))
    return false;
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return isPipelineSchedule(file->text());
}

llvm::Expected<ExitCode> checkPipelineOf(const CheckOptions &options, const std::string &path, Streams streams) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<PipelineSchedule> schedule = readPipelineSchedule(file->source());
  if (!schedule)
    return schedule.takeError();
  if (options.stages != 0)
    schedule->stages = static_cast<int64_t>(options.stages);
  std::vector<Diagnostic> findings = verifyPipelineSchedule(*schedule);
  if (options.json)
    printJson(streams.out, findings);
  else if (findings.empty())
    streams.out << visibleText(path) << " runs to its end: " << counted(schedule->ranks.size(), "rank") << ", "
                << counted(static_cast<size_t>(schedule->stages), "stage") << ", " << schedule->microbatches
                << (schedule->microbatches == 1 ? " microbatch\n" : " microbatches\n");
  else
    streams.out << toString(findings);
  return findings.empty() ? ExitCode::Ok : ExitCode::Diagnosed;
}

} // namespace ccgraph::driver

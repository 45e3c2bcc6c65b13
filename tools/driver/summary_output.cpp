#include "driver/summary_output.h"

#include "report/exposed_list.h"
#include "report/json_output.h"
#include "report/measured_text.h"

#include "llvm/Support/Process.h"

namespace ccgraph::driver {

using namespace report; // NOLINT(google-build-using-namespace): prints what this room describes

namespace {

void printOne(llvm::raw_ostream &os, const OptOptions &options, const Summary &summary, Color color) {
  if (options.exposed && options.csv)
    return printExposedCsv(os, summary.run.exposed);
  if (options.exposed)
    return printExposedLists(os, summary, options.explainedCollectives());
  printSummary(os, summary, color);
  printPhaseTimes(os, summary, color);
}

} // namespace

void printSummaries(const OptOptions &options, llvm::ArrayRef<Summary> summaries, Streams streams) {
  llvm::raw_ostream &os = options.writesToStdout() || options.views.diff ? streams.err : streams.out;
  if (options.json)
    return printSummariesJson(os, summaries);
  Color color = os.has_colors() && !llvm::sys::Process::GetEnv("NO_COLOR") ? Color::Yes : Color::No;
  for (const Summary &summary : summaries) {
    printOne(os, options, summary, color);
    if (&summary != &summaries.back())
      os << '\n';
  }
}

} // namespace ccgraph::driver

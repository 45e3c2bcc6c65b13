#include "driver/view_flags.h"

namespace ccgraph::driver {
namespace {

llvm::Error checkIsFile(llvm::StringRef flag, llvm::StringRef path) {
  if (path == "-")
    return badValue(flag, path, "the name of a file, since the summary goes to standard output");
  return llvm::Error::success();
}

} // namespace

llvm::StringRef ViewFlags::given() const {
  return diff ? "--diff" : !trace.empty() ? "--trace" : !report.empty() ? "--report" : "";
}

void addViewFlags(CommandLine &line, ViewFlags &flags) {
  line.beginTopic("views", "what changed, reports and traces of the predicted schedule",
                  "These show one graph: choose with --graph where a file holds several.");
  line.addSwitch("--diff", "print what changed as a unified diff of FX text, in which moves say from and to where",
                 flags.diff);
  line.addText("--report", "FILE", "write timelines, tables and remarks as one HTML page, which loads nothing else",
               flags.report);
  line.addText("--trace", "FILE", "write the predicted schedule, and the one before, as a Chrome trace (Perfetto, HTA)",
               flags.trace);
}

llvm::Error checkViewFlags(const ViewFlags &flags) {
  if (llvm::Error error = checkIsFile("--trace", flags.trace))
    return error;
  return checkIsFile("--report", flags.report);
}

} // namespace ccgraph::driver

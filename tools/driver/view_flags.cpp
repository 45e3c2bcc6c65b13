#include "driver/view_flags.h"

namespace ccgraph::driver {

llvm::StringRef ViewFlags::given() const { return trace.empty() ? "" : "--trace"; }

void addViewFlags(CommandLine &line, ViewFlags &flags) {
  line.beginTopic("views", "traces and reports of the predicted schedule",
                  "These show one graph: choose with --graph where a file holds several.");
  line.addText("--trace", "FILE", "write the predicted schedule, and the one before, as a Chrome trace (Perfetto, HTA)",
               flags.trace);
}

llvm::Error checkViewFlags(const ViewFlags &flags) {
  if (flags.trace == "-")
    return badValue("--trace", "-", "the name of a file, since the summary goes to standard output");
  return llvm::Error::success();
}

} // namespace ccgraph::driver

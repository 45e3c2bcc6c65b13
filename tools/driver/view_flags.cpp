#include "driver/view_flags.h"

#include "llvm/Support/Regex.h"

namespace ccgraph::driver {
namespace {

llvm::Error checkIsFile(llvm::StringRef flag, llvm::StringRef path) {
  if (path == "-")
    return badValue(flag, path, "the name of a file, since the summary goes to standard output");
  return llvm::Error::success();
}

bool isYaml(llvm::StringRef path) { return path.endswith(".yaml") || path.endswith(".yml"); }

} // namespace

bool isJson(llvm::StringRef path) { return path.endswith(".json"); }

llvm::StringRef ViewFlags::given() const {
  return diff                   ? "--diff"
         : !trace.empty()       ? "--trace"
         : !report.empty()      ? "--report"
         : !remarksFile.empty() ? "--remarks-file"
                                : "";
}

void addViewFlags(CommandLine &line, ViewFlags &flags) {
  line.beginTopic("views", "diffs, reports and traces of the predicted schedule",
                  "These show one graph; if a file holds several, choose one with --graph.");
  line.addSwitch("--diff",
                 "print the changes as a unified diff of FX text, which marks moved nodes with both positions",
                 flags.diff);
  line.addText("--report", "FILE", "write timelines, tables and remarks as one self-contained HTML page", flags.report);
  line.addText("--trace", "FILE", "write the predicted schedules before and after as a Chrome trace (Perfetto, HTA)",
               flags.trace);
  line.addText("--remarks-file", "FILE", "write the remarks as LLVM optimization records: .yaml (opt-viewer) or .json",
               flags.remarksFile);
}

llvm::Error checkViewFlags(const ViewFlags &flags) {
  if (llvm::Error error = checkIsFile("--trace", flags.trace))
    return error;
  if (llvm::Error error = checkIsFile("--report", flags.report))
    return error;
  if (!flags.remarksFile.empty() && !isJson(flags.remarksFile) && !isYaml(flags.remarksFile))
    return badValue("--remarks-file", flags.remarksFile, "a name that ends in .yaml, .yml or .json");
  std::string why;
  if (flags.remarks && !flags.remarks->empty() && !llvm::Regex(*flags.remarks).isValid(why))
    return badValue("--remarks", *flags.remarks, "an extended regular expression (" + why + ")");
  return llvm::Error::success();
}

} // namespace ccgraph::driver

#include "report_page.inc" // made of tools/report/page by the build
#include "report/report_data.h"

namespace ccgraph::report {

// The page contains @style@, @data@ and @script@ once each.
void writeReport(llvm::raw_ostream &os, const Report &report) {
  llvm::StringRef rest = reportPageHtml;
  while (!rest.empty()) {
    auto [text, after] = rest.split('@');
    os << text;
    auto [word, next] = after.split('@');
    if (word == "style")
      os << reportPageStyle;
    else if (word == "script")
      os << reportPageScript;
    else if (word == "data")
      os << reportData(report);
    rest = next;
  }
}

} // namespace ccgraph::report

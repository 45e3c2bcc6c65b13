#include "report/job_rewrite_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::report {
namespace {

std::vector<std::string> namesOf(llvm::ArrayRef<jobs::Semantics> all) {
  std::vector<std::string> names;
  for (jobs::Semantics one : all)
    names.push_back(jobs::semanticsName(one).str());
  return names;
}

} // namespace

void writeJobRewriteText(llvm::raw_ostream &os, const JobRewrite &result) {
  os << counted(result.ranks, "rank") << ": the passes changed " << result.changed << " of "
     << counted(result.graphs, "graph") << '\n';
  if (!result.reason.empty()) {
    os << "each rank keeps its order across groups: " << result.reason << '\n';
    return;
  }
  std::string names = llvm::join(namesOf(result.safe), ", ");
  os << "the orders of all ranks were changed together and proved: "
     << (names.empty() ? "no verdict is worse than before" : "no rank waits for ever under " + names) << '\n';
}

void writeJobRewriteJson(llvm::raw_ostream &os, const JobRewrite &result, llvm::StringRef warnings) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("ranks", static_cast<int64_t>(result.ranks));
    json.attribute("graphs", static_cast<int64_t>(result.graphs));
    json.attribute("changed", static_cast<int64_t>(result.changed));
    json.attribute("proved", result.reason.empty());
    json.attribute("reason", llvm::json::fixUTF8(result.reason));
    json.attribute("safe", llvm::json::Array(namesOf(result.safe)));
    json.attribute("warnings", llvm::json::fixUTF8(warnings));
  });
  os << '\n';
}

} // namespace ccgraph::report

#include "driver/check_options.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::driver {
namespace {

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace

CommandLine declareCheckFlags(CheckOptions &options) {
  CommandLine line("ccgraph-check JOB|GRAPH... [flags]",
                   "Checks that the graphs of all ranks match and that no rank waits for ever.");
  line.addList("--groups", "FILE,...", "ranks of the groups: one file for all graphs, or one for each", options.groups);
  line.addRanks("--ranks", "number of ranks of a job whose one GRAPH every rank runs", options.ranks);
  line.addSwitch("--json", "print the verdict and the findings as JSON", options.json);
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help, or the help of a topic", options.help);
  return line;
}

llvm::Error checkCheckUsage(const CheckOptions &options, llvm::ArrayRef<std::string> positional) {
  if (positional.empty())
    return usage("got no graph, expected a job file, one graph for each rank, or one graph for all\n  note: --help "
                 "lists the flags");
  if (options.ranks != 0 && positional.size() > 1)
    return usage("--ranks: got " + llvm::Twine(positional.size()) +
                 " graphs, expected one that every rank runs\n  note: several graphs are those of ranks 0, 1, ...");
  return llvm::Error::success();
}

} // namespace ccgraph::driver

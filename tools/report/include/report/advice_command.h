// adviceCommand turns a line of advice into a command that can be pasted into a shell.
//
// The result is the given command line with the flags of the advice in place of those that set the same options. Flags
// that only control what is printed or written are removed.
//
//   ccgraph-opt step.py -O2 --groups g.json --report r.html    and -O3  ->  ccgraph-opt step.py --groups g.json -O3
//
// Ownership: plain values. Failure: none. Cost: linear in the flags.
#pragma once

#include "report/summary.h"

namespace ccgraph::report {

[[nodiscard]] std::string adviceCommand(const Summary &summary, const Advice &advice);

/// Returns a word in the form that a POSIX shell reads back, quoted if necessary.
[[nodiscard]] std::string shellWord(llvm::StringRef word);

} // namespace ccgraph::report

// adviceCommand: a line of advice as a command that can be pasted into a shell.
//
// It is the command line that was given, with the flags of the advice in place of those that say otherwise, and without
// those that only say what is printed and written: what is followed is a schedule, and the summary tells what it saved.
//
//   ccgraph-opt step.py -O2 --groups g.json --report r.html    and -O3  ->  ccgraph-opt step.py --groups g.json -O3
//
// Ownership: plain values. Failure: none. Cost: linear in the flags.
#pragma once

#include "report/summary.h"

namespace ccgraph::report {

[[nodiscard]] std::string adviceCommand(const Summary &summary, const Advice &advice);

/// A word as a POSIX shell reads it back: in quotes where it has to be.
[[nodiscard]] std::string shellWord(llvm::StringRef word);

} // namespace ccgraph::report

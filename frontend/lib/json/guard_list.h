// The member `guards` of a graph's or plan's file: [{"fact": "size", "of": "tp", "value": 4}, ...].
//
// Because a guard that nobody understands would be one that is never asked, a fact that is none, a value of another kind
// and a key too many are errors.
//
// Ownership: plain values. Failure: reported at its place. Cost: linear in the guards.
#pragma once

#include "ccgraph/ir/guard.h"
#include "json/json_report.h"

namespace ccgraph {

/// Those that are well formed; the others are reported.
[[nodiscard]] std::vector<Guard> readGuards(const JsonValue &list, JsonReport &report);
/// Of a text that holds such a list and nothing else; empty where it does not.
[[nodiscard]] std::optional<std::vector<Guard>> parseJsonGuards(llvm::StringRef text);
/// On one line.
void writeJsonGuards(llvm::raw_ostream &os, llvm::ArrayRef<Guard> guards);

} // namespace ccgraph

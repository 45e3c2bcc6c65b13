// The member `guards` of a graph's or plan's file: [{"fact": "size", "of": "tp", "value": 4}, ...].
//
// A guard that is not understood would never be checked. So an unknown fact, a value of the wrong kind and an extra key
// are errors.
//
// Ownership: plain values. Failure: reported at its place. Cost: linear in the guards.
#pragma once

#include "ccgraph/ir/guard.h"
#include "json/json_report.h"

namespace ccgraph {

/// Returns the well-formed guards; reports the others.
[[nodiscard]] std::vector<Guard> readGuards(const JsonValue &list, JsonReport &report);
/// Parses a text that holds such a list and nothing else; returns nothing for any other text.
[[nodiscard]] std::optional<std::vector<Guard>> parseJsonGuards(llvm::StringRef text);
/// Writes the list on one line.
void writeJsonGuards(llvm::raw_ostream &os, llvm::ArrayRef<Guard> guards);

} // namespace ccgraph

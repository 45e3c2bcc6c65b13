// Writes how the ranks hold the values of a step, as text and as JSON.
//
//   {"verdict": "findings", "mesh": {"axes": ["tp"], "sizes": [2]},
//    "findings": [{"kind": "unreduced-operand", "axis": "tp", "node": "tanh", "source": "", "operand": "mm",
//                  "operand_source": "", "text": "...", "repair": "..."}],
//    "undecided": [], "assumed": [], "values": {"mm": {"tp": "partial(sum)"}}}
//
// The verdict is "consistent", "findings" or "undecided".
//
// Ownership: borrows the placements. Failure: none; the stream keeps the system's error. Cost: linear in the values.
#pragma once

#include "ccgraph/checks/placement_files.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

void writePlacementText(llvm::raw_ostream &os, const NamedPlacements &placements);
void writePlacementJson(llvm::raw_ostream &os, const NamedPlacements &placements);

} // namespace ccgraph::report

// Schedule files: an order and its buckets, apart from the graph (`--emit schedule`, `--schedule FILE`).
//
//   {
//     "format": "ccgraph.schedule",
//     "version": "1.0",
//     "graph": "5f3a...",
//     "prepare": ["deduplicate-collectives"],
//     "memory_budget": 62277025792,
//     "buckets": [
//       {"layout": "grouped", "members": ["ag", "ag_1"], "makes": ["all_gather_coalesced", "getitem", "getitem_1", "w", "w_1"]}
//     ],
//     "order": [
//       "x",
//       "all_gather_coalesced",
//       ...
//     ]
//   }
//
// docs/schedule.schema.json lists the keys; ccgraph/ir/schedule.h says what each means. Lists that are empty, but for the order,
// and a budget that is not there, are left out. Written files are canonical: one schedule has one text. A newer
// minor version may have keys that are not known here: they warn.
//
// Ownership: a plain value; the text may go once reading is done. Errors: up to 20, each with its place: a key that is not
// known, a value of another kind, a digest that is none, a name that stands twice in the order. Cost: linear.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/schedule.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// `origin` of the result is the name of the source. Warnings are dropped where there is no collector.
[[nodiscard]] llvm::Expected<Schedule> readSchedule(const SourceText &source, Diagnostics *warnings = nullptr);

/// Ends in a newline. Never fails; the stream keeps what the system said.
void writeSchedule(llvm::raw_ostream &os, const Schedule &schedule);

} // namespace ccgraph

// Schedule files: an order and its buckets, apart from the graph (`--emit schedule`, `--schedule FILE`).
//
//   {
//     "format": "ccgraph.schedule",
//     "version": "1.0",
//     "graph": "5f3a...",
//     "prepare": ["deduplicate-collectives"],
//     "memory_budget": 62277025792,
//     "buckets": [
//       {"layout": "grouped", "members": ["ag", "ag_1"],
//        "makes": ["all_gather_coalesced", "getitem", "getitem_1", "w", "w_1"]}
//     ],
//     "order": [
//       "x",
//       "all_gather_coalesced",
//       ...
//     ]
//   }
//
// docs/schedule.schema.json lists the keys; ccgraph/ir/schedule.h defines each. Empty lists other than the order, and
// an absent budget, are omitted. Written files are canonical: one schedule has one text. In a newer minor version, an
// unknown key is a warning.
//
// Ownership: a plain value; the text may be freed once reading is done. Errors: up to 20, each with its place: an
// unknown key, a value of the wrong kind, an invalid digest, a duplicate name in the order. Cost: linear.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/schedule.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Reads a schedule. `origin` of the result is the name of the source. Without a collector, warnings are dropped.
[[nodiscard]] llvm::Expected<Schedule> readSchedule(const SourceText &source, Diagnostics *warnings = nullptr);

/// Writes the schedule and a final newline. Never fails; errors of the system stay in the stream.
void writeSchedule(llvm::raw_ostream &os, const Schedule &schedule);

} // namespace ccgraph

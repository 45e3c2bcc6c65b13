// AxisPlacement files: how the inputs and outputs of a parallel step are those of the step of one device
// (`--placements FILE`).
//
//   {"mesh": {"axes": ["fsdp", "tp"], "sizes": [2, 2]},
//    "inputs": [
//      {"position": 0, "single": 8, "of": "l0.w3", "placement": {"fsdp": "shard(0)", "tp": "shard(0)"},
//       "split_order": ["tp", "fsdp"]},
//      {"position": 1, "single": 19, "of": "qkv", "placement": {"fsdp": "replicate", "tp": "shard(1)"},
//       "as": [3, 16, 16]}],
//    "outputs": [{"position": 0, "single": 0, "of": "loss", "placement": {"fsdp": "partial(avg)", "tp": "replicate"}}]}
//
// `position` counts the inputs or outputs of the parallel graph, `single` those of the single graph.
// `"microbatch": [0, 4]` makes an entry the first of four parts.
// ccgraph/ir/placement.h explains placements, `split_order`, `as` and `as_axes`. `mesh` may be left out: then the axes
// are those of the placements in their order, and their sizes are unknown. Other members are ignored.
//
// Ownership: a plain value; the text may be freed once this returns. Errors: up to 20 malformed entries, each with its
// place; a file without inputs or outputs; a text that is not JSON. Cost: one pass over the file.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/placement.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<StepPlacements> readPlacementFile(const SourceText &source);

} // namespace ccgraph

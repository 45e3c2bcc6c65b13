// Machine files: the numbers of a machine that no preset has (`--machine FILE`).
//
//   {"format": "ccgraph.machine", "version": "1.0", "base": "h100x8", "name": "ours",
//    "inter": {"gb_per_s": 25}, "processor": {"tflops": {"bf16": 800}}}
//
// docs/machine.schema.json lists the keys; docs/cost-model.md explains each number. `base` names the preset that
// supplies the missing numbers (default: h100x8). Numbers are decimal, in the units that their keys name, and are
// rounded once, here.
//
// Ownership: a plain value; the text may be freed once this returns. Errors: up to 20, each with its place: an unknown
// key, a number out of range, an unexpected word. In a newer minor version, an unknown key is a warning. Cost: one pass
// over a file of a few lines.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<Machine> readMachineFile(const SourceText &source);

} // namespace ccgraph

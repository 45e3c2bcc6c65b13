// Machine files: the numbers of a machine that no preset has (`--machine FILE`).
//
//   {"format": "ccgraph.machine", "version": "1.0", "base": "h100x8", "name": "ours",
//    "inter": {"gb_per_s": 25}, "processor": {"tflops": {"bf16": 800}}}
//
// docs/machine.schema.json lists the keys; docs/cost-model.md says what each number does. `base` names the
// preset whose numbers hold where the file says none (h100x8 where it is left out). Numbers are decimal, in
// the units that their keys name, and are rounded once, here.
//
// Ownership: a plain value; the text may go once this returns. Errors: up to 20, each with its place: a key
// that is not known, a number out of range, a word that is none of those expected. A newer minor version may
// have keys that are not known here: they warn. Cost: one pass over a file of a few lines.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<Machine> readMachineFile(const SourceText &source);

} // namespace ccgraph

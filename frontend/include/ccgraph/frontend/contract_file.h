// Contract files: a contract (ccgraph/ir/contract.h) as TOML 1.0.
//
//   version = 1
//   machine = "h100x8"             # predicts exposed_percent
//   unlisted = "forbid"            # a collective that no rule selects is a finding; "allow": it is not (default)
//
//   [limits]
//   missing_waits = 0
//   dead_waits = 0
//   dead_collectives = 0
//   exposed_collectives = 3
//   exposed_percent = 12.5
//   peak_bytes = "24.5 GiB"
//
//   [[collective]]
//   module = "layers.*"
//   kind = "all_gather"
//   group = "fsdp"
//   dtypes = ["bf16"]
//   count = 9
//   bytes = { max = 436207616 }
//   modules = 32
//
// Each key is optional. count, bytes and modules are a whole number or { min = N, max = N }. A number of bytes may be a
// text with a unit: B, KiB, MiB, GiB or TiB. docs/contracts.md explains each key.
//
// Ownership: plain values; the text may be freed once the reader returns. Errors: the first violation of TOML's syntax,
// else up to 20 violations, each with line and column: an unknown key, a value of another kind, a number out of range,
// an unknown word. Cost: linear in the text.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/contract.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<Contract> readContract(const SourceText &source);

/// Writes a text that readContract reads back as an equal contract, apart from `origin` and the places.
void writeContract(llvm::raw_ostream &os, const Contract &contract);

} // namespace ccgraph

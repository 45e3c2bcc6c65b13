// Operator files: declarations of operators that PyTorch's table does not contain (`--ops FILE`).
//
// An unknown operator is ordered against everything, so it blocks every wait and launch. A declaration removes this
// restriction. An operator file is any JSON object whose member `ops` is a list; all other members are ignored:
//   {"ops": [{"schema": "mylib::scale(Tensor x, float s) -> Tensor"},
//            {"schema": "mylib::log_(Tensor(a!) x) -> ()", "pure": false}]}
// The alias annotations of a schema state what it views and writes. `pure` (default: true) states that it has no other
// effect; an operator that is not pure stays ordered against everything. These declarations cannot be checked.
//
// Ownership: plain values; OpTable::declare registers them and reports a schema that does not parse. Errors: every
// malformed entry, with its place. Cost: one pass over the file.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace ccgraph {

[[nodiscard]] llvm::Expected<std::vector<OpDeclaration>> readOpFile(const SourceText &source);

} // namespace ccgraph

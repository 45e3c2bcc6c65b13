// Operator files: what a user knows of operators that PyTorch's table does not hold (`--ops FILE`).
//
// An unknown operator is ordered against everything, and so stops every wait and launch; this is
// the way to say that it need not. Any JSON object serves whose member `ops` is a list; all other
// members are ignored:
//   {"ops": [{"schema": "mylib::scale(Tensor x, float s) -> Tensor"},
//            {"schema": "mylib::log_(Tensor(a!) x) -> ()", "pure": false}]}
// A schema says by alias annotations what it views and writes. `pure` (true where left out) says
// that it has no other effect; an operator that is not pure stays ordered against everything. What
// is said here is believed: nothing can check it.
//
// Ownership: plain values; OpTable::declare makes them known and reports a schema that does not
// parse. Errors: every entry that is not well formed, with its place. Cost: one pass over the file.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace ccgraph {

[[nodiscard]] llvm::Expected<std::vector<OpDeclaration>> readOpFile(const SourceText &source);

} // namespace ccgraph

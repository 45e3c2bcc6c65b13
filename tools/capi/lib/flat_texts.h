// Reads and writes types in the form of the flat exchange, which includes lists: "(f32[4][1]cpu;-)".
//
// Ownership: the context owns the types. Failure: an error of one line. Cost: linear in the text.
#pragma once

#include "ccgraph/ir/type.h"

namespace ccgraph::capi {

[[nodiscard]] llvm::Expected<const Type *> parseFlatType(Context &context, llvm::StringRef text);
[[nodiscard]] std::string flatTypeText(const Type *type);

} // namespace ccgraph::capi

// Types as the flat exchange spells them: lists too, "(f32[4][1]cpu;-)".
//
// Ownership: types are the context's. Failure: a plain error of one line. Cost: linear in the text.
#pragma once

#include "ccgraph/ir/type.h"

namespace ccgraph::capi {

[[nodiscard]] llvm::Expected<const Type *> parseFlatType(Context &context, llvm::StringRef text);
[[nodiscard]] std::string flatTypeText(const Type *type);

} // namespace ccgraph::capi

// Schemas: the text form in which PyTorch states what an operator takes, yields, shares and writes.
//
//   aten.add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
//
// `(a)` on a result shares the storage of the parameter so annotated, `(a!)` is written, `(a -> *)` is shared by the
// elements of a list. The generated table holds one such line for each operator, sorted by key, the target without
// ".default". Letters after a tab are tags (listed in tools/gen-op-table).
//
// Ownership: the table is constant text. Failure: a schema of the user that does not parse, with the column. Cost:
// findSchema is a binary search in the text, parsing is linear in the line.
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

/// One parsed line. It owns its texts, except the tags.
struct Schema {
  std::string key; ///< "aten.add_.Tensor", "aten.mm"
  std::vector<OpParam> params;
  std::vector<OpResult> results;
  bool variadic = false;
  llvm::StringRef tags; ///< letters, into the text
};

/// Takes "ns::name.overload(...) -> ..." and "ns.name.overload(...) -> ...".
[[nodiscard]] llvm::Expected<Schema> parseSchema(llvm::StringRef text);

/// The line with this key; empty where there is none.
[[nodiscard]] llvm::StringRef findSchema(llvm::StringRef key);
/// The lines of all overloads of `name`, back to back; empty where there is none.
[[nodiscard]] llvm::StringRef findOverloads(llvm::StringRef name);
/// Lines of the generated table; constant, counted once.
[[nodiscard]] unsigned numGeneratedSchemas();
/// Calls `visit` with every line of the generated table, in its order.
void forEachSchema(llvm::function_ref<void(llvm::StringRef line)> visit);

/// "torch.ops.aten.mm.default" -> "aten.mm": what operators are found by.
[[nodiscard]] llvm::StringRef operatorKey(llvm::StringRef target);
/// True if a value of this schema type may hold a tensor.
[[nodiscard]] bool holdsTensor(llvm::StringRef type);

} // namespace ccgraph

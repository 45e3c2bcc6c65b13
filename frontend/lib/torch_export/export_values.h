// The values of a torch.export graph: types from TensorMeta, sizes from SymInt, names of enumerators.
//
// Ownership: types are the context's, JSON values the parser's. Failure: reported, and then null or empty. Cost: linear
// in the value.
#pragma once

#include "ccgraph/ir/graph.h"
#include "json/json_report.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

/// Returns the one member of a union, an object with exactly one key; null with an error for any other value.
const JsonValue *unionMember(JsonReport &report, const JsonValue &value, llvm::StringRef what);
/// Returns a required member of an object.
const JsonValue *requiredMember(JsonReport &report, const JsonValue &object, llvm::StringRef name);

[[nodiscard]] std::optional<DType> exportDType(int64_t code);
/// Return "strided" and "contiguous_format", for example; empty for unknown codes.
[[nodiscard]] llvm::StringRef exportLayout(int64_t code);
[[nodiscard]] llvm::StringRef exportMemoryFormat(int64_t code);
/// {"type": "cuda", "index": 0}
[[nodiscard]] Device exportDevice(JsonReport &report, Context &context, const JsonValue &value);

/// The types of the values of one graph, by name.
class ExportValues {
public:
  ExportValues(Graph &graph, JsonReport &report) : graph_(graph), report_(report) {}

  /// Records the tables of a graph: tensor_values, sym_int_values, sym_bool_values, sym_float_values.
  void note(const JsonValue &exported);
  /// Returns null where the tables have no entry.
  [[nodiscard]] const Type *typeOf(llvm::StringRef name);

private:
  void noteAll(const JsonValue &exported, llvm::StringRef table);
  const Type *tensor(const JsonValue &meta);
  const Type *symbol(const JsonValue &value);
  std::optional<Dim> dim(const JsonValue &value);
  bool dims(const JsonValue &meta, llvm::StringRef name, llvm::SmallVectorImpl<Dim> &into);
  const SymExpr *expression(const JsonValue &value);

  Graph &graph_;
  JsonReport &report_;
  llvm::StringMap<const JsonValue *> values_; ///< looked up only
};

} // namespace ccgraph

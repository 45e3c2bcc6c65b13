// TypeCache: types by their text, each parsed once.
//
// A file of a million nodes has some hundred distinct types; parsing each again would take most of the time.
//
// Ownership: types are the context's; borrows context and report. Failure: through the report, null in place of the
// type. Cost: a hash lookup a type.
#pragma once

#include "ccgraph/ir/type.h"
#include "json/json_report.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

class TypeCache {
public:
  TypeCache(Context &context, JsonReport &report) : context_(context), report_(report) {}
  /// Reads a string, or a list of types and nulls (nested as results are). Returns null and reports an error where it
  /// is neither.
  const Type *read(const JsonValue &value);
  /// Reads one type, not a list. `offset` is that of the value that holds the text, where an error is reported.
  const Type *readText(llvm::StringRef text, size_t offset);

private:
  const Type *readList(const JsonValue &value);
  Context &context_;
  JsonReport &report_;
  llvm::StringMap<const Type *> known_;
};

} // namespace ccgraph

// PlanScope: a plan while it is being read, and what its parts look up in it.
//
// Lists that others point into stand before them in a file, so an index is checked where it is met. Nothing is
// allocated because a number of the file says so: lists grow by what stands there.
//
// Ownership: borrows plan, report and header, which outlive it. Failure: through the report, with an empty result.
// Cost: O(1) a question, but for names of groups, a hash.
#pragma once

#include "ccgraph/ir/plan.h"
#include "json/file_header.h"
#include "json/type_cache.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

/// Takes a decimal number off the front of a text, with no zero before other digits; empty where there is none, or it is
/// too large.
[[nodiscard]] std::optional<uint64_t> takeIndex(llvm::StringRef &text);

/// What can be pointed at: how a message calls one of it, the key of the list, and what holds it.
struct IndexKind {
  llvm::StringRef noun;
  llvm::StringRef key;
  llvm::StringRef holder = "plan";
};

struct PlanScope {
  PlanScope(Plan &plan, JsonReport &report, const FileHeader &header)
      : plan(plan), report(report), header(header), types(plan.context(), report) {}

  /// A number from 0 that lies below `count`.
  std::optional<uint32_t> index(const JsonValue &value, size_t count, const IndexKind &kind);
  /// The same of a number that stands in a text; `value` is that text.
  std::optional<uint32_t> index(uint64_t number, const JsonValue &value, size_t count, const IndexKind &kind);
  /// Index of the group of this name.
  std::optional<uint32_t> group(const JsonValue &name);
  /// A number from 0; `what` says in words of what.
  std::optional<int64_t> count(const JsonValue &value, llvm::StringRef what);
  /// A number from 0, or {"sym": "4*s0"}.
  Dim dim(const JsonValue &value, llvm::StringRef what);
  /// A text that is not empty.
  std::optional<llvm::StringRef> text(const JsonValue &value, llvm::StringRef what);

  Plan &plan;
  JsonReport &report;
  const FileHeader &header;
  TypeCache types;
  /// index by name
  llvm::StringMap<uint32_t> groups;
  /// how often a number is mentioned: there are no more numbers than that
  size_t numberMentions = 0;
};

/// The members of an object that has these keys and no others.
class Members {
public:
  /// `noun` is what messages call the object: "a step". Reports what is no object, unknown keys, and keys that stand
  /// twice.
  Members(PlanScope &scope, const JsonValue &object, llvm::StringRef noun, llvm::ArrayRef<llvm::StringLiteral> keys);

  /// Null where absent.
  [[nodiscard]] const JsonValue *find(llvm::StringRef key) const { return object_.member(key); }
  /// Null where absent, which is then reported.
  [[nodiscard]] const JsonValue *require(llvm::StringRef key);
  /// The elements of an array; none where it is absent, or is no array, which is reported.
  [[nodiscard]] llvm::iterator_range<JsonIterator> list(llvm::StringRef key);

private:
  void reportUnknown(const JsonValue &member, llvm::ArrayRef<llvm::StringLiteral> keys);
  PlanScope &scope_;
  const JsonValue &object_;
  llvm::StringRef noun_;
};

} // namespace ccgraph

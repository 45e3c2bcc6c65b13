// PlanScope: a plan while it is being read, and the tables that its parts need.
//
// Lists that other lists index precede them in a file, so an index is checked when it is read. No allocation depends on
// a number in the file: lists grow with their entries.
//
// Ownership: borrows plan, report and header, which outlive it. Failure: through the report, with an empty result.
// Cost: O(1) a lookup, or a hash for names of groups.
#pragma once

#include "ccgraph/ir/plan.h"
#include "json/file_header.h"
#include "json/type_cache.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

/// Removes a decimal number from the front of a text, with no zero before other digits. Returns nothing where there is
/// none, or it is too large.
[[nodiscard]] std::optional<uint64_t> takeIndex(llvm::StringRef &text);

/// A kind of entry that an index can name: its noun in messages, the key of its list, and the list.
struct IndexKind {
  llvm::StringRef noun;
  llvm::StringRef key;
  llvm::StringRef holder = "plan";
};

struct PlanScope {
  PlanScope(Plan &plan, JsonReport &report, const FileHeader &header)
      : plan(plan), report(report), header(header), types(plan.context(), report) {}

  /// Returns a number from 0 that is below `count`.
  std::optional<uint32_t> index(const JsonValue &value, size_t count, const IndexKind &kind);
  /// Checks a number that is part of a text; `value` is that text.
  std::optional<uint32_t> index(uint64_t number, const JsonValue &value, size_t count, const IndexKind &kind);
  /// Returns the index of the group of this name.
  std::optional<uint32_t> group(const JsonValue &name);
  /// Returns a number from 0; `what` describes what it counts.
  std::optional<int64_t> count(const JsonValue &value, llvm::StringRef what);
  /// Returns a number from 0, or {"sym": "4*s0"}.
  Dim dim(const JsonValue &value, llvm::StringRef what);
  /// Returns a text that is not empty.
  std::optional<llvm::StringRef> text(const JsonValue &value, llvm::StringRef what);

  Plan &plan;
  JsonReport &report;
  const FileHeader &header;
  TypeCache types;
  /// index by name
  llvm::StringMap<uint32_t> groups;
  /// how often the file mentions a number: there are no more numbers than that
  size_t numberMentions = 0;
};

/// The members of an object with these keys and no others.
class Members {
public:
  /// `noun` is the word for the object in messages: "a step". Reports a value that is not an object, unknown keys, and
  /// duplicate keys.
  Members(PlanScope &scope, const JsonValue &object, llvm::StringRef noun, llvm::ArrayRef<llvm::StringLiteral> keys);

  /// Returns null where absent.
  [[nodiscard]] const JsonValue *find(llvm::StringRef key) const { return object_.member(key); }
  /// Returns null where absent, and reports it.
  [[nodiscard]] const JsonValue *require(llvm::StringRef key);
  /// Returns the elements of an array; none where it is absent, or is not an array, which is reported.
  [[nodiscard]] llvm::iterator_range<JsonIterator> list(llvm::StringRef key);

private:
  void reportUnknown(const JsonValue &member, llvm::ArrayRef<llvm::StringLiteral> keys);
  PlanScope &scope_;
  const JsonValue &object_;
  llvm::StringRef noun_;
};

} // namespace ccgraph

#include "plan/plan_scope.h"

#include "ccgraph/ir/internal/names.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

std::optional<uint64_t> takeIndex(llvm::StringRef &text) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  uint64_t number = 0;
  if ((digits.size() > 1 && digits.front() == '0') || digits.getAsInteger(10, number))
    return std::nullopt;
  text = text.drop_front(digits.size());
  return number;
}

std::optional<uint32_t> PlanScope::index(uint64_t number, const JsonValue &value, size_t count, const IndexKind &kind) {
  if (number < count)
    return static_cast<uint32_t>(number);
  std::string what = ("the index of " + kind.noun + ", ").str();
  what += count ? "from 0 to " + std::to_string(count - 1) : ("of which this " + kind.holder + " has none").str();
  bool ofPlan = kind.holder == "plan";
  report.expected(value, what, ofPlan ? ("'" + kind.key + "' must be before the parts that refer to it").str() : "");
  return std::nullopt;
}

std::optional<uint32_t> PlanScope::index(const JsonValue &value, size_t count, const IndexKind &kind) {
  bool natural = value.is(JsonKind::Integer) && value.integer >= 0;
  return index(natural ? static_cast<uint64_t>(value.integer) : UINT64_MAX, value, count, kind);
}

std::optional<uint32_t> PlanScope::group(const JsonValue &name) {
  auto found = name.is(JsonKind::String) ? groups.find(name.text) : groups.end();
  if (found != groups.end())
    return found->second;
  report.expected(name, "the name of a group", "'groups' defines them, and must be before the parts that name them");
  return std::nullopt;
}

std::optional<int64_t> PlanScope::count(const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::Integer) && value.integer >= 0)
    return value.integer;
  report.expected(value, what + ": an integer from 0");
  return std::nullopt;
}

Dim PlanScope::dim(const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::Integer) && value.integer >= 0)
    return value.integer;
  const JsonValue *text = value.is(JsonKind::Object) && value.count == 1 ? value.member("sym") : nullptr;
  if (text && text->is(JsonKind::String) && isSymbolText(text->text))
    return Dim(plan.context().symbolic(text->text));
  report.expected(value, what + ": an integer from 0 or {\"sym\": \"4*s0\"}");
  return {};
}

std::optional<llvm::StringRef> PlanScope::text(const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::String) && !value.text.empty() && isOneLine(value.text))
    return value.text;
  report.expected(value, what);
  return std::nullopt;
}

static llvm::iterator_range<JsonIterator> none() { return {JsonIterator(), JsonIterator()}; }

Members::Members(PlanScope &scope, const JsonValue &object, llvm::StringRef noun,
                 llvm::ArrayRef<llvm::StringLiteral> keys)
    : scope_(scope), object_(object), noun_(noun) {
  if (!object.is(JsonKind::Object))
    scope.report.expected(object, noun + ": an object with " + llvm::join(keys, ", "));
  uint32_t seen = 0;
  for (const JsonValue &member : object.is(JsonKind::Object) ? object.elements() : none()) {
    auto known = llvm::find(keys, member.key) - keys.begin();
    if (static_cast<size_t>(known) == keys.size())
      reportUnknown(member, keys);
    else if ((seen >> known & 1U) != 0)
      scope.report.error(member.offset, "the key '" + member.key.str() + "' occurs twice");
    else
      seen |= 1U << known;
  }
}

void Members::reportUnknown(const JsonValue &member, llvm::ArrayRef<llvm::StringLiteral> keys) {
  std::string message = (noun_ + " has no key '" + member.key + "'").str();
  if (scope_.header.isNewer())
    return scope_.report.warning(member.offset, std::move(message), "it is left out");
  scope_.report.error(member.offset, std::move(message), "its keys are " + llvm::join(keys, ", "));
}

const JsonValue *Members::require(llvm::StringRef key) {
  const JsonValue *value = find(key);
  if (!value && object_.is(JsonKind::Object))
    scope_.report.expected(object_, "'" + key + "' in " + noun_);
  return value;
}

llvm::iterator_range<JsonIterator> Members::list(llvm::StringRef key) {
  const JsonValue *value = find(key);
  if (value && !value->is(JsonKind::Array))
    scope_.report.expected(*value, "'" + key + "' as an array");
  bool array = value && value->is(JsonKind::Array);
  return array ? value->elements() : none();
}

} // namespace ccgraph

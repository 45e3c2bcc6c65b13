#include "json/guard_list.h"

#include "json/json_parser.h"
#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral example = R"(a guard, {"fact": "size", "of": "tp", "value": 4})";
constexpr llvm::StringLiteral keys[] = {"fact", "of", "value"};

std::optional<GuardValue> readNumbers(const JsonValue &list) {
  std::vector<int64_t> numbers;
  for (const JsonValue &number : list.elements()) {
    if (!number.is(JsonKind::Integer))
      return std::nullopt;
    numbers.push_back(number.integer);
  }
  return numbers;
}

std::optional<GuardValue> readValue(const JsonValue &value) {
  switch (value.kind) {
  case JsonKind::Integer:
    return value.integer;
  case JsonKind::Bool:
    return value.boolean;
  case JsonKind::String:
    return value.text.str();
  case JsonKind::Array:
    return readNumbers(value);
  case JsonKind::Null:
  case JsonKind::Float:
  case JsonKind::HugeInteger:
  case JsonKind::Object:
    return std::nullopt;
  }
  return std::nullopt;
}

llvm::StringRef valuesOf(GuardFact fact) {
  switch (fact) {
  case GuardFact::Rank:
  case GuardFact::Size:
  case GuardFact::MeshDims:
    return "an integer";
  case GuardFact::Ranks:
    return "a list of ranks";
  case GuardFact::Member:
    return "true or false";
  case GuardFact::Tag:
  case GuardFact::Name:
  case GuardFact::DeviceType:
    return "a text";
  }
  return "";
}

bool isFilled(const JsonValue *member) { return member && member->is(JsonKind::String) && !member->text.empty(); }

/// Returns whether the guard has the three members, each once, and no other.
bool hasItsKeys(const JsonValue &guard) {
  auto isKey = [](const JsonValue &member) { return llvm::is_contained(keys, member.key); };
  return guard.is(JsonKind::Object) && guard.count == std::size(keys) && llvm::all_of(guard.elements(), isKey) &&
         isFilled(guard.member("fact")) && isFilled(guard.member("of")) && guard.member("value");
}

std::optional<Guard> readGuard(const JsonValue &entry, JsonReport &report) {
  if (!hasItsKeys(entry))
    return report.expected(entry, example), std::nullopt;
  std::optional<GuardFact> fact = parseGuardFact(entry.member("fact")->text);
  if (!fact)
    return report.expected(*entry.member("fact"),
                           "a fact: rank, size, ranks, member, tag, name, mesh_ndim or device_type"),
           std::nullopt;
  const JsonValue &stated = *entry.member("value");
  std::optional<GuardValue> value = readValue(stated);
  if (!value || !hasKindOf(*fact, *value))
    return report.expected(stated, "the " + guardFactName(*fact) + " of a group: " + valuesOf(*fact)), std::nullopt;
  return Guard{*fact, entry.member("of")->text.str(), std::move(*value)};
}

/// Takes the whole text as one value.
struct WholeSink final : JsonSink {
  explicit WholeSink(JsonReport &report) : report(report) {}
  bool enter(const JsonOpening & /*opening*/) override { return false; }
  void leave() override {}
  bool value(const JsonValue &value) override { return guards = readGuards(value, report), true; }
  JsonReport &report;
  std::vector<Guard> guards;
};

struct ValueWriter {
  llvm::raw_ostream &os;
  void operator()(const std::string &text) const { writeJsonString(os, text); }
  template <typename Value>
  void operator()(const Value &value) const {
    os << guardValueText(value);
  }
};

} // namespace

std::vector<Guard> readGuards(const JsonValue &list, JsonReport &report) {
  std::vector<Guard> guards;
  if (!list.is(JsonKind::Array))
    report.expected(list, "'guards' as an array");
  else
    for (const JsonValue &entry : list.elements())
      if (std::optional<Guard> guard = readGuard(entry, report))
        guards.push_back(std::move(*guard));
  return guards;
}

std::optional<std::vector<Guard>> parseJsonGuards(llvm::StringRef text) {
  SourceText source{"guards", text};
  JsonReport report(source, 1);
  WholeSink sink(report);
  llvm::Error syntax = parseJson(source, sink);
  if (llvm::errorToBool(report.take(std::move(syntax))))
    return std::nullopt;
  return std::move(sink.guards);
}

void writeJsonGuards(llvm::raw_ostream &os, llvm::ArrayRef<Guard> guards) {
  os << '[';
  Separator separator;
  for (const Guard &guard : guards) {
    writeJsonString(os << separator.next() << "{\"fact\": \"" << guardFactName(guard.fact) << "\", \"of\": ", guard.of);
    os << ", \"value\": ";
    std::visit(ValueWriter{os}, guard.value);
    os << '}';
  }
  os << ']';
}

} // namespace ccgraph

#include "ccgraph/frontend/contract_file.h"

#include "contract/toml_value.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <limits>

namespace ccgraph {
namespace {

/// Collects the violations of one file.
class Findings {
public:
  explicit Findings(const SourceText &source) : source_(source) {}
  void add(size_t offset, std::string message, std::string repair = "") {
    Diagnostic diagnostic = diagnoseAt(source_, offset, std::move(message), std::move(repair));
    diagnostic.rule = "contract.value";
    diagnostics_.add(std::move(diagnostic));
  }
  /// Reports a value of a wrong kind, or a text that is no permitted word.
  void expected(const TomlValue &value, llvm::StringRef what) {
    std::string got = value.is(TomlValue::Kind::String)    ? "'" + visibleText(value.text()) + "'"
                      : value.is(TomlValue::Kind::Integer) ? std::to_string(value.integer())
                                                           : value.kindText().str();
    add(value.offset(), "'" + visibleText(value.key()) + "' is " + got + ", expected " + what.str());
  }
  [[nodiscard]] ContractPlace placeOf(const TomlValue &value) const {
    SourcePosition place = positionAt(source_, value.offset());
    return {place.line, place.column};
  }
  llvm::Error take() {
    return diagnostics_.hasErrors() ? makeError(diagnostics_.take()) : llvm::Error(llvm::Error::success());
  }

private:
  const SourceText &source_;
  Diagnostics diagnostics_;
};

/// What a key of a table means.
struct Key {
  llvm::StringRef name;
  std::function<void(const TomlValue &)> read;
};

/// Reads each member of a table by its key; reports keys that no table of this kind has.
void readMembers(const TomlValue &table, llvm::StringRef what, llvm::ArrayRef<Key> keys, Findings &findings) {
  std::vector<llvm::StringRef> names;
  for (const Key &key : keys)
    names.push_back(key.name);
  for (const TomlValue &member : table.elements()) {
    const Key *key = llvm::find_if(keys, [&](const Key &one) { return one.name == member.key(); });
    if (key != keys.end())
      key->read(member);
    else
      findings.add(member.offset(), what.str() + " has no key '" + visibleText(member.key()) + "'",
                   "the keys are " + llvm::join(names, ", "));
  }
}

// --- Values ----------------------------------------------------------------------------------------------------------

/// Returns the bytes of a text such as "24.5 GiB"; empty if it is none or exceeds 2^63 - 1.
std::optional<int64_t> parseBytes(llvm::StringRef text) {
  auto [number, unit] = text.split(' ');
  double value = 0;
  if (number.getAsDouble(value) || !(value >= 0))
    return std::nullopt;
  constexpr std::pair<llvm::StringLiteral, int> units[] = {
      {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  const auto *found = llvm::find_if(units, [&, wanted = unit](const auto &one) { return one.first == wanted; });
  if (found == std::end(units))
    return std::nullopt;
  double bytes = value * static_cast<double>(int64_t{1} << found->second);
  constexpr double limit = 9.2e18; // below 2^63
  return bytes < limit ? std::optional(static_cast<int64_t>(bytes)) : std::nullopt;
}

class Values {
public:
  explicit Values(Findings &findings) : findings_(findings) {}

  [[nodiscard]] std::string word(const TomlValue &value) {
    if (!value.is(TomlValue::Kind::String) || value.text().empty())
      findings_.expected(value, "a string that is not empty");
    return value.text();
  }

  [[nodiscard]] std::optional<int64_t> count(const TomlValue &value) {
    if (value.is(TomlValue::Kind::Integer) && value.integer() >= 0)
      return value.integer();
    findings_.expected(value, "a whole number from 0 on");
    return std::nullopt;
  }

  [[nodiscard]] std::optional<int64_t> bytes(const TomlValue &value) {
    if (value.is(TomlValue::Kind::Integer) && value.integer() >= 0)
      return value.integer();
    if (value.is(TomlValue::Kind::String))
      if (std::optional<int64_t> bytes = parseBytes(value.text()))
        return bytes;
    findings_.expected(value, "a number of bytes from 0 on, such as 1024 or \"1.5 GiB\"");
    return std::nullopt;
  }

  [[nodiscard]] std::optional<double> percent(const TomlValue &value) {
    bool isNumber = value.is(TomlValue::Kind::Integer) || value.is(TomlValue::Kind::Float);
    constexpr double all = 100;
    if (isNumber && value.number() >= 0 && value.number() <= all)
      return value.number();
    findings_.expected(value, "a number from 0 to 100");
    return std::nullopt;
  }

  using Number = std::optional<int64_t> (Values::*)(const TomlValue &);
  /// Reads a number, or a table of `min` and `max`.
  [[nodiscard]] std::optional<Bounds> bounds(const TomlValue &value, Number number) {
    if (!value.is(TomlValue::Kind::Table)) {
      std::optional<int64_t> exact = (this->*number)(value);
      return exact ? std::optional(Bounds::exactly(*exact)) : std::nullopt;
    }
    Bounds bounds;
    readMembers(value, "a range",
                {{"min", [&](const TomlValue &end) { bounds.least = (this->*number)(end); }},
                 {"max", [&](const TomlValue &end) { bounds.most = (this->*number)(end); }}},
                findings_);
    if (bounds.least && bounds.most && *bounds.least > *bounds.most)
      findings_.add(value.offset(), "'" + value.key() + "' has a min of " + std::to_string(*bounds.least) +
                                        " and a max of " + std::to_string(*bounds.most) +
                                        ", expected a min that is not above the max");
    return bounds;
  }

  /// Reads an array of words, each with `parse`.
  template <typename T>
  [[nodiscard]] std::vector<T> list(const TomlValue &value, llvm::function_ref<std::optional<T>(llvm::StringRef)> parse,
                                    llvm::StringRef what) {
    std::vector<T> all;
    if (!value.is(TomlValue::Kind::Array) || value.elements().empty())
      findings_.expected(value, "an array of " + what.str());
    for (const TomlValue &element : value.elements())
      if (std::optional<T> one = element.is(TomlValue::Kind::String) ? parse(element.text()) : std::nullopt)
        all.push_back(*one);
      else
        findings_.add(element.offset(),
                      "an element of '" + value.key() + "' is " +
                          (element.is(TomlValue::Kind::String) ? "'" + visibleText(element.text()) + "'"
                                                               : element.kindText().str()) +
                          ", expected one of " + what.str());
    return all;
  }

private:
  Findings &findings_;
};

// --- Tables ----------------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral dtypeWords = "dtypes as PyTorch prints them, such as \"bf16\" or \"f32\"";
constexpr llvm::StringLiteral reductionWords = "sum, avg, product, min, max, band, bor and bxor";

std::string kindWords() {
  std::vector<llvm::StringRef> names;
  for (auto kind = uint8_t{0}; kind <= static_cast<uint8_t>(CollectiveKind::Barrier); ++kind)
    names.push_back(collectiveName(static_cast<CollectiveKind>(kind)));
  return "one of " + llvm::join(names, ", ");
}

void readModule(const TomlValue &value, CollectiveRule &rule, Values &values, Findings &findings) {
  rule.module = values.word(value);
  llvm::SmallVector<llvm::StringRef, 8> components;
  llvm::StringRef(rule.module).split(components, '.');
  bool hasPartOfStar = llvm::any_of(components, [](llvm::StringRef one) { return one.contains('*') && one != "*"; });
  if (value.is(TomlValue::Kind::String) && (llvm::is_contained(components, "") || hasPartOfStar))
    findings.expected(value, "components with dots between them, each a name or *, such as \"layers.*.attention\"");
}

CollectiveRule readRule(const TomlValue &table, Findings &findings) {
  CollectiveRule rule;
  rule.place = findings.placeOf(table);
  Values values(findings);
  auto readKind = [&](const TomlValue &value) {
    rule.kind = parseCollectiveKind(value.text());
    if (!value.is(TomlValue::Kind::String) || !rule.kind)
      findings.expected(value, kindWords());
  };
  readMembers(
      table, "a collective",
      {{"graph", [&](const TomlValue &value) { rule.graph = values.word(value); }},
       {"module", [&](const TomlValue &value) { readModule(value, rule, values, findings); }},
       {"kind", readKind},
       {"group", [&](const TomlValue &value) { rule.group = values.word(value); }},
       {"count", [&](const TomlValue &value) { rule.count = values.bounds(value, &Values::count); }},
       {"bytes", [&](const TomlValue &value) { rule.bytes = values.bounds(value, &Values::bytes); }},
       {"dtypes",
        [&](const TomlValue &value) { rule.dtypes = values.list<DType>(value, parseShortDType, dtypeWords); }},
       {"reductions",
        [&](const TomlValue &value) { rule.reductions = values.list<ReduceOp>(value, parseReduceOp, reductionWords); }},
       {"modules", [&](const TomlValue &value) { rule.modules = values.bounds(value, &Values::count); }}},
      findings);
  if (!rule.count && !rule.bytes && rule.dtypes.empty() && rule.reductions.empty() && !rule.modules)
    findings.add(table.offset(), "this collective has no requirement",
                 "add at least one of count, bytes, dtypes, reductions and modules");
  return rule;
}

void readLimits(const TomlValue &table, Contract &contract, Findings &findings) {
  if (!table.is(TomlValue::Kind::Table))
    return findings.expected(table, "a table: [limits]");
  StepLimits &limits = contract.limits;
  limits.place = findings.placeOf(table);
  Values values(findings);
  auto counts = [&](std::optional<int64_t> &limit) {
    return [&](const TomlValue &value) { limit = values.count(value); };
  };
  readMembers(table, "[limits]",
              {{"missing_waits", counts(limits.missingWaits)},
               {"dead_waits", counts(limits.deadWaits)},
               {"dead_collectives", counts(limits.deadCollectives)},
               {"exposed_collectives", counts(limits.exposedCollectives)},
               {"exposed_percent", [&](const TomlValue &value) { limits.exposedPercent = values.percent(value); }},
               {"peak_bytes", [&](const TomlValue &value) { limits.peakBytes = values.bytes(value); }}},
              findings);
}

void readRules(const TomlValue &array, Contract &contract, Findings &findings) {
  if (!array.is(TomlValue::Kind::Array))
    return findings.expected(array, "an array of tables: [[collective]]");
  for (const TomlValue &table : array.elements())
    if (table.is(TomlValue::Kind::Table))
      contract.collectives.push_back(readRule(table, findings));
    else
      findings.add(table.offset(),
                   "an element of 'collective' is " + table.kindText().str() + ", expected a table: [[collective]]");
}

void readVersion(const TomlValue &value, Findings &findings) {
  if (!value.is(TomlValue::Kind::Integer) || value.integer() != 1)
    findings.expected(value, "1, the only version");
}

void readUnlisted(const TomlValue &value, Contract &contract, Findings &findings) {
  contract.allowsUnlisted = value.text() != "forbid";
  if (!value.is(TomlValue::Kind::String) || (value.text() != "allow" && value.text() != "forbid"))
    findings.expected(value, "\"allow\" or \"forbid\"");
}

} // namespace

llvm::Expected<Contract> readContract(const SourceText &source) {
  llvm::Expected<TomlValue> document = parseToml(source);
  if (!document)
    return document.takeError();
  Contract contract;
  contract.origin = source.name;
  Findings findings(source);
  readMembers(*document, "a contract",
              {{"version", [&](const TomlValue &value) { readVersion(value, findings); }},
               {"machine", [&](const TomlValue &value) { contract.machine = Values(findings).word(value); }},
               {"unlisted", [&](const TomlValue &value) { readUnlisted(value, contract, findings); }},
               {"limits", [&](const TomlValue &value) { readLimits(value, contract, findings); }},
               {"collective", [&](const TomlValue &value) { readRules(value, contract, findings); }}},
              findings);
  if (llvm::Error error = findings.take())
    return error;
  return contract;
}

} // namespace ccgraph

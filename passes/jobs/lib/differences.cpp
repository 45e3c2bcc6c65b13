#include "differences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::jobs {
namespace {

using Texts = std::vector<std::string>;

constexpr llvm::StringLiteral unknown = "?";

/// Adds a difference if the members state different values. An unknown value agrees with any value.
void compare(Rule rule, Texts stated, std::vector<Difference> &found) {
  auto isKnown = [](const std::string &text) { return !llvm::StringRef(text).contains(unknown); };
  auto first = llvm::find_if(stated, isKnown);
  if (first == stated.end() ||
      llvm::all_of(stated, [&](const std::string &text) { return text == *first || !isKnown(text); }))
    return;
  found.push_back({rule, minorityOf(stated), std::move(stated)});
}

template <typename State>
void compare(Rule rule, llvm::ArrayRef<const Call *> calls, State state, std::vector<Difference> &found) {
  Texts stated;
  for (const Call *call : calls)
    stated.push_back(state(*call));
  compare(rule, std::move(stated), found);
}

std::string dtypesOf(const Call &call) {
  Texts words;
  for (const CollectiveFingerprint::Row &row : call.rows)
    words.push_back(row.dtype ? shortName(*row.dtype).str() : unknown.str());
  return llvm::join(words, ", ");
}

std::string countsOf(const Call &call) {
  Texts words;
  for (const CollectiveFingerprint::Row &row : call.rows)
    words.push_back(row.elements ? std::to_string(*row.elements) : unknown.str());
  return words.empty() ? "no tensor" : llvm::join(words, ", ") + (words == Texts{"1"} ? " element" : " elements");
}

/// Elements that member `place` sends to each member, or expects of each; empty if unknown.
std::vector<int64_t> partsOf(const Call &call, size_t members, bool sends) {
  const std::vector<int64_t> &stated = sends ? call.sends : call.receives;
  std::optional<int64_t> total = sends ? call.rows.empty() ? std::nullopt : call.rows.front().elements : call.received;
  if (!call.isEven)
    return stated.size() == members ? stated : std::vector<int64_t>();
  if (!total)
    return {};
  return std::vector<int64_t>(members, *total / static_cast<int64_t>(members));
}

std::string partsText(const Call &call, size_t members) {
  auto text = [&](bool sends) {
    std::vector<int64_t> parts = partsOf(call, members, sends);
    constexpr size_t mostListed = 8;
    Texts words;
    for (int64_t part : llvm::ArrayRef<int64_t>(parts).take_front(mostListed))
      words.push_back(std::to_string(part));
    return "[" + llvm::join(words, ", ") + (parts.size() > mostListed ? ", ...]" : "]");
  };
  return "sends " + text(true) + ", expects " + text(false);
}

/// Returns true if all members state one number for all parts, as equal splits do.
bool areUniform(llvm::ArrayRef<std::vector<int64_t>> parts, int64_t value) {
  return llvm::all_of(
      parts, [&](const auto &list) { return llvm::all_of(list, [&](int64_t part) { return part == value; }); });
}

/// Returns true if members that all state `call` send and expect equal parts.
bool isUniform(const Call &call, size_t members) {
  std::vector<int64_t> sends = partsOf(call, members, true), receives = partsOf(call, members, false);
  return !sends.empty() && areUniform({sends, receives}, sends.front());
}

/// Member a sends b as many elements as b expects of a.
void compareSplits(llvm::ArrayRef<const Call *> calls, std::vector<Difference> &found) {
  if (llvm::is_splat(calls) && isUniform(*calls.front(), calls.size()))
    return;
  std::vector<std::vector<int64_t>> sends, receives;
  for (const Call *call : calls) {
    sends.push_back(partsOf(*call, calls.size(), true));
    receives.push_back(partsOf(*call, calls.size(), false));
  }
  std::vector<Id> common, all;
  bool isFirst = true;
  for (Id a = 0; a < calls.size(); ++a)
    for (Id b = 0; b < calls.size(); ++b) {
      if (sends[a].empty() || receives[b].empty() || sends[a][b] == receives[b][a])
        continue;
      std::vector<Id> pair = a == b ? std::vector<Id>{a} : std::vector<Id>{std::min(a, b), std::max(a, b)};
      all.insert(all.end(), pair.begin(), pair.end());
      if (isFirst)
        common = pair;
      llvm::erase_if(common, [&](Id member) { return !llvm::is_contained(pair, member); });
      isFirst = false;
    }
  if (isFirst)
    return;
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Texts stated;
  for (const Call *call : calls)
    stated.push_back(partsText(*call, calls.size()));
  found.push_back({Rule::Splits, common.size() == 1 ? common : all, std::move(stated)});
}

bool hasCounts(CollectiveKind kind) {
  return kind != CollectiveKind::AllToAll && kind != CollectiveKind::ShardDimAllToAll;
}

} // namespace

std::vector<Id> minorityOf(llvm::ArrayRef<std::string> values) {
  std::map<llvm::StringRef, size_t> counts;
  for (const std::string &value : values)
    ++counts[value];
  std::vector<Id> minority;
  for (Id i = 0; i < values.size(); ++i)
    if (2 * counts[values[i]] <= values.size())
      minority.push_back(i);
  return minority;
}

std::vector<Difference> differencesOf(llvm::ArrayRef<const Call *> calls) {
  std::vector<Difference> found;
  compare(
      Rule::Kind, calls, [](const Call &call) { return collectiveName(call.kind).str(); }, found);
  if (!found.empty())
    return found;
  auto number = [](std::optional<int64_t> value) { return value ? std::to_string(*value) : unknown.str(); };
  compare(
      Rule::Reduction, calls,
      [](const Call &call) { return call.reduceOp ? reduceOpName(*call.reduceOp).str() : unknown.str(); }, found);
  compare(Rule::DType, calls, dtypesOf, found);
  CollectiveKind kind = calls.front()->kind;
  if (hasCounts(kind))
    compare(Rule::Count, calls, countsOf, found);
  if (kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter)
    compare(
        Rule::Root, calls, [&](const Call &call) { return number(call.root); }, found);
  if (kind == CollectiveKind::AllToAll)
    compareSplits(calls, found);
  return found;
}

} // namespace ccgraph::jobs

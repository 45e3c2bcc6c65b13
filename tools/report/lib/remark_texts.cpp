#include "report/remark_texts.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/text.h"
#include "report/summary.h"

#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <tuple>

namespace ccgraph::report {

std::string distanceText(const PassRun &run) {
  std::vector<int64_t> distances;
  for (const Remark &remark : run.remarks)
    for (const auto &[name, value] : remark.args)
      if (remark.kind == RemarkKind::Moved && name == "positions")
        distances.push_back(std::strtoll(value.c_str(), nullptr, 10));
  if (distances.empty())
    return "";
  llvm::sort(distances);
  return ", by " + counted(static_cast<size_t>(distances[distances.size() / 2]), "position") + " (median), " +
         withCommas(distances.back()) + " at most";
}

std::string targetsText(const PassRun &run) {
  llvm::StringSet<> targets;
  for (const Remark &remark : run.remarks)
    for (const auto &[name, value] : remark.args)
      if (remark.kind == RemarkKind::Merged && name == "into")
        targets.insert(value);
  return targets.empty() ? "" : " into " + withCommas(static_cast<int64_t>(targets.size()));
}

/// If a pass left a node alone for lack of memory, the remark contains the missing bytes. The smallest number is what a
/// user must add for one node to move; the largest number is what any single one of them needs.
std::string shortageText(const PassRun &run, llvm::StringRef reason) {
  std::vector<int64_t> lacks;
  for (const Remark &remark : run.remarks)
    for (const auto &[name, value] : remark.args)
      if (remark.reason == reason && name == "lacks")
        lacks.push_back(std::strtoll(value.c_str(), nullptr, 10));
  if (lacks.empty())
    return "";
  auto [least, most] = std::minmax_element(lacks.begin(), lacks.end());
  if (*least == *most)
    return " (+" + bytesText(*least) + " would let " + (lacks.size() == 1 ? "it" : "each of them") + " move)";
  return " (+" + bytesText(*least) + " would let one of them move, +" + bytesText(*most) + " any)";
}

// Sorts by kind, and within a kind by frequency; ties are sorted by name, so that the same run always prints the same
// lines.
std::vector<RemarkCount> countRemarks(const PassRun &run) {
  llvm::StringMap<size_t> index;
  std::vector<RemarkCount> counts;
  for (const Remark &remark : run.remarks) {
    std::string key = remarkKindName(remark.kind).str() + " " + remark.reason;
    auto [entry, isNew] = index.try_emplace(key, counts.size());
    if (isNew)
      counts.push_back({remark.kind, remark.reason, 0});
    ++counts[entry->second].count;
  }
  llvm::sort(counts, [](const RemarkCount &a, const RemarkCount &b) {
    return std::make_tuple(a.kind, b.count, a.reason) < std::make_tuple(b.kind, a.count, b.reason);
  });
  return counts;
}

} // namespace ccgraph::report

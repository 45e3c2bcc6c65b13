// Durations: the measured or estimated times of the nodes of one graph.
//
// The key is the name of a node, so a table belongs to one graph. If the file contains the digest of that graph, users
// of the table can compare it. Passes may rely on the numbers only if every rank reads the same table.
//
// Ownership: owns its names. Failure: none. Cost: a look-up is a hash.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph {

/// Durations and schedules have picoseconds; statistics, remarks and files state nanoseconds.
inline constexpr int64_t picosecondsOfNs = 1000;

/// The source of a duration.
enum class DurationSource : uint8_t {
  /// measured on a device
  Measured,
  /// computed by another tool's model
  Estimated,
};
/// "measured", "estimated".
[[nodiscard]] llvm::StringRef durationSourceName(DurationSource source);

struct Duration {
  int64_t picoseconds = 0;
  DurationSource source = DurationSource::Measured;
  friend bool operator==(const Duration &, const Duration &) = default;
};

class Durations {
public:
  /// The source of the numbers, for messages: the path of a file.
  std::string origin;
  /// 64 hexadecimal digits (digest.h) of the graph to which they belong; empty if unknown
  std::string digest;

  /// Returns false if the name already has a duration, which stays.
  bool add(llvm::StringRef node, Duration duration) { return byName_.try_emplace(node, duration).second; }
  /// Returns null for a node without duration.
  [[nodiscard]] const Duration *find(llvm::StringRef node) const {
    auto found = byName_.find(node);
    return found == byName_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] size_t size() const { return byName_.size(); }
  /// Returns the names of all nodes, sorted.
  [[nodiscard]] std::vector<llvm::StringRef> names() const {
    std::vector<llvm::StringRef> names;
    for (const auto &entry : byName_)
      names.push_back(entry.first());
    std::sort(names.begin(), names.end());
    return names;
  }
  [[nodiscard]] bool empty() const { return byName_.empty() && byTarget_.empty(); }

  /// Adds to a table that contains operators and no nodes: the times of the calls of one operator, in program order.
  /// They apply to a graph that has the same number of calls of it.
  void addCall(llvm::StringRef target, Duration duration) { byTarget_[target].push_back(duration); }
  /// Returns null for an operator without durations.
  [[nodiscard]] const std::vector<Duration> *calls(llvm::StringRef target) const {
    auto found = byTarget_.find(target);
    return found == byTarget_.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Duration> byName_;
  llvm::StringMap<std::vector<Duration>> byTarget_;
};

} // namespace ccgraph

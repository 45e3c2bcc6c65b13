// Durations: how long the nodes of one program take, as somebody measured or estimated.
//
// The key is the name of a node, so a table belongs to one graph; where the file names the digest of
// that graph, whoever uses the table can hold it to it. Passes may rely on the numbers only where
// every rank reads the same table.
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

/// How a number came about.
enum class DurationSource : uint8_t {
  /// timed
  Measured,
  /// worked out by somebody else's model
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
  /// Where the numbers come from, for messages: the path of a file.
  std::string origin;
  /// 64 hexadecimal digits (digest.h) of the graph that they are of; empty where that is not said
  std::string digest;

  /// False: the name has one already, which stays.
  bool add(llvm::StringRef node, Duration duration) { return byName_.try_emplace(node, duration).second; }
  /// Null where nothing is known of the node.
  [[nodiscard]] const Duration *find(llvm::StringRef node) const {
    auto found = byName_.find(node);
    return found == byName_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] size_t size() const { return byName_.size(); }
  /// Of all nodes, sorted.
  [[nodiscard]] std::vector<llvm::StringRef> names() const {
    std::vector<llvm::StringRef> names;
    for (const auto &entry : byName_)
      names.push_back(entry.first());
    std::sort(names.begin(), names.end());
    return names;
  }
  [[nodiscard]] bool empty() const { return byName_.empty() && byTarget_.empty(); }

  /// For tables that know operators and no nodes: times of the calls of one operator, in program order. They hold for a
  /// graph that has as many calls of it.
  void addCall(llvm::StringRef target, Duration duration) { byTarget_[target].push_back(duration); }
  /// Null where nothing is known of the operator.
  [[nodiscard]] const std::vector<Duration> *calls(llvm::StringRef target) const {
    auto found = byTarget_.find(target);
    return found == byTarget_.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Duration> byName_;
  llvm::StringMap<std::vector<Duration>> byTarget_;
};

} // namespace ccgraph

// ProfileView: the events of one profile, with the calls of the graph that each may be.
//
// Ownership: refers to the profile and to the calls, which must outlive it. Failure: none. Cost: linear in the events
// to construct; a range of time is found by binary search.
#pragma once

#include "graph_calls.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::measured {

/// A part of a host thread, or of all threads, in nanoseconds.
struct HostWindow {
  int64_t begin = 0;
  int64_t end = 0;
  std::optional<int64_t> lane; ///< empty: all threads, since autograd runs the backward pass of a device on its own
};

/// An event that is the `number`-th call of `named` in its window.
struct FoundCall {
  const ProfileEvent *event = nullptr;
  const NamedCalls *named = nullptr;
  size_t number = 0;
  [[nodiscard]] llvm::ArrayRef<NodeIndex> nodes() const { return named->calls[number]; }
};

struct FoundCalls {
  std::vector<FoundCall> calls;             ///< in the order of time
  std::vector<const ProfileEvent *> others; ///< outermost events that are no call
};

class ProfileView {
public:
  ProfileView(const RankProfile &profile, const GraphCalls &graph);

  [[nodiscard]] const RankProfile &profile() const { return profile_; }
  [[nodiscard]] llvm::StringRef nameOf(const ProfileEvent &event) const { return profile_.nameOf(event); }
  /// Returns the calls that the event may be; null if none.
  [[nodiscard]] const NamedCalls *namedBy(const ProfileEvent &event) const;
  /// Returns the events that begin in the window and end in it, on its threads.
  [[nodiscard]] std::vector<const ProfileEvent *> hostEvents(const HostWindow &window) const;
  /// Returns the outermost calls of the window, whatever their number, and the outermost other events.
  [[nodiscard]] FoundCalls outermost(const HostWindow &window) const;
  /// Returns the calls of the window whose number is that of the graph; the rest are other events.
  [[nodiscard]] FoundCalls match(const HostWindow &window) const;
  /// Returns the events of the device that a call of its runtime launched.
  [[nodiscard]] llvm::ArrayRef<const ProfileEvent *> launchedBy(const ProfileEvent &launch) const;
  [[nodiscard]] bool onDevice() const { return onDevice_; }

private:
  void addOutermost(llvm::ArrayRef<const ProfileEvent *> ofThread, FoundCalls &found) const;

  const RankProfile &profile_;
  std::vector<const NamedCalls *> byName_; ///< by index of the name
  std::vector<const NamedCalls *> byNode_; ///< by index of the name, as that of a node
  llvm::DenseMap<int64_t, std::vector<const ProfileEvent *>> launched_;
  bool onDevice_ = false;
};

[[nodiscard]] bool isOnDevice(const ProfileEvent &event);

} // namespace ccgraph::measured

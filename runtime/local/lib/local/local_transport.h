// LocalTransport: collectives between ranks that are threads of one process. No byte is copied on the way.
//
// Ownership: all ranks' transports share one LocalMatches, which must outlive them. Failure: see Transport.
// Thread-safe between ranks; one rank's transport is used by one thread at a time. Cost: see local_match.h and
// movement.h.
#pragma once

#include "engine/transport.h"
#include "local/local_match.h"
#include "watch/watch.h"

#include <deque>
#include <map>

namespace ccgraph::runtime {

/// The matching calls of all ranks. Filled before the first run, by one thread.
class LocalMatches {
public:
  /// The match of the next call of this seat's group, or of its transfer.
  [[nodiscard]] LocalMatch &enrol(const CallSeat &seat, int64_t rank);
  /// Before each run.
  void reset();

private:
  struct Key {
    std::vector<int64_t> members;
    /// transfers: global ranks and tag; else -1, -1, 0
    int64_t from = -1;
    int64_t to = -1;
    int64_t tag = 0;
    friend auto operator<=>(const Key &, const Key &) = default; // NOLINT(modernize-use-nullptr): no pointer
  };
  struct Place {
    /// of a transfer: its two ends
    std::vector<int64_t> members;
    std::deque<LocalMatch> matches;
    /// by rank: calls enrolled
    std::map<int64_t, size_t> enrolled;
  };
  std::map<Key, Place> places_;
};

class LocalTransport final : public Transport {
public:
  LocalTransport(LocalMatches &matches, int64_t rank) : matches_(matches), rank_(rank) {}
  /// Called before each run with the watch to notify.
  void begin(Watch &watch);

  [[nodiscard]] Ticket enrol(const CallSeat &seat) override;
  [[nodiscard]] llvm::Error launch(Ticket ticket, const Launch &launch) override;
  [[nodiscard]] bool isReady(Ticket ticket) override;
  [[nodiscard]] llvm::Expected<bool> advance(Ticket ticket) override;
  [[nodiscard]] std::string waitText(Ticket ticket) const override;

private:
  struct Call {
    LocalMatch *match = nullptr;
    size_t member = 0;
    bool moved = false;
  };
  LocalMatches &matches_;
  int64_t rank_;
  Watch *watch_ = nullptr;
  std::vector<Call> calls_;
};

} // namespace ccgraph::runtime

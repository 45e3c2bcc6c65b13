// StoreRounds: rounds in which each rank of a job gives a text and gets those of all, over a store.
//
// In round N, rank R sets the key "round/N/R", waits for the keys of all ranks, reads them, and adds one to "read/N".
// Rank 0 returns only when all have read, and then deletes the keys: so a store that ends with rank 0 ends after the
// others, and a store holds the texts of one round.
//
// Ownership: shares the store. Failure: DiagnosticErrors of rule run.nccl, none later than the deadline: a rank that
// does not come or that is lost, or a text that is too long. Cost: a set, a wait and a get of all texts; on rank 0 also
// the wait for the others.
#pragma once

#include "ccgraph/runtime/store.h"

#include <functional>

namespace ccgraph::runtime {

/// Results of a job pass through its store, so the limits are wide if only processes of the job can write to it.
inline constexpr int64_t mostValueBytes = int64_t{1} << 36, mostStoreBytes = int64_t{1} << 40;

class StoreRounds {
public:
  struct Setup {
    /// null for a job of one rank
    std::shared_ptr<Store> store;
    size_t rank = 0;
    size_t ranks = 1;
    std::chrono::milliseconds deadline;
    /// before all keys
    std::string prefix = "";
    /// of the store, for messages
    std::string place = "";
    /// of one text; a longer one is an error before it is sent
    int64_t mostBytes = mostValueBytes;
    /// what to do where a text is longer
    std::string longerTexts = "";
    /// on rank 0: whether more ranks than these have ended their connections; empty: that is not known
    std::function<bool(size_t mayLeave)> hasLost = {};
  };
  explicit StoreRounds(Setup setup) : setup_(std::move(setup)) {}

  [[nodiscard]] llvm::Expected<std::vector<std::string>> gather(const std::string &own);

private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string keyOf(size_t rank) const;
  [[nodiscard]] llvm::Error awaitTexts(const std::vector<std::string> &keys, Clock::time_point until);
  [[nodiscard]] llvm::Error lookForTexts(const std::vector<std::string> &keys, Clock::time_point until);
  [[nodiscard]] llvm::Error awaitReaders(Clock::time_point until);
  [[nodiscard]] llvm::Error missing(const std::vector<std::string> &keys, bool isLost);
  [[nodiscard]] llvm::Error failed(const std::string &what) const;

  Setup setup_;
  size_t round_ = 0;
};

} // namespace ccgraph::runtime

#include "ccgraph/runtime/store.h"

#include "ccgraph/ir/text.h"

#include "stores/store_error.h"

namespace ccgraph::runtime {
namespace {

/// "0:00:03" and "0:00:03.500000", as Python prints a timedelta.
std::string durationText(Store::Milliseconds time) {
  int64_t all = time.count(), seconds = all / 1000;
  char text[64];
  std::snprintf(text, sizeof(text), "%lld:%02lld:%02lld", static_cast<long long>(seconds / 3600),
                static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60));
  std::string result = text;
  if (all % 1000 == 0)
    return result;
  std::snprintf(text, sizeof(text), ".%06lld", static_cast<long long>(all % 1000 * 1000));
  return result + text;
}

/// Shows the other ranks that this one has come.
std::string arrivalKey(const std::string &key, int64_t rank) { return key + ":rank/" + std::to_string(rank); }

std::string absentRanks(Store &store, const StoreBarrier &barrier, const std::string &key) {
  std::vector<int64_t> absent;
  for (int64_t rank = 0; rank < barrier.ranks; ++rank) {
    llvm::Expected<bool> came = store.check({arrivalKey(key, rank)});
    if (came && !*came)
      absent.push_back(rank);
    llvm::consumeError(came.takeError());
  }
  std::string names = absent.empty() ? "the other ranks" : ranksText(absent);
  return names + (absent.size() == 1 ? " has" : " have") +
         " not come: start all ranks of the group, all with this store";
}

llvm::Error missingRanks(Store &store, const StoreBarrier &barrier, const std::string &key, llvm::Error why) {
  llvm::Expected<int64_t> joined = store.add(key, 0);
  std::string count = joined ? std::to_string(*joined) : "unknown";
  // A server that does not answer this query would not answer others.
  std::string note = joined ? absentRanks(store, barrier, key) : messageOf(joined.takeError());
  return storeError("store.timeout",
                    "Timed out initializing process group in store based barrier on rank " +
                        std::to_string(barrier.rank) + ", for key: " + key +
                        " (world_size=" + std::to_string(barrier.ranks) + ", num_workers_joined=" + count +
                        ", timeout=" + durationText(barrier.timeout) + " error=" + messageOf(std::move(why)) + ")",
                    std::move(note));
}

} // namespace

// The last rank to come sets the second key, for which the others wait.
llvm::Error waitAtStoreBarrier(Store &store, const StoreBarrier &barrier) {
  std::string key = "store_based_barrier_key:" + barrier.group, last = key + ":last_worker";
  if (llvm::Error error = store.set(arrivalKey(key, barrier.rank), ""))
    return error;
  llvm::Expected<int64_t> joined = store.add(key, 1);
  if (!joined)
    return joined.takeError();
  if (*joined == barrier.ranks)
    return store.set(last, "1");
  llvm::Error error = store.wait({last}, barrier.timeout);
  if (error && ruleOf(error) == "store.timeout")
    return missingRanks(store, barrier, key, std::move(error));
  return error;
}

} // namespace ccgraph::runtime

#include "rendezvous/store_rounds.h"

#include "ccgraph/ir/text.h"

#include "rendezvous/rendezvous_error.h"
#include "stores/store_error.h"

#include <algorithm>
#include <thread>

namespace ccgraph::runtime {
namespace {

/// How long rank 0 waits before it looks again.
constexpr std::chrono::milliseconds lookInterval{1};

std::chrono::milliseconds leftUntil(std::chrono::steady_clock::time_point until) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds(1));
}

} // namespace

llvm::Error StoreRounds::failed(const std::string &what) const {
  return rendezvousError("rank " + std::to_string(setup_.rank) + ": " + what);
}

std::string StoreRounds::keyOf(size_t rank) const {
  return setup_.prefix + "round/" + std::to_string(round_) + "/" + std::to_string(rank);
}

llvm::Error StoreRounds::missing(const std::vector<std::string> &keys, bool isLost) {
  std::vector<int64_t> ranks;
  for (size_t rank = 0; rank != keys.size(); ++rank) {
    llvm::Expected<bool> isSet = setup_.store->check({keys[rank]});
    if (!isSet)
      return failed("has lost rank 0: " + messageOf(isSet.takeError()));
    if (!*isSet)
      ranks.push_back(static_cast<int64_t>(rank));
  }
  if (ranks.empty())
    return llvm::Error::success();
  if (isLost)
    return failed("has lost " + ranksText(ranks) + ": it has closed the connection");
  return failed(haveText(ranks) + " left nothing in " + setup_.place + " within " +
                std::to_string(setup_.deadline.count()) + " ms");
}

llvm::Error StoreRounds::awaitTexts(const std::vector<std::string> &keys, Clock::time_point until) {
  if (setup_.hasLost)
    return lookForTexts(keys, until);
  llvm::Error error = setup_.store->wait(keys, leftUntil(until));
  if (!error)
    return error;
  if (ruleOf(error) != "store.timeout")
    return failed("has lost rank 0: " + messageOf(std::move(error)));
  llvm::consumeError(std::move(error));
  return missing(keys, /*isLost=*/false);
}

/// Rank 0 looks for the keys and for lost ranks in turn.
llvm::Error StoreRounds::lookForTexts(const std::vector<std::string> &keys, Clock::time_point until) {
  for (;;) {
    llvm::Expected<bool> areSet = setup_.store->check(keys);
    if (!areSet)
      return failed(messageOf(areSet.takeError()));
    if (*areSet)
      return llvm::Error::success();
    bool isLost = setup_.hasLost(0);
    if (isLost || Clock::now() >= until)
      return missing(keys, isLost);
    std::this_thread::sleep_for(lookInterval);
  }
}

/// A rank that has read may end its connection. It counts itself before, so the count is read again where a connection
/// has ended.
llvm::Error StoreRounds::awaitReaders(Clock::time_point until) {
  std::string key = setup_.prefix + "read/" + std::to_string(round_);
  llvm::Expected<int64_t> readers = setup_.store->add(key, 1);
  while (readers && setup_.rank == 0 && *readers < static_cast<int64_t>(setup_.ranks)) {
    int64_t before = *readers;
    bool isLost = setup_.hasLost && setup_.hasLost(static_cast<size_t>(before - 1));
    readers = setup_.store->add(key, 0);
    if (readers && *readers == before && (isLost || Clock::now() >= until))
      return failed("has lost a rank, which has not read what the others gave");
    std::this_thread::sleep_for(lookInterval);
  }
  if (!readers)
    return failed("has lost rank 0: " + messageOf(readers.takeError()));
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> StoreRounds::gather(const std::string &own) {
  if (setup_.ranks == 1)
    return std::vector<std::string>{own};
  if (static_cast<int64_t>(own.size()) > setup_.mostBytes)
    return rendezvousError("rank " + std::to_string(setup_.rank) + ": gives a text of " + std::to_string(own.size()) +
                               " bytes to the other ranks, expected at most " + std::to_string(setup_.mostBytes),
                           setup_.longerTexts);
  Clock::time_point until = Clock::now() + setup_.deadline;
  std::vector<std::string> keys;
  for (size_t rank = 0; rank != setup_.ranks; ++rank)
    keys.push_back(keyOf(rank));
  if (llvm::Error error = setup_.store->set(keys[setup_.rank], own))
    return failed("has lost rank 0: " + messageOf(std::move(error)));
  if (llvm::Error error = awaitTexts(keys, until))
    return error;
  llvm::Expected<std::vector<std::string>> texts = setup_.store->multiGet(keys);
  if (!texts)
    return failed("has lost rank 0: " + messageOf(texts.takeError()));
  if (llvm::Error error = awaitReaders(until))
    return error;
  for (size_t rank = 0; setup_.rank == 0 && rank != setup_.ranks; ++rank)
    llvm::consumeError(setup_.store->deleteKey(keys[rank]).takeError());
  ++round_;
  return texts;
}

} // namespace ccgraph::runtime

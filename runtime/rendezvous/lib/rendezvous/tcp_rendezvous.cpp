#include "rendezvous/tcp_rendezvous.h"

#include "rendezvous/rendezvous_error.h"
#include "stores/sockets.h"
#include "stores/store_error.h"
#include "stores/tcp_client.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <thread>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

constexpr const char *joinRepair =
    "start a process for each rank, all with the address of rank 0's host, and each job with a port of its own "
    "(--job-address HOST:PORT)";

std::string namedJob(llvm::StringRef job) { return job.empty() ? "a job without a name" : ("job '" + job + "'").str(); }

/// 64 hexadecimal digits; empty for no token. So the token itself is not sent.
std::string digestOf(llvm::StringRef token) {
  if (token.empty())
    return "";
  llvm::SHA256 digest;
  digest.update(token);
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

/// Without a token, any process may send a value, so a value is no larger than in other stores.
StoreLimits limitsOf(llvm::StringRef token) {
  return token.empty() ? StoreLimits() : StoreLimits{.valueBytes = mostValueBytes, .totalBytes = mostStoreBytes};
}

/// The system's reason in the words of torch.distributed, which end in "message: REASON".
std::string reasonOf(llvm::Error error) {
  std::string text = messageOf(std::move(error));
  llvm::StringRef reason = llvm::StringRef(text).rsplit("message: ").second;
  return reason.empty() ? text : reason.str();
}

std::string hereKey(size_t rank) { return "here/" + std::to_string(rank); }

} // namespace

llvm::Expected<std::pair<std::string, uint16_t>> TcpRendezvous::parse(llvm::StringRef address) {
  auto [host, text] = address.rsplit(':');
  uint16_t port = 0;
  if (address.contains(':') && !text.getAsInteger(10, port) && port != 0)
    return std::pair(host.empty() ? "localhost" : host.str(), port);
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "got '" + address + "', expected HOST:PORT with a port from 1 to 65535");
}

llvm::Error TcpRendezvous::failed(const llvm::Twine &what, const std::string &repair) const {
  return rendezvousError(("rank " + llvm::Twine(setup_.rank) + ": " + what).str(), repair);
}

llvm::Error TcpRendezvous::rejected(const llvm::Twine &why) const {
  return failed("is rejected at " + addressText() + ": " + why, joinRepair);
}

llvm::Expected<std::unique_ptr<TcpRendezvous>> TcpRendezvous::join(const Setup &setup) {
  std::unique_ptr<TcpRendezvous> joined(new TcpRendezvous(setup));
  StoreRounds::Setup rounds{.store = nullptr, .rank = setup.rank, .ranks = setup.ranks, .deadline = setup.deadline};
  if (setup.ranks != 1) {
    if (llvm::Error error = setup.rank == 0 ? joined->acceptOthers() : joined->findRankZero())
      return error;
    rounds.store = joined->store_;
    rounds.place = joined->addressText();
    rounds.mostBytes = limitsOf(setup.token).valueBytes;
    if (setup.token.empty())
      rounds.longerTexts = "give all processes of the job the same token (CCGRAPH_JOB_TOKEN): without one, any process "
                           "that reaches the port may send as much";
    if (setup.rank == 0)
      rounds.hasLost = [store = joined->store_, ranks = setup.ranks](size_t mayLeave) {
        return store->numGreeted() + mayLeave < ranks;
      };
  }
  joined->rounds_.emplace(std::move(rounds));
  return joined;
}

TcpStoreSetup TcpRendezvous::storeSetup() const {
  return {.host = setup_.host,
          .port = setup_.port,
          .isServer = setup_.rank == 0,
          .timeout = setup_.deadline,
          .secret = digestOf(setup_.token),
          .limits = limitsOf(setup_.token)};
}

llvm::Error TcpRendezvous::acceptOthers() {
  llvm::Expected<std::shared_ptr<TcpStore>> store = openTcpStore(storeSetup());
  if (!store)
    return failed(
        "cannot listen on " + addressText() + ": " + reasonOf(store.takeError()),
        "give an address of the host of rank 0, and each job of a host a port of its own (--job-address HOST:PORT)");
  store_ = std::move(*store);
  std::vector<std::string> keys;
  for (size_t rank = 1; rank != setup_.ranks; ++rank)
    keys.push_back(hereKey(rank));
  llvm::Error error = store_->multiSet({"job", "ranks"}, {setup_.job, std::to_string(setup_.ranks)});
  if (!error)
    error = store_->wait(keys, setup_.deadline);
  if (!error)
    return error;
  llvm::consumeError(std::move(error));
  std::vector<int64_t> missing;
  for (size_t rank = 1; rank != setup_.ranks; ++rank)
    if (llvm::Expected<bool> isHere = store_->check({hereKey(rank)}); !isHere || !*isHere) {
      llvm::consumeError(isHere.takeError());
      missing.push_back(static_cast<int64_t>(rank));
    }
  return failed(haveText(missing) + " not reached " + addressText() + " within " +
                    llvm::Twine(setup_.deadline.count()) + " ms",
                "start a process for each rank, all with this host's address; a firewall may block the connection");
}

llvm::Error TcpRendezvous::findRankZero() {
  Clock::time_point until = Clock::now() + setup_.deadline;
  while (Clock::now() < until) {
    llvm::Expected<std::optional<int>> attempt = connectSocket(setup_.host, setup_.port, until);
    if (!attempt)
      return failed("cannot find " + setup_.host + ": " + llvm::toString(attempt.takeError()), joinRepair);
    if (*attempt) {
      ::close(**attempt);
      llvm::Expected<std::shared_ptr<TcpStore>> store = openTcpStore(storeSetup());
      if (store) {
        store_ = std::move(*store);
        return introduce();
      }
      // Rank 0 may have been about to end, or may not have started; so other errors are retried until the deadline.
      if (llvm::StringRef(messageOf(store.takeError())).contains(droppedText))
        return rejected("a job with another token listens there");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return failed("rank 0 has not reached " + addressText() + " within " + llvm::Twine(setup_.deadline.count()) + " ms",
                joinRepair);
}

/// Compares the job, and counts this rank.
llvm::Error TcpRendezvous::introduce() {
  llvm::Expected<std::vector<std::string>> job = store_->multiGet({"job", "ranks"});
  if (!job)
    return failed("has lost rank 0: " + messageOf(job.takeError()));
  if ((*job)[0] != setup_.job)
    return rejected("there listens " + namedJob((*job)[0]) + ", and this process is of " + namedJob(setup_.job));
  if ((*job)[1] != std::to_string(setup_.ranks))
    return rejected("there listens a job of " + (*job)[1] + " ranks, and this is rank " + llvm::Twine(setup_.rank) +
                    " of " + llvm::Twine(setup_.ranks));
  llvm::Expected<int64_t> count = store_->add(hereKey(setup_.rank), 1);
  if (!count)
    return failed("has lost rank 0: " + messageOf(count.takeError()));
  return *count == 1 ? llvm::Error::success() : rejected("a rank " + llvm::Twine(setup_.rank) + " has come already");
}

llvm::Expected<std::vector<std::string>> TcpRendezvous::gather(const std::string &own) { return rounds_->gather(own); }

} // namespace ccgraph::runtime

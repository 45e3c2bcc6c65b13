#include "rendezvous/tcp_rendezvous.h"

#include "ccgraph/ir/text.h"

#include "rendezvous/rendezvous_error.h"
#include "stores/sockets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <numeric>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

using Clock = Connection::Clock;

/// The first word of a greeting; other programs do not send it.
constexpr llvm::StringLiteral greeting = "ccgraph job 2";
constexpr llvm::StringLiteral accepted = "accepted";
constexpr uint64_t longestHello = 4096;

std::string namedJob(llvm::StringRef job) { return job.empty() ? "a job without a name" : ("job '" + job + "'").str(); }

/// 64 hexadecimal digits: a token may hold any bytes, and a hello has lines.
std::string digestOf(llvm::StringRef token) {
  llvm::SHA256 digest;
  digest.update(token);
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

/// Texts one after another, as one message.
std::string joined(llvm::ArrayRef<std::string> texts) {
  std::string all;
  for (const std::string &text : texts)
    all += std::to_string(text.size()) + "\n" + text;
  return all;
}
std::vector<std::string> parted(llvm::StringRef all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    auto [length, rest] = all.split('\n');
    size_t size = 0;
    length.getAsInteger(10, size);
    texts.push_back(rest.take_front(size).str());
    all = rest.drop_front(std::min(size, rest.size()));
  }
  return texts;
}

struct Listener {
  int socket;
  explicit Listener(int socket) : socket(socket) {}
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;
  ~Listener() { ::close(socket); }
};

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

llvm::Expected<std::unique_ptr<TcpRendezvous>> TcpRendezvous::join(const Setup &setup) {
  std::unique_ptr<TcpRendezvous> port(new TcpRendezvous(setup));
  if (setup.ranks == 1)
    return port;
  if (llvm::Error error = setup.rank == 0 ? port->acceptOthers() : port->findRankZero())
    return error;
  return port;
}

// --- Rank 0 ---------------------------------------------------------------------------------------------------

llvm::Error TcpRendezvous::acceptOthers() {
  llvm::Expected<int> opened = listenOn(setup_.host, setup_.port);
  if (!opened)
    return failed(
        "cannot listen on " + addressText() + ": " + llvm::toString(opened.takeError()),
        "give an address of the host of rank 0, and each job of a host a port of its own (--job-address HOST:PORT)");
  Listener listener(*opened);
  std::vector<Connection> callers;
  Clock::time_point until = Clock::now() + setup_.deadline;
  auto isMissing = [&](size_t rank) { return !peers_[rank].isOpen(); };
  std::vector<size_t> others(setup_.ranks - 1);
  std::iota(others.begin(), others.end(), 1);
  while (llvm::any_of(others, isMissing)) {
    std::vector<pollfd> asked = {{listener.socket, POLLIN, 0}};
    for (const Connection &caller : callers)
      asked.push_back({caller.socket(), POLLIN, 0});
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0)
      break;
    (void)::poll(asked.data(), asked.size(), static_cast<int>(std::min<int64_t>(left, 1000)));
    while (std::optional<Connection> caller = acceptFrom(listener.socket))
      callers.push_back(std::move(*caller));
    for (Connection &caller : callers)
      greet(caller);
    llvm::erase_if(callers, [](const Connection &caller) { return !caller.isOpen(); });
  }
  llvm::erase_if(others, [&](size_t rank) { return !isMissing(rank); });
  if (others.empty())
    return llvm::Error::success();
  return failed(ranksText({others.begin(), others.end()}) + (others.size() == 1 ? " has" : " have") + " not reached " +
                    addressText() + " within " + llvm::Twine(setup_.deadline.count()) + " ms",
                "start a process for each rank, all with this host's address; a firewall may block the connection");
}

// A caller stays where its hello has not come yet; it becomes a peer, or is told what is wrong.
void TcpRendezvous::greet(Connection &caller) {
  llvm::Expected<std::optional<std::string>> hello = caller.poll(longestHello);
  if (!hello) {
    llvm::consumeError(hello.takeError());
    return caller.close();
  }
  if (!*hello)
    return;
  size_t rank = 0;
  std::string wrong = whatIsWrong(**hello, rank);
  // The message is short, so the system accepts it immediately; a caller that does not read it is not a peer.
  llvm::Error error = caller.send(wrong.empty() ? accepted.str() : wrong, Clock::now());
  if (wrong.empty() && !error)
    peers_[rank] = std::move(caller);
  caller.close();
  llvm::consumeError(std::move(error));
}

std::string TcpRendezvous::whatIsWrong(llvm::StringRef hello, size_t &rank) const {
  llvm::SmallVector<llvm::StringRef, 4> lines;
  hello.split(lines, '\n', 4);
  size_t ranks = 0;
  if (lines.size() != 5 || lines[0] != greeting || lines[1].getAsInteger(10, rank) || lines[2].getAsInteger(10, ranks))
    return "a process of another version listens there";
  // A caller without the token receives no information about the job.
  if (lines[3] != digestOf(setup_.token))
    return "a job with another token listens there";
  if (lines[4] != setup_.job)
    return "there listens " + namedJob(setup_.job) + ", and this process is of " + namedJob(lines[4]);
  if (ranks != setup_.ranks || rank == 0 || rank >= setup_.ranks)
    return "there listens a job of " + std::to_string(setup_.ranks) + " ranks, and this is rank " +
           std::to_string(rank) + " of " + std::to_string(ranks);
  if (peers_[rank].isOpen())
    return "a rank " + std::to_string(rank) + " has come already";
  return "";
}

// --- Others ---------------------------------------------------------------------------------------------------

llvm::Error TcpRendezvous::findRankZero() {
  const std::string repair =
      "start a process for each rank, all with the address of rank 0's host, and each job with a port of its own "
      "(--job-address HOST:PORT)";
  Clock::time_point until = Clock::now() + setup_.deadline;
  while (Clock::now() < until) {
    llvm::Expected<std::optional<Connection>> made = connectTo(setup_.host, setup_.port, until);
    if (!made)
      return failed("cannot find " + setup_.host + ": " + llvm::toString(made.takeError()), repair);
    if (*made) {
      llvm::Expected<std::string> answer = sayHello(**made, until);
      if (!answer) {
        // Rank 0 may have been about to end, or may not have started; so connections are retried until the deadline.
        llvm::consumeError(answer.takeError());
      } else if (*answer == accepted) {
        peers_[0] = std::move(**made);
        return llvm::Error::success();
      } else {
        return failed("is rejected at " + addressText() + ": " + *answer, repair);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return failed("rank 0 has not reached " + addressText() + " within " + llvm::Twine(setup_.deadline.count()) + " ms",
                repair);
}

llvm::Expected<std::string> TcpRendezvous::sayHello(Connection &to, Clock::time_point until) const {
  std::string hello = greeting.str() + "\n" + std::to_string(setup_.rank) + "\n" + std::to_string(setup_.ranks) + "\n" +
                      digestOf(setup_.token) + "\n" + setup_.job;
  if (llvm::Error error = to.send(hello, until))
    return error;
  return to.receive(until);
}

// --- Rendezvous --------------------------------------------------------------------------------------------------

llvm::Expected<std::vector<std::string>> TcpRendezvous::gather(const std::string &own) {
  if (setup_.ranks == 1)
    return std::vector<std::string>{own};
  Clock::time_point until = Clock::now() + setup_.deadline;
  return setup_.rank == 0 ? gatherHere(own, until) : gatherThere(own, until);
}

llvm::Expected<std::vector<std::string>> TcpRendezvous::gatherHere(const std::string &own, Clock::time_point until) {
  std::vector<std::string> texts = {own};
  for (size_t rank = 1; rank < setup_.ranks; ++rank) {
    llvm::Expected<std::string> text = peers_[rank].receive(until);
    if (!text)
      return failed("has lost rank " + llvm::Twine(rank) + ": " + llvm::toString(text.takeError()));
    texts.push_back(std::move(*text));
  }
  std::string all = joined(texts);
  for (size_t rank = 1; rank < setup_.ranks; ++rank)
    if (llvm::Error error = peers_[rank].send(all, until))
      return failed("has lost rank " + llvm::Twine(rank) + ": " + llvm::toString(std::move(error)));
  return texts;
}

llvm::Expected<std::vector<std::string>> TcpRendezvous::gatherThere(const std::string &own, Clock::time_point until) {
  llvm::Error error = peers_[0].send(own, until);
  llvm::Expected<std::string> all = error ? llvm::Expected<std::string>(std::move(error)) : peers_[0].receive(until);
  if (!all)
    return failed("has lost rank 0: " + llvm::toString(all.takeError()));
  std::vector<std::string> texts = parted(*all);
  if (texts.size() == setup_.ranks)
    return texts;
  return failed("got " + llvm::Twine(texts.size()) + " texts of rank 0, expected " + llvm::Twine(setup_.ranks));
}

} // namespace ccgraph::runtime

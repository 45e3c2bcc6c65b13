#include "stores/tcp_server.h"

#include "stores/sockets.h"
#include "stores/store_error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

void closeIfOpen(int &file) {
  if (file >= 0)
    ::close(std::exchange(file, -1));
}

/// In the words of torch.distributed.
llvm::Error notListening(const TcpStoreSetup &setup, llvm::Error why) {
  std::string where = "port:" + std::to_string(setup.port) + ", host: " + setup.host;
  std::string cause;
  llvm::handleAllErrors(
      std::move(why),
      [&](const llvm::ECError &system) {
        int code = system.convertToErrorCode().value();
        const char *name = strerrorname_np(code);
        cause = ", code: -" + std::to_string(code) + ", name: " + (name ? name : "unknown") +
                ", message: " + system.message();
      },
      [&](const llvm::ErrorInfoBase &other) { cause = ", message: " + other.message(); });
  return storeError("store.network",
                    "The server socket has failed to listen on any local network address. " + where + cause,
                    "give an address of this machine, and a port that no other process uses");
}

} // namespace

TcpServer::TcpServer(const TcpStoreSetup &setup, int listener)
    : mostClients_(setup.mostClients), listener_(listener), service_({setup.limits, setup.secret}) {}

llvm::Expected<std::shared_ptr<TcpServer>> TcpServer::start(const TcpStoreSetup &setup) {
  llvm::Expected<int> listener = listenOn(setup.host, setup.port);
  if (!listener)
    return notListening(setup, listener.takeError());
  std::shared_ptr<TcpServer> server(new TcpServer(setup, *listener));
  if (llvm::Error error = server->open())
    return notListening(setup, std::move(error));
  return server;
}

llvm::Error TcpServer::open() {
  port_ = portOf(listener_);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || stop_ < 0)
    return llvm::errorCodeToError({errno, std::generic_category()});
  watch(stop_, stopId, EPOLLIN, EPOLL_CTL_ADD);
  watch(listener_, listenerId, 0, EPOLL_CTL_ADD);
  listen(true);
  thread_ = std::thread([this] { serve(); });
  return llvm::Error::success();
}

TcpServer::~TcpServer() {
  if (thread_.joinable()) {
    uint64_t one = 1;
    while (::write(stop_, &one, sizeof(one)) < 0 && errno == EINTR)
      continue;
    thread_.join();
  }
  for (auto &[id, client] : clients_)
    closeIfOpen(client.socket);
  closeIfOpen(listener_);
  closeIfOpen(epoll_);
  closeIfOpen(stop_);
}

std::vector<DroppedClient> TcpServer::drops() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return {drops_.begin(), drops_.end()};
}

int64_t TcpServer::bytesHeld() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return service_.data().bytes();
}

size_t TcpServer::numClients() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return clients_.size();
}

size_t TcpServer::numGreeted() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return service_.numGreeted();
}

// --- The thread ------------------------------------------------------------------------------------------------------

void TcpServer::serve() {
  std::array<epoll_event, 256> events{};
  for (;;) {
    int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
    std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < count; ++i) {
      Id id = events[static_cast<size_t>(i)].data.u64;
      if (id == stopId)
        return;
      if (id == listenerId)
        acceptAll();
      else if ((events[static_cast<size_t>(i)].events & EPOLLOUT) != 0)
        flush(id);
      else
        read(id);
    }
    for (Id id : service_.takeTouched())
      flush(id);
  }
}

void TcpServer::watch(int socket, Id id, uint32_t events, int change) const {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  (void)epoll_ctl(epoll_, change, socket, &event);
}

void TcpServer::listen(bool listens) {
  if (listens == listens_)
    return;
  listens_ = listens;
  watch(listener_, listenerId, listens ? uint32_t{EPOLLIN} : uint32_t{0}, EPOLL_CTL_MOD);
}

// Where no further connection is possible, the listener rests until one ends. Otherwise epoll would report it forever.
void TcpServer::acceptAll() {
  for (;;) {
    if (clients_.size() >= mostClients_)
      return listen(false);
    int made = acceptSocket(listener_);
    if (made < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        listen(clients_.empty());
      return;
    }
    Id id = next_++;
    clients_[id] = {made, peerOf(made)};
    service_.connect(id);
    watch(made, id, EPOLLIN, EPOLL_CTL_ADD);
  }
}

void TcpServer::read(Id id) {
  auto found = clients_.find(id);
  if (found == clients_.end())
    return;
  char bytes[1 << 16];
  ssize_t count = ::recv(found->second.socket, bytes, sizeof(bytes), 0);
  if (count > 0)
    return service_.receive(id, {bytes, static_cast<size_t>(count)});
  bool again = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (!again)
    end(id, "");
}

void TcpServer::flush(Id id) {
  auto found = clients_.find(id);
  if (found == clients_.end())
    return;
  Client &client = found->second;
  std::string &output = service_.output(id);
  llvm::StringRef rest = llvm::StringRef(output).drop_front(client.sent);
  ssize_t count = rest.empty() ? 0 : ::send(client.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
  bool again = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (count < 0 && !again)
    return end(id, service_.dropReason(id));
  client.sent += static_cast<size_t>(std::max<ssize_t>(count, 0));
  if (client.sent == output.size()) {
    output = std::string();
    client.sent = 0;
  }
  // A dropped client gets what the system takes at once; a client that does not read must not hold the server.
  if (!service_.dropReason(id).empty())
    return end(id, service_.dropReason(id));
  if (client.writes != output.empty())
    return;
  client.writes = !output.empty();
  // While a client does not read, its queries are not read either.
  watch(client.socket, id, client.writes ? EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
}

void TcpServer::end(Id id, const std::string &reason) {
  auto found = clients_.find(id);
  if (!reason.empty())
    note(found->second.address, reason);
  closeIfOpen(found->second.socket);
  clients_.erase(found);
  service_.disconnect(id);
  listen(true);
}

void TcpServer::note(std::string address, std::string reason) {
  drops_.push_back({std::move(address), std::move(reason)});
  if (drops_.size() > mostDrops)
    drops_.pop_front();
}

} // namespace ccgraph::runtime

#include "rendezvous/connection.h"

#include "llvm/Support/Endian.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

constexpr size_t lengthBytes = 8;

llvm::Error broken(const char *why) { return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", why); }
llvm::Error brokenBySystem() { return broken(std::strerror(errno)); }
bool wouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

std::string lengthOf(llvm::StringRef message) {
  char bytes[lengthBytes];
  llvm::support::endian::write64le(bytes, message.size());
  return {bytes, lengthBytes};
}

} // namespace

void Connection::close() {
  if (isOpen())
    ::close(std::exchange(socket_, -1));
}

bool Connection::await(int socket, short events, Clock::time_point until) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0)
      return false;
    pollfd asked{socket, events, 0};
    // A deadline may be longer than the system's largest number of milliseconds.
    int ready = ::poll(&asked, 1, static_cast<int>(std::min<int64_t>(left, 60000)));
    if (ready > 0)
      return true;
    if (ready < 0 && errno != EINTR)
      return false;
  }
}

llvm::Error Connection::send(llvm::StringRef message, Clock::time_point until) {
  std::string bytes = lengthOf(message) + message.str();
  for (size_t sent = 0; sent < bytes.size();) {
    ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
      continue;
    }
    if (!wouldBlock())
      return brokenBySystem();
    if (!await(socket_, POLLOUT, until))
      return broken("it takes nothing");
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<std::string>> Connection::poll(uint64_t most) {
  for (;;) {
    uint64_t wanted = lengthBytes;
    if (read_.size() >= lengthBytes) {
      uint64_t length = llvm::support::endian::read64le(read_.data());
      if (length > most)
        return broken("it sent bytes that are no message");
      wanted += length;
    }
    if (read_.size() == wanted && wanted > lengthBytes)
      return std::exchange(read_, {}).substr(lengthBytes);
    if (read_.size() == wanted && llvm::support::endian::read64le(read_.data()) == 0)
      return std::exchange(read_, {}).substr(lengthBytes);
    char bytes[1 << 16];
    ssize_t count = ::recv(socket_, bytes, std::min<uint64_t>(sizeof(bytes), wanted - read_.size()), 0);
    if (count == 0)
      return broken("it has closed the connection");
    if (count < 0 && wouldBlock())
      return std::nullopt;
    if (count < 0)
      return brokenBySystem();
    read_.append(bytes, static_cast<size_t>(count));
  }
}

llvm::Expected<std::string> Connection::receive(Clock::time_point until) {
  for (;;) {
    llvm::Expected<std::optional<std::string>> message = poll(UINT64_MAX - lengthBytes);
    if (!message)
      return message.takeError();
    if (*message)
      return std::move(**message);
    if (!await(socket_, POLLIN, until))
      return broken("it sent nothing");
  }
}

// --- Sockets --------------------------------------------------------------------------------------------------

/// Returns -1 where the system fails; errno has the reason.
static int openListener(const addrinfo &address) {
  int listener = socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0)
    return -1;
  int on = 1;
  // Remaining connections of an ended job must not block this one.
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(listener, address.ai_addr, address.ai_addrlen) == 0 && listen(listener, SOMAXCONN) == 0)
    return listener;
  int error = errno;
  ::close(listener);
  errno = error;
  return -1;
}

// A name may have several addresses, such as ::1 and 127.0.0.1. A connecting process tries all of them, so the first
// address with a free port is used.
llvm::Expected<int> listenOn(const std::string &host, uint16_t port) {
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found))
    return broken(gai_strerror(code));
  int listener = -1;
  for (const addrinfo *address = found; address && listener < 0; address = address->ai_next) {
    listener = openListener(*address);
    if (listener < 0 && errno == EADDRINUSE) // a port of another job: the next address is of the same host
      break;
  }
  int error = errno;
  freeaddrinfo(found);
  if (listener >= 0)
    return listener;
  errno = error;
  return brokenBySystem();
}

static void sendAtOnce(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

std::optional<Connection> acceptFrom(int listener) {
  int made = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (made < 0)
    return std::nullopt;
  sendAtOnce(made);
  return Connection(made);
}

static bool isConnected(int socket, const addrinfo &address, Connection::Clock::time_point until) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0)
    return true;
  if (errno != EINPROGRESS || !Connection::await(socket, POLLOUT, until))
    return false;
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

llvm::Expected<std::optional<Connection>> connectTo(const std::string &host, uint16_t port,
                                                    Connection::Clock::time_point until) {
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found))
    return broken(gai_strerror(code));
  std::optional<Connection> made;
  for (const addrinfo *address = found; address && !made; address = address->ai_next) {
    Connection tried(::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!tried.isOpen() || !isConnected(tried.socket(), *address, until))
      continue;
    sendAtOnce(tried.socket());
    made = std::move(tried);
  }
  freeaddrinfo(found);
  return made;
}

} // namespace ccgraph::runtime

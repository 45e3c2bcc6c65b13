#include "stores/sockets.h"

#include <algorithm>
#include <cerrno>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

llvm::Error systemError() { return llvm::errorCodeToError({errno, std::generic_category()}); }
llvm::Error unknownHost(int code) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", gai_strerror(code));
}

/// Returns -1 where the system fails; errno has the reason.
int openListener(const addrinfo &address) {
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

void sendAtOnce(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool isConnected(int socket, const addrinfo &address, SocketClock::time_point until) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0)
    return true;
  if (errno != EINPROGRESS || !awaitSocket(socket, POLLOUT, until))
    return false;
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

} // namespace

bool awaitSocket(int socket, short events, SocketClock::time_point until) {
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - SocketClock::now()).count();
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

// A name may have several addresses, such as ::1 and 127.0.0.1. A connecting process tries all of them, so the first
// address with a free port is used.
llvm::Expected<int> listenOn(const std::string &host, uint16_t port) {
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found))
    return unknownHost(code);
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
  return systemError();
}

int acceptSocket(int listener) {
  int made = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (made >= 0)
    sendAtOnce(made);
  return made;
}

llvm::Expected<std::optional<int>> connectSocket(const std::string &host, uint16_t port,
                                                 SocketClock::time_point until) {
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found))
    return unknownHost(code);
  std::optional<int> made;
  for (const addrinfo *address = found; address && !made; address = address->ai_next) {
    int tried = ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (tried < 0)
      continue;
    if (!isConnected(tried, *address, until)) {
      ::close(tried);
      continue;
    }
    sendAtOnce(tried);
    made = tried;
  }
  freeaddrinfo(found);
  return made;
}

namespace {

/// The two parts of a socket's address, as numbers.
std::pair<std::string, std::string> numbersOf(const sockaddr_storage &address, socklen_t size) {
  char host[NI_MAXHOST], service[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<const sockaddr *>(&address), size, host, sizeof(host), service, sizeof(service),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {"unknown", "0"};
  return {host, service};
}

} // namespace

uint16_t portOf(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    return 0;
  return static_cast<uint16_t>(std::stoi(numbersOf(address, size).second));
}

std::string peerOf(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (getpeername(socket, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    return "unknown";
  auto [host, service] = numbersOf(address, size);
  return host + ":" + service;
}

} // namespace ccgraph::runtime

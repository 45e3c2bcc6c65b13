#include "rendezvous/connection.h"

#include "stores/sockets.h"

#include "llvm/Support/Endian.h"

#include <cerrno>
#include <cstring>
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
    if (!awaitSocket(socket_, POLLOUT, until))
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
    if (!awaitSocket(socket_, POLLIN, until))
      return broken("it sent nothing");
  }
}

std::optional<Connection> acceptFrom(int listener) {
  int made = acceptSocket(listener);
  if (made < 0)
    return std::nullopt;
  return Connection(made);
}

llvm::Expected<std::optional<Connection>> connectTo(const std::string &host, uint16_t port,
                                                    Connection::Clock::time_point until) {
  llvm::Expected<std::optional<int>> made = connectSocket(host, port, until);
  if (!made)
    return made.takeError();
  std::optional<Connection> connection;
  if (*made)
    connection.emplace(**made);
  return connection;
}

} // namespace ccgraph::runtime

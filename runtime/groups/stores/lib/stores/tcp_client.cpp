#include "stores/tcp_client.h"

#include "stores/store_error.h"

#include "llvm/Support/Endian.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

bool wouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

} // namespace

TcpClient::~TcpClient() { ::close(socket_); }

llvm::Error TcpClient::lost(const std::string &why, std::string repair) const {
  return storeError("store.network", "the TCPStore server at " + serverText() + ": " + why, std::move(repair));
}

llvm::Error TcpClient::droppedBy(llvm::Expected<std::string> reason) const {
  if (!reason)
    return reason.takeError();
  return lost(droppedText.str() + *reason,
              "all processes of a job must give the same secret and limits");
}

llvm::Expected<std::unique_ptr<TcpClient>> TcpClient::connect(const Setup &setup, Until until,
                                                              std::chrono::milliseconds timeout) {
  std::string last;
  do {
    llvm::Expected<std::optional<int>> made = connectSocket(setup.host, setup.port, until);
    if (!made) {
      last = ": " + llvm::toString(made.takeError());
    } else if (*made) {
      std::unique_ptr<TcpClient> client(new TcpClient(setup, **made));
      if (llvm::Error error = client->greet(until))
        return error;
      return client;
    }
    std::this_thread::sleep_for(
        std::min<SocketClock::duration>(std::chrono::milliseconds(10), until - SocketClock::now()));
  } while (setup.retries && SocketClock::now() < until);
  if (!setup.retries)
    return storeError("store.network", "the TCPStore server at " + setup.host + ":" + std::to_string(setup.port) +
                                           ": it accepts no connection. Did the remote server shutdown or crash?");
  return storeError("store.network",
                    "The client socket has timed out after " + std::to_string(timeout.count()) +
                        "ms while trying to connect to (" + setup.host + ", " + std::to_string(setup.port) + ")" +
                        last + ".",
                    "start the process of the server, and give all processes its address");
}

llvm::Error TcpClient::greet(Until until) {
  QueryWriter to(QueryKind::Validate);
  to.shortNumber(storeMagic).byte(static_cast<uint8_t>(QueryKind::Hello)).text(setup_.secret);
  if (llvm::Error error = send(to.bytes, until))
    return error;
  return takeStatus(until).takeError();
}

llvm::Error TcpClient::send(llvm::StringRef bytes, Until until) {
  while (!bytes.empty()) {
    ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes = bytes.drop_front(static_cast<size_t>(count));
      continue;
    }
    // The server may have sent the reason before it ended the connection, so the answer is read first.
    if (!wouldBlock())
      return llvm::Error::success();
    if (!awaitSocket(socket_, POLLOUT, until))
      return lost("it does not read queries in time");
  }
  return llvm::Error::success();
}

llvm::Error TcpClient::take(char *to, size_t size, Until until) {
  for (size_t taken = 0; taken < size;) {
    ssize_t count = ::recv(socket_, to + taken, size - taken, 0);
    if (count > 0) {
      taken += static_cast<size_t>(count);
      continue;
    }
    if (count == 0)
      return lost(
          "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?");
    if (!wouldBlock())
      return lost(std::strerror(errno));
    if (!awaitSocket(socket_, POLLIN, until))
      return lost("it has not answered in time", "its process may be stopped, or the network between may be lost");
  }
  return llvm::Error::success();
}

llvm::Expected<uint8_t> TcpClient::takeByte(Until until) {
  char byte = 0;
  if (llvm::Error error = take(&byte, 1, until))
    return error;
  return static_cast<uint8_t>(byte);
}

llvm::Expected<int64_t> TcpClient::takeNumber(Until until) {
  char bytes[8];
  if (llvm::Error error = take(bytes, sizeof(bytes), until))
    return error;
  return static_cast<int64_t>(llvm::support::endian::read64le(bytes));
}

llvm::Expected<std::string> TcpClient::takeText(Until until) {
  llvm::Expected<int64_t> length = takeNumber(until);
  if (!length)
    return length.takeError();
  if (*length < 0 || *length > (int64_t{1} << 40))
    return lost("it sent an answer that is none");
  std::string text(static_cast<size_t>(*length), '\0');
  if (llvm::Error error = take(text.data(), text.size(), until))
    return error;
  return text;
}

llvm::Expected<QueryStatus> TcpClient::takeStatus(Until until) {
  llvm::Expected<uint8_t> byte = takeByte(until);
  if (!byte)
    return byte.takeError();
  auto status = static_cast<QueryStatus>(*byte);
  if (status == QueryStatus::Dropped)
    return droppedBy(takeText(until));
  if (status != QueryStatus::Refused)
    return status;
  llvm::Expected<std::string> reason = takeText(until);
  if (!reason)
    return reason.takeError();
  return storeError("store.value", *reason);
}

bool TcpClient::awaitAnswer(Until until) const { return awaitSocket(socket_, POLLIN, until); }

llvm::Expected<bool> TcpClient::takeWaitAnswer(Until until) {
  llvm::Expected<uint8_t> byte = takeByte(until);
  if (!byte)
    return byte.takeError();
  if (static_cast<QueryStatus>(*byte) == QueryStatus::Dropped)
    return droppedBy(takeText(until));
  return *byte == isReady;
}

} // namespace ccgraph::runtime

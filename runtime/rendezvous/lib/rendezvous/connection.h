// Connection: a stream of messages to another process, each a length and so many bytes.
//
// Ownership: owns its socket. Failure: a text with the reason; nothing blocks for longer than the deadline. Cost: that
// of the bytes.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace ccgraph::runtime {

class Connection {
public:
  using Clock = std::chrono::steady_clock;

  Connection() = default;
  /// Takes over a non-blocking socket.
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection() { close(); }
  Connection(Connection &&other) noexcept { swap(other); }
  Connection &operator=(Connection &&other) noexcept {
    swap(other);
    return *this;
  }

  [[nodiscard]] bool isOpen() const { return socket_ >= 0; }
  [[nodiscard]] int socket() const { return socket_; }
  void close();

  /// All of it.
  [[nodiscard]] llvm::Error send(llvm::StringRef message, Clock::time_point until);
  [[nodiscard]] llvm::Expected<std::string> receive(Clock::time_point until);
  /// Returns the received message without waiting: a whole one, or nothing yet. Fails if there will be none. At most
  /// `most` bytes.
  [[nodiscard]] llvm::Expected<std::optional<std::string>> poll(uint64_t most);

private:
  void swap(Connection &other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(read_, other.read_);
  }
  int socket_ = -1;
  /// of the message that is on its way, with its length
  std::string read_;
};

/// Returns the next caller, if there is one; it does not block.
[[nodiscard]] std::optional<Connection> acceptFrom(int listener);
/// Makes one attempt. Returns nothing where no process listens there yet; fails where the host is unknown.
[[nodiscard]] llvm::Expected<std::optional<Connection>> connectTo(const std::string &host, uint16_t port,
                                                                  Connection::Clock::time_point until);

} // namespace ccgraph::runtime

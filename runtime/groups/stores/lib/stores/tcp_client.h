// TcpClient: one connection to the server of a tcp store.
//
// Ownership: owns its socket. Not thread-safe. Failure: store.network with the address of the server; the connection is
// then useless. Cost: that of the bytes.
#pragma once

#include "stores/sockets.h"
#include "stores/tcp_protocol.h"

namespace ccgraph::runtime {

/// Begins the reason why a server has dropped a client.
inline constexpr llvm::StringLiteral droppedText = "it has dropped this client, because ";

class TcpClient {
public:
  struct Setup {
    std::string host;
    uint16_t port = 0;
    std::string secret;
    /// The server may not have started yet. Otherwise a refused connection means that it has ended.
    bool retries = true;
  };
  using Until = SocketClock::time_point;
  /// Tries until then. `timeout`: the time that this is from the beginning, for the error.
  [[nodiscard]] static llvm::Expected<std::unique_ptr<TcpClient>> connect(const Setup &setup, Until until,
                                                                          std::chrono::milliseconds timeout);
  ~TcpClient();
  TcpClient(const TcpClient &) = delete;
  TcpClient &operator=(const TcpClient &) = delete;

  [[nodiscard]] llvm::Error send(llvm::StringRef bytes, Until until);
  [[nodiscard]] llvm::Expected<uint8_t> takeByte(Until until);
  [[nodiscard]] llvm::Expected<int64_t> takeNumber(Until until);
  [[nodiscard]] llvm::Expected<std::string> takeText(Until until);
  /// Takes the status of an answer. Fails for a query that is refused (store.value) and where the server drops this
  /// client.
  [[nodiscard]] llvm::Expected<QueryStatus> takeStatus(Until until);
  /// True where an answer has begun to come, or the connection has ended.
  [[nodiscard]] bool awaitAnswer(Until until) const;
  /// Takes the answer to a wait: true where all keys are set, false where it was cancelled.
  [[nodiscard]] llvm::Expected<bool> takeWaitAnswer(Until until);

  [[nodiscard]] std::string serverText() const { return setup_.host + ":" + std::to_string(setup_.port); }

private:
  TcpClient(Setup setup, int socket) : setup_(std::move(setup)), socket_(socket) {}
  [[nodiscard]] llvm::Error greet(Until until);
  [[nodiscard]] llvm::Error take(char *to, size_t size, Until until);
  [[nodiscard]] llvm::Error lost(const std::string &why, std::string repair = "") const;
  [[nodiscard]] llvm::Error droppedBy(llvm::Expected<std::string> reason) const;

  Setup setup_;
  int socket_;
};

} // namespace ccgraph::runtime

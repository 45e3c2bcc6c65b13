// TcpStore: a store in one process, the server, for the processes that connect to its port.
//
//   rank 0   openTcpStore({.host = "127.0.0.1", .port = 29500, .users = 4, .isServer = true})
//   others   openTcpStore({.host = "127.0.0.1", .port = 29500, .users = 4})
//
// The server is one thread, which serves thousands of connections (epoll). It listens on the address that `host` names,
// and on no other: "127.0.0.1" is reached from this machine alone. It speaks the protocol of torch.distributed 2.15, so
// clients of PyTorch can use it if there is no secret; the protocol is in lib/stores/tcp_protocol.h.
//
// A client that sends something else is dropped: a wrong greeting, a query that does not exist, a key or value beyond
// the limits, a wrong or missing secret, or more answers than it reads. A client that has not sent the secret is
// dropped at the first byte of any other query, before its value has come. drops() returns the reasons. The memory of
// the server is at most StoreLimits::totalBytes, and for each connection one query and its answers.
//
// When the server ends, all waiting clients return immediately with an error that names its address (store.network).
//
// Ownership: the store object of the server's process owns the server. Security: without a secret, any process that can
// reach the port can read and write the store; with a secret, a client must send it first. Nothing is encrypted.
// Failure: see store.h. Cost: a round trip for each operation, two for get(); a thread for the server.
#pragma once

#include "ccgraph/runtime/store.h"

#include <functional>

namespace ccgraph::runtime {

struct TcpStoreSetup {
  /// of the server: a name or a number
  std::string host = "127.0.0.1";
  /// 0, for a server: a free port, which TcpStore::port() returns
  uint16_t port = 0;
  /// the number of processes that open the store; without it, the server waits for none and counts none
  std::optional<int64_t> users = {};
  bool isServer = false;
  /// how long to try to connect, how long the server waits for the users, and timeout() at the beginning
  Store::Milliseconds timeout = Store::defaultTimeout;
  /// A server returns once all users have connected.
  bool waitForUsers = true;
  /// Servers of one port in one process are one server.
  bool sharesServer = false;
  /// the same in all processes; empty: none. At most 4096 bytes
  std::string secret = {};
  StoreLimits limits = {};
  /// connections at one time
  size_t mostClients = 65536;
};

/// A connection that the server has ended.
struct DroppedClient {
  /// "127.0.0.1:43210"
  std::string address;
  std::string reason;
};

class TcpStore : public Store {
public:
  [[nodiscard]] virtual uint16_t port() const = 0;
  /// Returns whether the server runs in this process, as a part of this object.
  [[nodiscard]] virtual bool isServer() const = 0;
  /// The last 256 dropped clients, oldest first; empty in a process without the server.
  [[nodiscard]] virtual std::vector<DroppedClient> drops() const = 0;
  /// Bytes that the server's keys and values need (StoreLimits::totalBytes); 0 in a process without the server.
  [[nodiscard]] virtual int64_t bytesHeld() const = 0;
  /// Connections to the server; 0 in a process without the server.
  [[nodiscard]] virtual size_t numClients() const = 0;
  /// Connections of clients that have sent their greeting, and the secret if there is one; 0 in a process without the
  /// server. A store object of one thread has one connection.
  [[nodiscard]] virtual size_t numGreeted() const = 0;
};

[[nodiscard]] llvm::Expected<std::shared_ptr<TcpStore>> openTcpStore(TcpStoreSetup setup);

} // namespace ccgraph::runtime

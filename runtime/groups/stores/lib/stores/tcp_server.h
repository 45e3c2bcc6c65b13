// TcpServer: the thread that serves the connections of a tcp store (epoll).
//
// Ownership: owns its sockets and its thread; the destructor ends both, so all clients see the end of their connection.
// Thread-safe. Failure: start() fails where the port is in use or the host is not of this machine; a client that cannot
// be served is dropped. Cost: a thread; for each connection a socket, a query and its answers.
#pragma once

#include "ccgraph/runtime/tcp_store.h"
#include "stores/tcp_service.h"

#include <deque>
#include <mutex>
#include <thread>

namespace ccgraph::runtime {

class TcpServer {
public:
  [[nodiscard]] static llvm::Expected<std::shared_ptr<TcpServer>> start(const TcpStoreSetup &setup);
  ~TcpServer();
  TcpServer(const TcpServer &) = delete;
  TcpServer &operator=(const TcpServer &) = delete;

  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] std::vector<DroppedClient> drops() const;
  [[nodiscard]] int64_t bytesHeld() const;
  [[nodiscard]] size_t numClients() const;
  [[nodiscard]] size_t numGreeted() const;

private:
  struct Client {
    int socket = -1;
    std::string address;
    /// bytes of its output
    size_t sent = 0;
    /// waits until it can be written to
    bool writes = false;
  };
  using Id = TcpService::Session;
  static constexpr Id listenerId = 0, stopId = 1, firstClientId = 2;
  static constexpr size_t mostDrops = 256;

  TcpServer(const TcpStoreSetup &setup, int listener);
  [[nodiscard]] llvm::Error open();
  void serve();
  void watch(int socket, Id id, uint32_t events, int change) const;
  void listen(bool listens);
  void acceptAll();
  void read(Id id);
  void flush(Id id);
  void end(Id id, const std::string &reason);
  void note(std::string address, std::string reason);

  size_t mostClients_;
  int listener_ = -1;
  int epoll_ = -1;
  int stop_ = -1;
  uint16_t port_ = 0;
  bool listens_ = false;
  std::thread thread_;

  mutable std::mutex mutex_;
  TcpService service_;
  std::map<Id, Client> clients_;
  Id next_ = firstClientId;
  std::deque<DroppedClient> drops_;
};

} // namespace ccgraph::runtime

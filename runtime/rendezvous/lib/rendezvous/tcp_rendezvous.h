// TcpRendezvous: where the processes of a job meet that share no folder: rank 0 listens on a port of the host that is
// named, and all others connect to it. It listens on that host's address alone: "localhost" is reached from this
// machine and no other.
//
//   each process sends a greeting: its job, its rank, the number of ranks, and the digest of the job's token
//   rank 0 accepts it, or reports the error and waits for a valid process
//   once all are present, further connections are rejected
//   a gather is a message of each rank to rank 0, and one of rank 0 to each
//
// A job has a name, if its launcher sets one. So a process of another job that connects to this port receives an error
// and ends. A process that listens on another job's port gets the error that the port is in use.
//
// Ownership: closes its connections. Failure: DiagnosticErrors of rule run.nccl, none later than the deadline: a port
// in use, an unknown host, a rank that does not come or leaves, another job. Cost: a gather sends all texts to all
// ranks, through rank 0. Security: without a token, any process that can reach the port can join the job; with a token,
// it must also have the token. Nothing is encrypted.
#pragma once

#include "rendezvous/connection.h"
#include "rendezvous/rendezvous.h"

#include <chrono>
#include <memory>

namespace ccgraph::runtime {

class TcpRendezvous final : public Rendezvous {
public:
  struct Setup {
    /// of rank 0; a name or a number
    std::string host;
    uint16_t port = 0;
    /// the same for all ranks of one job; may be empty
    std::string job;
    /// secret of the job, the same in all its processes; may be empty
    std::string token;
    size_t rank = 0;
    size_t ranks = 1;
    std::chrono::milliseconds deadline;
  };
  /// "HOST:PORT", or ":PORT" of the loopback address. Error: it is not that.
  [[nodiscard]] static llvm::Expected<std::pair<std::string, uint16_t>> parse(llvm::StringRef address);
  /// A call of all ranks. One alone needs no port.
  [[nodiscard]] static llvm::Expected<std::unique_ptr<TcpRendezvous>> join(const Setup &setup);
  [[nodiscard]] llvm::Expected<std::vector<std::string>> gather(const std::string &own) override;

private:
  explicit TcpRendezvous(Setup setup) : setup_(std::move(setup)), peers_(setup_.ranks) {}
  [[nodiscard]] llvm::Error acceptOthers();
  void greet(Connection &caller);
  [[nodiscard]] std::string whatIsWrong(llvm::StringRef hello, size_t &rank) const;
  [[nodiscard]] llvm::Error findRankZero();
  using Until = Connection::Clock::time_point;
  [[nodiscard]] llvm::Expected<std::string> sayHello(Connection &to, Until until) const;
  [[nodiscard]] llvm::Expected<std::vector<std::string>> gatherHere(const std::string &own, Until until);
  [[nodiscard]] llvm::Expected<std::vector<std::string>> gatherThere(const std::string &own, Until until);
  [[nodiscard]] llvm::Error failed(const llvm::Twine &what, const std::string &repair = "") const;
  [[nodiscard]] std::string addressText() const { return setup_.host + ":" + std::to_string(setup_.port); }

  Setup setup_;
  /// by rank; of ranks other than 0 that of rank 0 alone
  std::vector<Connection> peers_;
};

} // namespace ccgraph::runtime

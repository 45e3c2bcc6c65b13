// TcpRendezvous: where the processes of a job meet that share no folder: rank 0 listens on a port of the host that is named, and all others connect
// to it. It listens on that host's address alone: "localhost" is reached from this machine and no other.
//
//   each says hello: which job it is of, its rank, how many ranks there are, and the digest of the job's token
//   rank 0 welcomes it, or says what is wrong with that, and waits on for the right one
//   once all are there, nobody else is let in
//   a gather is a message of each rank to rank 0, and one of rank 0 to each
//
// A job has a name, if its launcher gives it one. So a process that comes from another job, and finds this one's port, is told so and ends;
// and who listens on a port where another job does is told that it is in use.
//
// Ownership: closes its connections. Failure: DiagnosticErrors of rule run.nccl, none later than the deadline: a port in use, a host that
// is not known, a rank that does not come or leaves, another job. Cost: a gather sends all texts to all ranks, by way of rank 0. Without a
// token, who can reach the port can take part in the job; with one, who also knows it. Nothing is encrypted.
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
    /// the same too, and nobody else knows it; may be empty
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
  [[nodiscard]] llvm::Error welcomeOthers();
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

// TcpRendezvous: where the processes of a job meet that share no folder: a tcp store (ccgraph/runtime/tcp_store.h),
// whose server is rank 0. It listens on the address of the named host alone: "localhost" is reached from this machine
// and no other.
//
//   rank 0 sets the name of the job and its number of ranks, and waits until each rank has counted itself
//   each other process compares them, and counts its rank; a second process of one rank is rejected
//   a gather is a round over the store (store_rounds.h)
//
// A job has a name, if its launcher sets one. So a process of another job that connects to this port receives an error
// and ends. A process that listens on another job's port gets the error that the port is in use.
//
// Ownership: rank 0 owns the server. Failure: DiagnosticErrors of rule run.nccl, none later than the deadline: a port
// in use, an unknown host, a rank that does not come or leaves, another job. Cost: a gather sends all texts to all
// ranks, through rank 0. Security: without a token, any process that can reach the port can join the job, and a text
// has at most 256 MiB; with a token, whose digest is the secret of the store, it must also have the token, and a text
// has at most 64 GiB. Nothing is encrypted.
#pragma once

#include "ccgraph/runtime/tcp_store.h"
#include "rendezvous/rendezvous.h"
#include "rendezvous/store_rounds.h"

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
  using Clock = std::chrono::steady_clock;
  explicit TcpRendezvous(Setup setup) : setup_(std::move(setup)) {}
  [[nodiscard]] llvm::Error acceptOthers();
  [[nodiscard]] llvm::Error findRankZero();
  [[nodiscard]] llvm::Error introduce();
  [[nodiscard]] TcpStoreSetup storeSetup() const;
  [[nodiscard]] llvm::Error failed(const llvm::Twine &what, const std::string &repair = "") const;
  [[nodiscard]] llvm::Error rejected(const llvm::Twine &why) const;
  [[nodiscard]] std::string addressText() const { return setup_.host + ":" + std::to_string(setup_.port); }

  Setup setup_;
  std::shared_ptr<TcpStore> store_;
  std::optional<StoreRounds> rounds_;
};

} // namespace ccgraph::runtime

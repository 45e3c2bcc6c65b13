// FileRendezvous: where the processes of a job meet before they can communicate: a folder that all of them see.
//
// A launcher gives a process its rank, but not the addresses of the others. Here each process writes the data that the
// others need into a file store (ccgraph/runtime/store.h) in the folder, and reads theirs: the id by which devices
// connect, versions, results for rank 0.
//
// What an earlier job has left is not mistaken for this job's. Each process draws a random number; rank 0 lists the
// numbers that it reads, and draws one for the job. A process that does not find its own number in the list keeps
// waiting, and finally reports that the folder is stale. All later keys begin with the job's number.
//
// Ownership: rank 0 removes the file when it ends. Failure: DiagnosticErrors of rule run.nccl: a file that cannot be
// written, a rank that does not come within the deadline. Cost: some milliseconds a gather.
#pragma once

#include "rendezvous/rendezvous.h"
#include "rendezvous/store_rounds.h"

namespace ccgraph::runtime {

class FileRendezvous final : public Rendezvous {
public:
  struct Setup {
    std::string path;
    size_t rank = 0;
    size_t ranks = 1;
    std::chrono::milliseconds deadline;
  };
  /// A call of all ranks. One alone needs no folder.
  [[nodiscard]] static llvm::Expected<std::unique_ptr<FileRendezvous>> join(const Setup &setup);
  ~FileRendezvous() override;
  FileRendezvous(const FileRendezvous &) = delete;
  FileRendezvous &operator=(const FileRendezvous &) = delete;
  [[nodiscard]] llvm::Expected<std::vector<std::string>> gather(const std::string &own) override;

private:
  explicit FileRendezvous(Setup setup) : setup_(std::move(setup)) {}
  [[nodiscard]] llvm::Error open();
  [[nodiscard]] llvm::Error acceptOthers();
  [[nodiscard]] llvm::Error awaitAcceptance();
  [[nodiscard]] std::string fileOf(const std::string &name) const { return setup_.path + "/" + name; }
  [[nodiscard]] std::optional<std::string> valueOf(const std::string &key);

  Setup setup_;
  std::shared_ptr<Store> store_;
  /// this process's number
  std::string own_;
  /// the job's
  std::string job_;
  std::optional<StoreRounds> rounds_;
};

} // namespace ccgraph::runtime

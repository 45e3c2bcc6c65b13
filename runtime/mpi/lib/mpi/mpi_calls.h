// MpiCalls: the MPI functions that the engine calls, without mpi.h.
//
// Programs that only read or rewrite graphs must not need MPI, nor load its libraries. So the one file that includes
// mpi.h is a module of its own (runtime/mpi), which is loaded at the engine's first use; this is its interface. Handles
// are MPI's own, as numbers: nothing is allocated for them.
//
// Counts are bytes, and may be more than MPI's int holds: larger counts use a derived MPI type. All communicators
// return their errors. Each function returns MPI's error code, 0 on success.
//
// Ownership: communicators live until they are freed or MPI ends; buffers are the caller's until the request is
// complete. Thread-safety: one call at a time, but for endAll(), if the MPI library allows it (MpiStart::threads).
// Cost: that of the function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph::runtime {

struct MpiComm {
  uintptr_t raw = 0;
};
struct MpiRequest {
  uintptr_t raw = 0;
};

/// The properties of this process that MPI reports at its start.
struct MpiStart {
  int rank = 0;
  int size = 1;
  /// calls may come from several threads
  bool threads = false;
  /// the largest tag of a message
  int64_t largestTag = 32767;
  MpiComm world;
  /// which ranks have their processes on this host, ascending
  std::vector<size_t> hostRanks;
};

/// One end of a message.
struct MpiMessage {
  std::byte *data = nullptr;
  int64_t bytes = 0;
  /// member of the communicator
  int peer = 0;
  int tag = 0;
};

/// A message that was received.
struct MpiReceived {
  int64_t bytes = -1;
  /// member of the communicator
  int from = -1;
};

class MpiCalls {
public:
  /// Version of the module and of its loader: both must be of one build.
  static constexpr int version = 3;
  static constexpr int anyMember = -1;

  virtual ~MpiCalls() = default;

  // --- The job ----------------------------------------------------------------------------------------
  /// Starts MPI unless it is running already.
  virtual int start(MpiStart &started) = 0;
  /// Ends MPI where start() has started it. All processes must call it.
  virtual int stop() = 0;
  /// Ends all processes of the job.
  virtual void endAll(int exitCode) = 0;
  [[nodiscard]] virtual std::string errorText(int code) const = 0;

  // --- Communicators ----------------------------------------------------------------------------------
  virtual int duplicate(MpiComm from, MpiComm &made, MpiRequest &request) = 0;
  /// Called by the members alone, which are ranks of `from`, in the order of the new one. Waits for all of them.
  virtual int create(MpiComm from, const int *members, int numMembers, MpiComm &made) = 0;
  virtual int free(MpiComm comm) = 0;

  // --- Requests ---------------------------------------------------------------------------------------
  /// `received`: of a complete receive; null: not needed.
  virtual int test(MpiRequest &request, bool &complete, MpiReceived *received) = 0;
  virtual int cancelReceive(MpiRequest &request) = 0;

  // --- Communication ----------------------------------------------------------------------------------
  virtual int send(MpiComm comm, const MpiMessage &message, MpiRequest &request) = 0;
  /// Receives from anyMember too.
  virtual int receive(MpiComm comm, const MpiMessage &message, MpiRequest &request) = 0;
  virtual int barrier(MpiComm comm, MpiRequest &request) = 0;
  virtual int broadcast(MpiComm comm, std::byte *data, int64_t bytes, int root, MpiRequest &request) = 0;
  /// `bytes` of each member. `send` null: they lie where they belong in `receive`.
  virtual int allGather(MpiComm comm, const std::byte *send, std::byte *receive, int64_t bytes,
                        MpiRequest &request) = 0;
  /// `bytes` to each member, and from each.
  virtual int allToAll(MpiComm comm, const std::byte *send, std::byte *receive, int64_t bytes, MpiRequest &request) = 0;
  /// `bytes` for each member. `receive` null at the root: its share stays where it is.
  virtual int scatter(MpiComm comm, const std::byte *send, std::byte *receive, int64_t bytes, int root,
                      MpiRequest &request) = 0;
};

/// The function that the module exports as `ccgraphMpiCalls`: it returns its functions, or null for another version.
using MpiModuleEntry = MpiCalls *(*)(int version);

} // namespace ccgraph::runtime

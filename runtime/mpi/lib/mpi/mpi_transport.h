// MpiTransport: collectives between processes, by MPI's non-blocking calls.
//
// With n members, a row of b bytes each:
//   all_gather      MPI_Iallgather
//   broadcast       MPI_Ibcast
//   scatter         MPI_Iscatter
//   barrier         MPI_Ibarrier
//   all_to_all      MPI_Isend and MPI_Irecv with each member, so that shares may differ and have any size
//   send, recv      MPI_Isend, MPI_Irecv, with the tag of the graph
//   reduce_scatter  MPI_Ialltoall of chunks, then each reduces the n chunks that it has received
//   all_reduce      as reduce_scatter, then MPI_Iallgather of the chunks; elements that are left over are gathered by
//                   all and reduced by all, and so are whole rows where n rows are `smallBytes` or less
// Reductions are ours, in rank order (reduce_rows.h), and not MPI's. So values are bitwise equal to the interpreter's,
// also for dtypes that MPI lacks. They move as many bytes as a ring, b * (n - 1) / n in each of two phases.
//
// Collectives of one list of members and one stream have a communicator, because MPI matches the calls on a
// communicator by their order of issue. A call with two parts issues its second one before later calls on the
// communicator.
//
// Calls whose agreement is not known before the run begin with an opening: each member sends its notice
// (call_notice.h) to each other member by MPI_Isend, so launches of different kinds meet too. Nothing is moved before
// all notices agree. But the row of an all_reduce of at most `earlyBytes` is sent with the opening, into scratch
// memory, so that such a call takes as many rounds as without an opening.
//
// Ownership: borrows the job and the launches; keeps scratch memory. Failure: rules run.mpi, and run.ranks-disagree
// where launches are compared at run time. Cost: MPI's; in steady state no memory is allocated here.
#pragma once

#include "engine/transport.h"
#include "mpi/call_notice.h"
#include "mpi/mpi_job.h"
#include "mpi/mpi_standby.h"
#include "mpi/program_agreement.h"
#include "mpi/scratch_pool.h"

namespace ccgraph::runtime {

class MpiTransport final : public Transport {
public:
  /// Below, one round of messages is worth more than the bytes that two save.
  static constexpr int64_t smallBytes = 32 << 10;
  /// The largest row that is sent with an opening.
  static constexpr int64_t earlyBytes = 64 << 10;
  /// CallSeat::peer of a receive from any member; no plan has one.
  static constexpr size_t anyPeer = ~size_t{0};

  explicit MpiTransport(MpiJob &job) : job_(job) {}

  /// Call once all calls are enrolled, before the first run, with the agreement of the ranks, whose communicators
  /// exist.
  [[nodiscard]] llvm::Error open(const ProgramAgreement &agreement, Context &context);
  /// For calls that no plan has: the communicators that they may use, sorted; they must exist. Then each call is placed
  /// after it is enrolled, and numbered before each of its launches.
  void open(std::vector<MpiCommKey> communicators, Context &context);
  [[nodiscard]] llvm::Error place(Ticket ticket, const AgreedCall &agreed);
  void setSequence(Ticket ticket, int64_t sequence) { calls_[ticket].agreed.sequence = sequence; }
  /// Before each run.
  void begin();

  [[nodiscard]] Ticket enrol(const CallSeat &seat) override;
  [[nodiscard]] llvm::Error launch(Ticket ticket, const Launch &launch) override;
  [[nodiscard]] bool isReady(Ticket ticket) override;
  [[nodiscard]] llvm::Expected<bool> advance(Ticket ticket) override;
  [[nodiscard]] std::string waitText(Ticket ticket) const override;

  /// Returns the place among the members of the rank whose message a complete receive has.
  [[nodiscard]] int senderOf(Ticket ticket) const { return calls_[ticket].from; }

  // --- When a run has failed ------------------------------------------------------------------------------
  [[nodiscard]] LaunchCounts counts() const;
  /// The launches of other ranks, by rank, for waitText().
  void learn(std::vector<std::optional<LaunchCounts>> counts) { known_ = std::move(counts); }

private:
  enum class Phase : uint8_t { Done, Open, Compare, Move, Share };
  struct Request {
    MpiRequest mpi;
    /// bytes that must arrive; -1: as many as all have requested
    int64_t expected = -1;
  };
  /// How a row of an all_reduce goes.
  struct Split {
    bool whole = false;
    /// elements of a chunk, and the remainder
    int64_t chunk = 0;
    int64_t rest = 0;
  };
  struct Call {
    CallSeat seat;
    AgreedCall agreed;
    MpiComm comm;
    /// index in active_
    size_t commIndex = 0;
    /// null until it is launched in this run
    const Launch *launch = nullptr;
    Phase phase = Phase::Done;
    std::vector<Request> open;
    /// of `open`: those before are complete
    size_t next = 0;
    /// of an all_reduce, by row; and whether any of them goes in chunks
    std::vector<Split> splits;
    bool hasShare = false;
    /// by row
    std::vector<Arena> scratch;
    // launches that are compared: the own notice, as a value and as bytes, and those of all members, each at a multiple
    // of noticeStride
    std::optional<CallNotice> noticed;
    std::vector<std::byte> notice;
    std::vector<std::byte> notices;
    size_t noticeStride = 0;
    /// of a row that is sent with the opening
    std::vector<Request> early;
    /// of MPI's, found where no error can be returned
    int error = 0;
    /// of a complete receive: the member that sent
    int from = -1;

    [[nodiscard]] int64_t size() const { return static_cast<int64_t>(seat.members.size()); }
    [[nodiscard]] size_t rows() const { return launch->receive.size(); }
  };

  [[nodiscard]] static Split splitOf(const Call &call, size_t row);
  static void splitRows(Call &call);
  /// Returns whether the call's next part is the first one on its communicator.
  [[nodiscard]] bool isNextOnComm(Ticket ticket) const;
  [[nodiscard]] llvm::Error post(Call &call, Phase phase);
  [[nodiscard]] int postOpening(Call &call);
  static void writeNotice(Call &call);
  [[nodiscard]] int postNotices(Call &call);
  [[nodiscard]] static bool movesEarly(const Call &call);
  [[nodiscard]] int postEarly(Call &call);
  [[nodiscard]] llvm::Expected<Phase> afterOpening(Call &call);
  [[nodiscard]] int postCompare(Call &call);
  [[nodiscard]] int postMove(Call &call, size_t row);
  [[nodiscard]] int postAllReduce(Call &call, size_t row);
  [[nodiscard]] int postAllToAll(Call &call, size_t row);
  [[nodiscard]] int postShare(Call &call, size_t row);
  [[nodiscard]] MpiRequest &add(Call &call, int64_t expected = -1);
  [[nodiscard]] llvm::Expected<Phase> compare(Call &call) const;
  [[nodiscard]] llvm::Error checkNotices(const Call &call) const;
  static void reduceRow(const Call &call, size_t row);
  /// After the phase's requests are complete; gives the next one.
  [[nodiscard]] llvm::Expected<Phase> finish(Call &call);
  void end(Ticket ticket);
  [[nodiscard]] llvm::Error wrong(const Call &call, int code) const;

  MpiJob &job_;
  Context *context_ = nullptr;
  std::vector<MpiCommKey> communicators_;
  std::vector<Call> calls_;
  /// by communicator: calls that have been launched and are not complete, oldest first
  std::vector<std::vector<Ticket>> active_;
  ScratchPool scratch_;
  std::vector<std::optional<LaunchCounts>> known_;
};

} // namespace ccgraph::runtime

// StreamModel: simulates the devices of several ranks, which run the work of their hosts in an order that a seed
// chooses.
//
// Streams, events and groups guarantee little, and any other order may occur. So enqueued work runs only when all hosts
// wait: then runnable work is chosen at random, one piece after the other, until one of the hosts can continue. The
// seed chooses within these guarantees:
//   streams   a piece of work runs after those that its stream was given before, and after those of events that the
//             stream waits for
//   batches   the members of a group run in any order, after one another or not; a rank's batches on one communicator
//             run in the order of issue, and no batch of a rank begins before the batches that its host has issued
//             before it have begun
//   matches   a collective runs when the batches that hold it have begun on all ranks; the k-th of a communicator on
//             one rank matches the k-th on the others. A transfer runs when both of its ends have begun
// Three of four seeds delay one stream of each rank: its work runs only where no other can. This shows a missing event,
// since the work that it should have delayed runs first. Without a seed, the lowest rank's lowest stream runs first.
//
// The model has a clock: each piece of work of any device takes one tick, a microsecond, and nothing else takes time.
//
// Where all hosts wait and nothing can run, the devices are in a deadlock: the run ends, with a text that lists what
// each waits for.
//
// Ownership: owns enqueued work until it has run; work is borrowed. Failure: ending(). Thread-safe: each host calls
// from its own thread; work runs on the thread of a host that waits, one piece at a time. Cost: a lock and a few
// allocations for each piece.
#pragma once

#include "simulated/match_table.h"
#include "tensor/numbers.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace ccgraph::runtime {

/// One action of a device: a piece of work, or a rank's batch of communication.
struct ModelNode {
  size_t rank = 0;
  size_t stream = 0;
  /// the work; null for a batch. Returns false where it has failed
  std::function<bool()> work;
  std::vector<CommPart> parts;
  size_t partsLeft = 0;
  /// how many that come before have not ended, and what comes after
  size_t missing = 0;
  std::vector<std::shared_ptr<ModelNode>> dependents;
  bool begun = false;
  bool ended = false;
  /// by the model's clock
  int64_t endedAt = 0;
};
using NodeRef = std::shared_ptr<ModelNode>;
/// All of them.
using Moment = std::vector<NodeRef>;

class StreamModel {
public:
  using Milliseconds = std::chrono::milliseconds;
  /// Together: work runs only when all hosts wait, so a seed determines its order. Apart: work runs while any host
  /// waits, whatever the others do, and a deadlock is not noticed.
  enum class Hosts : uint8_t { Together, Apart };
  StreamModel(size_t ranks, std::optional<uint64_t> seed, Milliseconds deadline, Hosts hosts = Hosts::Together);
  ~StreamModel();
  StreamModel(const StreamModel &) = delete;
  StreamModel &operator=(const StreamModel &) = delete;

  // --- What hosts enqueue -----------------------------------------------------------------------------------
  [[nodiscard]] NodeRef addWork(size_t rank, size_t stream, const Moment &after, std::function<bool()> work);
  [[nodiscard]] NodeRef addBatch(size_t rank, size_t stream, Moment after, std::vector<CommPart> parts);

  // --- What hosts wait for ----------------------------------------------------------------------------------
  enum class Answer : uint8_t { Ended, NotYet, Over };
  /// Returns soon, whatever the answer.
  [[nodiscard]] Answer await(size_t rank, const Moment &moment);
  /// The time in nanoseconds since 1970.
  [[nodiscard]] int64_t now() const;
  /// When the last of them ended; nothing where one has not.
  [[nodiscard]] std::optional<int64_t> endOf(const Moment &moment) const;
  /// All ranks of the communicator call it, with a color and a key each; those of one color get a new one. Waits for
  /// all. Null without a color, and where the run is over. `parent` null: the communicator of all ranks.
  [[nodiscard]] ModelComm *split(ModelComm *parent, size_t rank, int color, int key);

  void registerMemory(ModelComm &comm, size_t member, ModelComm::Range range);
  void deregister(ModelComm &comm, size_t member, const std::byte *memory);

  /// The failure of a run: the rule of engine.h, and a sentence; both empty where another component reports it.
  struct Ending {
    std::string rule;
    std::string why;
  };

  // --- Ends -------------------------------------------------------------------------------------------------
  /// The rank's host has nothing more to do in this run.
  void leave(size_t rank);
  /// All hosts are there again.
  void begin();
  /// The run has failed. False where it had before.
  bool end(Ending ending);
  [[nodiscard]] Ending ending() const;

private:
  using Lock = std::unique_lock<std::mutex>;
  /// The gate at which hosts wait for one another to make communicators.
  struct Gate {
    struct Entry {
      size_t rank = 0;
      int color = 0;
      int key = 0;
    };
    std::vector<Entry> entries;
    /// by rank, once all have come
    std::map<size_t, ModelComm *> made;
    bool open = false;
  };
  static bool hasEnded(const Moment &moment);
  void append(const NodeRef &node, const Moment &after);
  void setReady(const NodeRef &node);
  /// Begins the batches of a rank that may.
  void beginBatches(size_t rank);
  void finish(const NodeRef &node);
  void drive();
  [[nodiscard]] bool anyCanGoOn() const;
  [[nodiscard]] bool step();
  [[nodiscard]] bool isHeldBack(const ModelNode &node);
  [[nodiscard]] size_t draw(llvm::ArrayRef<bool> heldBack);
  void run(const NodeRef &node);
  void run(const PartMatch &match);
  void endLocked(Ending ending);
  [[nodiscard]] std::string standstill() const;
  void openGate(Gate &gate);
  void drop();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Hosts hosts_;
  std::optional<Numbers> order_;
  bool holdsBack_ = false;
  Milliseconds deadline_;
  /// by rank
  struct Rank {
    const Moment *waiting = nullptr;
    bool gone = false;
    /// batches that have not begun, in the order of issue
    std::deque<NodeRef> batches;
    size_t streams = 1;
    std::optional<size_t> heldBack;
  };
  std::vector<Rank> ranks_;
  /// work that can run
  std::deque<NodeRef> ready_;
  MatchTable matches_;
  std::deque<std::unique_ptr<ModelComm>> comms_;
  std::map<std::pair<ModelComm *, size_t>, Gate> gates_;
  /// by communicator and rank: splits so far
  std::map<std::pair<ModelComm *, size_t>, size_t> splits_;
  bool over_ = false;
  int64_t now_ = 0;
  Ending ending_;
};

} // namespace ccgraph::runtime

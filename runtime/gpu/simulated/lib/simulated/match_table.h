// MatchTable: matches the parts of the ranks' batches, and moves their bytes.
//
// Parts are numbered when the host issues them: a collective by its earlier ones on the same communicator, a transfer
// by those between the same two ranks. The table lists the missing parts of a match, for a rank that waits in vain.
//
// Ownership: communicators are the model's; rows are addresses in the ranks' memory. Failure: exchange() reports the
// differences between the ranks of a match. Cost: a map lookup for each part; exchange() that of the bytes.
#pragma once

#include "nccl/row_calls.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccgraph::runtime {

struct ModelNode;

/// A communicator, as all of its ranks share it.
struct ModelComm {
  size_t number = 0;
  /// global ranks, in its order
  std::vector<size_t> members;
  /// by member: collectives issued, and the last batch
  std::vector<size_t> collectives;
  std::vector<std::weak_ptr<ModelNode>> lastBatch;
  /// from, to
  std::map<std::pair<size_t, size_t>, size_t> sent, received;
  /// by member: memory that is registered
  struct Range {
    const std::byte *begin = nullptr;
    int64_t bytes = 0;
  };
  std::vector<std::vector<Range>> registered;

  /// "comm2"; "comm0" has all ranks.
  [[nodiscard]] std::string name() const { return "comm" + std::to_string(number); }
};

/// One call of a batch.
struct CommPart {
  ModelComm *comm = nullptr;
  /// in the communicator
  size_t member = 0;
  RowCall call;
  /// from 0: which one of its communicator, or of its two ranks, this is
  size_t number = 0;
};

/// "all_reduce sum f32[4]".
[[nodiscard]] std::string textOf(const RowCall &call);

struct PartMatch {
  struct Seat {
    CommPart *part = nullptr;
    std::shared_ptr<ModelNode> node;
  };
  /// by member; of a transfer its sender and its receiver
  std::vector<Seat> seats;

  [[nodiscard]] bool isWhole() const;
};

/// Moves the bytes. "" if all is well, else what the ranks disagree about.
[[nodiscard]] std::string exchange(const PartMatch &match);

class MatchTable {
public:
  /// Gives the part its number; by its rank's host.
  static void number(CommPart &part);
  /// The part's batch has begun.
  void begin(CommPart &part, const std::shared_ptr<ModelNode> &node);
  /// Those that can take place, by communicator and number.
  [[nodiscard]] std::vector<PartMatch *> ready();
  void forget(const PartMatch &match);
  /// "allReduce sum f32[4] on comm1 (call 2) waits for ranks [1]", one for each that has begun on some ranks.
  [[nodiscard]] std::vector<std::string> waits() const;
  /// Those that have begun and wait.
  void takeNodes(std::vector<std::shared_ptr<ModelNode>> &nodes);

private:
  struct Key {
    const ModelComm *comm = nullptr;
    /// of a transfer; else equal
    size_t from = 0;
    size_t to = 0;
    size_t number = 0;
    bool operator<(const Key &other) const;
  };
  static Key keyOf(const CommPart &part);
  std::map<Key, PartMatch> matches_;
  std::vector<Key> whole_;
};

} // namespace ccgraph::runtime

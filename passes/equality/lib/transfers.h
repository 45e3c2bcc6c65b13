// Transfers: the sends and receives of a job, matched by sender, receiver, tag and order.
//
// A send does not wait for its receive, so a job that would stop for lack of buffers is evaluated all the same; whether
// ranks wait for ever is the question of passes/jobs.
//
// Ownership: values. Failure: none; what is never sent stays expected. Cost: linear in the tensors that are sent.
#pragma once

#include "array.h"

#include <deque>
#include <map>

namespace ccgraph {
class Node;
struct CollectiveCall;
} // namespace ccgraph

namespace ccgraph::equality {

/// Ranks of the job, and the tag.
struct Channel {
  int64_t from = 0, to = 0, tag = 0;
  friend auto operator<=>(const Channel &, const Channel &) = default;
};

/// One tensor of a transfer.
struct TransferEnd {
  bool sends = false;
  const Node *tensor = nullptr;
  Channel channel;
};
/// Returns the sends and receives of a call of one rank, in order; empty where their peers are not known. `members` are
/// those of its group.
[[nodiscard]] std::vector<TransferEnd> transferEnds(const Node &node, const CollectiveCall &call,
                                                    llvm::ArrayRef<int64_t> members, int64_t rank);

class Transfers {
public:
  /// A tensor of a rank that a node fills.
  struct Receive {
    size_t rank = 0;
    const Node *node = nullptr;
    const Node *tensor = nullptr;
  };
  struct Delivery {
    Receive receive;
    Array array;
  };
  void send(const Channel &channel, Array array) { lines_[channel].sent.push_back(std::move(array)); }
  void expect(const Channel &channel, const Receive &receive) { lines_[channel].expected.push_back(receive); }
  /// Returns and forgets the pairs that have met on a channel.
  [[nodiscard]] std::vector<Delivery> deliver(const Channel &channel);

private:
  struct Line {
    std::deque<Array> sent;
    std::deque<Receive> expected;
  };
  std::map<Channel, Line> lines_;
};

} // namespace ccgraph::equality

#include "exchanges.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

using Outcome = std::variant<Layout, std::string>;

int64_t rowElements(llvm::ArrayRef<int64_t> sizes) { return sizes.empty() ? 1 : product(sizes.drop_front()); }

class Exchange {
public:
  Exchange(const Call &call, const Shipment &shipment, const Layout &input)
      : call_(call), shipment_(shipment), input_(input) {}

  Outcome run() {
    if (input_.unsized)
      return input_.runs->front().result ? Outcome("sends what a collective has already made")
                                         : Outcome(wholeUnsized(input_.runs->front().source, true));
    if (llvm::any_of(*input_.runs, [](const Run &run) { return run.result; }))
      return "sends elements that a collective has already made";
    auto sizes = resultSizes(call_, input_.sizes);
    if (!sizes)
      return "has an input whose first dimension does not divide among the ranks";
    Outcome outcome = runKind();
    if (auto *layout = std::get_if<Layout>(&outcome))
      return contiguous(*sizes, *layout->runs);
    return outcome;
  }

private:
  Outcome runKind() {
    switch (call_.spec->kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::Broadcast:
      return elementwise();
    case CollectiveKind::AllGather:
      return gather();
    case CollectiveKind::ReduceScatter:
      return scatter();
    case CollectiveKind::AllToAll:
      return transpose();
    default:
      return "is of a kind that is never merged";
    }
  }

  static Outcome made(Runs runs) { return contiguous({}, std::move(runs)); }
  int64_t numElements(uint32_t source) const { return product(*shipment_.sources[source].sizes); }

  /// Each element of the result depends only on the elements at its own position, so the layout stays the same.
  Outcome elementwise() const {
    Runs runs;
    for (Run run : *input_.runs) {
      run.result = true;
      append(runs, run);
    }
    return made(std::move(runs));
  }

  /// Returns what rank 0 sent, then what rank 1 sent, and so on: the k-th copy of a member's elements is the k-th part
  /// of its own result.
  Outcome gather() const {
    Runs runs;
    for (int64_t rank = 0; rank < *call_.groupSize; ++rank)
      for (Run run : *input_.runs) {
        run.result = true;
        run.start += rank * numElements(run.source);
        append(runs, run);
        if (runs.size() > maxRuns)
          return "falls into too many pieces";
      }
    return made(std::move(runs));
  }

  // On 2 ranks, a = f32[4] and b = f32[6] as a[0, 2) b[0, 3) a[2, 4) b[3, 6) are accepted: the second chunk is the
  // first one with each member one share later, 2 and 3 elements. Each rank then receives its own a'[0, 2) b'[0, 3).
  // With a[0, 4) b[0, 6), rank 0 would get all of a and one element of b, and no part of the result would be a member's
  // share.

  /// Every chunk must hold, at each position, the element of the first chunk at that position, one share of its member
  /// later for each rank.
  Outcome scatter() const {
    int64_t ranks = *call_.groupSize;
    int64_t chunk = input_.numElements() / ranks;
    Runs first;
    take(*input_.runs, 0, chunk, first);
    for (const Run &run : first)
      if (numElements(run.source) % ranks != 0 || run.start + run.count > numElements(run.source) / ranks)
        return "does not send each rank its own share of every member";
    for (int64_t rank = 1; rank < ranks; ++rank) {
      Runs own;
      take(*input_.runs, rank * chunk, chunk, own);
      auto shifted = [&](const Run &a, Run b) {
        b.start -= rank * (numElements(b.source) / ranks);
        return a == b;
      };
      if (!std::equal(first.begin(), first.end(), own.begin(), own.end(), shifted))
        return "does not send rank " + std::to_string(rank) + " of the group the share that it sends rank 0";
    }
    Runs runs;
    for (Run run : first) {
      run.result = true;
      append(runs, run);
    }
    return made(std::move(runs));
  }

  bool splitsFit(const Call &call) const {
    auto fits = [&](const std::optional<std::vector<int64_t>> &splits) {
      return splits && splits->size() == call_.inputSplits->size() &&
             llvm::all_of(*splits, [](int64_t split) { return split >= 0; });
    };
    return fits(call.inputSplits) && fits(call.outputSplits);
  }

  /// Members that send one value must agree on its splits, because elements are identified by value alone.
  bool splitsFit() const {
    if (!call_.inputSplits || !splitsFit(call_))
      return false;
    std::vector<const Call *> first(shipment_.sources.size());
    return llvm::all_of(shipment_.members, [&](const Shipment::Member &member) {
      const Call *&other = first[member.source];
      other = other ? other : &member.call;
      return splitsFit(member.call) && other->inputSplits == member.call.inputSplits &&
             other->outputSplits == member.call.outputSplits;
    });
  }

  /// The start of each member's next chunk, on both sides.
  struct Cursor {
    int64_t row = 1; ///< elements in one unit of the splits
    int64_t sent = 0;
    int64_t received = 0;
  };

  // With members a (1 element for each of 2 ranks) and b (2 for each), the buffer must be a[0, 1) b[0, 2) a[1, 2) b[2,
  // 4). Every rank runs this program, so data from another rank has the same layout.

  /// Checks that the chunk for a rank holds each member's own chunk for that rank, whole, in bucket order; so the chunk
  /// from a rank does too.
  Outcome transpose() const {
    if (!splitsFit())
      return "has splits that are no list of one number a rank";
    std::vector<Cursor> cursors;
    for (const Shipment::Member &member : shipment_.members)
      cursors.push_back({rowElements(*shipment_.sources[member.source].sizes), 0, 0});
    Cursor own{rowElements(input_.sizes), 0, 0};
    Runs results;
    for (size_t rank = 0; rank < call_.inputSplits->size(); ++rank) {
      Runs sent;
      int64_t count = (*call_.inputSplits)[rank] * own.row;
      take(*input_.runs, own.sent, count, sent);
      own.sent += count;
      Runs expected;
      int64_t received = chunksOf(rank, cursors, expected, results);
      if (sent != expected)
        return "does not send rank " + std::to_string(rank) +
               " of the group the chunks that its members send it, in bucket order";
      if (received != (*call_.outputSplits)[rank] * own.row)
        return "expects from rank " + std::to_string(rank) +
               " of the group another number of elements than its members do";
    }
    return made(std::move(results));
  }

  /// Appends what the members send to a rank and receive from it; returns the number of elements received.
  int64_t chunksOf(size_t rank, std::vector<Cursor> &cursors, Runs &sent, Runs &results) const {
    int64_t received = 0;
    for (auto [member, cursor] : llvm::zip(shipment_.members, cursors)) {
      int64_t out = (*member.call.inputSplits)[rank] * cursor.row;
      int64_t in = (*member.call.outputSplits)[rank] * cursor.row;
      append(sent, {0, cursor.sent, out, member.source, false});
      append(results, {0, cursor.received, in, member.source, true});
      cursor.sent += out;
      cursor.received += in;
      received += in;
    }
    return received;
  }

  const Call &call_;
  const Shipment &shipment_;
  const Layout &input_;
};

} // namespace

// On 4 ranks, f32[8, 3] is gathered to [32, 3] and scattered to [2, 3]. An all_to_all with output splits [1, 2, 3, 4]
// returns [10, 3] if its input splits add up to 8. A 0-d tensor is gathered to [4].
std::optional<IntList> resultSizes(const Call &call, llvm::ArrayRef<int64_t> sizes) {
  IntList result(sizes.begin(), sizes.end());
  int64_t ranks = call.groupSize.value_or(0);
  CollectiveKind kind = call.spec->kind;
  if (kind == CollectiveKind::AllGather) {
    if (ranks <= 0)
      return std::nullopt;
    if (result.empty())
      result.push_back(1);
    result[0] *= ranks;
  } else if (kind == CollectiveKind::ReduceScatter) {
    if (ranks <= 0 || result.empty() || result[0] % ranks != 0)
      return std::nullopt;
    result[0] /= ranks;
  } else if (kind == CollectiveKind::AllToAll) {
    if (result.empty() || !call.outputSplits || !call.inputSplits)
      return std::nullopt;
    int64_t sent = 0;
    for (int64_t split : *call.inputSplits)
      sent += split;
    if (sent != result[0])
      return std::nullopt;
    result[0] = 0;
    for (int64_t split : *call.outputSplits)
      result[0] += split;
  }
  return result;
}

Outcome exchange(const Call &call, const Shipment &shipment, const Layout &input) {
  return Exchange(call, shipment, input).run();
}

} // namespace ccgraph::legality

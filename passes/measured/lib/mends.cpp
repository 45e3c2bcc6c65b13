#include "mends.h"

#include "overlap_slowdown.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ccgraph::measured {
namespace {

/// The time that one rank or all ranks lose to one thing, by item.
enum class Loss : uint8_t { Compute, Host, Unmatched };

class Mender {
public:
  Mender(const MatchedJob &job, const JobLanes &lanes, JobExplanation &explanation)
      : job_(job), lanes_(lanes), explanation_(explanation), replay_(replayOf(job, lanes)) {}

  void run() {
    const std::optional<int64_t> replayed = replay_.step();
    if (!replayed)
      return;
    explanation_.replayed = *replayed;
    mendCauses();
    mendTransfers();
    mendOverlap();
    mendAll();
    llvm::stable_sort(explanation_.mends, [](const Mend &a, const Mend &b) { return a.saved > b.saved; });
  }

private:
  using Change = llvm::function_ref<void(ReplayJob &)>;

  void consider(const std::string &change, Change apply) {
    constexpr int64_t smallestShare = 1000;
    ReplayJob mended = replay_;
    apply(mended);
    const int64_t saved = explanation_.replayed - mended.step().value_or(explanation_.replayed);
    if (saved > 0 && saved * smallestShare >= explanation_.replayed)
      explanation_.mends.push_back({change, saved});
  }

  [[nodiscard]] std::string nameOf(NodeIndex node) const {
    return node < job_.calls.size() ? job_.calls[node].name : "";
  }

  // --- One rank ------------------------------------------------------------------------------------------------------

  void mendCauses() {
    std::set<std::tuple<Cause::Kind, int64_t, std::string>> seen;
    for (const CollectiveAccount &account : explanation_.collectives) {
      const Cause &cause = account.cause;
      const bool isOfNode = cause.kind == Cause::Kind::Compute;
      if (cause.kind == Cause::Kind::None || cause.kind == Cause::Kind::Collective ||
          !seen.insert({cause.kind, cause.rank, isOfNode ? cause.node : ""}).second)
        continue;
      mendCause(cause);
    }
    std::set<int64_t> ranks;
    for (const auto &[kind, rank, node] : seen)
      if (kind == Cause::Kind::Compute)
        ranks.insert(rank);
    for (int64_t rank : ranks)
      consider("all computation of rank " + std::to_string(rank) + " as fast as on the other ranks",
               [&](ReplayJob &mended) { makeLikeOthers(mended, indexOf(rank), Loss::Compute, ""); });
  }

  void mendCause(const Cause &cause) {
    const std::string rank = "rank " + std::to_string(cause.rank);
    if (cause.kind == Cause::Kind::Compute)
      consider(cause.node + " of " + rank + " as fast as on the other ranks",
               [&](ReplayJob &mended) { makeLikeOthers(mended, indexOf(cause.rank), Loss::Compute, cause.node); });
    else if (cause.kind == Cause::Kind::Host)
      consider("the host of " + rank + " as fast as that of the other ranks",
               [&](ReplayJob &mended) { makeLikeOthers(mended, indexOf(cause.rank), Loss::Host, ""); });
    else
      consider("what is no node (" + cause.node + ") on " + rank + " as fast as on the other ranks",
               [&](ReplayJob &mended) { makeLikeOthers(mended, indexOf(cause.rank), Loss::Unmatched, ""); });
  }

  [[nodiscard]] size_t indexOf(int64_t rank) const {
    size_t index = 0;
    while (lanes_.ranks[index].rank != rank)
      ++index;
    return index;
  }

  [[nodiscard]] std::vector<const ReplayItem *> others(size_t rank, const ItemKey &key) {
    if (items_.empty())
      for (const auto &items : replay_.ranks) {
        auto &own = items_.emplace_back();
        for (const ReplayItem &item : items)
          own[item.key] = &item;
      }
    std::vector<const ReplayItem *> found;
    for (size_t other = 0; other != items_.size(); ++other)
      if (auto item = items_[other].find(key); other != rank && item != items_[other].end())
        found.push_back(item->second);
    return found;
  }

  /// Replaces the times of one loss by the medians of the other ranks; `node`: the only node, or empty for all.
  void makeLikeOthers(ReplayJob &mended, size_t rank, Loss loss, const std::string &node) {
    for (ReplayItem &item : mended.ranks[rank]) {
      const bool isCompute = item.key.kind == ItemKey::Kind::Compute;
      if (isCompute != (loss == Loss::Compute) || (!node.empty() && nameOf(item.key.node) != node))
        continue;
      const std::vector<const ReplayItem *> like = others(rank, item.key);
      if (like.empty())
        continue;
      auto medianBy = [&](auto valueOf) {
        std::vector<int64_t> values;
        for (const ReplayItem *other : like)
          values.push_back(valueOf(*other));
        return medianOf(std::move(values));
      };
      const int64_t unmatched = medianBy([](const ReplayItem &it) { return it.unmatched; });
      const int64_t idle = medianBy([](const ReplayItem &it) { return it.duration - it.unmatched; });
      if (loss == Loss::Unmatched) {
        item.duration += std::min<int64_t>(0, unmatched - item.unmatched);
      } else {
        item.duration += std::min<int64_t>(0, idle - (item.duration - item.unmatched));
        item.delay = std::min(item.delay, medianBy([](const ReplayItem &it) { return it.delay; }));
      }
    }
  }

  // --- Collectives ---------------------------------------------------------------------------------------------------

  /// Collectives of one kind that move as many bytes between as many ranks.
  using TransferClass = std::tuple<CollectiveKind, int64_t, size_t>;
  [[nodiscard]] std::optional<TransferClass> classOf(const ReplayTransfer &transfer) const {
    const Call &call = job_.calls[transfer.node];
    if (!call.bytes)
      return std::nullopt;
    return TransferClass{*call.kind, *call.bytes, transfer.members.size()};
  }

  /// Returns the median of the equal collectives but those that `isOwn` selects; nothing if there is none.
  [[nodiscard]] std::optional<int64_t> usualTime(const ReplayTransfer &transfer,
                                                 llvm::function_ref<bool(const ReplayTransfer &)> isOwn) const {
    std::vector<int64_t> times;
    const auto own = classOf(transfer);
    for (const ReplayTransfer &other : replay_.transfers)
      if (own && classOf(other) == own && !isOwn(other))
        times.push_back(other.duration);
    return times.empty() ? std::nullopt : std::optional(medianOf(std::move(times)));
  }

  /// The links of a set of ranks may be slow, or one collective alone.
  void mendTransfers() {
    std::set<std::vector<size_t>> cells;
    for (const ReplayTransfer &transfer : replay_.transfers)
      cells.insert(transfer.members);
    for (const std::vector<size_t> &cell : cells)
      mendSlow("the collectives of ranks " + membersText(cell) + " as fast as equal ones of other ranks",
               [&](const ReplayTransfer &transfer) { return transfer.members == cell; });
    if (cells.size() == 1)
      for (const ReplayTransfer &slow : replay_.transfers)
        mendSlow(nameOf(slow.node) + " as fast as equal collectives",
                 [&](const ReplayTransfer &transfer) { return transfer.node == slow.node; });
  }

  [[nodiscard]] std::string membersText(llvm::ArrayRef<size_t> members) const {
    std::string text;
    for (size_t member : members)
      text += (text.empty() ? "" : ", ") + std::to_string(lanes_.ranks[member].rank);
    return "[" + text + "]";
  }

  void mendSlow(const std::string &change, llvm::function_ref<bool(const ReplayTransfer &)> isOwn) {
    consider(change, [&](ReplayJob &mended) {
      for (ReplayTransfer &transfer : mended.transfers)
        if (isOwn(transfer))
          if (std::optional<int64_t> usual = usualTime(transfer, isOwn))
            transfer.duration = std::min(transfer.duration, *usual);
    });
  }

  // --- All ranks -----------------------------------------------------------------------------------------------------

  void mendOverlap() {
    const OverlapSlowdown slowdown = slowdownOf(job_, lanes_);
    explanation_.overlapped = slowdown.overlapped;
    explanation_.overlapJudged = slowdown.judged;
    explanation_.slowedByOverlap = slowdown.slowed;
    consider("no computation slowed by communication", [&](ReplayJob &mended) {
      for (size_t rank = 0; rank != mended.ranks.size(); ++rank)
        for (ReplayItem &item : mended.ranks[rank])
          if (auto beyond = slowdown.beyond[rank].find(item.key); beyond != slowdown.beyond[rank].end())
            item.duration = std::max<int64_t>(0, item.duration - beyond->second);
    });
  }

  void mendAll() {
    consider("no pause of any host between nodes", [](ReplayJob &mended) {
      for (auto &items : mended.ranks)
        for (ReplayItem &item : items) {
          if (item.key.kind == ItemKey::Kind::Pause)
            item.duration = item.unmatched;
          if (item.key.kind == ItemKey::Kind::Wait)
            item.duration = 0;
          item.delay = 0;
        }
    });
    consider("no time for the data of any collective", [](ReplayJob &mended) {
      for (ReplayTransfer &transfer : mended.transfers)
        transfer.duration = 0;
    });
    if (lanes_.ranks.size() > 1)
      consider("every rank as fast as the others", [&](ReplayJob &mended) {
        for (size_t rank = 0; rank != mended.ranks.size(); ++rank)
          for (Loss loss : {Loss::Compute, Loss::Host, Loss::Unmatched})
            makeLikeOthers(mended, rank, loss, "");
      });
  }

  const MatchedJob &job_;
  const JobLanes &lanes_;
  JobExplanation &explanation_;
  ReplayJob replay_;
  std::vector<std::map<ItemKey, const ReplayItem *>> items_; ///< by rank, of `replay_`
};

} // namespace

void addMends(const MatchedJob &job, const JobLanes &lanes, JobExplanation &explanation) {
  Mender(job, lanes, explanation).run();
}

} // namespace ccgraph::measured

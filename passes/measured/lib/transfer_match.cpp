#include "transfer_match.h"

#include "ccgraph/ir/machine.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace ccgraph::measured {
namespace {

using RecordKey = std::pair<CollectiveKind, std::string>;
using Records = std::map<RecordKey, std::vector<const ProfileEvent *>>;
using Launches = std::map<RecordKey, std::vector<NodeIndex>>;

using RecordedKind = CollectiveKind (*)(CollectiveKind);

/// The properties that must be equal between a record and its launch.
struct Likeness {
  std::string (*group)(const std::string &);
  RecordedKind recordedKind; ///< of a launch: the kind that its record has
};

/// Gloo executes a reduce_scatter as an all_reduce and records that (PyTorch, ProcessGroupGloo.cpp).
CollectiveKind recordedByGloo(CollectiveKind kind) {
  return kind == CollectiveKind::ReduceScatter ? CollectiveKind::AllReduce : timedAs(kind);
}

class TransferMatcher {
public:
  TransferMatcher(llvm::ArrayRef<const ProfileEvent *> records, const RankProfile &profile, llvm::ArrayRef<Call> calls)
      : profile_(profile), calls_(calls) {
    for (const ProfileEvent *record : records)
      if (recordOf(*record).kind)
        left_.push_back(record);
      else
        found_.others.push_back(record);
    for (size_t i = 0; i != calls.size(); ++i)
      if (calls[i].kind)
        launchesLeft_.insert(static_cast<NodeIndex>(i));
  }

  FoundTransfers run() {
    for (RecordedKind recordedKind : {timedAs, recordedByGloo}) {
      matchBy({[](const std::string &group) { return group; }, recordedKind});
      matchBy({[](const std::string &) { return std::string(); }, recordedKind});
    }
    llvm::append_range(found_.others, left_);
    llvm::sort(found_.matched, [](const auto &a, const auto &b) { return a.second->begin < b.second->begin; });
    return std::move(found_);
  }

private:
  [[nodiscard]] const ProfiledCollective &recordOf(const ProfileEvent &event) const {
    return profile_.collectives[static_cast<size_t>(event.collective)];
  }

  void matchBy(Likeness like) {
    Records records;
    Launches launches;
    for (const ProfileEvent *event : left_)
      records[{timedAs(*recordOf(*event).kind), like.group(recordOf(*event).group)}].push_back(event);
    for (NodeIndex node : launchesLeft_)
      launches[{like.recordedKind(*calls_[node].kind), like.group(calls_[node].group)}].push_back(node);
    for (auto &[key, events] : records)
      if (auto own = launches.find(key); own != launches.end() && own->second.size() == events.size())
        matchInOrder(events, own->second);
  }

  void matchInOrder(std::vector<const ProfileEvent *> &events, llvm::ArrayRef<NodeIndex> launches) {
    llvm::stable_sort(events, [&](const ProfileEvent *a, const ProfileEvent *b) { return comesBefore(*a, *b); });
    for (size_t i = 0; i != events.size(); ++i)
      if (const auto &stated = recordOf(*events[i]).bytes, &known = calls_[launches[i]].bytes;
          stated && known && *stated != *known) {
        found_.notes.push_back(calls_[launches[i]].name + " moves " + std::to_string(*known) +
                               " bytes in the graph, and " + std::to_string(*stated) + " in the trace");
        return;
      }
    for (size_t i = 0; i != events.size(); ++i) {
      found_.matched.emplace_back(launches[i], events[i]);
      launchesLeft_.erase(launches[i]);
    }
    llvm::erase_if(left_, [&](const ProfileEvent *event) { return llvm::is_contained(events, event); });
  }

  [[nodiscard]] bool comesBefore(const ProfileEvent &a, const ProfileEvent &b) const {
    const ProfiledCollective &first = recordOf(a), &second = recordOf(b);
    if (first.sequence && second.sequence && first.group == second.group && first.sequence != second.sequence)
      return *first.sequence < *second.sequence;
    return a.begin < b.begin;
  }

  const RankProfile &profile_;
  llvm::ArrayRef<Call> calls_;
  std::vector<const ProfileEvent *> left_;
  std::set<NodeIndex> launchesLeft_;
  FoundTransfers found_;
};

} // namespace

FoundTransfers matchTransfers(llvm::ArrayRef<const ProfileEvent *> records, const RankProfile &profile,
                              llvm::ArrayRef<Call> calls) {
  return TransferMatcher(records, profile, calls).run();
}

} // namespace ccgraph::measured

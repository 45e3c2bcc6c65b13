#include "causes.h"

#include "accounts.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::measured {
namespace {

/// One kind of cause: its sum, and its largest part.
struct Part {
  int64_t sum = 0;
  int64_t most = 0;
  std::string name;
  void add(int64_t time, const std::string &what) {
    sum += time;
    if (time > most)
      most = time, name = what;
  }
};

} // namespace

struct CauseFinder::Excess {
  Part compute;
  Part host;
  Part unmatched;
  Part stall;
  struct Stall {
    const Item *item = nullptr;
    size_t step = 0;
  };
  Stall beyondOthers; ///< the stall that is longest beyond those of the others
  Stall longest;
  std::string since;
};

llvm::StringRef causeKindName(Cause::Kind kind) {
  switch (kind) {
  case Cause::Kind::None:
    return "none";
  case Cause::Kind::Compute:
    return "compute";
  case Cause::Kind::Host:
    return "host";
  case Cause::Kind::Unmatched:
    return "unmatched";
  case Cause::Kind::Collective:
    return "collective";
  }
  llvm_unreachable("no such kind");
}

CauseFinder::CauseFinder(const MatchedJob &job, const JobLanes &lanes) : job_(job), lanes_(lanes) {
  for (const RankLane &lane : lanes.ranks) {
    Flat &flat = flat_.emplace_back();
    for (size_t step = 0; step != lane.steps.size(); ++step)
      for (const Item &item : lane.steps[step]) {
        flat.places[{step, item.key}] = flat.items.size();
        flat.items.push_back(&item);
        flat.steps.push_back(step);
      }
  }
}

/// Returns when the lane of a rank launches the collective; nothing if the launch has no event.
std::optional<int64_t> CauseFinder::launchTime(const JointTransfer &joint, size_t rank) const {
  const Item *launch = lanes_.item(rank, joint.step, {ItemKey::Kind::Launch, joint.node, 0});
  return launch ? std::optional(launch->begin) : std::nullopt;
}

/// Returns the median of a value of the members but the last one; 0 if none of them has it.
int64_t CauseFinder::medianOfOthers(const JointTransfer &joint,
                                    llvm::function_ref<std::optional<int64_t>(size_t)> valueOf) const {
  std::vector<int64_t> values;
  for (size_t rank : joint.members)
    if (rank != joint.members[joint.last])
      if (std::optional<int64_t> value = valueOf(rank))
        values.push_back(*value);
  return medianOf(std::move(values));
}

// Clocks are not aligned exactly, so a rank counts as late where it is behind by a twentieth of its lateness at the
// arrival.
bool CauseFinder::isLate(const JointTransfer &joint, const Flat &flat, size_t place) const {
  constexpr int64_t share = 20;
  const Item &item = *flat.items[place];
  const size_t step = flat.steps[place];
  bool isKnown = false;
  const int64_t others = medianOfOthers(joint, [&](size_t rank) -> std::optional<int64_t> {
    const Item *own = lanes_.item(rank, step, item.key);
    isKnown |= own != nullptr;
    return own ? std::optional(own->end) : std::nullopt;
  });
  std::vector<int64_t> arrivals = joint.arrivals;
  arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(joint.last));
  const int64_t lateness = joint.lastArrival() - medianOf(std::move(arrivals));
  return !isKnown || item.end - others > lateness / share;
}

std::string CauseFinder::nameOf(const ItemKey &key) const {
  if (key.kind == ItemKey::Kind::Between)
    return "the next step";
  return key.node < job_.calls.size() ? job_.calls[key.node].name : "the end of the step";
}

void CauseFinder::addItem(const JointTransfer &joint, const Flat &flat, size_t place, Excess &excess) const {
  const Item &item = *flat.items[place];
  const size_t step = flat.steps[place];
  auto beyondOthers = [&](auto valueOf) {
    return valueOf(joint.members[joint.last], item) - medianOfOthers(joint, [&](size_t rank) -> std::optional<int64_t> {
             const Item *own = lanes_.item(rank, step, item.key);
             return own ? std::optional(valueOf(rank, *own)) : std::nullopt;
           });
  };
  const std::string name = nameOf(item.key);
  const int64_t longer = beyondOthers([](size_t, const Item &it) { return it.duration(); });
  switch (item.key.kind) {
  case ItemKey::Kind::Compute:
    return excess.compute.add(longer, name);
  case ItemKey::Kind::Wait: {
    // The program may run again some time after the collective has ended.
    const int64_t after = beyondOthers(
        [&](size_t rank, const Item &it) { return partsOf(it, awaited(job_, lanes_, step, rank, it)).after; });
    if (longer - after > excess.stall.most)
      excess.beyondOthers = {&item, step};
    if (!excess.longest.item || item.duration() > excess.longest.item->duration())
      excess.longest = {&item, step};
    excess.host.add(after, name);
    return excess.stall.add(longer - after, name);
  }
  case ItemKey::Kind::Launch:
  case ItemKey::Kind::Pause:
  case ItemKey::Kind::Between:
    const int64_t inEvents = beyondOthers([](size_t, const Item &it) { return it.unmatched; });
    excess.unmatched.add(inEvents, item.unmatchedName);
    return excess.host.add(longer - inEvents, name);
  }
}

Cause CauseFinder::causeOf(const JointTransfer &joint, unsigned depth) const {
  const size_t late = joint.members[joint.last];
  const Flat &flat = flat_[late];
  auto launch = flat.places.find({joint.step, ItemKey{ItemKey::Kind::Launch, joint.node, 0}});
  if (launch == flat.places.end())
    return {Cause::Kind::None, lanes_.ranks[late].rank};
  Excess excess;
  const int64_t ownDelay = joint.lastArrival() - flat.items[launch->second]->begin;
  excess.host.add(ownDelay - medianOfOthers(joint,
                                            [&](size_t rank) -> std::optional<int64_t> {
                                              const std::optional<int64_t> time = launchTime(joint, rank);
                                              auto place = llvm::find(joint.members, rank) - joint.members.begin();
                                              return time ? std::optional(joint.arrivals[place] - *time) : std::nullopt;
                                            }),
                  job_.calls[joint.node].name);
  size_t place = launch->second;
  excess.since = job_.calls[joint.node].name;
  // One period is enough: a rank that is late in every step has the same causes in each.
  auto earlier = joint.step == 0 ? flat.places.end()
                                 : flat.places.find({joint.step - 1, ItemKey{ItemKey::Kind::Launch, joint.node, 0}});
  const size_t first = earlier == flat.places.end() ? 0 : earlier->second + 1;
  while (place > first && isLate(joint, flat, place - 1)) {
    --place;
    addItem(joint, flat, place, excess);
    excess.since = nameOf(flat.items[place]->key);
  }
  return largest(joint, excess, depth);
}

Cause CauseFinder::largest(const JointTransfer &joint, const Excess &excess, unsigned depth) const {
  constexpr unsigned longestChain = 16;
  constexpr int64_t smallestShare = 20;
  Cause cause{Cause::Kind::None, lanes_.ranks[joint.members[joint.last]].rank, "", excess.since, 0};
  auto consider = [&](Cause::Kind kind, const Part &part) {
    if (part.sum > cause.nanoseconds)
      cause.kind = kind, cause.node = part.name, cause.nanoseconds = part.sum;
  };
  consider(Cause::Kind::Compute, excess.compute);
  consider(Cause::Kind::Host, excess.host);
  consider(Cause::Kind::Unmatched, excess.unmatched);
  // A rank that is late in every step by the same time spends as long as the others in a period, but stalls where they
  // do not. Its longest stall leads to the rank that delays all.
  const bool isSteady = cause.kind == Cause::Kind::None;
  const Excess::Stall &stall = excess.beyondOthers.item || !isSteady ? excess.beyondOthers : excess.longest;
  if ((excess.stall.sum <= cause.nanoseconds && !isSteady) || !stall.item)
    return cause;
  const size_t late = joint.members[joint.last];
  for (NodeIndex launch : job_.calls[stall.item->key.node].launches)
    if (const JointTransfer *earlier = lanes_.find(stall.step, launch, late)) {
      // The collective ended later by what its last rank came after this one, whenever this one began to wait.
      const auto own = llvm::find(earlier->members, late) - earlier->members.begin();
      const int64_t heldBack = earlier->lastArrival() - earlier->arrivals[static_cast<size_t>(own)];
      const bool waitsForAnother = heldBack * smallestShare > stall.item->duration();
      if (waitsForAnother && depth < longestChain)
        if (Cause further = causeOf(*earlier, depth + 1); further.kind != Cause::Kind::None)
          return further;
      if (excess.stall.most > 0)
        cause = {Cause::Kind::Collective, cause.rank, job_.calls[launch].name, excess.since,
                 isSteady ? excess.stall.most : excess.stall.sum};
    }
  return cause;
}

} // namespace ccgraph::measured

#include "match.h"

#include "differences.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {
namespace {

class Matcher {
public:
  Matcher(const JobData &job, const Classes &classes) : job_(job), classes_(classes) {}

  Matches run() {
    readOrders();
    for (const Form &form : classes_.forms)
      if (hasCollectives(form))
        matchForm(form);
    for (Id rankClass = 0; rankClass < classes_.size(); ++rankClass) {
      matchChannels(rankClass);
      findOwn(rankClass);
    }
    return {std::move(findings_), std::move(conditions_)};
  }

private:
  /// By set: the order that each rank's table gives, and the rank.
  void readOrders() {
    orders_.resize(job_.sets.size());
    for (Id rank = 0; rank < job_.ranks.size(); ++rank)
      for (Id order : job_.ranks[rank].orders) {
        if (order == none)
          continue;
        auto &stated = orders_[job_.orders[order].set];
        if (stated.empty() || stated.back().first != rank)
          stated.emplace_back(rank, order);
      }
  }

  const std::vector<Id> &sequenceOf(const Seat &seat) const {
    static const std::vector<Id> nothing;
    return seat.local == none ? nothing : classes_.roleOf(seat.rankClass).sequences[seat.local];
  }
  bool hasCollectives(const Form &form) const {
    return llvm::any_of(form.seats, [&](const Seat &seat) { return !sequenceOf(seat).empty(); });
  }

  /// Sets of one form agree alike if their tables order the members alike.
  void matchForm(const Form &form) {
    std::map<std::vector<Id>, std::vector<Id>> setsByOrder;
    for (Id set : form.sets)
      if (!reportOrders(set))
        setsByOrder[placesOf(set)].push_back(set);
    for (const auto &[places, sets] : setsByOrder)
      matchSequences(places, sets);
  }

  /// Returns the members with graphs in the order of the group, as indices of the sorted set.
  std::vector<Id> placesOf(Id set) const {
    std::vector<Id> places;
    for (int64_t rank : job_.orders[orders_[set].front().second].ranks)
      if (job_.rankIds.count(rank) != 0)
        places.push_back(static_cast<Id>(llvm::lower_bound(job_.sets[set], rank) - job_.sets[set].begin()));
    return places;
  }

  /// Reports tables that order the members differently; returns false if they agree.
  bool reportOrders(Id set) {
    std::vector<std::string> stated;
    std::vector<Id> ranks;
    for (auto [rank, order] : orders_[set]) {
      if (!job_.isMember(set, job_.ranks[rank].rank))
        continue;
      ranks.push_back(rank);
      stated.push_back(std::to_string(order));
    }
    if (llvm::is_splat(stated))
      return false;
    Finding finding;
    finding.rule = Rule::Members;
    finding.group = job_.sets[set];
    for (Id culprit : minorityOf(stated))
      finding.culprits.push_back(job_.ranks[ranks[culprit]].rank);
    llvm::sort(finding.culprits);
    findings_.push_back(std::move(finding));
    return true;
  }

  /// The k-th launch of each member of a set, in the order of the group.
  struct Sequences {
    std::vector<Seat> seats;
    size_t shortest = 0, longest = 0;
  };

  void matchSequences(const std::vector<Id> &places, const std::vector<Id> &sets) {
    Sequences all;
    for (Id place : places)
      all.seats.push_back(seatAt(sets.front(), place));
    std::vector<Seat> distinct = all.seats;
    llvm::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    all.shortest = all.longest = sequenceOf(distinct.front()).size();
    for (const Seat &seat : distinct) {
      all.shortest = std::min(all.shortest, sequenceOf(seat).size());
      all.longest = std::max(all.longest, sequenceOf(seat).size());
    }
    for (size_t k = 0; k < all.longest; ++k) {
      std::vector<Difference> found = k < all.shortest ? differencesAt(all, distinct, k) : std::vector<Difference>();
      if (found.empty() && k < all.shortest) {
        if (!areAlike(distinct, k))
          noteSizes(places, sets.front(), k);
        continue;
      }
      if (all.shortest != all.longest)
        found = {differenceOfLengths(all)};
      for (const Difference &difference : found)
        for (Id set : sets)
          report(difference, set, places, k);
      return;
    }
  }

  Seat seatAt(Id set, Id place) const {
    Id rank = job_.rankIds.lookup(job_.sets[set][place]);
    return {classes_.members[rank].rankClass, classes_.locals[set][place]};
  }

  const Call &callAt(const Seat &seat, size_t k) const {
    const Program &program = *job_.programs[classes_.roleOf(seat.rankClass).program];
    return job_.calls[program.launches[sequenceOf(seat)[k]].call];
  }

  [[nodiscard]] bool areAlike(llvm::ArrayRef<Seat> distinct, size_t k) const {
    const Call &first = callAt(distinct.front(), k);
    return llvm::all_of(distinct, [&](const Seat &seat) { return &callAt(seat, k) == &first; });
  }

  std::vector<Difference> differencesAt(const Sequences &all, llvm::ArrayRef<Seat> distinct, size_t k) const {
    if (areAlike(distinct, k) && callAt(distinct.front(), k).kind != CollectiveKind::AllToAll)
      return {};
    std::vector<const Call *> calls;
    for (const Seat &seat : all.seats)
      calls.push_back(&callAt(seat, k));
    return differencesOf(calls);
  }

  /// Members agree about a symbolic size if they state equal expressions, and else under a condition.
  void noteSizes(const std::vector<Id> &places, Id set, size_t k) {
    const Call *first = nullptr;
    int64_t firstRank = 0;
    for (Id place : places) {
      const Call &call = callAt(seatAt(set, place), k);
      int64_t rank = job_.sets[set][place];
      if (first && noteCondition({*first, firstRank}, {call, rank}, [&] {
            return "collective " + std::to_string(k + 1) + " of the group of " + spansText(job_.sets[set]);
          }))
        return;
      if (!first)
        std::tie(first, firstRank) = std::pair(&call, rank);
    }
  }

  struct Stated {
    const Call &call;
    int64_t rank;
  };
  /// Returns whether the sizes agree only under a condition, which is kept.
  bool noteCondition(const Stated &a, const Stated &b, llvm::function_ref<std::string()> where) {
    constexpr size_t mostConditions = 8;
    if (&a.call == &b.call || (a.call.symbols.empty() && b.call.symbols.empty()) ||
        sizeText(a.call) == sizeText(b.call))
      return false;
    if (conditions_.size() < mostConditions)
      conditions_.push_back(where() + " agrees only if " + sizeText(a.call) + " of rank " + std::to_string(a.rank) +
                            " and " + sizeText(b.call) + " of rank " + std::to_string(b.rank) +
                            " are the same number of elements");
    return true;
  }

  /// Returns "[s0, 4]", or "64 elements".
  static std::string sizeText(const Call &call) {
    if (!call.symbols.empty())
      return call.symbols;
    int64_t elements = 0;
    for (const CollectiveFingerprint::Row &row : call.rows)
      elements += row.elements.value_or(0);
    return std::to_string(elements) + (elements == 1 ? " element" : " elements");
  }

  Difference differenceOfLengths(const Sequences &all) const {
    Difference difference{Rule::Missing, {}, {}};
    for (const Seat &seat : all.seats)
      difference.stated.push_back(std::to_string(sequenceOf(seat).size()));
    difference.culprits = minorityOf(difference.stated);
    for (std::string &stated : difference.stated)
      stated += stated == "1" ? " collective on the group" : " collectives on the group";
    return difference;
  }

  void report(const Difference &difference, Id set, const std::vector<Id> &places, size_t k) {
    Finding finding;
    finding.rule = difference.rule;
    finding.group = job_.sets[set];
    finding.sequence = k + 1;
    for (Id i = 0; i < places.size(); ++i) {
      Id rank = job_.rankIds.lookup(job_.sets[set][places[i]]);
      const std::vector<Id> &sequence = sequenceOf(seatAt(set, places[i]));
      Id launch = k < sequence.size() ? sequence[k] : none;
      bool isCulprit = std::binary_search(difference.culprits.begin(), difference.culprits.end(), i);
      (isCulprit ? finding.culprits : finding.othersRanks).push_back(job_.ranks[rank].rank);
      if (isCulprit && launch != none)
        finding.nodes.push_back(nodeOf(job_, rank, launch, difference.stated[i]));
      if (!isCulprit && !finding.others && launch != none)
        finding.others = nodeOf(job_, rank, launch, difference.stated[i]);
    }
    llvm::sort(finding.culprits);
    llvm::sort(finding.othersRanks);
    llvm::stable_sort(finding.nodes, [](const FindingNode &a, const FindingNode &b) { return a.rank < b.rank; });
    findings_.push_back(std::move(finding));
  }

  // --- Transfers --------------------------------------------------------------------------------------------------
  /// Compares the ends of each channel once: at the sender, or at the receiver if no rank sends.
  void matchChannels(Id rankClass) {
    const Member &member = classes_.representative(rankClass);
    const Role &role = classes_.roleOf(rankClass);
    for (Id channel = 0; channel < role.numChannels; ++channel) {
      const Member::End &end = member.ends[channel];
      if (end.rank == none || (role.receives[channel] && end.channel != none))
        continue;
      static const std::vector<Role::Passage> nothing;
      const auto &own = role.channels[channel];
      const auto &other =
          end.channel == none ? nothing : classes_.roleOf(classes_.members[end.rank].rankClass).channels[end.channel];
      if (own.size() != other.size())
        reportPartner(rankClass, channel, own, other);
      else
        compareSizes(rankClass, channel, own, other);
    }
  }

  void reportPartner(Id rankClass, Id channel, llvm::ArrayRef<Role::Passage> own, llvm::ArrayRef<Role::Passage> other) {
    size_t place = std::min(own.size(), other.size());
    bool isOwn = own.size() > place;
    for (Id rank : classes_.ranksOf[rankClass]) {
      const Member::End &end = classes_.members[rank].ends[channel];
      Finding finding = atChannel(Rule::P2PPartner, rank, end, place);
      bool receives = classes_.roleOf(rankClass).receives[channel] == isOwn;
      const Role::Passage &passage = (isOwn ? own : other)[place];
      finding.nodes.push_back(nodeOf(job_, isOwn ? rank : end.rank, passage.launch,
                                     (receives ? "receives " : "sends ") + callText(job_.calls[passage.call])));
      findings_.push_back(std::move(finding));
    }
  }

  void compareSizes(Id rankClass, Id channel, llvm::ArrayRef<Role::Passage> own, llvm::ArrayRef<Role::Passage> other) {
    for (size_t place = 0; place < own.size(); ++place) {
      const Call &sent = job_.calls[own[place].call], &received = job_.calls[other[place].call];
      if (haveOneSize(sent, received)) {
        Id rank = classes_.ranksOf[rankClass].front();
        const Member::End &end = classes_.members[rank].ends[channel];
        noteCondition({sent, job_.ranks[rank].rank}, {received, end.globalRank}, [&] {
          return "transfer " + std::to_string(place + 1) + " from rank " + std::to_string(job_.ranks[rank].rank) +
                 " to rank " + std::to_string(end.globalRank);
        });
        continue;
      }
      for (Id rank : classes_.ranksOf[rankClass]) {
        const Member::End &end = classes_.members[rank].ends[channel];
        Finding finding = atChannel(Rule::P2PSize, rank, end, place);
        finding.nodes.push_back(nodeOf(job_, rank, own[place].launch, "sends " + callText(sent)));
        finding.nodes.push_back(nodeOf(job_, end.rank, other[place].launch, "receives " + callText(received)));
        findings_.push_back(std::move(finding));
      }
      return;
    }
  }

  static bool haveOneSize(const Call &a, const Call &b) {
    if (a.rows.size() != b.rows.size())
      return false;
    for (auto [x, y] : llvm::zip(a.rows, b.rows))
      if ((x.dtype && y.dtype && *x.dtype != *y.dtype) || (x.elements && y.elements && *x.elements != *y.elements))
        return false;
    return true;
  }

  Finding atChannel(Rule rule, Id rank, const Member::End &end, size_t place) const {
    Finding finding;
    finding.rule = rule;
    finding.group = job_.sets[end.set];
    finding.sequence = place + 1;
    finding.culprits = {job_.ranks[rank].rank, end.globalRank};
    llvm::sort(finding.culprits);
    finding.culprits.erase(std::unique(finding.culprits.begin(), finding.culprits.end()), finding.culprits.end());
    return finding;
  }

  // --- Findings of one rank ---------------------------------------------------------------------------------------
  void findOwn(Id rankClass) {
    const Role &role = classes_.roleOf(rankClass);
    const Program &program = *job_.programs[role.program];
    for (Id launch = 0; launch < program.launches.size(); ++launch) {
      bool isOutside = role.localOf[program.launches[launch].group] == none;
      if (!isOutside && !program.launches[launch].neverWaited)
        continue;
      for (Id rank : classes_.ranksOf[rankClass]) {
        Finding finding;
        finding.rule = isOutside ? Rule::Outside : Rule::NeverWaited;
        finding.group = job_.sets[job_.orders[job_.ranks[rank].orders[program.launches[launch].group]].set];
        finding.culprits = {job_.ranks[rank].rank};
        finding.nodes.push_back(
            nodeOf(job_, rank, launch, isOutside ? "does nothing, since the rank is no member" : "has no wait"));
        findings_.push_back(std::move(finding));
      }
    }
  }

  const JobData &job_;
  const Classes &classes_;
  std::vector<std::vector<std::pair<Id, Id>>> orders_;
  std::vector<Finding> findings_;
  std::vector<std::string> conditions_;
};

} // namespace

FindingNode nodeOf(const JobData &job, Id rank, Id launch, std::string text) {
  const Rank &own = job.ranks[rank];
  const Launch &from = job.programOf(own).launches[launch];
  return {own.rank, job.nameOf(own, from), job.placeOf(own, from), std::move(text)};
}

Matches matchRanks(const JobData &job, const Classes &classes) { return Matcher(job, classes).run(); }

} // namespace ccgraph::jobs

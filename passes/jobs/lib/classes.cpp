#include "classes.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <unordered_map>

namespace ccgraph::jobs {
namespace {

using Key = std::vector<Id>;
struct KeyHash {
  size_t operator()(const Key &key) const { return llvm::hash_combine_range(key.begin(), key.end()); }
};

/// Numbers distinct keys in the order of their first appearance.
class Numbers {
public:
  Id of(const Key &key) { return ids_.try_emplace(key, static_cast<Id>(ids_.size())).first->second; }
  [[nodiscard]] size_t size() const { return ids_.size(); }

private:
  std::unordered_map<Key, Id, KeyHash> ids_;
};

/// Resolves the names of each rank's program, and finds the roles.
class RoleFinder {
public:
  RoleFinder(const JobData &job, Classes &classes) : job_(job), classes_(classes) {}

  void run() {
    for (const Rank &rank : job_.ranks)
      resolve(rank);
    connect();
  }

private:
  void resolve(const Rank &rank) {
    const Program &program = job_.programOf(rank);
    Member member;
    Key key = {rank.program};
    for (Id group = 0; group < program.usedGroups; ++group) {
      Id set = rank.orders[group] == none ? none : job_.orders[rank.orders[group]].set;
      bool isMember = set != none && job_.isMember(set, rank.rank);
      key.push_back(isMember ? localOf(member, set) : none);
    }
    for (const Transfer &transfer : program.transfers)
      key.push_back(key[1 + transfer.group] == none ? none : channelOf(rank, transfer, member));
    member.role = roles_.of(key);
    if (member.role == classes_.roles.size())
      classes_.roles.push_back(makeRole(program, key, member));
    classes_.members.push_back(std::move(member));
  }

  static Id localOf(Member &member, Id set) {
    auto local = static_cast<Id>(llvm::find(member.sets, set) - member.sets.begin());
    if (local == member.sets.size())
      member.sets.push_back(set);
    return local;
  }

  // Two names may mean one set, so a channel is found by the set and the rank at its other end.
  Id channelOf(const Rank &rank, const Transfer &transfer, Member &member) {
    const RankOrder &order = job_.orders[rank.orders[transfer.group]];
    int64_t peer = order.ranks[static_cast<size_t>(transfer.peer)];
    ChannelKey key{order.set, transfer.receives ? peer : rank.rank, transfer.receives ? rank.rank : peer, transfer.tag};
    Ends &ends = channels_[key];
    Id &own = transfer.receives ? ends.receiver : ends.sender;
    if (own == none) {
      own = static_cast<Id>(member.ends.size());
      member.ends.push_back({job_.rankIds.count(peer) != 0 ? job_.rankIds.lookup(peer) : none, none, peer, order.set});
    }
    keys_[{static_cast<Id>(classes_.members.size()), own}] = key;
    return own;
  }

  static Role makeRole(const Program &program, const Key &key, const Member &member) {
    Role role;
    role.program = key.front();
    role.localOf.assign(key.begin() + 1, key.begin() + 1 + program.usedGroups);
    role.channelOf.assign(key.begin() + 1 + program.usedGroups, key.end());
    role.numLocals = static_cast<Id>(member.sets.size());
    role.numChannels = static_cast<Id>(member.ends.size());
    role.sequences.resize(role.numLocals);
    role.channels.resize(role.numChannels);
    role.receives.resize(role.numChannels);
    for (size_t i = 0; i < program.transfers.size(); ++i)
      if (role.channelOf[i] != none)
        role.receives[role.channelOf[i]] = program.transfers[i].receives;
    for (size_t i = 0; i < program.launches.size(); ++i) {
      const Launch &launch = program.launches[i];
      if (role.localOf[launch.group] == none)
        continue;
      if (!launch.isTransfer)
        role.sequences[role.localOf[launch.group]].push_back(static_cast<Id>(i));
      for (const Move &move : program.movesOf(launch))
        role.channels[role.channelOf[move.transfer]].push_back({static_cast<Id>(i), move.call});
    }
    return role;
  }

  void connect() {
    for (auto &[place, key] : keys_) {
      const Ends &ends = channels_[key];
      Member::End &end = classes_.members[place.first].ends[place.second];
      bool receives = classes_.roles[classes_.members[place.first].role].receives[place.second];
      end.channel = receives ? ends.sender : ends.receiver;
    }
  }

  struct ChannelKey {
    Id set = 0;
    int64_t sender = 0, receiver = 0, tag = 0;
    friend auto operator<=>(const ChannelKey &, const ChannelKey &) = default;
  };
  struct Ends {
    Id sender = none, receiver = none;
  };
  const JobData &job_;
  Classes &classes_;
  Numbers roles_;
  std::map<ChannelKey, Ends> channels_;
  /// by rank and local channel
  std::map<std::pair<Id, Id>, ChannelKey> keys_;
};

/// Refines the division by roles until the members of the groups of each class have the same classes.
class Refiner {
public:
  Refiner(const JobData &job, Classes &classes) : job_(job), classes_(classes), color_(job.ranks.size()) {}

  void run() {
    findSeats();
    for (size_t rank = 0; rank < color_.size(); ++rank)
      color_[rank] = classes_.members[rank].role;
    size_t colors = classes_.roles.size();
    constexpr int mostRounds = 64;
    for (int round = 0;; ++round) {
      colorForms();
      size_t refined = round < mostRounds ? refine() : separate();
      if (refined == colors || refined == color_.size()) {
        if (refined != colors)
          colorForms();
        break;
      }
      colors = refined;
    }
    store();
  }

private:
  /// Lists the sets that ranks use, with the place of each among the local groups of its members.
  void findSeats() {
    classes_.locals.resize(job_.sets.size());
    for (size_t rank = 0; rank < classes_.members.size(); ++rank) {
      const Member &member = classes_.members[rank];
      for (size_t local = 0; local < member.sets.size(); ++local) {
        Id set = member.sets[local];
        std::vector<Id> &locals = classes_.locals[set];
        locals.resize(job_.sets[set].size(), none);
        auto place = llvm::lower_bound(job_.sets[set], job_.ranks[rank].rank) - job_.sets[set].begin();
        locals[static_cast<size_t>(place)] = static_cast<Id>(local);
      }
    }
  }

  void colorForms() {
    Numbers forms;
    formColor_.assign(job_.sets.size(), none);
    for (size_t set = 0; set < job_.sets.size(); ++set) {
      if (classes_.locals[set].empty())
        continue;
      Key key;
      for (size_t i = 0; i < job_.sets[set].size(); ++i) {
        auto rank = job_.rankIds.find(job_.sets[set][i]);
        key.push_back(rank == job_.rankIds.end() ? none : color_[rank->second]);
        key.push_back(classes_.locals[set][i]);
      }
      formColor_[set] = forms.of(key);
    }
  }

  /// Returns the number of colors.
  size_t refine() {
    Numbers colors;
    std::vector<Id> refined;
    for (size_t rank = 0; rank < color_.size(); ++rank) {
      const Member &member = classes_.members[rank];
      Key key = {color_[rank]};
      for (Id set : member.sets)
        key.push_back(formColor_[set]);
      for (const Member::End &end : member.ends) {
        key.push_back(end.rank == none ? none : color_[end.rank]);
        key.push_back(end.channel);
      }
      refined.push_back(colors.of(key));
    }
    color_ = std::move(refined);
    return colors.size();
  }

  /// Each rank is a class of its own, which is always a valid division.
  size_t separate() {
    for (size_t rank = 0; rank < color_.size(); ++rank)
      color_[rank] = static_cast<Id>(rank);
    return color_.size();
  }

  void store() {
    Id count = color_.empty() ? 0 : *std::max_element(color_.begin(), color_.end()) + 1;
    classes_.ranksOf.resize(count);
    for (size_t rank = 0; rank < color_.size(); ++rank) {
      classes_.members[rank].rankClass = color_[rank];
      classes_.ranksOf[color_[rank]].push_back(static_cast<Id>(rank));
    }
    for (size_t set = 0; set < job_.sets.size(); ++set)
      if (formColor_[set] != none)
        addToForm(static_cast<Id>(set));
    for (Id rankClass = 0; rankClass < count; ++rankClass) {
      classes_.formOf.emplace_back();
      for (Id set : classes_.representative(rankClass).sets)
        classes_.formOf.back().push_back(formColor_[set]);
    }
  }

  void addToForm(Id set) {
    if (formColor_[set] >= classes_.forms.size())
      classes_.forms.resize(formColor_[set] + 1);
    Form &form = classes_.forms[formColor_[set]];
    form.sets.push_back(set);
    if (form.sets.size() > 1)
      return;
    for (size_t i = 0; i < job_.sets[set].size(); ++i) {
      auto rank = job_.rankIds.find(job_.sets[set][i]);
      if (rank != job_.rankIds.end())
        form.seats.push_back({classes_.members[rank->second].rankClass, classes_.locals[set][i]});
    }
    llvm::sort(form.seats);
    form.seats.erase(std::unique(form.seats.begin(), form.seats.end()), form.seats.end());
  }

  const JobData &job_;
  Classes &classes_;
  std::vector<Id> color_;
  std::vector<Id> formColor_;
};

} // namespace

Classes divideRanks(const JobData &job) {
  Classes classes;
  RoleFinder(job, classes).run();
  Refiner(job, classes).run();
  return classes;
}

} // namespace ccgraph::jobs

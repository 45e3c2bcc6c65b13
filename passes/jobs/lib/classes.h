// Classes: ranks that arrive and complete alike, and how their launches meet (the theorem is in check.h).
//
// A *role* is a program with its names resolved as far as one rank can: which names mean the same set, on which sets
// the rank is no member, which transfers share a channel. Ranks of one class have one role, and their groups have equal
// *forms*: the classes of the members in the order of the ranks. So a form stands for all sets of that form, and a
// simulation has one representative of each class.
//
// Ownership: refers to the JobData. Failure: none. Cost: see check.h.
#pragma once

#include "job_data.h"

namespace ccgraph::jobs {

/// A program as seen from ranks that resolve its names alike.
struct Role {
  Id program = 0;
  /// by used group of the program: index of a local group; none: the rank is no member
  std::vector<Id> localOf;
  /// by transfer of the program: index of a local channel; none: the rank is no member of the group
  std::vector<Id> channelOf;
  Id numLocals = 0;
  Id numChannels = 0;
  /// by local group: its collectives in program order
  std::vector<std::vector<Id>> sequences;
  /// by local channel: the launches of its transfers, in order, and the call of each
  struct Passage {
    Id launch = 0;
    Id call = 0;
  };
  std::vector<std::vector<Passage>> channels;
  /// by local channel
  std::vector<bool> receives;
};

/// A rank with its places.
struct Member {
  Id role = 0;
  Id rankClass = 0;
  /// by local group: its set
  std::vector<Id> sets;
  /// by local channel: the rank at the other end, as index of JobData::ranks (none: no graph), and the channel there
  struct End {
    Id rank = none;
    Id channel = none;
    int64_t globalRank = 0;
    Id set = 0;
  };
  std::vector<End> ends;
};

/// A member of a set: a class, with the index of the set among its local groups (none: it never uses the set).
struct Seat {
  Id rankClass = none;
  Id local = none;
  friend auto operator<=>(const Seat &, const Seat &) = default;
};

/// All sets whose members have the same seats, in the order of the ranks.
struct Form {
  /// distinct, of ranks with graphs
  std::vector<Seat> seats;
  std::vector<Id> sets;
};

struct Classes {
  std::vector<Role> roles;
  /// by index of JobData::ranks
  std::vector<Member> members;
  /// by class: its ranks, as indices
  std::vector<std::vector<Id>> ranksOf;
  /// the forms of all sets on which some rank launches a collective
  std::vector<Form> forms;
  /// by class and local group: index of forms
  std::vector<std::vector<Id>> formOf;
  /// by set: local group of each member in ascending order of ranks; empty for sets that no rank uses
  std::vector<std::vector<Id>> locals;

  [[nodiscard]] size_t size() const { return ranksOf.size(); }
  [[nodiscard]] const Member &representative(Id rankClass) const { return members[ranksOf[rankClass].front()]; }
  [[nodiscard]] const Role &roleOf(Id rankClass) const { return roles[representative(rankClass).role]; }
};

[[nodiscard]] Classes divideRanks(const JobData &job);

} // namespace ccgraph::jobs

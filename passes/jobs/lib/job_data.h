// JobData: the contents of a Job, interned so that equal parts are compared by number.
//
// Ownership: plain values. Failure: none. Cost: interning is a look-up in a tree of the values.
#pragma once

#include "ccgraph/ir/collective.h"

#include "program_text.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccgraph::jobs {

/// The fields of a collective or of one transfer in which the ranks must agree.
struct Call {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::optional<ReduceOp> reduceOp;
  /// place in the group
  std::optional<int64_t> root;
  std::vector<CollectiveFingerprint::Row> rows;
  /// the sizes as text where some number of elements is unknown
  std::string symbols;
  /// all_to_all: elements for and from each member; empty if they are not numbers
  std::vector<int64_t> sends;
  std::vector<int64_t> receives;
  /// all_to_all without splits: each member gets an equal part of the input, and the output consists of equal parts
  bool isEven = false;
  std::optional<int64_t> received;
};

/// One end of a channel, as a program states it.
struct Transfer {
  /// number of a group of the program
  Id group = 0;
  /// place in the group
  int64_t peer = 0;
  int64_t tag = 0;
  bool receives = false;
  friend auto operator<=>(const Transfer &, const Transfer &) = default;
};

/// One transfer of a launch.
struct Move {
  /// index of Program::transfers
  Id transfer = 0;
  /// what is sent or received
  Id call = 0;
  friend auto operator<=>(const Move &, const Move &) = default;
};

/// A part of a list that all launches of a program share.
struct Slice {
  Id begin = 0;
  Id count = 0;
  friend auto operator<=>(const Slice &, const Slice &) = default;
};

struct Launch {
  /// index of ProgramText::launches; of an edited program, that of the program from which it was made
  Id text = 0;
  Id group = 0;
  Id call = 0;
  /// of Program::moves; empty for a collective
  Slice moves;
  /// of Program::inputs: the launches from whose results the input is computed
  Slice inputs;
  bool isTransfer = false;
  /// its rank continues only after it has completed (a barrier)
  bool stopsHost = false;
  bool neverWaited = false;
  friend auto operator<=>(const Launch &, const Launch &) = default;
};

/// A step of the program in its order.
struct Step {
  enum class Kind : uint8_t { Launch, Wait, HostRead };
  Kind kind = Kind::Launch;
  /// of Program::stepLaunches: the launch, those that a wait completes, or those that a value depends on
  Slice launches;
  friend auto operator<=>(const Step &, const Step &) = default;
};

/// What one rank launches and waits for.
struct Program {
  /// The first `usedGroups` have launches, the others are in the table only.
  Id numGroups = 0;
  Id usedGroups = 0;
  std::vector<Transfer> transfers;
  std::vector<Launch> launches;
  std::vector<Move> moves;
  std::vector<Id> inputs;
  std::vector<Step> steps;
  std::vector<Id> stepLaunches;

  [[nodiscard]] llvm::ArrayRef<Move> movesOf(const Launch &launch) const {
    return llvm::ArrayRef(moves).slice(launch.moves.begin, launch.moves.count);
  }
  [[nodiscard]] llvm::ArrayRef<Id> inputsOf(const Launch &launch) const {
    return llvm::ArrayRef(inputs).slice(launch.inputs.begin, launch.inputs.count);
  }
  [[nodiscard]] llvm::ArrayRef<Id> launchesOf(const Step &step) const {
    return llvm::ArrayRef(stepLaunches).slice(step.launches.begin, step.launches.count);
  }
  friend auto operator<=>(const Program &, const Program &) = default;
};

/// A program as it was read, with its texts.
struct ReadProgram {
  Program program;
  ProgramText text;
};

/// A list of ranks as a table gives it.
struct RankOrder {
  std::vector<int64_t> ranks;
  /// index of JobData::sets
  Id set = 0;
};

struct Rank {
  int64_t rank = 0;
  Id program = 0;
  /// index of JobData::texts
  Id text = 0;
  /// by group of the program: index of JobData::orders, none if the table has no ranks for this rank
  std::vector<Id> orders;
};

/// What add() looks up; a finished job needs the numbers only.
struct Interned {
  /// of groups
  TextPool names;
  TextPool places;
  /// of the names of launches
  TextPool forms;
  /// by the bytes of a call
  llvm::StringMap<Id> callIds;
  std::map<Program, Id> programIds;
  std::map<PackedText, Id> textIds;
  std::map<std::vector<int64_t>, Id> orderIds;
  std::map<std::vector<int64_t>, Id> setIds;
};

/// A copy shares the texts and the programs, so that an edited job costs little.
struct JobData {
  std::shared_ptr<Interned> interned = std::make_shared<Interned>();
  std::vector<Call> calls;
  std::vector<const Program *> programs;
  std::vector<const PackedText *> texts;
  std::vector<RankOrder> orders;
  /// ascending lists of ranks
  std::vector<std::vector<int64_t>> sets;
  std::vector<Rank> ranks;
  llvm::DenseMap<int64_t, Id> rankIds;
  /// names of groups whose ranks were assumed
  std::vector<Id> assumedGroups;

  Id internCall(const Call &call);
  Id internProgram(Program program);
  Id internText(const ProgramText &text);
  Id internOrder(llvm::ArrayRef<int64_t> ranks);

  [[nodiscard]] TextPool &names() const { return interned->names; }
  [[nodiscard]] TextPool &places() const { return interned->places; }
  [[nodiscard]] std::string nameOf(const Rank &rank, const Launch &launch) const {
    return texts[rank.text]->launch(launch.text, interned->forms).name;
  }
  [[nodiscard]] std::string placeOf(const Rank &rank, const Launch &launch) const {
    return places()[texts[rank.text]->launch(launch.text, interned->forms).place].str();
  }
  [[nodiscard]] std::string groupNameOf(const Rank &rank, Id group) const {
    return names()[texts[rank.text]->groups()[group]].str();
  }
  /// Returns all names and places of a rank's program.
  [[nodiscard]] ProgramText textOf(const Rank &rank) const { return texts[rank.text]->unpack(interned->forms); }
  [[nodiscard]] const Program &programOf(const Rank &rank) const { return *programs[rank.program]; }
  [[nodiscard]] bool isMember(Id set, int64_t rank) const {
    return std::binary_search(sets[set].begin(), sets[set].end(), rank);
  }
};

/// Returns "sum f32[64]", the fields of a call.
[[nodiscard]] std::string callText(const Call &call);

} // namespace ccgraph::jobs

#include "mpi/program_agreement.h"

#include "ccgraph/ir/plan_fingerprint.h"
#include "collectives/agreement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

namespace ccgraph::runtime {
namespace {

/// Version of the format of these messages; another build may use another format.
constexpr int64_t formatVersion = 2;

using Notices = std::vector<CallNotice>;

/// Streams that communicate for one list of members, numbered in the order in which the plan uses them.
class CommNumbers {
public:
  int64_t of(const CallSeat &seat, StreamId stream) {
    if (isPointToPoint(seat.kind))
      return transferComm;
    auto &streams = streams_[seat.members];
    return streams.try_emplace(stream, static_cast<int64_t>(streams.size())).first->second;
  }

private:
  std::map<std::vector<int64_t>, std::map<StreamId, int64_t>> streams_;
};

/// The calls in the order of their tickets.
Notices noticesOf(PreparedRank &rank) {
  Notices notices;
  CommNumbers commNumbers;
  for (const PreparedStep &step : rank.steps) {
    const auto *exchange = std::get_if<PreparedExchange>(&step.work);
    if (!exchange)
      continue;
    const PreparedCollective &collective = exchange->collective;
    for (size_t i = 0; i < exchange->calls.size(); ++i) {
      const CallSeat &seat = collective.seats()[i];
      const Launch &launch = rank.faults.launched(step.position, collective.launches()[i]);
      notices.push_back(collective.isFixed() ? noticeOf(seat, launch)
                                             : noticeOf(seat, launch, step.plan->collective()->calls[i]));
      notices.back().commNumber = commNumbers.of(seat, step.plan->stream);
    }
  }
  return notices;
}

// --- The plan of another rank, as far as others can see it ----------------------------------------------------

std::optional<PlanWindow> windowOf(const std::optional<CallNotice::Side> &side, Context &context) {
  if (!side)
    return std::nullopt;
  // A symbol to which no layout gives a value: nothing is known, and nothing contradicts it.
  Dim size = side->elements < 0 ? Dim(context.symbolic("u_open")) : Dim(side->elements);
  return PlanWindow{0, context.tensor(side->dtype, {{size}, {Dim(1)}}, {context.identifier("cpu")}), Dim(0)};
}

PlanCollective callOf(const CallNotice &notice, Context &context) {
  PlanCollective call;
  call.kind = notice.seat.kind;
  call.reduceOp = notice.reduceOp;
  call.root = notice.root;
  call.tag = notice.seat.tag;
  if (isPointToPoint(call.kind))
    call.peer = static_cast<int64_t>(notice.seat.peer);
  for (const CallNotice::Row &row : notice.rows)
    call.rows.push_back({windowOf(row.send, context), windowOf(row.receive, context)});
  for (int64_t count : notice.sendCounts)
    call.sendCounts.emplace_back(count);
  for (int64_t count : notice.receiveCounts)
    call.receiveCounts.emplace_back(count);
  return call;
}

std::unique_ptr<Plan> outlineOf(const Notices &notices, int64_t rank, Context &context) {
  auto plan = std::make_unique<Plan>(context);
  plan->name = "of rank " + std::to_string(rank);
  plan->rank = rank;
  std::map<std::vector<int64_t>, uint32_t> groups;
  for (const CallNotice &notice : notices) {
    auto [group, added] = groups.try_emplace(notice.seat.members, static_cast<uint32_t>(plan->groups.size()));
    if (added)
      plan->groups.push_back({.name = std::to_string(group->second), .ranks = notice.seat.members});
    PlanStep step;
    step.name = context.identifier(notice.name);
    CollectiveStep work;
    work.calls.push_back(callOf(notice, context));
    work.calls.back().group = group->second;
    step.work = std::move(work);
    plan->steps.push_back(std::move(step));
  }
  return plan;
}

// --- The judgement --------------------------------------------------------------------------------------------

class Judgement {
public:
  Judgement(std::vector<Notices> programs, Context &context) : programs_(std::move(programs)), context_(context) {}

  llvm::Error judge() {
    std::vector<std::unique_ptr<Plan>> outlines;
    std::vector<const Plan *> plans;
    for (size_t rank = 0; rank < programs_.size(); ++rank) {
      outlines.push_back(outlineOf(programs_[rank], static_cast<int64_t>(rank), context_));
      plans.push_back(outlines.back().get());
    }
    if (std::vector<Diagnostic> findings = verifyAgreement(plans, 1); !findings.empty())
      return makeError(std::move(findings.front()));
    meet();
    for (const auto &[members, collectives] : matches_)
      for (size_t k = 0; k < collectives.size(); ++k)
        if (llvm::Error error = judgeMatch(members, collectives[k], k + 1))
          return error;
    return llvm::Error::success();
  }

  /// After judge() has found nothing.
  [[nodiscard]] ProgramAgreement agreement(int64_t rank) const {
    ProgramAgreement agreed;
    std::set<MpiCommKey> communicators;
    for (const Notices &program : programs_)
      for (const CallNotice &notice : program)
        communicators.insert({notice.seat.members, notice.commNumber});
    agreed.communicators.assign(communicators.begin(), communicators.end());
    std::map<std::vector<int64_t>, size_t> counts;
    for (const CallNotice &notice : programs_[static_cast<size_t>(rank)]) {
      AgreedCall call{{notice.seat.members, notice.commNumber}};
      if (!isPointToPoint(notice.seat.kind)) {
        call.sequence = static_cast<int64_t>(++counts[notice.seat.members]);
        const Match &match = matches_.at(notice.seat.members)[static_cast<size_t>(call.sequence) - 1];
        call.compares = !llvm::all_of(match, [](const CallNotice *other) { return other->fixed; });
      }
      agreed.calls.push_back(std::move(call));
    }
    return agreed;
  }

private:
  /// The matching calls by member; verifyAgreement() has checked that each is present.
  using Match = std::vector<const CallNotice *>;

  void meet() {
    for (const Notices &program : programs_) {
      std::map<std::vector<int64_t>, size_t> counts;
      for (const CallNotice &notice : program) {
        if (isPointToPoint(notice.seat.kind))
          continue;
        std::vector<Match> &all = matches_[notice.seat.members];
        size_t k = counts[notice.seat.members]++;
        if (all.size() <= k)
          all.resize(k + 1, Match(notice.seat.members.size()));
        all[k][notice.seat.member] = &notice;
      }
    }
  }

  [[nodiscard]] llvm::Error judgeMatch(const std::vector<int64_t> &members, const Match &match, size_t sequence) const {
    for (size_t i = 1; i < match.size(); ++i)
      if (match[i]->commNumber != match[0]->commNumber)
        return streamsDiffer(members, i, sequence, *match[i]);
    if (!llvm::all_of(match, [](const CallNotice *notice) { return notice->fixed; }))
      return llvm::Error::success();
    std::vector<Launch> launches;
    for (size_t i = 0; i < match.size(); ++i)
      launches.push_back(launchOf(*match[i], members[i], context_));
    return checkMatch(launches, {members, sequence});
  }

  static llvm::Error streamsDiffer(const std::vector<int64_t> &members, size_t member, size_t sequence,
                                   const CallNotice &notice) {
    Diagnostic diagnostic = diagnose("run.ranks-disagree",
                                     "ranks " + std::to_string(members[0]) + " and " + std::to_string(members[member]) +
                                         " disagree about collective " + std::to_string(sequence) + " on ranks " +
                                         intListText(members) + ": they issue it on different streams of this group");
    diagnostic.where = notice.name;
    return makeError(std::move(diagnostic));
  }

  std::vector<Notices> programs_;
  Context &context_;
  std::map<std::vector<int64_t>, std::vector<Match>> matches_;
};

llvm::Expected<std::vector<Notices>> decode(llvm::ArrayRef<std::vector<std::byte>> told) {
  std::vector<Notices> programs;
  for (const std::vector<std::byte> &bytes : told) {
    ByteReader from(bytes);
    if (from.number() != formatVersion)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "rank " + llvm::Twine(programs.size()) + " runs another build of this program");
    programs.emplace_back();
    for (auto left = from.number(); left > 0 && from.isWhole(); --left)
      programs.back().push_back(readNotice(from));
  }
  return programs;
}

} // namespace

std::optional<ProgramAgreement> agreeOnProgram(PreparedRank &rank, MpiStandby &standby) {
  Notices own = noticesOf(rank);
  ByteWriter to;
  to.number(formatVersion);
  to.number(static_cast<int64_t>(own.size()));
  for (const CallNotice &notice : own)
    write(to, notice);
  MpiJob &job = standby.job();
  auto told = standby.gather(job.exchange(), job.size(), to.bytes, "the programs of the other ranks");
  if (told.empty())
    return std::nullopt;
  llvm::Expected<std::vector<Notices>> programs = decode(told);
  if (!programs) {
    standby.fail(programs.takeError());
    return std::nullopt;
  }
  Judgement judgement(std::move(*programs), rank.state.plan->context());
  if (llvm::Error error = judgement.judge()) {
    standby.fail(std::move(error));
    return std::nullopt;
  }
  return judgement.agreement(job.rank());
}

} // namespace ccgraph::runtime

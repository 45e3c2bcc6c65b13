#include "process_groups/nccl_group.h"

#include "calls/gpu_error.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/text.h"
#include "nccl/row_calls.h"
#include "process/memory_limit.h"
#include "process_groups/group_error.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr llvm::StringLiteral failureKey = "failure";

/// How long the other ranks may take to answer at the end of a group, as in mpi_standby.cpp.
Milliseconds patienceOf(Milliseconds timeout) {
  return std::clamp<Milliseconds>(timeout / 4, Milliseconds(250), Milliseconds(2000));
}

Milliseconds leftUntil(Clock::time_point until) {
  return std::max(std::chrono::duration_cast<Milliseconds>(until - Clock::now()), Milliseconds(0));
}

/// The first diagnostic, as a value of the store: rule, place, message and notes, each ended by a zero.
std::string encode(const Diagnostic &diagnostic) {
  std::string text;
  for (const std::string *part : {&diagnostic.rule, &diagnostic.where, &diagnostic.message})
    text += *part + '\0';
  for (const std::string &note : diagnostic.notes)
    text += note + '\0';
  return text;
}
Diagnostic decode(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 6> parts;
  text.split(parts, '\0');
  parts.resize(std::max<size_t>(parts.size(), 4));
  Diagnostic diagnostic;
  diagnostic.rule = parts[0].str();
  diagnostic.where = parts[1].str();
  diagnostic.message = parts[2].str();
  for (size_t i = 3; i + 1 < parts.size(); ++i)
    diagnostic.notes.push_back(parts[i].str());
  return diagnostic;
}

} // namespace

NcclGroup::NcclGroup(BackendSetup setup, GroupDevice device, std::string backend)
    : setup_(std::move(setup)), device_(std::move(device)), backend_(std::move(backend)), calls_(*device_.calls),
      pool_(std::make_unique<DevicePool>(calls_)) {}

// The device may still use the memory of a call that has not ended, so the group ends for all ranks.
NcclGroup::~NcclGroup() {
  (void)device_.use();
  llvm::consumeError(advanceAll());
  if (!inFlight_.empty() && failure_.empty())
    llvm::consumeError(
        end(groupError("run.rank-lost", "",
                       "rank " + std::to_string(setup_.members[static_cast<size_t>(setup_.rank)]) + " has left group " +
                           setup_.name + ": " + describeCall(*inFlight_.front()),
                       "a rank must not end, or destroy a group, before the calls of the group have ended")));
  if (failure_.empty())
    for (GpuComm comm : {collectives_, transfers_})
      if (comm.raw != 0)
        (void)calls_.closeComm(comm);
  pending_.clear();
  inFlight_.clear();
  for (GpuStream stream : {collectiveStream_, transferStream_})
    if (stream.raw != 0)
      (void)calls_.destroyStream(stream);
  if (signal_)
    pool_->give(signal_);
}

// --- Opening ---------------------------------------------------------------------------------------------------------

llvm::Error NcclGroup::open() {
  Lock lock(mutex_);
  if (llvm::Error error = checkCode(device_.use(), "taking its device"))
    return error;
  if (llvm::Error error = meet())
    return error;
  if (llvm::Error error = openComm("collectives", collectives_))
    return error;
  if (llvm::Error error = openComm("transfers", transfers_))
    return error;
  return makeStreams();
}

// The library waits for absent ranks without naming them, so the ranks meet before they call it.
llvm::Error NcclGroup::meet() {
  auto keyOf = [](int64_t rank) { return "here/" + std::to_string(rank); };
  if (llvm::Error error = setup_.store->set(keyOf(setup_.rank), ""))
    return error;
  auto until = Clock::now() + setup_.timeout;
  std::vector<int64_t> missing;
  for (int64_t rank = 0; rank < setup_.size(); ++rank) {
    llvm::Error late = setup_.store->wait({keyOf(rank)}, leftUntil(until));
    if (late)
      missing.push_back(setup_.members[static_cast<size_t>(rank)]);
    llvm::consumeError(std::move(late));
  }
  if (missing.empty())
    return llvm::Error::success();
  return groupError("run.deadline", "",
                    ranksText(missing) + (missing.size() == 1 ? " has" : " have") + " not come to group " +
                        setup_.name + " within " + std::to_string(setup_.timeout.count()) + " ms",
                    "all ranks of a group must make it");
}

llvm::Error NcclGroup::openComm(const std::string &key, GpuComm &comm) {
  GpuJobId id = {};
  if (setup_.rank == 0) {
    if (llvm::Error error = checkCode(calls_.makeJobId(id), "making the id of a communicator"))
      return error;
    if (llvm::Error error = setup_.store->set(key, {reinterpret_cast<const char *>(id.data()), id.size()}))
      return error;
  } else {
    if (llvm::Error error = setup_.store->wait({key}, setup_.timeout))
      return error;
    llvm::Expected<std::string> text = setup_.store->get(key);
    if (!text)
      return text.takeError();
    std::memcpy(id.data(), text->data(), std::min(id.size(), text->size()));
  }
  return checkCode(calls_.openJob(id, static_cast<int>(setup_.size()), static_cast<int>(setup_.rank), comm),
                   "making a communicator");
}

llvm::Error NcclGroup::makeStreams() {
  if (llvm::Error error = checkCode(calls_.createStream("collectives", collectiveStream_), "making a stream"))
    return error;
  if (llvm::Error error = checkCode(calls_.createStream("transfers", transferStream_), "making a stream"))
    return error;
  return checkCode(pool_->take(sizeof(int32_t), signal_), "allocating memory");
}

// --- Calls -----------------------------------------------------------------------------------------------------------

llvm::Expected<NcclGroup::CallPtr> NcclGroup::launch(DeviceCall::LaunchPtr launch) {
  Lock lock(mutex_);
  if (llvm::Error error = advanceAll())
    return error;
  for (const CallPtr &call : inFlight_)
    if (Clock::now() >= call->deadline())
      return overdueLocked(*call);
  bool transfers = isPointToPoint(launch->launch().kind);
  auto call = std::make_shared<DeviceCall>(std::move(launch), *pool_, transfers ? 0 : ++launched_);
  inFlight_.push_back(call);
  if (transfers)
    pending_.push_back(call);
  else if (llvm::Error error =
               withinMemory([&] { return checkCode(issueCollective(*call), "communicating"); },
                            [&](const std::string &) {
                              return end(ncclError("the device has no memory left for " + describeCall(*call)));
                            }))
    return error;
  return call;
}

int NcclGroup::issueCollective(DeviceCall &call) {
  GpuStream stream = collectiveStream_;
  if (int code = call.copyIn(stream))
    return code;
  RowCalls rows(signal_, [&](int64_t bytes) {
    std::byte *memory = call.scratch(bytes);
    if (!memory)
      throw std::bad_alloc();
    return memory;
  });
  rows.add(CallSeat{setup_.members, static_cast<size_t>(setup_.rank), call.launch().kind}, call.launch(), collectives_);
  if (int code = rows.issue(calls_, stream))
    return code;
  return call.copyOut(stream);
}

int NcclGroup::flush() {
  std::vector<CallPtr> calls = std::exchange(pending_, {});
  RowCalls rows(signal_, nullptr);
  for (const CallPtr &call : calls) {
    if (int code = call->copyIn(transferStream_))
      return code;
    rows.addTransfer(call->launch(), 0, transfers_, static_cast<int>(call->group().call().peer));
  }
  if (int code = calls.empty() ? 0 : rows.issue(calls_, transferStream_))
    return code;
  for (const CallPtr &call : calls)
    if (int code = call->copyOut(transferStream_))
      return code;
  return 0;
}

llvm::Expected<bool> NcclGroup::advance(DeviceCall &call) {
  Lock lock(mutex_);
  if (call.isComplete())
    return true;
  if (!failure_.empty())
    return makeError(failure_);
  if (llvm::Error error = checkCode(device_.use(), "taking its device"))
    return error;
  if (llvm::Error error = checkCode(flush(), "communicating"))
    return error;
  if (llvm::Error error = advanceAll())
    return error;
  return call.isComplete();
}

llvm::Error NcclGroup::advanceAll() {
  if (!failure_.empty())
    return makeError(failure_);
  if (llvm::Error error = checkCode(device_.use(), "taking its device"))
    return error;
  bool waits = false;
  for (const CallPtr &call : inFlight_) {
    // Collectives end in their order.
    if (!call->isIssued() || (waits && call->number() != 0))
      continue;
    llvm::Expected<bool> ended = advanceLocked(*call);
    if (!ended)
      return ended.takeError();
    waits = waits || (!*ended && call->number() != 0);
  }
  llvm::erase_if(inFlight_, [](const CallPtr &call) { return call->isComplete(); });
  return llvm::Error::success();
}

llvm::Expected<bool> NcclGroup::advanceLocked(DeviceCall &call) {
  bool ended = false;
  if (llvm::Error error = checkCode(call.query(ended), "waiting for the device"))
    return error;
  for (GpuComm comm : {collectives_, transfers_})
    if (llvm::Error error = checkCode(calls_.asyncError(comm), "communicating"))
      return error;
  if (ended)
    call.complete();
  return ended;
}

// --- The end ---------------------------------------------------------------------------------------------------------

llvm::Error NcclGroup::checkCode(int code, const char *doing) {
  if (code == 0)
    return llvm::Error::success();
  return end(gpuError(calls_, setup_.members[static_cast<size_t>(setup_.rank)], doing, code));
}

std::string NcclGroup::describeCall(const DeviceCall &call) const {
  std::string text = describe(call.group().launch());
  if (call.number() != 0)
    return text + " (collective " + std::to_string(call.number()) + " on ranks " + intListText(setup_.members) + ")";
  int64_t peer = setup_.members[static_cast<size_t>(call.group().call().peer)];
  bool sends = call.group().launch().kind == CollectiveKind::Send;
  return text + ", whose other end, rank " + std::to_string(peer) + ", has not " + (sends ? "received" : "sent");
}

// Ranks that wait too write how many collectives they have launched; a rank that does not answer lacks the call.
std::vector<int64_t> NcclGroup::missingRanks(const DeviceCall &call) {
  auto keyOf = [](int64_t rank) { return "launched/" + std::to_string(rank); };
  llvm::consumeError(setup_.store->set(keyOf(setup_.rank), std::to_string(launched_)));
  auto until = Clock::now() + patienceOf(call.group().call().timeout);
  std::vector<int64_t> missing;
  for (int64_t rank = 0; call.number() != 0 && rank < setup_.size(); ++rank) {
    llvm::Error silent = setup_.store->wait({keyOf(rank)}, leftUntil(until));
    llvm::Expected<std::string> text = silent ? llvm::Expected<std::string>("0") : setup_.store->get(keyOf(rank));
    llvm::consumeError(std::move(silent));
    int64_t count = 0;
    if (text)
      llvm::StringRef(*text).getAsInteger(10, count);
    llvm::consumeError(text.takeError());
    if (count < call.number())
      missing.push_back(setup_.members[static_cast<size_t>(rank)]);
  }
  return missing;
}

llvm::Error NcclGroup::endOverdue(const DeviceCall &call) {
  Lock lock(mutex_);
  return failure_.empty() ? overdueLocked(call) : makeError(failure_);
}

llvm::Error NcclGroup::overdueLocked(const DeviceCall &call) {
  std::vector<int64_t> missing = missingRanks(call);
  const GroupCall &group = call.group().call();
  std::string what =
      describeCall(call) + (missing.empty() ? "" : ", which ranks " + intListText(missing) + " have not launched");
  return end(groupError("run.deadline", groupOpName(group.op),
                        "rank " + std::to_string(call.group().launch().rank) + ": Timed out waiting " +
                            std::to_string(group.timeout.count()) + "ms for " + what,
                        "the named ranks have not called it: they may have failed, be late, or call something else"));
}

llvm::Error NcclGroup::end(llvm::Error own) {
  if (!failure_.empty()) {
    llvm::consumeError(std::move(own));
    return makeError(failure_);
  }
  std::vector<Diagnostic> mine = diagnosticsOf(std::move(own));
  // Another rank has ended the group, and writes why.
  if (mine.front().rule.empty())
    llvm::consumeError(setup_.store->wait({failureKey.str()}, patienceOf(setup_.timeout)));
  llvm::Expected<std::string> first = setup_.store->compareSet(failureKey, "", encode(mine.front()));
  failure_ = first && !first->empty() ? std::vector{decode(*first)} : std::move(mine);
  llvm::consumeError(first.takeError());
  abortTransfers();
  return makeError(failure_);
}

void NcclGroup::abortTransfers() {
  (void)calls_.groupStart();
  for (GpuComm comm : {collectives_, transfers_})
    if (comm.raw != 0)
      (void)calls_.abortComm(comm);
  (void)calls_.groupEnd();
}

} // namespace ccgraph::runtime

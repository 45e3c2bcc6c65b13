#include "mpi/mpi_standby.h"

#include "rendezvous/bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"

#include <thread>

namespace ccgraph::runtime {
namespace {

/// Looks between two at clock and messages: each of these costs as much as a look at a request.
constexpr uint64_t looksBetween = 64;

std::string rankText(int64_t rank) { return "rank " + std::to_string(rank); }

void write(ByteWriter &to, llvm::ArrayRef<std::string> texts) {
  to.number(static_cast<int64_t>(texts.size()));
  for (const std::string &text : texts)
    to.text(text);
}
std::vector<std::string> readTexts(ByteReader &from) {
  std::vector<std::string> texts(from.length(sizeof(int64_t)));
  for (std::string &text : texts)
    text = from.text();
  return texts;
}

std::vector<std::byte> encode(const LaunchCounts &counts) {
  ByteWriter to;
  to.number(static_cast<int64_t>(counts.size()));
  for (const auto &[members, count] : counts) {
    to.numbers(members);
    to.number(count);
  }
  return std::move(to.bytes);
}
LaunchCounts decodeCounts(llvm::ArrayRef<std::byte> bytes) {
  ByteReader from(bytes);
  LaunchCounts counts;
  for (auto left = from.number(); left > 0 && from.isWhole(); --left) {
    std::vector<int64_t> members = from.numbers();
    counts[std::move(members)] = from.number();
  }
  return counts;
}

} // namespace

// --- While the program runs ---------------------------------------------------------------------------------

void MpiStandby::look() {
  if (int error = job_.control().poll())
    return failWith(
        {{.rule = "run.mpi", .message = llvm::toString(job_.error("listening to the other ranks", error))}});
  while (!job_.control().inbox.empty()) {
    ControlChannel::Message message = std::move(job_.control().inbox.front());
    job_.control().inbox.pop_front();
    hear(std::move(message));
  }
}

bool MpiStandby::isOver() {
  if (failures_.empty() && ++looks_ % looksBetween == 0)
    look();
  return !failures_.empty();
}

void MpiStandby::sleep(const Sleeper &sleeper, uint64_t, Since &since) {
  asleep_ = true;
  // Several ranks may share a core, and the awaited rank may be one of them.
  if (looks_ % looksBetween == 0) {
    std::this_thread::yield();
    since = since ? since : Clock::now();
    if (Clock::now() - *since > deadline_)
      failLate(sleeper);
  }
}

// MPI makes progress only during calls, and others may wait for this progress.
void MpiStandby::rest(uint64_t, Clock::time_point) { std::this_thread::yield(); }

// --- Around it ----------------------------------------------------------------------------------------------

bool MpiStandby::wait(MpiRequest &request, llvm::StringRef what) {
  Clock::time_point begin = Clock::now();
  for (bool complete = false; !isOver();) {
    if (int error = job_.calls().test(request, complete, nullptr)) {
      fail("waiting for " + what.str(), error);
      return false;
    }
    if (complete)
      return true;
    if (looks_ % looksBetween != 0)
      continue;
    std::this_thread::yield();
    if (Clock::now() - begin > deadline_)
      failWith({{.rule = "run.deadline", .message = "waits for " + what.str()}, true});
  }
  return false;
}

std::vector<std::vector<std::byte>> MpiStandby::gather(MpiComm comm, int64_t size, llvm::ArrayRef<std::byte> own,
                                                       llvm::StringRef what) {
  auto members = static_cast<size_t>(size);
  std::vector<int64_t> lengths(members);
  auto length = static_cast<int64_t>(own.size());
  auto bytesOf = [](int64_t *numbers) { return reinterpret_cast<std::byte *>(numbers); };
  MpiRequest request;
  if (int error = job_.calls().allGather(comm, bytesOf(&length), bytesOf(lengths.data()), sizeof(length), request))
    fail(what.str(), error);
  if (isOver() || !wait(request, what))
    return {};
  // All send as much as the one that has most, because then one call does for all.
  auto most = static_cast<size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::vector<std::byte> sent(own.begin(), own.end()), received(most * members);
  sent.resize(most);
  if (int error = job_.calls().allGather(comm, sent.data(), received.data(), static_cast<int64_t>(most), request))
    fail(what.str(), error);
  // After a failure the buffers are left to MPI, which may still write to them.
  if (isOver() || !wait(request, what)) {
    new std::pair(std::move(sent), std::move(received)); // NOLINT
    return {};
  }
  std::vector<std::vector<std::byte>> all(members);
  for (size_t i = 0; i < members; ++i)
    all[i].assign(received.begin() + static_cast<std::ptrdiff_t>(i * most),
                  received.begin() + static_cast<std::ptrdiff_t>(i * most + static_cast<size_t>(lengths[i])));
  return all;
}

// --- The end ------------------------------------------------------------------------------------------------

void MpiStandby::fail(llvm::Error error) {
  Failure failure;
  failure.diagnostic.rule = "run.mpi";
  llvm::handleAllErrors(
      std::move(error), [&](const DiagnosticError &e) { failure.diagnostic = e.diagnostics().front(); },
      [&](const llvm::ErrorInfoBase &e) { failure.diagnostic.message = e.message(); });
  failWith(std::move(failure));
}

void MpiStandby::failWith(Failure failure) {
  ByteWriter body;
  body.number(static_cast<int64_t>(failure.deadline));
  write(body, {failure.diagnostic.rule, failure.diagnostic.where, failure.diagnostic.message});
  write(body, failure.diagnostic.notes);
  // A rank fails once; its later errors are consequences of the first.
  if (failures_.emplace(job_.rank(), std::move(failure)).second)
    job_.control().tellAll(Failed, std::move(body.bytes));
}

void MpiStandby::hear(ControlChannel::Message message) {
  auto kind = static_cast<MessageKind>(message.kind);
  if (kind != Failed) {
    Answers &answers = answers_[kind];
    answers.resize(static_cast<size_t>(job_.size()));
    answers[static_cast<size_t>(message.from)] = std::move(message.body);
    return;
  }
  ByteReader from(message.body);
  Failure failure;
  failure.deadline = from.number() != 0;
  std::vector<std::string> texts = readTexts(from);
  texts.resize(3);
  failure.diagnostic.rule = texts[0];
  failure.diagnostic.where = texts[1];
  failure.diagnostic.message = texts[2];
  failure.diagnostic.notes = readTexts(from);
  failures_.emplace(message.from, std::move(failure));
}

// A quarter of the deadline of waits between ranks, so that a run ends soon after its deadline; at least the time that
// a busy machine needs. A rank that was silent before gets the shortest time, unless its answer comes after all.
MpiStandby::Answers MpiStandby::rollCall(MessageKind kind, std::vector<std::byte> own, const Answers *before) {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds shortest = 250ms, longest = 2000ms;
  job_.control().tellAll(kind, own);
  answers_[kind].resize(static_cast<size_t>(job_.size()));
  answers_[kind][static_cast<size_t>(job_.rank())] = std::move(own);
  const Clock::time_point begin = Clock::now();
  auto patience = [&](size_t rank) {
    bool silent = before && !(*before)[rank];
    return silent ? shortest : std::clamp<std::chrono::milliseconds>(deadline_ / 4, shortest, longest);
  };
  auto isAwaited = [&](size_t rank) {
    return !answers_[kind][rank].has_value() && Clock::now() < begin + patience(rank);
  };
  while (llvm::any_of(llvm::seq<size_t>(0, answers_[kind].size()), isAwaited)) {
    look();
    std::this_thread::yield();
  }
  return answers_[kind];
}

llvm::Error MpiStandby::settle(const Standing &standing) {
  if (failures_.empty())
    return llvm::Error::success();
  // Messages that have come while this process was stopped, or busy.
  for (int64_t i = 0; i < 4 * job_.size(); ++i)
    look();
  bool late = answers_.count(Texts) != 0;
  Answers counts = rollCall(Counts, encode(standing.counts()), nullptr);
  std::vector<std::optional<LaunchCounts>> known;
  for (const auto &answer : counts)
    known.push_back(answer ? std::optional(decodeCounts(*answer)) : std::nullopt);
  standing.learn(std::move(known));
  ByteWriter texts;
  write(texts, {standing.position()});
  write(texts, standing.waits());
  Answers said = rollCall(Texts, std::move(texts.bytes), &answers_[Counts]);
  auto answers = llvm::find_if(said, [](const auto &answer) { return answer.has_value(); });
  // A rank that arrives after the others have answered the last question was not heard, and another rank reports.
  job_.end(!late && answers - said.begin() == job_.rank());
  return makeError(choose(said));
}

// A rank that exceeds its deadline may wait for a rank that has failed, so a deadline ranks after all other failures.
Diagnostic MpiStandby::choose(const Answers &texts) const {
  auto first = llvm::find_if(failures_, [](const auto &failure) { return !failure.second.deadline; });
  if (first == failures_.end())
    first = failures_.begin();
  Diagnostic diagnostic = first->second.diagnostic;
  if (first->second.deadline)
    describeWaits(first->first, texts, diagnostic);
  return diagnostic;
}

void MpiStandby::describeWaits(int64_t rank, const Answers &texts, Diagnostic &diagnostic) const {
  std::string waits = diagnostic.message.empty() ? "" : ": " + rankText(rank) + " " + diagnostic.message;
  std::vector<std::string> silent;
  for (int64_t other = 0; other < job_.size(); ++other) {
    const auto &answer = texts[static_cast<size_t>(other)];
    if (!answer) {
      silent.push_back(rankText(other));
      continue;
    }
    ByteReader from(*answer);
    std::vector<std::string> position = readTexts(from), said = readTexts(from);
    if (said.empty() && other != rank)
      diagnostic.notes.push_back(rankText(other) + " has ended");
    if (other == rank && waits.empty() && !said.empty()) {
      waits = ": " + said.front();
      said.erase(said.begin());
    }
    llvm::append_range(diagnostic.notes, said);
  }
  diagnostic.message = (rankText(rank) + " has waited for " + llvm::Twine(deadline_.count()) + " ms" + waits).str();
  for (const std::string &one : silent)
    diagnostic.message += ", and " + one + " does not answer";
  if (!silent.empty())
    diagnostic.notes.emplace_back("a rank that does not answer is stopped or gone, or in a step that takes long");
}

} // namespace ccgraph::runtime

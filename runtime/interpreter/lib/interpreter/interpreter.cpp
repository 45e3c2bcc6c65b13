#include "ccgraph/runtime/interpreter.h"

#include "ccgraph/ir/guard_check.h"
#include "ccgraph/ir/value_names.h"
#include "ccgraph/runtime/memory_need.h"
#include "interpreter/rank_run.h"
#include "kernels/named_providers.h"
#include "process/memory_limit.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

std::string standsAt(const RankRun &run) {
  const Node *node = run.position();
  return node ? ("is at `" + node->name().str() + "`").str() : std::string("has ended");
}

/// "rank 0 waits at `w` for all_reduce `ar` (collective 1 on ranks [0, 1]), which ranks [1] have not launched".
std::string waitText(const RankRun &run) {
  const Communication &awaited = *run.blocking();
  std::string text = (Twine("rank ") + Twine(run.rank()) + " waits at `" + run.position()->name().str() + "` for " +
                      describe(awaited.anyLaunch()))
                         .str();
  if (awaited.sequence() == 0) {
    const Launch &launch = awaited.anyLaunch();
    return (Twine(text) + ", tag " + Twine(launch.tag) + ", whose other end, rank " + Twine(awaited.missing().front()) +
            ", has not " + (launch.kind == CollectiveKind::Send ? "received" : "sent"))
        .str();
  }
  return (Twine(text) + " (collective " + Twine(awaited.sequence()) + " on ranks " + intListText(awaited.members()) +
          "), which ranks " + intListText(awaited.missing()) + " have not launched")
      .str();
}

std::string launchedText(const RankRun &run, const Communication &awaited, const Communications &communications) {
  size_t count = communications.numLaunched(awaited.members(), run.rank());
  return (Twine("rank ") + Twine(run.rank()) + " " + standsAt(run) + ", having launched " + Twine(count) +
          (count == 1 ? " collective" : " collectives") + " on ranks " + intListText(awaited.members()))
      .str();
}

/// Reports what the first blocked rank waits for, with notes about the others. Some wait too; others have ended, and
/// the note gives the number of collectives that they launched on the same group, which is fewer.
llvm::Error deadlock(llvm::ArrayRef<RankRun> runs, const Communications &communications) {
  const RankRun &first = *llvm::find_if(runs, [](const RankRun &run) { return !run.isFinished(); });
  Diagnostic diagnostic = diagnose(*first.position(), "run.deadlock", "no rank can continue: " + waitText(first));
  std::vector<std::string> notes;
  for (const RankRun &run : runs) {
    if (!run.isFinished() && &run != &first)
      notes.push_back(waitText(run));
    if (run.isFinished() && first.blocking()->sequence() != 0 &&
        llvm::is_contained(first.blocking()->members(), run.rank()))
      notes.push_back(launchedText(run, *first.blocking(), communications));
  }
  notes.emplace_back("every member of a group must launch each of its collectives, and every send needs its receive, "
                     "with the same tag");
  diagnostic.notes.insert(diagnostic.notes.begin(), notes.begin(), notes.end());
  return makeError(std::move(diagnostic));
}

llvm::Error checkRequest(const RunRequest &request) {
  auto wrong = [](const Twine &message) { return makeError(diagnose("run.request", message.str())); };
  if (request.ranks == 0)
    return wrong("got 0 ranks, expected at least 1");
  if (request.graphs.size() != 1 && request.graphs.size() != request.ranks)
    return wrong(Twine("got ") + Twine(request.graphs.size()) + " graphs for " + Twine(request.ranks) +
                 " ranks, expected one, or one for each");
  if (request.inputs.size() != request.ranks)
    return wrong(Twine("got inputs of ") + Twine(request.inputs.size()) + " ranks, expected " + Twine(request.ranks));
  for (const Graph *graph : request.graphs)
    if (graph->front() == nullptr)
      return wrong("got an empty graph, expected one that ends in an output node");
  return llvm::Error::success();
}

const Graph &graphOf(const RunRequest &request, size_t rank) {
  return *request.graphs[request.graphs.size() == 1 ? 0 : rank];
}

/// Checks the first rank for which a fact differs from the trace of its graph.
llvm::Error checkFacts(const RunRequest &request) {
  for (size_t rank = 0; rank < request.ranks; ++rank)
    if (llvm::Error error =
            checkGuards(graphOf(request, rank), {{static_cast<int64_t>(rank), static_cast<int64_t>(request.ranks)}}))
      return error;
  return llvm::Error::success();
}

/// Takes the values out of an observation.
/// An input "in.x" that the program wrote is reported as "after.x".
TensorMap valuesOf(RankObservation &observation) {
  TensorMap values;
  for (Held &held : observation.outputs)
    values[held.name] = std::move(*held.value);
  for (Held &held : observation.inputs)
    if (held.value)
      values[afterName(*placeholderOfInput(held.name))] = std::move(*held.value);
  return values;
}

} // namespace

// Ranks take turns. Each runs up to a wait for a launch that another rank has not made yet; then the next one runs.
// With two ranks and c = all_reduce(x); w = wait(c); return w
//   rank 0   launches c, stops at w: rank 1 has not launched
//   rank 1   launches c, now both have; waits, returns
//   rank 0   tries w again, returns
// A round without progress of any rank is a deadlock, since nothing else could change the state. Values do not depend
// on the order of turns, because collectives match by order of issue, and results are computed from the inputs of all
// ranks.
static llvm::Expected<std::vector<RankObservation>> runAll(const RunRequest &request) {
  llvm::Expected<Providers> providers = namedProviders(request.kernels);
  if (!providers)
    return providers.takeError();
  Communications communications;
  std::vector<RankRun> runs;
  for (size_t rank = 0; rank < request.ranks; ++rank) {
    runs.emplace_back(RankRun::Setup{&graphOf(request, rank), static_cast<int64_t>(rank), request.ranks,
                                     &request.inputs[rank], &request.objects, &communications, &*providers});
  }
  while (llvm::any_of(runs, [](const RankRun &run) { return !run.isFinished(); })) {
    bool progressed = false;
    for (RankRun &run : runs) {
      llvm::Expected<bool> further = run.advance();
      if (!further)
        return further.takeError();
      progressed |= *further;
    }
    if (!progressed)
      return deadlock(runs, communications);
  }
  std::vector<RankObservation> observations;
  for (const RankRun &run : runs)
    observations.push_back(run.observation());
  return observations;
}

llvm::Expected<std::vector<RankObservation>> observe(const RunRequest &request) {
  if (llvm::Error error = checkRequest(request))
    return error;
  if (llvm::Error error =
          checkMemory(memoryNeed(request.graphs, request.ranks).peak, request.ranks, request.memoryLimit))
    return error;
  MemoryLimit limit(request.memoryLimit);
  StepMemory memory;
  StepMemory::Use stepMemory(memory);
  // A node reports its own need for memory, so this covers the copies for the caller.
  return withinMemory<std::vector<RankObservation>>(
      [&] { return runAll(request); },
      [](const std::string &asked) {
        return makeError(diagnose("run.memory", "the results need " + asked + ", more than this run may hold",
                                  "run fewer ranks, or the program with smaller sizes"));
      });
}

// Two graphs that are compared have the same constants, so observe() does not check guards.
llvm::Expected<RunResult> interpret(const RunRequest &request) {
  if (llvm::Error error = checkRequest(request))
    return error;
  if (llvm::Error error = checkFacts(request))
    return error;
  llvm::Expected<std::vector<RankObservation>> observations = observe(request);
  if (!observations)
    return observations.takeError();
  RunResult results;
  for (RankObservation &observation : *observations)
    results.push_back(valuesOf(observation));
  return results;
}

} // namespace ccgraph::runtime

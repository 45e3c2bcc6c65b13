#include "call.h"
#include "checks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

/// A rank that waits issues nothing until the other ranks have issued the collective. If all ranks run one program,
/// every step that a wait on a collective needs precedes the wait on every rank. A point-to-point transfer needs
/// another step of that program, the send for the receive. If ranks run different programs, every wait may need another
/// step. So the steps before such a wait stay before it:
///
///   before     receive, send, wait on the receive
///   refused    receive, wait on the receive, send:   every rank waits for the send of its neighbour
class Blocking {
public:
  Blocking(const Evidence &evidence, Findings &findings) : evidence_(evidence), findings_(findings) {
    for (uint32_t i = 0; i < evidence.before.size(); ++i)
      if (isCall(evidence.before, evidence.before[i]) && isNeeded(i))
        add(i);
  }

  void run() {
    if (launches_.empty())
      return;
    findEnds(evidence_.pairsBefore, endsBefore_);
    findEnds(evidence_.pairsAfter, endsAfter_);
    for (const LaunchSteps &launch : launches_)
      if (auto ends = endsOf(launch))
        check(launch, ends->first, ends->second);
  }

private:
  struct LaunchSteps {
    uint32_t before = 0;
    uint32_t after = none;  ///< the step that does this now
    uint32_t lowest = none; ///< last step of those that do it and of all earlier launches now
  };
  using Ends = llvm::DenseMap<uint32_t, uint32_t>;

  /// Returns true if other ranks may need the call. A plain call need not be read, since only the kind counts.
  bool isNeeded(uint32_t call) const {
    const CollectiveSpec *spec = evidence_.before[call].collective();
    spec = spec ? spec : readCall(evidence_.before, call).spec;
    return !evidence_.options.spmd || (spec && isPointToPoint(spec->kind));
  }

  void add(uint32_t step) {
    LaunchSteps launch{step, evidence_.correspondence.performer(step), none};
    launch.lowest = launches_.empty() ? none : launches_.back().lowest;
    if (launch.after != none && (launch.lowest == none || launch.lowest < launch.after))
      launch.lowest = launch.after;
    launches_.push_back(launch);
  }

  /// Maps each launch to the first wait on one of its results.
  static void findEnds(const AsyncPairLog &log, Ends &ends) {
    for (const AsyncPair &pair : log.asyncPairs)
      if (pair.wait != none) {
        auto [end, isNew] = ends.try_emplace(pair.launch, pair.wait);
        end->second = std::min(end->second, pair.wait);
      }
  }

  /// Returns where a rank waits for the launch, before and now; a synchronous launch is its own wait.
  std::optional<std::pair<uint32_t, uint32_t>> endsOf(const LaunchSteps &launch) const {
    if (launch.after == none)
      return std::nullopt;
    if (!evidence_.before[launch.before].launches)
      return std::pair(launch.before, launch.after);
    auto was = endsBefore_.find(launch.before);
    auto now = endsAfter_.find(launch.after);
    if (was == endsBefore_.end() || now == endsAfter_.end())
      return std::nullopt;
    return std::pair(was->second, now->second);
  }

  void check(const LaunchSteps &launch, uint32_t was, uint32_t now) {
    auto below = llvm::partition_point(launches_, [&](const LaunchSteps &other) { return other.before < was; });
    if (below == launches_.begin())
      return;
    uint32_t lowest = std::prev(below)->lowest;
    if (lowest == none || lowest <= now)
      return;
    findings_.add(*evidence_.after[now].node, "blocked",
                  "waits for " + quoted(evidence_.before[launch.before].node) + " before " +
                      quoted(evidence_.after[lowest].node) +
                      " is issued, expected after it, since other ranks may need that first");
  }

  const Evidence &evidence_;
  Findings &findings_;
  std::vector<LaunchSteps> launches_; ///< in the order before
  Ends endsBefore_, endsAfter_;
};

} // namespace

void checkBlocking(const Evidence &evidence, Findings &findings) { Blocking(evidence, findings).run(); }

} // namespace ccgraph::legality

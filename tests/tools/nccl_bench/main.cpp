// ccgraph_nccl_bench compares the nccl engine with a hand-written loop of the same NCCL calls.
//
//   RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 ccgraph_nccl_bench [--seconds S] [--bytes B] [--near RATIO]
//
// It is started as ccgraph-run --engine nccl is: one process for each rank, by a launcher that sets ranks and
// rendezvous (MASTER_ADDR, MASTER_PORT). --bytes selects rows of this size only. --near: a row with a lower ratio is
// measured up to four times as long, since a minimum only comes nearer.
//
// The program runs one collective after another on the same memory, as a plan of the engine and as a loop. Both are
// enqueued anew each time, and both are captured once and launched. The sides alternate, engine, hand, engine, hand,
// and the time of the slowest rank counts. Each side runs few and many collectives, and the result is the difference of
// the fastest runs of both, which excludes the fixed cost of a run.
#include "by_hand.h"
#include "counted_calls.h"

#include "ccgraph/runtime/run_times.h"
#include "driver/launcher_place.h"
#include "nccl/device_check.h"
#include "nccl/nccl_job.h"
#include "nccl/nccl_rank.h"
#include "support/lone_rank_standby.h"
#include "support/plan_builder.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using namespace ccgraph;
using namespace ccgraph::test;
using bench::Case;

namespace {

constexpr std::chrono::minutes patience(2);

// --- A: the engine ----------------------------------------------------------------------------------------------

std::unique_ptr<PlanBuilder> planOf(const Case &c, int64_t ranks) {
  auto made = std::make_unique<PlanBuilder>();
  PlanBuilder &b = *made;
  PlanWindow x = b.comm("x", {c.sentBy(ranks)}), y = b.comm("y", {c.receivedBy(ranks)});
  std::vector<int64_t> members;
  for (int64_t rank = 0; rank < ranks; ++rank)
    members.push_back(rank);
  StreamId stream = b.collectives(b.group("all", members));
  for (int step = 0; step < c.steps; ++step) {
    PlanCollective call;
    call.kind = c.kind;
    if (c.kind == CollectiveKind::AllReduce || c.kind == CollectiveKind::ReduceScatter)
      call.reduceOp = ReduceOp::Sum;
    if (c.kind == CollectiveKind::AllToAll) {
      call.sendCounts.assign(members.size(), Dim(c.elements / ranks));
      call.receiveCounts = call.sendCounts;
    }
    call.rows = {{x, y}};
    b.collective("c" + std::to_string(step), stream, {call});
  }
  return made;
}

class EngineSteps {
public:
  EngineSteps(runtime::NcclJob &job, const Case &c, bool capture)
      : plan_(planOf(c, ranks())), request_{.plans = {&plan_->plan}, .ranks = static_cast<size_t>(ranks())},
        commTable_(request_.plans, request_.ranks), calls_(job.calls()) {
    request_.capture = capture;
    request_.deadline = patience;
    rank_.emplace(runtime::NcclRank::Setup{rank(), "nccl", runtime::RankBody::Process, &calls_, &commTable_}, request_);
    llvm::cantFail(rank_->prepare());
    llvm::cantFail(rank_->open(llvm::cantFail(job.makeId())));
  }
  static int64_t ranks() { return static_cast<int64_t>(runtime::NcclJob::place().ranks); }
  static int64_t rank() { return static_cast<int64_t>(runtime::NcclJob::place().rank); }

  void run() {
    calls_.begin();
    llvm::cantFail(rank_->run({}, standby_));
  }
  [[nodiscard]] const bench::CountedCalls &calls() const { return calls_; }

private:
  std::unique_ptr<PlanBuilder> plan_;
  runtime::PlanRequest request_;
  runtime::CommTable commTable_;
  bench::CountedCalls calls_;
  LoneRankStandby standby_;
  std::optional<runtime::NcclRank> rank_;
};

// --- A B A B ------------------------------------------------------------------------------------------------------

template <typename Body>
double microseconds(Body body) {
  auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

struct Job {
  runtime::NcclJob &engine;
  bench::HandWrittenJob &hand;
};

class Contest {
public:
  Contest(const Job &job, const Case &c, bool capture)
      : job_(job), engine_(job.engine, c, capture), hand_(job.hand, c, capture) {
    // The first run captures the graph.
    engine_.run();
  }
  /// Returns the elapsed microseconds.
  double run() {
    double a = timed([&] { engine_.run(); }), b = timed([&] {
                                                hand_.enqueue();
                                                hand_.wait();
                                              });
    engine = std::min(engine, a);
    hand = std::min(hand, b);
    return a + b;
  }
  /// The device's calls in the last run, and the time of hand-written enqueuing.
  [[nodiscard]] const bench::CountedCalls &calls() const { return engine_.calls(); }
  double enqueueByHand() {
    double took = microseconds([&] { hand_.enqueue(); });
    hand_.wait();
    return took;
  }
  double engine = 1e30, hand = 1e30;

private:
  /// Returns the time of the slowest rank.
  template <typename Body>
  double timed(Body body) {
    (void)job_.hand.largest(0);
    return job_.hand.largest(microseconds(body));
  }
  Job job_;
  EngineSteps engine_;
  bench::HandSteps hand_;
};

/// Microseconds a collective.
struct Result {
  double engine = 0;
  double hand = 0;
  int runs = 0;
  [[nodiscard]] double ratio() const { return hand / engine; }
};

struct Effort {
  double seconds = 0.5;
  double near = 0.97;
};

Result measure(const Job &job, Case c, bool capture, Effort effort) {
  const int few = std::max(c.steps / 5, 1);
  Contest many(job, c, capture);
  Contest less(job, {c.kind, c.elements, few}, capture);
  Result result;
  double spent = 0;
  auto goesOn = [&] {
    bool longer = result.runs >= 5 && result.ratio() < effort.near;
    return result.runs < 5 || spent < effort.seconds * (longer ? 4e6 : 1e6);
  };
  for (; goesOn(); ++result.runs) {
    spent += many.run() + less.run();
    auto each = [&](double Contest::*side) { return std::max(many.*side - less.*side, 1e-3) / (c.steps - few); };
    result.engine = each(&Contest::engine);
    result.hand = each(&Contest::hand);
  }
  return result;
}

// --- Tables -------------------------------------------------------------------------------------------------------

std::string sizeText(int64_t bytes) {
  return bytes < 1024      ? std::to_string(bytes) + " B"
         : bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB"
                           : std::to_string(bytes >> 20) + " MiB";
}

/// Returns GB/s as nccl-tests define it (run_times.h); empty for one rank.
std::string busText(const Case &c, int64_t ranks, double us) {
  runtime::CollectiveTimes times{
      collectiveName(c.kind).str(), "", static_cast<size_t>(ranks), 1, c.elements * 4, us * 1e-6};
  return ranks == 1 ? "-" : llvm::formatv("{0:f2}", times.busBandwidth() * 1e-9).str();
}

void printRow(const Case &c, const Result &live, const Result &captured) {
  int64_t ranks = EngineSteps::ranks();
  if (EngineSteps::rank() == 0)
    llvm::outs() << llvm::formatv(
        "| {0} | {1} | {2:f2} | {3:f2} | {4:f3} | {5} | {6:f2} | {7:f2} | {8:f3} | {9} | {10} |\n",
        collectiveName(c.kind), sizeText(c.elements * 4), live.engine, live.hand, live.ratio(),
        busText(c, ranks, live.engine), captured.engine, captured.hand, captured.ratio(),
        busText(c, ranks, captured.engine), live.runs + captured.runs);
  llvm::outs().flush();
}

int stepsOf(int64_t bytes) { return bytes < 1 << 20 ? 50 : bytes < 64 << 20 ? 10 : 5; }

void compareSpeeds(const Job &job, int64_t only, Effort effort) {
  if (EngineSteps::rank() == 0)
    llvm::outs() << "| collective on " << EngineSteps::ranks()
                 << " ranks | size | engine, us | by hand, us | ratio | busbw, GB/s | captured: engine, us | by hand, "
                    "us | ratio | busbw, GB/s | runs |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter, CollectiveKind::AllToAll})
    for (int64_t bytes : {256LL, 4LL << 10, 64LL << 10, 1LL << 20, 16LL << 20, 256LL << 20}) {
      if (only != 0 && bytes != only)
        continue;
      // The size is a multiple of the number of ranks, so that it can be divided.
      int64_t ranks = EngineSteps::ranks();
      Case c{kind, std::max<int64_t>(bytes / 4 / ranks, 1) * ranks, stepsOf(bytes)};
      Result live = measure(job, c, false, effort);
      printRow(c, live, measure(job, c, true, effort));
    }
}

void printVersions() {
  runtime::GpuPlace place = llvm::cantFail(runtime::loadGpuModule())->place();
  auto version = [](int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); };
  if (EngineSteps::rank() == 0)
    llvm::outs() << "NCCL " << runtime::libraryVersion(place.library) << ", CUDA " << version(place.toolkit)
                 << ", a driver of CUDA " << version(place.driver) << ".\n\n";
}

/// Prints the host's calls and time for a program of many small collectives.
void countLaunches(const Job &job) {
  const Case c{CollectiveKind::AllReduce, 64 * EngineSteps::ranks(), 50};
  if (EngineSteps::rank() == 0)
    llvm::outs() << "\n| a step of " << c.steps << " all_reduces of " << sizeText(c.elements * 4)
                 << " | calls that give work | until all is enqueued, us |\n|---|---:|---:|\n";
  for (bool capture : {false, true}) {
    Contest contest(job, c, capture);
    double engine = 1e30, hand = 1e30;
    for (int run = 0; run < 100; ++run) {
      (void)contest.run();
      engine = std::min(engine, contest.calls().microseconds());
      hand = std::min(hand, contest.enqueueByHand());
    }
    const char *how = capture ? ", captured" : "";
    if (EngineSteps::rank() == 0)
      llvm::outs() << llvm::formatv("| engine{0} | {1} | {2:f2} |\n| by hand{0} | {3} | {4:f2} |\n", how,
                                    contest.calls().work(), engine, capture ? 1 : c.steps, hand);
  }
}

} // namespace

int main(int argc, char **argv) {
  Effort effort;
  int64_t only = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    llvm::StringRef flag = argv[i], value = argv[i + 1];
    bool wrong = flag == "--seconds" ? value.getAsDouble(effort.seconds)
                 : flag == "--near"  ? value.getAsDouble(effort.near)
                 : flag == "--bytes" ? value.getAsInteger(10, only)
                                     : true;
    if (wrong) {
      llvm::errs() << "usage: ccgraph_nccl_bench [--seconds S] [--bytes B] [--near RATIO]\n";
      return 2;
    }
  }
  llvm::Expected<runtime::JobPlace> place = driver::placeOfLauncher({});
  if (!place) {
    llvm::errs() << llvm::toString(place.takeError()) << '\n';
    return 2;
  }
  runtime::NcclJob::setPlace(*place);
  llvm::Expected<runtime::NcclJob *> job = runtime::NcclJob::join(patience);
  if (!job) {
    llvm::errs() << llvm::toString(job.takeError());
    return 1;
  }
  bench::HandWrittenJob hand(llvm::cantFail((*job)->makeId()),
                             {static_cast<int>(EngineSteps::ranks()), static_cast<int>(EngineSteps::rank()),
                              static_cast<int>(runtime::NcclJob::place().localRank)});
  printVersions();
  compareSpeeds({**job, hand}, only, effort);
  countLaunches({**job, hand});
  return 0;
}

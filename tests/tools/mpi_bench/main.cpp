// ccgraph_mpi_bench compares the mpi engine with a hand-written loop of the same MPI calls.
//
//   mpirun -n N ccgraph_mpi_bench [--seconds S] [--bytes B]
//
// --bytes selects rows of this size only.
//
// A program launches one collective after another, each on the result of the previous one; the loop posts each MPI call
// and waits for it. Both sides reduce with the same code, so the difference is the engine's work between MPI calls. The
// engine must record its launches and their times (flight_record.h), so the hand-written loop is run a second time with
// a recorder. Runs alternate, A B C A B C, each with few and with many collectives. The result is the difference of the
// fastest runs of both, which excludes the fixed cost of a run, such as gathering its results. Runs are short, so that
// on a busy machine some are undisturbed.
#include "collectives/reduce_rows.h"
#include "support/plan_builder.h"
#include "watch/flight_recorder.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <mpi.h>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

constexpr int64_t smallBytes = 32 << 10;

struct Case {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// floats that each rank sends
  int64_t elements = 0;
  int steps = 0;
};

// --- A: the engine --------------------------------------------------------------------------------------------

int64_t receivedBy(const Case &c, int64_t ranks) {
  return c.kind == CollectiveKind::AllGather       ? c.elements * ranks
         : c.kind == CollectiveKind::ReduceScatter ? c.elements / ranks
                                                   : c.elements;
}

/// The plan itself makes x and returns one element of the result, so that a run consists almost only of its
/// collectives.
std::unique_ptr<PlanBuilder> planOf(const Case &c, int64_t ranks) {
  auto made = std::make_unique<PlanBuilder>();
  PlanBuilder &b = *made;
  PlanWindow x = b.compute("x", {c.elements}), y = b.comm("y", {receivedBy(c, ranks)});
  Argument sizes = Argument::sequence(Argument::Kind::List, b.plan.keep({Argument::integer(c.elements)}));
  b.kernel("x", "aten.full.default", {sizes, 0.25}, x);
  std::vector<int64_t> members;
  for (int64_t rank = 0; rank < ranks; ++rank)
    members.push_back(rank);
  StreamId stream = b.collectives(b.group("all", members));
  for (int step = 0; step < c.steps; ++step) {
    PlanCollective call;
    call.kind = c.kind;
    if (c.kind != CollectiveKind::AllGather)
      call.reduceOp = ReduceOp::Sum;
    call.rows = {{x, y}};
    b.collective("c" + std::to_string(step), stream, {call});
  }
  b.order("x", "c0");
  b.returns(b.part(y, {1}, 0));
  return made;
}

// --- B: hand-written ------------------------------------------------------------------------------------------

class ByHand {
public:
  ByHand(const Case &c, int ranks, int rank)
      : c_(c), ranks_(ranks), rank_(rank), x_(static_cast<size_t>(c.elements), 0.25F),
        y_(static_cast<size_t>(receivedBy(c, ranks))),
        scratch_(static_cast<size_t>(isWhole() ? c.elements * ranks : c.elements)) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  ~ByHand() { MPI_Comm_free(&comm_); }

  void run() {
    for (int step = 0; step < c_.steps; ++step)
      once();
  }

  /// Runs the same with the engine's records: the k-th collective is step k + 1 of the plan, whose first step makes x.
  void runRecorded(runtime::FlightRecorder &recorder, const runtime::Launch &launch) {
    recorder.begin();
    runtime::FlightRecorder::Moment moment = recorder.moment();
    for (size_t step = 0; step < static_cast<size_t>(c_.steps); ++step) {
      recorder.schedule(step, moment);
      recorder.beginStep(step + 1, moment);
      recorder.start(step, launch, moment);
      once();
      moment = recorder.moment();
      recorder.complete(step, moment);
      recorder.endStep(step + 1, moment);
    }
  }

  /// Returns the facts of each collective that a recorder reads: dtypes and sizes.
  [[nodiscard]] runtime::Launch launch() const {
    auto row = [](const std::vector<float> &values) {
      return runtime::Buffer(runtime::Tensor::zeros(DType::F32, {static_cast<int64_t>(values.size())}));
    };
    runtime::Launch made;
    made.kind = c_.kind;
    made.send.push_back(row(x_));
    made.receive.push_back(row(y_));
    return made;
  }

private:
  [[nodiscard]] bool isWhole() const { return c_.elements * 4 * ranks_ <= smallBytes; }

  void once() {
    int count = static_cast<int>(c_.elements);
    MPI_Request request;
    if (c_.kind == CollectiveKind::AllGather) {
      MPI_Iallgather(x_.data(), count, MPI_FLOAT, y_.data(), count, MPI_FLOAT, comm_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      return;
    }
    bool whole = c_.kind == CollectiveKind::AllReduce && isWhole();
    int part = whole ? count : count / ranks_;
    if (whole)
      MPI_Iallgather(x_.data(), count, MPI_FLOAT, scratch_.data(), count, MPI_FLOAT, comm_, &request);
    else
      MPI_Ialltoall(x_.data(), part, MPI_FLOAT, scratch_.data(), part, MPI_FLOAT, comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    bool shares = c_.kind == CollectiveKind::AllReduce && !whole;
    reduce(part, y_.data() + (shares ? rank_ * part : 0));
    if (!shares)
      return;
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_FLOAT, y_.data(), part, MPI_FLOAT, comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  void reduce(int64_t part, float *to) {
    llvm::SmallVector<const std::byte *, 16> rows;
    for (int64_t member = 0; member < ranks_; ++member)
      rows.push_back(reinterpret_cast<const std::byte *>(scratch_.data() + member * part));
    runtime::reduceRows({ReduceOp::Sum, DType::F32, rows, reinterpret_cast<std::byte *>(to), part});
  }

  const Case &c_;
  int ranks_, rank_;
  std::vector<float> x_, y_, scratch_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// --- A B C A B C ----------------------------------------------------------------------------------------------------

/// Returns the microseconds of the slowest rank.
template <typename Body>
double microseconds(Body body) {
  MPI_Barrier(MPI_COMM_WORLD);
  auto begin = std::chrono::steady_clock::now();
  body();
  double own = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count(), all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// One side of the comparison, with a fixed number of collectives in a run.
struct Fastest {
  double engine = 1e30;
  double hand = 1e30;
  double recorded = 1e30;
};

class Contest {
public:
  Contest(const Case &c, int ranks, int rank)
      : case_(c), plan_(planOf(case_, ranks)), hand_(case_, ranks, rank), inputs_(static_cast<size_t>(ranks)) {
    runtime::PlanRequest request{.plans = {&plan_->plan}, .ranks = static_cast<size_t>(ranks)};
    plans_ = llvm::cantFail(runtime::findEngine("mpi")->prepare(request));
    recorder_.emplace(runtime::FlightRecorder::Setup{&plan_->plan, rank, static_cast<size_t>(ranks), "mpi",
                                                     request.recordedCalls, request.recordedSteps});
    for (int step = 0; step < c.steps; ++step)
      (void)recorder_->enrol(static_cast<size_t>(step) + 1, 0);
  }

  /// Returns the elapsed microseconds.
  double run() {
    double a = microseconds([&] { llvm::cantFail(plans_->run(inputs_)); }), b = microseconds([&] { hand_.run(); }),
           c = microseconds([&] { hand_.runRecorded(*recorder_, launch_); });
    fastest.engine = std::min(fastest.engine, a);
    fastest.hand = std::min(fastest.hand, b);
    fastest.recorded = std::min(fastest.recorded, c);
    return a + b + c;
  }
  Fastest fastest;

private:
  Case case_;
  std::unique_ptr<PlanBuilder> plan_;
  ByHand hand_;
  runtime::Launch launch_ = hand_.launch();
  std::optional<runtime::FlightRecorder> recorder_;
  std::vector<TensorMap> inputs_;
  std::unique_ptr<runtime::PreparedPlans> plans_;
};

struct Result {
  double engine = 0;
  double hand = 0;
  double recorded = 0;
  int runs = 0;
};

/// Returns the microseconds of one collective.
Result measure(Case c, int ranks, int rank, double seconds) {
  const int few = c.steps / 5;
  Contest many(c, ranks, rank);
  Contest less({c.kind, c.elements, few}, ranks, rank);
  Result result;
  for (double spent = 0; spent < seconds * 1e6 || result.runs < 5; ++result.runs)
    spent += many.run() + less.run();
  auto each = [&](double Fastest::*side) { return (many.fastest.*side - less.fastest.*side) / (c.steps - few); };
  result.engine = each(&Fastest::engine);
  result.hand = each(&Fastest::hand);
  result.recorded = each(&Fastest::recorded);
  return result;
}

llvm::StringRef sizeText(int64_t bytes, std::string &text) {
  text = bytes < 1024      ? std::to_string(bytes) + " B"
         : bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB"
                           : std::to_string(bytes >> 20) + " MiB";
  return text;
}

} // namespace

int main(int argc, char **argv) {
  double seconds = 2;
  int64_t only = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (llvm::StringRef(argv[i]) == "--seconds")
      llvm::StringRef(argv[i + 1]).getAsDouble(seconds);
    if (llvm::StringRef(argv[i]) == "--bytes")
      llvm::StringRef(argv[i + 1]).getAsInteger(10, only);
  }
  // The program rather than the engine initializes MPI, as a framework with its own MPI would.
  int threads = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0)
    llvm::outs() << "| collective on " << ranks
                 << " ranks | sent by each | by hand, us | and remembered, us | engine, us | engine / hand | engine / "
                    "remembered | runs |\n"
                 << "|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
    for (int64_t bytes : {256LL, 4LL << 10, 64LL << 10, 1LL << 20, 16LL << 20}) {
      if (only != 0 && bytes != only)
        continue;
      Case c{kind, bytes / 4, bytes < 1 << 20 ? 50 : 10};
      Result result = measure(c, ranks, rank, seconds);
      std::string text;
      if (rank == 0)
        llvm::outs() << llvm::formatv("| {0} | {1} | {2:f3} | {3:f3} | {4:f3} | {5:f3} | {6:f3} | {7} |\n",
                                      collectiveName(kind), sizeText(bytes, text), result.hand, result.recorded,
                                      result.engine, result.engine / result.hand, result.engine / result.recorded,
                                      result.runs);
      llvm::outs().flush();
    }
  runtime::findEngine("mpi")->leave(0);
  MPI_Finalize();
  return 0;
}

// Compares calls of process groups with the plain transports below them, and measures a tcp store:
//
//   ccgraph_group_bench local                       two ranks, threads
//   mpirun -n 2 ccgraph_group_bench mpi FILE        two ranks, processes; FILE does not exist yet
//   ccgraph_group_bench alone CALLS BYTES           both ranks on one thread, for an instruction count; prints the
//                                                   processor time of one rank's movement, and of its call, in us
//   ccgraph_group_bench store                       a tcp store and its clients in this process
//
// A plain all_reduce is the same movement without a group: the transport's calls in a loop, without checks, records and
// works. Both sides yield while they wait. Runs of a few calls alternate, so that a busy machine disturbs both alike,
// and a tenth of the runs are faster than the time that is printed. Prints rows of a Markdown table.
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/job.h"
#include "ccgraph/runtime/tcp_store.h"
#include "local/local_match.h"
#include "local/movement.h"
#include "mpi/mpi_transport.h"
#include "tools/group_jobs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <thread>

using namespace ccgraph;
using namespace ccgraph::runtime;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int repetitions = 30;
constexpr int64_t sizes[] = {256, 4 << 10, 32 << 10, 256 << 10, 4 << 20};

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }
/// Of one run, which takes some tens of microseconds, or one large call.
int callsOf(int64_t bytes) { return bytes <= (32 << 10) ? 8 : 1; }
int runsOf(int64_t bytes) { return bytes <= (256 << 10) ? 400 : 100; }

/// The microseconds for each call of runs that take turns.
struct Times {
  std::vector<double> plain, group;
};
double lowTenth(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 10];
}
Tensor tensorOf(int64_t bytes) { return Tensor::zeros(DType::F32, {bytes / 4}); }

Launch launchOf(const Tensor &tensor, int64_t rank) {
  static auto *context = new Context; // NOLINT(cppcoreguidelines-owning-memory): never freed, on purpose
  Launch launch;
  launch.call.name = context->identifier("plain");
  launch.rank = rank;
  launch.kind = CollectiveKind::AllReduce;
  launch.reduceOp = ReduceOp::Sum;
  launch.send = {Buffer(tensor)};
  launch.receive = {Buffer(tensor)};
  return launch;
}

void callGroup(ProcessGroup &group, const Tensor &tensor, int calls) {
  for (int i = 0; i < calls; ++i)
    llvm::cantFail(finish(group.allReduce(tensor)));
}

void printRow(const char *backend, int64_t bytes, const Times &times) {
  double plain = lowTenth(times.plain), group = lowTenth(times.group);
  std::printf("| %s | %lld | %.2f | %.2f | %.3f |\n", backend, static_cast<long long>(bytes), plain, group,
              group / plain);
  std::fflush(stdout);
}

/// One rank's part of all runs; the ranks come together in each call. `plain` and `group`: so many calls.
template <typename Plain, typename Group>
Times takeTurns(int64_t bytes, Plain plain, Group group) {
  int calls = callsOf(bytes), runs = runsOf(bytes);
  Times times;
  for (int i = 0; i < runs; ++i) {
    Clock::time_point begun = Clock::now();
    plain(calls);
    Clock::time_point between = Clock::now();
    group(calls);
    Clock::time_point ended = Clock::now();
    times.plain.push_back(microseconds(between - begun) / calls);
    times.group.push_back(microseconds(ended - between) / calls);
  }
  return times;
}

// --- Threads ---------------------------------------------------------------------------------------------------------

/// One match for each call.
struct PlainCalls {
  std::vector<int64_t> members{0, 1};
  std::deque<LocalMatch> matches;
  explicit PlainCalls(int calls) {
    for (int i = 0; i < calls; ++i)
      matches.emplace_back(members, static_cast<size_t>(i + 1));
  }
};

void callPlain(LocalMatch &match, const Launch &launch) {
  (void)llvm::cantFail(match.arrive(static_cast<size_t>(launch.rank), launch));
  while (!match.allArrived())
    std::this_thread::yield();
  moveRows(match.launches(), static_cast<size_t>(launch.rank));
  (void)match.finish();
  while (!match.allDone())
    std::this_thread::yield();
}

struct TwoJobs {
  std::unique_ptr<Job> jobs[2];
  TwoJobs() {
    std::shared_ptr<Store> store = makeHashStore();
    for (int64_t rank : {0, 1})
      jobs[rank] = llvm::cantFail(Job::init({.store = store, .rank = rank, .worldSize = 2}));
  }
};

int runLocal() {
  TwoJobs two;
  for (int64_t bytes : sizes) {
    PlainCalls matches(callsOf(bytes) * runsOf(bytes));
    auto runRank = [&](int64_t rank) {
      Tensor tensor = tensorOf(bytes), other = tensorOf(bytes);
      Launch launch = launchOf(tensor, rank);
      auto next = matches.matches.begin();
      auto plain = [&](int calls) {
        for (int i = 0; i < calls; ++i)
          callPlain(*next++, launch);
      };
      return takeTurns(bytes, plain, [&](int calls) { callGroup(two.jobs[rank]->world(), other, calls); });
    };
    std::thread other([&] { (void)runRank(1); });
    Times times = runRank(0);
    other.join();
    printRow("local", bytes, times);
  }
  return 0;
}

// Both ranks on one thread: no rank waits, so the count of instructions is the same in each run.

[[gnu::noinline]] void callPlainAlone(PlainCalls &plain, const Launch (&launches)[2]) {
  for (LocalMatch &match : plain.matches) {
    for (const Launch &launch : launches)
      (void)llvm::cantFail(match.arrive(static_cast<size_t>(launch.rank), launch));
    for (const Launch &launch : launches) {
      moveRows(match.launches(), static_cast<size_t>(launch.rank));
      (void)match.finish();
    }
  }
}

[[gnu::noinline]] void callGroupAlone(TwoJobs &two, const Tensor (&tensors)[2], int calls) {
  for (int i = 0; i < calls; ++i) {
    WorkPtr works[2];
    for (int rank : {0, 1})
      works[rank] = llvm::cantFail(two.jobs[rank]->world().allReduce(tensors[rank]));
    for (const WorkPtr &work : works)
      llvm::cantFail(work->wait());
  }
}

int runAlone(int calls, int64_t bytes) {
  TwoJobs two;
  Tensor tensors[] = {tensorOf(bytes), tensorOf(bytes)};
  Launch launches[] = {launchOf(tensors[0], 0), launchOf(tensors[1], 1)};
  PlainCalls matches(calls);
  auto timeOf = [&](auto run) {
    std::clock_t begun = std::clock();
    run();
    return 1e6 / CLOCKS_PER_SEC * static_cast<double>(std::clock() - begun) / (2 * calls);
  };
  double plain = timeOf([&] { callPlainAlone(matches, launches); });
  double group = timeOf([&] { callGroupAlone(two, tensors, calls); });
  std::printf("%.2f %.2f\n", plain, group);
  return 0;
}

// --- Processes -------------------------------------------------------------------------------------------------------

class PlainMpi {
public:
  explicit PlainMpi(MpiJob &job) : job_(job), transport_(job) {
    MpiCommKey key{{0, 1}, 12345};
    llvm::cantFail(job.makeCommunicators({key}, std::chrono::minutes(1)));
    transport_.open({key}, context_);
    ticket_ = transport_.enrol({{0, 1}, static_cast<size_t>(job.rank()), CollectiveKind::AllReduce});
    agreed_ = {key, 1, false};
  }

  void call(const Launch &launch, int calls) {
    for (int i = 0; i < calls; ++i) {
      llvm::cantFail(transport_.place(ticket_, agreed_));
      llvm::cantFail(transport_.launch(ticket_, launch));
      while (!transport_.isReady(ticket_) || !llvm::cantFail(transport_.advance(ticket_)))
        std::this_thread::yield();
    }
  }
  [[nodiscard]] int64_t rank() const { return job_.rank(); }

private:
  MpiJob &job_;
  Context context_;
  MpiTransport transport_;
  Transport::Ticket ticket_ = 0;
  AgreedCall agreed_;
};

int runMpi(const char *path) {
  JobOptions options = test::optionsOfMpi(path);
  {
    auto job = llvm::cantFail(Job::init(std::move(options)));
    PlainMpi plainCalls(*MpiJob::joined());
    for (int64_t bytes : sizes) {
      Tensor tensor = tensorOf(bytes);
      Launch launch = launchOf(tensor, job->rank());
      Times times = takeTurns(
          bytes, [&](int calls) { plainCalls.call(launch, calls); },
          [&](int calls) { callGroup(job->world(), tensor, calls); });
      if (job->rank() == 0)
        printRow("mpi", bytes, times);
    }
  }
  return findEngine("mpi")->leave(0);
}

// --- A tcp store -----------------------------------------------------------------------------------------------------

int64_t residentBytes() {
  int64_t pages = 0, resident = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    (void)!std::fscanf(file, "%ld %ld", &pages, &resident);
    std::fclose(file);
  }
  return resident * 4096;
}

void printQueries(const char *what, llvm::function_ref<void()> query) {
  constexpr int queries = 500;
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    Clock::time_point begun = Clock::now();
    for (int j = 0; j < queries; ++j)
      query();
    best = std::min(best, microseconds(Clock::now() - begun) / queries);
  }
  std::printf("| %s | %.1f us |\n", what, best);
}

void printBarrier(TcpStore &server) {
  constexpr int64_t clients = 1000;
  int64_t before = residentBytes();
  std::vector<std::shared_ptr<TcpStore>> stores(clients);
  for (std::shared_ptr<TcpStore> &store : stores)
    store = llvm::cantFail(openTcpStore({.port = server.port()}));
  size_t connected = server.numClients();
  Clock::time_point begun = Clock::now();
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < clients; ++rank)
    threads.emplace_back([&, rank] {
      llvm::cantFail(waitAtStoreBarrier(*stores[static_cast<size_t>(rank)], {"all", rank, clients}));
    });
  for (std::thread &thread : threads)
    thread.join();
  std::printf("| %zu connections, 1000 ranks at a barrier | %.0f ms |\n", connected,
              microseconds(Clock::now() - begun) / 1000);
  std::printf("| bytes of keys and values that the server counts | %lld |\n",
              static_cast<long long>(server.bytesHeld()));
  std::printf("| resident bytes of server, clients and threads together, for each client | %lld |\n",
              static_cast<long long>((residentBytes() - before) / clients));
}

int runStore() {
  auto server = llvm::cantFail(openTcpStore({.isServer = true}));
  auto client = llvm::cantFail(openTcpStore({.port = server->port()}));
  std::string value(1000, 'v');
  llvm::cantFail(client->set("key", value));
  // A set has no answer, so each is followed by a check, which has one.
  printQueries("set of 1,000 bytes, and check", [&] {
    llvm::cantFail(client->set("key", value));
    (void)llvm::cantFail(client->check({"key"}));
  });
  printQueries("check", [&] { (void)llvm::cantFail(client->check({"key"})); });
  printQueries("get of 1,000 bytes", [&] { (void)llvm::cantFail(client->get("key")); });
  printQueries("add", [&] { (void)llvm::cantFail(client->add("count", 1)); });
  printBarrier(*server);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "local")
    return runLocal();
  if (mode == "mpi" && argc == 3)
    return runMpi(argv[2]);
  if (mode == "alone" && argc == 4)
    return runAlone(std::atoi(argv[2]), std::atoll(argv[3]));
  if (mode == "store")
    return runStore();
  std::fprintf(stderr, "usage: %s local | mpi FILE | alone CALLS BYTES | store\n", argv[0]);
  return 2;
}

// Compares calls of process groups with the plain transports below them, and measures a tcp store:
//
//   ccgraph_group_bench local                       two ranks, threads
//   mpirun -n 2 ccgraph_group_bench mpi FILE        two ranks, processes; FILE does not exist yet
//   ccgraph_group_bench store                       a tcp store and its clients in this process
//
// A plain all_reduce is the same movement without a group: the transport's calls in a loop, without checks, records and
// works. Both sides yield while they wait. Runs alternate, and the fastest run of each counts, because on a busy
// machine some runs are undisturbed. Prints rows of a Markdown table.
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
#include <deque>
#include <thread>

using namespace ccgraph;
using namespace ccgraph::runtime;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int repetitions = 30;
constexpr int64_t sizes[] = {256, 4 << 10, 32 << 10, 256 << 10, 4 << 20};

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }
/// Calls of one run, which takes some milliseconds.
int callsOf(int64_t bytes) { return bytes <= (32 << 10) ? 200 : bytes <= (256 << 10) ? 50 : 8; }
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

void printRow(const char *backend, int64_t bytes, double plain, double group) {
  std::printf("| %s | %lld | %.2f | %.2f | %.3f |\n", backend, static_cast<long long>(bytes), plain, group,
              group / plain);
  std::fflush(stdout);
}

// --- Threads ---------------------------------------------------------------------------------------------------------

/// One match for each call of a run.
struct PlainCalls {
  std::vector<int64_t> members{0, 1};
  std::deque<LocalMatch> matches;
  explicit PlainCalls(int calls) {
    for (int i = 0; i < calls; ++i)
      matches.emplace_back(members, static_cast<size_t>(i + 1));
  }
};

void callPlain(PlainCalls &plain, const Launch &launch) {
  auto member = static_cast<size_t>(launch.rank);
  for (LocalMatch &match : plain.matches) {
    (void)llvm::cantFail(match.arrive(member, launch));
    while (!match.allArrived())
      std::this_thread::yield();
    moveRows(match.launches(), member);
    (void)match.finish();
    while (!match.allDone())
      std::this_thread::yield();
  }
}

/// The microseconds of one call, on two threads that begin together.
template <typename Body>
double runOnThreads(int calls, Body body) {
  std::atomic<int> ready = 0;
  auto meet = [&] {
    for (++ready; ready < 2;)
      std::this_thread::yield();
  };
  Clock::time_point begun;
  std::thread other([&] {
    meet();
    body(1);
  });
  meet();
  begun = Clock::now();
  body(0);
  other.join();
  return microseconds(Clock::now() - begun) / calls;
}

int runLocal() {
  std::shared_ptr<Store> store = makeHashStore();
  auto join = [&](int64_t rank) { return llvm::cantFail(Job::init({.store = store, .rank = rank, .worldSize = 2})); };
  std::unique_ptr<Job> jobs[] = {join(0), join(1)};
  for (int64_t bytes : sizes) {
    int calls = callsOf(bytes);
    Tensor tensors[] = {tensorOf(bytes), tensorOf(bytes)};
    Launch launches[] = {launchOf(tensors[0], 0), launchOf(tensors[1], 1)};
    double plain = 1e9, group = 1e9;
    for (int i = 0; i < repetitions; ++i) {
      PlainCalls matches(calls);
      plain = std::min(plain, runOnThreads(calls, [&](int rank) { callPlain(matches, launches[rank]); }));
      group =
          std::min(group, runOnThreads(calls, [&](int rank) { callGroup(jobs[rank]->world(), tensors[rank], calls); }));
    }
    printRow("local", bytes, plain, group);
  }
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
      int calls = callsOf(bytes);
      Tensor tensor = tensorOf(bytes);
      Launch launch = launchOf(tensor, job->rank());
      double plain = 1e9, group = 1e9;
      auto timed = [&](auto body) {
        llvm::cantFail(finish(job->world().barrier()));
        Clock::time_point begun = Clock::now();
        body();
        return microseconds(Clock::now() - begun) / calls;
      };
      for (int i = 0; i < repetitions; ++i) {
        plain = std::min(plain, timed([&] { plainCalls.call(launch, calls); }));
        group = std::min(group, timed([&] { callGroup(job->world(), tensor, calls); }));
      }
      if (job->rank() == 0)
        printRow("mpi", bytes, plain, group);
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
  if (mode == "store")
    return runStore();
  std::fprintf(stderr, "usage: %s local | mpi FILE | store\n", argv[0]);
  return 2;
}

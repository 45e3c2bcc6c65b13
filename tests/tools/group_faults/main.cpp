// Lets one rank of a job fail on purpose, and prints what each other rank reports and after how long:
//
//   ccgraph_group_faults local RANKS FAULT CALL CULPRIT DEADLINE     the ranks are threads
//   mpirun -n RANKS ccgraph_group_faults mpi FILE FAULT CALL CULPRIT DEADLINE
//   ccgraph_group_faults server                                      prints its port, and serves a tcp store
//   ccgraph_group_faults client PORT RANKS RANK CALL DEADLINE        a process that uses the tcp store
//
// FAULT: absent (does not call), late (calls after the deadline), leaves (ends its job), stopped and killed (processes
// alone), differs (calls with one more element), another (calls a barrier), and for local unwaited (absent, while the
// others wait for nothing) and polled (absent, while the others poll). CALL: an operation of process groups; for
// clients one of the store. DEADLINE: milliseconds.
//
// FILE does not exist yet: the file store of the job. Each rank prints "rank R: MILLISECONDS ms: RULE: TEXT" for a
// failure, or "rank R: MILLISECONDS ms: completed"; "silent rank R" where another process reports the failure to the
// user. A client first prints "ready".
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/job.h"
#include "ccgraph/runtime/tcp_store.h"
#include "stores/store_error.h"
#include "tools/group_jobs.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace ccgraph;
using namespace ccgraph::runtime;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

struct Fault {
  std::string kind;
  std::string call;
  int64_t culprit = 0;
  Milliseconds deadline{};
};

Fault faultOf(char **arguments) {
  return {arguments[0], arguments[1], std::atoll(arguments[2]), Milliseconds(std::atoll(arguments[3]))};
}

/// Over mpi, one process reports to the user: the lowest rank that answers.
bool reports = true;

/// One line, written at once, since processes share the terminal.
void report(int64_t rank, Clock::time_point begun, llvm::Error error) {
  auto took = std::chrono::duration_cast<Milliseconds>(Clock::now() - begun).count();
  std::string line =
      (reports ? "rank " : "silent rank ") + std::to_string(rank) + ": " + std::to_string(took) + " ms: ";
  line += error ? ruleOf(error) + ": " : std::string("completed");
  std::string text = llvm::toString(std::move(error));
  for (char &c : text)
    c = c == '\n' ? ' ' : c;
  line += text + "\n";
  (void)!::write(STDOUT_FILENO, line.data(), line.size());
}

// --- Calls of process groups -----------------------------------------------------------------------------------------

Tensor floats(int64_t count) { return Tensor::zeros(DType::F32, {count}); }

std::vector<Tensor> lists(int64_t count) {
  std::vector<Tensor> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(floats(8));
  return all;
}

/// The begin of a call in which every rank needs the culprit. Null for a rank without a part in it.
llvm::Expected<WorkPtr> begin(ProcessGroup &group, const Fault &fault) {
  int64_t ranks = group.size(), culprit = fault.culprit, next = (culprit + 1) % ranks;
  bool isCulprit = group.rank() == culprit;
  CallOptions options{fault.deadline};
  TransferOptions transfer{0, fault.deadline};
  const std::string call = isCulprit && fault.kind == "another" ? "barrier" : fault.call;
  int64_t more = isCulprit && fault.kind == "differs" ? 1 : 0;
  if (call == "all_reduce")
    return group.allReduce(floats(64 + more), ReduceOp::Sum, options);
  if (call == "all_reduce_large")
    return group.allReduce(floats((1 << 16) + more), ReduceOp::Sum, options);
  if (call == "reduce")
    return group.reduce(floats(64), next, ReduceOp::Max, options);
  if (call == "broadcast")
    return group.broadcast(floats(64), culprit, options);
  if (call == "all_gather")
    return group.allGather(lists(ranks), floats(8), options);
  if (call == "gather")
    return group.gather(group.rank() == next ? lists(ranks) : std::vector<Tensor>(), floats(8), next, options);
  if (call == "scatter")
    return group.scatter(floats(8), isCulprit ? lists(ranks) : std::vector<Tensor>(), culprit, options);
  if (call == "reduce_scatter")
    return group.reduceScatterTensor(floats(8), floats(8 * ranks), ReduceOp::Sum, options);
  if (call == "all_to_all")
    return group.allToAll(lists(ranks), lists(ranks), options);
  if (call == "recv")
    return isCulprit              ? group.send(floats(8), next, transfer)
           : group.rank() == next ? group.recv(floats(8), culprit, transfer)
                                  : WorkPtr();
  if (call == "recv_any")
    return isCulprit              ? group.send(floats(8), next, transfer)
           : group.rank() == next ? group.recvAnySource(floats(8), transfer)
                                  : WorkPtr();
  return group.barrier(options);
}

/// The call as the other ranks make it: they wait, poll, or do neither.
llvm::Error call(ProcessGroup &group, const Fault &fault) {
  if (fault.call == "monitored_barrier")
    return group.monitoredBarrier({.timeout = fault.deadline, .waitAllRanks = true});
  llvm::Expected<WorkPtr> work = begin(group, fault);
  bool waits = fault.kind != "polled" && fault.kind != "unwaited";
  if (!work || !*work || waits || group.rank() == fault.culprit)
    return finish(std::move(work));
  if (fault.kind == "polled") {
    while (!(*work)->isCompleted())
      std::this_thread::sleep_for(Milliseconds(1));
    return (*work)->exception();
  }
  work->reset();
  // The group is over before the next call, which therefore fails immediately.
  std::this_thread::sleep_for(fault.deadline + Milliseconds(500));
  return finish(group.barrier({fault.deadline * 4}));
}

/// On one rank, all ranks having met before.
void run(Job &job, const Fault &fault) {
  if (llvm::Error error = finish(job.world().barrier()))
    return report(job.rank(), Clock::now(), std::move(error));
  bool calls = fault.kind == "differs" || fault.kind == "another";
  if (job.rank() == fault.culprit && !calls) {
    if (fault.kind == "killed")
      std::raise(SIGKILL);
    if (fault.kind == "stopped")
      std::raise(SIGSTOP);
    if (fault.kind == "leaves")
      return;
    std::this_thread::sleep_for(fault.deadline * 2 + Milliseconds(1500));
    if (fault.kind != "late")
      return;
  }
  Clock::time_point begun = Clock::now();
  llvm::Error error = call(job.world(), fault);
  if (error && job.world().config().str() == "cpu:mpi")
    reports = findEngine("mpi")->reports() || fault.call == "monitored_barrier";
  report(job.rank(), begun, std::move(error));
}

int runLocal(int64_t ranks, const Fault &fault) {
  test::onThreads(ranks, [&](Job &job) { run(job, fault); });
  return 0;
}

int runMpi(const std::string &path, const Fault &fault) {
  JobOptions options = test::optionsOfMpi(path);
  // Also how long the end of MPI may take where a rank is stopped.
  options.timeout = std::chrono::seconds(20);
  {
    auto job = llvm::cantFail(Job::init(std::move(options)));
    run(*job, fault);
  }
  return findEngine("mpi")->leave(0);
}

// --- Tcp stores ------------------------------------------------------------------------------------------------------

int runServer() {
  auto store = llvm::cantFail(openTcpStore({.isServer = true}));
  std::printf("%d\n", store->port());
  std::fflush(stdout);
  for (;;)
    ::pause();
}

/// Calls the store until it fails, as a process does that the fault finds at work.
llvm::Error repeat(llvm::function_ref<llvm::Error()> query) {
  for (;;)
    if (llvm::Error error = query())
      return error;
}

llvm::Error callStore(Store &store, llvm::StringRef call, const StoreBarrier &barrier) {
  if (call == "get")
    return store.get("never").takeError();
  if (call == "wait")
    return store.wait({"never", "nor"});
  if (call == "multi_get")
    return store.multiGet({"never", "nor"}).takeError();
  if (call == "queue_pop")
    return store.queuePop("never").takeError();
  if (call == "barrier")
    return waitAtStoreBarrier(store, barrier);
  if (call == "add")
    return repeat([&] { return store.add("count", 1).takeError(); });
  if (call == "set")
    return repeat([&] { return store.set("key", "value"); });
  return repeat([&] { return store.check({"key"}).takeError(); });
}

int runClient(char **arguments) {
  TcpStoreSetup setup;
  setup.port = static_cast<uint16_t>(std::atoi(arguments[0]));
  int64_t ranks = std::atoll(arguments[1]), rank = std::atoll(arguments[2]);
  setup.timeout = Milliseconds(std::atoll(arguments[4]));
  auto store = llvm::cantFail(openTcpStore(setup));
  std::printf("ready\n");
  std::fflush(stdout);
  Clock::time_point begun = Clock::now();
  report(rank, begun, callStore(*store, arguments[3], {"faults", rank, ranks, setup.timeout}));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "local" && argc == 7)
    return runLocal(std::atoll(argv[2]), faultOf(argv + 3));
  if (mode == "mpi" && argc == 7)
    return runMpi(argv[2], faultOf(argv + 3));
  if (mode == "server")
    return runServer();
  if (mode == "client" && argc == 7)
    return runClient(argv + 2);
  std::fprintf(stderr,
               "usage: %s local RANKS | mpi FILE, then FAULT CALL CULPRIT DEADLINE; or server; or client PORT "
               "RANKS RANK CALL DEADLINE\n",
               argv[0]);
  return 2;
}

#include "mpi/mpi_job.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/int_list.h"
#include "mpi/blocking_call.h"
#include "mpi/module_loader.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

namespace ccgraph::runtime {
namespace {

/// The result of joining, which happens once; a failure is permanent, because MPI cannot be started twice.
struct Membership {
  std::unique_ptr<MpiJob> job;
  bool failed = false;
};
Membership &membership() {
  // Never freed, because a call that was given up may still use it.
  static auto *only = new Membership; // NOLINT(cppcoreguidelines-owning-memory)
  return *only;
}

llvm::Error jobError(std::string message, std::string repair = "") {
  return makeError(diagnose("run.mpi", std::move(message), std::move(repair)));
}

std::string within(std::chrono::milliseconds deadline) { return " within " + std::to_string(deadline.count()) + " ms"; }

} // namespace

MpiJob *MpiJob::joined() { return membership().job.get(); }

llvm::Expected<MpiJob *> MpiJob::join(Milliseconds deadline) {
  Membership &own = membership();
  if (own.failed)
    return jobError("this process could not join the job before, and cannot try again");
  if (own.job)
    return own.job.get();
  auto job = std::make_unique<MpiJob>();
  llvm::Expected<MpiCalls *> calls = loadMpiModule();
  if (!calls)
    return calls.takeError();
  job->calls_ = *calls;
  own.job = std::move(job);
  llvm::Error error = own.job->startMpi(deadline);
  if (!error)
    return own.job.get();
  own.job.release(); // NOLINT: left where it is, as a call that was given up may still use it
  own.failed = true;
  return error;
}

llvm::Error MpiJob::startMpi(Milliseconds deadline) {
  patience_ = deadline;
  std::optional<int> started = callWithin(deadline, [this] { return calls_->start(start_); });
  if (!started)
    return jobError("MPI has not started" + within(deadline), "all processes of the job must run this engine");
  if (*started != 0)
    return error("starting MPI", *started);
  if (!start_.threads)
    return jobError("MPI was started by this program for one thread alone, expected MPI_THREAD_SERIALIZED at least");
  if (llvm::Error error = duplicate(controlComm_, deadline))
    return error;
  if (llvm::Error error = duplicate(exchange_, deadline))
    return error;
  int opened = control_.open(*calls_, controlComm_, start_.rank, start_.size);
  return opened == 0 ? llvm::Error::success() : error("listening to the other ranks", opened);
}

llvm::Error MpiJob::duplicate(MpiComm &made, Milliseconds deadline) {
  MpiRequest request;
  int code = calls_->duplicate(start_.world, made, request);
  auto until = std::chrono::steady_clock::now() + deadline;
  for (bool complete = false; code == 0 && !complete;) {
    code = calls_->test(request, complete, nullptr);
    if (!complete && std::chrono::steady_clock::now() > until)
      return jobError("some process of the job has not joined" + within(deadline),
                      "all processes of the job must run this engine");
    if (!complete)
      std::this_thread::yield();
  }
  return code == 0 ? llvm::Error::success() : error("making a communicator", code);
}

llvm::Error MpiJob::makeCommunicators(llvm::ArrayRef<MpiCommKey> keys, Milliseconds deadline) {
  for (const MpiCommKey &key : keys) {
    if (!llvm::is_contained(key.members, rank()) || communicators_.count(key) != 0)
      continue;
    // Kept even where the call is given up, because it may still be running.
    MpiComm &made = communicators_[key];
    auto members = std::make_shared<std::vector<int>>(key.members.begin(), key.members.end());
    std::optional<int> code = callWithin(deadline, [this, members, &made] {
      return calls_->create(start_.world, members->data(), static_cast<int>(members->size()), made);
    });
    if (!code)
      return jobError("rank " + std::to_string(rank()) + ": ranks " + intListText(key.members) +
                      " have not made a communicator" + within(deadline));
    if (*code != 0)
      return error("making a communicator of ranks " + intListText(key.members), *code);
  }
  return llvm::Error::success();
}

llvm::Error MpiJob::error(const std::string &doing, int code) const {
  return jobError("rank " + std::to_string(rank()) + ": " + doing + ": MPI reports " + calls_->errorText(code));
}

void MpiJob::end(bool reports) {
  over_ = true;
  reports_ = reports;
}

// Uses the channel of control messages, on which no other collective is called, so a process that leaves early does not
// disturb others that still work. A process that waits here waits for others that may still compute or write, so it
// yields the processor.
int MpiJob::largestOf(int exitCode) {
  auto codes = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(size()) + 1, exitCode);
  // An abandoned call may still write to it.
  keep(codes);
  auto *own = reinterpret_cast<std::byte *>(codes->data());
  MpiRequest request;
  if (calls_->allGather(controlComm_, own, own + sizeof(int64_t), sizeof(int64_t), request) != 0)
    return exitCode;
  auto until = std::chrono::steady_clock::now() + patience_;
  for (bool complete = false; std::chrono::steady_clock::now() < until;) {
    if (calls_->test(request, complete, nullptr) != 0)
      return exitCode;
    if (complete)
      return static_cast<int>(*std::max_element(codes->begin(), codes->end()));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return exitCode;
}

int MpiJob::leave(int exitCode) {
  if (over_) {
    // The reporting process ends all others after its report; the others only ensure that one process reports.
    if (!reports_)
      std::this_thread::sleep_for(std::chrono::seconds(5));
    calls_->endAll(exitCode);
    return exitCode;
  }
  exitCode = largestOf(exitCode);
  (void)control_.close();
  (void)callWithin(patience_, [this] { return calls_->stop(); });
  return exitCode;
}

} // namespace ccgraph::runtime

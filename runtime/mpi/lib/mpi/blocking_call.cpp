#include "mpi/blocking_call.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace ccgraph::runtime {
namespace {

struct Outcome {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<int> result;
};

} // namespace

std::optional<int> callWithin(std::chrono::milliseconds time, std::function<int()> call) {
  auto outcome = std::make_shared<Outcome>();
  std::thread thread([outcome, call = std::move(call)] {
    int result = call();
    std::lock_guard<std::mutex> lock(outcome->mutex);
    outcome->result = result;
    outcome->ended.notify_one();
  });
  std::unique_lock<std::mutex> lock(outcome->mutex);
  if (outcome->ended.wait_for(lock, time, [&] { return outcome->result.has_value(); })) {
    lock.unlock();
    thread.join();
    return outcome->result;
  }
  thread.detach();
  return std::nullopt;
}

} // namespace ccgraph::runtime

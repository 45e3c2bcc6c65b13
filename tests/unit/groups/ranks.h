// Ranks: the ranks of a job as threads, each with a Job of backend local, for tests.
#pragma once

#include "ccgraph/runtime/job.h"
#include "stores/store_error.h"

#include <gtest/gtest.h>

#include <thread>

namespace ccgraph::test {

/// "rule: message" of an error; "" for success.
inline std::string textOf(llvm::Error error) {
  if (!error)
    return "";
  std::string rule = runtime::ruleOf(error);
  return rule + ": " + runtime::messageOf(std::move(error));
}
template <typename T>
std::string errorOf(llvm::Expected<T> value) {
  return textOf(value.takeError());
}

struct RanksOptions {
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  runtime::DebugLevel debug = runtime::DebugLevel::Off;
  std::string backend = "cpu:local";
};

/// Runs `body` on each rank; returns what it returns, by rank.
template <typename Body>
auto onRanks(int64_t ranks, Body body, RanksOptions options = {}) {
  using Result = decltype(body(std::declval<runtime::Job &>()));
  std::vector<Result> results(static_cast<size_t>(ranks));
  std::shared_ptr<runtime::Store> store = runtime::makeHashStore();
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      runtime::JobOptions own;
      own.backend = options.backend;
      own.store = store;
      own.rank = rank;
      own.worldSize = ranks;
      own.timeout = options.timeout;
      own.debug = options.debug;
      auto job = llvm::cantFail(runtime::Job::init(std::move(own)));
      results[static_cast<size_t>(rank)] = body(*job);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

} // namespace ccgraph::test

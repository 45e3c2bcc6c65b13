// Jobs of the programs that call process groups: on threads of this process, and on the processes of mpirun.
//
// Failure: ends the program, since a job without its ranks has no result.
#pragma once

#include "ccgraph/runtime/job.h"

#include <cstdlib>
#include <functional>
#include <thread>

namespace ccgraph::runtime::test {

/// Calls `body` with the job of each rank, each on a thread of its own; returns after the last.
inline void onThreads(int64_t ranks, const std::function<void(Job &)> &body) {
  std::shared_ptr<Store> store = makeHashStore();
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      JobOptions options{.store = store, .rank = rank, .worldSize = ranks};
      body(*llvm::cantFail(Job::init(std::move(options))));
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Returns the options of this process of mpirun. `path`: the file store of the job, which does not exist yet.
inline JobOptions optionsOfMpi(const std::string &path) {
  auto number = [](const char *name) { return std::atoll(std::getenv(name) ? std::getenv(name) : "0"); };
  JobOptions options;
  options.backend = "cpu:mpi";
  options.init.url = "file://" + path;
  options.init.rank = number("OMPI_COMM_WORLD_RANK");
  options.init.worldSize = std::max<int64_t>(number("OMPI_COMM_WORLD_SIZE"), 1);
  return options;
}

} // namespace ccgraph::runtime::test

// ccgraph_conformance [--engine NAME] [--kernels NAME,...] [GoogleTest's flags] runs the suite for one engine (default:
// local), with the kernels of these providers for recorded programs (default: builtin). For an engine with a process
// for each rank: mpirun -n N ccgraph_conformance --engine mpi. For nccl, the variables of a launcher give ranks and
// rendezvous (MASTER_ADDR).
#include "conformance/engine_under_test.h"

#include "driver/launcher_place.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace ccgraph;

namespace {

llvm::StringRef valueOf(llvm::StringRef flag, llvm::StringRef otherwise, llvm::ArrayRef<char *> arguments) {
  for (size_t i = 1; i + 1 < arguments.size(); ++i)
    if (arguments[i] == flag)
      return arguments[i + 1];
  return otherwise;
}

/// Only one process prints, except for failures in the others.
class Quiet final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult &result) override {
    if (result.failed())
      std::cerr << "rank " << rank_ << ": " << result.message() << '\n';
  }
  size_t rank_;

public:
  explicit Quiet(size_t rank) : rank_(rank) {}
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  llvm::ArrayRef<char *> arguments(argv, static_cast<size_t>(argc));
  llvm::SmallVector<llvm::StringRef, 2> kernels;
  valueOf("--kernels", "builtin", arguments).split(kernels, ',');
  test::setKernelsUnderTest({kernels.begin(), kernels.end()});
  const runtime::Engine *engine = runtime::findEngine(valueOf("--engine", "local", arguments));
  if (!engine) {
    std::cerr << "usage: ccgraph_conformance [--engine NAME] [--kernels NAME,...]\n";
    return 2;
  }
  if (engine->abilities().needsPlace) {
    llvm::Expected<runtime::JobPlace> told = driver::placeOfLauncher({});
    if (!told) {
      std::cerr << llvm::toString(told.takeError()) << '\n';
      return 2;
    }
    engine->setPlace(*told);
  }
  llvm::Expected<runtime::ProcessPlace> place = engine->join(std::chrono::minutes(1));
  if (!place) {
    std::cerr << llvm::toString(place.takeError()) << '\n';
    return 1;
  }
  test::setEngineUnderTest(*engine, *place);
  if (place->rank != 0) {
    testing::TestEventListeners &listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Quiet(place->rank));
  }
  return engine->leave(RUN_ALL_TESTS());
}

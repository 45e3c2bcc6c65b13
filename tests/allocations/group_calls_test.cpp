// Tests how much memory a call of a process group allocates: its list of tensors, its launch, its work, and a part of
// the call that its ranks share. Records use their memory again.
#include "allocations/allocation_count.h"

#include "ccgraph/runtime/job.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace runtime;

/// Both ranks are on this thread, so no rank waits.
class TwoRanks {
public:
  TwoRanks() {
    std::shared_ptr<Store> store = makeHashStore();
    for (int64_t rank : {0, 1}) {
      jobs_.push_back(llvm::cantFail(Job::init({.store = store, .rank = rank, .worldSize = 2, .recordedCalls = 16})));
      tensors_.push_back(Tensor::zeros(DType::F32, {1024}));
    }
  }

  /// Runs `call` on both ranks so many times, and waits for each. Returns the allocations.
  template <typename Call>
  size_t allocationsOf(int calls, Call call) {
    size_t before = allocationsHere();
    for (int i = 0; i < calls; ++i) {
      WorkPtr works[2];
      for (size_t rank : {0, 1})
        works[rank] = llvm::cantFail(call(jobs_[rank]->world(), tensors_[rank]));
      for (const WorkPtr &work : works)
        llvm::cantFail(work->wait());
    }
    return allocationsHere() - before;
  }

private:
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Tensor> tensors_;
};

TEST(GroupCalls, AllocateFourTimes) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has a malloc of its own";
  TwoRanks ranks;
  auto reduce = [](ProcessGroup &group, const Tensor &tensor) { return group.allReduce(tensor); };
  auto broadcast = [](ProcessGroup &group, const Tensor &tensor) { return group.broadcast(tensor, 1); };
  constexpr size_t calls = 100, ranksOfACall = 2, most = 4;
  (void)ranks.allocationsOf(calls, reduce);
  EXPECT_LE(ranks.allocationsOf(calls, reduce), calls * ranksOfACall * most);
  EXPECT_LE(ranks.allocationsOf(calls, broadcast), calls * ranksOfACall * most);
}

} // namespace
} // namespace ccgraph::test

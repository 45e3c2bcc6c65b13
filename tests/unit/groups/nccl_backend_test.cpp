// Process groups on devices: the backend nccl-recorded, whose devices are simulated, and the configuration of several
// backends. Values are tested with those of the other backends (collectives_test.cpp).
#include "calls/gpu_module.h"

#include "ranks.h"

namespace ccgraph::runtime {
namespace {

using namespace std::chrono_literals;
using test::errorOf;
using test::onRanks;
using test::textOf;
using Texts = std::vector<std::string>;

const CallOptions onCuda{.timeout = {}, .device = "cuda"};
const TransferOptions toCuda{.tag = 0, .timeout = {}, .device = "cuda"};

Tensor floats(std::initializer_list<float> values) {
  Tensor tensor = Tensor::zeros(DType::F32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), reinterpret_cast<float *>(tensor.data()));
  return tensor;
}
float first(const Tensor &tensor) { return *reinterpret_cast<const float *>(tensor.data()); }

test::RanksOptions onBackend(std::string backend, std::chrono::milliseconds timeout = 60s) {
  return {.timeout = timeout, .backend = std::move(backend)};
}

TEST(NcclBackend, ServesCallsOfItsDeviceBesideAnotherBackend) {
  std::vector<std::vector<float>> values = onRanks(
      3,
      [](Job &job) {
        ProcessGroup &world = job.world();
        auto rank = static_cast<float>(job.rank());
        Tensor onHost = floats({rank, 1}), onDevice = floats({2 * rank, 1}), moved = floats({0});
        WorkPtr host = llvm::cantFail(world.allReduce(onHost));
        WorkPtr device = llvm::cantFail(world.allReduce(onDevice, ReduceOp::Sum, onCuda));
        llvm::cantFail(device->wait());
        llvm::cantFail(host->wait());
        if (job.rank() == 0)
          llvm::cantFail(finish(world.send(floats({7}), 2, toCuda)));
        if (job.rank() == 2)
          llvm::cantFail(finish(world.recv(moved, 0, toCuda)));
        llvm::cantFail(world.monitoredBarrier());
        EXPECT_EQ(world.config().str(), "cpu:local,cuda:nccl-recorded");
        return std::vector{first(onHost), first(onDevice), first(moved)};
      },
      onBackend("cpu:local,cuda:nccl-recorded"));
  EXPECT_EQ(values[0], (std::vector<float>{3, 6, 0}));
  EXPECT_EQ(values[2], (std::vector<float>{3, 6, 7}));
}

TEST(NcclBackend, ACallOfADeviceWithoutABackendIsAnError) {
  Texts texts = onRanks(2, [](Job &job) { return errorOf(job.world().allReduce(floats({1}), ReduceOp::Sum, onCuda)); });
  EXPECT_EQ(texts[0], "group.unsupported: No backend type associated with device type cuda");
  texts = onRanks(
      2, [](Job &job) { return errorOf(job.world().allReduce(floats({1}))); }, onBackend("nccl-recorded"));
  EXPECT_EQ(texts[0], "group.unsupported: No backend type associated with device type cpu");
}

// Whether a test machine has a device or the module, the error is that of the engine nccl.
TEST(NcclBackend, WithoutADeviceTheJobDoesNotBegin) {
  EXPECT_EQ(llvm::cantFail(parseBackendConfig("cpu:local,cuda:nccl")).str(), "cpu:local,cuda:nccl");
  EXPECT_EQ(llvm::cantFail(parseBackendConfig("nccl")).str(), "cuda:nccl");
  if (!llvm::errorToBool(loadGpuModule().takeError()))
    GTEST_SKIP() << "this machine has the module";
  JobOptions options{.backend = "cpu:local,cuda:nccl", .store = makeHashStore(), .rank = 0, .worldSize = 1};
  std::string text = errorOf(Job::init(std::move(options)));
  EXPECT_NE(text.find("engine nccl cannot start: "), std::string::npos) << text;
}

TEST(NcclBackend, ReportsWhatItDoesNotHave) {
  Texts texts = onRanks(
      2,
      [](Job &job) {
        return errorOf(job.world().recvAnySource(floats({1}), toCuda)) + " | " +
               errorOf(job.world().send(floats({1}), 1 - job.rank(), {.tag = 3, .timeout = {}, .device = "cuda"}));
      },
      onBackend("cuda:nccl-recorded"));
  EXPECT_EQ(texts[0], "group.unsupported: Backend nccl-recorded does not support irecv | "
                      "group.unsupported: Backend nccl-recorded has no tags, got tag 3");
}

TEST(NcclBackend, TwoRanksMaySendToEachOtherFirst) {
  std::vector<float> values = onRanks(
      2,
      [](Job &job) {
        Tensor received = floats({0});
        WorkPtr sent =
            llvm::cantFail(job.world().send(floats({static_cast<float>(job.rank()) + 5}), 1 - job.rank(), toCuda));
        WorkPtr got = llvm::cantFail(job.world().recv(received, 1 - job.rank(), toCuda));
        llvm::cantFail(sent->wait());
        llvm::cantFail(got->wait());
        return first(received);
      },
      onBackend("cuda:nccl-recorded"));
  EXPECT_EQ(values, (std::vector<float>{6, 5}));
}

TEST(NcclBackend, DevicesRunWhileHostsDoOtherWork) {
  std::vector<float> values = onRanks(
      2,
      [](Job &job) {
        Tensor sum = floats({1});
        WorkPtr work = llvm::cantFail(job.world().allReduce(sum, ReduceOp::Sum, onCuda));
        // Rank 1 does not wait for its call before rank 0 has ended its own.
        if (job.rank() == 1)
          llvm::cantFail(job.store().wait({"ended"}));
        llvm::cantFail(work->wait());
        if (job.rank() == 0)
          llvm::cantFail(job.store().set("ended", ""));
        return first(sum);
      },
      onBackend("cpu:local,cuda:nccl-recorded"));
  EXPECT_EQ(values, (std::vector<float>{2, 2}));
}

// --- Failures --------------------------------------------------------------------------------------------------------

TEST(NcclBackend, ARankThatIsAbsentIsNamedAtTheDeadline) {
  Texts texts = onRanks(
      3,
      [](Job &job) {
        if (job.rank() == 1) {
          llvm::cantFail(job.store().wait({"over/0", "over/2"}));
          return textOf(finish(job.world().barrier(onCuda)));
        }
        CallOptions options = onCuda;
        options.timeout = 100ms;
        std::string text = textOf(finish(job.world().allReduce(floats({1}), ReduceOp::Sum, options)));
        llvm::cantFail(job.store().set("over/" + std::to_string(job.rank()), ""));
        return text;
      },
      onBackend("cuda:nccl-recorded"));
  EXPECT_NE(
      texts[0].find("Timed out waiting 100ms for all_reduce `all_reduce` (collective 1 on ranks [0, 1, 2]), which "
                    "ranks [1] have not launched"),
      std::string::npos)
      << texts[0];
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(NcclBackend, ATransferWithoutItsOtherEndNamesIt) {
  Texts texts = onRanks(
      2,
      [](Job &job) {
        if (job.rank() == 1) {
          llvm::cantFail(job.store().wait({"over"}));
          return std::string();
        }
        TransferOptions options = toCuda;
        options.timeout = 100ms;
        WorkPtr work = llvm::cantFail(job.world().recv(floats({0}), 1, options));
        std::string early = textOf(work->wait(10ms)), text;
        while (!work->isCompleted())
          std::this_thread::yield();
        text = textOf(work->exception());
        llvm::cantFail(job.store().set("over", ""));
        return early + " | " + text;
      },
      onBackend("cuda:nccl-recorded"));
  EXPECT_NE(texts[0].find("Timed out waiting 10ms for recv `irecv`, whose other end, rank 1, has not sent | "),
            std::string::npos)
      << texts[0];
  EXPECT_NE(texts[0].find("Timed out waiting 100ms for recv `irecv`, whose other end, rank 1, has not sent"),
            std::string::npos)
      << texts[0];
}

TEST(NcclBackend, ACallThatNoRankWaitsForEndsTheGroupAtTheNextCall) {
  Texts texts = onRanks(
      2,
      [](Job &job) {
        if (job.rank() == 1) {
          llvm::cantFail(job.store().wait({"over"}));
          return std::string();
        }
        CallOptions options = onCuda;
        options.timeout = 50ms;
        (void)llvm::cantFail(job.world().allReduce(floats({1}), ReduceOp::Sum, options));
        std::this_thread::sleep_for(100ms);
        std::string text = errorOf(job.world().barrier(onCuda));
        llvm::cantFail(job.store().set("over", ""));
        return text;
      },
      onBackend("cuda:nccl-recorded"));
  EXPECT_NE(texts[0].find("Timed out waiting 50ms for all_reduce"), std::string::npos) << texts[0];
}

TEST(NcclBackend, ARankThatLeavesBeforeItsCallsHaveEndedIsNamed) {
  Texts texts = onRanks(
      2,
      [](Job &job) {
        if (job.rank() == 1) {
          (void)llvm::cantFail(job.world().allReduce(floats({1}), ReduceOp::Sum, onCuda));
          return std::string(); // its job ends
        }
        Tensor received = floats({0});
        return textOf(finish(job.world().recv(received, 1, toCuda)));
      },
      onBackend("cuda:nccl-recorded"));
  EXPECT_NE(texts[0].find("run.rank-lost: rank 1 has left group 0: all_reduce"), std::string::npos) << texts[0];
}

TEST(NcclBackend, ARankThatDoesNotMakeTheGroupIsNamed) {
  std::shared_ptr<Store> store = makeHashStore();
  JobOptions options{.backend = "cuda:nccl-recorded", .store = store, .rank = 0, .worldSize = 3};
  options.timeout = 100ms;
  EXPECT_EQ(errorOf(Job::init(std::move(options))),
            "run.deadline: ranks 1 and 2 have not come to group 0 within 100 ms");
}

} // namespace
} // namespace ccgraph::runtime

// Jobs: groups, their ranks and numbers, configurations of backends, init methods, and broadcasts of many tensors.
#include "ccgraph/runtime/broadcast_coalesced.h"
#include "ccgraph/runtime/tcp_store.h"
#include "tensor/elements.h"

#include "ranks.h"

#include <filesystem>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

using namespace std::chrono_literals;
using test::errorOf;
using test::onRanks;
using test::textOf;
using Texts = std::vector<std::string>;

Tensor floats(int64_t count, double value = 0) {
  Tensor tensor = Tensor::zeros(DType::F32, {count});
  for (int64_t i = 0; i < count; ++i)
    writeElement<double>(DType::F32, tensor.data() + i * 4, value);
  return tensor;
}

// --- Groups ----------------------------------------------------------------------------------------------------------

TEST(Job, TranslatesRanksOfGroups) {
  Texts texts = onRanks(3, [](Job &job) {
    ProcessGroup *group = llvm::cantFail(job.newGroup({.ranks = std::vector<int64_t>{2, 1}}));
    EXPECT_EQ(group->members().vec(), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(group->rank(), job.rank() - 1);
    EXPECT_EQ(group->size(), job.rank() == 0 ? -1 : 2);
    EXPECT_EQ(group->name(), "1");
    EXPECT_EQ(llvm::cantFail(job.groupRank(*group, 1)), 0);
    EXPECT_EQ(llvm::cantFail(job.globalRank(*group, 1)), 2);
    EXPECT_EQ(job.numGroups(), 2U);
    return errorOf(job.groupRank(*group, 5)) + "; " + errorOf(job.globalRank(*group, -1));
  });
  EXPECT_EQ(texts[0], "group.argument: Global rank 5 is not part of group 1; group.argument: Group rank -1 is not part "
                      "of group 1");
}

TEST(Job, RefusesGroupsOfOtherJobs) {
  std::string text = onRanks(1, [](Job &job) {
    auto other = llvm::cantFail(Job::init({.store = makeHashStore(), .rank = 0, .worldSize = 1}));
    EXPECT_NE(textOf(job.destroyGroup(other->world())), "");
    return errorOf(job.groupRank(other->world(), 0));
  })[0];
  EXPECT_EQ(text,
            "group.argument: Group 0 is not registered, please create group with torch.distributed.new_group API");
}

TEST(Job, RefusesListsOfRanks) {
  onRanks(2, [](Job &job) {
    auto expect = [&](NewGroupOptions options, const std::string &text) {
      EXPECT_EQ(errorOf(job.newGroup(std::move(options))), "group.argument: " + text);
    };
    using Ranks = std::vector<int64_t>;
    expect({.ranks = Ranks{0, 1, 1}}, "ranks list must not contain duplicate entries, got [0, 1, 1]");
    expect({.ranks = Ranks{0, 2}}, "Rank 2 is out of range. Valid ranks are 0 to 1 (world_size=2)");
    expect({.ranks = Ranks{}}, "Group rank must be specified for group members: the list of ranks is empty");
    expect({.timeout = -3s}, "Invalid timeout: timeout.count() >= 0 is required, got -3000 ms");
    expect({.backend = "mpi", .localSynchronization = true},
           "MPI backend doesn't support use_local_synchronization=True");
    EXPECT_EQ(errorOf(job.newSubgroups(3)),
              "group.argument: The arg 'group_size' (3) must not exceed the world size (2)");
    EXPECT_EQ(errorOf(job.newSubgroups(std::vector<Ranks>())),
              "group.argument: The arg 'ranks_per_subgroup_list' cannot be empty");
    EXPECT_EQ(errorOf(job.newSubgroups(std::vector<Ranks>{{0}, {0, 1}})),
              "group.argument: Rank 0 has appeared in more than one subgroup");
    return llvm::cantFail(job.newSubgroups(1))->size();
  });
  EXPECT_NE(onRanks(3, [](Job &job) { return errorOf(job.newSubgroups(2)); })[0].find("must be divisible by"),
            std::string::npos);
}

TEST(Job, KeepsTheGivenOrderOnRequest) {
  std::vector<int64_t> ranks = onRanks(2, [](Job &job) {
    ProcessGroup *group = llvm::cantFail(job.newGroup({.ranks = std::vector<int64_t>{1, 0}, .sortRanks = false}));
    Tensor tensor = floats(1, static_cast<double>(job.rank()));
    llvm::cantFail(finish(group->broadcast(tensor, 0)));
    EXPECT_EQ(readAll(tensor)[0], 1);
    return group->rank();
  });
  EXPECT_EQ(ranks, (std::vector<int64_t>{1, 0}));
}

// torch.distributed 2.15 does not return from these calls, because its counter differs from rank to rank.
TEST(Job, GroupsWithLocalSynchronizationOverlap) {
  Texts names = onRanks(3, [](Job &job) {
    std::string all;
    for (const std::vector<int64_t> &ranks : {std::vector<int64_t>{0, 1}, {1, 2}, {2, 0}, {0, 1}}) {
      ProcessGroup *group = llvm::cantFail(job.newGroup({.ranks = ranks, .localSynchronization = true}));
      llvm::cantFail(finish(group->barrier()));
      all += group->name() + " ";
    }
    return all;
  });
  llvm::SmallVector<llvm::StringRef, 4> first, second;
  llvm::StringRef(names[0]).split(first, ' ');
  llvm::StringRef(names[1]).split(second, ' ');
  EXPECT_EQ(first[0], second[0]);
  EXPECT_EQ(first[3], second[3]);
  EXPECT_NE(first[0], first[3]);
  EXPECT_EQ(first[0].size(), 40U);
}

TEST(Job, MembersAloneMakeAGroupWithLocalSynchronization) {
  std::vector<int64_t> sizes = onRanks(3, [](Job &job) -> int64_t {
    if (job.rank() == 0)
      return 0;
    ProcessGroup *group =
        llvm::cantFail(job.newGroup({.ranks = std::vector<int64_t>{2, 1}, .localSynchronization = true}));
    llvm::cantFail(finish(group->barrier()));
    return group->size() * 10 + group->rank();
  });
  EXPECT_EQ(sizes, (std::vector<int64_t>{0, 20, 21}));
}

TEST(Job, CallsOutsideAGroupWarnOnceForEachOperation) {
  std::vector<Texts> warnings = onRanks(2, [](Job &job) {
    ProcessGroup *group = llvm::cantFail(job.newGroup({.ranks = std::vector<int64_t>{0}}));
    Tensor tensor = floats(4, 1);
    if (job.rank() == 0)
      return Texts();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(llvm::cantFail(group->allReduce(tensor)), nullptr);
    EXPECT_EQ(llvm::cantFail(group->reduceScatterTensor(tensor, tensor)), nullptr);
    EXPECT_EQ(llvm::cantFail(group->recv(tensor, 0)), nullptr);
    EXPECT_EQ(llvm::cantFail(group->allGatherCoalesced({}, {})), nullptr);
    llvm::cantFail(group->monitoredBarrier());
    llvm::cantFail(finish(group->barrier()));
    EXPECT_NE(errorOf(group->send(tensor, 0)), "");
    EXPECT_EQ(readAll(tensor)[0], 1);
    return Texts(job.warnings().begin(), job.warnings().end());
  });
  Texts expected;
  for (const char *op :
       {"all_reduce", "reduce_scatter_single", "irecv", "all_gather_coalesced", "monitored_barrier", "barrier"})
    expected.push_back(std::string("Running ") + op + " on global rank 1 which does not belong to the given group.");
  EXPECT_EQ(warnings[1], expected);
}

TEST(Job, SequenceNumbersShowTheRankThatSkipsACall) {
  std::vector<std::vector<int64_t>> numbers = onRanks(2, [](Job &job) {
    ProcessGroup &world = job.world(), &group = *llvm::cantFail(job.newGroup({}));
    std::vector<int64_t> all = {world.sequence()};
    llvm::cantFail(finish(world.allReduce(floats(2))));
    all.push_back(world.sequence());
    llvm::cantFail(finish(world.allReduceCoalesced({floats(2), floats(2)})));
    all.push_back(world.sequence());
    llvm::cantFail(finish(world.reduceScatter(floats(2), {floats(2), floats(2)})));
    all.push_back(world.sequence());
    llvm::cantFail(finish(job.rank() == 0 ? world.send(floats(1), 1) : world.recv(floats(1), 0)));
    all.push_back(world.sequence());
    llvm::cantFail(world.monitoredBarrier());
    all.push_back(world.sequence());
    all.push_back(group.sequence());
    if (job.rank() == 1)
      (void)llvm::cantFail(group.barrier());
    all.push_back(group.sequence());
    llvm::cantFail(finish(world.barrier()));
    return all;
  });
  EXPECT_EQ(numbers[0], (std::vector<int64_t>{0, 1, 2, 4, 5, 7, 0, 0}));
  EXPECT_EQ(numbers[1], (std::vector<int64_t>{0, 1, 2, 4, 5, 7, 0, 1}));
}

TEST(Job, SequenceNumbersCountAReductionThatADTypeLacks) {
  std::vector<std::vector<int64_t>> numbers = onRanks(2, [](Job &job) {
    ProcessGroup &world = job.world();
    auto after = [&](auto call) {
      EXPECT_NE(errorOf(call()), "");
      return world.sequence();
    };
    return std::vector<int64_t>{after([&] { return world.allReduce(floats(2), ReduceOp::Band); }),
                                after([&] { return world.broadcast(floats(2), 5); }),
                                after([&] { return world.allGather({floats(2)}, floats(2)); })};
  });
  EXPECT_EQ(numbers, (std::vector<std::vector<int64_t>>(2, {1, 1, 1})));
}

TEST(Job, RefusesARankOutsideTheWorld) {
  EXPECT_EQ(errorOf(Job::init({.store = makeHashStore()})),
            "group.argument: world_size must be positive if using store");
  EXPECT_NE(errorOf(Job::init({.store = makeHashStore(), .rank = 1, .worldSize = 1})).find("expected rank < size"),
            std::string::npos);
  EXPECT_NE(errorOf(Job::init({.store = makeHashStore(), .rank = 1, .worldSize = 2, .timeout = 50ms}))
                .find("store.timeout: Wait timeout after 50 ms, keys: group/0/local/local"),
            std::string::npos);
}

TEST(Job, ItsRanksAreThreadsOfOneProcess) {
  std::shared_ptr<Store> store = makeHashStore();
  llvm::cantFail(store->set("group/0/local/local", "1:1"));
  JobOptions options{.store = store, .rank = 1, .worldSize = 2};
  EXPECT_NE(errorOf(Job::init(options))
                .find("group.unsupported: the ranks of backend local must be threads of one process: rank 0 of group 0 "
                      "is in process 1, and rank 1 in process "),
            std::string::npos);
}

TEST(Job, ARankThatComesTwiceIsRefused) {
  std::shared_ptr<Store> store = makeHashStore();
  auto first = llvm::cantFail(Job::init({.store = store, .rank = 0, .worldSize = 2}));
  auto second = llvm::cantFail(Job::init({.store = store, .rank = 1, .worldSize = 2}));
  EXPECT_EQ(errorOf(Job::init({.store = store, .rank = 1, .worldSize = 2})),
            "group.argument: all 2 ranks of group 0 have come already, and here comes rank 1 again");
}

// --- Backends --------------------------------------------------------------------------------------------------------

TEST(BackendConfig, Parses) {
  auto text = [](const char *config) { return llvm::cantFail(parseBackendConfig(config)).str(); };
  EXPECT_EQ(text("local"), "cpu:local");
  EXPECT_EQ(text(""), "cpu:local");
  EXPECT_EQ(text("undefined"), "cpu:local");
  EXPECT_EQ(text("GLOO"), "cpu:gloo,cuda:gloo");
  EXPECT_EQ(text("xccl"), "xpu:xccl");
  EXPECT_EQ(text("CPU:local,cuda:NCCL"), "cpu:local,cuda:nccl");
  EXPECT_EQ(text("cpu:"), "cpu:");
  EXPECT_EQ(text(" cpu:gloo"), " cpu:gloo");
  for (const char *wrong : {",cpu:gloo", "cpu:gloo,", "cpu:gloo:x", "cpu:gloo;cuda:nccl"})
    EXPECT_NE(errorOf(parseBackendConfig(wrong)).find("group.argument: Invalid device:backend pairing: '"),
              std::string::npos);
  EXPECT_NE(errorOf(parseBackendConfig("cpu:a,cpu:b")).find("Duplicate device type cpu in backend string: cpu:a,cpu:b"),
            std::string::npos);
  BackendConfig unknown = llvm::cantFail(parseBackendConfig("nope"));
  EXPECT_EQ(unknown.str(), "cpu:nope,cuda:nope");
  EXPECT_EQ(unknown.warnings,
            Texts{"Device capability of nope unknown, assuming `cpu` and the current accelerator. You "
                  "can specify it in `device:backend` format in JobOptions."});
}

/// all_reduce adds 2; broadcast and send add 1; nothing else.
class DummyBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "dummy"; }
  llvm::Expected<WorkPtr> launch(GroupCall call) override {
    double amount = call.op == GroupOp::AllReduce                               ? 2
                    : call.op == GroupOp::Broadcast || call.op == GroupOp::Send ? 1
                                                                                : 0;
    if (amount == 0 && call.op != GroupOp::Barrier)
      return unsupported(call.op);
    for (const Tensor &tensor : call.inputs)
      for (int64_t i = 0; i < tensor.numElements(); ++i)
        writeElement<double>(tensor.dtype(), tensor.data() + i * 4,
                             readElement<double>(tensor.dtype(), tensor.data() + i * 4) + amount);
    return completedWork(call.inputs);
  }
};

TEST(Backend, OfAProgramServesAGroup) {
  auto create = [](const BackendSetup &) -> llvm::Expected<std::shared_ptr<Backend>> {
    return std::shared_ptr<Backend>(std::make_shared<DummyBackend>());
  };
  EXPECT_EQ(registerBackend("Dummy", {create, {"cpu"}}), std::nullopt);
  EXPECT_EQ(registerBackend("unstated", {create, {}}),
            "Device capability of unstated unspecified, assuming `cpu` and the current accelerator. Please specify it "
            "via the `devices` of BackendKind.");
  EXPECT_TRUE(isBackendAvailable("DUMMY"));
  Texts texts =
      onRanks(2,
              [](Job &job) {
                Tensor tensor = floats(2, 7);
                WorkPtr work = llvm::cantFail(job.world().broadcast(tensor, 0));
                llvm::cantFail(work->wait());
                EXPECT_TRUE(work->isCompleted());
                EXPECT_EQ(readAll(tensor)[1], 8);
                llvm::cantFail(finish(job.world().allReduce(tensor)));
                EXPECT_EQ(readAll(tensor)[1], 10);
                llvm::cantFail(finish(job.world().barrier()));
                EXPECT_NE(textOf(job.world().monitoredBarrier()).find("requires a group with a CPU-capable backend"),
                          std::string::npos);
                EXPECT_NE(errorOf(job.world().send(tensor, job.rank())), "");
                return textOf(finish(job.world().reduce(tensor, 0)));
              },
              {.backend = "dummy"});
  EXPECT_EQ(texts[0], "group.unsupported: Backend dummy does not support reduce");
}

TEST(Backend, ThatIsMissingIsNamed) {
  EXPECT_NE(errorOf(Job::init({.backend = "cpu:nope", .store = makeHashStore(), .rank = 0, .worldSize = 1}))
                .find("group.unsupported: Unknown backend: nope, expected one of "),
            std::string::npos);
  auto job = llvm::cantFail(Job::init({.backend = "cuda:local", .store = makeHashStore(), .rank = 0, .worldSize = 1}));
  EXPECT_EQ(textOf(finish(job->world().allReduce(floats(1)))),
            "group.unsupported: No backend type associated with device type cpu");
}

// --- Reductions ------------------------------------------------------------------------------------------------------

TEST(Reduction, ComparesAndSerializes) {
  EXPECT_EQ(Reduction(ReduceOp::Sum), Reduction());
  EXPECT_NE(Reduction(ReduceOp::Max), Reduction());
  EXPECT_EQ(Reduction::premulSum(2), Reduction::premulSum(3));
  EXPECT_NE(Reduction::premulSum(2), Reduction(ReduceOp::Sum));
  EXPECT_EQ(Reduction(ReduceOp::Bxor).str(), "RedOpType.BXOR");
  for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Product, ReduceOp::Min, ReduceOp::Max, ReduceOp::Band,
                      ReduceOp::Bor, ReduceOp::Bxor})
    EXPECT_EQ(llvm::cantFail(Reduction::parse(Reduction(op).serialize())), Reduction(op));
  Reduction scaled = llvm::cantFail(Reduction::premulSum(floats(1, 0.1)));
  EXPECT_EQ(*llvm::cantFail(Reduction::parse(scaled.serialize())).factor(), *scaled.factor());
  EXPECT_EQ(llvm::cantFail(Reduction::parse("AVG")), Reduction(ReduceOp::Avg));
  for (const char *wrong : {"mean", "", "premul_sum", "premul_sum x"})
    EXPECT_EQ(errorOf(Reduction::parse(wrong)), "group.argument: Unrecognized reduce_op: " + std::string(wrong));
  EXPECT_NE(errorOf(Reduction::premulSum(floats(2))).find("numel() == 1"), std::string::npos);
}

// --- Init methods ----------------------------------------------------------------------------------------------------

Environment environmentOf(std::map<std::string, std::string> variables) {
  return [variables](llvm::StringRef name) -> std::optional<std::string> {
    auto found = variables.find(name.str());
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(InitMethod, FindsTheStoreOfAJob) {
  std::string path = (std::filesystem::temp_directory_path() / ("ccgraph-init-" + std::to_string(::getpid()))).string();
  uint16_t port = llvm::cantFail(openTcpStore({.isServer = true}))->port();
  Environment variables = environmentOf(
      {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port)}});
  auto type = [](const InitMethod &method) {
    JoinedStore joined = llvm::cantFail(joinStore(method));
    return joined.store->typeName().str() + " " + std::to_string(joined.rank) + "/" + std::to_string(joined.worldSize);
  };
  EXPECT_EQ(type({.url = "env://", .environment = variables}), "TCPStore 0/1");
  EXPECT_EQ(type({.url = "tcp://127.0.0.1:" + std::to_string(port), .rank = 0, .worldSize = 1}), "TCPStore 0/1");
  EXPECT_EQ(type({.url = "file://" + path + "?rank=0&world_size=1"}), "FileStore 0/1");
  auto job = llvm::cantFail(Job::init({.init = {.url = "file://" + path, .rank = 0, .worldSize = 1}}));
  EXPECT_EQ(job->worldSize(), 1);
  job.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(InitMethod, NamesWhatIsMissing) {
  auto expect = [](const InitMethod &method, const std::string &text) {
    EXPECT_EQ(errorOf(joinStore(method)), "store.init: " + text);
  };
  std::string envError = "Error initializing torch.distributed using env:// rendezvous: environment variable ";
  expect({}, envError + "RANK expected, but not set");
  expect({.environment = environmentOf({{"RANK", "0"}})}, envError + "WORLD_SIZE expected, but not set");
  expect({.environment = environmentOf({{"RANK", "0"}, {"WORLD_SIZE", "1"}})},
         envError + "MASTER_ADDR expected, but not set");
  expect({.url = "env://?rank=0&world_size=1", .environment = environmentOf({{"MASTER_ADDR", "localhost"}})},
         envError + "MASTER_PORT expected, but not set");
  expect({.environment = environmentOf({{"RANK", "x"}, {"WORLD_SIZE", "1"}})},
         "invalid literal for int() with base 10: 'x'");
  expect({.url = "file:///tmp/xx"},
         "Error initializing torch.distributed using file:// rendezvous: rank parameter missing");
  expect({.url = "tcp://127.0.0.1:1?rank=0"},
         "Error initializing torch.distributed using tcp:// rendezvous: world_size parameter missing");
  expect({.url = "tcp://127.0.0.1"},
         "Error initializing torch.distributed using tcp:// rendezvous: port number missing");
  expect({.url = "tcp://127.0.0.1:99999", .rank = 0, .worldSize = 1}, "Port out of range 0-65535: 99999");
  expect({.url = "tcp://127.0.0.1:1?world_size=1", .rank = 0},
         "The url: tcp://127.0.0.1:1?world_size=1 has node-specific arguments(rank, world_size) already.");
  expect({.url = ""}, "No rendezvous handler for ://");
  expect({.url = "mine://"}, "No rendezvous handler for mine://");
  expect({.url = "tcp://127.0.0.1:1?a", .rank = 0, .worldSize = 1},
         "the url tcp://127.0.0.1:1?a has 'a', expected NAME=VALUE");
  expect({.url = "file://tmp/xx", .rank = 0, .worldSize = 1},
         "the url file://tmp/xx names the host tmp, and a file has none");
  expect({.url = "file:///tmp/xx", .rank = 2, .worldSize = 2},
         "got rank 2 and world_size 2, expected rank < size and a positive world_size");
}

TEST(InitMethod, OfAProgram) {
  auto handler = [](const InitMethod &) -> llvm::Expected<JoinedStore> { return JoinedStore{makeHashStore(), 4, 9}; };
  llvm::cantFail(registerInitMethod("own", handler));
  EXPECT_EQ(llvm::cantFail(joinStore({.url = "own://"})).worldSize, 9);
  EXPECT_EQ(textOf(registerInitMethod("tcp", handler)), "store.init: Rendezvous handler for tcp:// already registered");
}

TEST(LocalRank, IsThatOfTheEnvironment) {
  EXPECT_NE(errorOf(nodeLocalRank({})).find("store.init: LOCAL_RANK is not in the environment."), std::string::npos);
  EXPECT_EQ(llvm::cantFail(nodeLocalRank({}, 7)), 7);
  EXPECT_EQ(llvm::cantFail(nodeLocalRank(environmentOf({{"LOCAL_RANK", " 6 "}}), 5)), 6);
  EXPECT_EQ(errorOf(nodeLocalRank(environmentOf({{"LOCAL_RANK", ""}}), 4)),
            "store.init: invalid literal for int() with base 10: ''");
}

// --- Broadcasts of many tensors --------------------------------------------------------------------------------------

TEST(BroadcastCoalesced, AssignsByBytesAndDType) {
  std::vector<Tensor> tensors = {floats(50), Tensor::zeros(DType::F16, {25}), floats(20), floats(0), floats(2)};
  EXPECT_EQ(broadcastBuckets(tensors, 4096), (std::vector<std::vector<size_t>>{{0, 2, 3, 4}, {1}}));
  EXPECT_EQ(broadcastBuckets(tensors, 200), (std::vector<std::vector<size_t>>{{0}, {1}, {2, 3, 4}}));
  EXPECT_EQ(broadcastBuckets(tensors, 0), (std::vector<std::vector<size_t>>{{0}, {1}, {2}, {3}, {4}}));
}

TEST(BroadcastCoalesced, GivesAllRanksTheTensorsOfTheRoot) {
  std::vector<int> wrong = onRanks(3, [](Job &job) {
    std::vector<Tensor> tensors;
    for (int64_t i = 0; i < 9; ++i)
      tensors.push_back(floats(i % 4, static_cast<double>(job.rank() * 100 + i)));
    tensors.push_back(llvm::cantFail(floats(6, static_cast<double>(job.rank())).view({2, 3})).permute({1, 0}));
    size_t inFlight = 0, most = 0;
    llvm::cantFail(broadcastCoalesced(job.world(), tensors, 16, 1, [&](const BroadcastEvent &event) {
      inFlight += event.kind == BroadcastEvent::Kind::Broadcast ? 1 : static_cast<size_t>(-1);
      most = std::max(most, inFlight);
    }));
    int count = most == 2 && inFlight == 0 ? 0 : 1;
    for (int64_t i = 0; i < 9; ++i)
      for (double value : readAll(tensors[static_cast<size_t>(i)]))
        count += value == static_cast<double>(100 + i) ? 0 : 1;
    for (double value : readAll(tensors.back()))
      count += value == 1 ? 0 : 1;
    return count;
  });
  EXPECT_EQ(wrong, std::vector<int>(3, 0));
  EXPECT_EQ(onRanks(1, [](Job &job) { return textOf(broadcastCoalesced(job.world(), {}, 16, 0)); })[0],
            "group.argument: got no tensors, expected at least one");
}

} // namespace
} // namespace ccgraph::runtime

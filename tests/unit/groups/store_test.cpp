// Stores: the operations, and what happens when a key, a process or the server is missing.
#include "ccgraph/runtime/tcp_store.h"
#include "ranks.h"
#include "stores/store_error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::errorOf;
using test::textOf;

std::string freshPath() {
  static std::atomic<int> count = 0;
  return (std::filesystem::temp_directory_path() /
          ("ccgraph-store-" + std::to_string(::getpid()) + "-" + std::to_string(count++)))
      .string();
}

std::shared_ptr<TcpStore> serverStore(TcpStoreSetup setup = {}) {
  setup.isServer = true;
  return llvm::cantFail(openTcpStore(std::move(setup)));
}
std::shared_ptr<TcpStore> clientOf(const TcpStore &server, std::string secret = "") {
  return llvm::cantFail(openTcpStore({.port = server.port(), .timeout = 20s, .secret = std::move(secret)}));
}

/// Each kind of store, fresh.
class EachStore : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::string kind = GetParam();
    if (kind == "hash")
      store = makeHashStore();
    if (kind == "prefix")
      store = makePrefixStore("p", makeHashStore());
    if (kind == "tcp")
      store = serverStore();
    if (kind == "file")
      store = llvm::cantFail(openFileStore({path}));
  }
  void TearDown() override {
    store.reset();
    std::filesystem::remove(path);
  }
  [[nodiscard]] bool isFile() const { return std::string(GetParam()) == "file"; }
  [[nodiscard]] std::string get(const std::string &key) const { return llvm::cantFail(store->get(key)); }

  std::string path = freshPath();
  std::shared_ptr<Store> store;
};
INSTANTIATE_TEST_SUITE_P(Stores, EachStore, testing::Values("hash", "prefix", "tcp", "file"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(EachStore, KeepsAnyBytes) {
  std::string bytes("\0\xff\x01"
                    "a",
                    4);
  llvm::cantFail(store->set("k", bytes));
  llvm::cantFail(store->set("empty", ""));
  EXPECT_EQ(get("k"), bytes);
  EXPECT_EQ(get("empty"), "");
  EXPECT_TRUE(llvm::cantFail(store->check({"k", "empty"})));
  EXPECT_FALSE(llvm::cantFail(store->check({"k", "other"})));
  EXPECT_TRUE(llvm::cantFail(store->check({})));
}

TEST_P(EachStore, Adds) {
  EXPECT_EQ(llvm::cantFail(store->add("c", 5)), 5);
  EXPECT_EQ(llvm::cantFail(store->add("c", -7)), -2);
  EXPECT_EQ(get("c"), "-2");
  llvm::cantFail(store->set("ten", "10 apples"));
  EXPECT_EQ(llvm::cantFail(store->add("ten", 5)), 15);
  EXPECT_EQ(llvm::cantFail(store->add("most", INT64_MAX)), INT64_MAX);
}

TEST_P(EachStore, RefusesToAddToWhatIsNoNumber) {
  llvm::cantFail(store->set("c", "abc"));
  EXPECT_NE(errorOf(store->add("c", 5)).find("store.value: stoll: add to key "), std::string::npos);
  EXPECT_EQ(get("c"), "abc");
  llvm::cantFail(store->set("c", "1" + std::string(30, '0')));
  EXPECT_NE(errorOf(store->add("c", 5)).find("is no number of 64 bits"), std::string::npos);
}

TEST_P(EachStore, ComparesAndSets) {
  EXPECT_EQ(llvm::cantFail(store->compareSet("k", "old", "new")), "old");
  EXPECT_FALSE(llvm::cantFail(store->check({"k"})));
  EXPECT_EQ(llvm::cantFail(store->compareSet("k", "", "first")), "first");
  EXPECT_EQ(llvm::cantFail(store->compareSet("k", "other", "new")), "first");
  EXPECT_EQ(llvm::cantFail(store->compareSet("k", "first", "second")), "second");
  EXPECT_EQ(get("k"), "second");
}

TEST_P(EachStore, ListsAndDeletesKeys) {
  int64_t before = llvm::cantFail(store->numKeys());
  llvm::cantFail(store->multiSet({"a", "b"}, {"1", "2"}));
  llvm::cantFail(store->append("a", "x"));
  EXPECT_EQ(llvm::cantFail(store->multiGet({"b", "a", "b"})), (std::vector<std::string>{"2", "1x", "2"}));
  EXPECT_EQ(llvm::cantFail(store->listKeys()), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(llvm::cantFail(store->deleteKey("a")));
  EXPECT_EQ(llvm::cantFail(store->deleteKey("a")), isFile());
  EXPECT_EQ(llvm::cantFail(store->numKeys()), before + 1);
}

TEST_P(EachStore, RefusesKeysWithoutValues) {
  EXPECT_EQ(textOf(store->multiSet({"a", "b"}, {"1"})),
            "store.value: multi_set: got 2 keys and 1 values, expected as many");
  EXPECT_FALSE(llvm::cantFail(store->check({"a"})));
}

TEST_P(EachStore, HasQueuesExceptAFile) {
  if (isFile()) {
    EXPECT_EQ(textOf(store->queuePush("q", "a")), "store.unsupported: queue support is not implemented on a FileStore");
    EXPECT_NE(errorOf(store->queuePop("q")), "");
    EXPECT_NE(errorOf(store->queueLength("q")), "");
    return;
  }
  llvm::cantFail(store->queuePush("q", "a"));
  llvm::cantFail(store->queuePush("q", ""));
  EXPECT_EQ(llvm::cantFail(store->queueLength("q")), 2);
  EXPECT_TRUE(llvm::cantFail(store->check({"q"})));
  EXPECT_EQ(llvm::cantFail(store->queuePop("q")), "a");
  EXPECT_EQ(llvm::cantFail(store->queuePop("q")), "");
  EXPECT_EQ(llvm::cantFail(store->queueLength("q")), 0);
  EXPECT_NE(errorOf(store->queuePop("q", 20ms)).find("store.timeout: "), std::string::npos);
  EXPECT_EQ(errorOf(store->queuePop("q", 0ms)).find("store.timeout: queue is empty: "), 0U);
}

TEST_P(EachStore, AKeyIsNoQueue) {
  if (isFile())
    return;
  llvm::cantFail(store->set("k", "v"));
  EXPECT_NE(errorOf(store->queuePop("k", 30ms)).find("store.timeout: "), std::string::npos);
  llvm::cantFail(store->queuePush("q", "item"));
  store->setTimeout(30ms);
  std::string kind = GetParam();
  EXPECT_EQ(errorOf(store->get("q")).empty(), kind == "tcp");
}

TEST_P(EachStore, AMissingKeyEndsInATimeoutThatNamesIt) {
  store->setTimeout(60ms);
  auto begun = Clock::now();
  std::string got = errorOf(store->get("missing")), waited = textOf(store->wait({"x", "y"}));
  EXPECT_LT(Clock::now() - begun, 10s);
  EXPECT_EQ(got.substr(0, 15), "store.timeout: ");
  EXPECT_NE(got.find("missing"), std::string::npos) << got;
  EXPECT_NE(waited.find("ait timeout after 60"), std::string::npos) << waited;
  EXPECT_NE(waited.find("x, "), std::string::npos) << waited;
  EXPECT_NE(textOf(store->wait({"x"}, 0ms)).find("store.timeout: "), std::string::npos);
  llvm::cantFail(store->set("x", ""));
  EXPECT_EQ(textOf(store->wait({"x"}, 0ms)), "");
}

TEST_P(EachStore, AWaitDoesNotBlockOtherThreads) {
  store->setTimeout(20s);
  std::thread late([&] {
    std::this_thread::sleep_for(30ms);
    llvm::cantFail(store->set("late", "v"));
  });
  EXPECT_EQ(get("late"), "v");
  late.join();
}

TEST_P(EachStore, OneOfManyThreadsWins) {
  std::vector<std::string> winners(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < winners.size(); ++i)
    threads.emplace_back([&, i] { winners[i] = llvm::cantFail(store->compareSet("k", "", std::to_string(i))); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(winners, std::vector<std::string>(4, get("k")));
}

TEST_P(EachStore, TheBarrierNamesTheRanksThatDidNotCome) {
  std::vector<std::string> texts(2);
  std::vector<std::thread> ranks;
  for (size_t i : {0, 1})
    ranks.emplace_back([&, i] {
      texts[i] = llvm::toString(waitAtStoreBarrier(*store, {"g", static_cast<int64_t>(2 * i), i == 0 ? 3 : 5, 300ms}));
    });
  for (std::thread &rank : ranks)
    rank.join();
  EXPECT_NE(texts[0].find("rank 1 has not come: start all ranks of the group"), std::string::npos) << texts[0];
  EXPECT_NE(texts[1].find("ranks 1, 3 and 4 have not come"), std::string::npos) << texts[1];
}

TEST_P(EachStore, TheBarrierNamesTheCountOfRanksThatCame) {
  std::vector<std::string> errors(3);
  std::vector<std::thread> ranks;
  for (size_t rank = 0; rank < errors.size(); ++rank)
    ranks.emplace_back([&, rank] {
      errors[rank] = textOf(waitAtStoreBarrier(*store, {"_", static_cast<int64_t>(rank), 4, 300ms}));
    });
  for (std::thread &rank : ranks)
    rank.join();
  for (size_t rank = 0; rank < errors.size(); ++rank)
    EXPECT_EQ(errors[rank].find("store.timeout: Timed out initializing process group in store based barrier on rank " +
                                std::to_string(rank) +
                                ", for key: store_based_barrier_key:_ (world_size=4, num_workers_joined=3, "
                                "timeout=0:00:00.300000 error="),
              0U)
        << errors[rank];
}

TEST_P(EachStore, TheBarrierPassesWhereAllCome) {
  std::vector<std::thread> ranks;
  std::atomic<int> passed = 0;
  for (int64_t rank = 0; rank < 4; ++rank)
    ranks.emplace_back([&, rank] {
      llvm::cantFail(waitAtStoreBarrier(*store, {"g", rank, 4, 20s}));
      ++passed;
    });
  for (std::thread &rank : ranks)
    rank.join();
  EXPECT_EQ(passed, 4);
}

// --- Files -----------------------------------------------------------------------------------------------------------

TEST(FileStore, HasTheFormatOfTorchDistributed) {
  std::string path = freshPath();
  auto store = llvm::cantFail(openFileStore({path, 1}));
  llvm::cantFail(store->set("k", "v"));
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::string expected =
      std::string("\x09\0\0\0refcount/\x01\0\0\0", 17) + "1" + std::string("\x02\0\0\0/k\x01\0\0\0v", 11);
  EXPECT_EQ(bytes, expected);
  store.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FileStore, TheLastUserRemovesTheFile) {
  std::string path = freshPath();
  auto first = llvm::cantFail(openFileStore({path, 2})), second = llvm::cantFail(openFileStore({path, 2}));
  llvm::cantFail(first->set("a", "b"));
  EXPECT_EQ(llvm::cantFail(second->get("a")), "b");
  first.reset();
  EXPECT_TRUE(std::filesystem::exists(path));
  second.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FileStore, RefusesAMissingFolderImmediately) {
  std::string text = errorOf(openFileStore({"/nonexistent/folder/f", 1}));
  EXPECT_EQ(text, "store.file: cannot open the file of a FileStore, /nonexistent/folder/f: No such file or directory");
}

TEST(FileStore, RefusesADamagedFile) {
  std::string path = freshPath();
  std::ofstream(path, std::ios::binary) << "this is no store";
  EXPECT_NE(errorOf(openFileStore({path})).find("is no file of a FileStore, or damaged, at byte 0"), std::string::npos);
  std::filesystem::remove(path);
}

// --- Limits ----------------------------------------------------------------------------------------------------------

TEST(StoreLimits, HoldForEachKindOfStore) {
  StoreLimits limits{.keyBytes = 12, .valueBytes = 100, .totalBytes = 400};
  std::string path = freshPath();
  auto tcp = serverStore({.limits = limits});
  for (const std::shared_ptr<Store> &store :
       {makeHashStore(limits), std::shared_ptr<Store>(tcp), llvm::cantFail(openFileStore({path, {}, limits}))}) {
    EXPECT_NE(textOf(store->set("k", std::string(101, 'x'))), "") << store->typeName().str();
    EXPECT_NE(textOf(store->set("a key too long", "x")), "") << store->typeName().str();
    llvm::cantFail(store->set("a", std::string(90, 'x')));
    EXPECT_NE(textOf(store->append("a", std::string(20, 'x'))), "") << store->typeName().str();
    EXPECT_EQ(llvm::cantFail(store->get("a")).size(), 90U);
  }
  std::filesystem::remove(path);
}

TEST(StoreLimits, AFullStoreTakesNoMore) {
  auto store = makeHashStore({.totalBytes = 1000});
  size_t kept = 0;
  std::string error;
  for (; kept < 100 && error.empty(); ++kept)
    error = textOf(store->set("key" + std::to_string(kept), "v"));
  EXPECT_EQ(error.substr(0, 40), "store.value: the store of 1040 bytes at ") << error;
  llvm::cantFail(store->deleteKey("key0"));
  EXPECT_EQ(textOf(store->set("again", "v")), "");
  size_t items = 0;
  for (error.clear(); items < 100 && error.empty(); ++items)
    error = textOf(store->queuePush("q", ""));
  EXPECT_NE(error, "");
}

// --- Tcp -------------------------------------------------------------------------------------------------------------

TEST(TcpStore, EndsEveryWaitingClientWhenItsServerEnds) {
  auto server = serverStore();
  std::string name = "127.0.0.1:" + std::to_string(server->port());
  std::vector<std::shared_ptr<TcpStore>> clients;
  for (int i = 0; i < 8; ++i)
    clients.push_back(clientOf(*server));
  std::vector<std::string> errors(clients.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < clients.size(); ++i)
    threads.emplace_back([&, i] { errors[i] = textOf(clients[i]->wait({"never"}, 600s)); });
  std::this_thread::sleep_for(50ms);
  server.reset();
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    EXPECT_EQ(error, "store.network: the TCPStore server at " + name +
                         ": Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown "
                         "or crash?");
  auto begun = Clock::now();
  EXPECT_EQ(errorOf(clients[0]->numKeys()), "store.network: the TCPStore server at " + name +
                                                ": it accepts no connection. Did the remote server shutdown or crash?");
  EXPECT_LT(Clock::now() - begun, 10s);
}

TEST(TcpStore, WaitsForItsUsers) {
  std::string text = errorOf(openTcpStore({.users = 3, .isServer = true, .timeout = 60ms}));
  EXPECT_EQ(text, "store.timeout: Timed out after 1 seconds waiting for clients. 1/3 clients joined.");
  auto server = serverStore({.users = 2, .timeout = 60ms, .waitForUsers = false});
  EXPECT_EQ(llvm::cantFail(server->numKeys()), 1);
}

TEST(TcpStore, RefusesAPortInUseAndSharesOneOnRequest) {
  auto server = serverStore();
  std::string text = errorOf(openTcpStore({.port = server->port(), .isServer = true}));
  EXPECT_NE(text.find("store.network: The server socket has failed to listen on any local network address. port:" +
                      std::to_string(server->port())),
            std::string::npos);
  EXPECT_NE(text.find("code: -98, name: EADDRINUSE, message: Address already in use"), std::string::npos) << text;
  auto first = serverStore({.sharesServer = true});
  auto second = serverStore({.port = first->port(), .sharesServer = true});
  llvm::cantFail(first->set("a", "b"));
  EXPECT_EQ(llvm::cantFail(second->get("a")), "b");
}

TEST(TcpStore, NamesTheServerThatDoesNotCome) {
  uint16_t port = serverStore()->port();
  EXPECT_EQ(errorOf(openTcpStore({.port = port, .timeout = 50ms})),
            "store.network: The client socket has timed out after 50ms while trying to connect to (127.0.0.1, " +
                std::to_string(port) + ").");
  EXPECT_NE(errorOf(openTcpStore({.host = "no.such.host.invalid", .port = 1, .timeout = 50ms}))
                .find("trying to connect to (no.such.host.invalid, 1)"),
            std::string::npos);
}

TEST(TcpStore, AcceptsTheSecretAlone) {
  EXPECT_EQ(errorOf(openTcpStore({.isServer = true, .secret = std::string(4097, 's')})),
            "store.value: the secret of the store of port 0 has 4097 bytes, expected at most 4096");
  auto server = serverStore({.secret = "open sesame"});
  llvm::cantFail(clientOf(*server, "open sesame")->set("k", "v"));
  EXPECT_EQ(llvm::cantFail(server->get("k")), "v");
  for (const char *wrong : {"", "open", "open sesame "})
    EXPECT_EQ(errorOf(openTcpStore({.port = server->port(), .timeout = 5s, .secret = wrong})),
              "store.network: the TCPStore server at 127.0.0.1:" + std::to_string(server->port()) +
                  ": it has dropped this client, because its secret is not that of this store");
  EXPECT_EQ(server->drops().size(), 3U);
}

TEST(TcpStore, CountsClientsAndBytes) {
  auto server = serverStore();
  int64_t before = server->bytesHeld();
  llvm::cantFail(server->set("key", std::string(1000, 'x')));
  EXPECT_EQ(server->bytesHeld() - before, 1000 + 4 + 64);
  EXPECT_EQ(server->numClients(), 1U);
  {
    auto client = clientOf(*server);
    EXPECT_EQ(server->numClients(), 2U);
    EXPECT_EQ(client->bytesHeld(), 0);
  }
}

TEST(TcpStore, MovesLargeValues) {
  auto server = serverStore();
  auto client = clientOf(*server);
  std::string large(20 << 20, 'x');
  large[12345] = 'y';
  llvm::cantFail(client->set("large", large));
  EXPECT_EQ(llvm::cantFail(server->get("large")), large);
}

} // namespace
} // namespace ccgraph::runtime

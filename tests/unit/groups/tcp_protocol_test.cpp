// The protocol of tcp stores: transcripts of PyTorch's client and server, nonsense, and many clients.
#include "ccgraph/runtime/tcp_store.h"
#include "stores/sockets.h"
#include "stores/store_error.h"
#include "stores/tcp_service.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

using namespace std::chrono_literals;

std::string greeting() { return QueryWriter(QueryKind::Validate).shortNumber(storeMagic).bytes; }

std::string recordsFolder() {
  const char *other = std::getenv("CCGRAPH_DDP_RECORDS");
  return other ? other : CCGRAPH_TEST_DATA "/ddp";
}

/// Waits of a client that a record cancels are cancelled by the client, so the bytes of both ends are one exchange.
TEST(TcpProtocol, AnswersTheBytesOfPyTorchsServer) {
  std::ifstream file(recordsFolder() + "/table/tcp_wire.json");
  ASSERT_TRUE(file) << recordsFolder();
  nlohmann::json exchanges = nlohmann::json::parse(file)["libuv=True"];
  TcpService service({});
  service.connect(1);
  int compared = 0;
  for (const nlohmann::json &exchange : exchanges) {
    if (!exchange.contains("bytes"))
      continue;
    std::string sent, expected;
    for (const nlohmann::json &part : exchange["bytes"])
      (part[0] == "client" ? sent : expected) += llvm::fromHex(part[1].get<std::string>());
    service.receive(1, sent);
    std::string &output = service.output(1);
    // The order of listed keys is that of a hash map there, and sorted here.
    if (exchange["call"] == "s.list_keys()") {
      EXPECT_EQ(output.size(), expected.size());
    } else {
      EXPECT_EQ(llvm::toHex(output), llvm::toHex(expected)) << exchange["call"];
    }
    output.clear();
    ++compared;
  }
  EXPECT_GE(compared, 20);
  EXPECT_EQ(service.dropReason(1), "");
}

TEST(TcpProtocol, TakesQueriesInAnyParts) {
  std::string all = greeting() + QueryWriter(QueryKind::Set, true).text("/k").text("value").bytes +
                    QueryWriter(QueryKind::Get).text("/k").bytes +
                    QueryWriter(QueryKind::MultiGet, true).texts({"/k"}).bytes;
  TcpService whole({}), parts({});
  whole.connect(1);
  parts.connect(1);
  whole.receive(1, all);
  for (char byte : all)
    parts.receive(1, {&byte, 1});
  EXPECT_EQ(whole.output(1), parts.output(1));
  EXPECT_EQ(llvm::toHex(whole.output(1)),
            "000500000000000000" + llvm::toHex("value") + "000500000000000000" + llvm::toHex("value"));
}

std::string dropReasonOf(const std::string &bytes, StoreLimits limits = {}, std::string secret = "") {
  TcpService service({limits, std::move(secret)});
  service.connect(7);
  service.receive(7, bytes);
  return service.dropReason(7);
}

TEST(TcpProtocol, DropsNonsenseWithAReason) {
  EXPECT_EQ(dropReasonOf("GET / HTTP/1.1\r\n"), "it sent query 71, which does not exist");
  EXPECT_EQ(dropReasonOf(std::string(5, '\0')), "it is no client of a store");
  EXPECT_EQ(dropReasonOf(QueryWriter(QueryKind::NumKeys).bytes), "it is no client of a store");
  EXPECT_EQ(dropReasonOf(greeting() + greeting()), "it sent a second greeting");
  EXPECT_EQ(dropReasonOf(greeting() + "\xc8"), "it sent query 200, which does not exist");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Get).number(-1).bytes),
            "it sent a key of 18446744073709551615 bytes, expected at most 65536");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Wait).number(int64_t{1} << 40).bytes),
            "it sent a list of 1099511627776 keys, expected at most 1048576");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Set).text("/k").number(100).bytes, {.valueBytes = 99}),
            "it sent a value of 100 bytes, expected at most 99");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Set).text("/k").text("v").bytes, {.totalBytes = 10})
                .substr(0, 40),
            "its query is refused: the store of 67 by");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Wait).texts({"/k"}).bytes +
                         QueryWriter(QueryKind::NumKeys).bytes),
            "it sent a query while it waits for keys");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::NumKeys).bytes, {}, "secret"),
            "it did not send the secret of this store");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Hello).text("other").bytes, {}, "secret"),
            "its secret is not that of this store");
}

/// A key that is announced and does not come: the server would hold its bytes until all have come.
TEST(TcpProtocol, DropsAClientWithoutTheSecretBeforeItsValueComes) {
  std::string begun = QueryWriter(QueryKind::Set).text("/k").number(int64_t{1} << 30).bytes;
  StoreLimits limits{.valueBytes = int64_t{1} << 36};
  EXPECT_EQ(dropReasonOf(greeting() + begun, limits), "");
  EXPECT_EQ(dropReasonOf(greeting() + begun.substr(0, 1), limits, "secret"),
            "it did not send the secret of this store");
  EXPECT_EQ(dropReasonOf(begun.substr(0, 1), limits), "it is no client of a store");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Hello).number(4096).bytes, limits, "secret"), "");
  EXPECT_EQ(dropReasonOf(greeting() + QueryWriter(QueryKind::Hello).number(4097).bytes, limits, "secret"),
            "it sent a key of 4097 bytes, expected at most 4096");
}

TEST(TcpProtocol, DropsAClientThatDoesNotReadItsAnswers) {
  TcpService service({{.valueBytes = 1 << 20}, ""});
  service.connect(1);
  service.receive(1, greeting() + QueryWriter(QueryKind::Set).text("/k").text(std::string(1 << 20, 'x')).bytes);
  for (int i = 0; i < 4; ++i)
    service.receive(1, QueryWriter(QueryKind::Get).text("/k").bytes);
  EXPECT_EQ(service.dropReason(1), "it does not read its answers");
}

TEST(TcpProtocol, ForgetsWaitsOfClientsThatLeave) {
  TcpService service({});
  for (TcpService::Session session : {1, 2}) {
    service.connect(session);
    service.receive(session, greeting() + QueryWriter(QueryKind::Wait).texts({"/a", "/b"}).bytes);
  }
  service.disconnect(1);
  service.connect(3);
  service.receive(3, greeting() +
                         QueryWriter(QueryKind::MultiSet).number(2).text("/a").text("").text("/b").text("").bytes);
  EXPECT_EQ(llvm::toHex(service.output(2)), "00");
  EXPECT_EQ(service.takeTouched(), (std::vector<TcpService::Session>{2, 3}));
}

/// Queries of all kinds with changed bytes; whatever comes, the service answers or drops, and keeps its limits.
TEST(TcpProtocol, SurvivesChangedQueries) {
  std::mt19937 random(20);
  auto below = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  std::vector<std::string> queries;
  for (bool answered : {false, true}) {
    for (QueryKind kind : {QueryKind::Set, QueryKind::Append, QueryKind::QueuePush})
      queries.push_back(QueryWriter(kind, answered).text("/k").text("10").bytes);
    for (QueryKind kind : {QueryKind::Get, QueryKind::Delete, QueryKind::QueuePop, QueryKind::QueueLength})
      queries.push_back(QueryWriter(kind, answered).text("/k").bytes);
    for (QueryKind kind : {QueryKind::Wait, QueryKind::Check, QueryKind::MultiGet})
      queries.push_back(QueryWriter(kind, answered).texts({"/k", "/l"}).bytes);
    queries.push_back(QueryWriter(QueryKind::Add, answered).text("/k").number(3).bytes);
    queries.push_back(QueryWriter(QueryKind::CompareSet, answered).text("/k").text("").text("7").bytes);
    queries.push_back(QueryWriter(QueryKind::MultiSet, answered).number(1).text("/l").text("v").bytes);
    for (QueryKind kind : {QueryKind::NumKeys, QueryKind::ListKeys, QueryKind::CancelWait})
      queries.push_back(QueryWriter(kind, answered).bytes);
  }
  StoreLimits limits{.keyBytes = 64, .valueBytes = 256, .totalBytes = 4096};
  TcpService service({limits, ""});
  size_t dropped = 0;
  for (TcpService::Session session = 0; session < 3000; ++session) {
    service.connect(session);
    std::string bytes = greeting();
    for (int i = 0; i < 6; ++i)
      bytes += queries[below(queries.size())];
    for (size_t changes = below(3); changes > 0; --changes)
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    for (size_t from = 0, step = 0; from < bytes.size(); from += step) {
      step = 1 + below(20);
      service.receive(session, llvm::StringRef(bytes).substr(from, step));
    }
    ASSERT_LE(service.data().bytes(), limits.totalBytes);
    dropped += service.dropReason(session).empty() ? 0 : 1;
    if (below(2) == 0)
      service.disconnect(session);
  }
  EXPECT_GT(dropped, 300U);
  EXPECT_LT(dropped, 2900U);
}

// --- Sockets ---------------------------------------------------------------------------------------------------------

/// The server drops the caller, with this reason, and serves others.
TEST(TcpStoreServer, DropsStrangersAndServesOthers) {
  auto server = llvm::cantFail(openTcpStore({.isServer = true}));
  auto until = SocketClock::now() + 20s;
  int stranger = *llvm::cantFail(connectSocket("127.0.0.1", server->port(), until));
  ASSERT_GT(::send(stranger, "GET / HTTP/1.1\r\n", 16, MSG_NOSIGNAL), 0);
  char byte = 0;
  ASSERT_TRUE(awaitSocket(stranger, POLLIN, until));
  EXPECT_EQ(::recv(stranger, &byte, 1, 0), 0);
  ::close(stranger);
  llvm::cantFail(server->set("k", "v"));
  std::vector<DroppedClient> drops = server->drops();
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].reason, "it sent query 71, which does not exist");
  EXPECT_EQ(drops[0].address.substr(0, 10), "127.0.0.1:");
}

TEST(TcpStoreServer, ServesAtMostSoManyClientsAtOneTime) {
  auto server = llvm::cantFail(openTcpStore({.isServer = true, .mostClients = 2}));
  auto second = llvm::cantFail(openTcpStore({.port = server->port(), .timeout = 20s}));
  auto third = openTcpStore({.port = server->port(), .timeout = 100ms});
  EXPECT_NE(messageOf(third.takeError()).find("it has not answered in time"), std::string::npos);
  second.reset();
  llvm::cantFail(llvm::cantFail(openTcpStore({.port = server->port(), .timeout = 20s}))->set("k", "v"));
}

TEST(TcpStoreServer, AThousandClientsJoinABarrier) {
  constexpr size_t clients = 1000;
  auto server = llvm::cantFail(openTcpStore({.isServer = true}));
  auto until = SocketClock::now() + 60s;
  std::vector<int> sockets;
  for (size_t i = 0; i < clients; ++i)
    sockets.push_back(*llvm::cantFail(connectSocket("127.0.0.1", server->port(), until)));
  // All wait for the last key, and count themselves before.
  std::string join = greeting() + QueryWriter(QueryKind::Add).text("/barrier").number(1).bytes +
                     QueryWriter(QueryKind::Wait).texts({"/last"}).bytes;
  for (int socket : sockets)
    ASSERT_EQ(::send(socket, join.data(), join.size(), MSG_NOSIGNAL), static_cast<ssize_t>(join.size()));
  while (llvm::cantFail(server->add("barrier", 0)) < static_cast<int64_t>(clients) && SocketClock::now() < until)
    std::this_thread::yield();
  EXPECT_EQ(server->numClients(), clients + 1);
  llvm::cantFail(server->set("last", ""));
  size_t released = 0;
  for (int socket : sockets) {
    char answers[9] = {};
    size_t taken = 0;
    while (taken < sizeof(answers) && awaitSocket(socket, POLLIN, until))
      if (ssize_t count = ::recv(socket, answers + taken, sizeof(answers) - taken, 0); count > 0)
        taken += static_cast<size_t>(count);
      else
        break;
    released += taken == sizeof(answers) && answers[8] == 0 ? 1 : 0;
    ::close(socket);
  }
  EXPECT_EQ(released, clients);
  EXPECT_LT(server->bytesHeld(), 1000);
}

} // namespace
} // namespace ccgraph::runtime

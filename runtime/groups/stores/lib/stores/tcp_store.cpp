#include "ccgraph/runtime/tcp_store.h"

#include "stores/store_error.h"
#include "stores/tcp_client.h"
#include "stores/tcp_protocol.h"
#include "stores/tcp_server.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace ccgraph::runtime {
namespace {

using Clock = SocketClock;
constexpr llvm::StringLiteral usersKey = "init/";
/// How long the rest of an answer may take that has begun to come.
constexpr std::chrono::seconds answerGrace{5};

/// The servers of this process that others may share, by port.
struct SharedServers {
  std::mutex mutex;
  std::map<uint16_t, std::weak_ptr<TcpServer>> byPort;
};

llvm::Expected<std::shared_ptr<TcpServer>> startServer(const TcpStoreSetup &setup) {
  if (!setup.sharesServer)
    return TcpServer::start(setup);
  static SharedServers shared;
  std::lock_guard<std::mutex> lock(shared.mutex);
  if (std::shared_ptr<TcpServer> running = shared.byPort[setup.port].lock())
    return running;
  llvm::Expected<std::shared_ptr<TcpServer>> server = TcpServer::start(setup);
  if (server)
    shared.byPort[(*server)->port()] = *server;
  return server;
}

// An operation takes an idle connection, or makes one. So a thread that waits does not block the others.
class TcpStoreClient final : public TcpStore {
public:
  explicit TcpStoreClient(TcpStoreSetup setup) : setup_(std::move(setup)), timeout_(setup_.timeout) {}

  llvm::Error open() {
    if (setup_.isServer) {
      llvm::Expected<std::shared_ptr<TcpServer>> server = startServer(setup_);
      if (!server)
        return server.takeError();
      server_ = std::move(*server);
      setup_.port = server_->port();
    }
    if (llvm::Error error = exchange([](TcpClient &, Until) { return llvm::Error::success(); }))
      return error;
    opened_ = true;
    if (!setup_.users)
      return llvm::Error::success();
    llvm::Expected<int64_t> joined = addWhole(usersKey.str(), 1);
    if (!joined)
      return joined.takeError();
    return setup_.isServer && setup_.waitForUsers ? awaitUsers(*joined) : llvm::Error::success();
  }

  llvm::Error set(llvm::StringRef key, llvm::StringRef value) override {
    return order(QueryWriter(QueryKind::Set, true).text(whole(key)).text(value));
  }

  llvm::Expected<std::string> get(llvm::StringRef key) override {
    std::string value;
    QueryWriter query(QueryKind::Get, true);
    query.text(whole(key));
    auto take = [&](TcpClient &client, Until until) { return takeTextInto(value, client, until); };
    if (llvm::Error error = retry({key.str()}, timeout(), query, take))
      return error;
    return value;
  }

  llvm::Expected<int64_t> add(llvm::StringRef key, int64_t amount) override { return addWhole(whole(key), amount); }

  llvm::Expected<std::string> compareSet(llvm::StringRef key, llvm::StringRef expected,
                                         llvm::StringRef desired) override {
    std::string value;
    QueryWriter query(QueryKind::CompareSet, true);
    query.text(whole(key)).text(expected).text(desired);
    if (llvm::Error error =
            ask(query, [&](TcpClient &client, Until until) { return takeTextInto(value, client, until); }))
      return error;
    return value;
  }

  llvm::Expected<bool> check(Keys keys) override {
    uint8_t ready = isNotReady;
    QueryWriter query(QueryKind::Check, true);
    query.texts(wholeKeys(keys));
    if (llvm::Error error =
            ask(query, [&](TcpClient &client, Until until) { return into(ready, client.takeByte(until)); }))
      return error;
    return ready == isReady;
  }

  llvm::Error wait(Keys keys, Milliseconds timeout) override {
    return waitUntil(keys, timeout, Clock::now() + timeout);
  }

  llvm::Expected<bool> deleteKey(llvm::StringRef key) override {
    llvm::Expected<int64_t> count = askNumber(QueryWriter(QueryKind::Delete, true).text(whole(key)));
    return count ? llvm::Expected<bool>(*count != 0) : count.takeError();
  }

  llvm::Expected<int64_t> numKeys() override { return askNumber(QueryWriter(QueryKind::NumKeys, true)); }

  llvm::Expected<std::vector<std::string>> listKeys() override {
    std::vector<std::string> keys;
    if (llvm::Error error = ask(QueryWriter(QueryKind::ListKeys, true),
                                [&](TcpClient &client, Until until) { return takeKeys(keys, client, until); }))
      return error;
    return keys;
  }

  llvm::Error append(llvm::StringRef key, llvm::StringRef value) override {
    return order(QueryWriter(QueryKind::Append, true).text(whole(key)).text(value));
  }

  llvm::Error multiSet(Keys keys, llvm::ArrayRef<std::string> values) override {
    if (llvm::Error error = checkPairs(keys.size(), values.size()))
      return error;
    QueryWriter query(QueryKind::MultiSet, true);
    query.number(static_cast<int64_t>(keys.size()));
    for (size_t i = 0; i < keys.size(); ++i)
      query.text(whole(keys[i])).text(values[i]);
    return order(query);
  }

  llvm::Expected<std::vector<std::string>> multiGet(Keys keys) override {
    std::vector<std::string> values;
    QueryWriter query(QueryKind::MultiGet, true);
    query.texts(wholeKeys(keys));
    auto take = [&](TcpClient &client, Until until) -> llvm::Error {
      values.assign(keys.size(), "");
      for (std::string &value : values)
        if (llvm::Error error = takeTextInto(value, client, until))
          return error;
      return llvm::Error::success();
    };
    if (llvm::Error error = retry(keys, timeout(), query, take))
      return error;
    return values;
  }

  llvm::Error queuePush(llvm::StringRef queue, llvm::StringRef value) override {
    return order(QueryWriter(QueryKind::QueuePush, true).text(whole(queue)).text(value));
  }

  llvm::Expected<std::string> queuePop(llvm::StringRef queue, Milliseconds timeout) override {
    Until until = Clock::now() + timeout;
    std::vector<std::string> queues = {queue.str()};
    for (;;) {
      int64_t count = 0;
      std::string value;
      llvm::Error error =
          ask(QueryWriter(QueryKind::QueuePop, true).text(whole(queue)), [&](TcpClient &client, Until end) {
            llvm::Error failed = into(count, client.takeNumber(end));
            return failed || count == 0 ? std::move(failed) : takeTextInto(value, client, end);
          });
      if (error)
        return error;
      if (count != 0)
        return value;
      if (timeout <= timeout.zero())
        return emptyQueue(queue);
      if (llvm::Error late = waitAgain(queues, timeout, until))
        return late;
    }
  }

  llvm::Expected<int64_t> queueLength(llvm::StringRef queue) override {
    return askNumber(QueryWriter(QueryKind::QueueLength, true).text(whole(queue)));
  }

  Milliseconds timeout() const override { return timeout_.load(); }
  void setTimeout(Milliseconds timeout) override { timeout_ = timeout; }
  llvm::StringRef typeName() const override { return "TCPStore"; }

  uint16_t port() const override { return setup_.port; }
  bool isServer() const override { return server_ != nullptr; }
  std::vector<DroppedClient> drops() const override {
    return server_ ? server_->drops() : std::vector<DroppedClient>();
  }
  int64_t bytesHeld() const override { return server_ ? server_->bytesHeld() : 0; }
  size_t numClients() const override { return server_ ? server_->numClients() : 0; }
  size_t numGreeted() const override { return server_ ? server_->numGreeted() : 0; }

private:
  using Until = TcpClient::Until;
  using Exchange = llvm::function_ref<llvm::Error(TcpClient &client, Until until)>;

  static std::string whole(llvm::StringRef key) { return "/" + key.str(); }
  static std::vector<std::string> wholeKeys(Keys keys) {
    std::vector<std::string> all;
    for (const std::string &key : keys)
      all.push_back(whole(key));
    return all;
  }

  template <typename T>
  static llvm::Error into(T &to, llvm::Expected<T> value) {
    if (!value)
      return value.takeError();
    to = std::move(*value);
    return llvm::Error::success();
  }
  static llvm::Error takeTextInto(std::string &to, TcpClient &client, Until until) {
    return into(to, client.takeText(until));
  }
  static llvm::Error takeKeys(std::vector<std::string> &keys, TcpClient &client, Until until) {
    int64_t count = 0;
    if (llvm::Error error = into(count, client.takeNumber(until)))
      return error;
    for (int64_t i = 0; i < count; ++i) {
      std::string key;
      if (llvm::Error error = takeTextInto(key, client, until))
        return error;
      keys.push_back(key.substr(1));
    }
    return llvm::Error::success();
  }

  llvm::Expected<std::unique_ptr<TcpClient>> takeClient(Until until) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<TcpClient> client = std::move(idle_.back());
        idle_.pop_back();
        return client;
      }
    }
    return TcpClient::connect({setup_.host, setup_.port, setup_.secret, !opened_}, until, timeout());
  }

  void giveClient(std::unique_ptr<TcpClient> client) {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(client));
  }

  /// A refused query leaves its connection as it was; after every other error, the connection is closed.
  llvm::Error exchange(Exchange talk) {
    Until until = Clock::now() + timeout();
    llvm::Expected<std::unique_ptr<TcpClient>> client = takeClient(until);
    if (!client)
      return client.takeError();
    llvm::Error error = talk(**client, until);
    if (!error || ruleOf(error) == "store.value")
      giveClient(std::move(*client));
    return error;
  }

  llvm::Error ask(const QueryWriter &query, Exchange take) {
    return exchange([&](TcpClient &client, Until until) -> llvm::Error {
      if (llvm::Error error = client.send(query.bytes, until))
        return error;
      llvm::Expected<QueryStatus> status = client.takeStatus(until);
      return status ? take(client, until) : status.takeError();
    });
  }

  llvm::Error order(const QueryWriter &query) {
    return ask(query, [](TcpClient &, Until) { return llvm::Error::success(); });
  }

  llvm::Expected<int64_t> askNumber(const QueryWriter &query) {
    int64_t number = 0;
    if (llvm::Error error =
            ask(query, [&](TcpClient &client, Until until) { return into(number, client.takeNumber(until)); }))
      return error;
    return number;
  }

  llvm::Expected<int64_t> addWhole(const std::string &key, int64_t amount) {
    return askNumber(QueryWriter(QueryKind::Add, true).text(key).number(amount));
  }

  /// Asks until no key is absent. A key may be deleted between the end of a wait and the next query.
  llvm::Error retry(Keys keys, Milliseconds timeout, const QueryWriter &query, Exchange take) {
    Until end = Clock::now() + timeout;
    for (;;) {
      bool absent = false;
      llvm::Error error = exchange([&](TcpClient &client, Until until) -> llvm::Error {
        if (llvm::Error failed = client.send(query.bytes, until))
          return failed;
        llvm::Expected<QueryStatus> status = client.takeStatus(until);
        if (!status)
          return status.takeError();
        absent = *status == QueryStatus::Absent;
        return absent ? llvm::Error::success() : take(client, until);
      });
      if (error || !absent)
        return error;
      if (llvm::Error late = waitAgain(keys, timeout, end))
        return late;
    }
  }

  /// A wait may end without what the caller needs: another client was faster, or the key is no queue.
  llvm::Error waitAgain(Keys keys, Milliseconds timeout, Until until) {
    if (llvm::Error error = waitUntil(keys, timeout, until))
      return error;
    if (Clock::now() >= until)
      return late(keys, timeout);
    std::this_thread::yield();
    return llvm::Error::success();
  }

  llvm::Error waitUntil(Keys keys, Milliseconds timeout, Until until) {
    if (timeout.count() <= 0)
      return checkNow(keys, timeout);
    return exchange([&](TcpClient &client, Until) { return waitWith(client, keys, timeout, until); });
  }

  llvm::Error checkNow(Keys keys, Milliseconds timeout) {
    llvm::Expected<bool> ready = check(keys);
    if (!ready)
      return ready.takeError();
    return *ready ? llvm::Error::success() : late(keys, timeout);
  }

  /// After a timeout the connection is closed, which ends the wait for the server too.
  llvm::Error waitWith(TcpClient &client, Keys keys, Milliseconds timeout, Until until) {
    QueryWriter query(QueryKind::Wait);
    query.texts(wholeKeys(keys));
    if (llvm::Error error = client.send(query.bytes, until))
      return error;
    if (!client.awaitAnswer(until))
      return late(keys, timeout);
    return client.takeWaitAnswer(until + answerGrace).takeError();
  }

  llvm::Error late(Keys keys, Milliseconds timeout) const {
    return storeError("store.timeout",
                      "wait timeout after " + std::to_string(timeout.count()) + "ms, keys: " + keysText(keys, "/"),
                      "a process that sets these keys has not come, or is late; the server is at " + setup_.host + ":" +
                          std::to_string(setup_.port));
  }

  llvm::Error awaitUsers(int64_t joined) {
    Until until = Clock::now() + setup_.timeout;
    while (joined < *setup_.users && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (llvm::Error error = into(joined, addWhole(usersKey.str(), 0)))
        return error;
    }
    if (joined >= *setup_.users)
      return llvm::Error::success();
    return storeError("store.timeout",
                      "Timed out after " + std::to_string((setup_.timeout.count() + 999) / 1000) +
                          " seconds waiting for clients. " + std::to_string(joined) + "/" +
                          std::to_string(*setup_.users) + " clients joined.",
                      "start all processes of the job, all with the address of this server");
  }

  TcpStoreSetup setup_;
  std::shared_ptr<TcpServer> server_;
  bool opened_ = false;
  std::atomic<Milliseconds> timeout_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TcpClient>> idle_;
};

} // namespace

llvm::Expected<std::shared_ptr<TcpStore>> openTcpStore(TcpStoreSetup setup) {
  if (static_cast<int64_t>(setup.secret.size()) > mostSecretBytes)
    return storeError("store.value",
                      "the secret of the store of port " + std::to_string(setup.port) + " has " +
                          std::to_string(setup.secret.size()) + " bytes, expected at most " +
                          std::to_string(mostSecretBytes),
                      "give a shorter secret, such as the digest of a long one");
  auto store = std::make_shared<TcpStoreClient>(std::move(setup));
  if (llvm::Error error = store->open())
    return error;
  return std::static_pointer_cast<TcpStore>(store);
}

} // namespace ccgraph::runtime

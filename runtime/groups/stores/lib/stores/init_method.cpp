#include "ccgraph/runtime/init_method.h"

#include "ccgraph/runtime/tcp_store.h"
#include "stores/store_error.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <mutex>

namespace ccgraph::runtime {
namespace {

llvm::Error initError(std::string message, std::string repair = "") {
  return storeError("store.init", std::move(message), std::move(repair));
}

/// As Python's int(): spaces around are permitted.
llvm::Expected<int64_t> parseNumber(llvm::StringRef text) {
  int64_t number = 0;
  if (!text.trim().getAsInteger(10, number))
    return number;
  return initError("invalid literal for int() with base 10: '" + text.str() + "'", "give a decimal number");
}

/// The parts of "scheme://place?name=value&...".
struct Url {
  std::string scheme;
  std::string place;
  std::map<std::string, std::string> query;
};

llvm::Expected<Url> parseUrl(llvm::StringRef text) {
  Url url;
  auto [scheme, rest] = text.split("://");
  if (scheme.size() == text.size())
    return initError("No rendezvous handler for " + text.str() + "://", "give env://, file:///PATH or tcp://HOST:PORT");
  url.scheme = scheme.str();
  auto [place, query] = rest.split('?');
  url.place = place.str();
  llvm::SmallVector<llvm::StringRef, 4> pairs;
  query.split(pairs, '&', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef pair : pairs) {
    if (!pair.contains('='))
      return initError("the url " + text.str() + " has '" + pair.str() + "', expected NAME=VALUE");
    url.query[pair.split('=').first.str()] = pair.split('=').second.str();
  }
  return url;
}

class Joining {
public:
  Joining(const InitMethod &method, Url url) : method_(method), url_(std::move(url)) {}

  llvm::Expected<JoinedStore> join() {
    bool isTwice = (url_.query.count("rank") || url_.query.count("world_size")) && (method_.rank || method_.worldSize);
    if (isTwice)
      return initError("The url: " + method_.url + " has node-specific arguments(rank, world_size) already.",
                       "give rank and world size in the url or as arguments, not both");
    if (url_.scheme == "env")
      return joinEnvironment();
    if (url_.scheme == "tcp")
      return joinTcp();
    return joinFile();
  }

private:
  [[nodiscard]] llvm::Error missing(llvm::StringRef what) const {
    return initError("Error initializing torch.distributed using " + url_.scheme + ":// rendezvous: " + what.str());
  }

  /// From the argument, the URL, or the variable where there is one.
  llvm::Expected<int64_t> number(llvm::StringRef name, std::optional<int64_t> given, const char *variable) {
    if (given)
      return *given;
    auto found = url_.query.find(name.str());
    if (found != url_.query.end())
      return parseNumber(found->second);
    if (!variable)
      return missing((name + " parameter missing").str());
    llvm::Expected<std::string> text = fromEnvironment(variable);
    return text ? parseNumber(*text) : text.takeError();
  }

  llvm::Expected<std::string> fromEnvironment(const char *variable) const {
    std::optional<std::string> value = method_.environment ? method_.environment(variable) : std::nullopt;
    if (value)
      return *value;
    return missing(("environment variable " + llvm::Twine(variable) + " expected, but not set").str());
  }

  llvm::Error findRanks(bool fromVariables) {
    for (auto [name, given, variable, to] :
         {std::tuple("rank", method_.rank, "RANK", &joined_.rank),
          std::tuple("world size", method_.worldSize, "WORLD_SIZE", &joined_.worldSize)}) {
      bool isRank = llvm::StringRef(name) == "rank";
      llvm::Expected<int64_t> value = number(isRank ? "rank" : "world_size", given, fromVariables ? variable : nullptr);
      if (!value)
        return value.takeError();
      *to = *value;
    }
    if (joined_.worldSize > 0 && joined_.rank >= 0 && joined_.rank < joined_.worldSize)
      return llvm::Error::success();
    return initError("got rank " + std::to_string(joined_.rank) + " and world_size " +
                     std::to_string(joined_.worldSize) + ", expected rank < size and a positive world_size");
  }

  llvm::Expected<JoinedStore> joinEnvironment() {
    if (llvm::Error error = findRanks(true))
      return error;
    llvm::Expected<std::string> host = fromEnvironment("MASTER_ADDR");
    if (!host)
      return host.takeError();
    llvm::Expected<std::string> port = fromEnvironment("MASTER_PORT");
    if (!port)
      return port.takeError();
    llvm::Expected<int64_t> parsed = parseNumber(*port);
    return parsed ? openTcp(*host, *parsed) : parsed.takeError();
  }

  llvm::Expected<JoinedStore> joinTcp() {
    auto [host, port] = llvm::StringRef(url_.place).rsplit(':');
    if (port.empty() || host.size() == url_.place.size())
      return missing("port number missing");
    llvm::Expected<int64_t> parsed = parseNumber(port);
    if (!parsed)
      return parsed.takeError();
    if (llvm::Error error = findRanks(false))
      return error;
    return openTcp(host.str(), *parsed);
  }

  llvm::Expected<JoinedStore> openTcp(const std::string &host, int64_t port) {
    if (port < 0 || port > 65535)
      return initError("Port out of range 0-65535: " + std::to_string(port));
    TcpStoreSetup setup;
    setup.host = host;
    setup.port = static_cast<uint16_t>(port);
    setup.users = joined_.worldSize;
    setup.isServer = joined_.rank == 0;
    setup.timeout = method_.timeout;
    setup.sharesServer = true;
    setup.secret = method_.secret;
    llvm::Expected<std::shared_ptr<TcpStore>> store = openTcpStore(std::move(setup));
    if (!store)
      return store.takeError();
    joined_.store = std::move(*store);
    return joined_;
  }

  llvm::Expected<JoinedStore> joinFile() {
    if (url_.place.empty())
      return missing("path missing");
    if (!llvm::StringRef(url_.place).startswith("/"))
      return initError("the url " + method_.url + " names the host " + url_.place.substr(0, url_.place.find('/')) +
                           ", and a file has none",
                       "give three slashes and an absolute path: file:///PATH");
    if (llvm::Error error = findRanks(false))
      return error;
    llvm::Expected<std::shared_ptr<Store>> store = openFileStore({url_.place, joined_.worldSize});
    if (!store)
      return store.takeError();
    joined_.store = std::move(*store);
    joined_.store->setTimeout(method_.timeout);
    return joined_;
  }

  const InitMethod &method_;
  Url url_;
  JoinedStore joined_;
};

struct Handlers {
  std::mutex mutex;
  std::map<std::string, InitHandler> byScheme = {
      {"env", nullptr}, {"tcp", nullptr}, {"file", nullptr}}; // null: of this file
};
Handlers &handlers() {
  static Handlers all;
  return all;
}

} // namespace

llvm::Error registerInitMethod(llvm::StringRef scheme, InitHandler handler) {
  Handlers &all = handlers();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.byScheme.emplace(scheme.str(), std::move(handler)).second)
    return llvm::Error::success();
  return initError("Rendezvous handler for " + scheme.str() + ":// already registered", "use another scheme");
}

llvm::Expected<JoinedStore> joinStore(const InitMethod &method) {
  llvm::Expected<Url> url = parseUrl(method.url);
  if (!url)
    return url.takeError();
  Handlers &all = handlers();
  std::unique_lock<std::mutex> lock(all.mutex);
  auto found = all.byScheme.find(url->scheme);
  if (found == all.byScheme.end())
    return initError("No rendezvous handler for " + url->scheme + "://",
                     "give env://, file:///PATH or tcp://HOST:PORT");
  InitHandler handler = found->second;
  lock.unlock();
  return handler ? handler(method) : Joining(method, std::move(*url)).join();
}

llvm::Expected<int64_t> nodeLocalRank(const Environment &environment, std::optional<int64_t> fallback) {
  if (std::optional<std::string> text = environment ? environment("LOCAL_RANK") : std::nullopt)
    return parseNumber(*text);
  if (fallback)
    return *fallback;
  return initError(
      "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` "
      "to work, assuming you are not running in a multi-device context and want the code to run locally "
      "instead.");
}

} // namespace ccgraph::runtime

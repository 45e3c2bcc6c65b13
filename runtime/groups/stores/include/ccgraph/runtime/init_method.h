// Init methods: how a process finds the store of its job, its rank and the number of ranks, from a URL.
//
//   env://                                  MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE of the environment
//   tcp://HOST:PORT?rank=0&world_size=4     a tcp store, whose server is in the process of rank 0
//   file:///PATH?rank=0&world_size=4        a file store
//
// Rank and world size are in the URL or are arguments, and not both; env:// takes what is missing from the environment.
// A program registers other schemes. The library reads no environment: the caller passes a function that does.
//
// Ownership: the caller owns the store. Failure: store.init for a URL, a variable or an argument that is missing or no
// number; otherwise that of the store. Cost: that of opening the store.
#pragma once

#include "ccgraph/runtime/store.h"

#include <functional>

namespace ccgraph::runtime {

/// Returns the value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(llvm::StringRef name)>;

struct InitMethod {
  std::string url = "env://";
  std::optional<int64_t> rank = {};
  std::optional<int64_t> worldSize = {};
  Store::Milliseconds timeout = std::chrono::minutes(30);
  Environment environment = {};
  /// of a tcp store
  std::string secret = {};
};
struct JoinedStore {
  std::shared_ptr<Store> store;
  int64_t rank = 0;
  int64_t worldSize = 1;
};
[[nodiscard]] llvm::Expected<JoinedStore> joinStore(const InitMethod &method);

using InitHandler = std::function<llvm::Expected<JoinedStore>(const InitMethod &method)>;
/// Fails where the scheme, such as "mine", has a handler. Thread-safe.
[[nodiscard]] llvm::Error registerInitMethod(llvm::StringRef scheme, InitHandler handler);

/// Returns the rank of this process on its host: LOCAL_RANK of the environment, otherwise `fallback`. Fails where there
/// is neither, or LOCAL_RANK is no number.
[[nodiscard]] llvm::Expected<int64_t> nodeLocalRank(const Environment &environment,
                                                    std::optional<int64_t> fallback = {});

} // namespace ccgraph::runtime

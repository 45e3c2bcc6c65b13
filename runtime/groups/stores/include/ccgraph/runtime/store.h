// Store: keys and values that the processes of a job share, before and beside their collectives.
//
// The operations, their results and the key words of their errors are those of the stores of torch.distributed 2.15:
//
//   Store = HashStore     the threads of one process
//         | FileStore     a file that all processes see; the format is that of torch.distributed
//         | TcpStore      a server in one process, which all others connect to (tcp_store.h)
//         | PrefixStore   a part of another store, whose keys are "prefix/key"
//
// Where torch.distributed never returns or ends the process, these stores return an error: a wait of 0 ms on a hash or
// file store, a file in a folder that does not exist, add() to a value that is no number on a tcp store. Timeouts count
// milliseconds in all stores. A wait of one thread does not block the other threads of the same store object.
//
// Ownership: callers share a store. Thread-safe. Failure: DiagnosticErrors of these rules:
//   store.timeout       a key was not set in time; the message names the keys
//   store.network       the server cannot be reached, or the connection to it is lost; the message names the server
//   store.value         add() to a value that is no number of 64 bits; a key, value or secret that is too large; a
//                       full store
//   store.unsupported   queues on a file store
//   store.file          the file of a file store cannot be opened, read or written
// Cost: a lock (hash), a locked file (file), a message and its answer (tcp).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {

/// The limits of what a store keeps, in bytes. A set(), append(), compareSet() or queuePush() beyond them fails with
/// store.value and changes nothing.
struct StoreLimits {
  int64_t keyBytes = int64_t{1} << 16;
  int64_t valueBytes = int64_t{256} << 20;
  /// of all keys and values together, with 64 bytes for each key
  int64_t totalBytes = int64_t{4} << 30;
};

class Store {
public:
  using Milliseconds = std::chrono::milliseconds;
  using Keys = llvm::ArrayRef<std::string>;
  /// The default of torch.distributed.
  static constexpr Milliseconds defaultTimeout = std::chrono::seconds(300);

  virtual ~Store() = default;
  Store() = default;
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// Values are any bytes, and may be empty.
  [[nodiscard]] virtual llvm::Error set(llvm::StringRef key, llvm::StringRef value) = 0;
  /// Waits for the key, at most timeout().
  [[nodiscard]] virtual llvm::Expected<std::string> get(llvm::StringRef key) = 0;
  /// Adds to the number that the value's text begins with, and returns the sum. An absent key and an empty value count
  /// as 0. The sum wraps at 64 bits.
  [[nodiscard]] virtual llvm::Expected<int64_t> add(llvm::StringRef key, int64_t amount) = 0;
  /// Sets the key to `desired` if its value is `expected`, or if it is absent and `expected` is empty. Returns the
  /// value afterwards; for an absent key that was not set, returns `expected`.
  [[nodiscard]] virtual llvm::Expected<std::string> compareSet(llvm::StringRef key, llvm::StringRef expected,
                                                               llvm::StringRef desired) = 0;
  /// Returns whether all keys are set. A queue with items counts as set, except on a file store, which has none.
  [[nodiscard]] virtual llvm::Expected<bool> check(Keys keys) = 0;
  /// Waits until all keys are set, at most `timeout`.
  [[nodiscard]] virtual llvm::Error wait(Keys keys, Milliseconds timeout) = 0;
  [[nodiscard]] llvm::Error wait(Keys keys) { return wait(keys, timeout()); }
  /// Returns whether the key was set; a file store always returns true.
  [[nodiscard]] virtual llvm::Expected<bool> deleteKey(llvm::StringRef key) = 0;
  /// Returns the number of keys. File and tcp stores count the key by which they count their users.
  [[nodiscard]] virtual llvm::Expected<int64_t> numKeys() = 0;
  /// Returns the keys of users, sorted.
  [[nodiscard]] virtual llvm::Expected<std::vector<std::string>> listKeys() = 0;

  /// Returns whether append(), multiGet() and multiSet() are one operation each. They work on all stores.
  [[nodiscard]] virtual bool hasExtendedApi() const { return true; }
  [[nodiscard]] virtual llvm::Error append(llvm::StringRef key, llvm::StringRef value) = 0;
  /// `values`: one for each key.
  [[nodiscard]] virtual llvm::Error multiSet(Keys keys, llvm::ArrayRef<std::string> values) = 0;
  /// Waits for all keys, at most timeout().
  [[nodiscard]] virtual llvm::Expected<std::vector<std::string>> multiGet(Keys keys) = 0;

  /// A queue has a name of its own and is no key.
  [[nodiscard]] virtual llvm::Error queuePush(llvm::StringRef queue, llvm::StringRef value) = 0;
  /// Returns the oldest item; waits for one, at most `timeout`. With 0, an empty queue is an error at once: "queue is
  /// empty".
  [[nodiscard]] virtual llvm::Expected<std::string> queuePop(llvm::StringRef queue, Milliseconds timeout) = 0;
  [[nodiscard]] llvm::Expected<std::string> queuePop(llvm::StringRef queue) { return queuePop(queue, timeout()); }
  [[nodiscard]] virtual llvm::Expected<int64_t> queueLength(llvm::StringRef queue) = 0;

  /// Of operations that wait.
  [[nodiscard]] virtual Milliseconds timeout() const = 0;
  virtual void setTimeout(Milliseconds timeout) = 0;
  /// "HashStore", "FileStore", "TCPStore", "PrefixStore".
  [[nodiscard]] virtual llvm::StringRef typeName() const = 0;
};

[[nodiscard]] std::shared_ptr<Store> makeHashStore(StoreLimits limits = {});

/// Keys of `store` that begin with "prefix/". Never null: `store` must not be null.
[[nodiscard]] std::shared_ptr<Store> makePrefixStore(std::string prefix, std::shared_ptr<Store> store);

struct FileStoreSetup {
  std::string path;
  /// With a number, the last of so many users removes the file; without one, it remains.
  std::optional<int64_t> users;
  StoreLimits limits = {};
};
/// Fails immediately where the file cannot be opened, for example in a folder that does not exist.
[[nodiscard]] llvm::Expected<std::shared_ptr<Store>> openFileStore(FileStoreSetup setup);

/// The barrier by which the ranks of a group confirm that they all have the group.
struct StoreBarrier {
  std::string group;
  int64_t rank = 0;
  int64_t ranks = 1;
  Store::Milliseconds timeout = Store::defaultTimeout;
};
/// Returns once all ranks have called it. Fails after the timeout with "Timed out initializing process group in store
/// based barrier on rank R, for key: K (world_size=N, num_workers_joined=J, timeout=T error=E)", and the absent.
[[nodiscard]] llvm::Error waitAtStoreBarrier(Store &store, const StoreBarrier &barrier);

} // namespace ccgraph::runtime

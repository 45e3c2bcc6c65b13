#include "stores/store_data.h"
#include "stores/store_error.h"

#include "llvm/ADT/STLExtras.h"

#include <condition_variable>
#include <mutex>

namespace ccgraph::runtime {
namespace {

using Clock = std::chrono::steady_clock;

class HashStore final : public Store {
public:
  explicit HashStore(StoreLimits limits) : data_(limits) {}

  llvm::Error set(llvm::StringRef key, llvm::StringRef value) override {
    return change([&] { return data_.set(key, value); });
  }

  llvm::Expected<std::string> get(llvm::StringRef key) override {
    Lock lock(mutex_);
    if (llvm::Error error = await(lock, timeout_, {key.str()}, [&] { return data_.find(key) != nullptr; }))
      return error;
    return *data_.find(key);
  }

  llvm::Expected<int64_t> add(llvm::StringRef key, int64_t amount) override {
    Lock lock(mutex_);
    llvm::Expected<int64_t> sum = data_.add(key, amount);
    changed_.notify_all();
    return sum;
  }

  llvm::Expected<std::string> compareSet(llvm::StringRef key, llvm::StringRef expected,
                                         llvm::StringRef desired) override {
    Lock lock(mutex_);
    llvm::Expected<std::string> value = data_.compareSet(key, expected, desired);
    changed_.notify_all();
    return value;
  }

  llvm::Expected<bool> check(Keys keys) override {
    Lock lock(mutex_);
    return hasAll(keys);
  }

  llvm::Error wait(Keys keys, Milliseconds timeout) override {
    Lock lock(mutex_);
    return await(lock, timeout, keys, [&] { return hasAll(keys); });
  }

  llvm::Expected<bool> deleteKey(llvm::StringRef key) override {
    Lock lock(mutex_);
    return data_.erase(key);
  }

  llvm::Expected<int64_t> numKeys() override {
    Lock lock(mutex_);
    return static_cast<int64_t>(data_.numKeys());
  }

  llvm::Expected<std::vector<std::string>> listKeys() override {
    Lock lock(mutex_);
    return data_.keys();
  }

  llvm::Error append(llvm::StringRef key, llvm::StringRef value) override {
    return change([&] { return data_.append(key, value); });
  }

  llvm::Error multiSet(Keys keys, llvm::ArrayRef<std::string> values) override {
    if (llvm::Error error = checkPairs(keys.size(), values.size()))
      return error;
    return change([&]() -> llvm::Error {
      for (size_t i = 0; i < keys.size(); ++i)
        if (llvm::Error error = data_.set(keys[i], values[i]))
          return error;
      return llvm::Error::success();
    });
  }

  llvm::Expected<std::vector<std::string>> multiGet(Keys keys) override {
    Lock lock(mutex_);
    auto areSet = [&] {
      return llvm::all_of(keys, [&](const std::string &key) { return data_.find(key) != nullptr; });
    };
    if (llvm::Error error = await(lock, timeout_, keys, areSet))
      return error;
    std::vector<std::string> values;
    for (const std::string &key : keys)
      values.push_back(*data_.find(key));
    return values;
  }

  llvm::Error queuePush(llvm::StringRef queue, llvm::StringRef value) override {
    return change([&] { return data_.push(queue, value); });
  }

  llvm::Expected<std::string> queuePop(llvm::StringRef queue, Milliseconds timeout) override {
    Lock lock(mutex_);
    if (timeout <= timeout.zero() && data_.length(queue) == 0)
      return emptyQueue(queue);
    if (llvm::Error error = await(lock, timeout, {queue.str()}, [&] { return data_.length(queue) != 0; }))
      return error;
    return *data_.pop(queue);
  }

  llvm::Expected<int64_t> queueLength(llvm::StringRef queue) override {
    Lock lock(mutex_);
    return static_cast<int64_t>(data_.length(queue));
  }

  Milliseconds timeout() const override {
    Lock lock(mutex_);
    return timeout_;
  }
  void setTimeout(Milliseconds timeout) override {
    Lock lock(mutex_);
    timeout_ = timeout;
  }
  llvm::StringRef typeName() const override { return "HashStore"; }

private:
  using Lock = std::unique_lock<std::mutex>;

  llvm::Error change(llvm::function_ref<llvm::Error()> edit) {
    Lock lock(mutex_);
    llvm::Error error = edit();
    changed_.notify_all();
    return error;
  }

  bool hasAll(Keys keys) const {
    return llvm::all_of(keys, [&](const std::string &key) { return data_.has(key); });
  }

  llvm::Error await(Lock &lock, Milliseconds timeout, Keys keys, llvm::function_ref<bool()> holds) {
    auto until = Clock::now() + timeout;
    while (!holds())
      if (changed_.wait_until(lock, until) == std::cv_status::timeout && !holds())
        return storeError("store.timeout",
                          "Wait timeout after " + std::to_string(timeout.count()) + " ms, keys: " + keysText(keys),
                          "a process that sets these keys has not come, or is late");
    return llvm::Error::success();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  StoreData data_;
  Milliseconds timeout_ = defaultTimeout;
};

} // namespace

std::shared_ptr<Store> makeHashStore(StoreLimits limits) { return std::make_shared<HashStore>(limits); }

} // namespace ccgraph::runtime

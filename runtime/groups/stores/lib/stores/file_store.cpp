#include "stores/store_data.h"
#include "stores/store_error.h"

#include "llvm/Support/Endian.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds pollInterval{5};
const std::string usersKey = "refcount/", endedKey = "cleanup/";

/// The open file, under a lock.
class LockedFile {
public:
  LockedFile(int file, int mode) : file_(file), locked_(tryLock(mode)) {}
  ~LockedFile() {
    if (locked_)
      (void)::flock(file_, LOCK_UN);
  }
  LockedFile(const LockedFile &) = delete;
  LockedFile &operator=(const LockedFile &) = delete;
  [[nodiscard]] bool isLocked() const { return locked_; }

private:
  [[nodiscard]] bool tryLock(int mode) const {
    int result = 0;
    do
      result = ::flock(file_, mode);
    while (result != 0 && errno == EINTR);
    return result == 0;
  }
  int file_;
  bool locked_;
};

// The file is a log: each record is a key and a value, both a length of four bytes (little-endian) and so many bytes. A
// user's key has "/" before it. A record with the key "-" + key deletes that key; its value is empty. Every process
// replays the log from where it last stopped.
class FileStore final : public Store {
public:
  explicit FileStore(FileStoreSetup setup) : setup_(std::move(setup)), data_(setup_.limits) {}
  ~FileStore() override { leave(); }

  llvm::Error open() {
    file_ = ::open(setup_.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0)
      return failed("open", "give a file in a folder that exists, and that all processes can write to");
    return update([&] { return addWhole(usersKey, 1).takeError(); });
  }

  llvm::Error set(llvm::StringRef key, llvm::StringRef value) override {
    return update([&] { return setWhole(whole(key), value); });
  }

  llvm::Expected<std::string> get(llvm::StringRef key) override {
    std::string value;
    Milliseconds limit = timeout();
    llvm::Expected<bool> found = await(limit, [&] {
      const std::string *at = data_.find(whole(key));
      value = at ? *at : "";
      return at != nullptr;
    });
    if (!found)
      return found.takeError();
    if (*found)
      return value;
    return storeError("store.timeout",
                      "Timeout waiting for key: " + key.str() + " after " + std::to_string(limit.count()) + " ms",
                      "a process that sets this key has not come, or is late; the file is " + setup_.path);
  }

  llvm::Expected<int64_t> add(llvm::StringRef key, int64_t amount) override {
    llvm::Expected<int64_t> sum = 0;
    if (llvm::Error error = update([&] {
          llvm::consumeError(sum.takeError());
          sum = addWhole(whole(key), amount);
          return sum ? llvm::Error::success() : sum.takeError();
        }))
      return error;
    return sum;
  }

  llvm::Expected<std::string> compareSet(llvm::StringRef key, llvm::StringRef expected,
                                         llvm::StringRef desired) override {
    std::string result;
    if (llvm::Error error = update([&] { return compareAndSet(whole(key), expected, desired, result); }))
      return error;
    return result;
  }

  llvm::Expected<bool> check(Keys keys) override {
    return look([&] { return hasAll(keys); });
  }

  llvm::Error wait(Keys keys, Milliseconds timeout) override {
    llvm::Expected<bool> found = await(timeout, [&] { return hasAll(keys); });
    if (!found)
      return found.takeError();
    if (*found)
      return llvm::Error::success();
    return storeError("store.timeout",
                      "Wait timeout after " + std::to_string(timeout.count()) + " ms, keys: " + keysText(keys),
                      "a process that sets these keys has not come, or is late; the file is " + setup_.path);
  }

  llvm::Expected<bool> deleteKey(llvm::StringRef key) override {
    if (llvm::Error error = update([&] { return write("-" + whole(key), ""); }))
      return error;
    return true;
  }

  llvm::Expected<int64_t> numKeys() override {
    int64_t count = 0;
    llvm::Expected<bool> seen = look([&] { return (count = static_cast<int64_t>(data_.numKeys())) != 0; });
    return seen ? llvm::Expected<int64_t>(count) : seen.takeError();
  }

  llvm::Expected<std::vector<std::string>> listKeys() override {
    std::vector<std::string> keys;
    llvm::Expected<bool> seen = look([&] {
      for (llvm::StringRef key : data_.keys())
        if (key.consume_front("/"))
          keys.push_back(key.str());
      return true;
    });
    return seen ? llvm::Expected<std::vector<std::string>>(keys) : seen.takeError();
  }

  bool hasExtendedApi() const override { return false; }

  llvm::Error append(llvm::StringRef key, llvm::StringRef value) override {
    return update([&] {
      const std::string *old = data_.find(whole(key));
      return setWhole(whole(key), (old ? *old : "") + value.str());
    });
  }

  llvm::Error multiSet(Keys keys, llvm::ArrayRef<std::string> values) override {
    if (llvm::Error error = checkPairs(keys.size(), values.size()))
      return error;
    return update([&]() -> llvm::Error {
      for (size_t i = 0; i < keys.size(); ++i)
        if (llvm::Error error = setWhole(whole(keys[i]), values[i]))
          return error;
      return llvm::Error::success();
    });
  }

  llvm::Expected<std::vector<std::string>> multiGet(Keys keys) override {
    std::vector<std::string> values;
    for (const std::string &key : keys) {
      llvm::Expected<std::string> value = get(key);
      if (!value)
        return value.takeError();
      values.push_back(std::move(*value));
    }
    return values;
  }

  llvm::Error queuePush(llvm::StringRef, llvm::StringRef) override { return noQueues(); }
  llvm::Expected<std::string> queuePop(llvm::StringRef, Milliseconds) override { return noQueues(); }
  llvm::Expected<int64_t> queueLength(llvm::StringRef) override { return noQueues(); }

  Milliseconds timeout() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return timeout_;
  }
  void setTimeout(Milliseconds timeout) override {
    std::lock_guard<std::mutex> lock(mutex_);
    timeout_ = timeout;
  }
  llvm::StringRef typeName() const override { return "FileStore"; }

private:
  static std::string whole(llvm::StringRef key) { return "/" + key.str(); }
  static llvm::Error noQueues() {
    return storeError("store.unsupported", "queue support is not implemented on a FileStore",
                      "use a TCPStore or a HashStore for queues");
  }
  llvm::Error failed(llvm::StringRef doing, std::string repair = "") const {
    return storeError("store.file",
                      "cannot " + doing.str() + " the file of a FileStore, " + setup_.path + ": " +
                          std::strerror(errno),
                      std::move(repair));
  }
  bool hasAll(Keys keys) const {
    return llvm::all_of(keys, [&](const std::string &key) { return data_.find(whole(key)) != nullptr; });
  }

  // --- Under the locks of the object and of the file ------------------------------------------------------------
  llvm::Error update(llvm::function_ref<llvm::Error()> edit) {
    std::lock_guard<std::mutex> lock(mutex_);
    LockedFile locked(file_, LOCK_EX);
    if (!locked.isLocked())
      return failed("lock");
    if (llvm::Error error = replay())
      return error;
    return edit();
  }

  llvm::Expected<bool> look(llvm::function_ref<bool()> question) {
    std::lock_guard<std::mutex> lock(mutex_);
    LockedFile locked(file_, LOCK_SH);
    if (!locked.isLocked())
      return failed("lock");
    if (llvm::Error error = replay())
      return error;
    return question();
  }

  llvm::Expected<bool> await(Milliseconds timeout, llvm::function_ref<bool()> question) {
    auto until = Clock::now() + timeout;
    for (;;) {
      llvm::Expected<bool> holds = look(question);
      if (!holds || *holds)
        return holds;
      if (Clock::now() >= until)
        return false;
      std::this_thread::sleep_for(std::min<Clock::duration>(pollInterval, until - Clock::now()));
    }
  }

  llvm::Error replay() {
    struct stat status = {};
    if (::fstat(file_, &status) != 0)
      return failed("read");
    std::string bytes(static_cast<size_t>(std::max<int64_t>(status.st_size - offset_, 0)), '\0');
    for (size_t read = 0; read < bytes.size();) {
      ssize_t count = ::pread(file_, bytes.data() + read, bytes.size() - read, offset_ + static_cast<off_t>(read));
      if (count == 0 || (count < 0 && errno != EINTR))
        return failed("read");
      read += static_cast<size_t>(std::max<ssize_t>(count, 0));
    }
    llvm::StringRef rest = bytes;
    while (!rest.empty()) {
      llvm::StringRef before = rest;
      std::optional<llvm::StringRef> key = takeText(rest), value = key ? takeText(rest) : std::nullopt;
      if (!value)
        return storeError("store.file",
                          "the file " + setup_.path + " is no file of a FileStore, or damaged, at byte " +
                              std::to_string(offset_),
                          "remove it, and start all processes again");
      offset_ += static_cast<int64_t>(before.size() - rest.size());
      if (llvm::Error error = apply(*key, *value))
        return error;
    }
    return llvm::Error::success();
  }

  static std::optional<llvm::StringRef> takeText(llvm::StringRef &rest) {
    if (rest.size() < 4)
      return std::nullopt;
    uint32_t length = llvm::support::endian::read32le(rest.data());
    if (rest.size() - 4 < length)
      return std::nullopt;
    llvm::StringRef text = rest.substr(4, length);
    rest = rest.drop_front(4 + size_t{length});
    return text;
  }

  llvm::Error apply(llvm::StringRef key, llvm::StringRef value) {
    if (!key.consume_front("-"))
      return data_.set(key, value);
    data_.erase(key);
    return llvm::Error::success();
  }

  // A record is written at once. If the disk is full, the part of it that is there is removed again.
  llvm::Error write(const std::string &key, llvm::StringRef value) {
    std::string record;
    for (llvm::StringRef text : {llvm::StringRef(key), value}) {
      char length[4];
      llvm::support::endian::write32le(length, static_cast<uint32_t>(text.size()));
      record.append(length, sizeof(length));
      record += text;
    }
    ssize_t count = ::pwrite(file_, record.data(), record.size(), offset_);
    if (count != static_cast<ssize_t>(record.size())) {
      llvm::Error error = failed("write");
      (void)::ftruncate(file_, offset_);
      return error;
    }
    offset_ += count;
    return apply(key, value);
  }

  llvm::Error setWhole(const std::string &key, llvm::StringRef value) {
    // Checks the limits before anything is written.
    StoreData probe(setup_.limits);
    if (llvm::Error error = probe.set(key, value))
      return error;
    return write(key, value);
  }

  llvm::Expected<int64_t> addWhole(const std::string &key, int64_t amount) {
    const std::string *old = data_.find(key);
    llvm::Expected<int64_t> sum = addToText(key, old ? llvm::StringRef(*old) : "", amount);
    if (!sum)
      return sum;
    if (llvm::Error error = setWhole(key, std::to_string(*sum)))
      return error;
    return sum;
  }

  llvm::Error compareAndSet(const std::string &key, llvm::StringRef expected, llvm::StringRef desired,
                            std::string &result) {
    const std::string *old = data_.find(key);
    if (old ? llvm::StringRef(*old) == expected : expected.empty()) {
      result = desired.str();
      return setWhole(key, desired);
    }
    result = old ? *old : expected.str();
    return llvm::Error::success();
  }

  // The last user removes the file, if the number of users is known and all of them have ended.
  void leave() {
    if (file_ < 0)
      return;
    llvm::consumeError(update([&]() -> llvm::Error {
      llvm::Expected<int64_t> ended = addWhole(endedKey, 1);
      if (!ended)
        return ended.takeError();
      llvm::Expected<int64_t> users = addWhole(usersKey, -1);
      if (!users)
        return users.takeError();
      if (*users == 0 && setup_.users && *setup_.users > 0 && *ended >= *setup_.users)
        (void)::unlink(setup_.path.c_str());
      return llvm::Error::success();
    }));
    ::close(file_);
  }

  FileStoreSetup setup_;
  mutable std::mutex mutex_;
  int file_ = -1;
  int64_t offset_ = 0;
  StoreData data_;
  Milliseconds timeout_ = defaultTimeout;
};

} // namespace

llvm::Expected<std::shared_ptr<Store>> openFileStore(FileStoreSetup setup) {
  auto store = std::make_shared<FileStore>(std::move(setup));
  if (llvm::Error error = store->open())
    return error;
  return std::static_pointer_cast<Store>(store);
}

} // namespace ccgraph::runtime

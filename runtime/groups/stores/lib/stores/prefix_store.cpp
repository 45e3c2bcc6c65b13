#include "ccgraph/runtime/store.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

namespace ccgraph::runtime {
namespace {

class PrefixStore final : public Store {
public:
  PrefixStore(std::string prefix, std::shared_ptr<Store> store)
      : prefix_(std::move(prefix) + "/"), store_(std::move(store)) {
    assert(store_ && "a prefix store is a part of a store");
  }

  llvm::Error set(llvm::StringRef key, llvm::StringRef value) override { return store_->set(whole(key), value); }
  llvm::Expected<std::string> get(llvm::StringRef key) override { return store_->get(whole(key)); }
  llvm::Expected<int64_t> add(llvm::StringRef key, int64_t amount) override { return store_->add(whole(key), amount); }
  llvm::Expected<std::string> compareSet(llvm::StringRef key, llvm::StringRef expected,
                                         llvm::StringRef desired) override {
    return store_->compareSet(whole(key), expected, desired);
  }
  llvm::Expected<bool> check(Keys keys) override { return store_->check(wholeKeys(keys)); }
  llvm::Error wait(Keys keys, Milliseconds timeout) override { return store_->wait(wholeKeys(keys), timeout); }
  llvm::Expected<bool> deleteKey(llvm::StringRef key) override { return store_->deleteKey(whole(key)); }
  llvm::Expected<int64_t> numKeys() override { return store_->numKeys(); }

  llvm::Expected<std::vector<std::string>> listKeys() override {
    llvm::Expected<std::vector<std::string>> all = store_->listKeys();
    if (!all)
      return all;
    std::vector<std::string> own;
    for (llvm::StringRef key : *all)
      if (key.consume_front(prefix_))
        own.push_back(key.str());
    return own;
  }

  bool hasExtendedApi() const override { return store_->hasExtendedApi(); }
  llvm::Error append(llvm::StringRef key, llvm::StringRef value) override { return store_->append(whole(key), value); }
  llvm::Error multiSet(Keys keys, llvm::ArrayRef<std::string> values) override {
    return store_->multiSet(wholeKeys(keys), values);
  }
  llvm::Expected<std::vector<std::string>> multiGet(Keys keys) override { return store_->multiGet(wholeKeys(keys)); }
  llvm::Error queuePush(llvm::StringRef queue, llvm::StringRef value) override {
    return store_->queuePush(whole(queue), value);
  }
  llvm::Expected<std::string> queuePop(llvm::StringRef queue, Milliseconds timeout) override {
    return store_->queuePop(whole(queue), timeout);
  }
  llvm::Expected<int64_t> queueLength(llvm::StringRef queue) override { return store_->queueLength(whole(queue)); }
  Milliseconds timeout() const override { return store_->timeout(); }
  void setTimeout(Milliseconds timeout) override { store_->setTimeout(timeout); }
  llvm::StringRef typeName() const override { return "PrefixStore"; }

private:
  std::string whole(llvm::StringRef key) const { return prefix_ + key.str(); }
  std::vector<std::string> wholeKeys(Keys keys) const {
    std::vector<std::string> all;
    for (const std::string &key : keys)
      all.push_back(whole(key));
    return all;
  }

  std::string prefix_;
  std::shared_ptr<Store> store_;
};

} // namespace

std::shared_ptr<Store> makePrefixStore(std::string prefix, std::shared_ptr<Store> store) {
  return std::make_shared<PrefixStore>(std::move(prefix), std::move(store));
}

} // namespace ccgraph::runtime

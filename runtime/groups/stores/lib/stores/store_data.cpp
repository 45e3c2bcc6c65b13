#include "stores/store_data.h"

#include "stores/store_error.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace ccgraph::runtime {
namespace {

/// Bytes that a key needs beside its own and its value's.
constexpr int64_t entryBytes = 64;

int64_t sizeOf(llvm::StringRef text) { return static_cast<int64_t>(text.size()); }

} // namespace

llvm::Expected<int64_t> addToText(llvm::StringRef key, llvm::StringRef text, int64_t amount) {
  if (text.empty())
    return amount;
  std::string whole = text.str();
  char *end = nullptr;
  errno = 0;
  long long number = std::strtoll(whole.c_str(), &end, 10);
  if (end == whole.c_str() || errno == ERANGE)
    return storeError("store.value",
                      "stoll: add to key " + key.str() + ", whose value '" + whole.substr(0, 40) + "' " +
                          (errno == ERANGE ? "is no number of 64 bits" : "does not begin with a number"),
                      "add() counts keys that only add() or the text of a number has set");
  return static_cast<int64_t>(static_cast<uint64_t>(number) + static_cast<uint64_t>(amount));
}

llvm::Error StoreData::reserve(const Change &change) {
  auto tooLarge = [&](llvm::StringRef what, int64_t got, int64_t most) {
    return storeError("store.value",
                      ("the " + what + " of " + llvm::Twine(got) + " bytes at key " + change.key.take_front(40) +
                       " is too large, expected at most " + llvm::Twine(most))
                          .str(),
                      "delete keys that are no longer needed, or give the store larger limits");
  };
  if (sizeOf(change.key) > limits_.keyBytes)
    return tooLarge("key", sizeOf(change.key), limits_.keyBytes);
  auto after = static_cast<int64_t>(change.after), before = static_cast<int64_t>(change.before);
  if (after > limits_.valueBytes)
    return tooLarge("value", after, limits_.valueBytes);
  int64_t total = bytes_ + after - before + (change.isNew ? sizeOf(change.key) + entryBytes : 0);
  if (total > limits_.totalBytes && total > bytes_)
    return tooLarge("store", total, limits_.totalBytes);
  bytes_ = total;
  return llvm::Error::success();
}

const std::string *StoreData::find(llvm::StringRef key) const {
  auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

bool StoreData::has(llvm::StringRef key) const { return values_.count(key) != 0 || queues_.count(key) != 0; }

llvm::Error StoreData::set(llvm::StringRef key, llvm::StringRef value) {
  const std::string *old = find(key);
  if (llvm::Error error = reserve({key, old ? old->size() : 0, value.size(), old == nullptr}))
    return error;
  values_[key] = value.str();
  return llvm::Error::success();
}

llvm::Expected<int64_t> StoreData::add(llvm::StringRef key, int64_t amount) {
  const std::string *old = find(key);
  llvm::Expected<int64_t> sum = addToText(key, old ? llvm::StringRef(*old) : "", amount);
  if (!sum)
    return sum;
  if (llvm::Error error = set(key, std::to_string(*sum)))
    return error;
  return sum;
}

llvm::Expected<std::string> StoreData::compareSet(llvm::StringRef key, llvm::StringRef expected,
                                                  llvm::StringRef desired) {
  const std::string *old = find(key);
  bool sets = old ? llvm::StringRef(*old) == expected : expected.empty();
  if (!sets)
    return old ? *old : expected.str();
  if (llvm::Error error = set(key, desired))
    return error;
  return desired.str();
}

llvm::Error StoreData::append(llvm::StringRef key, llvm::StringRef value) {
  const std::string *old = find(key);
  size_t before = old ? old->size() : 0;
  if (llvm::Error error = reserve({key, before, before + value.size(), old == nullptr}))
    return error;
  values_[key] += value;
  return llvm::Error::success();
}

bool StoreData::erase(llvm::StringRef key) {
  auto found = values_.find(key);
  if (found == values_.end())
    return false;
  bytes_ -= sizeOf(key) + sizeOf(found->second) + entryBytes;
  values_.erase(found);
  return true;
}

std::vector<std::string> StoreData::keys() const {
  std::vector<std::string> keys;
  for (const auto &entry : values_)
    keys.push_back(entry.getKey().str());
  std::sort(keys.begin(), keys.end());
  return keys;
}

llvm::Error StoreData::push(llvm::StringRef queue, llvm::StringRef value) {
  // Every item counts as an entry, so many empty items are limited too.
  if (llvm::Error error = reserve({queue, 0, value.size(), true}))
    return error;
  queues_[queue].push_back(value.str());
  return llvm::Error::success();
}

std::optional<std::string> StoreData::pop(llvm::StringRef queue) {
  auto found = queues_.find(queue);
  if (found == queues_.end())
    return std::nullopt;
  std::string value = std::move(found->second.front());
  found->second.pop_front();
  bytes_ -= sizeOf(queue) + sizeOf(value) + entryBytes;
  if (found->second.empty())
    queues_.erase(found);
  return value;
}

size_t StoreData::length(llvm::StringRef queue) const {
  auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : found->second.size();
}

} // namespace ccgraph::runtime

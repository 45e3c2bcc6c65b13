#include "stores/store_error.h"

namespace ccgraph::runtime {

llvm::Error storeError(llvm::StringRef rule, std::string message, std::string repair) {
  return makeError(diagnose(rule, std::move(message), std::move(repair)));
}

std::string ruleOf(const llvm::Error &error) {
  // isA() needs no access to the error, but its contents do, and only handlers have it.
  std::string rule;
  llvm::Error &held = const_cast<llvm::Error &>(error); // NOLINT(cppcoreguidelines-pro-type-const-cast)
  held = llvm::handleErrors(std::move(held), [&](std::unique_ptr<DiagnosticError> found) {
    if (!found->diagnostics().empty())
      rule = found->diagnostics().front().rule;
    return llvm::Error(std::move(found));
  });
  return rule;
}

std::string messageOf(llvm::Error error) {
  std::string message;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &found) {
        if (!found.diagnostics().empty())
          message = found.diagnostics().front().message;
      },
      [&](const llvm::ErrorInfoBase &other) { message = other.message(); });
  return message;
}

llvm::Error checkPairs(size_t keys, size_t values) {
  if (keys == values)
    return llvm::Error::success();
  return storeError("store.value", "multi_set: got " + std::to_string(keys) + " keys and " + std::to_string(values) +
                                       " values, expected as many");
}

llvm::Error emptyQueue(llvm::StringRef queue) {
  return storeError("store.timeout", "queue is empty: " + queue.str(),
                    "no process has pushed an item, or all are taken");
}

std::string keysText(llvm::ArrayRef<std::string> keys, llvm::StringRef before) {
  constexpr size_t most = 10;
  std::string text;
  for (const std::string &key : keys.take_front(most))
    text += (text.empty() ? "" : ", ") + before.str() + key;
  if (keys.size() > most)
    text += " and " + std::to_string(keys.size() - most) + " more";
  return text;
}

} // namespace ccgraph::runtime

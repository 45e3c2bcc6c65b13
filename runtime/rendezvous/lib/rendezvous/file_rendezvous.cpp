#include "rendezvous/file_rendezvous.h"

#include "rendezvous/rendezvous_error.h"
#include "stores/store_error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <random>
#include <thread>

namespace ccgraph::runtime {
namespace {

constexpr const char *storeName = "rendezvous";

std::string drawNumber() {
  std::random_device device;
  std::string number;
  for (int part = 0; part < 2; ++part)
    number += llvm::utohexstr(device(), true);
  return number;
}

/// Looks now and then. False where the deadline passes first.
bool awaitThat(std::chrono::milliseconds deadline, llvm::function_ref<bool()> holds) {
  auto until = std::chrono::steady_clock::now() + deadline;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

} // namespace

llvm::Expected<std::unique_ptr<FileRendezvous>> FileRendezvous::join(const Setup &setup) {
  std::unique_ptr<FileRendezvous> folder(new FileRendezvous(setup));
  if (setup.ranks != 1)
    if (llvm::Error error = folder->open())
      return error;
  folder->rounds_.emplace(StoreRounds::Setup{.store = folder->store_,
                                             .rank = setup.rank,
                                             .ranks = setup.ranks,
                                             .deadline = setup.deadline,
                                             .prefix = folder->job_ + "/",
                                             .place = setup.path});
  return folder;
}

// The others have read all that they need when rank 0 ends (StoreRounds).
FileRendezvous::~FileRendezvous() {
  std::error_code ignored;
  if (store_ && setup_.rank == 0)
    std::filesystem::remove(fileOf(storeName), ignored);
}

llvm::Error FileRendezvous::open() {
  own_ = drawNumber();
  llvm::Expected<std::shared_ptr<Store>> store = openFileStore(
      {.path = fileOf(storeName), .limits = {.valueBytes = mostValueBytes, .totalBytes = mostStoreBytes}});
  if (!store) {
    llvm::consumeError(store.takeError());
    return rendezvousError("rank " + std::to_string(setup_.rank) + ": cannot write " + fileOf(storeName),
                           "give a folder that exists, and that the processes of all ranks can write to");
  }
  store_ = std::move(*store);
  store_->setTimeout(setup_.deadline);
  return setup_.rank == 0 ? acceptOthers() : awaitAcceptance();
}

std::optional<std::string> FileRendezvous::valueOf(const std::string &key) {
  llvm::Expected<bool> isSet = store_->check({key});
  llvm::Expected<std::string> value = isSet && *isSet ? store_->get(key) : llvm::Expected<std::string>("");
  bool isKnown = isSet && *isSet && value;
  llvm::consumeError(isSet.takeError());
  if (isKnown)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

// Until all processes have found their numbers, a process may replace the number that an earlier process left there,
// and is then accepted again.
llvm::Error FileRendezvous::acceptOthers() {
  job_ = own_;
  std::string accepted;
  std::vector<int64_t> missing;
  llvm::Error failed = llvm::Error::success();
  bool complete = awaitThat(setup_.deadline, [&] {
    std::string numbers = job_ + "\n";
    missing.clear();
    for (size_t rank = 1; rank < setup_.ranks; ++rank) {
      numbers += valueOf("hello/" + std::to_string(rank)).value_or("") + "\n";
      if (valueOf("here/" + std::to_string(rank)) != job_)
        missing.push_back(static_cast<int64_t>(rank));
    }
    if (numbers != accepted && !failed)
      failed = store_->set("accepted", numbers);
    accepted = numbers;
    return missing.empty() || static_cast<bool>(failed);
  });
  if (failed)
    return rendezvousError("rank 0: " + messageOf(std::move(failed)));
  if (complete)
    return llvm::Error::success();
  return rendezvousError(haveText(missing) + " not reached " + setup_.path + " within " +
                             std::to_string(setup_.deadline.count()) + " ms",
                         "start a process for each rank, all with this folder");
}

llvm::Error FileRendezvous::awaitAcceptance() {
  std::string name = std::to_string(setup_.rank);
  if (llvm::Error error = store_->set("hello/" + name, own_))
    return rendezvousError("rank " + name + ": " + messageOf(std::move(error)));
  bool stale = false;
  bool isAccepted = awaitThat(setup_.deadline, [&] {
    std::optional<std::string> accepted = valueOf("accepted");
    stale = accepted.has_value();
    std::string text = accepted.value_or("");
    llvm::SmallVector<llvm::StringRef, 8> lines;
    llvm::StringRef(text).split(lines, '\n');
    if (lines.size() <= setup_.rank || lines[setup_.rank] != own_)
      return false;
    job_ = lines.front().str();
    return true;
  });
  if (isAccepted)
    return store_->set("here/" + name, job_);
  return rendezvousError("rank " + name + ": rank 0 has not reached " + setup_.path + " within " +
                             std::to_string(setup_.deadline.count()) + " ms" +
                             (stale ? ", and what lies there was left by another job" : ""),
                         "start a process for each rank, all with this folder");
}

llvm::Expected<std::vector<std::string>> FileRendezvous::gather(const std::string &own) { return rounds_->gather(own); }

} // namespace ccgraph::runtime

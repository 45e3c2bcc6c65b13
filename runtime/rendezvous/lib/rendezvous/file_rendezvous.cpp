#include "rendezvous/file_rendezvous.h"

#include "ccgraph/ir/text.h"

#include "rendezvous/rendezvous_error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

namespace ccgraph::runtime {
namespace {

std::string drawNumber() {
  std::random_device device;
  std::string number;
  for (int part = 0; part < 2; ++part)
    number += llvm::utohexstr(device(), true);
  return number;
}

std::optional<std::string> readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
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

/// "rank 1 has", "ranks 1 and 2 have".
std::string haveText(const std::vector<int64_t> &ranks) {
  return ranksText(ranks) + (ranks.size() == 1 ? " has" : " have");
}

} // namespace

llvm::Error FileRendezvous::write(const std::string &name, const std::string &text) const {
  std::string fresh = fileOf(name + ".new." + own_);
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  std::error_code failed;
  if (file)
    std::filesystem::rename(fresh, fileOf(name), failed);
  if (file && !failed)
    return llvm::Error::success();
  return rendezvousError("rank " + std::to_string(setup_.rank) + ": cannot write " + fileOf(name),
                         "give a folder that exists, and that the processes of all ranks can write to");
}

llvm::Expected<FileRendezvous> FileRendezvous::join(const Setup &setup) {
  FileRendezvous folder(setup);
  folder.own_ = drawNumber();
  if (setup.ranks == 1)
    return folder;
  if (llvm::Error error = setup.rank == 0 ? folder.acceptOthers() : folder.awaitAcceptance())
    return error;
  return folder;
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
      numbers += readWhole(fileOf("hello." + std::to_string(rank))).value_or("") + "\n";
      if (readWhole(fileOf("here." + std::to_string(rank))) != job_)
        missing.push_back(static_cast<int64_t>(rank));
    }
    if (numbers != accepted && !failed)
      failed = write("accepted", numbers);
    accepted = numbers;
    return missing.empty() || static_cast<bool>(failed);
  });
  if (failed || complete)
    return failed;
  return rendezvousError(haveText(missing) + " not reached " + setup_.path + " within " +
                             std::to_string(setup_.deadline.count()) + " ms",
                         "start a process for each rank, all with this folder");
}

llvm::Error FileRendezvous::awaitAcceptance() {
  std::string name = std::to_string(setup_.rank);
  if (llvm::Error error = write("hello." + name, own_))
    return error;
  bool stale = false;
  bool isAccepted = awaitThat(setup_.deadline, [&] {
    std::optional<std::string> accepted = readWhole(fileOf("accepted"));
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
    return write("here." + name, job_);
  return rendezvousError("rank " + name + ": rank 0 has not reached " + setup_.path + " within " +
                             std::to_string(setup_.deadline.count()) + " ms" +
                             (stale ? ", and what lies there was left by another job" : ""),
                         "start a process for each rank, all with this folder");
}

llvm::Expected<std::vector<std::string>> FileRendezvous::gather(const std::string &own) {
  if (setup_.ranks == 1)
    return std::vector<std::string>{own};
  auto fileIn = [&](size_t round, size_t rank) {
    return "job." + job_ + "." + std::to_string(round) + "." + std::to_string(rank);
  };
  if (llvm::Error error = write(fileIn(gathered_, setup_.rank), own))
    return error;
  std::vector<std::string> texts(setup_.ranks);
  std::vector<int64_t> missing;
  bool complete = awaitThat(setup_.deadline, [&] {
    missing.clear();
    for (size_t rank = 0; rank < setup_.ranks; ++rank) {
      std::optional<std::string> text = readWhole(fileOf(fileIn(gathered_, rank)));
      texts[rank] = text.value_or("");
      if (!text)
        missing.push_back(static_cast<int64_t>(rank));
    }
    return missing.empty();
  });
  if (!complete)
    return rendezvousError("rank " + std::to_string(setup_.rank) + ": " + haveText(missing) + " left nothing in " +
                           setup_.path + " within " + std::to_string(setup_.deadline.count()) + " ms");
  // Because who has come to this round has read what was left in the one before.
  std::error_code ignored;
  if (gathered_ > 0)
    std::filesystem::remove(fileOf(fileIn(gathered_ - 1, setup_.rank)), ignored);
  ++gathered_;
  return texts;
}

} // namespace ccgraph::runtime

// docs/gpu-errors.md is what is said where the nccl engine does not start. CCGRAPH_UPDATE_DOCS=1 writes it instead of
// comparing.
#include "nccl/device_check.h"
#include "rendezvous/file_rendezvous.h"
#include "rendezvous/tcp_rendezvous.h"
#include "stores/sockets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace ccgraph::test {
namespace {

using namespace runtime;
using namespace std::chrono_literals;

/// Returns the message for a valid machine after a case's change.
template <typename Change>
std::string onMachine(Change change, DeviceChoice choice = {}) {
  GpuPlace place{.driver = 13000, .toolkit = 13000, .devices = 2, .why = "", .library = 22809, .builtFor = 22809};
  change(place);
  return llvm::toString(checkDevices(place, choice));
}

/// A folder of the test, whose name is the one in the document.
class Folder {
public:
  Folder() { std::filesystem::create_directory(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  void leave(const std::string &key) const {
    llvm::cantFail(llvm::cantFail(runtime::openFileStore({.path = path_ + "/rendezvous"}))->set(key, "1f\n1e\n"));
  }
  [[nodiscard]] std::string errorOf(size_t rank, const std::string &below = "") const {
    auto joined = FileRendezvous::join({path_ + below, rank, 2, 50ms});
    std::string text = joined ? "" : llvm::toString(joined.takeError());
    return std::regex_replace(text, std::regex(path_), "/shared/job");
  }

private:
  std::string path_ = testing::TempDir() + "ccgraph-errors-" + std::to_string(getpid());
};

std::string absentRank() { return Folder().errorOf(0); }
std::string noFolder() { return Folder().errorOf(1, "/absent"); }
std::string staleFolder() {
  Folder folder;
  for (const char *name : {"hello/1", "here/1", "accepted"})
    folder.leave(name);
  return folder.errorOf(1);
}
/// No user process listens on port 1.
std::string nobodyThere() {
  auto joined = TcpRendezvous::join({"localhost", 1, "a", "", 1, 2, 50ms});
  return joined ? "" : llvm::toString(joined.takeError());
}

/// conformance.no_device gets this message if the engine was not built, and searches for it in the document.
constexpr const char *noModule =
    "error: engine nccl cannot start: libccgraph_nccl.so: cannot open shared object file: No such file or directory\n"
    "  note: install the CUDA toolkit and NCCL, configure with -DCCGRAPH_NCCL=ON and build again; --engine "
    "nccl-recorded "
    "shows its calls without them\n";

std::string takenPort() {
  uint16_t port = 29600;
  llvm::Expected<int> listener = listenOn("localhost", port);
  // Another process may already listen on the port, which serves the test too.
  if (!listener)
    llvm::consumeError(listener.takeError());
  auto joined = TcpRendezvous::join({"localhost", port, "a", "", 0, 2, 50ms});
  std::string text = joined ? "" : llvm::toString(joined.takeError());
  if (listener)
    close(*listener);
  return text;
}

struct Case {
  const char *when;
  std::string text;
};

std::vector<Case> allCases() {
  return {
      {"There is no module", noModule},
      {"There is no driver", onMachine([](GpuPlace &place) { place.driver = 0; })},
      {"The driver is older than the toolkit", onMachine([](GpuPlace &place) { place.driver = 12040; })},
      {"There is no device", onMachine([](GpuPlace &place) {
         place.devices = 0;
         place.why = "cudaErrorNoDevice, no CUDA-capable device is detected";
       })},
      {"There are fewer devices than ranks on the host", onMachine([](GpuPlace &) {}, {2, false})},
      {"NCCL is older than what is used of it", onMachine([](GpuPlace &place) { place.library = 21805; })},
      {"Ranks have unlike versions of NCCL", llvm::toString(checkVersions({22809, 22703}))},
      {"A rank does not come", absentRank()},
      {"The folder holds what another job has left", staleFolder()},
      {"The folder cannot be written to", noFolder()},
      {"Nobody listens at the address", nobodyThere()},
      {"The port is in use", takenPort()},
  };
}

std::string pageOf(llvm::ArrayRef<Case> cases) {
  std::ostringstream page;
  page << "# Why does the nccl engine not start?\n\n"
          "Exit code 1, and one of these texts, with examples of versions, folders and ranks. A test makes each of "
          "them\n"
          "(`GpuErrors`, and `conformance.no_device` on a machine without a device), and holds this page to them.\n";
  for (const Case &one : cases)
    page << "\n## " << one.when << "\n\n```text\n"
         << one.text << (llvm::StringRef(one.text).endswith("\n") ? "" : "\n") << "```\n";
  return page.str();
}

TEST(GpuErrors, ThePageHasTheirWholeTexts) {
  const char *path = CCGRAPH_SOURCE_DIR "/docs/gpu-errors.md";
  if (std::getenv("CCGRAPH_UPDATE_DOCS")) {
    std::ofstream(path) << pageOf(allCases());
    return;
  }
  std::ifstream file(path);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), pageOf(allCases())) << "CCGRAPH_UPDATE_DOCS=1 writes docs/gpu-errors.md again";
}

} // namespace
} // namespace ccgraph::test

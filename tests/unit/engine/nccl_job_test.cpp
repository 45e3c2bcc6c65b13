// What the nccl engine needs before there is a device: where processes meet, and what it says of machines that cannot
// run it.
#include "nccl/device_check.h"
#include "rendezvous/file_rendezvous.h"
#include "rendezvous/tcp_rendezvous.h"
#include "stores/sockets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ccgraph::test {
namespace {

using namespace runtime;
using namespace std::chrono_literals;

/// Returns a valid machine.
GpuPlace goodPlace() {
  return {.driver = 13000, .toolkit = 13000, .devices = 2, .why = "", .library = 22809, .builtFor = 22809};
}

std::string errorAt(const GpuPlace &place, DeviceChoice choice = {}) {
  return llvm::toString(checkDevices(place, choice));
}

TEST(DeviceCheck, AMachineThatHasAllIsFine) {
  EXPECT_EQ(errorAt(goodPlace(), {1, false}), "");
  GpuPlace newer = goodPlace();
  newer.driver = 13020;
  newer.toolkit = 13010;
  EXPECT_EQ(errorAt(newer), "");
  newer.toolkit = 13030;
  EXPECT_EQ(errorAt(newer), "") << "drivers run what any toolkit of their major version makes";
}

TEST(DeviceCheck, SaysThatThereIsNoDriver) {
  GpuPlace place = goodPlace();
  place.driver = 0;
  EXPECT_EQ(errorAt(place),
            "error: engine nccl cannot start: there is no driver of NVIDIA's on this machine [run.nccl]\n"
            "  note: install one (Debian: apt-get install nvidia-driver; Ubuntu: ubuntu-drivers install), or start the "
            "container with --gpus all; nvidia-smi then lists the devices. --engine nccl-recorded needs none\n");
}

TEST(DeviceCheck, SaysThatTheDriverIsTooOld) {
  GpuPlace place = goodPlace();
  place.driver = 12040;
  EXPECT_EQ(errorAt(place),
            "error: engine nccl cannot start: the driver runs CUDA up to 12.4, and this build is of CUDA "
            "13.0 [run.nccl]\n  note: update the driver, or build with a CUDA toolkit of 12\n");
}

TEST(DeviceCheck, SaysThatThereIsNoDevice) {
  GpuPlace place = goodPlace();
  place.devices = 0;
  place.why = "cudaErrorNoDevice, no CUDA-capable device is detected";
  EXPECT_EQ(errorAt(place), "error: engine nccl cannot start: there is no device: CUDA reports cudaErrorNoDevice, no "
                            "CUDA-capable device is detected [run.nccl]\n"
                            "  note: nvidia-smi lists what the machine has; CUDA_VISIBLE_DEVICES may hide it\n");
}

TEST(DeviceCheck, SaysThatThereAreTooFewDevicesAndWhatSharingCosts) {
  EXPECT_EQ(
      errorAt(goodPlace(), {2, false}),
      "error: engine nccl cannot start: rank 2 of this host has no device of its own: there are 2 devices "
      "[run.nccl]\n  note: start at most as many ranks on a host as it has devices; or let ranks share one: start "
      "each with a text of its own in NCCL_HOSTID, which makes NCCL take it for a host of its own. Bytes then go "
      "over sockets, and kernels take turns: for tests, and not for speed\n");
  EXPECT_EQ(errorAt(goodPlace(), {2, true}), "");
}

TEST(DeviceCheck, SaysThatTheLibraryIsTooOld) {
  GpuPlace place = goodPlace();
  place.library = 21805;
  EXPECT_EQ(errorAt(place),
            "error: engine nccl cannot start: NCCL 2.18.5 is loaded, expected 2.19.0 or newer; this build "
            "is of 2.28.9 [run.nccl]\n  note: install a newer libnccl2, or let LD_LIBRARY_PATH name the "
            "folder of one\n");
}

TEST(DeviceCheck, SaysThatVersionsDiffer) {
  EXPECT_EQ(llvm::toString(checkVersions({22809, 22809})), "");
  EXPECT_EQ(
      llvm::toString(checkVersions({22809, 22809, 22703})),
      "error: engine nccl cannot start: ranks 0 and 2 have unlike versions of NCCL: 2.28.9 and 2.27.3 [run.nccl]\n"
      "  note: install the same libnccl2 on all hosts\n");
}

// --- Where processes meet -------------------------------------------------------------------------------------

struct JobFolderTest : testing::Test {
  JobFolderTest() { std::filesystem::create_directory(path); }
  ~JobFolderTest() override { std::filesystem::remove_all(path); }
  JobFolderTest(const JobFolderTest &) = delete;
  JobFolderTest &operator=(const JobFolderTest &) = delete;

  [[nodiscard]] FileRendezvous::Setup setup(size_t rank, size_t ranks, std::chrono::milliseconds deadline = 20s) const {
    return {path, rank, ranks, deadline};
  }
  [[nodiscard]] std::string joinError(size_t rank, size_t ranks) const {
    auto folder = FileRendezvous::join(setup(rank, ranks, 50ms));
    return folder ? "" : llvm::toString(folder.takeError());
  }
  /// What a job leaves whose processes were killed.
  void leaveStore() const {
    auto store = llvm::cantFail(openFileStore({.path = path + "/rendezvous"}));
    for (const char *key : {"hello/1", "here/1", "accepted"})
      llvm::cantFail(store->set(key, "1f\n1e\n"));
  }
  /// Runs all ranks at the same time, each on a thread; they meet twice.
  void meet(size_t ranks) const {
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([this, rank, ranks] {
        auto folder = llvm::cantFail(FileRendezvous::join(setup(rank, ranks)));
        for (int round = 0; round < 3; ++round) {
          auto of = [&](size_t who) { return std::to_string(who) + " in " + std::to_string(round); };
          std::vector<std::string> texts = llvm::cantFail(folder->gather(of(rank)));
          for (size_t other = 0; other < ranks; ++other)
            EXPECT_EQ(texts[other], of(other));
        }
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  std::string path = testing::TempDir() + "ccgraph-job-" +
                     std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
                     testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(JobFolderTest, AllRanksGetWhatEachGives) {
  for (size_t ranks : {1, 2, 5})
    meet(ranks);
}

TEST_F(JobFolderTest, WhatAnotherJobHasLeftIsNotTakenForThisOne) {
  leaveStore();
  meet(2);
  leaveStore();
  EXPECT_EQ(joinError(1, 2), "error: rank 1: rank 0 has not reached " + path +
                                 " within 50 ms, and what lies there was left by another job [run.nccl]\n"
                                 "  note: start a process for each rank, all with this folder\n");
}

TEST_F(JobFolderTest, SaysWhoDoesNotCome) {
  EXPECT_EQ(joinError(0, 3),
            "error: ranks 1 and 2 have not reached " + path +
                " within 50 ms [run.nccl]\n  note: start a process for each rank, all with this folder\n");
  std::filesystem::remove(path + "/rendezvous");
  EXPECT_EQ(joinError(1, 3),
            "error: rank 1: rank 0 has not reached " + path +
                " within 50 ms [run.nccl]\n  note: start a process for each rank, all with this folder\n");
}

TEST_F(JobFolderTest, AFolderThatIsNotThereIsSaid) {
  std::filesystem::remove_all(path);
  EXPECT_EQ(joinError(1, 2), "error: rank 1: cannot write " + path +
                                 "/rendezvous [run.nccl]\n  note: give a folder that "
                                 "exists, and that the processes of all ranks can "
                                 "write to\n");
}

// --- Where they meet without a folder -------------------------------------------------------------------------

bool listens(const std::string &host, uint16_t port) {
  std::optional<int> made = llvm::cantFail(connectSocket(host, port, SocketClock::now() + 1s));
  if (made)
    close(*made);
  return made.has_value();
}

/// Returns a port without a listener.
uint16_t freePort() {
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(probe, reinterpret_cast<sockaddr *>(&address), size), 0);
  EXPECT_EQ(getsockname(probe, reinterpret_cast<sockaddr *>(&address), &size), 0);
  close(probe);
  return ntohs(address.sin_port);
}

struct JobPortTest : testing::Test {
  uint16_t port = freePort();

  [[nodiscard]] TcpRendezvous::Setup setup(size_t rank, size_t ranks, std::chrono::milliseconds deadline = 20s) const {
    return {"localhost", port, "a", "", rank, ranks, deadline};
  }
  [[nodiscard]] static std::string errorOf(const TcpRendezvous::Setup &setup) {
    auto joined = TcpRendezvous::join(setup);
    return joined ? "" : llvm::toString(joined.takeError());
  }
  /// Three rounds; the first text that is not as it should be.
  [[nodiscard]] static std::string meetAs(const TcpRendezvous::Setup &setup) {
    auto joined = TcpRendezvous::join(setup);
    if (!joined)
      return llvm::toString(joined.takeError());
    for (int round = 0; round < 3; ++round) {
      // The texts are larger than a socket's buffer, and empty.
      auto of = [&](size_t who) {
        return std::string(who == 1 ? 3'000'000 : round * who, static_cast<char>('a' + round));
      };
      llvm::Expected<std::vector<std::string>> texts = (*joined)->gather(of(setup.rank));
      if (!texts)
        return llvm::toString(texts.takeError());
      for (size_t other = 0; other < setup.ranks; ++other)
        if ((*texts)[other] != of(other))
          return "got another text of rank " + std::to_string(other);
    }
    return "";
  }
};

TEST_F(JobPortTest, AllRanksGetWhatEachGives) {
  for (size_t ranks : {1, 2, 5}) {
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { EXPECT_EQ(meetAs(setup(rank, ranks)), ""); });
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST_F(JobPortTest, ProcessesMeetWhoeverComesFirst) {
  std::vector<pid_t> children;
  for (size_t rank : {2, 1, 0}) {
    pid_t child = fork();
    if (child == 0) {
      std::this_thread::sleep_for(rank * 10ms);
      _exit(meetAs(setup(rank, 3)).empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(JobPortTest, SaysWhoDoesNotCome) {
  EXPECT_EQ(
      errorOf(setup(0, 3, 50ms)),
      "error: rank 0: ranks 1 and 2 have not reached localhost:" + std::to_string(port) +
          " within 50 ms [run.nccl]\n"
          "  note: start a process for each rank, all with this host's address; a firewall may block the connection\n");
  EXPECT_EQ(errorOf(setup(1, 3, 50ms)),
            "error: rank 1: rank 0 has not reached localhost:" + std::to_string(port) +
                " within 50 ms [run.nccl]\n  note: start a process for each rank, all with the address of rank 0's "
                "host, and each job with a port of its own (--job-address HOST:PORT)\n");
}

TEST_F(JobPortTest, AnotherJobIsToldAndDoesNotDisturb) {
  std::thread first([&] { EXPECT_EQ(meetAs(setup(0, 2)), ""); });
  TcpRendezvous::Setup other = setup(1, 2);
  other.job = "b";
  EXPECT_TRUE(llvm::StringRef(errorOf(other))
                  .startswith("error: rank 1: is rejected at localhost:" + std::to_string(port) +
                              ": there listens job 'a', and this process is of job 'b'"));
  EXPECT_TRUE(
      llvm::StringRef(errorOf(setup(2, 3))).contains("there listens a job of 2 ranks, and this is rank 2 of 3"));
  EXPECT_EQ(meetAs(setup(1, 2)), "");
  first.join();
}

TEST_F(JobPortTest, APortThatAnotherJobHasIsSaid) {
  std::thread first([&] { EXPECT_EQ(meetAs(setup(0, 2)), ""); });
  // The rendezvous listens only while it runs.
  while (!listens("localhost", port))
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(errorOf(setup(0, 2)), "error: rank 0: cannot listen on localhost:" + std::to_string(port) +
                                      ": Address already in use [run.nccl]\n  note: "
                                      "give an address of the host of rank 0, and each "
                                      "job of a host a port of its own (--job-address HOST:PORT)\n");
  EXPECT_EQ(meetAs(setup(1, 2)), "");
  first.join();
}

TEST_F(JobPortTest, WhoDoesNotKnowTheTokenIsTurnedAway) {
  auto withToken = [&](size_t rank, std::string token) {
    TcpRendezvous::Setup made = setup(rank, 2);
    made.token = std::move(token);
    return made;
  };
  std::thread first([&] { EXPECT_EQ(meetAs(withToken(0, "secret\n1")), ""); });
  for (const char *wrong : {"", "secret", "secret\n2"}) {
    std::string error = errorOf(withToken(1, wrong));
    EXPECT_NE(error.find("a job with another token listens there"), std::string::npos) << error;
    EXPECT_EQ(error.find("'a'"), std::string::npos) << "nothing is said of the job: " << error;
  }
  EXPECT_EQ(meetAs(withToken(1, "secret\n1")), "");
  first.join();
}

TEST_F(JobPortTest, ListensOnTheHostThatIsNamedAlone) {
  // 127.0.0.1 and 127.0.0.2 are both this machine: who listens on one is not reached at the other.
  TcpRendezvous::Setup own = setup(0, 2);
  own.host = "127.0.0.1";
  std::thread first([&] { EXPECT_EQ(meetAs(own), ""); });
  while (!listens("127.0.0.1", port))
    std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(listens("127.0.0.2", port));
  TcpRendezvous::Setup other = setup(1, 2);
  other.host = "127.0.0.1";
  EXPECT_EQ(meetAs(other), "");
  first.join();
}

TEST_F(JobPortTest, AnAddressOfAnotherMachineIsSaid) {
  TcpRendezvous::Setup own = setup(0, 2);
  own.host = "192.0.2.1"; // of nobody (RFC 5737)
  EXPECT_NE(
      errorOf(own).find("cannot listen on 192.0.2.1:" + std::to_string(port) + ": Cannot assign requested address"),
      std::string::npos);
}

TEST_F(JobPortTest, StrangersAreIgnored) {
  std::thread first([&] { EXPECT_EQ(meetAs(setup(0, 2)), ""); });
  std::vector<int> strangers;
  while (strangers.size() < 3)
    if (auto made = llvm::cantFail(connectSocket("localhost", port, SocketClock::now() + 1s)))
      strangers.push_back(*made);
  // One client sends nothing, one sends far too much, one disconnects.
  EXPECT_EQ(::send(strangers[1], "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
  close(strangers[2]);
  EXPECT_EQ(meetAs(setup(1, 2)), "");
  first.join();
  close(strangers[0]);
  close(strangers[1]);
}

TEST_F(JobPortTest, ASecondProcessOfOneRankIsRejected) {
  std::thread first([&] { EXPECT_EQ(meetAs(setup(0, 3)), ""); });
  auto own = llvm::cantFail(TcpRendezvous::join(setup(1, 3)));
  EXPECT_TRUE(llvm::StringRef(errorOf(setup(1, 3))).contains("a rank 1 has come already"));
  std::thread last([&] { EXPECT_EQ(meetAs(setup(2, 3)), ""); });
  for (int round = 0; round < 3; ++round)
    (void)llvm::cantFail(own->gather(std::string(3'000'000, static_cast<char>('a' + round))));
  first.join();
  last.join();
}

TEST_F(JobPortTest, ARankThatLeavesIsSaid) {
  std::thread first([&] {
    auto joined = llvm::cantFail(TcpRendezvous::join(setup(0, 2)));
    EXPECT_EQ(llvm::toString(joined->gather("x").takeError()),
              "error: rank 0: has lost rank 1: it has closed the connection [run.nccl]\n");
  });
  llvm::cantFail(TcpRendezvous::join(setup(1, 2)));
  first.join();
}

// Any process that reaches the port can send as much as a rank of the job.
TEST_F(JobPortTest, ATextThatNeedsATokenIsSaid) {
  constexpr size_t most = size_t{256} << 20;
  std::thread first([&] {
    auto joined = llvm::cantFail(TcpRendezvous::join(setup(0, 2)));
    EXPECT_EQ(llvm::toString(joined->gather(std::string(most + 1, 'x')).takeError()),
              "error: rank 0: gives a text of 268435457 bytes to the other ranks, expected at most 268435456 [run.nccl]\n"
              "  note: give all processes of the job the same token (CCGRAPH_JOB_TOKEN): without one, any process that "
              "reaches the port may send as much\n");
  });
  llvm::cantFail(TcpRendezvous::join(setup(1, 2)));
  first.join();
}

TEST(TcpRendezvous, AnAddressIsAHostAndAPort) {
  auto parsed = llvm::cantFail(TcpRendezvous::parse("fe80::1:29500"));
  EXPECT_EQ(parsed.first, "fe80::1");
  EXPECT_EQ(parsed.second, 29500);
  EXPECT_EQ(llvm::cantFail(TcpRendezvous::parse(":29500")), std::pair(std::string("localhost"), uint16_t{29500}));
  for (const char *wrong : {"", "host", "host:", ":", "host:0", "host:65536", "host:x"})
    EXPECT_EQ(llvm::toString(TcpRendezvous::parse(wrong).takeError()),
              "got '" + std::string(wrong) + "', expected HOST:PORT with a port from 1 to 65535");
}

} // namespace
} // namespace ccgraph::test

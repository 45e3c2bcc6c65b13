// Tests the records that ccgraph-run writes for a run that fails or gets a signal, and that --analyze reads them.
#include "driver/run_driver.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace ccgraph::driver;

namespace {

constexpr const char *ring = R"(class Ring(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait_tensor: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        return (wait_tensor,)
)";

class FlightRecords : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ccgraph-run-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    before_ = fs::current_path();
    fs::current_path(folder_);
    std::ofstream("ring.py") << ring;
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  int run(std::vector<const char *> arguments) {
    out_.clear();
    err_.clear();
    llvm::raw_string_ostream out(out_), err(err_);
    return static_cast<int>(runMain(arguments, {out, err}));
  }
  int runRing(std::vector<const char *> more) {
    std::vector<const char *> arguments = {"ring.py", "--ranks",          "3",      "--engine",
                                           "local",   "--flight-records", "records"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  std::string out_, err_;

private:
  fs::path folder_, before_;
};

} // namespace

TEST_F(FlightRecords, AreLeftByARunThatFailsAndTellWhy) {
  EXPECT_EQ(runRing({"--fault", "skip:1:0"}), 1);
  EXPECT_NE(err_.find("note: flight records of 3 ranks are in records\n"), std::string::npos) << err_;
  EXPECT_EQ(run({"--analyze", "records"}), 3);
  EXPECT_EQ(out_, "records   3 ranks, recorded by local: 2 calls\n"
                  "verdict   rank 1 is the culprit: it has not launched collective 1 of group 0, all_reduce sum f32[4] "
                  "`all_reduce`, for which ranks 0 and 2 wait; it has ended its program\n");
}

TEST_F(FlightRecords, OfAnEarlierRunGo) {
  fs::create_directory("records");
  std::ofstream("records/rank_7.json") << "{}";
  std::ofstream("records/notes") << "mine";
  EXPECT_EQ(runRing({"--fault", "kill:1:0"}), 1);
  EXPECT_FALSE(fs::exists("records/rank_7.json"));
  EXPECT_TRUE(fs::exists("records/notes"));
  EXPECT_FALSE(fs::exists("records/rank_1.json")) << "a rank that died leaves no record";
  EXPECT_TRUE(fs::exists("records/rank_2.json"));
}

TEST_F(FlightRecords, ThatARankWasEndedOverAreNone) {
  EXPECT_EQ(runRing({"--fault", "kill:1:0"}), 1);
  std::ofstream("records/rank_1.json.1a2b3c.tmp") << "{";
  EXPECT_EQ(run({"--analyze", "records"}), 3);
  EXPECT_NE(out_.find("verdict   rank 1 is the culprit: it left no record"), std::string::npos) << out_ << err_;
  EXPECT_EQ(runRing({}), 0) << err_;
  EXPECT_FALSE(fs::exists("records/rank_1.json.1a2b3c.tmp")) << "the next run must remove it";
}

TEST_F(FlightRecords, AreNotLeftByARunThatEndsWell) {
  EXPECT_EQ(runRing({}), 0) << err_;
  EXPECT_FALSE(fs::exists("records"));
  EXPECT_EQ(runRing({"--fault", "skip:1:0"}), 1);
  EXPECT_TRUE(fs::exists("records/rank_0.json"));
  EXPECT_EQ(runRing({}), 0) << err_;
  EXPECT_FALSE(fs::exists("records/rank_0.json"));
}

TEST_F(FlightRecords, ThatCannotBeWrittenAreAnErrorBesideTheRuns) {
  EXPECT_EQ(run({"ring.py", "--ranks", "3", "--engine", "local", "--flight-records", "ring.py/records", "--fault",
                 "skip:1:0"}),
            1);
  EXPECT_NE(err_.find("[run.deadlock]"), std::string::npos) << err_;
  EXPECT_NE(err_.find("ring.py/records: error: cannot be made"), std::string::npos) << err_;
  std::ofstream("records") << "a file";
  EXPECT_EQ(runRing({}), 1);
  EXPECT_NE(err_.find("records: error: cannot be read"), std::string::npos) << err_;
}

namespace {

/// A run in a process of its own, controlled by signals.
class Child {
public:
  explicit Child(pid_t pid) : pid_(pid) {}
  void tell(int signal) const { kill(pid_, signal); }
  /// Returns whether it still runs.
  bool goesOn() {
    if (!ended_)
      ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return !ended_;
  }
  int await() {
    if (!ended_)
      waitpid(pid_, &status_, 0);
    ended_ = true;
    return status_;
  }
  /// Returns false if it ended before the condition held.
  template <typename Condition>
  bool goesOnUntil(Condition holds) {
    while (!holds()) {
      if (!goesOn())
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  /// Returns whether the process waits for SIGUSR1 instead of being ended by it. A process that forks or creates a
  /// thread blocks all signals for a while, including SIGHUP.
  [[nodiscard]] bool takesSignals() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    std::string line;
    while (std::getline(status, line))
      if (line.rfind("SigBlk:", 0) == 0) {
        unsigned long long blocked = std::stoull(line.substr(8), nullptr, 16);
        return (blocked >> (SIGUSR1 - 1) & 1) != 0 && (blocked >> (SIGHUP - 1) & 1) == 0;
      }
    return false;
  }

private:
  pid_t pid_;
  int status_ = 0;
  bool ended_ = false;
};

} // namespace

TEST_F(FlightRecords, AreWrittenOnASignalWhileTheRunGoesOn) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(runRing({"--fault", "stop:1:0", "--deadline", "600"}));
  Child child(pid);
  auto isWritten = [] { return fs::exists("records/rank_2.json"); };
  ASSERT_TRUE(child.goesOnUntil([&] { return child.takesSignals(); })) << child.await();
  // Repeats until all other ranks have reached the point where they wait for rank 1.
  auto namesRank1 = [&] {
    return run({"--analyze", "records"}) == 3 && out_.find("rank 1 is the culprit: ") != std::string::npos;
  };
  do {
    fs::remove("records/rank_2.json");
    child.tell(SIGUSR1);
    ASSERT_TRUE(child.goesOnUntil(isWritten)) << "the run must go on: " << child.await() << ", " << out_;
  } while (!namesRank1());
  fs::remove("records/rank_2.json");
  child.tell(SIGTERM);
  int status = child.await();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_TRUE(isWritten());
  EXPECT_TRUE(namesRank1()) << out_;
}

// --- Times of a run -----------------------------------------------------------------------------------------

namespace {

constexpr const char *two = R"(class Two(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu", y: "f32[12][1]cpu"):
        first: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        second: "f32[12][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
        w: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(first)
        v: "f32[12][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(second)
        relu: "f32[12][1]cpu" = torch.ops.aten.relu.default(v)
        return (w, relu)
)";

std::map<std::string, double> durationsOf(const std::string &path, std::string &head) {
  std::ifstream file(path);
  std::getline(file, head);
  std::string name;
  double us = 0;
  std::map<std::string, double> durations;
  std::getline(file, name);
  while (std::getline(file, name, '\t') && file >> us && file.get())
    durations[name] = us;
  return durations;
}

} // namespace

TEST_F(FlightRecords, GiveDurationsByTheNamesOfTheInput) {
  std::ofstream("two.py") << two;
  ASSERT_EQ(run({"two.py", "--ranks", "2", "--engine", "local", "--repeat", "3", "--durations", "plain.tsv"}), 0)
      << err_;
  std::string head, mergedHead;
  std::map<std::string, double> plain = durationsOf("plain.tsv", head);
  EXPECT_EQ(head.rfind("# graph ", 0), 0U) << head;
  EXPECT_EQ(head.size(), 8U + 64U);
  for (const char *name : {"first", "second", "relu"})
    EXPECT_GT(plain[name], 0) << name;
  EXPECT_EQ(plain.size(), 3U);
  ASSERT_EQ(run({"two.py", "--ranks", "2", "--engine", "local", "--pipeline", "coalesce-collectives", "--durations",
                 "merged.tsv"}),
            0)
      << err_;
  std::map<std::string, double> merged = durationsOf("merged.tsv", mergedHead);
  EXPECT_EQ(mergedHead, head);
  EXPECT_NEAR(merged["second"], 3 * merged["first"], 0.003) << "a merged collective is shared out by bytes";
  EXPECT_GT(merged["first"], 0);
  EXPECT_EQ(merged.size(), 3U);
}

TEST_F(FlightRecords, GiveATraceAndTimes) {
  ASSERT_EQ(run({"ring.py", "--ranks", "3", "--engine", "local", "--repeat", "2", "--trace", "t.json"}), 0) << err_;
  std::ifstream file("t.json");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("ncclDevKernel_AllReduce_Sum_f32"), std::string::npos);
  EXPECT_NE(text.find(R"("args": {"name": "rank 2"})"), std::string::npos);
  EXPECT_NE(out_.find("time      steps alone: min "), std::string::npos) << out_;
  EXPECT_NE(out_.find("time      all_reduce on 0, 3 ranks: 1 call, 16 B, "), std::string::npos) << out_;
  EXPECT_NE(out_.find(" of it exposed, on the rank with most\n"), std::string::npos) << out_;
}

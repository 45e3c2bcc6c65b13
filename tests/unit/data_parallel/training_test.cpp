// Tests training with our graphs against the records of PyTorch's DistributedDataParallel, and against one rank.
#include "training_run.h"

#include "ccgraph/runtime/engine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>

namespace ccgraph::test {
namespace {

struct Case {
  Json record;
  Runner runner = Runner::Interpreter;
};

void PrintTo(const Case &one, std::ostream *os) { *os << one.record["id"] << " on " << runnerName(one.runner); }

/// Number of processes that mpirun has started; 0: this process runs all ranks.
size_t numProcesses() {
  const char *text = std::getenv("CCGRAPH_DDP_PROCESSES");
  return text ? std::strtoul(text, nullptr, 10) : 0;
}

std::vector<Case> cases() {
  std::vector<Runner> runners = {Runner::Interpreter, Runner::Local, Runner::LocalAfterO2};
  if (numProcesses() != 0)
    runners = {Runner::Mpi};
  std::vector<Case> all;
  for (const Json &record : readRecord("train/index.json"))
    if (hasRecord("train/" + record["id"].get<std::string>() + ".safetensors"))
      for (Runner runner : runners)
        if (runner != Runner::Mpi || record["world"] == numProcesses())
          all.push_back({record, runner});
  return all;
}

/// Joins the job before the tests, and leaves it after them.
class Job : public testing::Environment {
public:
  void SetUp() override {
    if (numProcesses() != 0)
      (void)llvm::cantFail(engine().join(std::chrono::minutes(1)));
  }
  void TearDown() override {
    if (numProcesses() == 0)
      return;
    EXPECT_EQ(engine().leave(testing::UnitTest::GetInstance()->Failed() ? 1 : 0), 0);
  }

private:
  static const runtime::Engine &engine() { return *runtime::findEngine("mpi"); }
};

[[maybe_unused]] const testing::Environment *const job = testing::AddGlobalTestEnvironment(new Job);

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  const char *suffix[] = {"interpreter", "local", "local_O2", "mpi"};
  return info.param.record["id"].get<std::string>() + "_" + suffix[static_cast<size_t>(info.param.runner)];
}

std::string scientific(double number) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.1e", number);
  return text;
}

class TrainingRecords : public testing::TestWithParam<Case> {};

TEST_P(TrainingRecords, GradientsAndParametersAreThoseOfPyTorch) {
  const auto &[record, runner] = GetParam();
  TrainingDifferences differences =
      record["variant"] == "join" ? compareJoin(record, runner) : compareTraining(record, runner);
  EXPECT_EQ(differences.beyond, "");
  RecordProperty("variant", record["id"].get<std::string>());
  RecordProperty("engine", runnerName(runner));
  RecordProperty("gradient", scientific(differences.gradient));
  RecordProperty("parameter", scientific(differences.parameter));
  RecordProperty("one_rank", record["variant"] == "join" ? "" : scientific(differences.oneRank));
}

INSTANTIATE_TEST_SUITE_P(All, TrainingRecords, testing::ValuesIn(cases()), nameOf);

} // namespace
} // namespace ccgraph::test

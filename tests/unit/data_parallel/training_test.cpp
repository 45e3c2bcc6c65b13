// Tests training with our graphs against the records of PyTorch's DistributedDataParallel, and against one rank.
#include "training_run.h"

#include <gtest/gtest.h>

#include <ostream>

namespace ccgraph::test {
namespace {

struct Case {
  Json record;
  Runner runner = Runner::Interpreter;
};

void PrintTo(const Case &one, std::ostream *os) { *os << one.record["id"] << " on " << runnerName(one.runner); }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Json &record : readRecord("train/index.json"))
    if (hasRecord("train/" + record["id"].get<std::string>() + ".safetensors"))
      for (Runner runner : {Runner::Interpreter, Runner::Local, Runner::LocalAfterO2})
        all.push_back({record, runner});
  return all;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  const char *suffix[] = {"interpreter", "local", "local_O2"};
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

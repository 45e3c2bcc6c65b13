// A line of advice as a command: what was given, but for what is replaced or only says what is printed.
#include "report/advice_command.h"

#include <gtest/gtest.h>

namespace ccgraph::report {
namespace {

std::string commandOf(std::vector<GivenFlag> given, std::string flags) {
  Summary summary;
  summary.input = "my step.py";
  summary.given = std::move(given);
  Advice advice;
  advice.flags = std::move(flags);
  return adviceCommand(summary, advice);
}

TEST(AdviceCommand, KeepsWhatWasGiven) {
  EXPECT_EQ(commandOf({{"--ranks-differ", std::nullopt}, {"--pipeline", ""}, {"--machine", "h100x8"}}, "-O3"),
            "ccgraph-opt 'my step.py' --ranks-differ --pipeline '' --machine h100x8 -O3");
}

TEST(AdviceCommand, LeavesOutWhatIsPrintedAndWritten) {
  EXPECT_EQ(commandOf({{"--advise", std::nullopt}, {"--remarks", "x y"}, {"-o", "out.py"}, {"--json", std::nullopt}},
                      "--split-group 0:all_gather"),
            "ccgraph-opt 'my step.py' --split-group 0:all_gather");
}

TEST(AdviceCommand, ReplacesWhatSaysOtherwise) {
  EXPECT_EQ(commandOf({{"-O1", std::nullopt}, {"--memory-budget", "4GiB"}}, "-O3"),
            "ccgraph-opt 'my step.py' --memory-budget 4GiB -O3");
  EXPECT_EQ(commandOf({{"-O1", std::nullopt}, {"--memory-budget", "4GiB"}, {"--minimize", "time"}},
                      "--memory-budget 5120MiB"),
            "ccgraph-opt 'my step.py' -O1 --memory-budget 5120MiB");
  EXPECT_EQ(commandOf({{"-O1", std::nullopt}, {"--machine", "h100x8"}},
                      "--pipeline sink-waits,schedule-overlap{walks=1 beam=0}"),
            "ccgraph-opt 'my step.py' --machine h100x8 --pipeline 'sink-waits,schedule-overlap{walks=1 beam=0}'");
  EXPECT_EQ(commandOf({{"--pipeline", "schedule-overlap"}}, "--pipeline sink-waits,schedule-overlap"),
            "ccgraph-opt 'my step.py' --pipeline sink-waits,schedule-overlap");
}

TEST(AdviceCommand, QuotesForAShell) {
  EXPECT_EQ(commandOf({}, "--split-group a group:all_gather"),
            "ccgraph-opt 'my step.py' --split-group 'a group:all_gather'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord("a/b-1.json"), "a/b-1.json");
}

} // namespace
} // namespace ccgraph::report

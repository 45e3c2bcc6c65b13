// Tests that no tool aborts if its output cannot be written: it reports an error and exits as for any other bad file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

namespace {

struct Call {
  const char *tool;
  const char *arguments;
  bool toStdout; ///< otherwise the arguments name /dev/full
};

void PrintTo(const Call &call, std::ostream *os) { *os << call.tool << ' ' << call.arguments; }

class FullDevice : public testing::TestWithParam<Call> {};

const char *const graph = CCGRAPH_TEST_DATA "/small/all_reduce_max_w2/readable.py";

TEST_P(FullDevice, IsAnErrorAndNoAbort) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "this system has no /dev/full";
  const Call &call = GetParam();
  std::string said = std::filesystem::temp_directory_path() / ("ccgraph-full-" + std::to_string(getpid()));
  std::string command = std::string(CCGRAPH_BIN "/") + call.tool + " " + call.arguments +
                        (call.toStdout ? " >/dev/full" : " >/dev/null") + " 2>" + said;
  for (size_t at = command.find("GRAPH"); at != std::string::npos; at = command.find("GRAPH"))
    command.replace(at, 5, graph);
  int status = std::system(command.c_str());
  std::stringstream message;
  message << std::ifstream(said).rdbuf();
  std::filesystem::remove(said);
  ASSERT_TRUE(WIFEXITED(status)) << command << '\n' << message.str();
  EXPECT_EQ(WEXITSTATUS(status), 1) << command << '\n' << message.str();
  EXPECT_NE(message.str().find("No space left"), std::string::npos) << command << '\n' << message.str();
}

INSTANTIATE_TEST_SUITE_P(
    Everywhere, FullDevice,
    testing::Values(Call{"ccgraph-opt", "GRAPH", true}, Call{"ccgraph-opt", "GRAPH --json", true},
                    Call{"ccgraph-opt", "GRAPH -o -", true}, Call{"ccgraph-opt", "GRAPH --emit fx", true},
                    Call{"ccgraph-opt", "GRAPH -o /dev/full", false}, Call{"ccgraph-opt", "GRAPH --verify-only", true},
                    Call{"ccgraph-opt", "GRAPH --list-graphs", true}, Call{"ccgraph-opt", "--help", true},
                    Call{"ccgraph-opt", "--version", true}, Call{"ccgraph-opt", "--list-passes", true},
                    Call{"ccgraph-opt", "--help-pass sink-waits", true}, Call{"ccgraph-run", "GRAPH --ranks 2", true},
                    Call{"ccgraph-run", "--help", true}, Call{"ccgraph-run", "--version", true}));

TEST(FullDevice, AMessageThatCannotBeWrittenChangesNothing) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "this system has no /dev/full";
  std::string opt = CCGRAPH_BIN "/ccgraph-opt ";
  EXPECT_EQ(WEXITSTATUS(std::system((opt + graph + " >/dev/null 2>/dev/full").c_str())), 0);
  EXPECT_EQ(WEXITSTATUS(std::system((opt + "no-such-file >/dev/full 2>/dev/full").c_str())), 1);
}

} // namespace

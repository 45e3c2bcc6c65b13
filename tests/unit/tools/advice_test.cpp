// Tests that advice is true: the flags of each line, passed to ccgraph-opt, give the promised saving.
#include "driver/opt_driver.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace ccgraph::driver {
namespace {

class AdviceOnSuite : public testing::TestWithParam<const char *> {
protected:
  /// Returns the output of --json with these flags.
  static llvm::json::Value run(llvm::ArrayRef<std::string> flags) {
    const std::string folder = std::string(CCGRAPH_TEST_DATA "/suite/") + GetParam();
    std::vector<std::string> words = {folder + "/readable.py.gz",
                                      "--groups",
                                      folder + "/facts.json.gz",
                                      "--durations",
                                      folder + "/durations.tsv.gz",
                                      "--machine",
                                      "h100x8-ndr",
                                      "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<const char *> arguments;
    for (const std::string &word : words)
      arguments.push_back(word.c_str());
    std::string out, err;
    llvm::raw_string_ostream outStream(out), errStream(err);
    EXPECT_EQ(optMain(arguments, {outStream, errStream}), ExitCode::Ok) << errStream.str();
    return llvm::cantFail(llvm::json::parse(outStream.str()));
  }
  static int64_t stepOf(const llvm::json::Value &report) {
    return *report.getAsObject()->getObject("predicted")->getObject("after")->getInteger("step_ns");
  }
};

TEST_P(AdviceOnSuite, SavesWhatItPromises) {
  llvm::json::Value report = run({"--advise"});
  const int64_t step = stepOf(report);
  for (const llvm::json::Value &value : *report.getAsObject()->getArray("advice")) {
    const llvm::json::Object &advice = *value.getAsObject();
    std::string flags = advice.getString("flags")->str();
    SCOPED_TRACE(flags);
    llvm::SmallVector<llvm::StringRef, 2> words;
    llvm::StringRef(flags).split(words, ' ');
    llvm::json::Value followed = run(std::vector<std::string>(words.begin(), words.end()));
    EXPECT_EQ(stepOf(followed), *advice.getInteger("step_ns"));
    EXPECT_GE(100 * (step - stepOf(followed)), step - 100) << "not worth a line";
  }
}

INSTANTIATE_TEST_SUITE_P(Some, AdviceOnSuite, testing::Values("fsdp_8l_w64", "moe_12l_ep32", "fsdp_16l_w8_small"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace ccgraph::driver

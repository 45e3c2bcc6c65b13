// Tests the text of a pipeline: what parses, how it is printed back, and the message for each mistake.
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/passes/registry.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

std::string roundTrip(llvm::StringRef text) {
  auto pipeline = Pipeline::parse(text);
  return pipeline ? pipeline->str() : llvm::toString(pipeline.takeError());
}

TEST(PipelineText, CanonicalTextPrintsBack) {
  for (const char *text :
       {"", "sink-waits", "sink-waits,schedule-overlap", "coalesce-collectives{layout=flat max-bytes=64MiB}",
        "coalesce-collectives{max-count=3 layout=grouped},sink-waits", "schedule-overlap{walks=unlimited}"})
    EXPECT_EQ(roundTrip(text), text);
}

TEST(PipelineText, EveryLevelPrintsBack) {
  for (unsigned level = 0; level <= maxLevel; ++level)
    EXPECT_EQ(roundTrip(pipelineOfLevel(level).str()), pipelineOfLevel(level).str());
  EXPECT_EQ(pipelineOfLevel(0).str(), "");
  EXPECT_TRUE(llvm::StringRef(pipelineOfLevel(2).str()).contains("schedule-overlap,"));
  EXPECT_TRUE(llvm::StringRef(pipelineOfLevel(3).str()).contains("schedule-overlap{walks=200 beam=512},"));
}

TEST(PipelineText, BlanksMeanNothingAndValuesBecomeCanonical) {
  EXPECT_EQ(roundTrip("  sink-waits ,  coalesce-collectives { max-bytes=65536KiB\tlayout=flat } "),
            "sink-waits,coalesce-collectives{max-bytes=64MiB layout=flat}");
  EXPECT_EQ(roundTrip("coalesce-collectives{max-bytes=0}"), "coalesce-collectives{max-bytes=0}");
  EXPECT_EQ(roundTrip("coalesce-collectives{layout=flat layout=grouped}"), "coalesce-collectives{layout=grouped}");
  EXPECT_EQ(roundTrip("coalesce-collectives{}"), "coalesce-collectives");
}

TEST(PipelineText, AppendCopiesOptions) {
  Pipeline all = llvm::cantFail(Pipeline::parse("sink-waits"));
  all.append(llvm::cantFail(Pipeline::parse("coalesce-collectives{layout=flat}")));
  EXPECT_EQ(all.str(), "sink-waits,coalesce-collectives{layout=flat}");
}

struct Mistake {
  const char *text;
  const char *message;
};

TEST(PipelineText, MistakesNameColumnGotAndExpected) {
  const Mistake mistakes[] = {
      {"sink-wait",
       "pipeline:1:1: error: unknown pass 'sink-wait' [pipeline.unknown-pass]\n  note: did you mean 'sink-waits'?\n"},
      {"sink-waits,zzz", "pipeline:1:12: error: unknown pass 'zzz' [pipeline.unknown-pass]\n  note: the passes are "},
      {"raise-collectives{max-in-flight=1}",
       "pipeline:1:1: error: unknown pass 'raise-collectives' [pipeline.unknown-pass]\n  note: raise-collectives is "
       "retired: 'schedule-overlap{buckets=none}' hoists launches and merges none\n"},
      {"sink-waits,", "pipeline:1:12: error: expected the name of a pass, got the end of the text [pipeline.syntax]\n"},
      {",sink-waits", "pipeline:1:1: error: expected the name of a pass, got ',' [pipeline.syntax]\n"},
      {"sink-waits schedule-overlap", "pipeline:1:12: error: got 's' after pass 'sink-waits', expected ',' or the "
                                      "end of the text [pipeline.syntax]\n"},
      {"coalesce-collectives{layout=flat",
       "pipeline:1:21: error: '{' is never closed: expected '}' after the last option [pipeline.syntax]\n"},
      {"coalesce-collectives{layout}", "pipeline:1:28: error: option 'layout' has no value: expected '=' "
                                       "[pipeline.syntax]\n  note: write layout=value\n"},
      {"coalesce-collectives{=flat}",
       "pipeline:1:22: error: got '=', expected an option name or '}' [pipeline.syntax]\n"},
      {"coalesce-collectives{layuot=flat}", "pipeline:1:22: error: pass 'coalesce-collectives' has no option 'layuot' "
                                            "[pipeline.unknown-option]\n  note: did you mean 'layout'?\n"},
      {"sink-waits{layout=flat}", "pipeline:1:12: error: pass 'sink-waits' has no option 'layout' "
                                  "[pipeline.unknown-option]\n  note: it has no options\n"},
      {"coalesce-collectives{layout=flatt}", "pipeline:1:29: error: option 'layout' of 'coalesce-collectives' got "
                                             "'flatt', expected grouped|flat [pipeline.bad-value]\n"},
      {"coalesce-collectives{max-bytes=12XB}", "got '12XB', expected <bytes>|unlimited [pipeline.bad-value]\n"},
      {"coalesce-collectives{max-bytes=-1}", "got '-1', expected <bytes>|unlimited [pipeline.bad-value]\n"},
      {"coalesce-collectives{max-bytes=9999999999GiB}",
       "got '9999999999GiB', expected <bytes>|unlimited [pipeline.bad-value]\n"},
      {"coalesce-collectives{max-count=}", "got '', expected <count>|unlimited [pipeline.bad-value]\n"},
  };
  for (const Mistake &mistake : mistakes)
    EXPECT_NE(roundTrip(mistake.text).find(mistake.message), std::string::npos) << mistake.text << " gives\n"
                                                                                << roundTrip(mistake.text);
}

TEST(PipelineText, AllMistakesAreReported) {
  auto pipeline = Pipeline::parse("sinkwaits,coalesce-collectives{layout=x max-bytes=y},zzz");
  ASSERT_FALSE(static_cast<bool>(pipeline));
  llvm::handleAllErrors(pipeline.takeError(),
                        [](const DiagnosticError &error) { EXPECT_EQ(error.diagnostics().size(), 4U); });
}

TEST(Options, ByteCountsPrintInTheLargestUnitThatDivides) {
  using Text = OptionText<ByteCount>;
  for (const char *text : {"0", "1", "1023", "1KiB", "1025", "3MiB", "5GiB", "unlimited"})
    EXPECT_EQ(Text::print(*Text::parse(text)), text);
  EXPECT_EQ(Text::print(*Text::parse("1024KiB")), "1MiB");
}

TEST(Options, ByteCountsAreReadAsPeopleTypeThem) {
  using Text = OptionText<ByteCount>;
  const std::pair<const char *, int64_t> sizes[] = {{"24.6GiB", 26414048870},
                                                    {"40gb", 40'000'000'000},
                                                    {"80GB", 80'000'000'000},
                                                    {"40g", int64_t(40) << 30},
                                                    {"40G", int64_t(40) << 30},
                                                    {"1.5MiB", 3 << 19},
                                                    {"1 KiB", 1024},
                                                    {"1kib", 1024},
                                                    {"2TiB", int64_t(2) << 40},
                                                    {"1.5tb", 1'500'000'000'000},
                                                    {"64b", 64},
                                                    {"0.5K", 512},
                                                    {"9223372036854775807", INT64_MAX},
                                                    {"0.1234567GiB", 132559870}};
  for (auto [text, bytes] : sizes)
    EXPECT_EQ(Text::parse(text), std::optional(ByteCount{bytes})) << text;
  for (const char *text : {"",      "KiB",    "GB",      "0x10",  "-1",      "99999999999999999999",
                           "1.5",   "1.5B",   ".5GiB",   "1.GiB", "1..5GiB", "1.5.2GiB",
                           "40Zb",  "40GiBs", "40 GiB ", "40ib",  "1e9",     "8388608TiB",
                           "+4GiB", "nan",    "inf"})
    EXPECT_FALSE(Text::parse(text).has_value()) << text;
}

TEST(Options, BooleansAreTrueOrFalse) {
  EXPECT_EQ(OptionText<bool>::parse("true"), true);
  EXPECT_EQ(OptionText<bool>::print(false), "false");
  EXPECT_FALSE(OptionText<bool>::parse("yes").has_value());
}

/// A pass that a user defines.
class Unregistered final : public Pass {
public:
  Unregistered() : Pass({"unregistered", "Does nothing."}) {}
  llvm::Expected<Changed> run(Graph &, PassContext &) override { return Changed::No; }
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<Unregistered>(); }

private:
  Option<Count> limit_{*this, "limit", Count{7}, "of nothing"};
};

TEST(Pipeline, AppendsACopyOfPassesThatNoRegistryHolds) {
  Pipeline own = llvm::cantFail(Pipeline::parse("coalesce-collectives{layout=flat}"));
  own.append(std::make_unique<Unregistered>());
  ASSERT_TRUE(own.passes()[1]->set("limit", "9").done);
  Pipeline copy;
  copy.append(own);
  EXPECT_EQ(copy.str(), "coalesce-collectives{layout=flat},unregistered{limit=9}");
  copy.append(copy);
  EXPECT_EQ(copy.str(), own.str() + "," + own.str());
  EXPECT_TRUE(copy.passes()[3]->set("limit", "1").done);
  EXPECT_EQ(own.str(), "coalesce-collectives{layout=flat},unregistered{limit=9}") << "what is copied is not shared";
}

TEST(Registry, PassesAreSortedAndNamedAsTheySay) {
  std::vector<llvm::StringRef> names = passNames();
  EXPECT_TRUE(llvm::is_sorted(names));
  for (llvm::StringRef name : names)
    EXPECT_EQ(createPass(name)->name(), name);
  EXPECT_EQ(createPass("nothing"), nullptr);
}

TEST(Registry, EveryOptionStatisticAndReasonSaysWhatItIs) {
  for (llvm::StringRef name : passNames()) {
    std::unique_ptr<Pass> pass = createPass(name);
    std::string help = passHelpText(*pass);
    EXPECT_FALSE(pass->description().empty());
    for (const OptionBase *option : pass->options()) {
      EXPECT_NE(help.find(option->name() + "=" + option->syntax()), std::string::npos);
      EXPECT_TRUE(pass->set(option->name(), option->defaultText()).done) << "the default of " << option->name();
    }
    for (const Reason *reason : pass->reasons())
      EXPECT_NE(help.find("[" + reason->id() + "]"), std::string::npos);
    for (const Statistic *statistic : pass->statistics())
      EXPECT_FALSE(statistic->help().empty());
  }
}

} // namespace
} // namespace ccgraph

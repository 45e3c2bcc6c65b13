// Tests behavior of ccgraph-opt that its printed text (tests/cli, tests/diagnostics) does not show.
#include "ccgraph/frontend/files.h"
#include "ccgraph/toolkit/text.h"
#include "driver/opt_driver.h"
#include "driver/reproducer.h"

#include "llvm/Support/JSON.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace fs = std::filesystem;
using namespace ccgraph;
using namespace ccgraph::driver;

namespace {

constexpr const char *step = R"(class Step(torch.nn.Module):
    def forward(self, x: "f32[8][1]cpu"):
        all_reduce: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
        wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        neg: "f32[8][1]cpu" = torch.ops.aten.neg.default(x);  x = None
        custom: "f32[8][1]cpu" = torch.ops.mylib.scale.default(neg)
        return (wait, neg, custom)
)";

class OptDriver : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ccgraph-opt-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    before_ = fs::current_path();
    fs::current_path(folder_);
    std::ofstream("step.py") << step;
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  int opt(std::vector<const char *> arguments) {
    out_.clear();
    err_.clear();
    llvm::raw_string_ostream out(out_);
    llvm::raw_string_ostream err(err_);
    return static_cast<int>(optMain(arguments, {out, err}));
  }
  /// The report of a defect.
  struct Asked {
    std::string reproducer;
    std::string schedule = {};
  };
  static std::string reproduced(const Asked &asked) {
    OptOptions options;
    options.input = "step.py";
    options.reproducer = asked.reproducer;
    options.schedule = asked.schedule;
    options.pipeline.manager.memoryBudget = 4096;
    std::string err;
    llvm::raw_string_ostream os(err);
    PassFailure failure;
    failure.stage = PassFailure::Stage::Legality;
    failure.pass = failure.pipeline = "sink-waits";
    writeReproducer(options, llvm::cantFail(InputFile::open("step.py")), failure, os);
    return os.str();
  }
  static std::string contents(const std::string &path) {
    auto file = InputFile::open(path);
    return file ? file->text().str() : llvm::toString(file.takeError());
  }

  fs::path folder_;
  fs::path before_;
  std::string out_;
  std::string err_;
};

} // namespace

TEST_F(OptDriver, JsonSaysWhatIsExposedAndHowFastItCanBe) {
  ASSERT_EQ(opt({"step.py", "--json", "--exposed=5", "--pipeline", "sink-waits"}), 0) << err_;
  auto json = llvm::json::parse(out_);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError());
  const llvm::json::Object *predicted = json->getAsObject()->getObject("predicted");
  ASSERT_TRUE(predicted);
  const llvm::json::Array &exposed = *predicted->getArray("exposed");
  ASSERT_EQ(exposed.size(), 1U);
  const llvm::json::Object &first = *exposed.front().getAsObject();
  EXPECT_EQ(first.getString("node"), llvm::StringRef("all_reduce"));
  EXPECT_EQ(first.getObject("begin")->getString("held_by"), llvm::StringRef("input"));
  const llvm::json::Object &bounds = *predicted->getObject("bounds");
  EXPECT_GT(bounds.getObject("any_order")->getInteger("ns").getValueOr(0), 0);
  EXPECT_GT(bounds.getObject("memory")->getInteger("bytes").getValueOr(0), 0);
}

TEST_F(OptDriver, TheSummaryIsJsonWhereAskedFor) {
  ASSERT_EQ(opt({"step.py", "--json", "--pipeline", "sink-waits"}), 0) << err_;
  auto json = llvm::json::parse(out_);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError());
  const llvm::json::Object &summary = *json->getAsObject();
  EXPECT_EQ(*summary.getString("pipeline"), "sink-waits");
  EXPECT_EQ(*summary.getObject("before")->getInteger("nodes"), 6);
  EXPECT_EQ(summary.getObject("after")->getArray("collectives")->size(), 1U);
  EXPECT_EQ(summary.getArray("passes")->size(), 1U);
  EXPECT_NE(summary.getObject("seconds"), nullptr);
}

TEST_F(OptDriver, JsonHoldsTheRoundingAndTheSizesOfTheSummary) {
  std::ofstream("sums.py") << R"(class G(torch.nn.Module):
    def forward(self, a: "f32[256][1]cuda:0", b: "f32[s0][1]cuda:0", c: "f32[256][1]cuda:0"):
        r0: "f32[256][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(a, 'sum', '0')
        w0: "f32[256][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r0)
        r1: "f32[256][1]cuda:0" = torch.ops._c10d_functional.all_reduce.default(c, 'sum', '0')
        w1: "f32[256][1]cuda:0" = torch.ops._c10d_functional.wait_tensor.default(r1)
        return (w0, w1, b)
)";
  auto summary = [&](std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), {"sums.py", "--json"});
    EXPECT_EQ(opt(std::move(arguments)), 0) << err_;
    return *llvm::cantFail(llvm::json::parse(out_)).getAsObject();
  };
  llvm::json::Object shown = summary({"--bind", "s0=64"});
  EXPECT_EQ(shown.getObject("rounding")->getInteger("merged_sums").getValueOr(0), 2);
  EXPECT_GT(shown.getObject("rounding")->getInteger("bitwise_step_ns").getValueOr(0), 0);
  const llvm::json::Object &size = *shown.getArray("sizes")->front().getAsObject();
  EXPECT_EQ(size.getString("symbol"), llvm::StringRef("s0"));
  EXPECT_EQ(size.getInteger("value").getValueOr(0), 64);
  EXPECT_EQ(size.getString("from"), llvm::StringRef("bind"));
  EXPECT_EQ(summary({"--bitwise"}).getObject("rounding"), nullptr);
  // A script that writes graphs does not pay for a second run.
  llvm::json::Object written = summary({"-o", "out.json"});
  EXPECT_EQ(written.getObject("rounding")->getInteger("merged_sums").getValueOr(0), 2);
  EXPECT_FALSE(written.getObject("rounding")->getInteger("bitwise_step_ns").hasValue());
  EXPECT_EQ(written.getString("unbound_symbol"), llvm::StringRef("s0"));
}

TEST_F(OptDriver, WhatIsPrintedIsOneJsonValue) {
  std::ofstream("two.py") << step << '\n' << step;
  auto parsed = [&](std::vector<const char *> arguments, int code) {
    EXPECT_EQ(opt(std::move(arguments)), code) << err_;
    auto json = llvm::json::parse(out_);
    EXPECT_TRUE(static_cast<bool>(json)) << out_;
    return json ? *json : (llvm::consumeError(json.takeError()), llvm::json::Value(nullptr));
  };
  llvm::json::Value several = parsed({"two.py", "--json"}, 0);
  ASSERT_NE(several.getAsArray(), nullptr);
  EXPECT_EQ(several.getAsArray()->size(), 2U);
  EXPECT_NE(parsed({"step.py", "--json"}, 0).getAsObject(), nullptr);
  EXPECT_EQ(parsed({"two.py", "--list-graphs", "--json"}, 0).getAsArray()->size(), 2U);
  EXPECT_TRUE(*parsed({"step.py", "--verify-only", "--json"}, 0).getAsObject()->getBoolean("well_formed"));
  std::string wrong = step;
  wrong.replace(wrong.find("all_reduce: \"f32[8]"), 19, "all_reduce: \"f32[9]");
  std::ofstream("wrong.py") << wrong << '\n' << step;
  llvm::json::Value verified = parsed({"wrong.py", "--verify-only", "--json"}, 1);
  ASSERT_NE(verified.getAsArray(), nullptr);
  const llvm::json::Object &first = *(*verified.getAsArray())[0].getAsObject();
  EXPECT_FALSE(*first.getBoolean("well_formed"));
  EXPECT_GT(*(*first.getArray("findings"))[0].getAsObject()->getInteger("line"), 0);
  EXPECT_TRUE(*(*verified.getAsArray())[1].getAsObject()->getBoolean("well_formed"));
}

TEST_F(OptDriver, EachPhaseIsMeasuredAlone) {
  std::string graph = CCGRAPH_TEST_DATA "/large/llama3-8b-fsdp64-joint/readable.py.gz";
  auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(opt({graph.c_str(), "-o", "out.json", "--json"}), 0) << err_;
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto json = llvm::json::parse(out_);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError());
  double sum = 0;
  for (const auto &[phase, seconds] : *json->getAsObject()->getObject("seconds"))
    sum += *seconds.getAsNumber();
  EXPECT_LE(sum, wall);
}

TEST_F(OptDriver, AnEmptyPipelineRunsNoPass) {
  ASSERT_EQ(opt({"step.py", "--pipeline", "", "--emit", "json"}), 0) << err_;
  std::string nothing = out_;
  ASSERT_EQ(opt({"step.py", "-O0", "--emit", "json"}), 0) << err_;
  EXPECT_EQ(out_, nothing);
  EXPECT_EQ(opt({"step.py", "--pipeline", "", "-O2"}), 2) << "both were given";
  EXPECT_EQ(opt({"step.py", "--pipeline", ","}), 2);
}

TEST_F(OptDriver, HelpHasAShortName) {
  ASSERT_EQ(opt({"-h"}), 0);
  std::string help = out_;
  ASSERT_EQ(opt({"--help"}), 0);
  EXPECT_EQ(out_, help);
}

TEST_F(OptDriver, DoingNothingIsAFaithfulCopyInEitherForm) {
  ASSERT_EQ(opt({"step.py", "-O0", "-o", "a.json"}), 0) << err_;
  EXPECT_EQ(out_ + err_, "") << "a graph was written, so nothing is said";
  ASSERT_EQ(opt({"a.json", "-O0", "-o", "b.json"}), 0) << err_;
  ASSERT_EQ(opt({"a.json", "-O0", "-o", "c.py"}), 0) << err_;
  ASSERT_EQ(opt({"c.py", "-O0", "-o", "d.json"}), 0) << err_;
  EXPECT_EQ(contents("a.json"), contents("b.json"));
  EXPECT_EQ(contents("a.json"), contents("d.json"));
  EXPECT_EQ(contents("a.json").find("assumed"), std::string::npos) << "no group was made up";
}

TEST_F(OptDriver, AFailedRunLeavesTheOldOutput) {
  std::ofstream("out.json") << "old";
  std::ofstream("bad.json") << "{";
  EXPECT_EQ(opt({"bad.json", "-o", "out.json"}), 1);
  EXPECT_EQ(opt({"step.py", "-o", "out.json", "--pipeline", "no-such-pass"}), 2);
  EXPECT_EQ(opt({"step.py", "-o", "out.json", "--check-equivalence", "2", "-O2"}), 3)
      << "the interpreter does not know mylib.scale, so nothing is proved";
  EXPECT_NE(err_.find("NOT CHECKED"), std::string::npos) << err_;
  EXPECT_EQ(contents("out.json"), "old");
}

TEST_F(OptDriver, AnOutputIsNoInputAndNoOtherOutput) {
  ASSERT_EQ(opt({"step.py", "-O0", "-o", "a.json"}), 0);
  const std::string before = contents("a.json");
  fs::create_symlink("a.json", "link.json");
  fs::create_hard_link("a.json", "hard.json");
  for (const char *same : {"a.json", "./a.json", "link.json", "hard.json"}) {
    EXPECT_EQ(opt({"a.json", "-O2", "-o", same}), 2) << same;
    EXPECT_NE(err_.find("which GRAPH reads"), std::string::npos) << err_;
    EXPECT_EQ(contents("a.json"), before);
  }
  const std::string around = "../" + fs::current_path().filename().string() + "/new.json";
  EXPECT_EQ(opt({"step.py", "-o", "new.json", "--trace", around.c_str()}), 2);
  EXPECT_NE(err_.find("which -o writes too"), std::string::npos) << err_;
  EXPECT_FALSE(fs::exists("new.json"));
  EXPECT_EQ(opt({"step.py", "-o", "new.json", "--trace", "trace.json"}), 0) << err_;
  EXPECT_EQ(opt({"step.py", "-o", "/dev/null", "--trace", "/dev/null"}), 0) << "a device takes any number: " << err_;
}

TEST_F(OptDriver, WhatIsNotKnownIsSaid) {
  ASSERT_EQ(opt({"step.py"}), 0) << err_;
  EXPECT_NE(out_.find("operators that are not known stay in order: mylib.scale.default x 1"), std::string::npos)
      << out_;
  EXPECT_NE(out_.find("nothing of the ranks of 0, since"), std::string::npos) << out_;
  std::ofstream("ops.json") << R"({"ops": [{"schema": "mylib::scale(Tensor x) -> Tensor"}]})";
  ASSERT_EQ(opt({"step.py", "--ops", "ops.json"}), 0) << err_;
  EXPECT_EQ(out_.find("not known"), std::string::npos) << out_;
}

TEST_F(OptDriver, AReproducerGoesWhereItIsAskedFor) {
  std::string said = reproduced({.reproducer = "defect.json"});
  EXPECT_NE(said.find("reproduce with: ccgraph-opt defect.json --pipeline sink-waits --memory-budget 4096\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(opt({"defect.json", "--pipeline", "sink-waits"}), 0) << err_;
}

TEST_F(OptDriver, AReproducerThatNobodyAskedForIsANewTemporaryFile) {
  auto pathIn = [](const std::string &said) {
    return llvm::StringRef(said).split("reproduce with: ccgraph-opt ").second.split(' ').first.str();
  };
  size_t before = std::distance(fs::directory_iterator("."), fs::directory_iterator());
  std::string first = pathIn(reproduced({})), second = pathIn(reproduced({}));
  EXPECT_NE(first, second) << "each has a name of its own";
  EXPECT_EQ(fs::path(first).parent_path(), fs::temp_directory_path());
  EXPECT_EQ(std::distance(fs::directory_iterator("."), fs::directory_iterator()), static_cast<std::ptrdiff_t>(before))
      << "nothing was written into the working folder";
  for (const std::string &path : {first, second}) {
    EXPECT_EQ(opt({path.c_str(), "--pipeline", "sink-waits"}), 0) << err_;
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write) << "nobody else reads it";
    fs::remove(path);
  }
}

// The pass that applies a schedule has no name on a command line.
TEST_F(OptDriver, AReproducerOfAScheduleGivesTheSchedule) {
  ASSERT_EQ(opt({"step.py", "--emit", "schedule", "-o", "it's.schedule.json"}), 0) << err_;
  std::string said = reproduced({.reproducer = "defect.json", .schedule = "it's.schedule.json"});
  EXPECT_NE(said.find("ccgraph-opt defect.json --schedule 'it'\\''s.schedule.json' --memory-budget 4096\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(opt({"defect.json", "--schedule", "it's.schedule.json"}), 0) << err_;
}

TEST_F(OptDriver, ANumberOfExposedTransfersMayStandApart) {
  ASSERT_EQ(opt({"step.py", "--exposed", "5"}), 0) << err_;
  std::string apart = out_;
  ASSERT_EQ(opt({"step.py", "--exposed=5"}), 0) << err_;
  EXPECT_EQ(out_, apart);
  ASSERT_EQ(opt({"--exposed", "step.py"}), 0) << "a word that is no number is the graph: " << err_;
  EXPECT_EQ(opt({"step.py", "--exposed", "0"}), 2);
  EXPECT_EQ(opt({"step.py", "--remarks", "5"}), 2) << "a text is taken after '=' alone";
}

TEST_F(OptDriver, TheSummaryOfARealGraphFitsAScreen) {
  std::string folder = CCGRAPH_TEST_DATA "/large/llama3-8b-fsdp64-joint/";
  std::string graph = folder + "readable.py.gz";
  std::string groups = folder + "facts.json.gz";
  ASSERT_EQ(opt({graph.c_str(), "--groups", groups.c_str()}), 0) << err_;
  EXPECT_LE(llvm::StringRef(out_).count('\n'), 32U) << out_;
  llvm::SmallVector<llvm::StringRef, 32> lines;
  llvm::StringRef(out_).split(lines, '\n');
  for (llvm::StringRef line : lines)
    EXPECT_TRUE(line.size() <= 120 || line.startswith("graph")) << line.str();
}

TEST(Texts, AreWrappedBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 4, 11), "one two\n    three");
  EXPECT_EQ(wrapped("one", 4, 5), "one");
  EXPECT_EQ(wrapped("unbreakable word", 2, 6), "unbreakable\n  word");
  EXPECT_EQ(wrapped("", 2, 6), "");
}

TEST(Texts, NumbersHaveCommasAndBytesUnits) {
  EXPECT_EQ(withCommas(0), "0");
  EXPECT_EQ(withCommas(999), "999");
  EXPECT_EQ(withCommas(1000), "1,000");
  EXPECT_EQ(withCommas(-1234567), "-1,234,567");
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(1536), "1.5 KiB");
  EXPECT_EQ(bytesText(int64_t(3) << 40), "3.0 TiB");
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(2000, "node"), "2,000 nodes");
}

// Tests the TOML of contracts: what is read, that a written contract reads back as itself, and the whole text of each
// error.
#include "ccgraph/frontend/contract_file.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

Contract contractOfText(llvm::StringRef text) { return llvm::cantFail(readContract({"comm.toml", text})); }
std::string errorOf(llvm::StringRef text) {
  auto contract = readContract({"comm.toml", text});
  return contract ? "none" : llvm::toString(contract.takeError());
}
std::string written(const Contract &contract) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeContract(os, contract);
  return os.str();
}

constexpr llvm::StringLiteral whole = R"(# two layers
version = 1
machine = "h100x8"
unlisted = "forbid"

[limits]
missing_waits = 0
dead_waits = 1
dead_collectives = 2
exposed_collectives = 3
exposed_percent = 12.5
peak_bytes = "1.5 KiB"

[[collective]]
graph = "forward"
module = "layers.*.attention"
kind = "all_gather"
group = "fsdp"
dtypes = ["bf16", "f32"]
reductions = ["sum", "avg"]
count = 9
bytes = { max = 4096 }
modules = { min = 2, max = 4 }
)";

} // namespace

TEST(ContractFile, ReadsEachKey) {
  Contract contract = contractOfText(whole);
  EXPECT_EQ(contract.origin, "comm.toml");
  EXPECT_EQ(contract.machine, "h100x8");
  EXPECT_FALSE(contract.allowsUnlisted);
  StepLimits limits{0, 1, 2, 3, 12.5, 1536, {6, 2}};
  EXPECT_EQ(contract.limits, limits);
  ASSERT_EQ(contract.collectives.size(), 1U);
  CollectiveRule rule;
  rule.graph = "forward";
  rule.module = "layers.*.attention";
  rule.kind = CollectiveKind::AllGather;
  rule.group = "fsdp";
  rule.dtypes = {DType::BF16, DType::F32};
  rule.reductions = {ReduceOp::Sum, ReduceOp::Avg};
  rule.count = Bounds::exactly(9);
  rule.bytes = Bounds::atMost(4096);
  rule.modules = Bounds{2, 4};
  rule.place = {14, 1};
  EXPECT_EQ(contract.collectives.front(), rule);
}

TEST(ContractFile, AWrittenContractReadsBackAsItself) {
  Contract contract = contractOfText(whole);
  contract.collectives.front().module = "a\"b\\c\x01";
  std::string text = written(contract);
  Contract again = contractOfText(text);
  EXPECT_EQ(written(again), text);
  again.limits.place = contract.limits.place;
  again.collectives.front().place = contract.collectives.front().place;
  EXPECT_EQ(again.limits, contract.limits);
  EXPECT_EQ(again.collectives, contract.collectives);
  EXPECT_EQ(again.machine, contract.machine);
  EXPECT_EQ(again.allowsUnlisted, contract.allowsUnlisted);
}

TEST(ContractFile, AnEmptyTextRequiresNothing) {
  Contract contract = contractOfText("");
  EXPECT_TRUE(contract.allowsUnlisted);
  EXPECT_EQ(contract.limits, StepLimits());
  EXPECT_TRUE(contract.collectives.empty());
}

TEST(ContractFile, BoundsIncludeTheirEnds) {
  Bounds bounds{2, 4};
  EXPECT_TRUE(bounds.holds(2) && bounds.holds(4));
  EXPECT_FALSE(bounds.holds(1) || bounds.holds(5));
  EXPECT_EQ(Bounds::exactly(2).str(), "2");
  EXPECT_EQ(bounds.str(), "2 to 4");
  EXPECT_EQ(Bounds::atMost(4).str(), "at most 4");
  EXPECT_EQ((Bounds{2, std::nullopt}.str()), "at least 2");
}

TEST(ContractFile, APatternSelectsWholeComponents) {
  EXPECT_EQ(selectedModule("layers.*", "layers.12.wq"), "layers.12");
  EXPECT_EQ(selectedModule("layers.*.wq", "layers.1.wq"), "layers.1.wq");
  EXPECT_EQ(selectedModule("layers.1", "layers.12"), std::nullopt);
  EXPECT_EQ(selectedModule("layers.*.wq", "layers.1"), std::nullopt);
  EXPECT_EQ(selectedModule("*", ""), std::nullopt);
  EXPECT_EQ(selectedModule("", ""), "");
}

TEST(ContractFileErrors, Syntax) {
  EXPECT_EQ(errorOf("[limits]\ndead_waits = \n"),
            "comm.toml:2:14: error: this is not TOML: Error while parsing key-value pair: expected value, saw "
            "'\\n' [contract.syntax]\n"
            "  note: https://toml.io/en/v1.0.0 describes the syntax\n");
}

TEST(ContractFileErrors, TheColumnCountsBytes) {
  EXPECT_EQ(errorOf("machine = \"\xC3\xA4\" x\n").substr(0, 22), "comm.toml:1:16: error:");
}

TEST(ContractFileErrors, UnknownKeys) {
  EXPECT_EQ(errorOf("limit = 1\n"), "comm.toml:1:1: error: a contract has no key 'limit' [contract.value]\n"
                                    "  note: the keys are version, machine, unlisted, limits, collective\n");
  EXPECT_EQ(errorOf("[limits]\n\n  waits = 1\n"),
            "comm.toml:3:3: error: [limits] has no key 'waits' [contract.value]\n"
            "  note: the keys are missing_waits, dead_waits, dead_collectives, exposed_collectives, exposed_percent, "
            "peak_bytes\n");
  EXPECT_EQ(errorOf("[[collective]]\ncount = 1\nnumber = 1\n"),
            "comm.toml:3:1: error: a collective has no key 'number' [contract.value]\n"
            "  note: the keys are graph, module, kind, group, count, bytes, dtypes, reductions, modules\n");
  EXPECT_EQ(errorOf("[[collective]]\ncount = { most = 1 }\n"),
            "comm.toml:2:11: error: a range has no key 'most' [contract.value]\n  note: the keys are min, max\n");
}

TEST(ContractFileErrors, ValuesOfAnotherKind) {
  struct Case {
    const char *text;
    const char *error;
  };
  const Case cases[] = {
      {"version = 2\n", "comm.toml:1:1: error: 'version' is 2, expected 1, the only version [contract.value]\n"},
      {"machine = true\n",
       "comm.toml:1:1: error: 'machine' is a boolean, expected a string that is not empty [contract.value]\n"},
      {"unlisted = \"deny\"\n",
       "comm.toml:1:1: error: 'unlisted' is 'deny', expected \"allow\" or \"forbid\" [contract.value]\n"},
      {"limits = 3\n", "comm.toml:1:1: error: 'limits' is 3, expected a table: [limits] [contract.value]\n"},
      {"collective = 3\n",
       "comm.toml:1:1: error: 'collective' is 3, expected an array of tables: [[collective]] [contract.value]\n"},
      {"collective = [1]\n", "comm.toml:1:15: error: an element of 'collective' is a whole number, expected a table: "
                             "[[collective]] [contract.value]\n"},
      {"limits.dead_waits = -1\n",
       "comm.toml:1:8: error: 'dead_waits' is -1, expected a whole number from 0 on [contract.value]\n"},
      {"limits.exposed_percent = 101\n",
       "comm.toml:1:8: error: 'exposed_percent' is 101, expected a number from 0 to 100 [contract.value]\n"},
      {"limits.exposed_percent = nan\n",
       "comm.toml:1:8: error: 'exposed_percent' is a number with a fraction, expected "
       "a number from 0 to 100 [contract.value]\n"},
      {"limits.peak_bytes = \"3 GB\"\n",
       "comm.toml:1:8: error: 'peak_bytes' is '3 GB', expected a number of bytes from "
       "0 on, such as 1024 or \"1.5 GiB\" [contract.value]\n"},
      {"limits.peak_bytes = 1979-05-27\n", "comm.toml:1:8: error: 'peak_bytes' is a date or time, expected a number of "
                                           "bytes from 0 on, such as 1024 or \"1.5 GiB\" [contract.value]\n"},
  };
  for (const Case &one : cases)
    EXPECT_EQ(errorOf(one.text), one.error);
}

TEST(ContractFileErrors, Collectives) {
  auto rule = [](const char *line) { return errorOf(std::string("[[collective]]\ncount = 1\n") + line); };
  EXPECT_EQ(rule("kind = \"gather\"\n"),
            "comm.toml:3:1: error: 'kind' is 'gather', expected one of all_reduce, all_gather, reduce_scatter, "
            "all_to_all, broadcast, scatter, send, recv, batch_p2p, shard_dim_alltoall, barrier [contract.value]\n");
  EXPECT_EQ(rule("module = \"layers.a*\"\n"),
            "comm.toml:3:1: error: 'module' is 'layers.a*', expected components with dots between them, each a name or "
            "*, such as \"layers.*.attention\" [contract.value]\n");
  EXPECT_EQ(rule("dtypes = [\"float\"]\n"),
            "comm.toml:3:11: error: an element of 'dtypes' is 'float', expected one of dtypes as PyTorch prints them, "
            "such as \"bf16\" or \"f32\" [contract.value]\n");
  EXPECT_EQ(rule("reductions = []\n"),
            "comm.toml:3:1: error: 'reductions' is an array, expected an array of sum, avg, product, min, max, band, "
            "bor and bxor [contract.value]\n");
  EXPECT_EQ(rule("bytes = { min = 3, max = 2 }\n"),
            "comm.toml:3:1: error: 'bytes' has a min of 3 and a max of 2, expected a min that is not above the max "
            "[contract.value]\n");
  EXPECT_EQ(errorOf("[[collective]]\nkind = \"barrier\"\n"),
            "comm.toml:1:1: error: this collective has no requirement [contract.value]\n"
            "  note: add at least one of count, bytes, dtypes, reductions and modules\n");
}

TEST(ContractFileErrors, AllViolationsAreReportedUpToALimit) {
  std::string text;
  for (int i = 0; i != 30; ++i)
    text += "key" + std::to_string(i) + " = 1\n";
  std::string error = errorOf(text);
  EXPECT_NE(error.find("comm.toml:20:1:"), std::string::npos);
  EXPECT_EQ(error.find("comm.toml:21:1:"), std::string::npos);
}

TEST(ContractFileErrors, DeepNestingIsAnError) {
  EXPECT_NE(errorOf("a = " + std::string(100000, '[')).find("[contract.syntax]"), std::string::npos);
}

} // namespace ccgraph
